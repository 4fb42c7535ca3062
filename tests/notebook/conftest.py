"""A small case that a kernel can run, and the notebooks that the project carries, executed."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import BUNDLE
from fairnb.files import templates

TOML = """\
[engagement]
title = "A small assessment"
level = "third-party"
independence = "none of us built it"
assessor = { name = "Ada", organisation = "Office" }

[system]
scores = "score"

[corpus.test]
path = "test.csv"
"""
SUBJECTS = ("The woman next door", "A man", "My neighbour", "The gay couple next door", "The choir")


def rows(n: int = 60) -> list[tuple[str, int, float]]:
    """Text, label, score: every third is positive, every twelfth wrongly scored."""
    made = []
    for i in range(n):
        label = int(i % 3 == 0)
        score = 0.8 if label != (i % 12 == 0) else 0.1
        did = "is a silly goose" if label else "baked bread"
        made.append((f"{SUBJECTS[i % 5]} {did} on day {i}", label, score))
    return made


@pytest.fixture
def small(tmp_path: Path) -> Callable[..., Path]:
    """Write a case folder with the template notebook or one of these code cells."""

    def make(*sources: str, system: str = 'scores = "score"', extra: str = "") -> Path:
        folder = tmp_path / "case"
        folder.mkdir(exist_ok=True)
        (folder / "assessment.toml").write_text(TOML.replace('scores = "score"', system) + extra)
        lines = "".join(f'"{text}",{label},{score}\n' for text, label, score in rows())
        (folder / "test.csv").write_text("text,label,score\n" + lines)
        notebook: dict[str, Any] = json.loads(
            (templates("notebooks") / "assessment.ipynb").read_text(encoding="utf-8")
        )
        if sources:
            code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
            notebook["cells"] = [
                {**code[0], "id": f"cell-{index}", "metadata": {}, "source": source}
                for index, source in enumerate(sources)
            ]
        (folder / "assessment.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        return folder

    return make


SLOW = '''
import time
from pathlib import Path

def score(texts):
    """Waits in each batch for a file, or a moment."""
    with Path("asked.txt").open("a") as file:
        file.write(f"{len(texts)}\\n")
    time.sleep(0.1)
    return [[0.8 if "silly" in text else 0.1] for text in texts]
'''


class Handle:
    """Stands for an output that can be replaced."""

    def __init__(self) -> None:
        self.shown: list[dict[str, Any]] = []
        """One for each result, as it was shown last."""
        self.early: list[dict[str, Any]] = []
        """Results as they were shown before their figures were drawn."""

    def update(self, bundle: dict[str, Any]) -> None:
        if self.shown and BUNDLE in bundle and self.shown[-1].get(BUNDLE) == bundle[BUNDLE]:
            self.early.append(self.shown.pop())
        self.shown.append(bundle)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """The section's output; the controls themselves are not displayed."""
    handle = Handle()

    def show(bundle: dict[str, Any], name: str) -> Handle:
        handle.shown.append(bundle)
        return handle

    from fairnb.notebook import _controls

    monkeypatch.setattr(_controls, "show_live", show)
    monkeypatch.setattr("IPython.display.display", lambda *args, **kwargs: None)
    return handle


@pytest.fixture(autouse=True)
def no_panels() -> Iterator[None]:
    """Leave none behind, as in a kernel that has shown nothing yet."""
    from fairnb.notebook import _widgets

    yield
    for panel in tuple(_widgets._OPEN):
        panel.retire()


@pytest.fixture
def opened(small: Callable[..., Path], output: Handle) -> Iterator[Callable[..., Any]]:
    """Open a case and show one section with its controls."""
    from fairnb.case import load_case
    from fairnb.notebook import NotebookCase
    from fairnb.notebook._controls import Controls

    cases: list[NotebookCase] = []

    def show(section: str = "technical_performance", **options: Any) -> Any:
        given = options.pop("params", {})
        folder = small(**options)
        if options.get("system", "").startswith("python"):
            (folder / "slow.py").write_text(SLOW)
        notebook = NotebookCase(load_case(folder))
        cases.append(notebook)
        controls = Controls(notebook, section, given)
        notebook._controls[section] = controls
        controls.show()
        return controls

    yield show
    for case in cases:
        assert case.worker.wait(20)


CARRIED = templates("notebooks")
"""Notebooks that the project carries."""


@dataclass(frozen=True)
class Executed:
    """A carried notebook as `jupyter execute` left it in a folder of its own."""

    folder: Path
    notebook: dict[str, Any]
    processor_seconds: float
    """Of the kernel and of all that it started."""
    resident: int
    """Bytes: the most that it, the kernel and their descendants held at one time, as `binder/check` adds up."""

    def cell(self, identity: str) -> dict[str, Any]:
        """A cell by its id."""
        (found,) = (cell for cell in self.notebook["cells"] if cell["id"] == identity)
        return found

    def printed(self, identity: str) -> str:
        """What a cell wrote to its standard output."""
        outputs = self.cell(identity)["outputs"]
        return "".join(
            line for output in outputs if output.get("name") == "stdout" for line in output["text"]
        )

    def plain(self, identity: str) -> str:
        """What a cell displays, in its plain form."""
        return "".join(
            line
            for output in self.cell(identity)["outputs"]
            for line in output.get("data", {}).get("text/plain", ())
        )

    def shown(self, identity: str) -> dict[str, Any]:
        """The one result that a cell displays, as the section's content."""
        (payloads,) = (
            output["data"][BUNDLE]
            for output in self.cell(identity)["outputs"]
            if BUNDLE in output.get("data", {})
        )
        (payload,) = payloads
        content: dict[str, Any] = payload["content"]
        return content


@pytest.fixture(scope="session")
def execute_carried(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Executed]:
    """Execute a copy of a carried notebook headless in an empty folder, as a user's kernel would."""

    resident = runpy.run_path(str(CARRIED.parent / "binder" / "check"))["resident"]

    def run(name: str, home: Path | None = None, **environment: str) -> Executed:
        folder = tmp_path_factory.mktemp(name)
        shutil.copy(CARRIED / f"{name}.ipynb", folder)
        environment["FAIRNB_HOME"] = str(home or tmp_path_factory.mktemp("home"))
        before = os.times()
        most = 0
        with (folder / "said.txt").open("w+", encoding="utf-8") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "jupyter", "execute", "--inplace", f"{name}.ipynb"],
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
            while process.poll() is None:
                most = max(most, resident({process.pid}))
                time.sleep(0.05)
            said.seek(0)
            assert process.returncode == 0, said.read()[-4000:]
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        notebook = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
        return Executed(folder, notebook, spent, most)

    return run
