"""JupyterLab in one virtual environment, the notebook's kernel in another with another fairnb."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_steps import (
    BUNDLE,
    LONG,
    PASSPHRASE,
    begin,
    cell_at,
    export,
    exported,
    move_threshold,
    parameter,
    quiet,
    ready,
    said,
    saved,
    settled,
    states,
    verify,
    write_case,
)

import fairnb

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

PACKAGES = Path(sysconfig.get_path("purelib"))
CHECKOUT = Path(fairnb.__file__).resolve().parents[1]
HEAVY = (
    "sklearn",
    "spacy",
    "thinc",
    "tensorflow",
    "keras",
    "shap",
    "profanity_check",
    "transformers",
    "torch",
)
"""What the server's environment has not: systems and recognisers are the kernel's business."""
NEWER = "0.2.0"


def environment(place: Path) -> tuple[Path, Path]:
    """A virtual environment without packages; its interpreter and its folder of packages."""
    venv.create(place, with_pip=False)
    python = next(path for path in (place / "bin/python", place / "Scripts/python.exe") if path.exists())
    return python, Path(sysconfig.get_path("purelib", vars={"base": str(place)}))


def server_environment(place: Path) -> Path:
    """An environment with JupyterLab and fairnb, without what scores texts; its interpreter."""
    python, packages = environment(place)
    for path in PACKAGES.iterdir():
        if path.name not in HEAVY:
            target = packages / path.name
            if not target.exists():
                target.symlink_to(path)
    for shared in ("share", "etc"):
        (place / shared).symlink_to(Path(sys.prefix) / shared)
    return python


def kernel_environment(place: Path, *, schema: int = 1) -> tuple[Path, Path]:
    """An environment with a later fairnb; its interpreter, and the file where each run of the command is noted.

    Parameters
    ----------
    place : Path
    schema : int
        Major number of the schema in which this fairnb writes results.
    """
    python, packages = environment(place)
    noted = place / "ran.txt"
    shutil.copytree(
        CHECKOUT / "fairnb", packages / "fairnb", ignore=shutil.ignore_patterns("__pycache__", "_shared")
    )
    (packages / "fairnb/_shared").mkdir()
    for name in ("notebooks", "report_templates"):
        (packages / "fairnb/_shared" / name).symlink_to(CHECKOUT / name)
    change(packages / "fairnb/__init__.py", f'"{fairnb.__version__}"', f'"{NEWER}"')
    if schema != 1:
        for inner in ("case/_payload.py", "report/_verify.py"):
            change(packages / "fairnb" / inner, "fairnb.result/1", f"fairnb.result/{schema}")
    installed = packages / f"fairnb-{NEWER}.dist-info"
    shutil.copytree(Path(str(importlib.metadata.distribution("fairnb")._path)), installed)  # type: ignore[attr-defined]
    change(installed / "METADATA", f"Version: {fairnb.__version__}", f"Version: {NEWER}")
    # All else it takes from this environment.
    (packages / "borrowed.pth").write_text(f"import site; site.addsitedir({str(PACKAGES)!r})\n")
    (packages / "sitecustomize.py").write_text(
        "import sys\n"
        "if 'fairnb' in sys.orig_argv:\n"
        f"    with open({str(noted)!r}, 'a') as stream:\n"
        "        stream.write(sys.orig_argv[sys.orig_argv.index('fairnb') + 1] + '\\n')\n"
    )
    return python, noted


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def offer(lab: Any, name: str, python: Path) -> None:
    """Let a server's users choose an interpreter as kernel."""
    spec = lab.root.parent / "data/kernels" / name
    spec.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(
        json.dumps({"argv": command, "display_name": name, "language": "python"})
    )


def can_import(python: Path, name: str) -> bool:
    return subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def lean(serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A JupyterLab of an environment of its own."""
    python = server_environment(tmp_path_factory.mktemp("environments") / "server")
    assert can_import(python, "fairnb.lab")
    assert not can_import(python, "sklearn")
    return serve(python=str(python))


def test_what_runs_is_the_kernels_and_what_serves_is_the_servers(
    lean: Any, open_lab: Callable[..., Any]
) -> None:
    pytest.importorskip("profanity_check")
    from fairnb.report import new_identity

    python, noted = kernel_environment(lean.root.parent / "assessors")
    assert can_import(python, "profanity_check")
    offer(lean, "assessors", python)
    folder: Path = lean.root / "two"
    write_case(folder, *(f'case.section("{name}")' for name in SECTIONS), kernel="assessors")
    # A system that the server could not even load.
    change(folder / "assessment.toml", 'scores = "score"', 'use = "alt-profanity-check"')
    new_identity(folder / "me.p12", name="A. Example", passphrase=PASSPHRASE)
    page = open_lab("two/assessment.ipynb", at=lean)
    ready(page)
    begin(page, "notebook:run-all-cells")
    settled(page)
    assert set(states(page).values()) == {"fresh"}
    page.wait_for_selector(
        f".fairnb-Panel-foot:has-text('fairnb {NEWER} in kernel, {fairnb.__version__} in JupyterLab')"
    )
    assert page.locator(".fairnb-Panel-foot .fairnb-mod-warning").count() == 0
    cell = cell_at(page, 3)
    move_threshold(cell, 0.2)
    parameter(page, "technical_performance", "threshold", 0.2)
    said(cell, "Fresh")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", timeout=LONG)
    page.click(".fairnb-Panel-toolbar :text('Run Stale')")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", state="detached", timeout=LONG)
    settled(page)
    export(page, identity="two/me.p12", passphrase=PASSPHRASE)
    assert "signed" in exported(page)
    assert {"plan", "export"} >= set(noted.read_text().split()) - {"run"}
    assert "export" in noted.read_text().split()
    evidence = json.loads((folder / "evidence.json").read_text("utf-8"))
    assert {one["context"]["versions"]["fairnb"] for one in evidence["payloads"]} == {NEWER}
    kept = saved(folder / "assessment.ipynb")["technical_performance"]
    assert kept["parameters"]["threshold"] == 0.2
    assert accuracy(kept) == expected_accuracy(folder / "rows.csv", 0.2)
    # A document is verified by the server's own fairnb: its reader may have no kernel.
    before = noted.read_text()
    assert "A. Example" in verify(page, "audit.pdf").inner_text()
    assert noted.read_text() == before
    page.click(".jp-Dialog button:has-text('Close')")
    quiet(page)


SECTIONS = ("engagement", "system", "technical_performance", "conclusion")


def accuracy(content: dict[str, Any]) -> float:
    (found,) = [
        one
        for one in content["result"]["measures"]
        if one["measure"] == "accuracy" and not one.get("subgroup")
    ]
    return float(found["value"])


def expected_accuracy(rows: Path, threshold: float) -> float:
    """By the system's own package."""
    import csv

    import profanity_check

    with rows.open(encoding="utf-8", newline="") as stream:
        read = list(csv.DictReader(stream))
    scores = profanity_check.predict_prob([row["text"] for row in read])
    right = [int(score >= threshold) == int(row["label"]) for row, score in zip(read, scores, strict=True)]
    return sum(right) / len(right)


def test_results_of_a_later_schema_are_told_in_one_sentence(lean: Any, open_lab: Callable[..., Any]) -> None:
    python, _ = kernel_environment(lean.root.parent / "later", schema=2)
    offer(lean, "later", python)
    folder: Path = lean.root / "schema"
    write_case(folder, 'case.section("technical_performance")', kernel="later")
    page = open_lab("schema/assessment.ipynb", at=lean)
    ready(page)
    begin(page, "notebook:run-all-cells")
    warning = page.wait_for_selector(".fairnb-Panel-foot .fairnb-mod-warning", timeout=LONG)
    assert warning.inner_text() == (
        f"Some results are of schema 2, and JupyterLab's fairnb {fairnb.__version__} reads schema 1: "
        "install the newer fairnb beside JupyterLab to see them."
    )
    # The result itself is shown by its HTML, with its numbers.
    cell = cell_at(page, 1)
    said(cell, "Fresh")
    assert "At threshold 0.50" in cell.locator(".jp-OutputArea-output .fairnb").first.inner_text()
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    notebook = (folder / "assessment.ipynb").read_text("utf-8")
    assert '"schema": "fairnb.result/2"' in notebook
    assert BUNDLE in notebook
    quiet(page)
