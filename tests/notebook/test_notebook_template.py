from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.case import section_cells
from fairnb.files import templates
from fairnb.sections import section_ids


@pytest.fixture
def path() -> Path:
    return templates("notebooks") / "assessment.ipynb"


@pytest.fixture
def template(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_it_is_a_valid_notebook(template: dict[str, Any]) -> None:
    nbformat.validate(template)
    assert (template["nbformat"], template["nbformat_minor"]) == (4, 5)


def test_every_section_has_one_cell_in_the_order_of_the_assessment(template: dict[str, Any]) -> None:
    assert [cell.sections for cell in section_cells(template)] == [(identity,) for identity in section_ids()]


def test_the_first_code_cell_opens_the_case_and_is_tagged_parameters(template: dict[str, Any]) -> None:
    first = next(cell for cell in template["cells"] if cell["cell_type"] == "code")
    assert first["metadata"]["tags"] == ["parameters"]
    assert "".join(first["source"]) == 'import fairnb\n\ncase = fairnb.open(".")'


def test_every_section_stands_under_a_heading_with_a_text(template: dict[str, Any]) -> None:
    for cell in section_cells(template):
        before = template["cells"][cell.index - 1]
        assert before["cell_type"] == "markdown"
        assert re.match(r"## .+\n\n.{40,}", "".join(before["source"]))


def test_it_holds_no_output_and_no_trace_of_a_machine(template: dict[str, Any]) -> None:
    assert all(not cell.get("outputs") for cell in template["cells"])
    assert set(template["metadata"]) == {"kernelspec", "language_info"}
    assert template["metadata"]["kernelspec"]["name"] == "python3"


def test_ids_of_cells_are_stable_words(template: dict[str, Any]) -> None:
    ids = [cell["id"] for cell in template["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-z-]+", name) for name in ids)


def test_its_own_texts_are_tagged_so_that_they_are_no_remarks(template: dict[str, Any]) -> None:
    texts = [cell for cell in template["cells"] if cell["cell_type"] == "markdown"]
    assert all(cell["metadata"]["tags"] == ["fairnb"] for cell in texts)
