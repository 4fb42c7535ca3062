from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairnb.sections import (
    Altai,
    Answers,
    Criteria,
    Finding,
    Measure,
    MeasureKey,
    Result,
    Severity,
    Status,
    questions,
    section_ids,
)
from fairnb.sections._ground_truth import MADE, NEVER, NO_COUNTS, NOT_A_RATE, labels_to_change
from fairnb.sections._questionnaire import Answer, GroundTruth, Stakeholder, crosswalk, reference_of
from fairnb.sections.group_bias import GroupBias
from fairnb.sections.questionnaire import Questionnaire

PARTS = {
    1: ["Human agency and autonomy", "Human oversight"],
    2: [
        "Resilience to attack and security",
        "General safety",
        "Accuracy",
        "Reliability, fall-back plans and reproducibility",
    ],
    3: ["Privacy", "Data governance"],
    4: ["Traceability", "Explainability", "Communication"],
    5: ["Avoidance of unfair bias", "Accessibility and universal design", "Stakeholder participation"],
    6: ["Environmental well-being", "Impact on work and skills", "Impact on society at large or democracy"],
    7: ["Auditability", "Risk management"],
}
"""Sub-sections as the table of contents of the Assessment List has them."""
DOCS = Path(__file__).resolve().parents[2] / "docs"
PLANNED = {"robustness", "privacy", "footprint", "local_explanation", "global_explanation", "questionnaire"}
ACCURACY = Result(
    measures=(
        Measure(measure="accuracy", label="all", value=0.75, low=0.7, high=0.8, level=0.95),
        Measure(measure="f1", subgroup="positive", status=Status.UNDEFINED),
        Measure(measure="f1", subgroup="negative", value=0.5),
        Measure(measure="f1", subgroup="macro", value=0.6),
    )
)


class _View:
    """A small view with answers, and labels as the corpus has them."""

    def __init__(self, view: Any, said: str, labels: dict[str, list[Any]]) -> None:
        self._view = view
        self._said = Answers.model_validate(tomllib.loads(said))
        self._labels = labels

    def answers(self) -> Answers:
        return self._said

    def corpus(self, role: str) -> Any:
        return SimpleNamespace(
            name=role, texts=self._view.texts[role], labels=self._labels.get(role, self._view.answers[role])
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


@dataclass
class Ask:
    """Runs the section."""

    make: Callable[..., Any]

    def __call__(
        self,
        said: str = "",
        *,
        done: dict[tuple[str, str], Result] | None = None,
        texts: dict[str, list[str]] | None = None,
        labels: dict[str, list[Any]] | None = None,
        answers: dict[str, list[int]] | None = None,
        margin: float = 0.05,
    ) -> Result:
        done = {("technical_performance", ""): ACCURACY} if done is None else done
        texts = texts or {}
        view = self.make(
            answers or {role: [0] * len(held) for role, held in texts.items()},
            texts=texts,
            done=done,
            said={"sections": ["engagement", *(name for name, _ in done), "questionnaire", "conclusion"]},
            criteria=Criteria(margin=margin),
        )
        return Questionnaire().run(_View(view, said, labels or {}), Questionnaire.Params())  # type: ignore[arg-type]


@pytest.fixture
def ask(small_view: Callable[..., Any]) -> Ask:
    return Ask(small_view)


def of(result: Result, identity: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in result.facts["questions"] if one["id"] == identity)
    return found


def table(result: Result, title: str) -> Any:
    return next(one for one in Questionnaire().tables(result) if one.title == title)


def answer(**keys: Any) -> str:
    lines = [f"{key} = {value!r}" for key, value in keys.items()]
    return "\n".join(["[answers.accuracy_measured]", *lines])


# ---- the catalogue


def test_the_catalogue_has_the_sub_sections_of_the_assessment_list_and_few_questions_for_each() -> None:
    found: dict[int, list[str]] = {}
    for one in questions():
        parts = found.setdefault(int(one.requirement), [])
        if one.part not in parts:
            parts.append(one.part)
    assert found == PARTS
    numbers = Counter(one.requirement for one in questions())
    assert all(3 <= numbers[requirement] <= 7 for requirement in Altai)
    assert len({one.id for one in questions()}) == len(questions())
    assert all(one.text.endswith("?") and len(one.text) < 120 for one in questions())


def test_sections_that_can_speak_to_a_question_exist() -> None:
    assert {name for one in questions() for name in one.evidence} <= {*section_ids(), *PLANNED}


def test_the_crosswalk_has_each_requirement_once_and_claims_nothing(ask: Ask) -> None:
    assert [row.requirement for row in crosswalk()] == list(Altai)
    shown = table(ask(), "Provisions that the requirements are aligned with")
    assert shown.annex
    assert "Aligned with" in shown.note
    assert "no statement that a provision applies or is met" in shown.note
    words = repr(shown).lower()
    assert "complian" not in words
    assert "conform" not in words
    assert "15(1)(e)" in words
    assert "42(2)(c)" in words


# ---- answers


def test_without_answers_every_question_is_printed_as_unanswered(ask: Ask) -> None:
    result = ask()
    assert {one["state"] for one in result.facts["questions"]} == {"unanswered"}
    assert (
        Questionnaire().statements(result)[0]
        == f"{len(questions())} questions: {len(questions())} unanswered."
    )
    assert all(table(result, f"{int(one)}. {one.title}").annex for one in Altai)
    assert any(limit.startswith("Unanswered: ") for limit in result.limits)
    assert Questionnaire().figures(result) == {}
    assert Result.model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize(
    ("keys", "state", "lacks"),
    [
        ({"answer": "covered", "evidence": "Report of 3 March", "by": "Ada"}, "covered", []),
        ({"answer": "covered", "evidence": "technical_performance:accuracy", "by": "Ada"}, "covered", []),
        ({"answer": "covered", "evidence": "technical_performance", "by": "Ada"}, "covered", []),
        (
            {"answer": "partly", "evidence": "technical_performance:accuracy", "by": "Ada"},
            "partly covered",
            [],
        ),
        ({"answer": "covered", "by": "Ada"}, "claimed without evidence", ["evidence"]),
        ({"answer": "covered", "evidence": "", "by": "Ada"}, "claimed without evidence", ["evidence"]),
        ({"answer": "covered", "evidence": "Report of 3 March"}, "claimed without evidence", ["a name"]),
        ({"answer": "covered", "by": " "}, "claimed without evidence", ["evidence", "a name"]),
        ({"answer": "partly", "by": "Ada"}, "claimed without evidence", ["evidence"]),
        (
            {"answer": "covered", "evidence": "mining:mentions", "by": "Ada"},
            "claimed without evidence",
            ["evidence"],
        ),
        ({"answer": "covered", "evidence": "mining", "by": "Ada"}, "claimed without evidence", ["evidence"]),
        (
            {"answer": "covered", "evidence": "technical_performance:f1:subgroup=positive", "by": "Ada"},
            "claimed without evidence",
            ["evidence"],
        ),
        ({"answer": "not covered"}, "not covered", []),
        ({"answer": "not applicable", "text": "Nobody acts on scores."}, "not applicable", []),
    ],
)
def test_nothing_is_covered_by_saying_so(
    ask: Ask, keys: dict[str, str], state: str, lacks: list[str]
) -> None:
    result = ask(answer(**keys))
    found = of(result, "accuracy_measured")
    assert found["state"] == state
    assert found["lacks"] == lacks
    shown = table(result, "2. Technical robustness and safety")
    assert not shown.annex
    row = next(row for row in shown.rows if row.cells[0] == found["question"])
    assert row.cells[1].startswith(state)
    assert ("lacks" in row.cells[1]) == bool(lacks)
    overview = table(result, "Answers by requirement").rows
    assert [row.cells[0][:1] for row in overview] == [*"1234567", "A"]
    # Six states, each question in one of them.
    for row in overview:
        assert int(row.cells[1]) == sum(int(cell) for cell in row.cells[2:])


def test_measures_named_as_evidence_are_printed_with_their_value(ask: Ask) -> None:
    said = "technical_performance:accuracy", "technical_performance:f1", "mining", "Report of 3 March"
    found = of(
        ask(answer(answer="covered", evidence=list(said), by="Ada", on="2026-03-04")), "accuracy_measured"
    )
    assert [one["found"] for one in found["evidence"]] == [
        "0.750 (0.700 to 0.800)",
        "2 measures",
        "not in this assessment",
        "",
    ]
    assert found["on"] == "2026-03-04"


def test_a_section_that_was_not_applicable_is_no_evidence(ask: Ask) -> None:
    done = {("swap", ""): Result(status="not_applicable", reason="no training corpus")}
    result = ask(answer(answer="covered", evidence="swap", by="Ada"), done=done)
    assert of(result, "accuracy_measured")["state"] == "claimed without evidence"


def test_measures_are_told_apart_by_target(ask: Ask) -> None:
    done = {("technical_performance", "toxic"): ACCURACY, ("technical_performance", "insult"): ACCURACY}
    for keys, found in (("", "2 measures"), (":target=insult", "0.750 (0.700 to 0.800)")):
        said = answer(answer="covered", evidence=f"technical_performance:accuracy{keys}", by="Ada")
        assert of(ask(said, done=done), "accuracy_measured")["evidence"][0]["found"] == found


def test_the_section_s_own_counts_can_be_evidence(ask: Ask) -> None:
    said = answer(answer="partly", evidence="questionnaire:conflicting_texts", by="Ada")
    result = ask(said, texts={"test": ["Silly goose", "Silly goose"]}, labels={"test": [0, 1]})
    assert of(result, "accuracy_measured")["evidence"][0]["found"] == "1"


@pytest.mark.parametrize(
    ("evidence", "parsed"),
    [
        ("swap", ("swap", "", {})),
        ("swap:mean_shift", ("swap", "mean_shift", {})),
        ("swap:mean_shift:variant=to=male;part", ("swap", "mean_shift", {"variant": "to=male;part"})),
        ("https://example.org/report", None),
        ("Report: page 3", None),
        ("", None),
    ],
)
def test_references_are_told_from_sources_in_words(evidence: str, parsed: Any) -> None:
    found = reference_of(evidence)
    assert (found and (found.section, found.measure, dict(found.keys))) == parsed


# ---- ground truth


def test_labels_that_differ_on_the_same_text_are_counted_in_the_corpora(ask: Ask) -> None:
    texts = ["a silly goose", "a silly goose", "bread", "bread", "bread", "rain", "sun", "sun"]
    result = ask(
        texts={"test": texts, "train": ["one", "two"]},
        # Hateful (2) and offensive (1) mean the same to the target; a missing label contradicts nothing.
        labels={"test": [2, 1, 0, 1, 0, 0, 1, None], "train": [0, 1]},
        answers={"test": [1, 1, 0, 1, 0, 0, 1, -1], "train": [0, 1]},
    )
    measure = result.measure("conflicting_texts", label="all", variant="corpus=test")
    assert (measure.value, measure.n) == (2, 2)
    none = result.measure("conflicting_texts", label="all", variant="corpus=train")
    assert (none.value, none.status) == (None, Status.UNDEFINED)
    assert result.facts["corpora"][1] == {
        "role": "test",
        "corpus": "test",
        "labelled": 7,
        "repeated": 2,
        "targets": [["positive", 1]],
    }
    said = Questionnaire().statements(result)
    assert (
        said[1]
        == "No text of the train corpus is labelled more than once: contradictions cannot be seen in it."
    )
    assert (
        said[2]
        == "Of 2 texts of the test corpus that are labelled more than once, 2 (100.0 %) have labels that differ."
    )
    rows = table(result, "Contradictory labels on the same text").rows
    assert rows[1].cells == ("test", "7", "2", "2", "100.0 %", "positive 1")


def test_what_is_stated_of_the_labels_is_printed_and_the_rest_is_not_stated(ask: Ask) -> None:
    said = '[ground_truth]\nlabelled_by = "Crowd workers"\nlabels_per_text = 3\nby = "Ada"\non = 2026-03-04\n'
    rows = dict(row.cells for row in table(ask(said), "Ground truth as stated").rows)
    assert rows == {
        "Who labelled the texts": "Crowd workers",
        "Labels per text": "3",
        "Instructions": "not stated",
        "Agreement": "not stated",
        "Source": "not stated",
        "Stated by": "Ada, 2026-03-04",
    }
    origin = "Who labelled the texts is not stated"
    assert not any(limit.startswith(origin) for limit in ask(said).limits)
    assert any(limit.startswith(origin) for limit in ask().limits)


def by_trying(flagged: int, of_: int, other: Fraction, margin: Fraction) -> int | None:
    """One label after the other, until the difference no longer reaches the margin in its direction."""
    above = Fraction(flagged, of_) > other
    if abs(Fraction(flagged, of_) - other) < margin:
        return 0
    for changed in range(1, of_):
        x, n = (flagged - changed if above else flagged), of_ - changed
        if x < 0 or x > n:
            return None
        gap = Fraction(x, n) - other if above else other - Fraction(x, n)
        if gap < margin:
            return changed
    return None


def small_counts() -> Iterable[tuple[int, int, Fraction]]:
    others = [Fraction(x, n) for n in (1, 2, 7, 20) for x in range(n + 1)]
    return ((x, n, other) for n in range(1, 24) for x in range(n + 1) for other in others)


@pytest.mark.parametrize("margin", [Fraction(1, 20), Fraction(1, 5), Fraction(1, 1000)])
def test_the_formula_gives_what_trying_one_label_after_the_other_gives(margin: Fraction) -> None:
    for flagged, of_, other in small_counts():
        change = labels_to_change(flagged, of_, other, margin)
        assert change.labels == by_trying(flagged, of_, other, margin), (flagged, of_, other)


def test_a_worked_example_of_labels_to_change() -> None:
    # 40 of 100 against 10 %: with k labels changed (40 - k)/(100 - k) < 0.15; k = 29 gives 11/71 = 0.1549, 30 10/70.
    change = labels_to_change(40, 100, Fraction(1, 10), Fraction(1, 20))
    assert (change.labels, change.flagged) == (30, True)
    # 10 of 100 against 40 %: 10/(100 - k) > 0.35; k = 71 gives 0.3448, 72 0.3571.
    change = labels_to_change(10, 100, Fraction(2, 5), Fraction(1, 20))
    assert (change.labels, change.flagged) == (72, False)


def high(key: MeasureKey, severity: Severity = Severity.HIGH) -> Finding:
    return Finding(
        criterion=f"Criterion of {key.measure}",
        severity=severity,
        statement="x.",
        measures=(key,),
        requirement=5,
    )


def rates(
    measure: str, label: str, here: tuple[int, int], there: tuple[int, int], **more: Any
) -> list[Measure]:
    group = {"attribute": "gender", "subgroup": "female", "label": label, "denominator": here[1], **more}
    own, other = here[0] / here[1], there[0] / there[1]
    return [
        Measure(measure=measure, value=own, **group),
        Measure(measure=measure, value=own - other, reference="male", n_reference=there[1], **group),
    ]


def test_high_findings_on_rates_have_the_labels_they_owe(ask: Ask) -> None:
    wrongly = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    rightly = rates("equal_opportunity", "positive", (10, 100), (28, 70))
    found = Result(measures=(*wrongly, *rightly), findings=(high(wrongly[1].key), high(rightly[1].key)))
    result = ask(done={("group_bias", "toxic"): found})
    first, second = (one for one in result.measures if one.measure == "labels_to_change")
    assert first.key == MeasureKey(
        "labels_to_change",
        "gender",
        "female",
        "male",
        "negative",
        "section=group_bias;target=toxic;measure=false_positive_rate",
    )
    assert (first.value, first.denominator, second.value) == (0.30, 100, 0.72)
    title = "Labels that would have to be otherwise for a high finding to vanish"
    shown = table(result, title)
    assert [row.cells[2:] for row in shown.rows] == [
        ("40 of 100 flagged; the others 10.0 %", "30", "30.0 %", "texts that are flagged"),
        ("10 of 100 flagged; the others 40.0 %", "72", "72.0 %", "texts that are not flagged"),
    ]
    assert "Margin 0.05" in shown.note
    assert "at least 30 of 100 labels (30.0 %) were otherwise" in " ".join(Questionnaire().statements(result))
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_a_larger_margin_owes_fewer_labels(ask: Ask) -> None:
    measures = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    done = {("group_bias", "toxic"): Result(measures=tuple(measures), findings=(high(measures[1].key),))}
    result = ask(done=done, margin=0.2)
    # (40 - k)/(100 - k) < 0.3: k = 14 gives 26/86 = 0.302, 15 25/85 = 0.294.
    assert result.facts["changes"][0]["labels"] == 15


@pytest.mark.parametrize(
    ("measures", "reason"),
    [
        (rates("mean_score", "negative", (40, 100), (7, 70)), NOT_A_RATE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), variant="corpus=synthetic"), MADE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), status=Status.CENSUS), MADE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70))[1:], NO_COUNTS),
        # The rate of the record is no count over its denominator.
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), denominator=33), NO_COUNTS),
        (rates("false_positive_rate", "negative", (100, 100), (7, 70)), NEVER),
    ],
)
def test_other_high_findings_say_why_there_is_no_number(
    ask: Ask, measures: list[Measure], reason: str
) -> None:
    done = {("group_bias", ""): Result(measures=tuple(measures), findings=(high(measures[-1].key),))}
    result = ask(done=done)
    shown = table(result, "Labels that would have to be otherwise for a high finding to vanish")
    assert [row.cells[5] for row in shown.rows] == [reason]
    assert all(row.quiet for row in shown.rows)


def test_findings_that_are_not_high_owe_nothing(ask: Ask) -> None:
    measures = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    found = Result(measures=tuple(measures), findings=(high(measures[1].key, Severity.MEDIUM),))
    assert ask(done={("group_bias", ""): found}).facts["changes"] == []


def test_labels_are_counted_from_the_record_of_group_bias(small_view: Callable[..., Any], ask: Ask) -> None:
    # 200 negative texts that mention women, 120 flagged; 200 that mention men, 20 flagged; 100 positive, flagged.
    texts = ["The woman baked bread"] * 200 + ["The man baked bread"] * 200 + ["Silly people"] * 100
    scores = [0.9] * 120 + [0.1] * 80 + [0.9] * 20 + [0.1] * 180 + [0.9] * 100
    view = small_view({"test": [0] * 400 + [1] * 100}, {"test": scores}, {"test": texts})
    found = GroupBias().run(view, GroupBias.Params())
    result = ask(done={("group_bias", "positive"): found})
    change = next(
        one
        for one in result.facts["changes"]
        if one["key"][1:4] == ["gender", "female", "male"] and one["criterion"].startswith("Wrongly")
    )
    assert change["flagged_of"] == [120, 200]
    assert change["other_of"] == [1, 10]
    # (120 - k)/(200 - k) < 0.15: k = 105 gives 15/95 = 0.158, 106 14/94 = 0.149.
    assert change["labels"] == 106


def test_the_conclusion_and_later_sections_are_not_read(ask: Ask) -> None:
    said = answer(answer="covered", evidence="conclusion", by="Ada")
    result = ask(said, done={("conclusion", ""): Result()})
    assert of(result, "accuracy_measured")["state"] == "claimed without evidence"


# ---- stakeholders

MATRIX = """
[[stakeholders]]
name = "People mentioned"
interest = "to be spoken of"
relevance = { 1 = 2, 5 = 3 }

[[stakeholders]]
name = "Moderators"
relevance = { 6 = 0 }
"""


def test_relevance_is_a_table_and_a_figure_with_the_numbers(ask: Ask) -> None:
    result = ask(MATRIX)
    rows = table(result, "Relevance of the requirements for stakeholders").rows
    assert rows[0].cells == ("People mentioned", "to be spoken of", "2", "–", "–", "–", "3", "–", "–")
    assert rows[1].cells == ("Moderators", "not stated", "–", "–", "–", "–", "–", "0", "–")
    plot = Questionnaire().figures(result)["relevance"]
    (axis,) = plot.figure.axes
    assert Counter(text.get_text() for text in axis.texts) == {"–": 11, "2": 1, "3": 1, "0": 1}
    # Grey only, and never so dark that ink on it could not be read.
    for field in axis.patches:
        red, green, blue, _ = field.get_facecolor()
        assert red == green == blue
        # Contrast by the rule of WCAG 2; the ink #1c2430 has a luminance of 0.0172.
        assert (((red + 0.055) / 1.055) ** 2.4 + 0.05) / (0.0172 + 0.05) >= 4.5
    assert plot.alternative == (
        "People mentioned: 2 for Human agency and oversight, 3 for Diversity, non-discrimination and fairness. "
        "Moderators: 0 for Societal and environmental well-being."
    )


# ---- the pages


def test_the_page_lists_every_question_with_its_id() -> None:
    page = (DOCS / "sections" / "questionnaire.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d)\. ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    assert rows == [(one.id, str(int(one.requirement)), one.part, one.text) for one in questions()]


def test_the_example_of_the_page_is_one_that_is_read() -> None:
    page = (DOCS / "sections" / "questionnaire.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    said = Answers.model_validate(tomllib.loads(example))
    assert set(said.answers) <= {one.id for one in questions()}
    assert said.stakeholders[0].relevance["5"] == 3


def test_the_reference_lists_every_key_of_the_file_and_no_other() -> None:
    _, _, below = (
        (DOCS / "reference" / "case-file.md").read_text(encoding="utf-8").partition("# Beside the case file")
    )
    models = {"answers.ID": Answer, "ground_truth": GroundTruth, "stakeholders": Stakeholder}
    keys = {f"{table}.{key}" for table, model in models.items() for key in model.model_fields}
    assert set(re.findall(r"^\| `([\w.]+)` \|", below, re.MULTILINE)) == keys
