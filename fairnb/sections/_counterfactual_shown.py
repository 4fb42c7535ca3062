"""What a reader sees of the counterfactuals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, SECOND, label_axes, new_figure
from fairnb.sections._format import count, interval_of, level_of, percent, signed, value_of
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Result
from fairnb.sections._shift import forest, interval_points, points
from fairnb.sections._shown import Column, Plot, Row, Table

_LABELS = ("negative", "positive")
_MOST_TEMPLATES = 14


def tables_of(result: Result) -> list[Table]:
    """Scores and shifts, CB; in the annex all references, templates and terms."""
    tables = []
    sources = {group["prefix"]: group["source"] for group in reversed(result.facts["groups"])}
    for prefix in dict.fromkeys(group["prefix"] for group in result.facts["groups"]):
        named = sources[prefix] if prefix else "templates"
        tables.append(_mean_table(result, prefix, named))
        tables.append(_cb_table(result, prefix, named, declared=True))
        tables.append(_cb_table(result, prefix, named, declared=False))
        tables += _template_tables(result, prefix, named)
        terms = _term_table(result, prefix, named)
        tables += [terms] if terms.rows else []
    return tables


def _find(result: Result, measure: str, **key: str) -> Measure | None:
    try:
        return result.measure(measure, **key)
    except KeyError:
        return None


def _own(result: Result, prefix: str) -> list[dict[str, Any]]:
    return [group for group in result.facts["groups"] if group["prefix"] == prefix]


def _mean_table(result: Result, prefix: str, named: str) -> Table:
    marked = {finding.measures[0] for finding in result.findings}
    rows = []
    for group in _own(result, prefix):
        for subgroup in (group["reference"], *(s for s in group["subgroups"] if s != group["reference"])):
            cells: list[str] = []
            keys: list[MeasureKey] = []
            for label in _LABELS:
                key = {
                    "attribute": group["attribute"],
                    "subgroup": subgroup,
                    "label": label,
                    "variant": prefix,
                }
                mean = _find(result, "mean_score", **key)
                shift = _find(result, "mean_shift", reference=group["reference"], **key)
                cells.append("–" if mean is None else value_of(mean, 1, scale=100))
                if shift is None:
                    cells += ["reference", ""]
                else:
                    mark = " ▲" if shift.key in marked else ""
                    cells += [points(shift.value) + mark, interval_points(shift)]
                keys += [m.key for m in (mean, shift) if m is not None]
            strong = subgroup == group["reference"]
            share = _flagged(result, prefix, group["attribute"], subgroup)
            cells.insert(3, share)
            rows.append(Row((f"{group['attribute']}: {subgroup}", *cells), tuple(keys), strong=strong))
    level = level_of(result.facts["level"])
    columns = [Column("Subgroup")]
    for label in _LABELS:
        columns += [
            Column(f"{label.capitalize()}, %", "number"),
            Column("Shift", "number"),
            Column(level, "number"),
        ]
    columns.insert(4, Column("Flagged", "number"))
    note = (
        "The paper's Tables 8 and 9. Mean score in percent; shift: minus the reference in sentences of one skeleton, "
        "in points, interval over templates (none where they are fewer than ten). Flagged: share of the negative "
        "sentences, each of which should have been let through. ▲ stands out."
    )
    return Table(f"Mean scores by subgroup, {named}", tuple(columns), tuple(rows), note=note)


def _flagged(result: Result, prefix: str, attribute: str, subgroup: str) -> str:
    """Share of the subgroup's negative sentences that are flagged."""
    own = [
        one
        for one in result.facts["terms"]
        if (one["prefix"], one["attribute"], one["subgroup"]) == (prefix, attribute, subgroup)
    ]
    n = sum(one["negative_n"] for one in own)
    return percent(sum(one["negative_flagged"] for one in own) / n) if n else "–"


def _cb_table(result: Result, prefix: str, named: str, *, declared: bool) -> Table:
    rows = []
    for group in _own(result, prefix):
        for reference in group["subgroups"]:
            if (reference == group["reference"]) != declared:
                continue
            key = {"attribute": group["attribute"], "reference": reference, "variant": prefix}
            found = [
                _find(result, name, label=label, **key)
                for name, label in (
                    ("cb_sum", "all"),
                    ("cb_mean", "all"),
                    ("cb_positive", "positive"),
                    ("cb_negative", "negative"),
                )
            ]
            cells = tuple("–" if m is None or m.value is None else signed(m.value, 4) for m in found)
            n = count(found[0].n or 0) if found[0] is not None else "0"
            rows.append(
                Row(
                    (f"{group['attribute']}: {reference}", *cells, n),
                    tuple(m.key for m in found if m is not None),
                )
            )
    columns = (
        Column("Reference"),
        Column("CB, sum", "number"),
        Column("CB, mean", "number"),
        Column("Positive part", "number"),
        Column("Negative part", "number"),
        Column("Sentences", "number"),
    )
    note = (
        "Equation (1); above zero favours the reference. Parts of opposite sign cancel: then all talk of a group "
        "scores higher, or lower, and CB alone would not show it. The paper prints the sum: −0.0067 with Islam, "
        "0.0737 with male as the reference."
    )
    title = f"Counterfactual bias, {named}" + ("" if declared else ", other references")
    return Table(title, columns, tuple(rows), note=note, annex=not declared)


def _template_tables(result: Result, prefix: str, named: str) -> Iterator[Table]:
    """One table for each attribute: a row for each template, a column for each subgroup."""
    own = [one for one in result.facts["templates"] if one["prefix"] == prefix]
    for attribute, reference in dict.fromkeys((one["attribute"], one["reference"]) for one in own):
        asked = [one for one in own if (one["attribute"], one["reference"]) == (attribute, reference)]
        subgroups = list(dict.fromkeys(one["subgroup"] for one in asked))
        rows = []
        for label, template in dict.fromkeys((one["label"], one["template"]) for one in asked):
            found = {
                one["subgroup"]: one for one in asked if (one["label"], one["template"]) == (label, template)
            }
            pairs = sorted({one["n"] for one in found.values()})
            rows.append(
                Row(
                    (
                        template,
                        label,
                        *(points(found[name]["shift"]) if name in found else "–" for name in subgroups),
                        count(pairs[0]) if len(pairs) == 1 else f"{count(pairs[0])} to {count(pairs[-1])}",
                    )
                )
            )
        columns = (
            Column("Template"),
            Column("Label"),
            *(Column(name, "number") for name in subgroups),
            Column("Pairs", "number"),
        )
        yield Table(
            f"Shift per template, {attribute}, {named}",
            columns,
            tuple(rows),
            note=f"Mean score minus that of {reference} in the same sentences, in percentage points.",
            annex=True,
        )


def _term_table(result: Result, prefix: str, named: str) -> Table:
    rows = []
    for one in result.facts["terms"]:
        if one["prefix"] != prefix or not one["term"]:
            continue
        cells = [f"{one['attribute']}: {one['subgroup']}", one["term"]]
        for label in _LABELS:
            n, flagged, mean = (one[f"{label}_{what}"] for what in ("n", "flagged", "mean"))
            cells += [percent(flagged / n) if n else "–", "–" if mean is None else percent(mean), count(n)]
        rows.append(Row(tuple(cells)))
    columns = [Column("Subgroup"), Column("Term")]
    for label in _LABELS:
        columns += [
            Column(f"{label.capitalize()} flagged", "number"),
            Column("Mean score", "number"),
            Column("n", "number"),
        ]
    note = "Negative sentences flagged are errors: each should have been let through."
    return Table(f"Sentences flagged per term, {named}", tuple(columns), tuple(rows), note=note, annex=True)


def figures_of(result: Result) -> Mapping[str, Plot]:
    """Means, shifts, and the shifts per template of the gravest findings."""
    plots: dict[str, Plot] = {}
    marked = {finding.measures[0] for finding in result.findings}
    for prefix in dict.fromkeys(group["prefix"] for group in result.facts["groups"]):
        name = "synthetic" if prefix else "templates"
        plot = _means_plot(result, prefix, name)
        if plot is not None:
            plots[f"means_{name}"] = plot
        rows = {
            f"{m.subgroup}, {m.label}": m
            for m in result.measures
            if m.measure == "mean_shift" and m.variant == prefix and m.status is Status.OK
        }
        caption = f"Mean score minus that of the reference subgroup, {name}."
        shifts = forest(rows, result.facts["margin"], "subgroup - reference, points", caption, marked)
        if shifts is not None:
            plots[f"shift_{name}"] = shifts
    per_template = _template_plot(result)
    if per_template is not None:
        plots["per_template"] = per_template
    return plots


def _means_plot(result: Result, prefix: str, name: str) -> Plot | None:
    rows: list[tuple[str, list[Measure]]] = []
    for group in _own(result, prefix):
        for subgroup in group["subgroups"]:
            key = {"attribute": group["attribute"], "subgroup": subgroup, "variant": prefix}
            found = [_find(result, "mean_score", label=label, **key) for label in _LABELS]
            shown = [m for m in found if m is not None and m.value is not None]
            if shown:
                mark = " (ref.)" if subgroup == group["reference"] else ""
                rows.append((f"{subgroup}{mark}", shown))
    if not rows:
        return None
    figure, (axis,) = new_figure(150, 20 + 5 * len(rows))
    for place, (_, measures) in enumerate(reversed(rows)):
        axis.axhline(place, color=RULE, linewidth=0.4)
        for measure in measures:
            negative = measure.label == "negative"
            color = ACCENT if negative else SECOND
            value = 100 * (measure.value or 0.0)
            if measure.low is not None and measure.high is not None:
                axis.plot([100 * measure.low, 100 * measure.high], [place, place], color=color, linewidth=1.2)
            face = "white" if negative else color
            axis.plot(
                [value], [place], "o" if negative else "s", color=color, markersize=4.8, markerfacecolor=face
            )
    axis.set_xlim(-2, 102)
    axis.set_ylim(-0.7, len(rows) - 0.3)
    axis.set_yticks(range(len(rows)), [label for label, _ in reversed(rows)])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "mean score, %", "")
    said = "; ".join(
        f"{label}: "
        + ", ".join(f"{m.label} {value_of(m, 1, scale=100)} ({interval_of(m, 1, scale=100)})" for m in ms)
        for label, ms in rows
    )
    caption = f"Mean scores by subgroup, {name}: open circles negative sentences, filled squares positive."
    return Plot(figure, caption, said + ".")


def _template_plot(result: Result) -> Plot | None:
    """The gravest findings, template by template: a census finding has one side of zero."""
    shifts = [finding for finding in result.findings if finding.measures[0].measure == "mean_shift"]
    of_the_set = [finding for finding in shifts if finding.measures[0].variant]
    chosen = of_the_set[:4] or shifts[:2]
    panels: list[tuple[MeasureKey, Sequence[dict[str, Any]]]] = []
    for finding in chosen:
        key = finding.measures[0]
        rows = [
            one
            for one in result.facts["templates"]
            if (one["attribute"], one["subgroup"], one["reference"], one["label"], one["prefix"])
            == (key.attribute, key.subgroup, key.reference, key.label, key.variant)
        ]
        panels.append((key, sorted(rows, key=lambda one: -one["shift"])[:_MOST_TEMPLATES]))
    lines = [(key, one) for key, rows in panels for one in rows]
    if not lines:
        return None
    figure, (axis,) = new_figure(150, 18 + 4.4 * len(lines))
    axis.axvline(0.0, color=RULE, linewidth=0.9)
    for place, (key, one) in enumerate(reversed(lines)):
        shape = "o" if key.label == "negative" else "s"
        axis.plot([0, 100 * one["shift"]], [place, place], color=MUTE, linewidth=0.9)
        axis.plot([100 * one["shift"]], [place], shape, color=ACCENT, markersize=4.2)
    names = [f"{key.subgroup}, {key.label}: {one['template']}" for key, one in reversed(lines)]
    axis.set_yticks(range(len(lines)), names)
    axis.set_ylim(-0.7, len(lines) - 0.3)
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "subgroup - reference, points", "")
    said = "; ".join(f"{key.subgroup} {one['template']} {points(one['shift'])}" for key, one in lines)
    return Plot(figure, "The gravest findings, template by template.", said + ".")
