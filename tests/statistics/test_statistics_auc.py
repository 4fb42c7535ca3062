"""The area under the curve, its variance and interval, against pair-by-pair computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, ndtr
from sklearn import metrics

from fairnb.statistics import auc_delong, tally
from fairnb.statistics._arrays import sum_equal
from fairnb.statistics._auc import mann_whitney
from fairnb.statistics._keys import keys_of

SAMPLE = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]) | st.floats(0, 1, width=16), max_size=40)


def by_pairs(positive, negative):
    """DeLong's variance from all m x n pairs, as its paper writes it."""
    x, y = np.asarray(positive)[:, None], np.asarray(negative)[None, :]
    psi = (x > y) + 0.5 * (x == y)
    value = psi.mean()
    spread = psi.mean(axis=1).var(ddof=1) / psi.shape[0] + psi.mean(axis=0).var(ddof=1) / psi.shape[1]
    return value, spread


def brunner_munzel_degrees(x, y):
    """Satterthwaite's degrees of freedom from mid-ranks, as SciPy's brunnermunzel takes them."""
    ranks = stats.rankdata(np.concatenate([x, y]))
    own = ranks[: len(x)] - stats.rankdata(x), ranks[len(x) :] - stats.rankdata(y)
    weights = own[0].var(ddof=1) * len(x), own[1].var(ddof=1) * len(y)
    top = sum(weights) ** 2
    return top / (weights[0] ** 2 / (len(x) - 1) + weights[1] ** 2 / (len(y) - 1))


def measured(positive, negative):
    samples = [sum_equal(keys_of(np.array(one, float)).astype(np.uint64)) for one in (positive, negative)]
    return mann_whitney(*samples)


@given(SAMPLE, SAMPLE)
def test_value_and_variance_equal_all_pairs(positive, negative):
    got = measured(positive, negative)
    assert (got.positives, got.negatives) == (len(positive), len(negative))
    if min(len(positive), len(negative)) < 2:
        assert got.variance is None
    else:
        value, spread = by_pairs(positive, negative)
        assert got.value == pytest.approx(value, abs=1e-14)
        assert got.variance == pytest.approx(spread, abs=1e-14)


@given(SAMPLE, SAMPLE)
def test_value_equals_sklearn(positive, negative):
    if positive and negative:
        labels = [1] * len(positive) + [0] * len(negative)
        expected = metrics.roc_auc_score(labels, positive + negative)
        assert auc_delong(positive, negative).value == pytest.approx(expected, abs=1e-14)


def test_interval_is_delong_on_the_logit_scale_with_brunner_and_munzels_degrees():
    random = np.random.default_rng(1)
    positive, negative = random.beta(3, 2, 200), random.beta(2, 3, 300)
    value, spread = by_pairs(positive.astype(np.float32), negative.astype(np.float32))
    got = auc_delong(positive.astype(np.float32), negative.astype(np.float32))
    logit = np.log(value / (1 - value))
    x, y = positive.astype(np.float32), negative.astype(np.float32)
    quantile = stats.t.ppf(0.975, brunner_munzel_degrees(x, y))
    reach = quantile * np.sqrt(spread) / (value * (1 - value))
    assert got.method == "delong-logit"
    assert [got.low, got.high] == pytest.approx(1 / (1 + np.exp([reach - logit, -reach - logit])), abs=1e-12)


@pytest.mark.parametrize(
    ("m", "n", "value"), [(8, 12, 0.75), (19, 400, 0.6), (30, 30, 1.0), (5, 5, 0.0), (50, 100, 0.95)]
)
def test_small_or_perfect_samples_take_newcombes_method_5(m, n, value):
    # Positives all alike, a share `value` of negatives below them: the area is that share.
    below = round(value * n)
    positive, negative = [0.5] * m, [0.1] * below + [0.9] * (n - below)
    got = auc_delong(positive, negative)
    assert got.method == "newcombe-5"
    assert got.value == pytest.approx(below / n)

    def spread(theta):
        """Newcombe's variance in its other form: t(1-t)/mn [(2N - 1) - (3N - 3)/((2 - t)(1 + t))]."""
        half = (m + n) / 2
        inner = (2 * half - 1) - (3 * half - 3) / ((2 - theta) * (1 + theta))
        return theta * (1 - theta) / (m * n) * inner

    wider = max(1, by_pairs(positive, negative)[1] / spread(value)) if 0 < value < 1 else 1

    def off(theta):
        return (got.value - theta) ** 2 - 1.959963984540054**2 * wider * spread(theta)

    assert off(got.low) == pytest.approx(0, abs=1e-12)
    assert off(got.high) == pytest.approx(0, abs=1e-12)
    assert got.low <= got.value <= got.high
    assert (got.high == 1) == (got.value == 1)
    assert (got.low == 0) == (got.value == 0)


def test_scores_that_never_differ_have_an_area_of_a_half_and_an_interval():
    got = auc_delong([0.5] * 50, [0.5] * 50)
    assert (got.value, got.method) == (0.5, "newcombe-5")
    assert got.low < 0.5 < got.high


@pytest.mark.parametrize(("labels", "which"), [([0, 0], "positive"), ([1, 1], "negative"), ([], "positive")])
def test_a_missing_class_is_undefined_with_the_reason(labels, which):
    got = tally(labels, [0.5] * len(labels)).auc()
    assert (got.value, got.low, got.high) == (None, None, None)
    assert which in got.note


def test_saturated_scores_keep_their_area():
    random = np.random.default_rng(2)
    labels = random.integers(0, 2, 5000)
    scores = (1 / (1 + np.exp(-(15 + random.normal(0, 1, 5000) + labels)))).astype(np.float32)
    expected = metrics.roc_auc_score(labels, scores.astype(np.float64))
    assert tally(labels, scores).auc().value == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("m", "n"), [(12, 15), (25, 400), (50, 50), (50, 1000)])
@pytest.mark.parametrize(("shift", "spread"), [(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)])
def test_intervals_cover_the_area_of_the_population(shift, spread, m, n):
    random = np.random.default_rng(m * n)
    # P(X > Y) for normal variables of means `shift`, 0 and standard deviations `spread`, 1.
    truth = float(ndtr(shift / np.hypot(spread, 1)))
    covered = 0
    for _ in range(500):
        got = auc_delong(expit(random.normal(shift, spread, m)), expit(random.normal(0, 1, n)))
        covered += got.low <= truth <= got.high
    # Binomial(500, 0.93) is below 453 once in 100; at few rows and high areas discrete intervals over-cover.
    assert covered >= 453
