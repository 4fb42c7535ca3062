"""F1 of a class, and its macro and weighted means, from confusion counts."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined

Average = Literal["positive", "negative", "macro", "weighted"]

_Counts = tuple[float, float, float, float]


def f1_interval(confusion: Confusion, average: Average = "positive", level: float = 0.95) -> Estimate:
    """F1 with an interval by the delta method on the logit scale.

    The four counts are taken as multinomial. At 0 and at 1, where the delta method has no spread, the
    interval is that of the counts plus 1/2, extended to the value.

    Parameters
    ----------
    confusion : Confusion
    average : {"positive", "negative", "macro", "weighted"}
        F1 of a class, or the mean of both classes: plain, or weighted by how often each label occurs.
    level : float
    """
    method = "delta-logit"
    z = normal_quantile(level)
    for name, counts in (("positive", confusion), ("negative", confusion.mirrored())):
        needed = average in (name, "macro") or (average == "weighted" and counts.positive > 0)
        if needed and not counts.positive + counts.flagged:
            return undefined(level, method, f"no row is {name} by label or by decision")
    if not confusion.n:
        return undefined(level, method, "no scored row")
    value, spread = _f1(tuple(float(count) for count in confusion), average)
    if 0 < value < 1:
        low, high = on_logit(value, spread, z)
        return Estimate(value, low, high, level, method)
    near, spread = _f1(tuple(count + 0.5 for count in confusion), average)
    low, high = on_logit(near, spread, z)
    return Estimate(value, min(value, low), max(value, high), level, "delta-logit, counts + 1/2")


def mean_f1_interval(counts: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Mean of two macro-F1 over the same rows, as the AMI task's Score A, by the delta method on the logit scale.

    The sixteen joint counts are taken as multinomial, so that what the two questions share is accounted for.

    Parameters
    ----------
    counts : array_like of int, shape (4, 4)
        Rows by their cell in the first and in the second question; the cells are those of `Confusion`.
    level : float
    """
    joint = np.asarray(counts, dtype=np.float64)
    method = "delta-logit"
    z = normal_quantile(level)
    for side in (joint.sum(axis=1), joint.sum(axis=0)):
        one = f1_interval(Confusion(*map(int, side)), "macro", level)
        if one.value is None:
            return undefined(level, method, one.note)
    value, spread = _mean_f1(joint)
    if 0 < value < 1:
        low, high = on_logit(value, spread, z)
        return Estimate(value, low, high, level, method)
    # An eighth in each of the sixteen is a half in each margin, as for one F1.
    near, spread = _mean_f1(joint + 0.125)
    low, high = on_logit(near, spread, z)
    return Estimate(value, min(value, low), max(value, high), level, f"{method}, counts + 1/2")


def _mean_f1(joint: npt.NDArray[np.float64]) -> tuple[float, float]:
    first, of_first = _macro(joint.sum(axis=1))
    second, of_second = _macro(joint.sum(axis=0))
    slopes = (of_first[:, np.newaxis] + of_second[np.newaxis, :]) / 2
    return (first + second) / 2, math.sqrt(float((joint * slopes**2).sum()))


def _macro(counts: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
    value, gradient = _gradient(tuple(counts.tolist()), "macro")
    return value, np.array(gradient)


def on_logit(value: float, spread: float, z: float) -> tuple[float, float]:
    """Limits of a share with standard error `spread`, taken on the logit scale."""
    centre = math.log(value / (1 - value))
    reach = z * spread / (value * (1 - value))
    return 1 / (1 + math.exp(reach - centre)), 1 / (1 + math.exp(-reach - centre))


def _f1(counts: tuple[float, ...], average: Average) -> tuple[float, float]:
    """Value and standard error.

    F1 does not change when all counts are multiplied, so that its gradient in the counts is orthogonal to
    them and the multinomial variance is the sum of count x gradient squared.
    """
    value, gradient = _gradient(counts, average)
    return value, math.sqrt(sum(count * slope**2 for count, slope in zip(counts, gradient, strict=True)))


def _gradient(counts: tuple[float, ...], average: Average) -> tuple[float, _Counts]:
    """Value and its slopes in the four counts."""
    tp, fp, fn, tn = counts
    positive, of_positive = _class_f1(tp, fp, fn)
    negative, mirrored = _class_f1(tn, fn, fp)
    # Order tp, fp, fn, tn: what is a false positive of one class is a false negative of the other.
    of_negative: _Counts = (mirrored[3], mirrored[2], mirrored[1], mirrored[0])
    if average == "positive":
        return positive, of_positive
    if average == "negative":
        return negative, of_negative
    n = tp + fp + fn + tn
    share = 0.5 if average == "macro" else (tp + fn) / n
    value = share * positive + (1 - share) * negative
    moves = (0.0,) * 4 if average == "macro" else tuple((one - share) / n for one in (1, 0, 1, 0))
    rows = zip(of_positive, of_negative, moves, strict=True)
    slopes = [share * p + (1 - share) * q + move * (positive - negative) for p, q, move in rows]
    return value, (slopes[0], slopes[1], slopes[2], slopes[3])


def _class_f1(tp: float, fp: float, fn: float) -> tuple[float, _Counts]:
    """2 tp / (2 tp + fp + fn) and its gradient in (tp, fp, fn, tn); 0 for a class that does not occur."""
    size = 2 * tp + fp + fn
    if not size:
        return 0.0, (0.0, 0.0, 0.0, 0.0)
    slope = -2 * tp / size**2
    return 2 * tp / size, (2 * (fp + fn) / size**2, slope, slope, 0.0)
