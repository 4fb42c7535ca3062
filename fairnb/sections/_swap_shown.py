"""What a reader sees of the swaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairnb.sections._drawing import INK, RULE, label_axes, new_figure, write
from fairnb.sections._format import count, interval_of, level_of, number, percent, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result, Severity
from fairnb.sections._shift import FEWEST_CLUSTERS, forest, interval_points, points
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._variant import joined, parted

_GREYS = ("#2f4b6e", "#e9edf2", "#9db4cc")
_PLACEBO = "placebo"
_FEWEST_DRAWN = 10


def tables_of(result: Result) -> list[Table]:
    """Shifts and favour in the body; shares by direction and label, flips and skipped words in the annex."""
    level = level_of(result.facts["level"])
    tables = [_shift_table(result, level), _favour_table(result, level, body=True)]
    tables += [_favour_table(result, level, body=False), _flip_table(result, level), _pairs_table(result)]
    if result.facts["skipped"]:
        tables.append(_skipped_table(result))
    return tables


def as_much(placebo: Measure | None, value: float | None) -> bool:
    """Whether a swap within the group moved scores as far as the swap did, in either direction."""
    if placebo is None or placebo.value is None or placebo.status is Status.TOO_FEW or value is None:
        return False
    return abs(placebo.value) >= abs(value)


def _find(result: Result, measure: str, **key: str) -> Measure | None:
    try:
        return result.measure(measure, **key)
    except KeyError:
        return None


def _shifts(result: Result) -> list[Measure]:
    return [m for m in result.measures if m.measure == "mean_shift" and not m.variant.startswith(_PLACEBO)]


def _direction(measure: Measure) -> str:
    return f"{measure.subgroup} to {measure.variant.removeprefix('to=')}"


def _shift_table(result: Result, level: str) -> Table:
    verdicts = {c.measures[0]: c for c in result.candidates}
    rows = []
    for shift in _shifts(result):
        if not shift.n:
            continue
        other = shift.variant.removeprefix("to=")
        pair = next(
            one
            for one in result.facts["pairs"]
            if one["attribute"] == shift.attribute
            and {one["first"], one["second"]} == {shift.subgroup, other}
        )
        placebo = _find(
            result,
            "mean_shift",
            attribute=shift.attribute,
            subgroup=shift.subgroup,
            label=shift.label,
            variant=joined(_PLACEBO, pair["suffix"]),
        )
        candidate = verdicts.get(shift.key)
        verdict = "" if candidate is None else candidate.verdict.value
        if candidate is not None and candidate.reason:
            verdict += f": {candidate.reason}"
        rows.append(
            Row(
                (
                    f"{_direction(shift)}, {shift.label}",
                    count(shift.n or 0),
                    points(shift.value) if shift.value is not None else value_of(shift),
                    interval_points(shift),
                    _placebo(placebo, shift.value),
                    verdict,
                ),
                (shift.key, *((placebo.key,) if placebo is not None else ())),
                quiet=shift.value is None or shift.status is Status.TOO_FEW,
            )
        )
    columns = (
        Column("Swap, label of the texts"),
        Column("Texts", "number"),
        Column("Mean shift", "number"),
        Column(level, "number"),
        Column("Placebo", "number"),
        Column("Verdict"),
    )
    note = (
        "Score after the swap minus before, in percentage points. Placebo: a swap within the same group; in brackets "
        f"from fewer than {FEWEST_CLUSTERS} texts, too few to compare. † It moved scores as far as the swap or "
        "further: the swap is no evidence about the group."
    )
    return Table("Shift of the mean score", columns, tuple(rows), note=note)


def _placebo(placebo: Measure | None, shift: float | None) -> str:
    if placebo is None or placebo.value is None:
        return "–"
    if placebo.status is Status.TOO_FEW:
        return f"({points(placebo.value)})"
    return points(placebo.value) + (" †" if as_much(placebo, shift) else "")


def _favours(result: Result, *, body: bool) -> list[dict[str, Any]]:
    """Rows of shares: pooled over directions for all texts, or everything else."""
    shown = []
    for pair in result.facts["pairs"]:
        ways = [("both directions", pair["suffix"])]
        ways += [(f"{a} to {b}", joined(f"to={b}", pair["suffix"])) for a, b in _ways(pair)]
        shown += [
            {"pair": pair, "words": words, "variant": variant, "label": label}
            for words, variant in ways
            for label in ("all", "positive", "negative")
            if (variant == pair["suffix"] and label == "all") == body
        ]
    return shown


def _ways(pair: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(pair["first"], pair["second"]), (pair["second"], pair["first"])]


def _favour_table(result: Result, level: str, *, body: bool) -> Table:
    rows = []
    for one in _favours(result, body=body):
        pair = one["pair"]
        key = {"attribute": pair["attribute"], "label": one["label"], "variant": one["variant"]}
        groups = (pair["first"], pair["second"], "no_change")
        shares = [_find(result, "favour", subgroup=group, **key) for group in groups]
        difference = _find(result, "favour", subgroup=pair["first"], reference=pair["second"], **key)
        if difference is None or not difference.n:
            continue
        first, second, same = (percent(m.value) if m and m.value is not None else "–" for m in shares)
        name = f"{pair['first']} / {pair['second']}"
        rows.append(
            Row(
                (
                    name if body else f"{name}, {one['words']}, {one['label']}",
                    first,
                    second,
                    same,
                    points(difference.value),
                    interval_points(difference),
                    count(difference.n or 0),
                    *((count(pair["mixed"]),) if body else ()),
                ),
                (difference.key, *(m.key for m in shares if m is not None)),
                quiet=difference.status is not Status.OK,
            )
        )
    columns = (
        Column("Groups"),
        Column("Favours first", "number"),
        Column("Favours second", "number"),
        Column("No change", "number"),
        Column("Difference", "number"),
        Column(level, "number"),
        Column("Texts", "number"),
        *((Column("Mixed", "number"),) if body else ()),
    )
    mixed = " Mixed: texts that name both groups, in none of the shares." if body else ""
    note = (
        "Section 6.3 of the paper: 55.9 % female, 43.4 % male, 0.7 % no change. Rounded to four decimals."
        f"{mixed} For a positive text, favoured is flagged with more confidence."
    )
    title = "Whom the swap favours" if body else "Whom the swap favours, by direction and label"
    return Table(title, columns, tuple(rows), note=note, annex=not body)


def _flip_table(result: Result, level: str) -> Table:
    told = {(one["attribute"], one["subgroup"], one["to"]): one for one in result.facts["flips"]}
    rows = []
    for flip in (m for m in result.measures if m.measure == "flip_rate"):
        to = parted(flip.variant)[0].removeprefix("to=")
        if not flip.denominator:
            continue
        which = told[flip.attribute, flip.subgroup, to] if flip.label == "all" else {"up": "–", "down": "–"}
        cells = (
            f"{flip.subgroup} to {to}, {flip.label}",
            value_of(flip, 2, scale=100),
            interval_of(flip, 2, scale=100),
            str(which["up"]),
            str(which["down"]),
            "–" if flip.p_adjusted is None else number(flip.p_adjusted, 4),
            count(flip.denominator),
        )
        rows.append(Row(cells, (flip.key,), quiet=flip.value is None))
    columns = (
        Column("Swap, label of the texts"),
        Column("Decisions changed, %", "number"),
        Column(level, "number"),
        Column("To flagged", "number"),
        Column("To not flagged", "number"),
        Column("Adjusted p", "number"),
        Column("Texts", "number"),
    )
    note = "p: as many to flagged as to not flagged, adjusted with all exploratory tests of the section."
    return Table("Decisions that the swap changes", columns, tuple(rows), note=note, annex=True)


def _pairs_table(result: Result) -> Table:
    rows = [
        Row(
            (
                f"{pair['first']} / {pair['second']}",
                *(count(pair["swapped"].get(f"{a} to {b}", 0)) for a, b in _ways(pair)),
                count(pair["mixed"]),
                count(pair["left_alone"]),
                count(pair["untouched"]),
            )
        )
        for pair in result.facts["pairs"]
    ]
    columns = (
        Column("Groups"),
        Column("First only", "number"),
        Column("Second only", "number"),
        Column("Both", "number"),
        Column("Named, left alone", "number"),
        Column("Not named", "number"),
    )
    return Table("What was swapped", columns, tuple(rows), annex=True)


def _skipped_table(result: Result) -> Table:
    columns = (Column("Word"), Column("Attribute"), Column("Times", "number"), Column("Why"))
    rows = tuple(
        Row((one["word"], one["attribute"], count(one["n"]), one["reason"]))
        for one in result.facts["skipped"]
    )
    exceptions = "; ".join(
        f"{pair}: {', '.join(words)}" for pair, words in result.facts["exceptions"].items() if words
    )
    note = (
        f"Words that two swaps do not bring back, for several share a counterpart: {exceptions}."
        if exceptions
        else ""
    )
    return Table("Words left as they are", columns, rows, note=note, annex=True)


def favour_plot(result: Result) -> Plot | None:
    """Shares of favour as one bar per pair, direction by direction."""
    bars: list[tuple[str, list[float], int]] = []
    for pair in result.facts["pairs"]:
        ways = [(f"{pair['first']} / {pair['second']}", pair["suffix"])]
        ways += [(f"{a} to {b}", joined(f"to={b}", pair["suffix"])) for a, b in _ways(pair)]
        for words, variant in ways:
            shares = [
                _find(result, "favour", attribute=pair["attribute"], subgroup=g, label="all", variant=variant)
                for g in (pair["first"], "no_change", pair["second"])
            ]
            drawn = [m for m in shares if m is not None and (m.denominator or 0) >= _FEWEST_DRAWN]
            if len(drawn) == len(shares) and all(m.value is not None for m in drawn):
                bars.append((words, [m.value or 0.0 for m in drawn], drawn[0].denominator or 0))
    if not bars:
        return None
    figure, (axis,) = new_figure(150, 20 + 7 * len(bars))
    for place, (_, values, n) in enumerate(reversed(bars)):
        left = 0.0
        for share, color in zip(values, _GREYS, strict=True):
            axis.barh(
                place, 100 * share, left=left, color=color, edgecolor="white", height=0.62, linewidth=0.6
            )
            if share > 0.08:
                ink = "white" if color == _GREYS[0] else INK
                write(
                    axis, left + 50 * share, place, f"{100 * share:.0f}", ha="center", va="center", color=ink
                )
            left += 100 * share
        write(axis, 101, place, f"n = {count(n)}", va="center", color=INK)
    axis.axvline(50, color=RULE, linewidth=0.8, linestyle=(0, (3, 3)))
    axis.set_xlim(0, 100)
    axis.set_yticks(range(len(bars)), [name for name, _, _ in reversed(bars)])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "% of swapped texts: first group favoured | no change | second group favoured", "")
    said = "; ".join(
        f"{name}: {percent(v[0])} first, {percent(v[1])} no change, {percent(v[2])} second"
        for name, v, _ in bars
    )
    return Plot(
        figure,
        "Whom the swap favours: first group (dark), no change (white), second group (grey); for each pair both "
        "directions together, then each. First and second are as the pair is named. "
        f"Not drawn under {_FEWEST_DRAWN} texts.",
        said + ".",
    )


def figures_of(result: Result) -> Mapping[str, Plot | None]:
    """Shifts with their margin."""
    rows = {f"{_direction(m)}, {m.label}": m for m in _shifts(result) if m.status is Status.OK}
    marked = {one.measures[0] for one in result.findings if one.severity is not Severity.OBSERVATION}
    caption = "Shift of the mean score by a swap, in percentage points."
    return {
        "shift": forest(
            rows, result.facts["margin"], "score after the swap - before, points", caption, marked
        )
    }
