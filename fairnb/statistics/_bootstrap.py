"""Areas under the curve of resampled rows, or clusters of rows: the law of what they are averaged to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts
from fairnb.statistics._estimate import normal_quantile
from fairnb.statistics._keys import Floats, keys_of

RESAMPLES = 1000
_CELLS = 500_000
"""Weights held at a time."""
_WORK = 50_000_000
"""Rows weighted at most, over all resamples and groups: fewer resamples where there are very many."""
_FEWEST = 200
"""Resamples made however many the rows are."""
Areas = dict[str, Floats]
"""``overall``, shape (resamples,); ``subgroup``, ``bpsn``, ``bnsp``, each shape (resamples, groups)."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Labelled, scored rows by ascending score, with the groups they belong to."""

    positive: npt.NDArray[np.bool_]
    tie: Counts
    """Number of each row's distinct score, from 0."""
    groups: tuple[Counts, ...]
    """Rows of each group, ascending."""
    cluster: Counts
    """Number of each row's cluster, from 0; without clusters each row is one."""
    clusters: int


def ranked_rows(
    labels: npt.NDArray[np.int8],
    scores: npt.NDArray[Any],
    membership: Any,
    clusters: Sequence[object] | None = None,
) -> RankedRows:
    """Rows with a label and a score, sorted once for all resamples.

    Parameters
    ----------
    labels : ndarray of int8, shape (n,)
        1, 0, or -1 for none.
    scores : ndarray of float, shape (n,)
        NaN where there is none.
    membership : sparse or dense array of bool, shape (n, groups)
    clusters : sequence, optional
        Which rows depend on each other; compared as text.
    """
    known = np.flatnonzero((labels >= 0) & ~np.isnan(scores))
    keys = keys_of(scores[known])
    order = np.argsort(keys, kind="stable")
    rows, keys = known[order], keys[order]
    inside = np.asarray(membership[rows].todense() if hasattr(membership, "todense") else membership[rows])
    names = np.asarray(rows if clusters is None else [str(clusters[row]) for row in rows.tolist()])
    distinct, cluster = np.unique(names, return_inverse=True)
    return RankedRows(
        labels[rows] == 1,
        np.cumsum(np.concatenate(([0], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64),
        tuple(np.flatnonzero(column) for column in inside.astype(bool).T),
        cluster.astype(np.int64),
        len(distinct),
    )


def weighted_areas(rows: RankedRows, weights: Floats) -> Areas:
    """The area of all rows and the three areas of each group, with rows counted by their weights.

    NaN where a side of an area has no weight.

    Parameters
    ----------
    rows : RankedRows
    weights : ndarray, shape (resamples, rows)
        Of the rows in the order of `rows`.
    """
    below = _below(weights * ~rows.positive, rows.tie)
    positive = weights * rows.positive
    above = positive.sum(axis=1, keepdims=True) - _below(positive, rows.tie)
    n = (weights * ~rows.positive).sum(axis=1)
    m = positive.sum(axis=1)
    shape = (len(weights), len(rows.groups))
    found: Areas = {name: np.full(shape, np.nan) for name in ("subgroup", "bpsn", "bnsp")}
    with np.errstate(invalid="ignore", divide="ignore"):
        found["overall"] = (positive * below).sum(axis=1) / (m * n)
        for column, inside in enumerate(rows.groups):
            own = weights[:, inside]
            is_positive = rows.positive[inside]
            own_positive, own_negative = own * is_positive, own * ~is_positive
            within = (own_positive * _below(own_negative, rows.tie[inside])).sum(axis=1)
            over = (own_positive * below[:, inside]).sum(axis=1)
            under = (own_negative * above[:, inside]).sum(axis=1)
            k, j = own_positive.sum(axis=1), own_negative.sum(axis=1)
            found["subgroup"][:, column] = within / (k * j)
            found["bnsp"][:, column] = (over - within) / (k * (n - j))
            found["bpsn"][:, column] = (under - within) / (j * (m - k))
    return found


def _below(weights: Floats, tie: Counts) -> Floats:
    """Weight of the rows below each row, ties half; rows are sorted, `tie` tells the equal ones."""
    if not len(tie):
        return weights
    first = np.flatnonzero(np.concatenate(([True], tie[1:] != tie[:-1])))
    of_tie = np.add.reduceat(weights, first, axis=1)
    middle = np.cumsum(of_tie, axis=1) - of_tie / 2
    return np.repeat(middle, np.diff(first, append=len(tie)), axis=1)


def resampled_areas(rows: RankedRows, *, resamples: int = RESAMPLES, seed: int = 0) -> Areas:
    """Areas of clusters drawn anew with replacement; without clusters, of rows.

    Parameters
    ----------
    rows : RankedRows
    resamples, seed : int
        Fewer resamples are made where there are very many rows.
    """
    size = len(rows.tie) + sum(map(len, rows.groups))
    resamples = min(resamples, max(_FEWEST, _WORK // max(1, size)))
    rng = np.random.default_rng(seed)
    found: list[Areas] = []
    at_once = max(1, _CELLS // max(1, len(rows.tie)))
    for start in range(0, resamples, at_once):
        drawn = [
            np.bincount(rng.integers(0, rows.clusters, rows.clusters), minlength=rows.clusters)
            for _ in range(min(at_once, resamples - start))
        ]
        found.append(weighted_areas(rows, np.stack(drawn)[:, rows.cluster].astype(np.float64)))
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def bias_corrected(value: float, resampled: Sequence[float], level: float) -> tuple[float, float]:
    """Ends of the bias-corrected bootstrap interval: quantiles moved by how many resamples lie below the value.

    Source: B. Efron, Canadian Journal of Statistics 9 (1981) 139-158. Averages of areas lean towards the worst
    group, so that a resample is lower than the value as the value is lower than what it estimates.

    Parameters
    ----------
    value : float
        The statistic of the rows themselves.
    resampled : sequence of float
        The same of each resample.
    level : float
    """
    law = np.asarray(resampled, dtype=np.float64)
    below = (np.count_nonzero(law < value) + np.count_nonzero(law == value) / 2) / len(law)
    # Never all or none of them: the correction would be infinite.
    edge = 1 / (len(law) + 1)
    shift = NormalDist().inv_cdf(min(max(below, edge), 1 - edge))
    reach = normal_quantile(level)
    tails = [NormalDist().cdf(2 * shift + side * reach) for side in (-1, 1)]
    low, high = np.quantile(law, tails).tolist()
    return min(low, value), max(high, value)
