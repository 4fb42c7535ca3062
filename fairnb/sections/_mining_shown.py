"""Tables and figure of the section on mining."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.sections._drawing import ACCENT, INK, label_axes, new_figure, write
from fairnb.sections._format import count, interval_of, level_of, percent, value_of
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._variant import parted

if TYPE_CHECKING:
    from fairnb.sections._result import Result

SOURCES = {"": "Look-up", "source=ner": "Recognition", "source=both": "Either"}
_DRAWN = 20
"""Subgroups in the figure."""
_LISTED = 60


def _mentions(result: Result) -> dict[tuple[str, str], dict[str, Measure]]:
    """(attribute, subgroup) -> variant -> measure, in the order of the results."""
    found: dict[tuple[str, str], dict[str, Measure]] = {}
    for measure in result.measures:
        if measure.measure == "mentions":
            found.setdefault((measure.attribute, measure.subgroup), {})[measure.variant] = measure
    order = list(dict.fromkeys(attribute for attribute, _ in found))
    return dict(sorted(found.items(), key=lambda item: order.index(item[0][0])))


def texts_of(mentions: Measure) -> int:
    """Texts that mention the subgroup."""
    return int(mentions.value or 0)


def mentions_table(result: Result) -> Table | None:
    """Texts per subgroup and source."""
    facts = result.facts
    variants = [v for v in SOURCES if v.removeprefix("source=") in facts["sources"] or not v]
    rows, absent = [], []
    for (attribute, subgroup), by in _mentions(result).items():
        if not any(measure.value for measure in by.values()):
            absent.append(f"{subgroup} ({attribute})")
            continue
        widest = by[variants[-1]] if variants[-1] in by else next(iter(by.values()))
        cells = [f"{attribute}: {subgroup}"]
        cells += [count(texts_of(by[v])) if v in by else "–" for v in variants]
        cells.append(percent(texts_of(widest) / widest.denominator) if widest.denominator else "–")
        rows.append(Row(tuple(cells), tuple(by[v].key for v in variants if v in by)))
    if not rows and not absent:
        return None
    headings = (*(SOURCES[v] for v in variants), "Share of texts")
    note = f"Texts of {facts['corpus_name']} that mention each subgroup; {count(facts['rows'])} texts."
    if facts["pipeline"]:
        note += f" Recognition: {facts['pipeline']}. – is not looked for by this source."
    if absent:
        note += f" Never mentioned: {', '.join(absent)}."
    return Table(
        "Texts that mention a subgroup",
        (Column("Subgroup"), *(Column(heading, "number") for heading in headings)),
        tuple(rows),
        note=note,
    )


def checks(result: Result, *, annex: bool) -> Table | None:
    """Precision and recall: all labels of the look-up in the body, everything in the annex."""
    rows = []
    found: dict[tuple[str, str, str, str], dict[str, Measure]] = {}
    for measure in result.measures:
        if measure.measure in ("precision", "recall"):
            key = (measure.attribute, measure.subgroup, measure.variant, measure.label)
            found.setdefault(key, {})[measure.measure] = measure
    for (attribute, subgroup, variant, label), by in found.items():
        if annex is (not variant and label == "all"):
            continue
        cells = [f"{attribute}: {subgroup}"]
        if annex:
            cells += [label, _named(variant)]
        keys: list[MeasureKey] = []
        for name in ("precision", "recall"):
            shown = by.get(name)
            cells += _cells(shown)
            keys += [shown.key] if shown is not None else []
        quiet = all(m.value is None or m.status is Status.TOO_FEW for m in by.values())
        rows.append(Row(tuple(cells), tuple(keys), quiet=quiet))
    if not rows:
        return None
    level = level_of(result.facts["level"])
    columns = [Column("Subgroup")]
    if annex:
        columns += [Column("Label"), Column("Source")]
    for name in ("Precision", "Recall"):
        columns += [Column(name, "number"), Column("n", "number"), Column(level, "number")]
    return Table(
        "Mentions found compared with what people marked" + (", by label and source" if annex else ""),
        tuple(columns),
        tuple(rows),
        note="Precision: right among those found. Recall: found among those marked; n is its denominator.",
        annex=annex,
    )


def _cells(measure: Measure | None) -> list[str]:
    if measure is None:
        return ["not measured", "–", "–"]
    value = value_of(measure) if measure.value is None else value_of(measure, 2)
    return [value, count(measure.denominator or 0), interval_of(measure, 2)]


def _named(variant: str) -> str:
    parts = ["" if part == "checked=review" else part for part in parted(variant)]
    name = SOURCES[next((part for part in parts if part), "")]
    return f"{name}, reviewed" if "checked=review" in variant else name


def suppressed_table(result: Result) -> Table | None:
    """Hits that do not count, and why."""
    rows = result.facts["suppressed"]
    if not rows:
        return None
    shown = rows[:_LISTED]
    rest = sum(row[3] for row in rows[_LISTED:])
    note = f"{count(sum(row[3] for row in rows))} hits were found and not counted."
    if rest:
        note += f" {count(rest)} of rarer kinds are not listed."
    names = {"lookup": "look-up", "ner": "recognition"}
    return Table(
        "Suppressed hits",
        (Column("Term"), Column("Why it does not count"), Column("Source"), Column("Hits", "number")),
        tuple(Row((term, reason, names[source], count(number))) for term, reason, source, number in shown),
        note=note,
        annex=True,
    )


def unmapped_table(result: Result) -> Table | None:
    """Named groups that stand for no subgroup."""
    unmapped = result.facts["unmapped"]
    if not unmapped["total"]:
        return None
    rows = [Row((text, kind or "unknown", count(number))) for text, kind, number in unmapped["rows"]]
    note = f"{count(unmapped['total'])} named groups stand for no religion, nationality or political group listed."
    if unmapped["rest"]:
        note += f" {count(unmapped['rest'])} of them are rare, and nothing is known of them: they are not printed."
    return Table(
        "Named groups that were not mapped",
        (Column("As written"), Column("What it names"), Column("Times", "number")),
        tuple(rows),
        note=note,
        annex=True,
    )


def mentions_plot(result: Result) -> Plot | None:
    """Bars of texts per subgroup: look-up full, recognition outlined."""
    variants = [variant for variant in ("", "source=ner") if not variant or "ner" in result.facts["sources"]]
    found = [(key, by) for key, by in _mentions(result).items() if any(m.value for m in by.values())]
    found.sort(key=lambda item: max(texts_of(m) for m in item[1].values()))
    hidden = max(0, len(found) - _DRAWN)
    shown = found[-_DRAWN:]
    if not shown:
        return None
    figure, (axis,) = new_figure(150, 16 + (5.0 if len(variants) == 1 else 6.4) * len(shown))
    thick = 0.62 / len(variants)
    highest = max(texts_of(m) for _, by in shown for m in by.values())
    for place, (_, by) in enumerate(shown):
        sources = [variant for variant in variants if variant in by]
        for number, variant in enumerate(sources):
            texts = texts_of(by[variant])
            middle = place + (0.5 * (len(sources) - 1) - number) * thick
            axis.barh(
                [middle],
                [texts],
                height=0.86 * thick,
                color=ACCENT if not variant else "white",
                edgecolor=ACCENT,
                hatch="" if not variant else "////",
                linewidth=0.8,
            )
            write(axis, texts + highest * 0.012, middle, count(texts), va="center", color=INK, fontsize=7)
    axis.set_ylim(-0.6, len(shown) - 0.4)
    axis.set_xlim(0, highest * 1.12)
    axis.set_yticks(range(len(shown)), [f"{subgroup} ({attribute})" for (attribute, subgroup), _ in shown])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "texts that mention it", "")
    how = "; full: look-up, hatched: recognition" if len(variants) > 1 else ", found by look-up"
    rest = f" {hidden} rarer subgroups are not drawn." if hidden else ""
    return Plot(
        figure,
        f"Texts of {result.facts['corpus_name']} that mention each subgroup{how}.{rest}",
        "; ".join(
            f"{subgroup} {', '.join(f'{SOURCES[v].lower()} {texts_of(by[v])}' for v in variants if v in by)}"
            for (_, subgroup), by in reversed(shown)
        )
        + ".",
    )
