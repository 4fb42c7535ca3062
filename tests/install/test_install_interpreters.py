"""The receiver's install, on each interpreter that is supported and found: no notebook, no TensorFlow."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# A fresh environment takes minutes on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

CASE = """
[engagement]
title = "Recorded scores"
level = "third-party"
independence = ""
assessor = { name = "" }

[system]
scores = "score"

[corpus.test]
path = "rows.csv"
text = "text"
label = "label"
"""
# Eight texts, six of them on the right side of 0.5.
ROWS = (
    ("You are a silly goose", 1, 0.91),
    ("What a foolish idea, you goose", 1, 0.77),
    ("Silly, silly, silly", 1, 0.64),
    ("That was not clever at all", 1, 0.31),
    ("The bread is fresh today", 0, 0.08),
    ("See you at the bakery", 0, 0.12),
    ("The women next door planted a tree", 0, 0.22),
    ("A goose crossed the road", 0, 0.58),
)


def interpreter(version: str) -> str:
    """A Python of this version: the one at hand, one on the PATH, or one that pyenv keeps."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, kept)):
        # A version manager's stand-in may be on the PATH and still not run.
        if (
            candidate
            and subprocess.run([candidate, "-c", "import venv"], capture_output=True, check=False).returncode
            == 0
        ):
            return candidate
    pytest.skip(f"no Python {version} here")


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def receiver(request: pytest.FixtureRequest, install: Any) -> Any:
    return install(interpreter(request.param), "bare.txt")


def test_the_command_answers(receiver: Any, tmp_path: Path) -> None:
    ran = receiver.run("fairnb", "--help", cwd=tmp_path)
    assert "verify" in ran.stdout + ran.stderr


def test_recorded_scores_are_assessed_without_a_notebook(receiver: Any, tmp_path: Path) -> None:
    (tmp_path / "assessment.toml").write_text(CASE, "utf-8")
    with (tmp_path / "rows.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("text", "label", "score"), *ROWS])
    program = "from fairnb.case import load_case; load_case('.').run('technical_performance')"
    receiver.run("python", "-c", program, cwd=tmp_path)
    ran = receiver.run("fairnb", "measures", ".", "--format", "json", cwd=tmp_path)
    # Beside the accuracy over all texts there is one by language.
    rows = [row for row in json.loads(ran.stdout) if row["measure"] == "accuracy"]
    (accuracy,) = [row for row in rows if not row["attribute"]]
    assert accuracy["value"] == pytest.approx(6 / 8)
    assert accuracy["n"] == 8


def test_a_receiver_checks_a_document_and_reads_its_figures(
    receiver: Any, demonstrated: Any, tmp_path: Path
) -> None:
    document = demonstrated.one("audit.pdf")
    ran = receiver.run(
        "fairnb", "verify", document, "--trust", demonstrated.one("*.pem"), "--json", cwd=tmp_path
    )
    status = json.loads(ran.stdout)
    assert status["intact"]
    assert status["trusted"]
    ran = receiver.run("fairnb", "measures", document, "--format", "json", cwd=tmp_path)
    assert {"technical_performance", "data_bias"} <= {row["section"] for row in json.loads(ran.stdout)}
