"""Permuting who belongs to a group within a label: tests of means, and areas by chance alone."""

import numpy as np
import pytest
from scipy import stats

from fairnb.statistics import bias_aucs, bias_aucs_null, permutation_p, scores_apart, tally


def counts_of(values):
    scores, counts = np.unique(values, return_counts=True)
    return scores.astype(float), counts


@pytest.mark.parametrize(("small", "large"), [(12, 300), (80, 300)])
def test_p_is_that_of_scipys_permutation_test(small, large):
    random = np.random.default_rng(11)
    one, other = random.beta(2, 5, small) + 0.06, random.beta(2, 5, large)
    expected = stats.permutation_test(
        (one, other), lambda x, y, axis: np.abs(x.mean(axis=axis) - y.mean(axis=axis)),
        vectorized=True, n_resamples=9_999, alternative="greater", rng=np.random.default_rng(1),
    ).pvalue  # fmt: skip
    assert permutation_p(counts_of(one), counts_of(other)) == pytest.approx(expected, abs=0.02)


def test_p_is_uniform_where_membership_is_by_chance():
    random = np.random.default_rng(2)
    values = []
    for _ in range(400):
        rows = random.random(200)
        values.append(permutation_p(counts_of(rows[:15]), counts_of(rows[15:]), draws=199, seed=len(values)))
    assert 0.02 <= np.mean(np.array(values) <= 0.05) <= 0.085


def test_equal_scores_and_empty_groups():
    same = counts_of([0.5] * 9)
    assert permutation_p(same, same) == 1.0
    assert permutation_p(same, (np.zeros(0), np.zeros(0, np.int64))) is None


def test_rows_of_both_groups_are_left_out():
    labels = np.array([1, 1, 1, 1, 0])
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    groups = np.array([[1, 0], [1, 1], [0, 1], [0, 0], [1, 1]], bool)
    held = tally(labels, scores, groups, ["a", "b"], pairs=[("a", "b")])
    (one, _), (other, _) = scores_apart(held, "a", "b", 1)
    assert one == pytest.approx([0.1])
    assert other == pytest.approx([0.3])
    (inside, _), (outside, _) = scores_apart(held, "a", "~a", 1)
    assert inside == pytest.approx([0.1, 0.2])
    assert outside == pytest.approx([0.3, 0.4])


def test_areas_by_chance_centre_on_the_overall_area_and_have_the_spread_of_redrawn_groups():
    random = np.random.default_rng(4)
    n = 1500
    labels = (random.random(n) < 0.4).astype(np.int8)
    scores = np.clip(random.normal(0.35 + 0.3 * labels, 0.2), 0, 1).astype(np.float32)
    inside = random.random(n) < 0.08
    held = tally(labels, scores, inside[:, None], ["g"])
    law = bias_aucs_null(held, ["g"], draws=400)
    overall = bias_aucs(held).overall.value
    # The same by shuffling membership within the labels and counting anew.
    again = {"subgroup": [], "bpsn": [], "bnsp": []}
    for _ in range(300):
        shuffled = inside.copy()
        for label in (0, 1):
            shuffled[labels == label] = random.permutation(shuffled[labels == label])
        found = bias_aucs(tally(labels, scores, shuffled[:, None], ["g"]))
        for kind, values in again.items():
            values.append(getattr(found, kind)["g"].area.value)
    for kind, values in again.items():
        assert law[kind].shape == (400, 1)
        assert law[kind].mean() == pytest.approx(overall, abs=0.01)
        assert law[kind].std() == pytest.approx(np.std(values), rel=0.2)
