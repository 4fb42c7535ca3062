"""Subgroup, BPSN and BNSP areas against pair-by-pair computation, scikit-learn and published values."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from fairnb.errors import FairnbError
from fairnb.statistics import average_equality_gap, bias_aucs, power_mean, tally

NAMES = ("a", "b")
ROW = st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]), st.booleans(), st.booleans())


def influences(labels, scores, kept):
    """Value, and what each row moves it by: placements by all pairs, 0 for rows not kept."""
    positive, negative = kept & (labels == 1), kept & (labels == 0)
    psi = (scores[positive][:, None] > scores[negative]) + 0.5 * (
        scores[positive][:, None] == scores[negative]
    )
    value = psi.mean()
    moves = np.zeros(len(labels))
    moves[positive] = (psi.mean(axis=1) - value) / positive.sum()
    moves[negative] = (psi.mean(axis=0) - value) / negative.sum()
    return value, moves


def sets_of(labels, inside):
    return {
        "subgroup": inside,
        "bpsn": (inside & (labels == 0)) | (~inside & (labels == 1)),
        "bnsp": (inside & (labels == 1)) | (~inside & (labels == 0)),
    }


def expected_variance(labels, kept, moves):
    total = 0.0
    for label in (0, 1):
        chosen = kept & (labels == label)
        size = chosen.sum()
        total += (moves[chosen] ** 2).sum() * size / (size - 1)
    return total


def check(labels, scores, groups):
    counted = tally(labels, scores, groups, NAMES)
    found = bias_aucs(counted)
    if len(set(labels)) < 2:
        assert found.overall.value is None
        return
    everyone, base = influences(labels, scores, np.ones(len(labels), bool))
    assert found.overall.value == pytest.approx(everyone, abs=1e-12)
    for column, name in enumerate(NAMES):
        for kind, kept in sets_of(labels, groups[:, column]).items():
            got = getattr(found, kind)[name]
            sizes = [(kept & (labels == label)).sum() for label in (1, 0)]
            assert [got.positives, got.negatives] == sizes
            if min(sizes) == 0:
                assert got.area.value is None
                assert got.difference.value is None
                continue
            value, moves = influences(labels, scores, kept)
            assert got.area.value == pytest.approx(value, abs=1e-12)
            assert got.difference.value == pytest.approx(value - everyone, abs=1e-12)
            if min(sizes) > 1 and min(np.bincount(labels)) > 1:
                spread = expected_variance(labels, kept, moves)
                spread *= expected_variance(labels, np.ones(len(labels), bool), base)
                if spread > 1e-12:
                    correlation = np.clip((moves * base).sum() / np.sqrt(spread), -1, 1)
                    assert got.correlation == pytest.approx(correlation, abs=1e-9)


@given(st.lists(ROW, min_size=1, max_size=40))
def test_areas_and_correlations_equal_all_pairs(drawn):
    labels, scores, *groups = (np.array(column) for column in zip(*drawn, strict=True))
    check(labels.astype(int), scores, np.stack(groups, axis=1))


def simulated(n):
    random = np.random.default_rng(11)
    labels = random.integers(0, 2, n)
    groups = np.stack([random.random(n) < 0.3, random.random(n) < 0.4], axis=1)
    scores = 1 / (1 + np.exp(-(random.normal(0, 1.5, n) + labels + groups[:, 0])))
    return labels, scores.astype(np.float32).astype(float), groups


def test_areas_and_correlations_equal_all_pairs_without_ties():
    check(*simulated(500))


def test_areas_have_the_intervals_of_their_own_rows():
    labels, scores, groups = simulated(400)
    found = bias_aucs(tally(labels, scores, groups, NAMES), ["a"])
    for kind, kept in sets_of(labels, groups[:, 0]).items():
        alone = tally(labels[kept], scores[kept]).auc()
        got = getattr(found, kind)["a"].area
        assert got.value == pytest.approx(metrics.roc_auc_score(labels[kept], scores[kept]), abs=1e-12)
        assert (got.value, got.low, got.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-9)


@pytest.fixture(scope="module")
def borkan(request):
    return json.loads((request.path.parent.parent / "vectors" / "jigsaw_borkan.json").read_text())


@pytest.fixture(scope="module")
def biased(borkan):
    """The public unit test's data, scored by a biased model."""
    data = borkan["biased_dataset"]
    parts = [
        ("background_neg", 0, 0),
        ("subgroup_neg", 0, 1),
        ("background_pos", 1, 0),
        ("subgroup_pos", 1, 1),
    ]
    rows = [(label, score, inside) for name, label, inside in parts for score in data[name]]
    labels, scores, inside = (np.array(column) for column in zip(*rows, strict=True))
    return tally(labels, scores, inside[:, None], ["s"]), data["expected"]


def test_published_areas(biased):
    counted, expected = biased
    found = bias_aucs(counted)
    assert found.overall.value == pytest.approx(expected["overall_auc"], abs=1e-9)
    assert found.subgroup["s"].area.value == pytest.approx(expected["subgroup_auc"], abs=1e-9)
    assert found.bpsn["s"].area.value == pytest.approx(expected["bpsn_auc"], abs=1e-9)
    assert found.bnsp["s"].area.value == pytest.approx(expected["bnsp_auc"], abs=1e-9)


def test_published_equality_gaps(biased):
    counted, expected = biased
    gap = average_equality_gap(counted, "s", 0)
    assert gap.value == pytest.approx(expected["aeg_neg"], abs=1e-9)
    assert gap.low < gap.value < gap.high
    assert average_equality_gap(counted, "s", 1).value == pytest.approx(expected["aeg_pos"], abs=1e-9)


def test_published_power_means_and_final_metric(borkan):
    final = borkan["final_metric"]
    means = {name: power_mean(values, final["p"]) for name, values in final["per_group"].items()}
    assert means == pytest.approx(final["power_means"], abs=1e-12)
    score = 0.25 * final["overall_auc"] + 0.75 * np.mean(list(means.values()))
    assert score == pytest.approx(final["final"], abs=1e-12)
    assert power_mean([0.5, 0.0]) == borkan["edge"]["power_mean_with_zero"]
    assert power_mean(borkan["edge"]["power_mean_equal"][0]) == pytest.approx(0.8)
    assert power_mean([]) is None


def test_a_group_without_a_class_is_undefined_with_the_reason():
    counted = tally([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], np.array([[1], [1], [0], [0]]), ["s"])
    found = bias_aucs(counted)
    assert found.subgroup["s"].area.note == "no scored row is positive"
    assert found.bpsn["s"].area.value == 1.0
    assert average_equality_gap(counted, "s", 1).note == "no scored positive row in the group"
    assert average_equality_gap(counted, "s", 0).note == "no scored negative row outside the group"


def test_an_empty_tally_and_an_unknown_group():
    assert bias_aucs(tally([], [])).overall.value is None
    with pytest.raises(FairnbError) as raised:
        bias_aucs(tally([0, 1], [0.1, 0.9]), ["x"])
    assert raised.value.code == "unknown-group"


def test_differences_of_a_subgroup_from_everyone_are_covered():
    random = np.random.default_rng(12)
    covered = 0
    for _ in range(300):
        labels = random.integers(0, 2, 400)
        inside = random.random(400) < 0.4
        scores = 1 / (1 + np.exp(-(random.normal(0, 1, 400) + labels)))
        got = bias_aucs(tally(labels, scores, inside[:, None], ["s"])).subgroup["s"].difference
        covered += got.low <= 0 <= got.high
    # Binomial(300, 0.95) lies in [275, 295] but for 1 %.
    assert 275 <= covered <= 296
