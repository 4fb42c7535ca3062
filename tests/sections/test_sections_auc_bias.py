"""The section on ranking: published values, scikit-learn by masks, averages beside chance, undefined groups."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics

from fairnb.lexicon import LexiconSpec
from fairnb.sections import Result, section
from fairnb.sections._auc_measures import facing_p
from fairnb.statistics import Estimate, power_mean

WORDS = {"female": "a woman", "male": "a man", "both": "a woman and a man", "none": "nobody at all"}
KINDS = ("subgroup", "bpsn", "bnsp")


def run(view, **params) -> Result:
    part = section("auc_bias")
    return part.run(view, part.Params(**params))


@pytest.fixture(scope="module")
def crowd():
    """2,000 texts; negative texts that mention women are scored far too high."""
    random = np.random.default_rng(9)
    kinds = random.choice(list(WORDS), 2000, p=(0.15, 0.15, 0.1, 0.6))
    labels = (random.random(2000) < 0.4).astype(int)
    logit = random.normal(2.5 * labels - 1.5, 1.0) + np.where((kinds == "female") & (labels == 0), 2.0, 0.0)
    return kinds, labels, np.round(1 / (1 + np.exp(-logit)), 2).astype(np.float32)


@pytest.fixture
def view(crowd, small_view):
    kinds, labels, scores = crowd
    return small_view(
        {"test": labels.tolist()},
        {"test": scores},
        {"test": [WORDS[kind] for kind in kinds]},
        spec=LexiconSpec(attributes=("gender",)),
    )


@pytest.fixture
def found(view):
    return run(view)


@pytest.mark.parametrize("group", ["female", "male"])
def test_areas_are_scikit_learns_by_masks(crowd, found, group):
    kinds, labels, scores = crowd
    inside = np.isin(kinds, (group, "both"))
    masks = {
        "subgroup": inside,
        "bpsn": (inside & (labels == 0)) | (~inside & (labels == 1)),
        "bnsp": (inside & (labels == 1)) | (~inside & (labels == 0)),
    }
    overall = metrics.roc_auc_score(labels, scores)
    everyone = found.measure("overall_auc", label="all")
    assert everyone.value == pytest.approx(overall, abs=1e-9)
    assert everyone.null == 0.5
    for kind, kept in masks.items():
        expected = metrics.roc_auc_score(labels[kept], scores[kept])
        key = {"attribute": "gender", "subgroup": group, "label": "all"}
        assert found.measure(f"{kind}_auc", **key).value == pytest.approx(expected, abs=1e-9)
        difference = found.measure(f"{kind}_auc", reference="overall", **key)
        assert difference.value == pytest.approx(expected - overall, abs=1e-9)
        assert (difference.family, difference.null) == ("E", 0.0)


def test_published_values(vectors, small_view):
    data = json.loads((vectors / "jigsaw_borkan.json").read_text())["biased_dataset"]
    parts = [
        ("background_neg", 0, "none"),
        ("subgroup_neg", 0, "female"),
        ("background_pos", 1, "none"),
        ("subgroup_pos", 1, "female"),
    ]
    rows = [(label, score, WORDS[kind]) for name, label, kind in parts for score in data[name]] * 7
    labels, scores, texts = zip(*rows, strict=True)
    view = small_view(
        {"test": labels}, {"test": scores}, {"test": texts}, spec=LexiconSpec(attributes=("gender",))
    )
    found = run(view)
    expected = data["expected"]
    key = {"attribute": "gender", "subgroup": "female"}
    for kind in KINDS:
        assert found.measure(f"{kind}_auc", label="all", **key).value == pytest.approx(
            expected[f"{kind}_auc"], abs=1e-9
        )
    assert found.measure("overall_auc", label="all").value == pytest.approx(expected["overall_auc"], abs=1e-9)
    for name, short in (("negative", "neg"), ("positive", "pos")):
        gap = found.measure(f"aeg_{name}", label=name, **key)
        assert gap.value == pytest.approx(expected[f"aeg_{short}"], abs=1e-9)


def test_averages_are_power_means_with_their_value_by_chance(found):
    areas = {
        kind: [
            found.measure(f"{kind}_auc", attribute="gender", subgroup=group, label="all").value
            for group in ("female", "male")
        ]
        for kind in KINDS
    }
    overall = found.measure("overall_auc", label="all").value
    means = {kind: power_mean(areas[kind], -5) for kind in KINDS}
    for kind in KINDS:
        measure = found.measure(f"bias_auc_{kind}", label="all")
        assert measure.value == pytest.approx(means[kind])
    assert found.measure("bias_auc", label="all").value == pytest.approx((overall + sum(means.values())) / 4)
    every = [value for values in areas.values() for value in values]
    assert found.measure("ami_score_b", label="all").value == pytest.approx((overall + np.mean(every)) / 2)
    law = found.measure("bias_auc_bpsn", label="all", variant="null")
    assert found.measure("bias_auc_bpsn", label="all").null == law.value
    assert found.measure("bias_auc_bpsn", label="all").value < law.low < law.value < law.high
    assert law.value == pytest.approx(overall, abs=0.01)


def test_what_stands_out_is_an_observation_in_plain_words(found):
    finding = found.findings[0]
    assert {one.severity for one in found.findings} == {"observation"}
    assert any(
        one.measures[0].measure == "bpsn_auc" and one.measures[0].subgroup == "female"
        for one in found.findings
    )
    assert finding.statement in section("auc_bias").statements(found)
    assert any(
        "Negative texts that mention “female” (gender) are told worse" in one.statement
        for one in found.findings
    )
    gap = found.measure("aeg_negative", attribute="gender", subgroup="female", label="negative")
    assert gap.value > 0.2
    assert gap.p_adjusted < 0.001


def test_averages_have_the_bias_corrected_interval_of_resamples(crowd, view, found):
    """Scikit-learn's areas of 200 resamples: ends as far apart as their own noise allows."""
    kinds, labels, scores = crowd
    random = np.random.default_rng(1)
    law = []
    for _ in range(200):
        rows = random.integers(0, len(labels), len(labels))
        y, s = labels[rows], scores[rows]
        kept = []
        for group in ("female", "male"):
            inside = np.isin(kinds[rows], (group, "both"))
            kept += [
                inside,
                (inside & (y == 0)) | (~inside & (y == 1)),
                (inside & (y == 1)) | (~inside & (y == 0)),
            ]
        areas = [metrics.roc_auc_score(y[mask], s[mask]) for mask in kept]
        law.append((metrics.roc_auc_score(y, s) + np.mean(areas)) / 2)
    score = found.measure("ami_score_b", label="all")
    # Score B leans little: the correction is small.
    assert (score.low, score.high) == pytest.approx(np.quantile(law, [0.025, 0.975]), abs=0.01)
    assert (score.interval, score.level) == ("bootstrap-bc", 0.95)
    assert score.method.endswith("; 1000 resamples of texts")
    assert score.low < score.value < score.high
    view.clusters = {"test": [f"author {row // 40}" for row in range(2000)]}
    clustered = run(view).measure("ami_score_b", label="all")
    assert clustered.method.endswith("resamples of clusters of texts")
    assert clustered.value == score.value
    assert clustered.low != score.low


def test_groups_without_both_classes_are_named_and_never_averaged(small_view):
    kinds = ["female"] * 40 + ["male"] * 20 + ["none"] * 140
    labels = [0, 1] * 20 + [1] * 20 + [0, 1] * 70
    random = np.random.default_rng(3)
    view = small_view(
        {"test": labels},
        {"test": random.random(200)},
        {"test": [WORDS[kind] for kind in kinds]},
        spec=LexiconSpec(attributes=("gender",)),
    )
    found = run(view)
    male = found.measure("subgroup_auc", attribute="gender", subgroup="male", label="all")
    assert (male.value, male.status) == (None, "undefined")
    average = found.measure("bias_auc_subgroup", label="all")
    female = found.measure("subgroup_auc", attribute="gender", subgroup="female", label="all")
    assert average.value == pytest.approx(female.value)
    assert average.note.startswith("over 1 of 2 groups")
    assert "male" in average.note
    summary = next(table for table in section("auc_bias").tables(found) if "average" in table.title)
    assert summary.rows[0].cells[-1] == "1 of 2"
    assert summary.rows[4].cells[0] == "Score B: half overall, half mean of all areas; over 1 of 2"
    assert "Score B is not that of the AMI task" in summary.note
    assert "over 1 of 2 groups" in found.measure("ami_score_b", label="all").method


@pytest.mark.parametrize(
    ("labels", "texts"),
    [([0] * 40, ["a woman", "nobody"] * 20), ([0, 1] * 20, ["nobody"] * 40), ([0, 1] * 3, ["a woman"] * 6)],
)
def test_nothing_to_rank(small_view, labels, texts):
    view = small_view({"test": labels}, {"test": np.linspace(0, 1, len(labels))}, {"test": texts})
    found = run(view)
    part = section("auc_bias")
    assert found.measure("bias_auc", label="all").value is None
    assert found.measure("bias_auc", label="all").note
    assert part.statements(found)
    assert part.tables(found)
    part.figures(found)
    assert found.limits


def test_no_lexicon_leaves_the_overall_area(small_view, monkeypatch):
    from fairnb.lexicon import Lexicon

    view = small_view({"test": [0, 1] * 30}, {"test": [0.2, 0.7] * 30}, {"test": ["a woman"] * 60})
    monkeypatch.setattr(type(view), "lexicon", property(lambda _: Lexicon(by_language={})))
    found = run(view)
    assert found.measure("overall_auc", label="all").value == 1.0
    assert "names no group" in found.limits[0]
    assert section("auc_bias").tables(found) == []


def test_no_corpus_of_that_role(view):
    assert run(view, corpus="synthetic") == Result(status="not_applicable", reason="no synthetic corpus")


def test_keys_are_unique_and_every_row_rests_on_measures(found):
    keys = [measure.key for measure in found.measures]
    assert len(keys) == len(set(keys))
    part = section("auc_bias")
    printed = {key for table in part.tables(found) for row in table.rows for key in row.measures}
    assert printed <= set(keys)
    again = Result.model_validate_json(found.model_dump_json())
    assert again == found
    assert part.tables(again) == part.tables(found)
    plot = part.figures(again)["areas"]
    assert "gender: female" in plot.alternative


def test_p_faces_zero():
    assert facing_p(Estimate(-0.1, -0.2, 0.0, 0.95, "x")) == pytest.approx(0.05)
    assert facing_p(Estimate(0.1, 0.05, 0.3, 0.95, "x")) == pytest.approx(8.9e-5, rel=0.01)
    assert facing_p(Estimate(None, None, None, 0.95, "x", "why")) is None
