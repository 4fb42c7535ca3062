"""Tables of the conclusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Altai
from fairnb.sections._format import count
from fairnb.sections._mitigation import sources
from fairnb.sections._questionnaire_judged import State
from fairnb.sections._registry import section, section_ids
from fairnb.sections._shown import Column, Row, Table

if TYPE_CHECKING:
    from fairnb.sections._result import Result

_ANSWERED = (State.COVERED, State.PARTLY)


def shown_tables(result: Result) -> Iterator[Table]:
    """What was and was not assessed, the seven requirements, and what can be done about the findings."""
    facts = result.facts
    yield _assessed(facts["sections"])
    yield _coverage(facts["coverage"])
    if facts["mitigation"]:
        yield _options(facts["mitigation"], len(result.findings))


def _assessed(sections: Sequence[Mapping[str, Any]]) -> Table:
    reasoned = any(one["reason"] for one in sections)
    columns = [Column("Section"), Column("State"), Column("Measures", "number")]
    rows = []
    for one in sections:
        cells = [one["title"], one["state"], count(one["measures"]) if one["measures"] else "–"]
        if reasoned:
            cells.append(one["reason"] or "–")
        rows.append(Row(tuple(cells), quiet=not one["done"]))
    if reasoned:
        columns.append(Column("Why, in the assessor’s words", "words"))
    return Table(
        "What was and was not assessed",
        tuple(columns),
        tuple(rows),
        note="A section that was not run, or could not be, says nothing for or against the system.",
    )


def _coverage(rows: Sequence[Mapping[str, Any]]) -> Table:
    asked = any(row["answers"] for row in rows)
    columns = [
        Column("Requirement"),
        Column("Measured by"),
        Column("Stated only"),
        Column("Questions answered"),
    ]
    return Table(
        "Coverage of the seven requirements",
        (*columns, Column("In short")),
        tuple(
            Row(
                (
                    f"{row['requirement']}. {Altai(row['requirement']).title}",
                    ", ".join(row["measured"]) or "–",
                    ", ".join(row["stated"]) or "–",
                    _answers(row["answers"]),
                    (said := in_short(row)),
                ),
                quiet=said == "not assessed",
            )
            for row in rows
        ),
        note=(
            "A section covers a part of its requirement, never the whole; one that only states what the case file "
            "says is no evidence. "
            + (
                "Answers are the assessor’s; covered and partly covered need evidence and a name."
                if asked
                else "No question on the requirements was put: the notebook has no section for them, or it was not run."
            )
        ),
    )


def in_short(row: Mapping[str, Any]) -> str:
    """Whether anything in the assessment speaks to a requirement: never more than that."""
    answers = {state: number for state, number in row["answers"].items() if number}
    settled = {*_ANSWERED[:1], State.NOT_APPLICABLE}
    if answers and set(answers) <= settled and State.COVERED in answers:
        return "every question covered"
    if row["measured"]:
        return "measured in part"
    if any(state in answers for state in _ANSWERED):
        return "answered in part"
    return "not assessed"


def _answers(answers: Mapping[str, int]) -> str:
    if not answers:
        return "not asked"
    return ", ".join(f"{count(answers[state])} {state}" for state in State if answers.get(state))


def _options(rows: Sequence[Mapping[str, Any]], findings: int) -> Table:
    return Table(
        "What can be done about findings",
        (
            Column("Option"),
            Column("What it is"),
            Column("What it costs"),
            Column("Answers", "number"),
            Column("Measure again"),
        ),
        tuple(
            Row(
                (
                    row["title"],
                    row["what"],
                    row["cost"],
                    f"{count(len(row['findings']))} of {count(findings)}",
                    ", ".join(_title(name) for name in row["again"]),
                )
            )
            for row in rows
        ),
        note=(
            "Options by kind of finding, the same in every assessment: which of them is right here, the assessor "
            "recommends and management decides. Answers: findings of the kinds that an option is for; the register "
            f"names its options beside each. Source: {sources()}."
        ),
    )


def _title(identity: str) -> str:
    return section(identity).title if identity in section_ids() else identity
