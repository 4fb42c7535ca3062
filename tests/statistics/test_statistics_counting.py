"""Rows counted once give the tally that counting them for each threshold gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.statistics import (
    Counting,
    Tally,
    _permutation,
    average_equality_gap,
    bias_aucs,
    bias_aucs_null,
    flagged_mean,
    mean_score_difference,
    mean_score_p,
    tally,
)
from fairnb.statistics._arrays import dot
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
        options |= {"clusters": np.arange(2_000) // 7}
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


@pytest.mark.parametrize("clustered", [False, True])
def test_what_is_kept_of_the_entries_is_what_a_tally_of_its_own_gives(clustered: bool) -> None:
    labels, scores, groups, names = _rows(3_000, "float32")
    options: dict[str, Any] = {"pairs": [("a/x", "a/y")]}
    if clustered:
        options |= {"clusters": np.arange(3_000) // 7}
    counting = Counting(labels, scores, groups, names, **options)
    for threshold in (0.5, 0.2, 0.7, 0.5):
        alone = tally(labels, scores, groups, names, thresholds=(threshold,), **options).fitted()
        assert _asked(counting.tally((threshold,)), threshold) == _asked(alone, threshold)


def _asked(counted: Tally, threshold: float) -> list[Any]:
    found: list[Any] = [bias_aucs(counted), bias_aucs(counted, ["a/y"], 0.9)]
    for group in ("", "a/x", "~a/x", "b/z"):
        found += [counted.auc(group), counted.mean_score(group), counted.mean_score(group, 1, 0.9)]
        found += [flagged_mean(counted, threshold, group, label) for label in (None, 0, 1)]
    for label in (0, 1):
        found += [average_equality_gap(counted, "b/z", label), mean_score_p(counted, "a/x", "a/y", label)]
        found += [mean_score_difference(counted, "a/x", other, label) for other in ("a/y", "~a/x")]
    law = bias_aucs_null(counted, ["a/x", "b/z"], draws=20, seed=3)
    return [*found, *(drawn.tolist() for drawn in law.values())]


def test_a_moved_threshold_asks_for_no_mean_of_all_scores_again(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores, groups, names = _rows(500, "float32")
    counting = Counting(labels, scores, groups, names)
    before = _permuted(counting.tally((0.4,)))
    drawn: list[object] = []
    monkeypatch.setattr(_permutation, "permutation_p", lambda *args, **options: drawn.append(args))
    assert _permuted(counting.tally((0.6,))) == before
    assert not drawn
    # Another seed is another question.
    mean_score_p(counting.tally((0.6,)), "a/x", "~a/x", 1, seed=1)
    assert len(drawn) == 1


def _permuted(counted: Tally) -> float | None:
    return mean_score_p(counted, "a/x", "~a/x", 1)


def test_sums_of_products_are_taken_in_blocks_whatever_the_number_of_cores() -> None:
    one, other = np.random.default_rng(5).random((2, 25_000))
    blocks = [float(np.dot(one[at : at + 10_000], other[at : at + 10_000])) for at in (0, 10_000, 20_000)]
    assert dot(one, other) == math.fsum(blocks)
    assert dot(one, other) == pytest.approx(math.fsum((one * other).tolist()), rel=1e-13)
    assert dot(one[:10_000], other[:10_000]) == blocks[0]


def test_clusters_of_other_rows_are_told() -> None:
    labels, scores, groups, names = _rows(20, "float32")
    with pytest.raises(FairnbError) as raised:
        Counting(labels, scores, groups, names, clusters=["a"] * 21)
    assert raised.value.code == "lengths-differ"
