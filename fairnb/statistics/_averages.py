"""Precision and recall averaged over the two classes, with intervals from the confusion counts."""

from __future__ import annotations

import math
from typing import Literal

from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._f1 import on_logit

_Counts = tuple[float, float, float, float]


def averaged_share(
    confusion: Confusion,
    share: Literal["precision", "recall"],
    average: Literal["macro", "weighted"],
    level: float = 0.95,
) -> Estimate:
    """Precision or recall averaged over both classes, by the delta method on the logit scale.

    The four counts are taken as multinomial. At 0 and at 1, where the delta method has no spread, the
    interval is that of the counts plus 1/2, extended to the value.

    Parameters
    ----------
    confusion : Confusion
    share : {"precision", "recall"}
    average : {"macro", "weighted"}
        The plain mean of the classes, or weighted by how often each label occurs.
    level : float
    """
    method = "delta-logit"
    z = normal_quantile(level)
    for name, counts in (("positive", confusion), ("negative", confusion.mirrored())):
        rows = counts.flagged if share == "precision" else counts.positive
        if not rows:
            how = "by decision" if share == "precision" else "by label"
            return undefined(level, method, f"no row is {name} {how}")
    value, spread = _averaged(tuple(float(count) for count in confusion), share, average)
    if 0 < value < 1:
        low, high = on_logit(value, spread, z)
        return Estimate(value, low, high, level, method)
    near, spread = _averaged(tuple(count + 0.5 for count in confusion), share, average)
    low, high = on_logit(near, spread, z)
    return Estimate(value, min(value, low), max(value, high), level, "delta-logit, counts + 1/2")


def _averaged(counts: tuple[float, ...], share: str, average: str) -> tuple[float, float]:
    """Value and standard error; the value does not change when all counts are multiplied."""
    tp, fp, fn, tn = counts
    n = tp + fp + fn + tn
    if share == "precision":
        positive, negative = tp / (tp + fp), tn / (tn + fn)
        of_positive: _Counts = (fp / (tp + fp) ** 2, -tp / (tp + fp) ** 2, 0.0, 0.0)
        of_negative: _Counts = (0.0, 0.0, -tn / (tn + fn) ** 2, fn / (tn + fn) ** 2)
    else:
        positive, negative = tp / (tp + fn), tn / (tn + fp)
        of_positive = (fn / (tp + fn) ** 2, 0.0, -tp / (tp + fn) ** 2, 0.0)
        of_negative = (0.0, -tn / (tn + fp) ** 2, 0.0, fp / (tn + fp) ** 2)
    weight = 0.5 if average == "macro" else (tp + fn) / n
    moves = (0.0,) * 4 if average == "macro" else tuple((one - weight) / n for one in (1, 0, 1, 0))
    value = weight * positive + (1 - weight) * negative
    slopes = [
        weight * p + (1 - weight) * q + move * (positive - negative)
        for p, q, move in zip(of_positive, of_negative, moves, strict=True)
    ]
    return value, math.sqrt(sum(count * slope**2 for count, slope in zip(counts, slopes, strict=True)))
