"""Samples by stratum and the means that speak of the whole corpus again."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from fairnb.explanation import stratified, weighted_mean


def test_each_stratum_has_its_part_and_small_ones_are_whole():
    strata = ["a"] * 900 + ["b"] * 60 + ["c"] * 7
    found = stratified(strata, 100, seed=3)
    assert Counter(strata[row] for row in found.rows) == {"a": 47, "b": 46, "c": 7}
    assert found.weights.sum() == pytest.approx(967)
    assert set(found.strata) == {("a", 900, 47), ("b", 60, 46), ("c", 7, 7)}
    assert stratified(strata, 100, seed=3).rows.tolist() == found.rows.tolist()
    assert stratified(strata, 100, seed=4).rows.tolist() != found.rows.tolist()


def test_a_small_corpus_is_taken_whole_with_weight_one():
    found = stratified(["a", "b", "a"], 200, seed=0)
    assert found.rows.tolist() == [0, 1, 2]
    assert found.weights.tolist() == [1, 1, 1]
    assert stratified([], 200, seed=0).rows.tolist() == []


def test_weights_undo_the_strata():
    values = np.r_[np.full(900, 0.1), np.full(100, 0.9)]
    found = stratified(["a"] * 900 + ["b"] * 100, 100, seed=1)
    assert values[found.rows].mean() == pytest.approx(0.5)
    assert np.average(values[found.rows], weights=found.weights) == pytest.approx(values.mean())


def test_the_weighted_mean_has_the_interval_of_statsmodels():
    regression = pytest.importorskip("statsmodels.regression.linear_model")
    random = np.random.default_rng(2)
    values, weights = random.normal(0.2, 1, 40), random.integers(1, 9, 40).astype(float)
    fitted = regression.WLS(values, np.ones(40), weights=weights).fit(cov_type="HC1", use_t=True)
    found = weighted_mean(values, weights, 0.9)
    assert found.estimate.value == pytest.approx(fitted.params[0])
    assert (found.estimate.low, found.estimate.high) == pytest.approx(tuple(fitted.conf_int(0.1)[0]))
    assert found.p == pytest.approx(fitted.pvalues[0])


def test_where_there_is_no_spread_there_is_no_interval():
    assert weighted_mean(np.array([]), np.array([]), 0.95).estimate.value is None
    assert weighted_mean(np.array([0.3]), np.array([2.0]), 0.95).estimate.low is None
    same = weighted_mean(np.full(5, 0.3), np.ones(5), 0.95)
    assert (same.estimate.value, same.estimate.low, same.p) == (pytest.approx(0.3), None, None)
