"""From evidence and notebook to what the document says: everything but the letters on the page."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from fairnb import __version__
from fairnb.errors import FairnbError
from fairnb.files import digest_of
from fairnb.report import _annexes as annexes
from fairnb.report._changes import Change, changes
from fairnb.report._glance import (
    ASKED,
    Overview,
    Tile,
    nobody_answered,
    not_assessed,
    overview,
    ranked,
    tiles,
)
from fairnb.report._measures import number_measures
from fairnb.report._notebook import Output, Remark, SectionPlace, walk
from fairnb.report._paper import PaperView, paper_view
from fairnb.report._register import RegisterView, register_view
from fairnb.report._render import Counters, Payload, section_view
from fairnb.report._views import SectionView, TableView, VerdictView
from fairnb.sections import Register, section_ids

_LACKS = {
    "engagement.title is empty": "a title",
    "engagement.level is empty": "the level of the assessment",
    "engagement.addressee is empty": "the addressee",
    "engagement.assessor.name is empty": "the assessor’s name",
    "engagement.independence is empty": "a statement of independence",
    "criteria.set_by is empty": "who set the criteria",
    "sections.conclusion.text is empty": "the assessor’s conclusion",
}
"""What the case file lacks, in a reader's words."""
_REGISTER = "findings.toml"


@dataclass(frozen=True)
class Remarked:
    """The assessor's own words at their place, as Markdown."""

    text: str


@dataclass(frozen=True)
class Questions:
    """What one section put to the test for one target."""

    title: str
    target: str
    verdicts: tuple[VerdictView, ...]


@dataclass(frozen=True)
class Document:
    """All that the template prints, in the order in which it prints it."""

    title: str
    status: Literal["draft", "final"]
    draft_reasons: tuple[str, ...]
    level: str
    facts: tuple[tuple[str, str], ...]
    """Rows of the cover."""
    assessor: str
    organisation: str
    conclusion: str
    number: str
    """The document's id, from the evidence's digest."""
    moment: dt.datetime
    """When the last result was computed, or SOURCE_DATE_EPOCH."""
    evidence_sha256: str
    digests: tuple[tuple[str, str], ...]
    items: tuple[SectionView | Remarked, ...]
    tiles: tuple[Tile, ...]
    verdicts: tuple[VerdictView, ...]
    """Those that exceed the margin first, by severity, then by size."""
    overview: tuple[Overview, ...]
    not_assessed: tuple[tuple[str, str], ...]
    left_out: Mapping[str, str]
    """Title of a section that was not assessed -> why, in the assessor's words."""
    register: RegisterView
    """Findings, with what people say of them."""
    limits: tuple[tuple[str, tuple[str, ...]], ...]
    """Heading and sentences: first those that several sections state, each with their names, then by section."""
    changes: tuple[Change, ...]
    parameters: TableView
    further: tuple[TableView, ...]
    questions: tuple[Questions, ...]
    """Every difference that was put to the test, by section and target."""
    measures: tuple[annexes.MeasureGroup, ...]
    """Those that no table prints."""
    counted: int
    """Measures in all."""
    beside_paper: PaperView | None
    """The paper's figures beside these, where the case is about its corpus."""
    environment: TableView
    log: TableView
    log_note: str
    outputs: tuple[Output, ...]
    reviewer: str
    """Who reviews the assessment, as the conclusion states it; may be empty."""
    glossary: tuple[tuple[str, str], ...]
    version: str = __version__

    @property
    def sections(self) -> tuple[SectionView, ...]:
        """The sections among the items."""
        return tuple(item for item in self.items if isinstance(item, SectionView))

    @property
    def moved(self) -> tuple[Change, ...]:
        """Parameters that the notebook set otherwise than the case file."""
        return tuple(change for change in self.changes if change.told)

    @property
    def foremost(self) -> tuple[VerdictView, ...]:
        """Verdicts for the page that is read first: those that exceed the margin, at least four, at most eight."""
        exceeding = sum(verdict.kind == "exceeds" for verdict in self.verdicts)
        return self.verdicts[: min(8, max(4, exceeding))]

    @property
    def draft(self) -> bool:
        """Whether the document is a draft."""
        return self.status == "draft"


def build_document(
    evidence: Mapping[str, Any],
    notebook: Mapping[str, Any] | None = None,
    *,
    draft_reasons: Sequence[str] | None = None,
) -> Document:
    """What a document says, from the evidence and its notebook.

    Parameters
    ----------
    evidence : mapping
        As `Case.evidence()` gives it.
    notebook : mapping, optional
        Parsed notebook; its order, remarks and foreign outputs are used, never its numbers.
    draft_reasons : sequence of str, optional
        Why it is a draft; None takes what the engagement section recorded.

    Raises
    ------
    FairnbError
        ``nothing-to-print`` if there is no result.
    """
    payloads: list[Payload] = list(evidence["payloads"])
    if not payloads:
        raise FairnbError(
            "nothing-to-print",
            "the notebook holds no result of a section",
            "run the case first: fairnb run",
            where=str(evidence.get("case", {}).get("title", "")),
        )
    numbering = number_measures(payloads)
    counters = Counters()
    by_section = {
        name: list(group)
        for name, group in groupby(
            sorted(payloads, key=lambda p: _rank(p["content"]["section"])), key=_section_of
        )
    }
    items: list[SectionView | Remarked] = []
    outputs: list[Output] = []
    placed: set[str] = set()
    for place in walk(notebook) if notebook is not None else ():
        if isinstance(place, Remark):
            items.append(Remarked(place.text))
        elif isinstance(place, Output):
            outputs.append(place)
        elif isinstance(place, SectionPlace) and place.section in by_section and place.section not in placed:
            placed.add(place.section)
            items.append(section_view(by_section[place.section], numbering, counters))
    items += [
        section_view(group, numbering, counters) for name, group in by_section.items() if name not in placed
    ]
    views = [item for item in items if isinstance(item, SectionView)]
    said = _facts(payloads, "engagement")
    concluded = _facts(payloads, "conclusion")
    reasons = tuple(draft_reasons if draft_reasons is not None else said.get("draft", ()))
    if not said:
        reasons = (*reasons, "the section Engagement")
    compared = paper_view(payloads, numbering)
    named = compared.named if compared else {}
    digest = str(evidence.get("content_sha256") or digest_of(dict(evidence)))
    moment = _moment(payloads)
    engagement = said.get("engagement", {})
    assessor = engagement.get("assessor", {})
    moved = changes(payloads, evidence.get("log", ()))
    not_answered = nobody_answered(_facts(payloads, ASKED))
    verdicts = [
        verdict for view in views for part in view.parts for verdict in part.verdicts if verdict.confirmatory
    ]
    return Document(
        title=_first(engagement.get("title"), evidence.get("case", {}).get("title"), "Assessment"),
        status="draft" if reasons else "final",
        draft_reasons=tuple(dict.fromkeys(_LACKS.get(reason, reason) for reason in reasons)),
        level=str(engagement.get("level", "")),
        facts=annexes.cover_facts(said, _facts(payloads, "system"), payloads, moved),
        assessor=str(assessor.get("name", "")),
        organisation=str(assessor.get("organisation", "")),
        conclusion=str(concluded.get("text", "")).strip(),
        number=f"FNB-{moment:%Y}-{digest[:8].upper()}",
        moment=moment,
        evidence_sha256=digest,
        digests=annexes.digests(evidence, digest),
        items=tuple(items),
        tiles=tiles(verdicts),
        verdicts=ranked(verdicts),
        overview=overview(views, payloads, moved, not_answered),
        not_assessed=not_assessed(views, not_answered),
        left_out={
            str(one["title"]): str(one["reason"])
            for one in concluded.get("sections", ())
            if one.get("reason") and not one.get("done")
        },
        register=_register(views, concluded, evidence),
        reviewer=str(concluded.get("reviewer", "")).strip(),
        limits=_limits(views),
        changes=moved,
        parameters=annexes.parameters(payloads, counters),
        further=tuple(
            replace(table, number=next(counters.tables))
            for view in views
            for part in view.parts
            for table in part.annex
        ),
        questions=tuple(
            Questions(view.title, part.target, part.verdicts)
            for view in views
            for part in view.parts
            if part.verdicts
        ),
        measures=annexes.measures(
            payloads,
            numbering,
            {
                (view.id, part.target): part.printed | named.get((view.id, part.target), frozenset())
                for view in views
                for part in view.parts
            },
        ),
        counted=len(numbering),
        beside_paper=compared.numbered(counters) if compared else None,
        environment=annexes.environment(payloads, counters),
        log=annexes.log_table(evidence.get("log", ()), counters),
        log_note=annexes.log_note(evidence.get("log", ())),
        outputs=tuple(outputs),
        glossary=annexes.GLOSSARY,
    )


def _section_of(payload: Payload) -> str:
    return str(payload["content"]["section"])


def _rank(name: str) -> tuple[int, str]:
    known = section_ids()
    return (known.index(name) if name in known else len(known), name)


def _facts(payloads: Sequence[Payload], name: str) -> dict[str, Any]:
    for payload in payloads:
        if payload["content"]["section"] == name:
            return dict(payload["content"]["result"].get("facts", {}))
    return {}


def _first(*candidates: Any) -> str:
    return next((str(item).strip() for item in candidates if item and str(item).strip()), "")


def _moment(payloads: Sequence[Payload]) -> dt.datetime:
    """The document's one date: of the last result, so that the same evidence gives the same bytes."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    if fixed.isdecimal():
        return dt.datetime.fromtimestamp(int(fixed), dt.UTC)
    created = [str(payload.get("context", {}).get("created", "")) for payload in payloads]
    moments = [_parsed(text) for text in created if text]
    return max(moments, default=dt.datetime(2000, 1, 1, tzinfo=dt.UTC)).replace(microsecond=0)


def _parsed(text: str) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


def _register(
    views: Sequence[SectionView], concluded: Mapping[str, Any], evidence: Mapping[str, Any]
) -> RegisterView:
    # The conclusion repeats what the others found; it holds what people say of that.
    found = [finding for view in views for part in view.parts for finding in part.findings]
    unread = "register" not in concluded and _REGISTER in evidence.get("case", {}).get("files", {})
    return register_view(found, Register.model_validate(concluded.get("register", {})), unread=unread)


def _limits(views: Sequence[SectionView]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    by: dict[str, list[str]] = {}
    for view in views:
        for limit in dict.fromkeys(limit for part in view.parts for limit in part.limits):
            by.setdefault(limit, []).append(view.title)
    shared = tuple(f"{limit} ({', '.join(titles)})" for limit, titles in by.items() if len(titles) > 1)
    collected = [("Several sections", shared)] if shared else []
    for view in views:
        said = tuple(limit for limit, titles in by.items() if titles == [view.title])
        if said:
            collected.append((view.title, said))
    return tuple(collected)
