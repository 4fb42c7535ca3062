"""Two groups compared: shared rows are found, nested groups scaled, what is not known refused."""

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.statistics import (
    mean_score_difference,
    mover_difference,
    overlap_correlation,
    rate_difference,
    share_of,
    tally,
    wilson,
)

NAMES = ("gender/female", "gender/male", "gender")
PAIRS = (("gender/female", "gender/male"), ("gender/female", "gender"))


def simulated(n=600, seed=0):
    random = np.random.default_rng(seed)
    labels, scores = random.integers(0, 2, n), random.random(n)
    groups = random.random((n, 2)) < 0.4
    return labels, scores, np.column_stack([groups, groups.any(axis=1)])


@pytest.fixture(scope="module")
def rows():
    return simulated()


@pytest.fixture(scope="module")
def counted(rows):
    return tally(*rows, NAMES, pairs=PAIRS, thresholds=[0.5])


def of(rate, labels, scores):
    """Numerator and denominator of a rate from rows."""
    flagged = scores >= 0.5
    hit, kept = {
        "tpr": (flagged, labels == 1),
        "fpr": (flagged, labels == 0),
        "fnr": (~flagged, labels == 1),
        "accuracy": (flagged == labels, labels >= 0),
        "precision": (labels == 1, flagged),
        "flagged": (flagged, labels >= 0),
        "base_rate": (labels == 1, labels >= 0),
    }[rate]
    return int((hit & kept).sum()), int(kept.sum())


RATES = ["tpr", "fpr", "fnr", "accuracy", "precision", "flagged", "base_rate"]


@pytest.mark.parametrize("rate", RATES)
def test_overlapping_groups_are_correlated_through_their_shared_rows(rate, rows, counted):
    labels, scores, groups = rows
    female, male = groups[:, 0], groups[:, 1]
    parts = [of(rate, labels[kept], scores[kept]) for kept in (female, male, female & male)]
    expected = mover_difference(
        wilson(*parts[0]), wilson(*parts[1]), overlap_correlation(*parts[0], *parts[1], *parts[2])
    )
    assert rate_difference(counted, rate, 0.5, "gender/female", "gender/male") == expected
    assert share_of(counted.confusion(0.5, "gender/female"), rate) == parts[0]


@pytest.mark.parametrize("second", ["~gender/female", "~gender"])
def test_disjoint_groups_have_no_correlation(second, rows, counted):
    labels, scores, groups = rows
    outside = ~groups[:, 0] if second == "~gender/female" else ~groups[:, 2]
    one, other = (of("fpr", labels[kept], scores[kept]) for kept in (groups[:, 0], outside))
    expected = mover_difference(wilson(*one), wilson(*other))
    assert rate_difference(counted, "fpr", 0.5, "gender/female", second) == expected


@pytest.mark.parametrize("rate", RATES)
def test_a_difference_from_everyone_is_that_of_the_rates(rate, rows, counted):
    labels, scores, groups = rows
    one, whole = of(rate, labels[groups[:, 0]], scores[groups[:, 0]]), of(rate, labels, scores)
    got = rate_difference(counted, rate, 0.5, "gender/female", "")
    assert got.value == pytest.approx(one[0] / one[1] - whole[0] / whole[1], abs=1e-12)
    assert got.low < got.value < got.high


def test_mean_scores_of_overlapping_groups_are_covered():
    covered = 0
    for seed in range(400):
        counted = tally(*simulated(200, seed), NAMES, pairs=PAIRS)
        got = mean_score_difference(counted, "gender/female", "gender/male", 1)
        covered += got.low <= 0 <= got.high
    # Binomial(400, 0.95) lies in [369, 391] but for 1 %.
    assert 369 <= covered <= 391


def test_mean_scores_differ_by_the_difference_of_the_means(rows, counted):
    labels, scores, groups = rows
    kept = labels == 0
    expected = scores[kept & groups[:, 0]].mean() - scores[kept & ~groups[:, 2]].mean()
    got = mean_score_difference(counted, "gender/female", "~gender", 0)
    assert got.value == pytest.approx(expected, abs=1e-7)


def test_a_pair_that_was_not_counted_is_refused(rows):
    with pytest.raises(FairnbError) as raised:
        rate_difference(tally(*rows, NAMES), "tpr", 0.5, "gender/female", "gender/male")
    assert raised.value.code == "pair-not-counted"


def test_an_empty_group_and_a_group_that_is_everyone():
    counted = tally([0, 1], [0.2, 0.8], np.array([[1, 0], [1, 0]]), ("all", "none"))
    assert rate_difference(counted, "tpr", 0.5, "none", "all").value is None
    assert rate_difference(counted, "tpr", 0.5, "all", "").value == 0.0
    assert rate_difference(counted, "tpr", 0.5, "none", "").value is None
    assert mean_score_difference(counted, "none", "all", 1).value is None
