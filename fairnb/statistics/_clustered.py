"""Shares and means whose rows depend on each other within clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import Counts, dot
from fairnb.statistics._clusters import UNIT
from fairnb.statistics._differences import mover_difference
from fairnb.statistics._estimate import Estimate, undefined
from fairnb.statistics._keys import Floats
from fairnb.statistics._means import student_quantile
from fairnb.statistics._names import COMPLEMENT

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

Outcome = Literal["flagged", "correct", "score"]


@dataclass(frozen=True, slots=True)
class _Spread:
    """A ratio of sums over clusters."""

    value: float
    clusters: int
    moves: Floats
    """What each of everyone's clusters moves the value by, 0 for those without rows; shape (clusters,)."""

    def covariance(self, other: _Spread) -> float:
        """Cluster-robust covariance with another ratio; with itself, its variance."""
        corrections = [one.clusters / (one.clusters - 1) for one in (self, other) if one.clusters > 1]
        if len(corrections) < 2:
            return 0.0
        return dot(self.moves, other.moves) * math.sqrt(corrections[0] * corrections[1])


def clustered_mean(
    tally: Tally,
    outcome: Outcome,
    group: str = "",
    label: int | None = None,
    *,
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Share of rows flagged or correct, or mean score, with a cluster-robust interval.

    The variance is that of a ratio of sums over clusters, the quantile Student's with clusters - 1 degrees
    of freedom. A share has Wilson's interval at the number of independent rows that has this variance; at
    0 and 1, where clusters do not differ, at the number of clusters.

    Parameters
    ----------
    tally : Tally
        Counted with clusters.
    outcome : {"flagged", "correct", "score"}
    group : str
        A stored group, its complement ``"~GROUP"``, or everyone.
    label : int, optional
        Rows of this label only: "flagged" with 1 is the true-positive rate, with 0 the false-positive rate.
    threshold : float
        One of the tally's own thresholds; not for "score".
    level : float

    Raises
    ------
    FairnbError
        ``no-clusters``, ``unknown-group``, or ``bad-threshold`` if clusters were not counted at it.
    """
    method = "cluster-t" if outcome == "score" else "wilson-cluster"
    spread = _spread(tally, outcome, group, label, threshold)
    if spread is None:
        return undefined(level, method, "no scored row")
    if spread.clusters < 2:
        return Estimate(spread.value, None, None, level, method, "one cluster has no interval")
    value, variance = spread.value, spread.covariance(spread)
    quantile = student_quantile(level, spread.clusters - 1)
    if outcome == "score":
        reach = quantile * math.sqrt(variance)
        return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), level, method)
    n = value * (1 - value) / variance if variance > 0 and 0 < value < 1 else float(spread.clusters)
    square = quantile * quantile
    centre = (value + square / (2 * n)) / (1 + square / n)
    reach = quantile / (1 + square / n) * math.sqrt(value * (1 - value) / n + square / (4 * n * n))
    low, high = max(0.0, centre - reach), min(1.0, centre + reach)
    return Estimate(value, min(low, value), max(high, value), level, method)


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
    Parameters and errors are those of `clustered_mean`.
    """
    spreads = [_spread(tally, outcome, group, label, threshold) for group in (first, second)]
    one, other = spreads
    correlation = 0.0
    if one is not None and other is not None:
        product = one.covariance(one) * other.covariance(other)
        correlation = one.covariance(other) / math.sqrt(product) if product > 0 else 0.0
    return mover_difference(
        clustered_mean(tally, outcome, first, label, threshold=threshold, level=level),
        clustered_mean(tally, outcome, second, label, threshold=threshold, level=level),
        correlation,
    )


def _spread(
    tally: Tally, outcome: Outcome, group: str, label: int | None, threshold: float | None
) -> _Spread | None:
    sums = _aligned(tally, group)
    rows = sums[:, :, 0].astype(np.float64)
    if outcome == "score":
        hits = sums[:, :, 1] / UNIT
    else:
        if threshold not in tally.thresholds:
            raise FairnbError(
                "bad-threshold",
                f"clusters were not counted at the threshold {threshold}",
                f"use one of {', '.join(map(str, tally.thresholds)) or '(none)'}",
            )
        hits = sums[:, :, 2 + tally.thresholds.index(threshold)].astype(np.float64)
        if outcome == "correct":
            hits[:, 0] = rows[:, 0] - hits[:, 0]
    if label is not None:
        rows, hits = rows[:, [label]], hits[:, [label]]
    by_cluster, of_cluster = rows.sum(axis=1), hits.sum(axis=1)
    n = by_cluster.sum()
    if not n:
        return None
    value = float(of_cluster.sum() / n)
    moves = (of_cluster - value * by_cluster) / n
    return _Spread(value, int(np.count_nonzero(by_cluster)), moves)


def _aligned(tally: Tally, group: str) -> Counts:
    """Sums of a group in the order of everyone's clusters; a complement is a difference."""
    sums = tally.clusters
    if sums is None:
        raise FairnbError(
            "no-clusters",
            "the tally was counted without clusters",
            "name the column of clusters in the corpus",
        )
    everyone = sums.of(0)
    if group == "":
        return everyone
    index = tally.index(group.removeprefix(COMPLEMENT))
    own = np.zeros_like(everyone)
    own[np.searchsorted(sums.clusters[sums.groups == 0], sums.clusters[sums.groups == index])] = sums.of(
        index
    )
    return everyone - own if group.startswith(COMPLEMENT) else own
