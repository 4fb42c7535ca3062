"""One section's results as HTML and text: the same page in the notebook and in the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from fairnb.errors import FairnbError
from fairnb.report._figures import draw_svg
from fairnb.report._views import (
    MARKS,
    FigureView,
    FindingView,
    PartView,
    RowView,
    SectionView,
    StatementView,
    TableView,
    VerdictView,
)
from fairnb.sections import Measure, MeasureKey, Result, finding_ids, options_for, section

if TYPE_CHECKING:
    from fairnb.sections import Candidate, Example, Section, Table

Payload = Mapping[str, Any]
Numbering = Mapping[tuple[str, str, MeasureKey], str]
"""Ids of measures by section, target and key; made by `number_measures`."""


@dataclass
class Counters:
    """Running numbers of tables and figures within one document."""

    tables: Iterator[int] = field(default_factory=lambda: count(1))
    figures: Iterator[int] = field(default_factory=lambda: count(1))


def render_section(
    payloads: Sequence[Payload], numbering: Numbering | None = None, *, annex: bool = True, drawn: bool = True
) -> str:
    """HTML of one section, to stand in a notebook's output or in a page of one's own.

    Parameters
    ----------
    payloads : sequence of mapping
        The section's payloads, one per target.
    numbering : mapping, optional
        Ids of measures; with it, tables get a last column that names the measures of each row.
    annex : bool
        False leaves out the tables that an audit document prints in its annex.
    drawn : bool
        False leaves figures out.

    Returns
    -------
    str
        A fragment without scripts and without outside addresses; every text in it is escaped.
    """
    return html_of(section_view(payloads, numbering, drawn=drawn), annex=annex)


def html_of(view: SectionView, *, annex: bool = True, figures: int | None = None) -> str:
    """A section's view as a fragment of HTML, with its annex or without, and at most so many figures a target."""
    from fairnb.report._html import render

    if not annex:
        view = replace(view, parts=tuple(replace(part, annex=()) for part in view.parts))
    if figures is not None:
        view = replace(
            view, parts=tuple(replace(part, figures=part.figures[:figures]) for part in view.parts)
        )
    return render("fragment.html.j2", section=view, paper=False)


def render_text(payloads: Sequence[Payload]) -> str:
    """The same section as plain text: statements, then tables with aligned columns."""
    return text_of(section_view(payloads, None, drawn=False))


def text_of(view: SectionView) -> str:
    """A section's view as plain text."""
    lines = [view.title]
    for part in view.parts:
        if part.target:
            lines += ["", f"Target: {part.target}"]
        if part.reason:
            lines += ["", f"Not applicable: {part.reason}."]
        lines += ["", *(statement.text for statement in part.statements)] if part.statements else []
        for table in part.tables:
            lines += ["", table.title, *_aligned(table)]
        lines += [f"Limit: {limit}" for limit in part.limits]
    return "\n".join(lines)


def section_view(
    payloads: Sequence[Payload],
    numbering: Numbering | None,
    counters: Counters | None = None,
    *,
    drawn: bool = True,
    results: Sequence[Result] = (),
) -> SectionView:
    """What is printed of one section.

    Parameters
    ----------
    payloads : sequence of mapping
        At least one; all of the same section.
    numbering : mapping or None
    counters : Counters, optional
        Numbers tables and figures; without it they carry their titles only.
    drawn : bool
        False leaves figures out.
    results : sequence of Result, optional
        What the payloads hold, where it was read already.
    """
    if not payloads:
        raise FairnbError("no-result", "the section has no result", "run it first")
    first = payloads[0]["content"]
    known = installed(first)
    parts = tuple(
        _part(payload["content"], result, known, numbering, counters, drawn=drawn)
        for payload, result in zip(payloads, results or map(result_of, payloads), strict=True)
    )
    return SectionView(
        id=str(first["section"]),
        title=known.title if known else str(first.get("title") or first["section"]),
        source=known.source if known else "",
        requirement=f"{int(known.requirement)}. {known.requirement.title}" if known else "",
        method=known.method if known else "",
        parts=parts,
    )


def installed(content: Mapping[str, Any]) -> Section | None:
    """The section's class, if this installation has the version that computed the result."""
    try:
        known = section(str(content["section"]))
    except FairnbError:
        return None
    return known if known.version == content.get("section_version", known.version) else None


def _part(
    content: Mapping[str, Any],
    result: Result,
    known: Section | None,
    numbering: Numbering | None,
    counters: Counters | None,
    *,
    drawn: bool,
) -> PartView:
    name, target = str(content["section"]), str(content["target"] or "")
    done = result.status == "done"
    refs = _Refs(numbering, name, target)
    limits = list(result.limits)
    if known is None:
        limits.append(
            f"The section {name!r} is not installed here in the version that made this result: "
            "its measures are printed as they are."
        )
    said = known.statements(result) if known and done else ()
    shown = known.tables(result) if known and done else (_plain_table(result),) if done else ()
    body = [_table(table, refs, counters) for table in shown if not table.annex]
    # Those of the annex are numbered where they stand.
    annex = [_table(table, refs, None) for table in shown if table.annex]
    # The conclusion collects the others' findings; they are printed where they were made.
    findings = findings_of(name, target, result, numbering) if name != "conclusion" else ()
    # All that the conclusion states is the assessor's, once there is one.
    own_words = name == "conclusion" and bool(str(result.facts.get("text", "")).strip())
    by_statement = {finding.statement: finding for finding in findings}
    severities = {(item.criterion, item.measures): item.severity.value for item in result.findings}
    figures = tuple(figure_views(content, result, known, counters)) if drawn else ()
    of_key: dict[MeasureKey, Measure] = {}
    for measure in result.measures if result.candidates else ():
        of_key.setdefault(measure.key, measure)
    return PartView(
        target=target,
        reason="" if done else result.reason or "no reason was recorded",
        statements=tuple(
            StatementView(text, "", "", human=True) if own_words else _statement(text, by_statement)
            for text in said
        ),
        tables=tuple(body),
        annex=tuple(annex),
        figures=figures,
        examples=_told_once(result.examples),
        verdicts=tuple(_verdict(item, of_key, refs, severities) for item in result.candidates),
        findings=findings,
        limits=tuple(limits),
        printed=frozenset(key for table in shown for row in table.rows for key in row.measures),
    )


def result_of(payload: Payload) -> Result:
    """What a payload holds."""
    return Result.model_validate(payload["content"]["result"])


def figure_views(
    content: Mapping[str, Any], result: Result, known: Section | None, counters: Counters | None
) -> Iterator[FigureView]:
    """A result's figures, each drawn when it is asked for; none of a section that is not installed."""
    if known is None or result.status != "done":
        return
    about = f"{content['section']}-{content['target'] or ''}"
    for label, plot in known.figures(result).items():
        yield FigureView(
            svg=draw_svg(plot.figure, f"{about}-{label}"),
            caption=plot.caption,
            alternative=plot.alternative,
            number=next(counters.figures) if counters else 0,
            width=25.4 * float(plot.figure.get_figwidth()),
        )


def _told_once(examples: Sequence[Example]) -> tuple[Example, ...]:
    """Examples without those that stand above already, word for word: one text may serve several."""
    return tuple(one for place, one in enumerate(examples) if one not in examples[:place])


@dataclass(frozen=True)
class _Refs:
    numbering: Numbering | None
    section: str
    target: str

    def of(self, keys: Sequence[MeasureKey]) -> str:
        """Ids of measures; neighbours as a span."""
        if self.numbering is None:
            return ""
        found = {self.numbering.get((self.section, self.target, key), "") for key in keys} - {""}
        spans: list[list[str]] = []
        for item in sorted(found, key=lambda one: int(one[2:])):
            if spans and int(item[2:]) - int(spans[-1][-1][2:]) == 1:
                spans[-1].append(item)
            else:
                spans.append([item])
        parts = [f"{span[0]} to {span[-1]}" if len(span) > 2 else " ".join(span) for span in spans]
        return (", " if any(" to " in part for part in parts) else " ").join(parts)


def _table(table: Table, refs: _Refs, counters: Counters | None) -> TableView:
    rows = tuple(
        RowView(tuple(row.cells), refs.of(row.measures), row.quiet, row.strong) for row in table.rows
    )
    number = next(counters.tables) if counters else 0
    return TableView(
        title=table.title,
        columns=tuple((column.heading, column.kind) for column in table.columns),
        rows=rows,
        note=table.note,
        number=number,
        refs=any(row.refs for row in rows),
    )


def _plain_table(result: Result) -> Table:
    """All measures of a result whose section is not here to lay them out."""
    from fairnb.sections import Column, Row, Table

    columns = (
        *(Column(heading) for heading in ("Measure", "Of", "Reference", "Label", "Variant")),
        *(Column(heading, "number") for heading in ("Value", "Interval", "n")),
        Column("Status"),
    )
    rows = [
        Row(
            (
                measure.measure,
                "/".join(part for part in (measure.attribute, measure.subgroup) if part),
                measure.reference,
                measure.label,
                measure.variant,
                value_text(measure),
                interval_text(measure),
                "" if measure.n is None else f"{measure.n:,}",
                measure.status.value.replace("_", " "),
            ),
            (measure.key,),
        )
        for measure in result.measures
    ]
    return Table("Measures", columns, tuple(rows))


def value_text(measure: Measure) -> str:
    """A value with as many digits as a reader can use; a dash where there is none."""
    return "–" if measure.value is None else _number(measure.value)


def interval_text(measure: Measure, digits: int = 4) -> str:
    """An interval's ends; a dash where there is none."""
    if measure.low is None or measure.high is None:
        return "–"
    return f"{_number(measure.low, digits)} to {_number(measure.high, digits)}"


def findings_of(
    name: str, target: str, result: Result, numbering: Numbering | None
) -> tuple[FindingView, ...]:
    """The findings of one result as they are printed, in its order."""
    refs = _Refs(numbering, name, target)
    candidates = {(item.criterion, item.measures): item for item in result.candidates}
    # The first of equal keys counts.
    by_key = {one.key: one for one in reversed(result.measures)} if result.findings else {}
    views = []
    for identity, item in zip(finding_ids(name, target, result.findings), result.findings, strict=True):
        candidate = candidates.get((item.criterion, item.measures))
        first = by_key.get(item.measures[0]) if item.measures else None
        effect = candidate.effect if candidate is not None else None if first is None else first.value
        _, written, interval = _effect(effect, first, points=item.points)
        views.append(
            FindingView(
                id=identity,
                severity=item.severity.value,
                criterion=item.criterion,
                statement=item.statement,
                requirement=item.requirement,
                refs=refs.of(item.measures),
                effect=written,
                interval=interval,
                options=tuple(option.title for option in options_for(name, item)),
            )
        )
    return tuple(views)


def _statement(text: str, findings: Mapping[str, FindingView]) -> StatementView:
    finding = findings.get(text)
    return StatementView(text, finding.severity if finding else "", finding.refs if finding else "")


def _verdict(
    item: Candidate,
    of_key: Mapping[MeasureKey, Measure],
    refs: _Refs,
    severities: Mapping[tuple[str, tuple[MeasureKey, ...]], str],
) -> VerdictView:
    shape, word, kind = MARKS[item.verdict.value]
    first = of_key.get(item.measures[0]) if item.measures else None
    ratio, effect, interval = _effect(item.effect, first, points=item.points)
    return VerdictView(
        criterion=item.criterion,
        statement=item.statement,
        effect=effect,
        ratio=ratio,
        interval=interval,
        shape=shape,
        word=word,
        kind=kind,
        reason=item.reason,
        refs=refs.of(item.measures),
        verdict=item.verdict.value,
        confirmatory=item.family == "C",
        severity=severities.get((item.criterion, item.measures), ""),
        size=0.0 if item.effect is None else abs(item.effect - 1 if ratio else item.effect),
    )


def _effect(effect: float | None, first: Measure | None, *, points: bool) -> tuple[bool, str, str]:
    """Whether an effect is a ratio, and it and its interval as they are printed."""
    ratio = first is not None and first.measure.endswith("ratio")
    if effect is None:
        return ratio, "–", ""
    # In the unit of the sentence it stands beside; its ends alike, never in powers of ten.
    scale, digits = (100, 1) if points else (1, 2 if ratio else 3)
    written = _number(effect, 2) if ratio else _signed(scale * effect, digits)
    if points:
        written += " points"
    if first is None or first.value is None or first.low is None or first.high is None:
        return ratio, written, ""
    # An effect may be counted from another place than its measure, such as a preference from one half.
    moved = effect - first.value
    return (
        ratio,
        written,
        " to ".join(_fixed(scale * (end + moved), digits) for end in (first.low, first.high)),
    )


def _number(value: float, digits: int = 4) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 and value == int(value) else f"{value:.{digits}f}"
    if float(text.replace(",", "")) == 0 and value != 0:
        text = f"{value:.2e}"
    return text.replace("-", "−")


def _fixed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}".replace("-", "−")
    return text if float(text.replace("−", "-")) else text.lstrip("−")


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text[1:] if float(text[1:]) == 0 else text


def _aligned(table: TableView) -> list[str]:
    lines = [tuple(heading for heading, _ in table.columns), *(row.cells for row in table.rows)]
    widths = [max(len(line[position]) for line in lines) for position in range(len(table.columns))]
    right = [kind == "number" for _, kind in table.columns]
    return [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]
