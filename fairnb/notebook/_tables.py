"""The case and its sections as tables that need no widget."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fairnb.case import Case
from fairnb.errors import FairnbError
from fairnb.sections import Severity, section
from fairnb.text import printable

STATES = {"fresh": "Fresh", "stale": "Stale", "not run": "Not run"}
STOPPED = ("cancelled", "interrupted")
"""Codes of runs that a person ended."""


def sections_at_a_glance(case: Case) -> tuple[str, str]:
    """Every section with its state and its findings by severity, as HTML and as text."""
    rows = [("Section", "State", "Findings")]
    for identity in case.sections:
        state, found = state_of(case, identity), findings_of(case, identity)
        rows.append((section(identity).title, state, found or "–"))
    return as_table("Sections", rows), as_text(rows)


def state_of(case: Case, identity: str) -> str:
    """A section's state in words; why, where a first run failed; "not applicable" where it could not be applied."""
    try:
        state = case.state(identity)
    except FairnbError as error:
        return f"Stale ({error.found})"
    results = [payload.result for payload in case.payloads(identity)]
    if state == "fresh" and results and all(one.status == "not_applicable" for one in results):
        return "Not applicable"
    failure = case.failure(identity) if state == "not run" else None
    if failure is not None:
        code, reason = failure
        return "Stopped" if code in STOPPED else printable(f"Failed: {' '.join(reason.split())}")
    return STATES[state]


def findings_of(case: Case, identity: str) -> str:
    """How many findings a section's last results hold, gravest first."""
    if identity == "conclusion":
        # It collects the findings of the others.
        return ""
    severities = [
        finding.severity for payload in case.payloads(identity) for finding in payload.result.findings
    ]
    counts = [(level.value, severities.count(level)) for level in Severity]
    return ", ".join(f"{count} {name}" for name, count in counts if count)


def what_is_assessed(case: Case) -> tuple[str, str]:
    """System, targets, corpora and embeddings of a case, as HTML and as text."""
    file = case.file
    rows = [("What", "Chosen"), ("System", f"{file.system.kind} = {file.system.value}")]
    for target in file.targets:
        labels = ", ".join(map(str, target.positive))
        classes = f"classes {', '.join(target.classes)}; " if target.classes else ""
        rows.append(
            (f"Target {target.name}", f"{classes}positive labels {labels}; threshold {target.threshold:g}")
        )
    rows += [
        (
            f"{role.capitalize()} corpus",
            spec.use or f"{spec.path} (text: {spec.text or 'text'}, label: {spec.label or 'label'})",
        )
        for role, spec in file.corpus.items()
    ]
    if file.embeddings is not None:
        named = file.embeddings.use or file.embeddings.path
        rows.append(("Embeddings", f"{named}, {file.embeddings.relation}"))
    return as_table("What is assessed", rows), as_text(rows)


def as_table(caption: str, rows: Sequence[Sequence[str]]) -> str:
    """Rows as an HTML table, the first being its head; every cell is escaped."""
    head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        f"<tr><th scope='row'>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>"
        for row in rows[1:]
    )
    return (
        f"<table class='fairnb-table'><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def as_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows as text with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
