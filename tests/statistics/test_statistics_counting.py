"""Rows counted once give the tally that counting them for each threshold gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fairnb.statistics import Counting, tally
from fairnb.statistics._bytes import LIMIT


def _rows(n: int, dtype: str) -> tuple[Any, Any, Any, list[str]]:
    drawn = np.random.default_rng(n)
    labels = drawn.integers(-1, 2, n)
    scores = drawn.random(n).astype(dtype)
    scores[::97] = np.nan
    # Many stand exactly on thresholds that are asked about.
    scores[::5] = np.round(scores[::5], 1)
    return labels, scores, drawn.random((n, 3)) < 0.3, ["a/x", "a/y", "b/z"]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("clustered", [False, True])
def test_any_thresholds_give_the_tally_of_the_rows(dtype: str, clustered: bool) -> None:
    labels, scores, groups, names = _rows(2_000, dtype)
    options: dict[str, Any] = {"pairs": [("a/x", "a/y")]}
    if clustered:
        options |= {"clusters": np.arange(2_000) // 7, "cluster_key": b"key"}
    counting = Counting(labels, scores, groups, names, **options)
    for thresholds in ((), (0.5,), (0.3, 0.1, 0.7), (0.0, 1.0), (0.1234567,)):
        counted = tally(labels, scores, groups, names, thresholds=thresholds, **options).fitted()
        assert counting.tally(thresholds) == counted
        assert counting.tally(thresholds).to_bytes() == counted.to_bytes()


def test_scores_that_do_not_fit_are_coarsened_alike_and_counts_at_the_threshold_stay_exact() -> None:
    labels, scores, groups, names = _rows(900_000, "float64")
    counted = Counting(labels, scores, groups, names).tally((0.3, 0.61))
    assert counted == tally(labels, scores, groups, names, thresholds=(0.3, 0.61)).fitted()
    assert counted.shift > 0
    assert len(counted.to_bytes()) <= LIMIT
    flagged = (scores >= 0.61) & (labels == 1)
    assert counted.flagged_counts(0.61)[0, 1] == flagged.sum()


def test_without_groups_there_is_everyone() -> None:
    labels, scores, _, _ = _rows(500, "float32")
    assert Counting(labels, scores).tally((0.4,)) == tally(labels, scores, thresholds=(0.4,)).fitted()
