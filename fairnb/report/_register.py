"""The register of findings as it is printed: what was computed, and what people say of it, apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from fairnb.report._changes import date_words
from fairnb.report._measures import number_measures
from fairnb.report._render import findings_of
from fairnb.sections import Register, Result
from fairnb.text import printable

if TYPE_CHECKING:
    from fairnb.report._views import FindingView

SEVERITIES = ("high", "medium", "low", "observation")


@dataclass(frozen=True)
class SaidView:
    """What a person says of one finding."""

    severity: str
    """The assessor's own; empty where the computed one stands."""
    reason: str
    who: str
    """Name and day, as stated; may be empty."""
    rows: tuple[tuple[str, str], ...]
    """Heading and words: recommendation, management's response, owner, day, status."""


@dataclass(frozen=True)
class RowView:
    """A computed finding, and what is said of it."""

    finding: FindingView
    said: SaidView | None


@dataclass(frozen=True)
class AddedView:
    """A finding that a person added: nothing of it was computed."""

    id: str
    title: str
    severity: str
    requirement: int
    said: SaidView


@dataclass(frozen=True)
class LostView:
    """An entry whose finding is not among the results."""

    id: str
    said: SaidView


@dataclass(frozen=True)
class RegisterView:
    """The register as it is printed."""

    rows: tuple[RowView, ...] = ()
    """Gravest first, by the computed severity."""
    added: tuple[AddedView, ...] = ()
    lost: tuple[LostView, ...] = ()
    unread: bool = False
    """Whether a register belongs to the case that no result of the notebook has read."""

    @property
    def by_severity(self) -> str:
        """How many computed findings there are of each severity, none included: as JupyterLab's panel counts."""
        return ", ".join(self._counted())

    @property
    def summary(self) -> str:
        """How many findings there are, and how many of them somebody has spoken of."""
        told = ", ".join(counted for counted in self._counted() if not counted.startswith("0 "))
        parts = [_several(len(self.rows), "computed finding") + (f" ({told})" if told else "")]
        if self.added:
            parts.append(f"{_several(len(self.added), 'finding')} added by a person")
        spoken = [row.said for row in self.rows if row.said is not None]
        if self.rows:
            parts.append(f"a person wrote an entry on {len(spoken) or 'none'} of these")
        changed = sum(bool(said.severity) for said in spoken)
        if changed:
            parts.append(f"{changed} with another severity than the computed one")
        return "; ".join(parts) + "."

    def _counted(self) -> list[str]:
        counts = Counter(row.finding.severity for row in self.rows)
        return [
            _several(counts[name], name) if name == SEVERITIES[-1] else f"{counts[name]} {name}"
            for name in SEVERITIES
        ]


def register_view(
    findings: Iterable[FindingView], register: Register, *, unread: bool = False
) -> RegisterView:
    """Computed findings with what is said of them.

    Parameters
    ----------
    findings : iterable of FindingView
    register : Register
    unread : bool
        Whether a register is there that no result has read.
    """
    found = sorted(findings, key=lambda item: SEVERITIES.index(item.severity))
    ids = {item.id for item in found}
    return RegisterView(
        rows=tuple(
            RowView(item, _said(register.findings[item.id]) if item.id in register.findings else None)
            for item in found
        ),
        added=tuple(
            AddedView(f"added/{one.id}", one.title, one.severity.value, one.requirement, _said(one))
            for one in register.added
        ),
        lost=tuple(
            LostView(name, _said(entry)) for name, entry in register.findings.items() if name not in ids
        ),
        unread=unread,
    )


def register_of(payloads: Sequence[Mapping[str, Any]], register: Register) -> RegisterView:
    """The register over payloads as the evidence holds them."""
    numbering = number_measures(payloads)
    found: list[FindingView] = []
    for payload in payloads:
        content = payload["content"]
        if content["section"] != "conclusion":
            result = Result.model_validate(content["result"])
            found += findings_of(str(content["section"]), str(content["target"] or ""), result, numbering)
    return register_view(found, register)


def render_register(view: RegisterView) -> str:
    """HTML of a register for a notebook's output; every text in it is escaped."""
    from fairnb.report._html import render

    return render("register_fragment.html.j2", register=view)


def register_text(view: RegisterView) -> str:
    """The register as plain text, control characters shown as escapes; a person's words behind a bar."""
    lines = [view.summary]
    for row in view.rows:
        item = row.finding
        effect = f"{item.effect} ({item.interval})" if item.interval else item.effect
        lines += [
            "",
            f"{item.severity.upper()}  {item.id}",
            f"  {item.statement}",
            f"  {effect}  {item.refs}",
        ]
        lines += _barred(row.said)
    for one in view.added:
        lines += ["", f"{one.id}, added by a person", *_barred(one.said, f"{one.severity}: {one.title}")]
    for lost in view.lost:
        lines += ["", f"NO LONGER FOUND  {lost.id}", *_barred(lost.said)]
    return "\n".join(printable(line) for line in lines)


def _barred(said: SaidView | None, head: str = "") -> list[str]:
    if said is None:
        return []
    lines = [head] if head else []
    if said.severity:
        lines.append(f"Severity {said.severity}: {said.reason}")
    lines += [f"{heading}: {words}" for heading, words in said.rows]
    lines.append(f"By {said.who or 'the assessor'}")
    return [f"  | {line}" for line in lines]


def _said(entry: Any) -> SaidView:
    """An entry, or an added finding, as headings and words; what is not stated is left out."""
    added = not hasattr(entry, "reason")
    rows = []
    if added:
        rows = [("Criterion", entry.criterion), ("Condition", entry.condition), ("Effect", entry.effect)]
        rows.append(("Source", entry.source))
    rows += [
        ("Recommendation", entry.recommendation),
        ("Management’s response", entry.management_response),
        ("Owner", entry.owner),
        ("By when", _day(entry.date)),
        ("Status", entry.status or ""),
    ]
    own = "" if added or entry.severity is None else entry.severity.value
    return SaidView(
        severity=own,
        reason="" if added else entry.reason,
        who=", ".join(part for part in (entry.by, _day(entry.on)) if part),
        rows=tuple((heading, words) for heading, words in rows if words.strip()),
    )


def _day(day: date | None) -> str:
    return "" if day is None else date_words(day)


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
