"""Inequality of benefits and the paper's seven metrics, against worked values and plain sums."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.statistics import (
    Confusion,
    generalised_entropy,
    gini_of_benefits,
    share_of,
    tally,
    wilson,
)


@pytest.fixture(scope="module")
def seven(request):
    return json.loads((request.path.parent.parent / "vectors" / "rai_seven.json").read_text())


def by_pairs(confusion):
    benefits = np.repeat([1, 2, 0, 1], confusion)
    return np.abs(benefits[:, None] - benefits).sum() / (2 * len(benefits) ** 2 * benefits.mean())


@given(st.builds(Confusion, *[st.integers(0, 12)] * 4))
def test_gini_and_entropy_equal_sums_over_all_rows(confusion):
    got = gini_of_benefits(confusion)
    if confusion.n == confusion.fn:
        assert got.value is None
        assert got.note
        assert generalised_entropy(confusion) is None
        return
    assert got.value == pytest.approx(by_pairs(confusion), abs=1e-12)
    assert 0 <= got.low <= got.value <= got.high <= 1
    benefits = np.repeat([1, 2, 0, 1], confusion)
    entropy = ((benefits / benefits.mean()) ** 2 - 1).sum() / (2 * len(benefits))
    assert generalised_entropy(confusion) == pytest.approx(entropy, abs=1e-12)


def test_favourable_benefits_swap_the_errors():
    as_printed, favourable = Confusion(3, 1, 4, 2), Confusion(3, 4, 1, 2)
    assert gini_of_benefits(as_printed, favourable=True) == gini_of_benefits(favourable)
    assert generalised_entropy(as_printed, favourable=True) == generalised_entropy(favourable)


@pytest.mark.parametrize("shares", [(0.2, 0.1, 0.2, 0.5), (0.3, 0.02, 0.02, 0.66), (0.3, 0.0, 0.05, 0.65)])
@pytest.mark.parametrize("n", [100, 1000])
def test_gini_intervals_cover_the_gini_of_the_population(n, shares):
    random = np.random.default_rng(n)
    truth = by_pairs([round(1000 * share) for share in shares])
    drawn = [gini_of_benefits(Confusion(*row)) for row in random.multinomial(n, shares, 2000).tolist()]
    assert 0.935 <= np.mean([one.low <= truth <= one.high for one in drawn]) <= 0.98


@pytest.mark.parametrize("group", ["reference", "protected"])
def test_the_seven_metrics_have_their_worked_values(group, seven):
    rows, cells = seven[group], seven[f"{group}_cells"]
    counted = tally(rows["y"], rows["p"], thresholds=[0.5])
    confusion = counted.confusion(0.5)
    assert confusion._asdict() == {name: cells[name] for name in ("tp", "fp", "fn", "tn")}
    for rate, name in [
        ("tpr", "tpr"),
        ("fpr", "fpr"),
        ("accuracy", "accuracy"),
        ("precision", "ppv"),
        ("flagged", "positive_rate"),
    ]:
        assert wilson(*share_of(confusion, rate)).value == pytest.approx(cells[name], abs=1e-12)
    treatment = wilson(confusion.fn, confusion.errors)
    assert treatment.value == pytest.approx(cells["treatment_share"], abs=1e-12)
    assert gini_of_benefits(confusion).value == pytest.approx(cells["gini"], abs=1e-12)
    assert generalised_entropy(confusion) == pytest.approx(cells["ge2"], abs=1e-12)
    assert counted.mean_flagged(0.5).value == pytest.approx(cells["positive_class_balance"], abs=1e-7)
    actual = counted.mean_score("", 1).value
    assert actual == pytest.approx(cells["positive_class_balance_kleinberg"], abs=1e-7)


@pytest.mark.parametrize("case", ["no_errors", "fp_zero", "all_false_negative", "one_class_negative_only"])
def test_edge_cases_have_their_worked_values(case, seven):
    cells = seven["edge_cases"][case]
    confusion = Confusion(cells["tp"], cells["fp"], cells["fn"], cells["tn"])
    for got, name in [
        (wilson(*share_of(confusion, "tpr")).value, "tpr"),
        (wilson(*share_of(confusion, "fpr")).value, "fpr"),
        (wilson(*share_of(confusion, "precision")).value, "ppv"),
        (wilson(confusion.fn, confusion.errors).value, "treatment_share"),
        (gini_of_benefits(confusion).value, "gini"),
        (generalised_entropy(confusion), "ge2"),
    ]:
        assert got == (None if cells[name] is None else pytest.approx(cells[name], abs=1e-12))
