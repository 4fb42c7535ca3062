"""Shares and means whose rows depend on each other within clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import Counts
from fairnb.statistics._clusters import UNIT, ClusterSums, Objects
from fairnb.statistics._differences import mover_difference
from fairnb.statistics._estimate import Estimate, undefined
from fairnb.statistics._intervals import wilson
from fairnb.statistics._means import student_quantile
from fairnb.statistics._memo import of_thresholds
from fairnb.statistics._names import COMPLEMENT

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

Outcome = Literal["flagged", "missed", "correct", "wrong", "positive", "score"]
_HITS: dict[Outcome, tuple[tuple[int, int], tuple[int, int]]] = {
    "flagged": ((0, 1), (0, 1)),
    "missed": ((1, -1), (1, -1)),
    "correct": ((1, -1), (0, 1)),
    "wrong": ((0, 1), (1, -1)),
    "positive": ((0, 0), (1, 0)),
    "score": ((0, 1), (0, 1)),
}
"""Of label 0 and of label 1: how often a row is a hit, and how often again if it is flagged (or its score)."""
_AT_NO_THRESHOLD = ("positive", "score")


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A ratio of sums over clusters."""

    value: float
    clusters: int
    variance: float
    """Cluster-robust; 0 where there are fewer than two clusters."""


def clustered_mean(
    tally: Tally,
    outcome: Outcome,
    group: str = "",
    label: int | None = None,
    *,
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Share of rows with an outcome, or mean score, with a cluster-robust interval.

    The variance is that of a ratio of sums over clusters, the quantile Student's with clusters - 1 degrees
    of freedom. A share has Wilson's interval at the number of independent rows that has this variance; at
    0 and 1, where clusters do not differ, at the number of clusters.

    Parameters
    ----------
    tally : Tally
        Counted with clusters.
    outcome : {"flagged", "missed", "correct", "wrong", "positive", "score"}
        Missed is not flagged, wrong is not correct, positive is labelled 1.
    group : str
        A stored group, its complement ``"~GROUP"``, or everyone.
    label : int, optional
        Rows of this label only: "flagged" with 1 is the true-positive rate, with 0 the false-positive rate.
    threshold : float
        One of the tally's own thresholds; not for "positive" and "score".
    level : float

    Raises
    ------
    FairnbError
        ``no-clusters``, ``unknown-group``, or ``bad-threshold`` if clusters were not counted at it.
    """
    method = "cluster-t" if outcome == "score" else "wilson-cluster"
    ratio = _ratio(tally, outcome, group, label, threshold)
    if ratio is None:
        return undefined(level, method, "no scored row")
    if ratio.clusters < 2:
        return Estimate(ratio.value, None, None, level, method, "one cluster has no interval")
    value, variance = ratio.value, ratio.variance
    quantile = student_quantile(level, ratio.clusters - 1)
    if outcome == "score":
        reach = quantile * math.sqrt(variance)
        return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), level, method)
    n = value * (1 - value) / variance if variance > 0 and 0 < value < 1 else float(ratio.clusters)
    square = quantile * quantile
    centre = (value + square / (2 * n)) / (1 + square / n)
    reach = quantile / (1 + square / n) * math.sqrt(value * (1 - value) / n + square / (4 * n * n))
    low, high = max(0.0, centre - reach), min(1.0, centre + reach)
    return Estimate(value, min(low, value), max(high, value), level, method)


def outcome_share(
    tally: Tally,
    outcome: Outcome,
    group: str = "",
    label: int | None = None,
    *,
    threshold: float,
    level: float = 0.95,
) -> Estimate:
    """Share of rows with an outcome: `clustered_mean` where the tally has clusters, else Wilson's interval.

    Parameters and errors are those of `clustered_mean`; not for "score".
    """
    if tally.clusters is not None:
        return clustered_mean(tally, outcome, group, label, threshold=threshold, level=level)
    hits, rows = _counted(tally, outcome, group, label, tally.flagged_counts(threshold))
    return wilson(hits, rows, level)


def clustered_difference(
    tally: Tally,
    outcome: Outcome,
    first: str,
    second: str,
    label: int | None = None,
    *,
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Difference of `clustered_mean` between two groups, first minus second.

    MOVER with the cluster-robust correlation, to which shared rows and shared clusters both contribute.
    Parameters are those of `clustered_mean`, and so are errors, beside ``pair-not-counted`` for two groups
    that were not named as a pair when rows were counted.
    """
    one, other = (_ratio(tally, outcome, group, label, threshold) for group in (first, second))
    correlation = 0.0
    if one is not None and other is not None and one.variance > 0 and other.variance > 0:
        shared = _covariance(tally, outcome, first, second, label, threshold)
        correlation = shared / math.sqrt(one.variance * other.variance)
    return mover_difference(
        clustered_mean(tally, outcome, first, label, threshold=threshold, level=level),
        clustered_mean(tally, outcome, second, label, threshold=threshold, level=level),
        correlation,
    )


@of_thresholds
def _ratio(
    tally: Tally, outcome: Outcome, group: str, label: int | None, threshold: float | None
) -> _Ratio | None:
    at = _threshold(tally, outcome, threshold)
    hits, rows, _ = _moves(tally, outcome, group, label, at)
    if not rows:
        return None
    value = hits / (rows * UNIT) if outcome == "score" else hits / rows
    # Sums that were read, not counted, may have been made up so that they give less than nothing.
    variance = max(0.0, _covariance(tally, outcome, group, group, label, threshold))
    return _Ratio(value, tally.clusters_of(group, label) or 0, variance)


@of_thresholds
def _covariance(
    tally: Tally, outcome: Outcome, first: str, second: str, label: int | None, threshold: float | None
) -> float:
    """Cluster-robust covariance of two ratios; of one with itself, its variance.

    Whole numbers up to the last division: where clusters do not differ it is 0, and no order matters.
    """
    sums = _sums(tally)
    at = _threshold(tally, outcome, threshold)
    total, scale, correction = 0, 1, 1.0
    sides = []
    for group in (first, second):
        _, rows, moves = _moves(tally, outcome, group, label, at)
        index = tally.index(group.removeprefix(COMPLEMENT))
        outside = group.startswith(COMPLEMENT)
        clusters = tally.clusters_of(group, label) or 0
        if clusters < 2:
            return 0.0
        scale *= rows * rows * (UNIT if outcome == "score" else 1)
        correction *= clusters / (clusters - 1)
        # What a cluster has outside of a group is what it has without what it has in the group.
        sides.append(((0, moves), (index, -moves)) if outside else ((index, moves),))
    for one, left in sides[0]:
        for other, right in sides[1]:
            total += left @ sums.products(one, other, at) @ right
    return total / scale * math.sqrt(correction)


def _moves(
    tally: Tally, outcome: Outcome, group: str, label: int | None, at: int | None
) -> tuple[int, int, Objects]:
    """Hits and rows of a group, and what moves its ratio.

    A cluster with h hits and n rows moves H / N by (N h - H n) / N^2. The weights that make N h - H n of
    its rows of label 0 and 1 and its scores (or flagged rows) of label 0 and 1 have the shape (4,).
    """
    by_group = _sums(tally).totals if at is None else tally.flagged[at]
    hits, rows = _counted(tally, outcome, group, label, by_group)
    weights = np.zeros(4, object)
    for one in (0, 1) if label is None else (label,):
        of_row, of_flagged = _HITS[outcome][one]
        weights[one], weights[2 + one] = rows * of_row - hits, rows * of_flagged
    return hits, rows, weights


def _counted(
    tally: Tally, outcome: Outcome, group: str, label: int | None, flagged: Counts
) -> tuple[int, int]:
    """Hits (scores in 1/UNIT) and rows of a group, from what is flagged (or the scores) by group and label."""
    found = tally.of_group(flagged, group)
    hits = rows = 0
    for one in (0, 1) if label is None else (label,):
        of_row, of_flagged = _HITS[outcome][one]
        support = tally.support(group, one)
        rows += support
        hits += of_row * support + of_flagged * int(found[one])
    return hits, rows


def _threshold(tally: Tally, outcome: Outcome, threshold: float | None) -> int | None:
    """Place among the tally's thresholds; None for what depends on none."""
    if outcome in _AT_NO_THRESHOLD:
        return None
    if threshold not in tally.thresholds:
        raise FairnbError(
            "bad-threshold",
            f"clusters were not counted at the threshold {threshold}",
            f"use one of {', '.join(map(str, tally.thresholds)) or '(none)'}",
        )
    return tally.thresholds.index(threshold)


def _sums(tally: Tally) -> ClusterSums:
    if tally.clusters is None:
        raise FairnbError(
            "no-clusters",
            "the tally was counted without clusters",
            "name the column of clusters in the corpus",
        )
    return tally.clusters
