"""A small case that a kernel can run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
