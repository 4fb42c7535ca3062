"""Area under the ROC curve from counted scores, with its variance and interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts, cumulated, dot, sum_equal
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._keys import keys_of
from fairnb.statistics._means import student_quantile

SMALL = 20
"""Rows per class below which the normal approximation on the logit scale is not used."""
FEW = 5
"""The same for the smaller class's rows times the share of pairs on the rarer side."""

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
    degrees: float | None
    """Degrees of freedom of the variance, after Satterthwaite; None where it is 0 or missing."""


def ranked(keys: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[Counts, Counts]:
    """For each key, how many distinct keys of `other` (ascending) are below it, and how many not above."""
    less = np.searchsorted(other, keys)
    inside = less < len(other)
    upto = less.copy()
    upto[inside] += other[less[inside]] == keys[inside]
    return less, upto


def mann_whitney(positive: Sample, negative: Sample) -> MannWhitney:
    """Mann-Whitney statistic with ties 1/2 and DeLong's variance (DeLong et al. 1988, eq. 5).

    Source: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845; the placement
    values come from cumulated counts instead of pairs.
    """
    twice = []
    for own, other in ((positive, negative), (negative, positive)):
        less, upto = ranked(own[0], other[0])
        rows = cumulated(other[1])
        twice.append(rows[less] + rows[upto])
    return placed(positive[1], twice[0], negative[1], twice[1])


def placed(positive: Counts, below_positive: Counts, negative: Counts, below_negative: Counts) -> MannWhitney:
    """Area from counts and placements: 2 x rows of the other label below each entry + rows equal to it."""
    m, n = int(positive.sum()), int(negative.sum())
    if not m or not n:
        return MannWhitney(None, m, n, None, None)
    value = int(np.dot(below_positive, positive)) / (2 * m * n)
    of_positive = below_positive / (2 * n) - value
    of_negative = 1 - below_negative / (2 * m) - value
    return from_squares(value, m, n, dot(positive, of_positive**2), dot(negative, of_negative**2))


def from_squares(value: float, m: int, n: int, positive: float, negative: float) -> MannWhitney:
    """Area of m positive and n negative rows from the sums of squared deviations of their placements."""
    if not m or not n:
        return MannWhitney(None, m, n, None, None)
    if m < 2 or n < 2:
        return MannWhitney(value, m, n, None, None)
    one, other = positive / (m - 1) / m, negative / (n - 1) / n
    if not one + other:
        return MannWhitney(value, m, n, 0.0, None)
    degrees = (one + other) ** 2 / (one**2 / (m - 1) + other**2 / (n - 1))
    return MannWhitney(value, m, n, one + other, degrees)


def auc_interval(auc: MannWhitney, level: float = 0.95) -> Estimate:
    """Interval of an area under the curve.

    DeLong's variance on the logit scale, with Student's quantile at Satterthwaite's degrees of freedom (as
    Brunner and Munzel, Biometrical Journal 42, 2000, 17-25). Where a class has fewer than 20 rows, or the
    smaller class times the share of pairs on the rarer side is below 5 (always so at an area of 1), or
    the variance is 0: method 5 of Newcombe (Statistics in Medicine 25, 2006, 559-573), its variance never
    taken below DeLong's.

    In simulation with 20 to 100 rows against 20 to 2,000, areas of 0.50 to 0.98 and scores normal, of
    unequal spread or with 6 % stray rows, this covers 92 to 100 % where DeLong's with the normal quantile
    falls to 87 %; neither reaches 90 % where stray rows are so few that most samples have none or one.
    """
    value = auc.value
    if value is None:
        which = "positive" if not auc.positives else "negative"
        return undefined(level, "delong-logit", f"no scored row is {which}")
    smaller = min(auc.positives, auc.negatives)
    if smaller < SMALL or smaller * min(value, 1 - value) < FEW or not auc.variance or not auc.degrees:
        low, high = _newcombe_5(auc, value, normal_quantile(level))
        return Estimate(value, low, high, level, "newcombe-5")
    reach = student_quantile(level, auc.degrees) * math.sqrt(auc.variance) / (value * (1 - value))
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


def _newcombe_5(auc: MannWhitney, value: float, z: float) -> tuple[float, float]:
    """Limits theta with (value - theta)^2 = z^2 V(theta), V of Hanley and McNeil at (m + n) / 2 - 1."""
    half = (auc.positives + auc.negatives) / 2 - 1
    pairs = auc.positives * auc.negatives

    def variance(theta: float) -> float:
        spread = (1 - theta) / (2 - theta) + theta / (1 + theta)
        return theta * (1 - theta) / pairs * (1 + half * spread)

    wider = max(1.0, auc.variance / variance(value)) if auc.variance and 0 < value < 1 else 1.0

    def beyond(theta: float) -> float:
        return (value - theta) ** 2 - z * z * wider * variance(theta)

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
