"""Favour and counterfactual bias against worked values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairnb.errors import FairnbError
from fairnb.variants import counterfactual_bias, favour

WORKED = json.loads((Path(__file__).resolve().parent.parent / "vectors" / "cb_favor.json").read_text("utf-8"))
OTHER = {"male": "female", "female": "male"}


@pytest.mark.parametrize("name", ["cb", "cb_cancellation", "cb_multi"])
def test_worked_counterfactual_bias(name: str) -> None:
    examples, expected = WORKED[name]["examples"], WORKED[name]["expected"]
    found = counterfactual_bias(
        [e["p_ref"] for e in examples], [e["p_cf"] for e in examples], [e["y"] for e in examples]
    )
    assert list(found.terms) == expected["terms"]
    assert found.total == expected["sum"]
    assert found.mean == expected["mean"]
    assert found.mean_positive == expected["mean_hateful"]
    assert found.mean_negative == expected["mean_not_hateful"]
    assert found.mean_shift == expected["mean_shift"]


@pytest.mark.parametrize("row", WORKED["favor"])
def test_worked_favour(row: dict[str, object]) -> None:
    original = str(row["orig_group"])
    answer = favour(float(str(row["p_orig"])), float(str(row["p_swap"])), int(str(row["y"])))
    groups = {"new": OTHER[original], "original": original, "no_change": "no_change"}
    assert groups[answer] == row["favored"]


def test_no_example_has_no_mean() -> None:
    assert counterfactual_bias([], [], []).mean is None


def test_what_does_not_match_is_refused() -> None:
    with pytest.raises(FairnbError):
        counterfactual_bias([0.1], [[]], [1])
    with pytest.raises(FairnbError):
        counterfactual_bias([0.1], [[0.2]], [2])
    with pytest.raises(FairnbError):
        favour(0.1, 0.2, -1)
