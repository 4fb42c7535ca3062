"""Tables and the figure of the section on ranking, made from its result alone."""

from __future__ import annotations

from collections.abc import Mapping

from fairnb.sections._auc_measures import KINDS, NULL, OVERALL, SUMMARIES, TERM
from fairnb.sections._format import count, interval_of, level_of, number, signed, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._variant import joined

HEADS = {"subgroup": "Subgroup", "bpsn": "BPSN", "bnsp": "BNSP"}
_SILENT = (Status.TOO_FEW, Status.UNDEFINED, Status.NOT_MEASURED)
_SETS = {"": "subgroups", TERM: "identity terms"}
_NAMES = {
    "bias_auc_subgroup": "Subgroup areas, power mean",
    "bias_auc_bpsn": "BPSN areas, power mean",
    "bias_auc_bnsp": "BNSP areas, power mean",
    "bias_auc": "Mean of these and the overall area",
    "ami_score_b": "Score B: half overall, half mean of all areas",
}


def tables(result: Result) -> list[Table]:
    """Areas by group and what they average to; differences and gaps for the annex."""
    found = [
        *(_areas(result, attribute) for attribute in _SETS),
        _summaries(result),
        *(_differences(result, attribute) for attribute in _SETS),
    ]
    return [table for table in found if table.rows]


def _groups(result: Result, attribute: str) -> list[dict[str, str]]:
    """Groups of a set that somebody mentions."""
    return [
        group
        for group in result.facts["groups"]
        if not group["absent"] and (group["attribute"] == TERM) == (attribute == TERM)
    ]


def _get(result: Result, name: str, group: Mapping[str, str], **key: str) -> Measure:
    return result.measure(
        name, attribute=group["attribute"], subgroup=group["subgroup"], variant=result.facts["prefix"], **key
    )


def _title(group: Mapping[str, str]) -> str:
    if group["attribute"] == TERM:
        return f"“{group['subgroup']}”"
    return f"{group['attribute'].replace('_', ' ')}: {group['subgroup']}"


def _three(result: Result, group: Mapping[str, str]) -> list[Measure]:
    return [_get(result, f"{kind}_auc", group, label="all") for kind in KINDS]


def _areas(result: Result, attribute: str) -> Table:
    level = level_of(result.facts["level"])
    columns = [Column("Term" if attribute == TERM else "Group"), Column("Texts", "number")]
    for kind in KINDS:
        columns += [Column(HEADS[kind], "number"), Column(level, "number")]
    marked = {finding.measures[0]._replace(reference="") for finding in result.findings}
    rows, few = [], []
    for group in _groups(result, attribute):
        three = _three(result, group)
        if all(measure.status in _SILENT for measure in three):
            few.append(group["subgroup"])
            continue
        cells = [
            text
            for measure in three
            for text in (value_of(measure) + (" ▲" if measure.key in marked else ""), interval_of(measure))
        ]
        rows.append(
            Row((_title(group), count(int(group["n"])), *cells), tuple(measure.key for measure in three))
        )
    overall = result.measure("overall_auc", label="all", variant=result.facts["prefix"])
    if rows:
        cells = [value_of(overall), interval_of(overall), "–", "–", "–", "–"]
        rows.append(Row(("All texts", count(overall.n or 0), *cells), (overall.key,), strong=True))
    absent = [
        group["subgroup"]
        for group in result.facts["groups"]
        if group["absent"] and (group["attribute"] == TERM) == (attribute == TERM)
    ]
    note = (
        f"On {result.facts['corpus']}. ▲ differs from the area of all texts after adjustment, by "
        f"{number(result.facts['margin'], 2)} or more."
    )
    if few:
        note += f" Fewer than ten texts of a class: {', '.join(few)}."
    if absent:
        note += f" Never mentioned: {', '.join(absent)}."
    return Table(f"Areas under the curve by {_SETS[attribute][:-1]}", tuple(columns), tuple(rows), note)


def _summaries(result: Result) -> Table:
    level = level_of(result.facts["level"])
    columns = (
        Column("Average"),
        Column("Over"),
        Column("Value", "number"),
        Column(level, "number"),
        Column("By chance alone", "number"),
        Column(f"Its middle {100 * result.facts['level']:g} %", "number"),
        Column("Groups", "number"),
    )
    prefix = result.facts["prefix"]
    rows, notes = [], []
    for attribute, named in _SETS.items():
        for name in SUMMARIES:
            found = result.measure(name, attribute=attribute, label="all", variant=prefix)
            wanted = found.key._replace(variant=joined(prefix, NULL))
            law = next((one for one in result.measures if one.key == wanted), None)
            total = sum(
                (group["attribute"] == TERM) == (attribute == TERM) for group in result.facts["groups"]
            )
            if not total:
                continue
            partial = f"; over {found.denominator} of {total}" if found.denominator != total else ""
            rows.append(
                Row(
                    (
                        _NAMES[name] + (partial if name == "ami_score_b" else ""),
                        named,
                        value_of(found),
                        interval_of(found),
                        "–" if law is None else value_of(law),
                        "–" if law is None else interval_of(law),
                        f"{found.denominator} of {total}",
                    ),
                    (found.key,) if law is None else (found.key, law.key),
                    quiet=found.value is None,
                )
            )
            if found.note and found.note not in notes:
                notes.append(f"{named.capitalize()}: {found.note}.")
    note = "Groups with fewer than ten texts of a class are in no average: over fewer than all, Score B is not that "
    note += "of the AMI task. " + " ".join(dict.fromkeys(notes))
    return Table("What the areas average to", columns, tuple(rows), note)


def _differences(result: Result, attribute: str) -> Table:
    level = level_of(result.facts["level"])
    heads = (*(f"{HEADS[kind]} minus overall" for kind in KINDS), "AEG negative", "AEG positive")
    columns = (
        Column("Term" if attribute == TERM else "Group"),
        *(Column(head, "number") for head in heads),
    )
    rows = []
    for group in _groups(result, attribute):
        found = [_get(result, f"{kind}_auc", group, label="all", reference=OVERALL) for kind in KINDS]
        found += [_get(result, f"aeg_{name}", group, label=name) for name in ("negative", "positive")]
        rows.append(
            Row(
                (_title(group), *map(_with_interval, found)),
                tuple(measure.key for measure in found),
                quiet=all(measure.status in _SILENT for measure in found),
            )
        )
    note = (
        f"With {level}s. AEG above zero: the group's texts of that label are scored higher than the others'."
    )
    title = f"Differences of areas and equality gaps by {_SETS[attribute][:-1]}"
    return Table(title, columns, tuple(rows), note, annex=True)


def _with_interval(measure: Measure) -> str:
    """A difference with its sign and interval; neither where nothing is said."""
    if measure.value is None or measure.status is Status.TOO_FEW:
        return value_of(measure)
    ends = interval_of(measure)
    return signed(measure.value) if ends == "–" else f"{signed(measure.value)} ({ends})"


def heat_map(result: Result) -> Plot | None:
    """Areas as cells with their values, dark where low; rows in the order of the lexicon."""
    from matplotlib.patches import Rectangle

    from fairnb.sections._drawing import INK, MUTE, new_figure, write

    rows = []
    for attribute in _SETS:
        block = [(_title(group), _three(result, group)) for group in _groups(result, attribute)]
        rows += [row for row in block if any(one.status not in _SILENT for one in row[1])]
    if not rows:
        return None
    values = [
        one.value for _, three in rows for one in three if one.value is not None and one.status not in _SILENT
    ]
    lowest = min(0.5, *values)
    figure, (axis,) = new_figure(110, 18 + 5.6 * len(rows))
    for place, (_, three) in enumerate(rows):
        for column, measure in enumerate(three):
            known = measure.value is not None and measure.status not in _SILENT
            share = ((measure.value or 0.0) - lowest) / (1 - lowest) if known else 1.0
            shade = _shade(share) if known else (1.0, 1.0, 1.0)
            axis.add_patch(
                Rectangle(
                    (column, place), 1, 1, facecolor=shade, edgecolor="white", hatch=None if known else "..."
                )
            )
            text = number(measure.value or 0.0, 2) if known else "–"
            color = "white" if known and share < 0.55 else INK if known else MUTE
            write(axis, column + 0.5, place + 0.52, text, ha="center", va="center", color=color)
    axis.set(xlim=(0, len(KINDS)), ylim=(len(rows), 0))
    axis.set_yticks([place + 0.5 for place in range(len(rows))], [title for title, _ in rows])
    axis.set_xticks([0.5, 1.5, 2.5], [HEADS[kind] for kind in KINDS])
    axis.xaxis.tick_top()
    axis.tick_params(length=0, labelcolor=INK)
    for side in axis.spines.values():
        side.set_visible(False)
    overall = result.measure("overall_auc", label="all", variant=result.facts["prefix"])
    return Plot(
        figure,
        f"Areas under the curve by group; the darker, the lower. All texts: {value_of(overall)}. A dash: fewer than "
        "ten texts of a class.",
        "; ".join(
            f"{title}: {', '.join(f'{HEADS[kind]} {value_of(one, 2)}' for kind, one in zip(KINDS, three, strict=True))}"
            for title, three in rows
        )
        + ".",
    )


def _shade(share: float) -> tuple[float, float, float]:
    """From the accent, dark, to near white; even steps in grey, too."""
    dark, light = (0.07, 0.20, 0.34), (0.95, 0.97, 0.99)
    return (
        dark[0] + share * (light[0] - dark[0]),
        dark[1] + share * (light[1] - dark[1]),
        dark[2] + share * (light[2] - dark[2]),
    )
