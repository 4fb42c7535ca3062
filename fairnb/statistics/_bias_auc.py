"""Areas under the curve by subgroup, against the background, and their difference from everyone's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts, cumulated
from fairnb.statistics._auc import (
    MannWhitney,
    Sample,
    auc_interval,
    from_squares,
    mann_whitney,
    placed,
    ranked,
)
from fairnb.statistics._differences import mover_difference
from fairnb.statistics._estimate import Estimate, undefined
from fairnb.statistics._keys import Floats
from fairnb.statistics._memo import of_entries

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

_LOW = np.uint64(0xFFFFFFFF)
_Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupAuc:
    """An area under the curve of one group, and its difference from everyone's."""

    area: Estimate
    difference: Estimate
    """Area minus everyone's area."""
    positives: int
    negatives: int
    correlation: float
    """Of the two areas, which share rows: DeLong's placement values summed per row."""


@dataclass(frozen=True, slots=True)
class BiasAucs:
    """The three areas of Borkan et al. for several groups; by name of the group."""

    overall: Estimate
    subgroup: dict[str, GroupAuc]
    """Positive against negative rows of the group."""
    bpsn: dict[str, GroupAuc]
    """Background positive, subgroup negative: low where the group's negatives are scored too high."""
    bnsp: dict[str, GroupAuc]
    """Background negative, subgroup positive: low where the group's positives are scored too low."""


@dataclass(frozen=True, slots=True)
class _Side:
    """All rows of one label, seen against those of the other label."""

    keys: npt.NDArray[np.uint64]
    total: int
    less: _Index
    """For each entry, how many entries of the other label are below it."""
    upto: _Index
    """And how many are not above it."""
    rows_less: Counts
    rows_upto: Counts
    """The same in rows."""
    influence: Floats
    """What one row of each entry moves everyone's area by, away from its value."""
    running: Floats
    """Running totals of rows x influence, with a leading 0."""


@dataclass(frozen=True, slots=True)
class _Members:
    """The entries of several groups of one label, group after group."""

    group: _Index
    """Position of the group; shape (k,)."""
    counts: Counts
    totals: Counts
    """Rows of each group."""
    first: _Index
    last: _Index
    """Where the entries of each group that has any begin and end (inclusive)."""
    filled: _Index
    """Positions of the groups that have any."""
    place: _Index
    """Of each entry among everyone's of that label."""
    twice: Counts
    """2 x rows of the group's other label below each entry + rows equal to it."""

    def summed(self, values: npt.NDArray[Any]) -> Floats:
        """Sum of rows x values by group."""
        sums = np.bincount(self.group, self.counts * values, len(self.totals))
        # Without entries NumPy counts in integers.
        return sums.astype(np.float64)


def bias_aucs(tally: Tally, groups: Sequence[str] | None = None, level: float = 0.95) -> BiasAucs:
    """Subgroup, BPSN and BNSP areas of several groups, with DeLong's variance.

    The background of a group is every row outside it. A difference from everyone's area has a MOVER
    interval with the correlation of the two areas. One pass over the tally's entries serves all groups.
    Source: Borkan et al., Nuanced Metrics for Measuring Unintended Bias with Real Data for Text
    Classification (WWW 2019 Companion).

    Parameters
    ----------
    tally : Tally
    groups : sequence of str, optional
        Stored groups; all but everyone by default.
    level : float

    Raises
    ------
    FairnbError
        ``unknown-group`` if the tally does not hold a group.
    """
    names = tuple(tally.groups if groups is None else groups)
    overall, sides = _sides(tally)
    whole = auc_interval(overall, level)
    members = (_members(tally, names, 0, sides[0]), _members(tally, names, 1, sides[1]))

    def told(areas: list[MannWhitney], covariances: Floats) -> dict[str, GroupAuc]:
        found = zip(names, areas, covariances.tolist(), strict=True)
        return {name: _compared(area, covariance, overall, whole, level) for name, area, covariance in found}

    return BiasAucs(
        whole,
        told(*_within(members, sides)),
        told(*_crossed(0, members, sides)),
        told(*_crossed(1, members, sides)),
    )


def _sides(tally: Tally) -> tuple[MannWhitney, tuple[_Side, _Side]]:
    """Everyone's area, and everyone's rows of label 0 and label 1."""
    negative, positive = tally.cell("", 0), tally.cell("", 1)
    above, below = ranked(negative[0], positive[0]), ranked(positive[0], negative[0])
    rows = cumulated(positive[1]), cumulated(negative[1])
    twice = rows[0][above[0]] + rows[0][above[1]], rows[1][below[0]] + rows[1][below[1]]
    overall = placed(positive[1], twice[1], negative[1], twice[0])
    m, n = overall.positives, overall.negatives
    value = overall.value or 0.0
    influences = 1 - twice[0] / max(2 * m, 1) - value, twice[1] / max(2 * n, 1) - value
    return overall, (
        _side(negative, above, rows[0], influences[0] / max(n, 1), n),
        _side(positive, below, rows[1], influences[1] / max(m, 1), m),
    )


def _side(own: Sample, ranks: tuple[Counts, Counts], rows: Counts, influence: Floats, total: int) -> _Side:
    running = np.concatenate(([0.0], np.cumsum(own[1] * influence)))
    return _Side(own[0], total, *ranks, rows[ranks[0]], rows[ranks[1]], influence, running)


def _members(tally: Tally, names: Sequence[str], label: int, side: _Side) -> _Members:
    cells = 2 * np.array([tally.index(name) for name in names], np.int64) + label
    others = cells + (1 - 2 * label)
    starts, ends = tally.starts[cells], tally.starts[cells + 1]
    lengths = ends - starts
    group = np.repeat(np.arange(len(cells)), lengths)
    within = np.arange(len(group)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = starts[group] + within
    keys = tally.entries[at] & _LOW
    wanted = others[group].astype(np.uint64) << np.uint64(32) | keys
    left = np.searchsorted(tally.entries, wanted)
    equal = np.zeros(len(left), np.int64)
    inside = left < len(tally.entries)
    equal[inside] = tally.entries[left[inside]] == wanted[inside]
    # Both ends of a tie: rows below plus rows not above.
    twice = (
        tally.cumulated[left]
        + tally.cumulated[left + equal]
        - 2 * tally.cumulated[tally.starts[others]][group]
    )
    filled = np.flatnonzero(lengths)
    last = np.cumsum(lengths)[filled] - 1
    return _Members(
        group,
        tally.counts[at],
        tally.cumulated[ends] - tally.cumulated[starts],
        last - lengths[filled] + 1,
        last,
        filled,
        np.searchsorted(side.keys, keys).astype(np.int64),
        twice,
    )


def _within(
    members: tuple[_Members, _Members], sides: tuple[_Side, _Side]
) -> tuple[list[MannWhitney], Floats]:
    """Areas within each group, and their covariances with everyone's area."""
    negative, positive = members
    m, n = positive.totals, negative.totals
    values = positive.summed(positive.twice) / np.maximum(2 * m * n, 1)
    of_positive = positive.twice / np.maximum(2 * n, 1)[positive.group] - values[positive.group]
    of_negative = 1 - negative.twice / np.maximum(2 * m, 1)[negative.group] - values[negative.group]
    covariances = positive.summed(of_positive * sides[1].influence[positive.place]) / np.maximum(m, 1)
    covariances += negative.summed(of_negative * sides[0].influence[negative.place]) / np.maximum(n, 1)
    areas = _areas(values, m, n, positive.summed(of_positive**2), negative.summed(of_negative**2))
    return areas, covariances


def _crossed(
    label: int, members: tuple[_Members, _Members], sides: tuple[_Side, _Side]
) -> tuple[list[MannWhitney], Floats]:
    """Areas of each group's rows of one label against the background's of the other; BNSP for label 1.

    The area V = P(group's row above background's) is BNSP itself for label 1 and 1 - BPSN for label 0. A
    placement of a background row among the group's rows is a step function with steps at the group's
    entries, so that sums over the background need no more than everyone's running totals there.
    """
    own, other, side, across = members[label], members[1 - label], sides[label], sides[1 - label]
    group, size = own.group, own.totals
    background = across.total - other.totals
    twice = (side.rows_less + side.rows_upto)[own.place] - own.twice
    values = own.summed(twice) / np.maximum(2 * size * background, 1)
    of_own = twice / np.maximum(2 * background, 1)[group] - values[group]

    # Steps: share of the group's rows below each entry, and up to half of it.
    total = cumulated(own.counts)
    before = total[:-1].copy()
    lengths = own.last - own.first + 1
    before -= np.repeat(total[own.first], lengths)
    divisor = np.maximum(size, 1)[group]
    at_tie = 1 - (before + own.counts / 2) / divisor - values[group]
    between = 1 - before / divisor - values[group]

    def over_everyone(less: npt.NDArray[Any], upto: npt.NDArray[Any], end: Any, power: int) -> Floats:
        """Sum of step^power over all rows across, weighted by what `less` and `upto` are totals of."""
        previous = np.roll(upto, 1)
        previous[own.first] = 0
        steps = (upto - less) * at_tie**power + (less - previous) * between**power
        sums = np.bincount(group, steps, len(size)).astype(np.float64)
        sums[own.filled] += (end - upto[own.last]) * (-values[own.filled]) ** power
        return sums

    less, upto = side.less[own.place], side.upto[own.place]
    of_other = 1 - other.twice / np.maximum(2 * size, 1)[other.group] - values[other.group]
    squares = over_everyone(side.rows_less[own.place], side.rows_upto[own.place], across.total, 2)
    squares = np.maximum(0.0, squares - other.summed(of_other**2))
    shared = over_everyone(across.running[less], across.running[upto], across.running[-1], 1)
    shared -= other.summed(of_other * across.influence[other.place])
    covariances = own.summed(of_own * side.influence[own.place]) / np.maximum(size, 1)
    covariances += shared / np.maximum(background, 1)
    if label:
        return _areas(values, size, background, own.summed(of_own**2), squares), covariances
    return _areas(1 - values, background, size, squares, own.summed(of_own**2)), -covariances


def _areas(values: Floats, m: Counts, n: Counts, positive: Floats, negative: Floats) -> list[MannWhitney]:
    """Areas from sums of squared deviations of placements over m positive and n negative rows."""
    columns = (column.tolist() for column in (values, m, n, positive, negative))
    return [from_squares(*row) for row in zip(*columns, strict=True)]


def _compared(
    area: MannWhitney, covariance: float, overall: MannWhitney, whole: Estimate, level: float
) -> GroupAuc:
    spread = (area.variance or 0.0) * (overall.variance or 0.0)
    correlation = min(1.0, max(-1.0, covariance / math.sqrt(spread))) if spread else 0.0
    estimate = auc_interval(area, level)
    return GroupAuc(
        estimate, mover_difference(estimate, whole, correlation), area.positives, area.negatives, correlation
    )


def power_mean(values: Sequence[float], power: float = -5.0) -> float | None:
    """Generalised mean (mean of x^power)^(1/power); 0 if a value is 0 and the power negative.

    With power -5 it lies between the minimum and the harmonic mean (Borkan et al. 2019, section 3).
    None where there is no value. Undefined areas are left out by the caller, who names them.
    """
    if not values:
        return None
    if min(values) <= 0 and power < 0:
        return 0.0
    return math.pow(math.fsum(math.pow(value, power) for value in values) / len(values), 1 / power)


@of_entries
def average_equality_gap(tally: Tally, group: str, label: int, level: float = 0.95) -> Estimate:
    """P(group's row scored above background's) + 1/2 P(equal) - 1/2 within one label.

    Positive: the group is scored higher. Source: Borkan et al. 2019, section 4; the sign is ours.
    """
    area = mann_whitney(tally.cell(group, label), tally.cell(f"~{group}", label))
    if area.value is None:
        where = "in the group" if not area.positives else "outside the group"
        name = "positive" if label else "negative"
        return undefined(level, "delong-logit", f"no scored {name} row {where}")
    found = auc_interval(area, level)
    low, high = (None if end is None else end - 0.5 for end in (found.low, found.high))
    return Estimate(area.value - 0.5, low, high, level, found.method)
