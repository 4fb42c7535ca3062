"""The cover's facts and the annexes: where every value came from, and with what it was computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fairnb.report._changes import Change, cover_sentences, in_words, minute, titled
from fairnb.report._render import Counters, Numbering, Payload, interval_text, value_text
from fairnb.report._views import RowView, TableView
from fairnb.sections import Measure, MeasureKey

GLOSSARY = (
    ("System", "The text classifier under assessment. All that is asked of it is a score per text."),
    (
        "Target",
        "One yes/no question put to the system; P(positive) is the score it gives to the answer yes.",
    ),
    ("Positive, negative", "The flagged class of the target, and the other."),
    (
        "Subgroup",
        "A group of people that a text mentions. Nothing is known or assumed about who wrote the text.",
    ),
    ("Mention", "A text that refers to a subgroup, found by looking up terms or annotated in the corpus."),
    (
        "Measure",
        "One number with its interval, the texts it rests on and its method; each has an id such as M-0001.",
    ),
    (
        "Interval",
        "The values that the data at hand do not rule out at the stated level; it covers sampling, not bias "
        "in how texts were collected or labelled.",
    ),
    (
        "Simultaneous interval",
        "An interval so wide that all differences tested in a section hold theirs at once; severity follows from it.",
    ),
    ("Margin", "The smallest difference that those who set the criteria said would matter."),
    ("Exceeds the margin", "The difference passed its test and is larger than the margin."),
    ("Within the margin", "The whole interval lies inside the margin: a larger difference is ruled out."),
    (
        "Inconclusive",
        "Neither of these: the data cannot tell. It is no sign of fairness.",
    ),
    ("Not measured", "The question could not be put; the reason stands beside it."),
    (
        "Severity",
        "How grave a finding is: high if the nearer end of its simultaneous interval is 0.20 or more away from no "
        "difference, medium from 0.10, else low; an observation was not among the differences declared for the "
        "test, or is no evidence about a group.",
    ),
    (
        "Part of alpha",
        "The share of the audit's permitted rate of false findings that is given to one section beforehand.",
    ),
    (
        "Reference",
        "What a subgroup is compared with: another subgroup, or everyone else; the row says which.",
    ),
    (
        "Everyone else",
        "The texts that mention no subgroup of the attribute. Texts that mention another one are left out: they may "
        "be wronged, too.",
    ),
    (
        "Template",
        "A sentence with a gap into which words for different groups are put, so that nothing else differs.",
    ),
    (
        "Placebo",
        "A swap of words within the same group (man by guy): how far scores move when words change and the group "
        "does not.",
    ),
    (
        "BPSN",
        "Background positive, subgroup negative: how often a positive text without the subgroup is scored above a "
        "negative one with it; low where harmless texts about the subgroup score like positive ones.",
    ),
    (
        "BNSP",
        "Background negative, subgroup positive: how often a positive text with the subgroup is scored above a "
        "negative one without it; low where positive texts about the subgroup score like harmless ones.",
    ),
    (
        "Power mean",
        "A mean of the subgroups' values that leans towards the lowest, so that one badly served subgroup shows.",
    ),
    ("Too few", "Fewer texts than a statement needs. The value is shown in brackets or left out."),
    (
        "Evidence",
        "The machine-readable record of the assessment, attached to this document, from which every printed "
        "figure can be checked.",
    ),
    (
        "Tally",
        "Exact counts of labels and scores by subgroup, from which the measures follow without the texts.",
    ),
    (
        "The paper",
        "A. Singh, J. Chen, L. Zhang, A. Rasekh, I. Golbin and A. S. Rao, Independent Ethical Assessment of Text "
        "Classification Models: A Hate Speech Detection Case Study (2021). Where a section names a section, table or "
        "equation of the paper as its source, it is of this one.",
    ),
    ("SHA-256", "A digest that changes if a single character of a file changes."),
)

_BAD = {"too_few": "too few", "not_measured": "not measured"}
ROLES = {"train": "Training", "test": "Test", "synthetic": "Synthetic"}
_EVENTS = {
    "case_file": "Case file read or changed",
    "score": "Corpus scored",
    "parameter": "Parameter changed",
    "run": "Section computed",
    "replay": "Stored result shown again",
    "failed": "Section failed",
    "ignored": "Setting without effect",
}


@dataclass(frozen=True)
class MeasureGroup:
    """Measures of one section and target that no table prints."""

    title: str
    target: str
    table: TableView


def cover_facts(
    said: Mapping[str, Any],
    system: Mapping[str, Any],
    payloads: Sequence[Payload],
    found: Sequence[Change] = (),
) -> tuple[tuple[str, str], ...]:
    """Rows of the cover, in the order of a letterhead; what is not stated says so."""
    engagement = said.get("engagement", {})
    criteria = said.get("criteria", {})
    about = system.get("system", {})
    description = about.get("description", {})
    called = str(about.get("name", ""))
    name = " ".join(part for part in (called, _version(description).removeprefix(f"{called}==")) if part)
    developer = engagement.get("developer", {})
    corpora = [
        f"{ROLES.get(corpus['role'], corpus['role'])} corpus {corpus['name']}: {corpus['rows']:,} texts"
        for corpus in system.get("corpora", ())
    ]
    agreed = f"margin {criteria['margin']:g}" if "margin" in criteria else ""
    if criteria.get("set_by"):
        agreed += f"; set by {criteria['set_by']}"
    elif agreed:
        agreed += "; who set it is not stated"
    if criteria.get("set_on"):
        agreed += f", {criteria['set_on']}"
    moved = cover_sentences(found)
    rows = (
        ("Addressee", str(engagement.get("addressee", "")) or "not stated"),
        ("System", name or "not stated"),
        ("Developer", _party(developer) or "not stated"),
        ("Period", _period(payloads)),
        ("Data", "; ".join(corpora) or "none"),
        ("Criteria", agreed or "not stated"),
        *((("Changed", moved),) if moved else ()),
        ("Independence", str(engagement.get("independence", "")) or "not stated"),
        ("Restriction", _restriction(engagement)),
    )
    return rows


def digests(evidence: Mapping[str, Any], digest: str) -> tuple[tuple[str, str], ...]:
    """Names and SHA-256 of what the document rests on."""
    case = evidence.get("case", {})
    rows = [("Evidence", digest)]
    if case.get("digest"):
        rows.append(("Case", str(case["digest"])))
    rows += [(str(name), str(value)) for name, value in sorted(case.get("files", {}).items())]
    return tuple(rows)


def parameters(payloads: Sequence[Payload], counters: Counters) -> TableView:
    """Every parameter with the value used and where it came from: of each section one row for each origin."""
    rows = []
    for payload in payloads:
        content = payload["content"]
        origins, declared = content.get("origins", {}), content.get("declared", {})
        by_origin: dict[tuple[bool, str], list[str]] = {}
        for name, value in content.get("parameters", {}).items():
            changed = name in declared and declared[name] != value
            origin = f"notebook; case file {in_words(declared[name])}" if changed else origins.get(name, "")
            by_origin.setdefault((changed, origin), []).append(f"{name}:\u00a0{in_words(value)}")
        # What somebody set comes before what nobody touched.
        for (changed, origin), said in sorted(
            by_origin.items(), key=lambda one: (one[0][1] == "default", one[0])
        ):
            rows.append(RowView((titled(content), "; ".join(said), origin), "", quiet=False, strong=changed))
    return _view(
        "Parameters of the sections", ("Section", "Parameters, with their values", "Origin"), rows, counters
    )


def measures(
    payloads: Sequence[Payload], numbering: Numbering, printed: Mapping[tuple[str, str], Set[MeasureKey]]
) -> tuple[MeasureGroup, ...]:
    """Measures that no table prints, with id, value, interval, n and status; empty columns are left out.

    Parameters
    ----------
    payloads : sequence of mapping
    numbering : mapping
    printed : mapping of (section, target) to set of MeasureKey
        What tables print already.
    """
    groups: list[MeasureGroup] = []
    for payload in payloads:
        content = payload["content"]
        name, target = str(content["section"]), str(content["target"] or "")
        every = (
            item if isinstance(item, Measure) else Measure.model_validate(item)
            for item in content["result"].get("measures", ())
        )
        found = [item for item in every if item.key not in printed.get((name, target), ())]
        if not found:
            continue
        heads = [("Id", "mono"), ("Measure", "text")]
        parts = ("attribute", "subgroup", "reference", "label", "variant")
        used = [part for part in parts if any(getattr(item, part) for item in found)]
        heads += [(part.capitalize(), "text") for part in used]
        heads += [("Value", "number"), ("Interval", "number"), ("n", "number"), ("Status", "text")]
        rows = tuple(
            RowView(
                (
                    numbering.get((name, target, item.key), ""),
                    item.measure,
                    *(str(getattr(item, part)) for part in used),
                    value_text(item),
                    interval_text(item),
                    "" if item.n is None else f"{item.n:,}",
                    _BAD.get(item.status.value, item.status.value),
                ),
                "",
                quiet=item.value is None or item.status.value in _BAD,
                strong=False,
            )
            for item in found
        )
        methods = sorted({item.interval for item in found if item.interval})
        levels = sorted({item.level for item in found if item.level is not None})
        note = ""
        if methods:
            level = ", ".join(f"{100 * level:g} %" for level in levels)
            note = f"Intervals: {', '.join(methods)}{f', {level}' if level else ''}."
        table = TableView("", tuple(heads), rows, note, 0, refs=False)
        groups.append(MeasureGroup(str(content.get("title") or name), target, table))
    return tuple(groups)


def environment(payloads: Sequence[Payload], counters: Counters) -> TableView:
    """Versions the results were computed with; more than one where sections were run at different times."""
    seen: dict[str, list[str]] = {}
    for payload in payloads:
        context = payload.get("context", {})
        if context.get("machine"):
            seen.setdefault("machine", []).append(str(context["machine"]))
        for name, version in context.get("versions", {}).items():
            seen.setdefault(str(name), []).append(str(version))
    rows = [
        RowView((name, ", ".join(dict.fromkeys(values))), "", quiet=False, strong=False)
        for name, values in sorted(seen.items(), key=lambda item: (item[0] != "fairnb", item[0]))
    ]
    return _view("Software the results were computed with", ("Software", "Version"), rows, counters)


def log_table(log: Iterable[Mapping[str, Any]], counters: Counters) -> TableView:
    """The run log in short: how often each kind of event, from when to when."""
    rows = []
    entries = sorted(log, key=lambda entry: str(entry.get("event", "")))
    for event, group in groupby(entries, key=lambda entry: str(entry.get("event", ""))):
        times = sorted(str(entry.get("time", "")) for entry in group)
        rows.append(
            RowView(
                (_EVENTS.get(event, event), f"{len(times):,}", minute(times[0]), minute(times[-1])),
                "",
                quiet=False,
                strong=False,
            )
        )
    view = _view("Run log", ("Event", "Times", "First", "Last"), rows, counters)
    columns = tuple((name, "number" if name == "Times" else kind) for name, kind in view.columns)
    return TableView(view.title, columns, view.rows, view.note, view.number, view.refs)


def log_note(log: Sequence[Mapping[str, Any]]) -> str:
    """How the log can be checked; empty without a log."""
    if not log:
        return ""
    return (
        f"The log has {len(log):,} lines, each holding the digest of the one before it; the last names "
        f"{str(log[-1].get('previous', ''))[:16]}… as its predecessor. It is part of the evidence."
    )


def _view(title: str, heads: Sequence[str], rows: Sequence[RowView], counters: Counters) -> TableView:
    number = next(counters.tables) if rows else 0
    return TableView(
        title,
        tuple((name, "text") for name in heads),
        tuple(rows),
        "",
        number,
        refs=False,
    )


def _party(said: Mapping[str, Any]) -> str:
    return ", ".join(str(said[key]) for key in ("name", "organisation") if said.get(key))


def _version(description: Mapping[str, Any]) -> str:
    return str(description.get("version") or "")


def _restriction(engagement: Mapping[str, Any]) -> str:
    said = str(engagement.get("restriction", "")).strip()
    return said or "About this version of the system only; no other restriction is stated"


def _period(payloads: Sequence[Payload]) -> str:
    days = sorted({str(payload.get("context", {}).get("created", ""))[:10] for payload in payloads} - {""})
    if not days:
        return "not recorded"
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
