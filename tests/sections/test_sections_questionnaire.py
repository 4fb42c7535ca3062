from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fairnb.sections import (
    Altai,
    Answers,
    Measure,
    Result,
    Status,
    questions,
    section_ids,
)
from fairnb.sections._questionnaire import Answer, GroundTruth, Stakeholder, crosswalk, reference_of
from fairnb.sections._register import Added, Entry
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


RAN = {("technical_performance", ""): ACCURACY}


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


def test_the_crosswalk_has_each_requirement_once_and_claims_nothing(ask: Any) -> None:
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


def test_without_answers_every_question_is_printed_as_unanswered(ask: Any) -> None:
    result = ask()
    assert {one["state"] for one in result.facts["questions"]} == {"unanswered"}
    assert (
        Questionnaire().statements(result)[0]
        == f"{len(questions())} questions: {len(questions())} unanswered."
    )
    assert all(table(result, f"Answers on requirement {int(one)}. {one.title}").annex for one in Altai)
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
    ask: Any, keys: dict[str, str], state: str, lacks: list[str]
) -> None:
    result = ask(answer(**keys), done=RAN)
    found = of(result, "accuracy_measured")
    assert found["state"] == state
    assert found["lacks"] == lacks
    shown = table(result, "Answers on requirement 2. Technical robustness and safety")
    assert not shown.annex
    row = next(row for row in shown.rows if row.cells[0] == found["question"])
    assert row.cells[1].startswith(state)
    assert ("lacks" in row.cells[1]) == bool(lacks)
    overview = table(result, "Answers by requirement").rows
    assert [row.cells[0][:1] for row in overview] == [*"1234567", "A"]
    # Six states, each question in one of them.
    for row in overview:
        assert int(row.cells[1]) == sum(int(cell) for cell in row.cells[2:])


def test_measures_named_as_evidence_are_printed_with_their_value(ask: Any) -> None:
    said = "technical_performance:accuracy", "technical_performance:f1", "mining", "Report of 3 March"
    found = of(
        ask(answer(answer="covered", evidence=list(said), by="Ada", on="2026-03-04"), done=RAN),
        "accuracy_measured",
    )
    assert [one["found"] for one in found["evidence"]] == [
        "0.750 (0.700 to 0.800)",
        "2 measures",
        "not in this assessment",
        "",
    ]
    assert found["on"] == "2026-03-04"


def test_a_section_that_was_not_applicable_is_no_evidence(ask: Any) -> None:
    done = {("swap", ""): Result(status="not_applicable", reason="no training corpus")}
    result = ask(answer(answer="covered", evidence="swap", by="Ada"), done=done)
    assert of(result, "accuracy_measured")["state"] == "claimed without evidence"


def test_measures_are_told_apart_by_target(ask: Any) -> None:
    done = {("technical_performance", "toxic"): ACCURACY, ("technical_performance", "insult"): ACCURACY}
    for keys, found in (("", "2 measures"), (":target=insult", "0.750 (0.700 to 0.800)")):
        said = answer(answer="covered", evidence=f"technical_performance:accuracy{keys}", by="Ada")
        assert of(ask(said, done=done), "accuracy_measured")["evidence"][0]["found"] == found


def test_the_section_s_own_counts_can_be_evidence(ask: Any) -> None:
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


def test_the_conclusion_and_later_sections_are_not_read(ask: Any) -> None:
    said = answer(answer="covered", evidence="conclusion", by="Ada")
    result = ask(said, done={("conclusion", ""): Result()})
    assert of(result, "accuracy_measured")["state"] == "claimed without evidence"


def test_a_value_of_too_few_texts_is_no_evidence(ask: Any) -> None:
    few = Measure(measure="accuracy", label="all", value=0.75, status=Status.TOO_FEW)
    said = answer(answer="covered", evidence="technical_performance:accuracy", by="Ada")
    result = ask(said, done={("technical_performance", ""): Result(measures=(few,))})
    told = of(result, "accuracy_measured")
    assert (told["state"], told["lacks"]) == ("claimed without evidence", ["evidence"])
    assert told["evidence"][0]["found"] == "without a value in this assessment"


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


def test_relevance_is_a_table_and_a_figure_with_the_numbers(ask: Any) -> None:
    result = ask(MATRIX)
    rows = table(result, "Relevance of the requirements for stakeholders").rows
    assert rows[0].cells == ("People mentioned", "to be spoken of", "2", "–", "–", "–", "3", "–", "–")
    assert rows[1].cells == ("Moderators", "not stated", "–", "–", "–", "–", "–", "0", "–")
    plot = Questionnaire().figures(result)["relevance"]
    (axis,) = plot.figure.axes
    assert Counter(text.get_text() for text in axis.texts) == {"–": 11, "2": 1, "3": 1, "0": 1}
    # The number of each field stands in its stakeholder's row and its requirement's column.
    names = {
        tick: label.get_text() for tick, label in zip(axis.get_yticks(), axis.get_yticklabels(), strict=True)
    }
    given = {
        (names[text.get_position()[1]], text.get_position()[0] + 0.5): text.get_text()
        for text in axis.texts
        if text.get_text() != "–"
    }
    assert given == {("People mentioned", 1): "2", ("People mentioned", 5): "3", ("Moderators", 6): "0"}
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
    models = {
        "answers.ID": Answer,
        "ground_truth": GroundTruth,
        "stakeholders": Stakeholder,
        "findings.ID": Entry,
        "added": Added,
    }
    keys = {f"{table}.{key}" for table, model in models.items() for key in model.model_fields}
    named = re.findall(r"^\| (`[\w.]+`(?:, `[\w.]+`)*) \|", below, re.MULTILINE)
    assert sorted(key for cell in named for key in re.findall(r"[\w.]+", cell)) == sorted(keys)
