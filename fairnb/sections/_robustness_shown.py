"""What a reader sees of the perturbations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, WASH, label_axes, new_figure
from fairnb.sections._format import count, interval_of, level_of, number, percent, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result, Verdict
from fairnb.sections._robustness_measures import UNPERTURBED, variant_of
from fairnb.sections._shift import interval_points, points
from fairnb.sections._shown import Column, Plot, Row, Table, one_table

_DRAWN_FROM = 10
"""Under fewer texts a share is not drawn."""
_DIRECTIONS = {
    "all": ("Changed, %", "Texts"),
    "positive": ("Flags lost, %", "Flagged"),
    "negative": ("Flags gained, %", "Not flagged"),
}
"""By label of the flip rate: how its share and its number of texts are headed."""
_SMALLEST_P = 0.001
"""Smaller ones are printed as smaller."""


def tables_of(result: Result) -> list[Table]:
    """Flips and accuracy of all texts; in the annex by subgroup, and what is assumed."""
    told = result.facts["perturbations"]
    if not any(one["texts"] for one in told):
        return [_assumed(told)]
    tables = [_flips(result, told), _accuracy(result, told, subgroups=False)]
    if any(measure.subgroup for measure in result.measures):
        tables += [_flips_by_subgroup(result, told), _accuracy(result, told, subgroups=True)]
    return [*tables, _assumed(told)]


def figures_of(result: Result) -> Mapping[str, Plot]:
    """Flip rates by direction, and accuracy against the margin."""
    plots = {"flips": _flip_plot(result), "accuracy": _accuracy_plot(result)}
    return {name: plot for name, plot in plots.items() if plot is not None}


def _rate(result: Result, one: Mapping[str, Any], label: str) -> Measure:
    return result.measure("flip_rate", label=label, variant=variant_of(one["name"]))


def _flips(result: Result, told: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for one in told:
        every, lost, gained = (_rate(result, one, label) for label in ("all", "positive", "negative"))
        cells = (
            one["title"],
            value_of(every, 1, scale=100),
            interval_of(every, 1, scale=100),
            _of(one["flags_lost"], lost),
            _of(one["flags_gained"], gained),
            count(one["texts"]),
            count(one["unchanged"]),
        )
        keys = (every.key, lost.key, gained.key)
        rows.append(Row(cells, keys, quiet=every.status is not Status.OK))
    columns = (
        Column("Perturbation"),
        Column("Decisions changed, %", "number"),
        Column(level_of(result.facts["level"]), "number"),
        Column("Flags lost", "number"),
        Column("Flags gained", "number"),
        Column("Texts", "number"),
        Column("Not changeable", "number"),
    )
    note = "Flags lost: of the texts flagged as they stand. Flags gained: of those not flagged."
    return Table("Decisions that a perturbation changes", columns, tuple(rows), note=note)


def _of(changed: int, rate: Measure) -> str:
    """Decisions that changed, of how many, and their share."""
    share = f" ({percent(rate.value)})" if rate.value is not None else ""
    return f"{count(changed)} of {count(rate.denominator or 0)}{share}"


def _accuracy(result: Result, told: Sequence[Mapping[str, Any]], *, subgroups: bool) -> Table:
    titles = {variant_of(one["name"]): one["title"] for one in told}
    verdicts = {candidate.measures[0]: candidate for candidate in result.candidates}
    rows = []
    for own in result.measures:
        if own.measure != "accuracy" or own.reference or bool(own.subgroup) != subgroups or not own.n:
            continue
        moved = _moved(result, own)
        before = "–" if own.null is None or own.value is None else percent(own.null)
        name = titles[own.variant] + (f", {own.subgroup}" if subgroups else "")
        cells: tuple[str, ...] = (
            name,
            before,
            value_of(own, 1, scale=100) + (" %" if own.value is not None else ""),
            points(moved.value),
            interval_points(moved),
            count(own.n),
        )
        if not subgroups:
            candidate = verdicts.get(moved.key)
            cells += (
                "–" if moved.p_adjusted is None else _p(moved.p_adjusted),
                "" if candidate is None else candidate.verdict.value,
            )
        quiet = moved.status is not Status.OK
        rows.append(Row(cells, (own.key, moved.key), quiet=quiet))
    columns = (
        Column("Perturbation" + (", group mentioned" if subgroups else "")),
        Column("Before", "number"),
        Column("After", "number"),
        Column("Difference", "number"),
        Column(level_of(result.facts["level"]), "number"),
        Column("Texts", "number"),
        *(() if subgroups else (Column("Adjusted p", "number"), Column("Verdict"))),
    )
    title = "Accuracy by group mentioned" if subgroups else "Accuracy before and after"
    note = "On the texts that the perturbation changed; the difference in percentage points."
    if not subgroups:
        note += " p is adjusted by Benjamini and Hochberg over all perturbations."
    return Table(title, columns, tuple(rows), note=note, annex=subgroups)


def _p(value: float) -> str:
    return number(value) if value >= _SMALLEST_P else f"< {number(_SMALLEST_P)}"


def _moved(result: Result, own: Measure) -> Measure:
    key = own.key._replace(reference=UNPERTURBED)
    return next(measure for measure in result.measures if measure.key == key)


def _flips_by_subgroup(result: Result, told: Sequence[Mapping[str, Any]]) -> Table:
    """One row for each perturbation and subgroup; beside all its texts those flagged before, and those not."""
    titles = {variant_of(one["name"]): one["title"] for one in told}
    found: dict[tuple[str, str], dict[str, Measure]] = {}
    for rate in result.measures:
        if rate.measure == "flip_rate" and rate.subgroup and rate.denominator:
            found.setdefault((rate.variant, rate.subgroup), {})[rate.label] = rate
    rows = tuple(
        Row(
            (
                f"{titles[variant]}, {subgroup}",
                *(cell for label in _DIRECTIONS for cell in _share(rates, label)),
            ),
            tuple(rates[label].key for label in _DIRECTIONS if label in rates),
            quiet=all(rate.status is not Status.OK for rate in rates.values()),
        )
        for (variant, subgroup), rates in found.items()
    )
    level = level_of(result.facts["level"])
    columns = [Column("Perturbation, group mentioned")]
    for heading, texts in _DIRECTIONS.values():
        columns += [Column(heading, "number"), Column(texts, "number")]
    note = f"Decisions that changed, with their {level}. A dash: fewer than five such texts."
    return Table("Decisions changed by group mentioned", tuple(columns), rows, note=note, annex=True)


def _share(rates: Mapping[str, Measure], label: str) -> tuple[str, str]:
    """A share with its interval, and the number of texts it is of."""
    rate = rates.get(label)
    if rate is None:
        return "–", "–"
    ends = interval_of(rate, 1, scale=100)
    value = value_of(rate, 1, scale=100)
    return value if ends == "–" else f"{value} ({ends})", count(rate.denominator or 0)


def _assumed(told: Sequence[Mapping[str, Any]]) -> Table:
    return one_table(
        "What is done, and why the label is taken to stay",
        ("Perturbation", "What is done", "Assumption"),
        [(one["title"], one["description"], one["assumption"]) for one in told],
    )


def _flip_plot(result: Result) -> Plot | None:
    rows: list[tuple[str, list[Measure | None]]] = []
    for one in reversed(result.facts["perturbations"]):
        pair = [_rate(result, one, label) for label in ("positive", "negative")]
        if any(map(_drawable, pair)):
            rows.append((one["title"], [rate if _drawable(rate) else None for rate in pair]))
    if not rows:
        return None
    figure, (axis,) = new_figure(150, 20 + 7.5 * len(rows))
    for place, (_, two) in enumerate(rows):
        for rate, shift, marker, fill in zip(two, (0.16, -0.16), "so", (ACCENT, "white"), strict=True):
            if rate is None:
                continue
            color = ACCENT if marker == "s" else MUTE
            ends = [100 * (end or 0.0) for end in (rate.low, rate.high)]
            height = place + shift
            axis.plot(ends, [height, height], color=color, linewidth=1.1)
            axis.plot(
                [100 * (rate.value or 0.0)],
                [height],
                marker,
                color=color,
                markersize=4.5,
                markerfacecolor=fill,
            )
    axis.set_xlim(left=-1)
    axis.set_ylim(-0.6, len(rows) - 0.4)
    axis.set_yticks(range(len(rows)), [title for title, _ in rows])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "% of decisions that change", "")
    said = "; ".join(
        f"{title}: "
        + ", ".join(
            f"{percent(rate.value)} of those {word}"
            for rate, word in zip(two, ("flagged", "not flagged"), strict=True)
            if rate is not None and rate.value is not None
        )
        for title, two in reversed(rows)
    )
    return Plot(
        figure,
        f"Decisions that change, with {level_of(result.facts['level'])}s. Filled squares: texts flagged as they "
        f"stand; open circles: texts not flagged. Not drawn under {_DRAWN_FROM} texts.",
        f"{said}.",
    )


def _drawable(measure: Measure) -> bool:
    return measure.value is not None and measure.low is not None and (measure.denominator or 0) >= _DRAWN_FROM


def _accuracy_plot(result: Result) -> Plot | None:
    rows = []
    for one in reversed(result.facts["perturbations"]):
        moved = result.measure(
            "accuracy", reference=UNPERTURBED, label="all", variant=variant_of(one["name"])
        )
        if _drawable(moved):
            rows.append((one["title"], moved))
    if not rows:
        return None
    margin = 100 * result.facts["margin"]
    marked = {c.measures[0] for c in result.candidates if c.verdict is Verdict.EXCEEDS}
    figure, (axis,) = new_figure(150, 20 + 5.4 * len(rows))
    axis.axvspan(-margin, margin, color=WASH, linewidth=0)
    axis.axvline(0.0, color=RULE, linewidth=0.9)
    for place, (_, moved) in enumerate(rows):
        found = moved.key in marked
        color = ACCENT if found else MUTE
        ends = [100 * (end or 0.0) for end in (moved.low, moved.high)]
        axis.plot(ends, [place, place], color=color, linewidth=1.1)
        axis.plot(
            [100 * (moved.value or 0.0)],
            [place],
            "D",
            color=color,
            markersize=4.5,
            markerfacecolor=color if found else "white",
        )
    axis.set_ylim(-0.7, len(rows) - 0.3)
    axis.set_yticks(range(len(rows)), [title for title, _ in rows])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "accuracy after - before, points", "")
    said = "; ".join(f"{title} {points(moved.value)}" for title, moved in reversed(rows))
    return Plot(
        figure,
        f"Accuracy after a perturbation less that before, with {level_of(result.facts['level'])}s, in percentage "
        "points. Shaded: within the margin; filled: an observation.",
        f"{said}.",
    )
