"""Areas of weighted rows against scikit-learn's, and the law of their resamples."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from fairnb.statistics import bias_corrected, ranked_rows, resampled_areas, tally
from fairnb.statistics._bootstrap import weighted_areas


@pytest.fixture
def drawn():
    """600 rows with ties, rows without a label or a score, and three groups that overlap."""
    random = np.random.default_rng(4)
    labels = (random.random(600) < 0.4).astype(np.int8)
    scores = np.round(np.clip(random.normal(0.4 + 0.2 * labels, 0.2), 0, 1), 2)
    labels[:20] = -1
    scores[20:40] = np.nan
    return labels, scores, random.random((600, 3)) < 0.2


def test_weighted_areas_are_scikit_learns(drawn):
    labels, scores, members = drawn
    rows = ranked_rows(labels, scores, sparse.csr_array(members))
    random = np.random.default_rng(5)
    known = np.flatnonzero((labels >= 0) & ~np.isnan(scores))
    order = known[np.argsort(scores[known], kind="stable")]
    weights = random.integers(0, 4, (3, len(order))).astype(float)
    found = weighted_areas(rows, weights)
    for replicate, weight in enumerate(weights):
        y, s = labels[order], scores[order]
        assert found["overall"][replicate] == pytest.approx(roc_auc_score(y, s, sample_weight=weight))
        for group in range(3):
            inside = members[order, group]
            masks = {
                "subgroup": inside,
                "bpsn": (inside & (y == 0)) | (~inside & (y == 1)),
                "bnsp": (inside & (y == 1)) | (~inside & (y == 0)),
            }
            for kind, kept in masks.items():
                expected = roc_auc_score(y[kept], s[kept], sample_weight=weight[kept])
                assert found[kind][replicate, group] == pytest.approx(expected)


def test_an_area_without_weight_on_one_side_is_undefined(drawn):
    labels, scores, members = drawn
    rows = ranked_rows(labels, scores, members)
    weights = np.ones((1, len(rows.tie)))
    weights[0, rows.groups[0]] = 0
    found = weighted_areas(rows, weights)
    assert np.isnan(found["subgroup"][0, 0])
    assert np.isfinite(found["subgroup"][0, 1])


def test_the_spread_of_resamples_is_delongs(drawn):
    labels, scores, members = drawn
    areas = resampled_areas(ranked_rows(labels, scores, members), seed=1)
    assert areas["overall"].shape == (1000,)
    assert areas["bpsn"].shape == (1000, 3)
    estimate = tally(labels, scores, None, ()).auc()
    low, high = np.quantile(areas["overall"], [0.025, 0.975])
    assert (low, high) == pytest.approx((estimate.low, estimate.high), abs=0.01)


def test_whole_clusters_are_drawn(drawn):
    """Rows given four times over, as clusters: the same law as of single rows, not half its width."""
    labels, scores, members = drawn
    alone = resampled_areas(ranked_rows(labels, scores, members), seed=2)["overall"]
    again = [np.repeat(one, 4, axis=0) for one in drawn]
    clusters = [f"author {row // 4}" for row in range(2400)]
    together = resampled_areas(ranked_rows(*again, clusters), seed=2)["overall"]
    naive = resampled_areas(ranked_rows(*again), seed=2)["overall"]
    assert together.std() == pytest.approx(alone.std(), rel=0.1)
    assert naive.std() == pytest.approx(alone.std() / 2, rel=0.1)


@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_the_bias_corrected_interval_is_efrons(tilt):
    """Efron's formula in SciPy's normal law."""
    random = np.random.default_rng(3)
    law = random.normal(1.0, 0.1, 4000) ** 3
    value = float(np.quantile(law, 0.5 + tilt))
    low, high = bias_corrected(value, law.tolist(), 0.9)
    shift = norm.ppf((law < value).mean())
    expected = np.quantile(law, norm.cdf(2 * shift + norm.ppf([0.05, 0.95])))
    assert (low, high) == pytest.approx(expected, abs=1e-3)
    assert low <= value <= high


def test_a_value_beyond_all_resamples_has_an_interval():
    law = np.linspace(0.5, 0.7, 1000).tolist()
    assert bias_corrected(2.0, law, 0.95) == pytest.approx((0.7, 2.0), abs=0.001)
    assert bias_corrected(0.1, law, 0.95) == pytest.approx((0.1, 0.5), abs=0.001)


def test_resamples_follow_the_seed(drawn):
    rows = ranked_rows(*drawn)
    one, same, other = (resampled_areas(rows, resamples=20, seed=seed)["bnsp"] for seed in (7, 7, 8))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.bench
def test_four_thousand_texts_and_twenty_groups_take_less_than_three_seconds():
    random = np.random.default_rng(0)
    labels = (random.random(4000) < 0.4).astype(np.int8)
    rows = ranked_rows(labels, random.random(4000), random.random((4000, 20)) < 0.1)
    start = time.perf_counter()
    resampled_areas(rows)
    assert time.perf_counter() - start < 3
