"""Intervals and tests against statsmodels and SciPy, and their coverage in simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from statsmodels.stats import multitest, proportion

from fairnb.errors import FairnbError
from fairnb.statistics import (
    Confusion,
    Estimate,
    accuracy,
    benjamini_hochberg,
    f1_interval,
    fisher_mid_p,
    holm,
    mean_of,
    mover_difference,
    overlap_correlation,
    ratio_interval,
    wald_mean,
    welch_difference,
    wilson,
)

Z = 1.959963984540054


def counts(largest=200, smallest=1):
    return st.integers(smallest, largest).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_equals_statsmodels(share, level):
    got = wilson(*share, level)
    low, high = proportion.proportion_confint(*share, 1 - level, method="wilson")
    assert got.value == share[0] / share[1]
    assert [got.low, got.high] == pytest.approx([low, high], abs=1e-12)
    assert 0 <= got.low <= got.value <= got.high <= 1


def test_accuracy_is_wilson_of_the_right_decisions():
    assert accuracy(Confusion(5, 2, 3, 10)) == wilson(15, 20)


@given(counts(), counts())
def test_difference_of_unrelated_groups_is_newcombes(one, other):
    got = mover_difference(wilson(*one), wilson(*other))
    low, high = proportion.confint_proportions_2indep(*one, *other, method="newcomb")
    assert [got.low, got.high] == pytest.approx([low, high], abs=1e-9)
    assert got.method == "mover-wilson"


def test_a_group_against_itself_has_no_difference_and_no_width():
    one = wilson(7, 30)
    same = overlap_correlation(7, 30, 7, 30, 7, 30)
    got = mover_difference(one, one, same)
    assert same == pytest.approx(1)
    # With full correlation what remains is the skewness of Wilson's interval.
    assert got.value == 0
    assert got.high - got.low == pytest.approx(2 * abs(one.high + one.low - 2 * one.value), abs=1e-7)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["a", "b", "ab"])), min_size=1, max_size=60))
def test_correlation_is_that_of_the_shared_rows(drawn):
    flagged = np.array([flag for flag, _ in drawn], float)
    first = np.array(["a" in owner for _, owner in drawn])
    second = np.array(["b" in owner for _, owner in drawn])
    both = first & second
    sizes = first.sum(), second.sum(), both.sum()
    got = overlap_correlation(
        flagged[first].sum(), sizes[0], flagged[second].sum(), sizes[1], flagged[both].sum(), sizes[2]
    )
    if min(sizes) == 0:
        assert got == 0
        return
    p, q = flagged[first].mean(), flagged[second].mean()
    spread = p * (1 - p) / sizes[0] * q * (1 - q) / sizes[1]
    if spread == 0:
        assert got == pytest.approx(sizes[2] / np.sqrt(sizes[0] * sizes[1]))
    else:
        covariance = ((flagged[both] - p) * (flagged[both] - q)).sum() / (sizes[0] * sizes[1])
        assert got == pytest.approx(np.clip(covariance / np.sqrt(spread), -1, 1))


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.6])
def test_differences_of_overlapping_groups_are_covered(shared):
    random = np.random.default_rng(int(shared * 10))
    n, p = 200, 0.3
    covered = 0
    for _ in range(2000):
        both = random.binomial(1, p, int(shared * n))
        a, b = random.binomial(n - len(both), p), random.binomial(n - len(both), p)
        x = both.sum()
        correlation = overlap_correlation(a + x, n, b + x, n, x, len(both))
        got = mover_difference(wilson(a + x, n), wilson(b + x, n), correlation)
        covered += got.low <= 0 <= got.high
    assert 0.935 <= covered / 2000 <= 0.965


def test_a_nested_difference_is_scaled():
    plain = mover_difference(wilson(8, 10), wilson(40, 90))
    nested = mover_difference(wilson(8, 10), wilson(40, 90), scale=0.9)
    # 8 of 10 against 48 of 100: the group is a tenth of everyone.
    assert nested.value == pytest.approx(8 / 10 - 48 / 100)
    assert nested.low == pytest.approx(0.9 * plain.low)


def test_a_difference_with_an_undefined_side_is_undefined():
    got = mover_difference(wilson(1, 2), wilson(0, 0))
    assert (got.value, got.low, got.note) == (None, None, "no row in the denominator")
    bare = Estimate(0.5, None, None, 0.95, "wald-t", "one row has no interval")
    assert mover_difference(bare, wilson(1, 2)).value == 0.0
    assert mover_difference(wilson(1, 2), bare).low is None


def test_welch_equals_scipy():
    random = np.random.default_rng(4)
    a, b = random.random(20), random.random(35) ** 2
    got = welch_difference(mean_of(a, np.ones(20)), mean_of(b, np.ones(35)))
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert [got.low, got.high] == pytest.approx([interval.low, interval.high])
    assert welch_difference(mean_of(a, np.zeros(20)), mean_of(b, np.ones(35))).value is None
    assert welch_difference(mean_of(a[:1], np.ones(1)), mean_of(b, np.ones(35))).low is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_wald_is_cut_to_the_range_of_the_values(values):
    got = wald_mean(mean_of(np.array(values), np.ones(len(values))), student=False)
    reach = Z * np.std(values, ddof=1) / np.sqrt(len(values))
    expected = np.clip([np.mean(values) - reach, np.mean(values) + reach], 0, 1)
    assert [got.low, got.high] == pytest.approx(expected, abs=1e-12)


@given(counts(60), counts(60))
def test_ratio_equals_statsmodels(one, other):
    got = ratio_interval(*one, *other)
    cells = (one[0], one[1] - one[0], other[0], other[1] - other[0])
    if other[0] == 0:
        assert (got.value, got.low, got.high) == (None, None, None)
        assert got.note
        return
    assert got.value == pytest.approx(one[0] / one[1] / (other[0] / other[1]))
    if min(cells) >= 5:
        low, high = proportion.confint_proportions_2indep(*one, *other, method="log", compare="ratio")
        assert got.method == "katz"
        assert [got.low, got.high] == pytest.approx([low, high], rel=1e-9)
        return
    assert got.method == "koopman"
    assert got.low <= got.value <= got.high
    # The limits are where the score test of that ratio has p = 0.05.
    for limit in {got.low, got.high} - {0.0}:
        with np.errstate(all="ignore"):  # statsmodels takes odds on the way, which not every share has
            p = proportion.test_proportions_2indep(
                *one, *other, value=limit, compare="ratio", method="score", correction=False
            ).pvalue
        assert p == pytest.approx(0.05, abs=1e-6)


def test_a_ratio_to_nothing_tells_its_lower_limit():
    assert "lower limit of 3.6" in ratio_interval(5, 5, 0, 10).note
    assert ratio_interval(0, 0, 1, 2).value is None
    assert ratio_interval(0, 10, 0, 10).value is None


CONFUSIONS = st.builds(Confusion, *[st.integers(1, 400)] * 4)
AVERAGES = ["positive", "negative", "macro", "weighted"]


def sklearn_f1(confusion, average):
    labels = np.repeat([1, 0, 1, 0], confusion)
    decided = np.repeat([1, 1, 0, 0], confusion)
    if average in ("positive", "negative"):
        return metrics.f1_score(labels, decided, pos_label=int(average == "positive"))
    return metrics.f1_score(labels, decided, average=average)


@pytest.mark.parametrize("average", AVERAGES)
@given(CONFUSIONS)
def test_f1_equals_sklearn_and_its_interval_the_numeric_delta_method(average, confusion):
    got = f1_interval(confusion, average)

    def f1(counts):
        tp, fp, fn, tn = counts
        positive, negative = 2 * tp / (2 * tp + fp + fn), 2 * tn / (2 * tn + fp + fn)
        share = {"positive": 1, "negative": 0, "macro": 0.5, "weighted": (tp + fn) / sum(counts)}[average]
        return share * positive + (1 - share) * negative

    base = np.array(confusion, float)
    n = base.sum()
    steps = np.eye(4) * 1e-4 * base
    gradient = np.array([(f1(base + h) - f1(base - h)) / (2 * h.sum()) for h in steps])
    covariance = np.diag(base) - np.outer(base, base) / n
    value = sklearn_f1(confusion, average)
    reach = Z * np.sqrt(gradient @ covariance @ gradient) / (value * (1 - value))
    logit = np.log(value / (1 - value))
    assert got.value == pytest.approx(value, abs=1e-12)
    assert [got.low, got.high] == pytest.approx(1 / (1 + np.exp([reach - logit, -reach - logit])), rel=1e-5)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("cells", [(0.5, 0.1, 0.1, 0.3), (0.1, 0.02, 0.03, 0.85), (0.29, 0.01, 0.01, 0.69)])
def test_f1_intervals_cover_the_f1_of_the_population(cells, average):
    random = np.random.default_rng(9)
    truth = sklearn_f1([round(1000 * share) for share in cells], average)
    drawn = [f1_interval(Confusion(*row), average) for row in random.multinomial(300, cells, 2000).tolist()]
    covered = np.mean([one.low <= truth <= one.high for one in drawn])
    assert 0.93 <= covered <= 0.98


@pytest.mark.parametrize("average", AVERAGES)
def test_f1_at_its_ends_and_undefined(average):
    perfect = f1_interval(Confusion(20, 0, 0, 30), average)
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert 0.8 < perfect.low < 1
    wrong = f1_interval(Confusion(0, 20, 30, 0), average)
    assert (wrong.value, wrong.low) == (0.0, 0.0)
    assert 0 < wrong.high < 0.25
    assert f1_interval(Confusion(0, 0, 0, 0), average).value is None


def test_f1_of_a_class_that_never_occurs():
    only_negative = Confusion(0, 0, 0, 10)
    assert f1_interval(only_negative, "positive").value is None
    assert f1_interval(only_negative, "macro").value is None
    assert f1_interval(only_negative, "weighted").value == 1.0
    assert f1_interval(Confusion(0, 0, 5, 5), "positive").value == 0.0


@given(counts(60), counts(60))
def test_mid_p_is_fishers_less_half_of_the_table_seen(one, other):
    hits, n = one[0] + other[0], one[1] + other[1]
    table = [[one[0], one[1] - one[0]], [other[0], other[1] - other[0]]]
    law = stats.hypergeom(n, hits, one[1])
    expected = stats.fisher_exact(table).pvalue - law.pmf(one[0]) / 2 if 0 < hits < n else 1.0
    assert fisher_mid_p(*one, *other) == pytest.approx(expected, abs=1e-9)


def test_mid_p_of_nothing_is_no_p_value():
    assert fisher_mid_p(0, 0, 3, 5) is None


def test_mid_p_of_large_counts_is_quick_and_agrees_with_the_normal_test():
    got = fisher_mid_p(50_300, 100_000, 250_000, 500_000)
    _, expected = proportion.proportions_ztest([50_300, 250_000], [100_000, 500_000])
    assert got == pytest.approx(expected, rel=0.01)


@settings(max_examples=20)
@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=20))
def test_corrections_equal_statsmodels(p_values):
    assert list(holm(p_values)) == pytest.approx(multitest.multipletests(p_values, method="holm")[1].tolist())
    expected = multitest.multipletests(p_values, method="fdr_bh")[1].tolist()
    assert list(benjamini_hochberg(p_values)) == pytest.approx(expected)


def test_what_was_not_tested_is_not_counted():
    assert holm([0.01, None, 0.04]) == pytest.approx((0.02, None, 0.04))
    assert benjamini_hochberg([0.01, None, 0.04]) == pytest.approx((0.02, None, 0.04))
    assert holm([]) == benjamini_hochberg([]) == ()
    assert benjamini_hochberg([None]) == (None,)


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 5), (0, -1)])
def test_impossible_counts_are_told(successes, n):
    for call in (lambda: wilson(successes, n), lambda: ratio_interval(1, 2, successes, n)):
        with pytest.raises(FairnbError) as raised:
            call()
        assert raised.value.code == "bad-counts"


@pytest.mark.parametrize("level", [0.0, 1.0, 95, float("nan")])
def test_an_impossible_level_is_told(level):
    with pytest.raises(FairnbError) as raised:
        wilson(1, 2, level)
    assert raised.value.code == "bad-confidence-level"


@pytest.mark.parametrize(
    ("x1", "n1", "x2", "n2"),
    [
        (30_000, 100_000, 30_400, 100_000),
        (90, 250_000, 1, 300),
        (39_990, 40_000, 79_960, 80_000),
        (7, 12, 9_000, 30_000),
    ],
)
def test_tables_left_out_for_speed_are_those_without_probability(x1: int, n1: int, x2: int, n2: int) -> None:
    whole = stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]]).pvalue
    seen = stats.hypergeom(n1 + n2, x1 + x2, n1).pmf(x1)
    assert fisher_mid_p(x1, n1, x2, n2) == pytest.approx(whole - seen / 2, rel=1e-6)


def test_a_table_beyond_every_floating_point_number_has_no_probability() -> None:
    assert fisher_mid_p(90_000, 100_000, 10_000, 100_000) == 0.0
