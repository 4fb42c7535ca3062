"""What an answer amounts to: nothing is covered by saying so."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from fairnb.sections._format import count, interval_of, number, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._questionnaire import Answer, Asked, Reference, reference_of

if TYPE_CHECKING:
    from fairnb.sections._result import Result

    Results = Mapping[tuple[str, str], Result]

_EMPTY = (Status.TOO_FEW, Status.UNDEFINED, Status.NOT_MEASURED)


class State(StrEnum):
    """What is printed for a question."""

    COVERED = "covered"
    PARTLY = "partly covered"
    NOT_COVERED = "not covered"
    NOT_APPLICABLE = "not applicable"
    CLAIMED = "claimed without evidence"
    UNANSWERED = "unanswered"


_STATES = {
    "covered": State.COVERED,
    "partly": State.PARTLY,
    "not covered": State.NOT_COVERED,
    "not applicable": State.NOT_APPLICABLE,
}


def unanswered(facts: Mapping[str, Any]) -> int:
    """Number of the questions of a result's facts if none of them has an answer; else 0."""
    states = [one.get("state") for one in facts.get("questions", ())]
    return len(states) if all(state == State.UNANSWERED for state in states) else 0


def judged(asked: Asked, answer: Answer | None, results: Results) -> dict[str, Any]:
    """A question with what its answer amounts to, as plain values.

    *Covered* and *partly* need evidence that is there and a person who answers for it. A measure is there
    if a section of the assessment holds it with a value; a source in words is taken as it is.
    """
    told: dict[str, Any] = {
        "id": asked.id,
        "requirement": int(asked.requirement),
        "part": asked.part,
        "question": asked.text,
        "sections": list(asked.evidence),
        "state": State.UNANSWERED.value,
        "answer": "",
        "text": "",
        "evidence": [],
        "lacks": [],
        "by": "",
        "on": "",
    }
    if answer is None:
        return told
    evidence = [_looked_up(one, results) for one in answer.evidence]
    state, lacks = _STATES[answer.answer], []
    if state in (State.COVERED, State.PARTLY):
        if not any(one["holds"] for one in evidence):
            lacks.append("evidence")
        if not answer.by.strip():
            lacks.append("a name")
        state = State.CLAIMED if lacks else state
    return {
        **told,
        "state": state.value,
        "answer": answer.answer,
        "text": answer.text,
        "evidence": evidence,
        "lacks": lacks,
        "by": answer.by,
        "on": answer.on.isoformat() if answer.on else "",
    }


def _looked_up(evidence: str, results: Results) -> dict[str, Any]:
    reference = reference_of(evidence)
    if reference is None:
        return {"said": evidence, "kind": "source", "holds": bool(evidence.strip()), "found": ""}
    runs = {
        target: result
        for (section, target), result in results.items()
        if section == reference.section and result.status == "done"
    }
    if not reference.measure:
        found = "section of this assessment" if runs else "not in this assessment"
        return {"said": evidence, "kind": "section", "holds": bool(runs), "found": found}
    held = [
        measure
        for target, result in runs.items()
        for measure in result.measures
        if _matches(measure, target, reference)
    ]
    valued = [measure for measure in held if measure.value is not None and measure.status not in _EMPTY]
    if not held:
        found = "not in this assessment"
    elif not valued:
        found = "without a value in this assessment"
    else:
        found = _written(valued[0]) if len(valued) == 1 else f"{count(len(valued))} measures"
    return {"said": evidence, "kind": "measure", "holds": bool(valued), "found": found}


def _matches(measure: Measure, target: str, reference: Reference) -> bool:
    held = {**measure.key._asdict(), "target": target}
    return measure.measure == reference.measure and all(
        held[key] == value for key, value in reference.keys.items()
    )


def _written(measure: Measure) -> str:
    value = measure.value or 0.0
    shown = number(value, 0) if value == int(value) and measure.low is None else value_of(measure)
    interval = interval_of(measure)
    return shown if interval == "–" else f"{shown} ({interval})"
