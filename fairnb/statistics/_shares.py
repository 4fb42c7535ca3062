"""Shares whose rows depend on each other within clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._means import student_quantile
from fairnb.statistics._paired import cluster_mean


def clustered_share(
    values: npt.NDArray[np.floating[Any]] | Sequence[float],
    clusters: Sequence[object] | None,
    level: float = 0.95,
) -> Estimate:
    """Share of rows that are 1, those that are undecided counting half, with Wilson's interval.

    With clusters Wilson's interval is taken at the number of independent rows that has the cluster-robust
    variance, with Student's quantile of G - 1 degrees of freedom, and at the number of clusters where they do
    not differ, as in `clustered_mean`.

    Parameters
    ----------
    values : array_like, shape (n,)
        0, 1, or 0.5 for undecided.
    clusters : sequence of length n, optional
    level : float

    Raises
    ------
    FairnbError
        ``bad-counts`` for other values, or if the lengths differ.
    """
    held = np.asarray(values, dtype=np.float64)
    if held.ndim != 1 or not np.isin(held, (0.0, 0.5, 1.0)).all():
        raise FairnbError("bad-counts", "a value is none of 0, 0.5 and 1", "give one value for each row")
    method = "wilson" if clusters is None else "wilson-cluster"
    n = len(held)
    if not n:
        return undefined(level, method, "no row in the denominator")
    share = math.fsum(held) / n
    if clusters is None:
        return _wilson(share, n, normal_quantile(level), level, method)
    mean = cluster_mean(held, clusters, level, bounds=(0.0, 1.0))
    if mean.clusters < 2:
        return Estimate(share, None, None, level, method, "one cluster has no interval")
    independent = share * (1 - share) / mean.standard_error**2 if mean.standard_error else mean.clusters
    quantile = student_quantile(level, mean.clusters - 1)
    return _wilson(share, independent or mean.clusters, quantile, level, method)


def _wilson(share: float, n: float, quantile: float, level: float, method: str) -> Estimate:
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    reach = quantile / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    # At 0 and 1 the formula gives these but for rounding.
    low = 0.0 if share == 0 else max(0.0, centre - reach)
    high = 1.0 if share == 1 else min(1.0, centre + reach)
    return Estimate(share, low, high, level, method)
