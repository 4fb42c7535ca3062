"""How far scores move when only the group named changes: measured, put to the test, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, WASH, label_axes, new_figure, write
from fairnb.sections._format import between, count, level_of, margin_points, signed
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._shown import Plot
from fairnb.sections._support import supported
from fairnb.sections._verdicts import Judged, Question

if TYPE_CHECKING:
    from fairnb.statistics import ClusterMean, Estimate

FEWEST_CLUSTERS = 10
"""Fewer independent texts or templates are counted, not tested."""
NON_TIES = 10
"""Fewer pairs that differ are shown, not tested by their signs."""
WORDS = {1: "positive", 0: "negative"}
Label = Literal["positive", "negative"]


@dataclass(frozen=True, eq=False)
class Shift:
    """Paired differences of P(positive) and which of them depend on each other."""

    key: MeasureKey
    values: tuple[float, ...]
    clusters: tuple[str, ...]

    def mean(self, level: float) -> ClusterMean:
        """Mean difference with its cluster-robust interval."""
        from fairnb.statistics import cluster_mean

        return cluster_mean(self.values, self.clusters, level)

    def measure(self, level: float, *, family: Literal["C", "D"], method: str) -> Measure:
        """The mean difference as a measure."""
        found = self.mean(level)
        return supported(
            found.estimate,
            support=found.clusters,
            minimum=FEWEST_CLUSTERS,
            **self.key._asdict(),
            n=found.n,
            denominator=found.n,
            clusters=found.clusters,
            null=0.0,
            p=found.p if family == "C" and found.clusters >= FEWEST_CLUSTERS else None,
            family=family,
            method=method,
        )

    def question(self, criterion: str, statement: str, level: float) -> Question:
        """The mean difference put to the test."""
        found = self.mean(level)
        enough = found.clusters >= FEWEST_CLUSTERS

        def at(wanted: float) -> Estimate:
            return self.mean(wanted).estimate

        return Question(
            criterion,
            statement,
            self.key,
            at,
            found.p if enough else None,
            found.n,
            found.standard_error if enough else None,
            untested=""
            if enough
            else f"{count(found.clusters)} independent texts: tested from {FEWEST_CLUSTERS}",
            points=True,
        )


def answered(measures: Sequence[Measure], judged: Sequence[Judged]) -> list[Measure]:
    """Measures with p, adjusted p and detectable difference of what was tested."""
    answers = {answer.question.key: answer for answer in judged}
    told = []
    for measure in measures:
        answer = answers.get(measure.key)
        more: dict[str, Any] = {}
        if answer is not None:
            # What was not tested has no p: it would be read as one of the family.
            p = None if answer.p_adjusted is None else answer.question.p
            more = {"p": p, "p_adjusted": answer.p_adjusted, "detectable": answer.detectable}
        told.append(measure.model_copy(update=more))
    return told


def points(value: float | None, digits: int = 1) -> str:
    """A difference of probabilities in signed percentage points."""
    return "–" if value is None else signed(100 * value, digits)


def interval_points(measure: Measure, digits: int = 1) -> str:
    """An interval in percentage points; a dash where none is shown."""
    if measure.value is None or measure.status is Status.TOO_FEW:
        return "–"
    return between(measure.low, measure.high, digits, scale=100)


def spoken_interval(estimate: Estimate) -> str:
    """``95 % interval 1.2 to 3.4, `` or nothing where there is none."""
    if estimate.low is None:
        return ""
    return f"{level_of(estimate.level)} {between(estimate.low, estimate.high, 1, scale=100)}, "


def forest(
    rows: Mapping[str, Measure], margin: float, x: str, caption: str, marked: set[MeasureKey]
) -> Plot | None:
    """Differences with their intervals and the band inside which they do not matter."""
    shown = {
        name: measure
        for name, measure in reversed(list(rows.items()))
        if measure.value is not None and measure.low is not None and measure.high is not None
    }
    if not shown:
        return None
    figure, (axis,) = new_figure(150, 18 + 5.4 * len(shown))
    axis.axvspan(-100 * margin, 100 * margin, color=WASH, linewidth=0)
    axis.axvline(0.0, color=RULE, linewidth=0.9)
    ends = [100 * end for m in shown.values() for end in (m.low or 0.0, m.high or 0.0)]
    right = max(*ends, 100 * margin)
    left = min(*ends, -100 * margin)
    for place, measure in enumerate(shown.values()):
        value, low, high = (100 * (end or 0.0) for end in (measure.value, measure.low, measure.high))
        found = measure.key in marked
        color = ACCENT if found else MUTE
        axis.plot([low, high], [place, place], color=color, linewidth=1.1)
        axis.plot(
            [value],
            [place],
            "o" if measure.label == "negative" else "s",
            color=color,
            markersize=4.5,
            markerfacecolor=color if found else "white",
        )
        text = f"{points(measure.value)} ({interval_points(measure)})"
        write(axis, right + 0.03 * (right - left), place, text, va="center", color=INK)
    axis.set_xlim(left - 0.02 * (right - left), right + 0.02 * (right - left))
    axis.set_ylim(-0.7, len(shown) - 0.3)
    axis.set_yticks(range(len(shown)), list(shown))
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, x, "")
    hidden = len(rows) - len(shown)
    rest = f" {hidden} without an interval are not drawn." if hidden else ""
    return Plot(
        figure,
        f"{caption} Circles: negative texts, squares: positive; shaded: within the margin of "
        f"{margin_points(margin)}; filled: a finding.{rest}",
        "; ".join(f"{name} {points(m.value)}" for name, m in reversed(shown.items())) + ".",
    )
