"""Importing fairnb costs next to nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "gensim",
    "matplotlib",
    "nbconvert",
    "numpy",
    "pandas",
    "pyhanko",
    "scipy",
    "shap",
    "spacy",
    "tensorflow",
    "torch",
    "weasyprint",
}
IMPORT = "import fairnb"
HELP = """
import sys
from fairnb.cli import main
sys.argv = ["fairnb", "--help"]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
"""


@pytest.mark.parametrize("program", [IMPORT, HELP], ids=["import", "help"])
def test_no_heavy_library_is_loaded(program: str) -> None:
    ending = "\nimport sys\nprint(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    ran = subprocess.run(
        [sys.executable, "-c", program + ending], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stderr.splitlines()[-1].split())
    assert "fairnb" in loaded
    assert loaded & HEAVY == set()


def test_names_of_the_package_are_found_when_asked_for() -> None:
    import fairnb

    assert fairnb.FairnbError.__name__ == "FairnbError"
    with pytest.raises(AttributeError, match="no_such_name"):
        fairnb.no_such_name  # noqa: B018
    assert {"FairnbError", "open", "__version__"} <= set(dir(fairnb))
