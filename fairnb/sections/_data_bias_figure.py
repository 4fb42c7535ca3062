"""Figure of the section on data bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, SECOND, label_axes, new_figure, write
from fairnb.sections._format import between, count, level_of, number
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._shown import Plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairnb.sections._result import Result


def ratio_plot(result: Result, name: str, shown: Sequence[Measure], of: int) -> Plot:
    """Ratios of frequencies with their intervals, those that stand out filled."""
    figure, (axis,) = new_figure(150, 16 + 5.2 * len(shown))
    margin = result.facts["ratio_margin"]
    axis.axvspan(1 / margin, margin, color="#eef1f5", linewidth=0)
    axis.axvline(1.0, color=RULE, linewidth=0.9)
    marked: set[MeasureKey] = {finding.measures[0] for finding in result.findings}
    lowest = min(measure.low or 1.0 for measure in shown)
    highest = max(measure.high or 1.0 for measure in shown)
    for place, measure in enumerate(shown):
        low, value, high = measure.low or 0.0, measure.value or 0.0, measure.high or 0.0
        stands_out = measure.key in marked
        color = (ACCENT if value < 1 else SECOND) if stands_out else MUTE
        axis.plot([low, high], [place, place], color=color, linewidth=1.1)
        axis.plot(
            [value],
            [place],
            "o",
            color=color,
            markersize=4.5,
            markerfacecolor=color if stands_out else "white",
        )
        write(
            axis,
            highest * 1.12,
            place,
            f"{number(value, 2)} ({between(low, high, 2)})",
            va="center",
            color=INK,
        )
    axis.set_xscale("log")
    axis.set_xlim(lowest / 1.12, highest * 1.1)
    axis.set_ylim(-0.7, len(shown) - 0.3)
    axis.set_yticks(range(len(shown)), [f"{m.subgroup}  {count(m.denominator or 0)}" for m in shown])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    ticks = [
        tick for tick in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if lowest / 1.12 <= tick <= highest * 1.1
    ]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_xticks([], minor=True)
    label_axes(axis, "frequency in positive / frequency in negative texts", "")
    hidden = of - len(shown)
    rest = f" {hidden} with too few mentions or an undefined ratio are not drawn." if hidden else ""
    return Plot(
        figure,
        f"Ratio of frequencies, {name}; texts that mention it beside the name, {level_of(result.facts['level'])}s; "
        f"shaded: not reported; filled: differs from one after adjustment.{rest}",
        "; ".join(f"{m.subgroup} {number(m.value or 0, 2)}" for m in shown) + ".",
    )
