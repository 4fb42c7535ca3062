"""The section on counterfactuals: equation (1), shifts over templates and of the set, a synthetic corpus."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairnb.corpus import CorpusSpec, read_corpus
from fairnb.lexicon import LexiconSpec
from fairnb.sections import Criteria, Result, Status
from fairnb.sections.counterfactual import Counterfactual

WOMEN = (
    "woman",
    "women",
    "girl",
    "mother",
    "sister",
    "wife",
    "wives",
    "daughter",
    "lady",
    "ladies",
    "actress",
)


def _score(text: str) -> float:
    """Sentences about women score 0.3 higher, more or less by the template's first letters."""
    low = text.lower()
    wobble = (sum(map(ord, low.split()[-1])) % 7) / 100
    return 0.1 + (0.3 + wobble) * any(word in low for word in WOMEN)


@pytest.fixture
def result(small_view: Callable[..., Any]) -> Result:
    view = small_view({"test": []}, predictor=_score)
    return Counterfactual().run(view, Counterfactual.Params(attributes=("gender",)))


def test_shift_over_templates_and_of_the_set(result: Result) -> None:
    key = {"attribute": "gender", "subgroup": "female", "reference": "male", "label": "negative"}
    general = result.measure("mean_shift", **key)
    exact = result.measure("mean_shift", variant="census", **key)
    assert general.value == exact.value
    assert general.value is not None
    assert 0.3 <= general.value < 0.4
    assert general.clusters is not None
    assert general.clusters >= 12
    assert general.low is not None
    assert exact.low is None
    assert exact.status is Status.CENSUS
    assert (general.family, exact.family) == ("C", "D")


def test_tilt_is_a_finding_though_cb_cancels(result: Result) -> None:
    high = [one for one in result.findings if one.severity == "high"]
    assert {one.measures[0].label for one in high} == {"negative", "positive"}
    assert "about “female” (gender) scored" in high[0].statement
    sum_of = result.measure("cb_sum", attribute="gender", reference="male", label="all")
    parts = [
        result.measure(f"cb_{label}", attribute="gender", reference="male", label=label)
        for label in ("positive", "negative")
    ]
    assert parts[0].value is not None
    assert parts[1].value is not None
    assert parts[0].value < -0.3 < 0.3 < parts[1].value
    # One part cancels the other: the sum tells nothing of either.
    assert sum_of.value == pytest.approx(
        parts[0].value * (parts[0].n or 0) + parts[1].value * (parts[1].n or 0)
    )
    assert abs(sum_of.value) < 0.1 * abs(parts[0].value) * (parts[0].n or 0)


def test_each_finding_is_told_once(result: Result) -> None:
    assert len({one.measures[0] for one in result.findings}) == len(result.findings)
    assert len({m.key for m in result.measures}) == len(result.measures)


def test_all_packaged_attributes_are_declared_and_tested(small_view: Callable[..., Any]) -> None:
    view = small_view({"test": []}, predictor=lambda text: 0.1 + (len(text) % 5) / 50)
    found = Counterfactual().run(view, Counterfactual.Params())
    tested = [one for one in found.candidates if one.family == "C"]
    assert len(tested) == Counterfactual().confirmatory(view, Counterfactual.Params())
    section = Counterfactual()
    assert section.statements(found)
    assert any(not table.annex for table in section.tables(found))
    assert {"means_templates", "shift_templates"} <= set(section.figures(found))
    assert Result.model_validate_json(found.model_dump_json()) == found


OWN = """
attribute = "{attribute}"
reference = "north"
[subgroups.north]
terms = [["northerner", "northerners"], ["northlander", "northlanders"], ["northling", "northlings"]]
[subgroups.south]
terms = [["southerner", "southerners"], ["southlander", "southlanders"], ["southling", "southlings"]]
[subgroups.east]
terms = [["easterner", "easterners"], ["eastlander", "eastlanders"], ["eastling", "eastlings"]]
"""


def _own(attribute: str, negative: int, positive: int) -> str:
    templates = [
        f'[[templates]]\nid = "{label}{n}"\nlabel = "{label}"\ntext = "{{A one}} came {n} times."\n'
        for label, many in (("negative", negative), ("positive", positive))
        for n in range(many)
    ]
    return OWN.format(attribute=attribute) + "".join(templates)


def test_the_templates_of_an_own_file_are_declared_as_they_are_tested(
    small_view: Callable[..., Any], tmp_path: Path
) -> None:
    """Ten negative templates are tested, nine positive ones are not; two subgroups beside the reference."""
    view = small_view({"test": []}, predictor=lambda text: sum(map(ord, text)) % 97 / 100, folder=tmp_path)
    params = Counterfactual.Params(attributes=("gender",), file="own.toml", synthetic=False)
    gender = Counterfactual().confirmatory(view, Counterfactual.Params(attributes=("gender",)))
    for attribute, besides in (("region", gender), ("gender", 0)):
        (tmp_path / "own.toml").write_text(_own(attribute, 10, 9), encoding="utf-8")
        found = Counterfactual().run(view, params)
        tested = [one for one in found.candidates if one.p_adjusted is not None]
        assert Counterfactual().confirmatory(view, params) == besides + 2 == len(tested)
        few = [one for one in found.candidates if "tested from 10" in one.reason]
        assert {one.measures[0].label for one in few} == {"positive"}
        view.criteria = Criteria(min_support=40)
        assert Counterfactual().confirmatory(view, params) == besides
        view.criteria = Criteria()
    (tmp_path / "own.toml").unlink()
    assert Counterfactual().confirmatory(view, params) == 0


def test_recorded_scores_reserve_no_part_of_alpha(small_view: Callable[..., Any]) -> None:
    assert Counterfactual().confirmatory(small_view({"test": []}), Counterfactual.Params()) == 0


def test_without_a_part_of_alpha_no_shift_is_tested(small_view: Callable[..., Any]) -> None:
    view = small_view({"test": []}, predictor=_score, part=0.0)
    found = Counterfactual().run(view, Counterfactual.Params(attributes=("gender",)))
    key = {"attribute": "gender", "subgroup": "female", "reference": "male", "label": "negative"}
    shift = found.measure("mean_shift", **key)
    assert shift.low is not None
    assert (shift.p, shift.p_adjusted) == (None, None)
    assert any("no part of alpha" in sentence for sentence in Counterfactual().statements(found))


def _synthetic() -> tuple[list[str], list[int], list[str], list[float]]:
    texts, labels, clusters, scores = [], [], [], []
    for adjective, label in (("kind", 0), ("nice", 0), ("silly", 1)):
        for skeleton in (f"Being _ is {adjective}.", f"You are a {adjective} _", f"Ada is a {adjective} _"):
            for term in ("gay", "straight", "christian", "dancer"):
                texts.append(skeleton.replace("_", term))
                clusters.append(skeleton)
                labels.append(label)
                scores.append(0.9 if term == "gay" else 0.1)
    return texts, labels, clusters, scores


def test_a_synthetic_corpus_gives_census_findings(small_view: Callable[..., Any]) -> None:
    texts, labels, clusters, scores = _synthetic()
    view = small_view(
        {"synthetic": labels}, {"synthetic": scores}, {"synthetic": texts}, clusters={"synthetic": clusters}
    )
    found = Counterfactual().run(view, Counterfactual.Params())
    shift = found.measure(
        "mean_shift",
        attribute="orientation",
        subgroup="gay",
        reference="straight",
        label="negative",
        variant="corpus=synthetic",
    )
    assert shift.value == pytest.approx(0.8)
    assert shift.status is Status.CENSUS
    assert shift.clusters == 3
    assert shift.p is None
    finding = next(one for one in found.findings if one.measures[0] == shift.key)
    assert finding.severity == "high"
    assert "3 of 3 templates" in finding.statement
    assert "100 % of them were flagged, against 0 %" in finding.statement
    assert not found.candidates
    assert "Templates were not scored" in " ".join(found.limits)
    assert Counterfactual().figures(found)


def test_a_template_that_differs_spoils_the_census(small_view: Callable[..., Any]) -> None:
    texts, labels, clusters, scores = _synthetic()
    scores = [
        0.05 if text.startswith("Ada") and "gay" in text else s for text, s in zip(texts, scores, strict=True)
    ]
    view = small_view(
        {"synthetic": labels}, {"synthetic": scores}, {"synthetic": texts}, clusters={"synthetic": clusters}
    )
    assert not Counterfactual().run(view, Counterfactual.Params()).findings


def test_without_system_and_synthetic_corpus_it_is_not_applicable(small_view: Callable[..., Any]) -> None:
    found = Counterfactual().run(small_view({"test": [0]}), Counterfactual.Params())
    assert found.status == "not_applicable"
    assert found.reason == "recorded scores cannot score new texts"


def test_packaged_templates_are_for_english_cases(small_view: Callable[..., Any], tmp_path: Path) -> None:
    view = small_view(
        {"test": []},
        predictor=_score,
        spec=LexiconSpec(languages=("it",), attributes=("gender",), reference={}),
        folder=tmp_path,
    )
    found = Counterfactual().run(view, Counterfactual.Params())
    assert found.status == "not_applicable"
    assert found.reason.startswith("the packaged templates are English")
    assert Counterfactual().confirmatory(view, Counterfactual.Params()) == 0
    (tmp_path / "own.toml").write_text(_own("gender", 12, 0), encoding="utf-8")
    own = Counterfactual().run(view, Counterfactual.Params(file="own.toml"))
    assert [group["attribute"] for group in own.facts["groups"]] == ["gender"]
    assert own.facts["groups"][0]["templates"] == 12


def test_a_corpus_without_clusters_is_not_compared(small_view: Callable[..., Any]) -> None:
    view = small_view({"synthetic": [0]}, {"synthetic": [0.1]}, {"synthetic": ["a gay man"]})
    assert "cluster column" in Counterfactual().run(view, Counterfactual.Params()).reason


def test_known_sentences_are_compared_in_five_templates(
    small_view: Callable[..., Any], real_data: Path
) -> None:
    folder = real_data / "jigsaw"
    rows = list(csv.DictReader((folder / "bias_madlibs_77k.csv").open(encoding="utf-8")))
    from fairnb.corpus._madlibs import with_clusters

    spec = CorpusSpec(path="bias_madlibs_77k.csv", text="Text", label="Label")
    corpus = with_clusters(read_corpus(spec, folder, "synthetic", columns=("Template",)))
    scores = [0.9 if " gay" in f" {row['Text']}" else 0.1 for row in rows]
    view = small_view(
        {"synthetic": [int(row["Label"] == "BAD") for row in rows]},
        {"synthetic": scores},
        {"synthetic": corpus.texts},
        clusters={"synthetic": corpus.clusters},
        templates={"synthetic": corpus.templates},
    )
    found = Counterfactual().run(view, Counterfactual.Params())
    terms = {one["term"]: one for one in found.facts["terms"]}
    assert terms["gay"]["negative_n"] == 757
    assert terms["gay"]["negative_flagged"] == 757
    assert terms["straight"]["negative_flagged"] == 0
    rows_of = [
        one for one in found.facts["templates"] if one["subgroup"] == "gay" and one["label"] == "negative"
    ]
    assert len(rows_of) == 5
    assert any(one.measures[0].subgroup == "gay" and one.severity == "high" for one in found.findings)
