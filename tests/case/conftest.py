"""A small case, and sections whose runs are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairnb.sections import _registry

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

ROWS = (
    ("You are a silly goose", 1, 0.9),
    ("The woman next door baked bread", 0, 0.2),
    ("What a silly man", 1, 0.4),
    ("The gay couple next door baked bread", 0, 0.6),
    ("It rained on Monday", 0, 0.1),
    ("You silly, silly people", 1, 0.8),
)
"""Text, label, score."""


def csv_of(rows: Any = ROWS) -> str:
    return "text,label,score\n" + "".join(f'"{text}",{label},{score}\n' for text, label, score in rows)


def notebook_of(*sources: str, outputs: dict[int, list[Any]] | None = None) -> dict[str, Any]:
    """A notebook with these code cells."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{index}",
            "metadata": {},
            "execution_count": None,
            "source": source,
            "outputs": (outputs or {}).get(index, []),
        }
        for index, source in enumerate(sources)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


class MakeCase:
    """Writes case folders; called again with the same name, it rewrites them."""

    toml = TOML
    rows = ROWS
    csv = staticmethod(csv_of)
    notebook = staticmethod(notebook_of)

    def __init__(self, place: Path) -> None:
        self.place = place

    def __call__(self, name: str = "case", toml: str = TOML, extra: str = "", rows: Any = ROWS) -> Path:
        folder = self.place / name
        folder.mkdir(exist_ok=True)
        (folder / "assessment.toml").write_text(toml + extra, encoding="utf-8")
        (folder / "test.csv").write_text(csv_of(rows), encoding="utf-8")
        sources = ["import fairnb"]
        sources += [f'case.section("{identity}")' for identity in _registry.section_ids()]
        (folder / "assessment.ipynb").write_text(json.dumps(notebook_of(*sources)), encoding="utf-8")
        return folder


@pytest.fixture
def make_case(tmp_path: Path) -> MakeCase:
    """Makes small cases with six rows, of which three are labelled positive."""
    return MakeCase(tmp_path)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Only the tiny sections are installed; the list of their runs."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import tiny_sections

    names = {"counting": "Counting", "tallying": "Tallying", "training": "Training", "closing": "Closing"}
    homes = {identity: f"tiny_sections:{name}" for identity, name in names.items()}
    monkeypatch.setattr(_registry, "_OWN", homes)
    tiny_sections.RUNS.clear()
    runs: list[str] = tiny_sections.RUNS
    return runs


@pytest.fixture
def failing(tiny: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The section that fails, installed beside the others."""
    import tiny_sections

    homes = {"failing": "tiny_sections:Failing", **_registry._OWN}
    monkeypatch.setattr(_registry, "_OWN", homes)
    monkeypatch.setattr(tiny_sections.Failing, "error", None)
    return tiny_sections.Failing
