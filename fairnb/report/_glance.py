"""The page that is read first: verdicts counted, a line per section, and what was not assessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairnb.report import _annexes as annexes
from fairnb.report._changes import Change
from fairnb.report._register import SEVERITIES
from fairnb.report._render import Payload
from fairnb.report._views import MARKS, SectionView, VerdictView
from fairnb.sections import section, section_ids, unanswered

ASKED = "questionnaire"
"""Section that only puts questions: without an answer it assesses nothing."""


@dataclass(frozen=True)
class Tile:
    """How many candidates came to one verdict."""

    count: int
    words: str
    shape: str
    kind: str


@dataclass(frozen=True)
class Overview:
    """One line per section for the page that is read first."""

    title: str
    anchor: str
    about: str
    """The corpus that the section looked at, where its parameters name one."""
    statements: tuple[str, ...]


def tiles(verdicts: Sequence[VerdictView]) -> tuple[Tile, ...]:
    """How many differences came to each verdict."""
    if not verdicts:
        return ()
    words = {
        "exceeds the margin": "exceed the margin",
        "within the margin": "within the margin",
        "inconclusive": "inconclusive",
        "not measured": "not measured",
    }
    return tuple(
        Tile(sum(item.verdict == verdict for item in verdicts), words[verdict], shape, kind)
        for verdict, (shape, _, kind) in MARKS.items()
    )


def ranked(verdicts: Sequence[VerdictView]) -> tuple[VerdictView, ...]:
    """Those that exceed the margin first, by severity, then by size."""
    order, severities = list(MARKS), (*SEVERITIES, "")
    return tuple(
        sorted(
            verdicts,
            key=lambda item: (order.index(item.verdict), severities.index(item.severity), -item.size),
        )
    )


def overview(
    views: Sequence[SectionView], payloads: Sequence[Payload], moved: Sequence[Change], not_answered: str
) -> tuple[Overview, ...]:
    """What each section that assessed something found, in one line."""
    corpora: dict[str, dict[str, None]] = {}
    for payload in payloads:
        role = payload["content"]["parameters"].get("corpus")
        if role in annexes.ROLES:
            corpora.setdefault(str(payload["content"]["section"]), {})[annexes.ROLES[role].lower()] = None
    lines = []
    for view in views:
        # What follows was not computed as the case file says: that comes first.
        said = [change.sentence for change in moved if change.id == view.id and view.applicable]
        said += [
            f"{part.target}: {part.statements[0].text}" if len(view.parts) > 1 else part.statements[0].text
            for part in view.parts
            if part.statements
        ]
        if said and view.id != "conclusion" and not (view.id == ASKED and not_answered):
            named = " and ".join(corpora.get(view.id, ()))
            lines.append(Overview(view.title, view.anchor, f"{named} corpus" if named else "", tuple(said)))
    return tuple(lines)


def nobody_answered(facts: Mapping[str, Any]) -> str:
    """That nobody answered the questionnaire, from its facts: putting questions assesses nothing.

    Empty if anybody did.
    """
    many = unanswered(facts)
    return f"not answered: none of the {many} questions has an answer" if many else ""


def not_assessed(views: Sequence[SectionView], not_answered: str) -> tuple[tuple[str, str], ...]:
    """Title of each section that assessed nothing, and why."""
    missing = [
        (view.title, next(part.reason for part in view.parts if part.reason))
        for view in views
        if not view.applicable
    ]
    missing += [(view.title, not_answered) for view in views if view.id == ASKED and not_answered]
    there = {view.id for view in views}
    # Only fairnb's own: what else is installed here says nothing about the assessment.
    own = (section(name) for name in section_ids() if name not in there)
    missing += [
        (known.title, "not part of this notebook")
        for known in own
        if type(known).__module__.startswith("fairnb.")
    ]
    return tuple(missing)
