"""What the other sections came to, as plain values: what was assessed and why not, limits, options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Altai
from fairnb.sections._mitigation import options
from fairnb.sections._questionnaire_judged import unanswered
from fairnb.sections._register import finding_ids
from fairnb.sections._registry import section, section_ids

if TYPE_CHECKING:
    from fairnb.sections._result import Result

    Results = Mapping[tuple[str, str], Result]

NOT_PLANNED = "not part of this notebook"
LAST = "conclusion"
"""Gathers the others; it is not among them."""
ASKED = "questionnaire"
"""Its answers count by question, and never as a section that ran."""


def assessed(planned: Sequence[str], results: Results, reasons: Mapping[str, str]) -> list[dict[str, Any]]:
    """One row for each section of the notebook, then one for each of our own that it leaves out.

    Parameters
    ----------
    planned : sequence of str
        Ids, in the notebook's order.
    results : mapping
    reasons : mapping
        Section id -> why it was left out, in the assessor's words.
    """
    rows = []
    for identity in planned:
        runs = {target: found for (name, target), found in results.items() if name == identity}
        row = _row(identity, _state(runs), reasons)
        rows.append({**row, **_size(runs)})
    # What else is installed here says nothing about the assessment.
    left = [name for name in section_ids() if name not in (*planned, LAST) and _is_own(name)]
    return rows + [{**_row(name, NOT_PLANNED, reasons), **_size({})} for name in left]


def _is_own(identity: str) -> bool:
    return type(section(identity)).__module__.startswith("fairnb.")


def _row(identity: str, state: str, reasons: Mapping[str, str]) -> dict[str, Any]:
    known = section(identity)
    return {
        "id": identity,
        "title": known.title,
        "requirement": int(known.requirement),
        "state": state,
        "reason": reasons.get(identity, ""),
    }


def _size(runs: Mapping[str, Result]) -> dict[str, Any]:
    done = any(found.status == "done" for found in runs.values())
    return {"done": done, "measures": sum(len(found.measures) for found in runs.values())}


def _state(runs: Mapping[str, Result]) -> str:
    if not runs:
        return "not run"
    missing = {target: found.reason for target, found in runs.items() if found.status == "not_applicable"}
    if all(unanswered(found.facts) for found in runs.values()):
        return "not answered"
    if not missing:
        return "assessed" if any(found.measures for found in runs.values()) else "run, nothing measured"
    if len(missing) < len(runs):
        told = "; ".join(f"not for {target}: {reason}" for target, reason in missing.items())
        return f"assessed, {told}"
    return f"not applicable: {'; '.join(dict.fromkeys(missing.values()))}"


def coverage(sections: Sequence[Mapping[str, Any]], results: Results) -> list[dict[str, Any]]:
    """For each requirement the sections that measured something, those that only state, and the answers.

    Nothing is covered because a section ran: it is said which did, and how many questions were answered how.
    """
    questionnaire = results.get((ASKED, ""))
    asked = questionnaire.facts.get("questions", ()) if questionnaire is not None else ()
    rows = []
    for requirement in Altai:
        there = [
            row
            for row in sections
            if row["requirement"] == requirement and row["done"] and row["id"] != ASKED
        ]
        states = Counter(one["state"] for one in asked if one["requirement"] == requirement)
        rows.append(
            {
                "requirement": int(requirement),
                "measured": [row["title"] for row in there if row["measures"]],
                "stated": [row["title"] for row in there if not row["measures"]],
                "answers": dict(sorted(states.items())),
            }
        )
    return rows


def limits(results: Results) -> list[dict[str, Any]]:
    """Every limit once, with the sections that state it, in the order in which they stand."""
    found: dict[str, list[str]] = {}
    for (identity, _), result in results.items():
        for limit in result.limits:
            by = found.setdefault(limit, [])
            if identity not in by:
                by.append(identity)
    return [{"text": text, "sections": by} for text, by in found.items()]


def mitigation(results: Results) -> list[dict[str, Any]]:
    """Options that answer at least one finding, each with the ids of those it answers."""
    rows = []
    for option in options():
        ids = [
            identity
            for (name, target), result in results.items()
            for identity, finding in zip(
                finding_ids(name, target, result.findings), result.findings, strict=True
            )
            if option.fits(name, finding)
        ]
        if ids:
            rows.append(
                {
                    "id": option.id,
                    "title": option.title,
                    "what": option.what,
                    "cost": option.cost,
                    "again": list(option.again),
                    "findings": ids,
                }
            )
    return rows
