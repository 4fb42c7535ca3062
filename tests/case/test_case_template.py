from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import is_template_text, new_case
from fairnb.files import templates

ABOUT = "## Data bias\n\nWords of a version that is long gone."


def text(source: str | list[str], *tags: str, mark: Any = None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"tags": list(tags)}
    if mark is not None:
        metadata["fairnb"] = mark
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def digest(source: str) -> dict[str, str]:
    return {"template": hashlib.sha256(source.encode()).hexdigest()}


@pytest.fixture
def made(tmp_path: Path) -> list[dict[str, Any]]:
    new_case(tmp_path / "case", title="Of nettles")
    cells: list[dict[str, Any]] = json.loads((tmp_path / "case" / "assessment.ipynb").read_bytes())["cells"]
    return cells


def test_every_text_of_a_new_case_is_the_templates(made: list[dict[str, Any]]) -> None:
    texts = [cell for cell in made if cell["cell_type"] == "markdown"]
    assert texts[0]["source"][0] == "# Of nettles\n"
    assert all(is_template_text(cell) for cell in texts)
    assert all(len(cell["metadata"]["fairnb"]["template"]) == 64 for cell in texts)
    assert not any("fairnb" in cell["metadata"] for cell in made if cell["cell_type"] == "code")


def test_another_versions_text_is_known_by_its_mark() -> None:
    assert is_template_text(text(ABOUT, "fairnb", mark=digest(ABOUT)))
    assert is_template_text(text(ABOUT.splitlines(keepends=True), "fairnb", mark=digest(ABOUT)))
    assert not is_template_text(text(ABOUT, "fairnb"))


@pytest.mark.parametrize("edited", [f"{ABOUT} I doubt it.", ABOUT.replace("Data bias", "No bias"), "Mine."])
def test_a_text_that_was_changed_is_the_assessors(edited: str) -> None:
    assert not is_template_text(text(edited, "fairnb", mark=digest(ABOUT)))


def test_the_words_of_this_version_are_the_assessors_where_the_mark_says_another_text() -> None:
    shipped = json.loads((templates("notebooks") / "assessment.ipynb").read_bytes())["cells"][2]["source"]
    assert is_template_text(text(shipped, "fairnb"))
    assert not is_template_text(text(shipped, "fairnb", mark=digest(ABOUT)))


def test_a_changed_title_is_no_remark() -> None:
    body = "This notebook is the record."
    assert is_template_text(text(f"# Mine\n\n{body}", "fairnb", mark=digest(body)))


def test_what_has_no_tag_is_the_assessors() -> None:
    assert not is_template_text(text(ABOUT, mark=digest(ABOUT)))


@pytest.mark.parametrize("mark", [[], "template", {"template": None}, {"template": 7}, {}])
def test_a_mark_of_another_shape_makes_nothing_the_templates(mark: Any) -> None:
    assert not is_template_text(text(ABOUT, "fairnb", mark=mark))


def test_texts_that_a_committed_template_ever_had_are_known_without_a_mark() -> None:
    path = templates("notebooks") / "assessment.ipynb"

    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=path.parent, capture_output=True, text=True, check=False)
        if ran.returncode:
            pytest.skip("not a git checkout with its history")
        return ran.stdout

    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("a checkout without its history")
    for commit in git("log", "--format=%H", "--", path.name).split():
        cells = json.loads(git("show", f"{commit}:./{path.name}"))["cells"]
        # A template without tags shipped before texts were told from remarks.
        texts = [cell for cell in cells if cell["cell_type"] == "markdown" and cell["metadata"].get("tags")]
        assert all(is_template_text(cell) for cell in texts), commit
