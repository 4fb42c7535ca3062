"""Figures of the section on groups: mean scores by label, and differences with the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, SECOND, WASH, label_axes, new_figure, write
from fairnb.sections._format import count, level_of, number, percent, signed
from fairnb.sections._group_bench import EVERYONE_ELSE
from fairnb.sections._group_questions import TERM, TESTED, words
from fairnb.sections._group_shown import Shown, is_measured
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result, Verdict
from fairnb.sections._shown import Plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

_DRAWN = (Status.OK, Status.INDICATIVE, Status.EXACT, Status.CENSUS)


def figures(result: Result) -> Mapping[str, Plot]:
    """Bars of mean scores and a forest plot per reference, as far as there is anything to draw."""
    shown = Shown(result)
    found = {"mean_scores": _bars(shown), "differences": _forest(shown, declared=False)}
    if any(group["reference"] for group in result.facts["groups"]):
        found["pairs"] = _forest(shown, declared=True)
    return {name: plot for name, plot in found.items() if plot is not None}


def _title(attribute: str, subgroup: str) -> str:
    if subgroup == EVERYONE_ELSE:
        return "no listed term" if attribute == TERM else f"no {words(attribute)}"
    return f"“{subgroup}”" if attribute == TERM else subgroup


def _bars(shown: Shown) -> Plot | None:
    """Mean score of negative and positive texts, side by side, by group."""
    rows: list[tuple[str, Measure | None, Measure | None]] = []
    for attribute in shown.attributes:
        block = []
        for name in (*(group["subgroup"] for group in shown.groups(attribute)), EVERYONE_ELSE):
            pair = [shown.get("mean_score", attribute, name, label) for label in ("negative", "positive")]
            drawn = [
                measure if measure is not None and measure.status in _DRAWN else None for measure in pair
            ]
            if any(drawn):
                block.append((_title(attribute, name), drawn[0], drawn[1]))
        if len(block) > 1:
            rows += [("", None, None)] if rows else []
            rows += block
    if not rows:
        return None
    figure, (axis,) = new_figure(150, 20 + 7.0 * len(rows))
    style = (("negative texts", "white", "////", -0.19), ("positive texts", "#8fa9c4", "", 0.19))
    words_of = []
    for place, (title, *pair) in enumerate(rows):
        for measure, (label, fill, hatch, shift) in zip(pair, style, strict=True):
            if measure is None or measure.value is None:
                continue
            value = 100 * measure.value
            axis.barh(place + shift, value, 0.34, color=fill, edgecolor=ACCENT, hatch=hatch, linewidth=0.8)
            if measure.low is not None and measure.high is not None:
                axis.plot(
                    [100 * measure.low, 100 * measure.high], [place + shift] * 2, color=INK, linewidth=1.1
                )
            end = 100 * (measure.high if measure.high is not None else measure.value)
            write(
                axis,
                end + 1,
                place + shift,
                f"{number(value, 1)}  n {count(measure.n or 0)}",
                va="center",
                fontsize=6.5,
            )
            words_of.append(f"{title}, {label}: {percent(measure.value)}")
    axis.set_yticks([place for place, row in enumerate(rows) if row[0]], [row[0] for row in rows if row[0]])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    axis.set(xlim=(0, 112), ylim=(len(rows) - 0.4, -0.6))
    axis.set_xticks(range(0, 101, 20))
    label_axes(axis, "mean predicted probability, percent", "")
    return Plot(
        figure,
        f"Mean predicted probability of negative (hatched) and positive (filled) texts by mentioned group, "
        f"{level_of(shown.facts['level'])}s; groups with fewer than ten texts of a label are not drawn.",
        "; ".join(words_of) + ".",
    )


def _forest(shown: Shown, *, declared: bool) -> Plot | None:
    """Differences of both error rates, with the margin as a band."""
    rows: list[tuple[str, list[Measure | None]]] = []
    for attribute in shown.attributes:
        block = []
        for group in shown.groups(attribute):
            reference = group["reference"] if declared else EVERYONE_ELSE
            if reference:
                title = _title(attribute, group["subgroup"])
                found = [
                    shown.get(spec.name, attribute, group["subgroup"], spec.label, reference)
                    for spec in TESTED
                ]
                if any(one is not None and one.value is not None for one in found):
                    block.append((f"{title} – {reference}" if declared else title, found))
        if block:
            rows += [("", [None, None])] if rows else []
            rows += block
    values = [one for _, pair in rows for one in pair if one is not None and one.value is not None]
    if not values:
        return None
    figure, axes = new_figure(160, 22 + 5.4 * len(rows), columns=2)
    ends = [
        abs(100 * (end or 0.0))
        for one in values
        if one.status in _DRAWN
        for end in (one.low, one.value, one.high)
    ]
    reach = min(105.0, 1.12 * max([*ends, 3 * 100 * shown.facts["margin"]]))
    titles = ("negative texts flagged (FPR)", "positive texts flagged (TPR)")
    for column, (axis, title) in enumerate(zip(axes, titles, strict=True)):
        margin = 100 * shown.facts["margin"]
        axis.axvspan(-margin, margin, color=WASH, linewidth=0)
        axis.axvline(0.0, color=RULE, linewidth=0.9)
        for place, (_, pair) in enumerate(rows):
            if pair[column] is not None:
                _point(shown, axis, pair[column], place, "o" if column == 0 else "s", reach)  # type: ignore[arg-type]
        axis.set(xlim=(-reach, reach), ylim=(len(rows) - 0.4, -0.6))
        places = [place for place, row in enumerate(rows) if row[0]]
        axis.set_yticks(places, [rows[place][0] for place in places] if column == 0 else [""] * len(places))
        axis.tick_params(axis="y", length=0, labelcolor=INK)
        label_axes(axis, "difference, points", "", title)
    against = (
        "the declared reference subgroup" if declared else "texts that mention no subgroup of the attribute"
    )
    return Plot(
        figure,
        f"Differences of both error rates from {against}, {level_of(shown.facts['level'])}s; shaded: the margin. Filled: "
        "a verdict was reached (large: exceeds the margin, small: within it); hollow: inconclusive, or not tested; "
        "dashed: too few texts for a verdict.",
        "; ".join(
            f"{one.subgroup}, {'FPR' if one.measure == 'false_positive_rate' else 'TPR'}: {signed(100 * one.value, 1)}"
            for one in values
            if one.value is not None
        )
        + " points.",
    )


def _point(shown: Shown, axis: Axes, measure: Measure, place: int, marker: str, reach: float) -> None:
    if measure.value is None:
        return
    candidate = shown.candidates.get(measure.key)
    verdict = None if candidate is None else candidate.verdict
    decided = verdict in (Verdict.EXCEEDS, Verdict.WITHIN)
    few = measure.status is Status.TOO_FEW or not is_measured(candidate)
    color = SECOND if verdict is Verdict.EXCEEDS else ACCENT if decided else MUTE
    low, high = (
        max(-reach, min(reach, 100 * (end if end is not None else measure.value)))
        for end in (measure.low, measure.high)
    )
    line = (0, (2, 2)) if few else "solid"
    axis.plot([low, high], [place, place], color=color, linewidth=1.2 if decided else 0.9, linestyle=line)
    axis.plot(
        [100 * measure.value],
        [place],
        marker,
        color=color,
        markersize=6.5 if verdict is Verdict.EXCEEDS else 4.2,
        markerfacecolor=color if decided else "white",
    )
