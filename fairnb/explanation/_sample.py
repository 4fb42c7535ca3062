"""Which texts stand for a corpus, and means over them that speak of the corpus again."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairnb.statistics import Estimate

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows drawn by stratum, each with the number of the corpus's rows that it stands for."""

    rows: npt.NDArray[np.intp]
    weights: Floats
    strata: tuple[tuple[Hashable, int, int], ...]
    """(stratum, rows in the corpus, rows drawn)."""


def stratified(strata: Sequence[Hashable], size: int, seed: int) -> Sample:
    """Draw a sample that holds as many rows of each stratum as it can.

    Parameters
    ----------
    strata : sequence, length n
        The stratum of each row.
    size : int
        Rows to draw. A stratum with fewer than its part is taken whole; the others share what is left.
    seed : int

    Returns
    -------
    Sample
        Rows in the corpus's order; weights are rows of the stratum over rows drawn from it.
    """
    members: dict[Hashable, list[int]] = {}
    for row, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(row)
    random = np.random.default_rng(seed)
    left = min(size, len(strata))
    drawn: dict[int, float] = {}
    told = {}
    by_size = sorted(members, key=lambda stratum: (len(members[stratum]), str(stratum)))
    for at, stratum in enumerate(by_size):
        own = members[stratum]
        number = min(len(own), left // (len(by_size) - at))
        left -= number
        told[stratum] = (stratum, len(own), number)
        for place in random.choice(len(own), number, replace=False).tolist():
            drawn[own[place]] = len(own) / number
    rows = sorted(drawn)
    return Sample(
        np.asarray(rows, np.intp),
        np.array([drawn[row] for row in rows], float),
        tuple(told[stratum] for stratum in members),
    )


@dataclass(frozen=True)
class WeightedMean:
    """A weighted mean with its t test of zero."""

    estimate: Estimate
    p: float | None
    """Two-sided; None below two values or where all are equal."""


def weighted_mean(values: Floats, weights: Floats, level: float) -> WeightedMean:
    """Mean of independent values that stand for different numbers of rows.

    Parameters
    ----------
    values, weights : array of float, shape (n,)
    level : float

    Notes
    -----
    Linearised variance of a ratio with n / (n - 1), Student's t with n - 1 degrees of freedom: the HC1
    covariance of a weighted regression on a constant.
    """
    from scipy.stats import t

    method, n = "weighted-t", len(values)
    if not n:
        return WeightedMean(Estimate(None, None, None, level, method, "no text"), None)
    total = float(weights.sum())
    mean = float(weights @ values) / total
    if n < 2:
        return WeightedMean(Estimate(mean, None, None, level, method, "one text has no interval"), None)
    error = math.sqrt(float((weights * (values - mean)) @ (weights * (values - mean))) * n / (n - 1)) / total
    if error <= 1e-12 * max(1.0, abs(mean)):
        return WeightedMean(Estimate(mean, None, None, level, method, "all values are equal"), None)
    reach = float(t.ppf((1 + level) / 2, n - 1)) * error
    p = float(2 * t.sf(abs(mean) / error, n - 1))
    return WeightedMean(Estimate(mean, mean - reach, mean + reach, level, method), p)
