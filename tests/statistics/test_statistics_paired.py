"""Paired outcomes against other libraries and published formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from fairnb.errors import FairnbError
from fairnb.statistics import cluster_mean, mcnemar_mid_p, paired_difference, sign_test


@pytest.mark.parametrize(("plus", "minus", "n"), [(12, 4, 40), (0, 0, 10), (7, 0, 7), (409, 527, 943)])
def test_difference_has_the_interval_of_bonett_and_price(plus: int, minus: int, n: int) -> None:
    estimate = paired_difference(plus, minus, n)
    one, other = (plus + 1) / (n + 2), (minus + 1) / (n + 2)
    z = stats.norm.ppf(0.975)
    reach = z * math.sqrt((one + other - (one - other) ** 2) / (n + 2))
    assert estimate.value == (plus - minus) / n
    assert estimate.low == pytest.approx(max(-1, one - other - reach))
    assert estimate.high == pytest.approx(min(1, one - other + reach))


def test_swapping_the_directions_mirrors_the_interval() -> None:
    one, other = paired_difference(9, 3, 50), paired_difference(3, 9, 50)
    assert one.low == pytest.approx(-(other.high or 0))
    assert one.high == pytest.approx(-(other.low or 0))


def test_no_pair_has_no_difference() -> None:
    estimate = paired_difference(0, 0, 0)
    assert estimate.value is None
    assert estimate.note


@pytest.mark.parametrize(("plus", "minus"), [(0, 6), (3, 9), (50, 61), (5, 5)])
def test_sign_test_agrees_with_scipy(plus: int, minus: int) -> None:
    assert sign_test(plus, minus) == pytest.approx(stats.binomtest(plus, plus + minus).pvalue)


def test_ties_alone_have_no_sign_test() -> None:
    assert sign_test(0, 0) is None


@pytest.mark.parametrize(("plus", "minus", "n"), [(3, 3, 5), (-1, 3, 5)])
def test_impossible_counts_are_refused(plus: int, minus: int, n: int) -> None:
    with pytest.raises(FairnbError) as caught:
        paired_difference(plus, minus, n)
    assert caught.value.code == "bad-counts"


def test_clusters_of_one_give_students_interval() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.3, 25)
    found = cluster_mean(values, range(25))
    expected = stats.ttest_1samp(values, 0.0)
    low, high = expected.confidence_interval()
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high))


def test_equal_clusters_give_students_interval_of_their_means() -> None:
    values = np.random.default_rng(4).normal(0.05, 0.2, (12, 7))
    found = cluster_mean(values.ravel(), np.repeat(np.arange(12), 7).tolist())
    expected = stats.ttest_1samp(values.mean(axis=1), 0.0)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.clusters == 12
    assert found.n == 84


def test_unequal_clusters_agree_with_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(9), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    values = rng.normal(0, 0.1, 9)[clusters] + rng.normal(0, 0.1, 45)
    fit = api.OLS(values, np.ones(45)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = cluster_mean(values, clusters.tolist())
    assert found.standard_error == pytest.approx(fit.bse[0])
    assert found.p == pytest.approx(fit.pvalues[0])


def test_interval_is_cut_to_the_range_of_the_values() -> None:
    found = cluster_mean([1.0, 1.0, 0.0], ["a", "b", "c"], bounds=(0.0, 1.0))
    assert found.estimate.high == 1.0
    assert found.estimate.low == 0.0


@pytest.mark.parametrize(
    ("values", "clusters"), [([], []), ([0.2, 0.4], ["a", "a"]), ([0.1] * 5, list("abcde"))]
)
def test_without_spread_between_clusters_there_is_no_interval(
    values: list[float], clusters: list[str]
) -> None:
    found = cluster_mean(values, clusters)
    assert found.estimate.low is None
    assert found.p is None
    assert found.estimate.note


def test_one_cluster_for_each_value() -> None:
    with pytest.raises(FairnbError, match="2 values and 1 clusters"):
        cluster_mean([0.1, 0.2], ["a"])


@pytest.mark.parametrize(("plus", "minus"), [(12, 4), (4, 12), (0, 7), (1, 0), (409, 527)])
def test_mcnemars_mid_p_is_the_exact_p_less_the_probability_of_the_split(plus: int, minus: int) -> None:
    # The library wants the table of pairs; its exact p is that of the binomial law.
    exact = mcnemar([[30, plus], [minus, 20]], exact=True).pvalue
    split = stats.binom.pmf(min(plus, minus), plus + minus, 0.5)
    assert mcnemar_mid_p(plus, minus) == pytest.approx(exact - split)


@pytest.mark.parametrize("each", [0, 1, 25])
def test_mcnemars_mid_p_of_an_even_split_is_one(each: int) -> None:
    assert mcnemar_mid_p(each, each) == 1.0
