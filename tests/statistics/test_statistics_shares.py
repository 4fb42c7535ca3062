"""Shares with clusters: Wilson's interval at the number of independent rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.proportion import proportion_confint

from fairnb.errors import FairnbError
from fairnb.statistics import clustered_share, clustered_share_p


def test_without_clusters_it_is_wilsons() -> None:
    found = clustered_share([1.0] * 12 + [0.0] * 8, None)
    assert (found.low, found.high) == pytest.approx(proportion_confint(12, 20, method="wilson"))
    assert found.value == 0.6


def test_undecided_rows_count_half() -> None:
    found = clustered_share([1.0, 0.5, 0.5, 0.0], None)
    assert (found.low, found.high) == pytest.approx(proportion_confint(2, 4, method="wilson"))


def test_clusters_that_agree_with_themselves_are_as_many_rows() -> None:
    """By hand: ten clusters, six of ones, so the variance of the mean of ten is 0.24 / 9."""
    values = np.repeat([1.0] * 6 + [0.0] * 4, 5)
    found = clustered_share(values, np.repeat(np.arange(10), 5).tolist())
    independent, z = 0.24 / (0.24 / 9), t.ppf(0.975, 9)
    centre = (0.6 + z * z / (2 * independent)) / (1 + z * z / independent)
    reach = z / (1 + z * z / independent) * math.sqrt(0.24 / independent + z * z / (4 * independent**2))
    assert (found.low, found.high) == pytest.approx((centre - reach, centre + reach))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_at_the_ends_clusters_are_the_rows(value: float) -> None:
    found = clustered_share([value] * 40, [at // 4 for at in range(40)])
    z = t.ppf(0.975, 9)
    assert found.value == value
    assert (found.high if value == 0 else 1 - (found.low or 0)) == pytest.approx(z * z / (10 + z * z))


def test_the_variance_is_that_of_leaving_each_cluster_out() -> None:
    """Clusters of 1, 2 and 5 rows, by hand."""
    values, names = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0], list("abbccccc")
    without = np.array(
        [np.mean([v for v, name in zip(values, names, strict=True) if name != out]) for out in "abc"]
    )
    variance = 2 / 3 * ((without - 5 / 8) ** 2).sum()
    degrees = 64 / (1 + 4 + 25) - 1
    expected = 2 * t.sf(abs(5 / 8 - 0.5) / math.sqrt(variance), degrees)
    assert clustered_share_p(values, names) == pytest.approx(expected)


def test_clusters_that_do_not_differ_have_no_p() -> None:
    assert clustered_share_p([1.0, 0.0] * 6, [at // 2 for at in range(12)]) is None
    assert clustered_share_p([1.0, 0.0], ["a", "a"]) is None
    assert clustered_share_p([], []) is None


def test_a_true_half_is_rejected_about_as_often_as_said_where_sizes_are_very_unequal() -> None:
    draw = np.random.default_rng(5)
    sizes = np.array([50, 40, 20, 20, 10, 10, 8, 6, 4, 4, *([2] * 15), *([1] * 15)])
    names = np.repeat(np.arange(len(sizes)), sizes).tolist()
    rejected = covered = 0
    for _ in range(1000):
        shares = np.repeat(draw.beta(5, 5, len(sizes)), sizes)
        values = (draw.random(len(names)) < shares).astype(float)
        p, found = clustered_share_p(values, names), clustered_share(values, names)
        rejected += p is not None and p < 0.05
        covered += found.low <= 0.5 <= found.high
    assert rejected <= 80
    assert covered >= 925


def test_coverage_holds_where_clusters_differ() -> None:
    draw = np.random.default_rng(4)
    covered = 0
    for _ in range(600):
        sizes = draw.integers(2, 12, 40)
        shares = draw.beta(3, 2, 40)
        values = np.concatenate(
            [draw.random(n) < share for n, share in zip(sizes, shares, strict=True)]
        ).astype(float)
        found = clustered_share(values, np.repeat(np.arange(40), sizes).tolist())
        covered += found.low <= 0.6 <= found.high
    assert 0.92 <= covered / 600 <= 0.98


def test_other_values_and_one_cluster() -> None:
    with pytest.raises(FairnbError) as error:
        clustered_share([0.3], None)
    assert error.value.code == "bad-counts"
    assert clustered_share([], None).value is None
    assert clustered_share([1.0, 0.0], ["a", "a"]).low is None
