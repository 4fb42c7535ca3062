"""ROC, calibration, Brier score and means, against scikit-learn and plain sums."""

import numpy as np
import pytest
from sklearn import metrics

from fairnb.errors import FairnbError
from fairnb.statistics import ece_null, tally


def rows(n=2000, seed=0, decimals=None, dtype=np.float32):
    random = np.random.default_rng(seed)
    scores = random.random(n)
    labels = (random.random(n) < scores).astype(int)
    if decimals is not None:
        scores = scores.round(decimals)
    return labels, scores.astype(dtype)


@pytest.mark.parametrize("decimals", [None, 2, 1])
def test_roc_has_the_vertices_of_sklearn(decimals):
    labels, scores = rows(300, decimals=decimals)
    fpr, tpr, thresholds = metrics.roc_curve(labels, scores.astype(float), drop_intermediate=False)
    curve = tally(labels, scores).roc(points=10**6)
    assert list(curve.fpr) == pytest.approx(fpr.tolist())
    assert list(curve.tpr) == pytest.approx(tpr.tolist())
    assert curve.threshold[0] is None
    assert list(curve.threshold[1:]) == thresholds[1:].tolist()


@pytest.mark.parametrize("shift", [0, 11, 15])
def test_a_thinned_roc_has_true_vertices_at_the_thresholds_it_names(shift):
    labels, scores = rows()
    counted = tally(labels, scores, shift=shift)
    curve = counted.roc(points=50)
    assert len(curve.fpr) <= 50
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    for threshold, fpr, tpr in zip(curve.threshold[1:], curve.fpr[1:], curve.tpr[1:], strict=True):
        flagged = scores.astype(float) >= threshold
        assert tpr == pytest.approx(flagged[labels == 1].mean())
        assert fpr == pytest.approx(flagged[labels == 0].mean())


def test_a_roc_without_a_class_is_empty():
    assert tally([1, 1], [0.2, 0.3]).roc().fpr == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_are_half_open_tenths_of_the_score(dtype):
    scores = np.array([0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0], dtype)
    counted = tally([0, 1, 1, 0, 1, 1, 0, 1], scores).calibration()
    assert [one.n for one in counted] == [2, 1, 0, 1, 0, 1, 0, 1, 0, 2]
    assert [one.positives for one in counted] == [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
    assert counted[0].mean_score == pytest.approx(0.025)
    assert counted[2].mean_score is None
    assert counted[2].observed.value is None
    assert (counted[9].low, counted[9].high) == (0.9, 1.0)


def test_ece_is_the_mean_gap_of_the_bins():
    labels, scores = rows(decimals=3)
    held = np.minimum(np.floor(scores.astype(float) * 10 + 1e-6), 9)
    gaps = [abs((labels - scores.astype(float))[held == k].sum()) for k in range(10)]
    got = tally(labels, scores).ece()
    assert got.value == pytest.approx(sum(gaps) / len(labels), abs=1e-9)
    assert got.low <= got.value <= got.high


def test_ece_of_a_calibrated_system_is_about_what_chance_gives():
    values, nulls = [], []
    for seed in range(100):
        counted = tally(*rows(1000, seed))
        values.append(counted.ece().value)
        nulls.append(ece_null(counted))
    assert np.mean(nulls) == pytest.approx(np.mean(values), rel=0.1)
    assert np.std(nulls) < np.std(values)


def test_ece_of_a_miscalibrated_system_lies_in_its_interval():
    covered = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        scores = random.random(1000)
        # The share of positives is 0.2 + 0.6 p: off by 0.1 on average over a uniform score.
        labels = random.random(1000) < 0.2 + 0.6 * scores
        got = tally(labels.astype(int), scores).ece()
        covered += got.low <= 0.1 <= got.high
    assert covered >= 180


def test_the_interval_of_ece_is_the_same_each_time():
    counted = tally(*rows(500))
    assert counted.ece(seed=7) == counted.ece(seed=7)
    assert counted.ece(seed=7) != counted.ece(seed=8)


def test_brier_has_walds_interval():
    labels, scores = rows()
    losses = (scores.astype(float) - labels) ** 2
    got = tally(labels, scores).brier()
    reach = 1.959963984540054 * losses.std(ddof=1) / np.sqrt(len(losses))
    assert got.value == pytest.approx(metrics.brier_score_loss(labels, scores.astype(float)), abs=1e-12)
    assert [got.low, got.high] == pytest.approx([losses.mean() - reach, losses.mean() + reach], abs=1e-12)


def test_mean_score_has_students_interval():
    from scipy import stats

    labels, scores = rows(30)
    values = scores[labels == 1].astype(float)
    got = tally(labels, scores).mean_score(label=1)
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert got.value == pytest.approx(values.mean())
    assert [got.low, got.high] == pytest.approx(expected)


def test_nothing_to_measure_is_undefined_and_one_row_has_no_interval():
    empty = tally([], [])
    for got in (empty.brier(), empty.ece(), empty.mean_score()):
        assert (got.value, got.low, got.high) == (None, None, None)
        assert got.note
    assert ece_null(empty) is None
    assert all(one.observed.value is None for one in empty.calibration())
    alone = tally([1], [0.25])
    assert (alone.mean_score().value, alone.mean_score().low) == (0.25, None)
    assert alone.brier().value == 0.5625


def test_no_bins_is_a_mistake():
    with pytest.raises(FairnbError, match="0 bins"):
        tally([1], [0.5]).calibration(0)
