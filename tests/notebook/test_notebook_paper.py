"""The paper's assessment, executed headless where the corpora are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.files import templates
from fairnb.registry import fetch

# Reads 38,023 tweets and loads TensorFlow: one to two minutes.
executed = pytest.mark.slow
TABLES = {
    "table-one": "technical_performance",
    "tables-two-four": "data_bias",
    "table-five": "mining",
    "vectors": "embedding_bias",
    "table-three": "group_bias",
    "table-six": "swap",
    "tables-seven-nine": "counterfactual",
}
"""Cell -> section."""


@pytest.fixture(scope="module")
def done(execute_carried: Any, real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("toxic_classifier", reason="the extra toxic is not installed")
    home = tmp_path_factory.mktemp("paper-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(home))
        for name in ("paper-train", "paper-test"):
            fetch(name, real_data)
    return execute_carried("paper", home)


def test_it_is_saved_as_a_valid_notebook_without_outputs() -> None:
    notebook = json.loads((templates("notebooks") / "paper.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(notebook)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook["cells"])
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-z-]+", name) for name in ids)


@executed
def test_every_table_has_its_section(done: Any) -> None:
    assert {cell: done.shown(cell)["section"] for cell in TABLES} == TABLES


@executed
def test_table_1_has_the_supports_of_the_corrected_table(done: Any) -> None:
    measures = done.shown("table-one")["result"]["measures"]
    support = {
        row["subgroup"]: row["n"]
        for row in measures
        if row["measure"] == "recall" and row["attribute"] == "class" and not row.get("reference")
    }
    assert (support["positive"], support["negative"]) == (2502, 1301)


@executed
def test_the_document_sets_the_paper_beside_ours(done: Any) -> None:
    (page,) = done.folder.glob("paper-*/case/audit.html")
    assert "Paper and this assessment" in page.read_text(encoding="utf-8")
    assert "status: draft" in done.printed("document")
