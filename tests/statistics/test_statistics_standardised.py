"""Rates at a common base rate, means of flagged rows, against worked values, plain sums and simulation."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.statistics import (
    Confusion,
    flagged_mean,
    flagged_mean_difference,
    generalised_entropy,
    gini_of_benefits,
    standardised,
    standardised_flagged_mean,
    tally,
    wilson,
)

RATES = ("accuracy", "precision", "flagged", "error_mix", "gini", "gini_favourable", "generalised_entropy")


@pytest.fixture(scope="module")
def seven(request):
    return json.loads((request.path.parent.parent / "vectors" / "rai_seven.json").read_text())


def confusion_of(cells):
    return Confusion(*(cells[name] for name in ("tp", "fp", "fn", "tn")))


@pytest.mark.parametrize("group", ["reference", "protected"])
def test_the_mix_of_errors_at_one_half_is_that_of_the_rates(seven, group):
    cells = seven[f"{group}_cells"]
    found = standardised(confusion_of(cells), "error_mix", 0.5)
    assert found.value == pytest.approx(cells["treatment_share_rates"], abs=1e-12)


@given(st.builds(Confusion, *[st.integers(0, 30)] * 4))
def test_at_its_own_base_rate_a_group_keeps_its_values(confusion):
    if not confusion.positive or not confusion.negative:
        assert all(standardised(confusion, rate, 0.3).value is None for rate in RATES)
        return
    own = confusion.positive / confusion.n
    expected = {
        "accuracy": confusion.correct / confusion.n,
        "flagged": confusion.flagged / confusion.n,
        "precision": confusion.tp / confusion.flagged if confusion.flagged else None,
        "error_mix": confusion.fn / confusion.errors if confusion.errors else None,
        "gini": gini_of_benefits(confusion).value,
        "gini_favourable": gini_of_benefits(confusion, favourable=True).value,
        "generalised_entropy": generalised_entropy(confusion),
    }
    for rate, value in expected.items():
        found = standardised(confusion, rate, own)
        if value is None:
            assert found.value is None
            assert found.note
            continue
        assert found.value == pytest.approx(value, abs=1e-12), rate
        if rate != "generalised_entropy":
            assert 0 <= found.low <= found.value + 1e-12
            assert found.value - 1e-12 <= found.high <= 1


def test_standardised_values_are_equal_where_only_base_rates_differ():
    # TPR 3/4 and FPR 1/5 in both groups.
    one, other = Confusion(75, 40, 25, 160), Confusion(300, 10, 100, 40)
    for rate in RATES:
        assert standardised(one, rate, 0.4).value == pytest.approx(standardised(other, rate, 0.4).value)
    assert one.tp / one.flagged != pytest.approx(other.tp / other.flagged, abs=0.1)


@pytest.mark.parametrize("base_rate", [0.0, 1.0])
def test_without_a_base_rate_nothing_is_weighted(base_rate):
    assert standardised(Confusion(1, 2, 3, 4), "precision", base_rate).value is None


def test_a_rate_of_zero_keeps_an_interval():
    none_wrong = standardised(Confusion(30, 0, 10, 40), "precision", 0.5)
    assert none_wrong.value == 1.0
    assert 0.8 < none_wrong.low < 1.0
    assert none_wrong.high == 1.0
    no_misses = standardised(Confusion(40, 5, 0, 35), "error_mix", 0.5)
    assert no_misses.value == 0.0
    assert no_misses.low == 0.0
    assert 0.0 < no_misses.high < 0.6


@pytest.mark.parametrize("rate", ["accuracy", "precision", "flagged", "error_mix", "gini"])
def test_intervals_cover_the_value_of_the_population(rate):
    random = np.random.default_rng(5)
    truth = standardised(Confusion(800, 100, 200, 900), rate, 0.35).value
    inside = []
    for _ in range(1500):
        tp, fp = random.binomial(90, 0.8), random.binomial(150, 0.1)
        found = standardised(Confusion(int(tp), int(fp), 90 - int(tp), 150 - int(fp)), rate, 0.35)
        inside.append(found.low <= truth <= found.high)
    assert 0.93 <= np.mean(inside) <= 0.985


def counted(seed=3, n=600):
    random = np.random.default_rng(seed)
    labels = (random.random(n) < 0.4).astype(np.int8)
    scores = np.clip(random.normal(0.3 + 0.35 * labels, 0.25), 0, 1).astype(np.float32)
    groups = random.random((n, 2)) < (0.3, 0.4)
    return labels, scores, groups, tally(labels, scores, groups, ["a", "b"], pairs=[("a", "b")])


def test_mean_of_flagged_rows_is_the_plain_mean():
    labels, scores, groups, held = counted()
    for group, rows in (("", np.ones(len(labels), bool)), ("a", groups[:, 0]), ("~a", ~groups[:, 0])):
        for label in (None, 0, 1):
            kept = rows & (scores >= 0.5) & (True if label is None else labels == label)
            assert flagged_mean(held, 0.5, group, label).value == pytest.approx(
                float(scores[kept].mean(dtype=float)), abs=1e-7
            )


def test_shared_rows_narrow_the_difference_of_flagged_means():
    _, scores, groups, held = counted()
    apart = flagged_mean_difference(held, 0.5, "a", "b")
    joined = flagged_mean_difference(held, 0.5, "a", "b", "a&b")
    above = scores >= 0.5
    means = [scores[above & groups[:, column]].mean(dtype=float) for column in (0, 1)]
    assert joined.value == pytest.approx(means[0] - means[1], abs=1e-7)
    assert joined.high - joined.low < apart.high - apart.low


def test_standardised_flagged_mean_weighs_the_labels():
    labels, scores, _, held = counted()
    above = scores >= 0.5
    tpr, fpr = above[labels == 1].mean(), above[labels == 0].mean()
    weight = 0.7 * tpr / (0.7 * tpr + 0.3 * fpr)
    means = [scores[above & (labels == label)].mean(dtype=float) for label in (0, 1)]
    found = standardised_flagged_mean(held, 0.5, "", 0.7)
    assert found.value == pytest.approx(weight * means[1] + (1 - weight) * means[0], abs=1e-7)
    assert found.low < found.value < found.high


def test_nobody_flagged_has_no_mean():
    held = tally([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.1])
    assert flagged_mean(held, 0.5).value is None
    assert standardised_flagged_mean(held, 0.5, "", 0.5).value is None
    assert wilson(0, 0).value is None
