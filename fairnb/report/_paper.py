"""The annex that sets what the assessment-process paper prints beside what was measured here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from fairnb.errors import FairnbError
from fairnb.registry import known
from fairnb.report._paper_figures import Cell, PaperTable, paper_tables
from fairnb.report._render import Counters, Numbering, Payload
from fairnb.report._views import RowView, TableView
from fairnb.sections import Measure, MeasureKey, Status, section

PARTS = {"train": "paper-train", "test": "paper-test"}
"""Known corpus that has the class counts of each part of the paper's."""
_CORPORA = ("paper", *PARTS.values())
_ROLE = re.compile(r"corpus:(\w+)")
_IN_WORDS = {Status.TOO_FEW: "too few texts", Status.NOT_MEASURED: "not measured"}
_UNIT = {"": "", "%": " %", "points": ""}
"""Behind a number; rows in points say so in their name, which keeps decimals under each other."""


@dataclass(frozen=True)
class Compared:
    """One table of the paper beside ours, with what is to be known about it."""

    table: TableView
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ComparedTarget:
    """All tables of the paper for one target."""

    target: str
    tables: tuple[Compared, ...]


@dataclass(frozen=True)
class PaperView:
    """The annex. `named` are the measures it prints, by section and target."""

    headline: str
    comparable: str
    targets: tuple[ComparedTarget, ...]
    named: Mapping[tuple[str, str], frozenset[MeasureKey]]

    def numbered(self, counters: Counters) -> PaperView:
        """The same with running numbers of tables."""
        return replace(
            self,
            targets=tuple(
                replace(
                    one,
                    tables=tuple(
                        replace(item, table=replace(item.table, number=next(counters.tables)))
                        for item in one.tables
                    ),
                )
                for one in self.targets
            ),
        )


def paper_view(payloads: Sequence[Payload], numbering: Numbering) -> PaperView | None:
    """The paper's figures beside those of the evidence; None if no corpus of the case is the paper's.

    Parameters
    ----------
    payloads : sequence of mapping
        As the evidence holds them; the section `system` says which corpora were read.
    numbering : mapping
        Ids of measures.
    """
    facts: Mapping[str, Any] = next(
        (p["content"]["result"].get("facts", {}) for p in payloads if p["content"]["section"] == "system"), {}
    )
    names = {str(corpus["role"]): str(corpus["name"]) for corpus in facts.get("corpora", ())}
    corpora = [corpus for corpus in facts.get("corpora", ()) if _is_the_papers(corpus)]
    asked = [
        str(target["name"])
        for target in facts.get("targets", ())
        if corpora and all(_same_question(corpus, str(target["name"])) for corpus in corpora)
    ]
    if not asked:
        return None
    papers = frozenset(str(corpus["role"]) for corpus in corpora)
    named: dict[tuple[str, str], set[MeasureKey]] = {}
    targets = []
    exact: list[str] = []
    for target in asked:
        beside = _beside(payloads, target, names, papers, numbering)
        targets.append(ComparedTarget(target, tuple(_compared(one, beside) for one in paper_tables())))
        for one in paper_tables():
            exact += filter(None, (_exactly(one, beside),))
            for cell in one.cells:
                if isinstance(beside.found(one, cell), Measure):
                    named.setdefault((cell.section, target), set()).add(cell.key)
    return PaperView(
        headline=_headline(facts.get("system", {}), corpora),
        comparable=_comparable(exact),
        targets=tuple(targets),
        named={place: frozenset(keys) for place, keys in named.items()},
    )


@dataclass(frozen=True)
class _Beside:
    """Where our figures for one target are looked up."""

    target: str
    contents: Mapping[str, Mapping[str, Any]]
    """Section -> what it recorded for the target."""
    measures: Mapping[tuple[str, MeasureKey], Measure]
    """By section and key."""
    names: Mapping[str, str]
    """Role -> name of its corpus."""
    papers: frozenset[str]
    """Roles whose corpus is the paper's."""
    numbering: Numbering

    def roles(self, name: str) -> tuple[str, ...]:
        """Roles of the corpora that a section read."""
        inputs = self.contents.get(name, {}).get("inputs", ())
        return tuple(match[1] for key in inputs if (match := _ROLE.fullmatch(str(key))))

    def found(self, table: PaperTable, cell: Cell) -> Measure | str:
        """The measure beside a figure, or why there is none."""
        if not cell.measure:
            return cell.why
        title = _title(cell.section)
        content = self.contents.get(cell.section)
        if content is None:
            return f"the section “{title}” is not in this document"
        result = content["result"]
        if result.get("status", "done") != "done":
            return f"{title}: {result.get('reason') or 'no reason was recorded'}"
        # Templates are no corpus; whatever else a section compares there has other keys.
        strange = [role for role in self.roles(cell.section) if table.part and role not in self.papers]
        if strange:
            return f"“{title}” looked at {self.names.get(strange[0], strange[0])}, not at the paper’s corpus"
        measure = self.measures.get((cell.section, cell.key))
        if measure is None:
            return f"“{title}” has no such measure with the parameters and terms used here"
        if _field(measure, cell) is None:
            return measure.note or _IN_WORDS.get(measure.status, "undefined")
        return measure


def _beside(
    payloads: Sequence[Payload],
    target: str,
    names: Mapping[str, str],
    papers: frozenset[str],
    numbering: Numbering,
) -> _Beside:
    wanted = {cell.section for table in paper_tables() for cell in table.cells}
    contents = {
        str(payload["content"]["section"]): payload["content"]
        for payload in payloads
        if payload["content"]["section"] in wanted and payload["content"]["target"] == target
    }
    every = (
        (name, raw if isinstance(raw, Measure) else Measure.model_validate(raw))
        for name, content in contents.items()
        for raw in content["result"].get("measures", ())
    )
    measures = {(name, measure.key): measure for name, measure in every}
    return _Beside(target, contents, measures, names, papers, numbering)


def _is_the_papers(corpus: Mapping[str, Any]) -> bool:
    """Whether a corpus is a part of the paper's: known by name, and built from the known files."""
    if corpus["name"] not in _CORPORA:
        return False
    pinned = {file.sha256 for name in known("paper").derived_from for file in known(name).files}
    return pinned <= set(map(str, corpus.get("facts", {}).get("files", {}).values()))


def _same_question(corpus: Mapping[str, Any], target: str) -> bool:
    """Whether a target counts as positive what the paper calls hateful."""
    counts = {str(label): rows for label, rows in known(str(corpus["name"])).classes}
    balance = corpus.get("balance", {}).get(target, {})
    return [balance.get("positive"), balance.get("negative")] == [counts.get("1"), counts.get("0")]


def _title(name: str) -> str:
    try:
        return section(name).title
    except FairnbError:
        return name


def _field(measure: Measure, cell: Cell) -> float | None:
    return measure.n if cell.field == "n" else measure.value


def _compared(one: PaperTable, beside: _Beside) -> Compared:
    levels = set()
    rows: list[RowView] = []
    remarks: list[str] = []
    missing: dict[str, list[str]] = {}
    for cell in one.cells:
        found = beside.found(one, cell)
        name = f"{cell.row}, {cell.column}"
        if isinstance(found, str):
            missing.setdefault(found, []).append(name)
            cells = (*_names(cell), _paper(cell), "not measured here", "–", "–")
            rows.append(RowView(cells, "", quiet=True, strong=False))
            continue
        if found.level is not None and cell.field == "value":
            levels.add(found.level)
        rows.append(
            RowView(
                (
                    *_names(cell),
                    _paper(cell),
                    _ours(found, cell),
                    _interval(found, cell),
                    _apart(found, cell),
                ),
                beside.numbering.get((cell.section, beside.target, found.key), ""),
                quiet=found.status is Status.TOO_FEW,
                strong=False,
            )
        )
        if cell.why:
            remarks.append(_remark(name, cell, found))
    remarks += [_missing(why, names, len(one.cells)) for why, names in missing.items()]
    level = f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "Interval"
    heads = [(head, "text") for head in one.heads]
    heads += [(head, "number") for head in ("Paper", "Ours", level, "Ours − paper")]
    table = TableView(
        one.title, tuple(heads), tuple(rows), _basis(one, beside), 0, refs=any(r.refs for r in rows)
    )
    return Compared(table, (*one.notes, *remarks))


def _names(cell: Cell) -> tuple[str, str]:
    marked = " *" if cell.measure and cell.why else ""
    return cell.row, f"{cell.column}{marked}"


def _remark(name: str, cell: Cell, found: Measure) -> str:
    said = f"{name} *: {cell.why}."
    if not cell.corrected:
        return said
    right = cell.model_copy(update={"value": cell.corrected})
    apart = _apart(found, right)
    return f"{said} The right figure is {cell.corrected}; ours minus it: {apart}."


def _missing(why: str, names: Sequence[str], of: int) -> str:
    which = "" if len(names) == of else f" ({'; '.join(names)})"
    return f"Not measured here{which}: {why}."


def _paper(cell: Cell) -> str:
    text = cell.value.replace("-", "−")
    signed = cell.derived and not text.startswith("−")
    return f"{'+' if signed else ''}{text}{_UNIT[cell.unit]}"


def _rounded(value: float, cell: Cell) -> Decimal:
    """A value of ours in the unit and with the decimals of the paper's figure."""
    scaled = value * (100 if cell.unit else 1)
    return Decimal(f"{scaled:.{cell.digits}f}")


def _written(value: Decimal, *, signed: bool = False) -> str:
    text = f"{abs(value):,}"
    if value == 0:
        return text
    return f"{'−' if value < 0 else '+' if signed else ''}{text}"


def _ours(found: Measure, cell: Cell) -> str:
    value = _rounded(_field(found, cell) or 0.0, cell)
    text = f"{_written(value, signed=cell.derived)}{_UNIT[cell.unit]}"
    return f"({text})" if found.status is Status.TOO_FEW else text


def _interval(found: Measure, cell: Cell) -> str:
    if found.low is None or found.high is None or found.status is Status.TOO_FEW or cell.field == "n":
        return "–"
    return " to ".join(_written(_rounded(end, cell)) for end in (found.low, found.high))


def _apart(found: Measure, cell: Cell) -> str:
    """Ours minus the paper's, of figures rounded alike: what lies below its decimals nobody knows."""
    ours = _rounded(_field(found, cell) or 0.0, cell)
    if cell.sign_only:
        return "same sign" if ours * cell.printed > 0 else "other sign"
    return _written(ours - cell.printed, signed=True)


def _basis(one: PaperTable, beside: _Beside) -> str:
    """What ours was measured on, and how far it can be compared."""
    said = []
    names = dict.fromkeys(
        beside.names[role]
        for cell in one.cells
        for role in beside.roles(cell.section)
        if one.part and role in beside.papers
    )
    if names:
        said.append(f"Ours: {', '.join(names)}.")
    exactly = _exactly(one, beside)
    data = [cell for cell in one.cells if cell.basis == "data"]
    if not exactly:
        said.append("Comparable in direction only.")
    elif len(data) == len(one.cells):
        said.append("Comparable exactly, but for which tweets are in the part.")
    else:
        said.append(
            f"{', '.join(dict.fromkeys(c.column for c in data))}: comparable exactly; else in direction only."
        )
    return " ".join(said)


def _exactly(one: PaperTable, beside: _Beside) -> str:
    """Which figures of a table depend on nothing that differs but the split; empty for none."""
    data = [
        cell for cell in one.cells if cell.basis == "data" and isinstance(beside.found(one, cell), Measure)
    ]
    if not data:
        return ""
    name = data[0].section
    if {beside.names[role] for role in beside.roles(name)} != {PARTS[one.part]}:
        return ""
    content = beside.contents.get(name, {})
    rule = content.get("result", {}).get("facts", {}).get("rule")
    if data[0].field != "n" and rule != "paper":
        return ""
    short = f"Table {one.id}"
    if all(cell.basis for cell in one.cells):
        return short
    return f"{', '.join(dict.fromkeys(cell.column.lower() for cell in data))} in {short}"


def _headline(system: Mapping[str, Any], corpora: Sequence[Mapping[str, Any]]) -> str:
    parts = " and ".join(f"{corpus['name']} ({int(corpus['rows']):,} tweets)" for corpus in corpora)
    drawn = ", drawn anew with its class counts" if any(c["name"] in PARTS.values() for c in corpora) else ""
    about = system.get("description", {}).get("title")
    name = f"{system.get('name') or 'another one'}{f', {about}' if about else ''}"
    return (
        "The figures below are not expected to be equal, for three things differ. The system: the paper assessed a "
        f"convolutional network whose weights are not published; here it is {name}. The word vectors: the paper’s "
        "network reads 300-dimensional GloVe vectors of the Common Crawl; here they are whatever this system holds. "
        "The split: the 38,023 tweets are the same, but which of them the paper tested on is not published; here "
        f"they are {parts}{drawn}."
    )


def _comparable(exact: Sequence[str]) -> str:
    which = list(dict.fromkeys(exact))
    if which:
        said = f"Comparable exactly, but for which tweets were drawn: {'; '.join(which)}. All else is comparable in "
        said += "direction only."
    else:
        said = "All rows are comparable in direction only."
    if not any(words.startswith("Table 4") for words in which):
        said += " Table 4 is comparable exactly where paper-train is matched by the lexicon’s rule “paper”."
    return (
        f"{said} Ours is rounded as the paper’s figure is before one is taken from the other; differences of shares "
        "are in percentage points. Rows named as a difference (A − B) are taken from the two figures above them. A "
        "dash for an interval means a count, or a value that is exact of its set. Tables 5 and 7 of the paper hold "
        "examples, and its Figures 1 to 6 come without numbers: nothing is set beside them. Its “hateful” means "
        "hateful or merely offensive, as do the labels used here."
    )
