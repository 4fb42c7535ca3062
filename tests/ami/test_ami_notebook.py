"""The notebook of the task runs from an empty folder, and shows what its prose says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import check_case, load_case
from fairnb.files import templates
from fairnb.notebook._kernel import kernel_environment

MACHINE_PATH = re.compile(r"/(?:work|root|home|tmp|usr)/\w|[A-Z]:\\\\")


def notebook() -> dict[str, Any]:
    return json.loads((templates("notebooks") / "ami_2020.ipynb").read_text("utf-8"))  # type: ignore[no-any-return]


def test_it_is_saved_without_outputs_and_without_paths_of_a_machine() -> None:
    for cell in notebook()["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not MACHINE_PATH.search("".join(cell["source"]))


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Folder, and what each code cell wrote."""
    import nbformat
    from nbclient import NotebookClient

    folder = tmp_path_factory.mktemp("empty")
    scratch = tmp_path_factory.mktemp("home")
    book = nbformat.from_dict(notebook())
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("FAIRNB_HOME", str(scratch))
        for name, value in kernel_environment(scratch, {}).items():
            patched.setenv(name, value)
        kernel = scratch / "jupyter-data" / "kernels" / "python3"
        kernel.mkdir(parents=True)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "Python 3", "language": "python"}
        (kernel / "kernel.json").write_text(json.dumps(spec), "utf-8")
        NotebookClient(book, timeout=500, resources={"metadata": {"path": str(folder)}}).execute()
    said = []
    for cell in book.cells:
        if cell.cell_type == "code":
            parts = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in cell.outputs]
            said.append("".join(parts))
    return folder, said


def found(said: list[str], pattern: str) -> re.Match[str]:
    match = re.search(pattern, "\n".join(said))
    assert match, pattern
    return match


def test_it_runs_from_an_empty_folder_and_the_effect_of_debiasing_is_seen(
    executed: tuple[Path, list[str]],
) -> None:
    folder, said = executed
    assert {path.name for path in (folder / "plain").iterdir()} == {
        f"plain.{name}.c.run1.tsv" for name in ("A.r", "B.r", "B.s")
    }
    difference = found(said, r"Score B: debiased\.u\.run1 minus plain\.c\.run1 = ([+-][\d.]+), p = ([\d.]+)")
    # Its prose says that p may be anything with 32 templates: what must hold is that the terms' areas move.
    assert float(difference[1]) > 0.01
    found(said, r"added \d+ neutral sentences")


def test_both_labels_are_targets_of_one_case_that_agrees_with_the_task(
    executed: tuple[Path, list[str]],
) -> None:
    folder, said = executed
    check_case(folder / "case")
    case = load_case(folder / "case")
    assert [target.name for target in case.file.targets] == ["misogynous", "aggressiveness"]
    figures = {name: found(said, rf"{name}: (0\.\d+), (0\.\d+)").groups() for name in ("case", "task")}
    assert figures["case"] == figures["task"]
    found(said, r"technical_performance +done")
    found(said, r"swap +not applicable .*articles, adjectives")


def test_its_outputs_name_no_folder_of_the_machine(executed: tuple[Path, list[str]]) -> None:
    folder, said = executed
    assert not [text for text in said if str(folder) in text]
