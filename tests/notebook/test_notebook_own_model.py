"""The notebook about one's own model, executed headless."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.case import faithful, load_case
from fairnb.files import templates

# TensorFlow is loaded, and a network trained: about a minute.
executed = pytest.mark.slow


@pytest.fixture(scope="module")
def own(execute_carried: Any) -> Any:
    return execute_carried("own_model")


@pytest.fixture(scope="module")
def place(own: Any) -> Path:
    (found,) = own.folder.glob("own-model-*")
    return Path(found)


def test_it_is_saved_as_a_valid_notebook_without_outputs() -> None:
    notebook = json.loads((templates("notebooks") / "own_model.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(notebook)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook["cells"])
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-z-]+", name) for name in ids)


@executed
def test_the_pipeline_is_saved_into_its_case_and_assessed(own: Any, place: Path) -> None:
    case_file = tomllib.loads((place / "pipeline" / "assessment.toml").read_text(encoding="utf-8"))
    assert case_file["system"] == {"sklearn": "system.skops"}
    assert case_file["targets"]["1"]["classes"] == ["1"]
    assert own.shown("performance")["section"] == "technical_performance"
    assert own.shown("groups")["section"] == "group_bias"


@executed
def test_the_accuracy_is_the_one_that_scikit_learn_finds(own: Any) -> None:
    ours, theirs = re.findall(r"(?:fairnb|scikit-learn) (0\.\d{4})", own.printed("compute"))
    assert ours == theirs
    # Few texts to train on leave something to find.
    assert 0.6 < float(ours) < 0.99


@executed
def test_a_fresh_kernel_runs_the_record_from_the_saved_file(own: Any, place: Path) -> None:
    outcomes = dict(re.findall(r"^(\w+) +(\w[\w ]*\w) +\d", own.printed("record"), re.MULTILINE))
    assert outcomes["technical_performance"] == "replayed"
    assert outcomes["auc_bias"] == "done"
    case = load_case(place / "pipeline")
    assert faithful(place / "pipeline" / "assessment.ipynb", case) == []


@executed
def test_the_network_is_saved_into_its_case_and_assessed(own: Any, place: Path) -> None:
    pytest.importorskip("keras", reason="the extra keras is not installed")
    case_file = tomllib.loads((place / "keras" / "assessment.toml").read_text(encoding="utf-8"))
    assert case_file["system"] == {"keras": "system.keras"}
    assert own.shown("keras-counterfactual")["section"] == "counterfactual"
    losses = [float(loss) for loss in re.findall(r"\d\.\d{3}", own.printed("keras"))]
    assert losses[-1] < losses[0]
    assert len(re.findall(r"^keras +(?:accuracy|roc_auc)", own.printed("both"), re.MULTILINE)) == 2
