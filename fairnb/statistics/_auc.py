"""Area under the ROC curve from counted scores, with its variance and interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts, cumulated, sum_equal
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._keys import keys_of

SMALL = 20
"""Rows per class below which the normal approximation on the logit scale is not used."""

Sample = tuple[npt.NDArray[np.uint64], Counts]
"""Keys, ascending and distinct, with their counts."""


class MannWhitney(NamedTuple):
    """An area under the curve, its sample sizes and its variance."""

    value: float | None
    """P(positive scored above negative) + 1/2 P(equal); None where a class is empty."""
    positives: int
    negatives: int
    variance: float | None
    """DeLong's; None where a class has fewer than 2 rows."""


def twice_below(keys: npt.NDArray[Any], other: Sample) -> Counts:
    """Twice the placement of each key: 2 x rows of `other` below it + rows equal to it. Exact integers."""
    other_keys, other_counts = other
    total = cumulated(other_counts)
    left = np.searchsorted(other_keys, keys, side="left")
    right = np.searchsorted(other_keys, keys, side="right")
    placed: Counts = total[left] + total[right]
    return placed


def mann_whitney(positive: Sample, negative: Sample) -> MannWhitney:
    """Mann-Whitney statistic with ties 1/2 and DeLong's variance (DeLong et al. 1988, eq. 5).

    Source: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845; the placement
    values come from cumulated counts instead of pairs.
    """
    m, n = int(positive[1].sum()), int(negative[1].sum())
    if not m or not n:
        return MannWhitney(None, m, n, None)
    below = twice_below(positive[0], negative)
    value = int(np.dot(below, positive[1])) / (2 * m * n)
    if m < 2 or n < 2:
        return MannWhitney(value, m, n, None)
    of_positive = below / (2 * n)
    of_negative = 1 - twice_below(negative[0], positive) / (2 * m)
    spread_positive = float(np.dot(positive[1], (of_positive - value) ** 2)) / (m - 1)
    spread_negative = float(np.dot(negative[1], (of_negative - value) ** 2)) / (n - 1)
    return MannWhitney(value, m, n, spread_positive / m + spread_negative / n)


def auc_interval(auc: MannWhitney, level: float = 0.95) -> Estimate:
    """Interval of an area under the curve.

    DeLong's variance on the logit scale; where a class has fewer than 20 rows, or the variance is 0
    (such as at an area of 1), method 5 of Newcombe (Statistics in Medicine 25, 2006, 559-573).
    """
    value = auc.value
    if value is None:
        which = "positive" if not auc.positives else "negative"
        return undefined(level, "delong-logit", f"no scored row is {which}")
    if min(auc.positives, auc.negatives) < SMALL or not auc.variance or value in (0.0, 1.0):
        low, high = _newcombe_5(value, auc.positives, auc.negatives, normal_quantile(level))
        return Estimate(value, low, high, level, "newcombe-5")
    reach = normal_quantile(level) * math.sqrt(auc.variance) / (value * (1 - value))
    centre = math.log(value / (1 - value))
    return Estimate(value, _expit(centre - reach), _expit(centre + reach), level, "delong-logit")


def auc_delong(positive: npt.ArrayLike, negative: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Area under the ROC curve of two samples of scores, with its interval (see `auc_interval`).

    Parameters
    ----------
    positive, negative : array_like of float, shape (m,) and (n,)
        Scores in [0, 1] of the rows of either label.

    Raises
    ------
    FairnbError
        ``score-out-of-range`` if a score is NaN or outside [0, 1].
    """
    samples = [sum_equal(keys_of(one).astype(np.uint64)) for one in (positive, negative)]
    return auc_interval(mann_whitney(samples[0], samples[1]), level)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _newcombe_5(value: float, m: int, n: int, z: float) -> tuple[float, float]:
    """Limits theta with (value - theta)^2 = z^2 V(theta), V of Hanley and McNeil at (m + n)/2 - 1."""
    half = (m + n) / 2 - 1

    def beyond(theta: float) -> float:
        variance = (
            theta * (1 - theta) / (m * n) * (1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta)))
        )
        return (value - theta) ** 2 - z * z * variance

    return _root(beyond, 0.0, value, rising=False), _root(beyond, value, 1.0, rising=True)


def _root(function: Callable[[float], float], low: float, high: float, *, rising: bool) -> float:
    """Where a function that rises (or falls) through zero within [low, high] does so; else the far end."""
    far = high if rising else low
    near = low if rising else high
    if function(far) <= 0:
        return far
    for _ in range(200):
        middle = (far + near) / 2
        if middle in (far, near):
            break
        if function(middle) > 0:
            far = middle
        else:
            near = middle
    return (far + near) / 2
