"""Means of counted values."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import dot
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined


class Mean(NamedTuple):
    """A mean with the variance of the values it is taken over."""

    value: float | None
    """None where there is no value."""
    variance: float | None
    """Sample variance, divisor n - 1; None below 2 values."""
    n: int


def mean_of(values: npt.NDArray[np.float64], counts: npt.NDArray[Any]) -> Mean:
    """Mean and sample variance of values that occur `counts` times; each shape (k,)."""
    n = int(counts.sum())
    if not n:
        return Mean(None, None, 0)
    mean = dot(values, counts) / n
    if n < 2:
        return Mean(mean, None, n)
    return Mean(mean, dot((values - mean) ** 2, counts) / (n - 1), n)


def wald_mean(
    mean: Mean, level: float = 0.95, *, bounds: tuple[float, float] = (0.0, 1.0), student: bool = True
) -> Estimate:
    """Mean with Wald's interval, cut to the range that the values can have.

    Parameters
    ----------
    mean : Mean
    level : float
    bounds : (float, float)
        Smallest and largest possible value.
    student : bool
        Use Student's quantile with n - 1 degrees of freedom instead of the normal one.
    """
    method = "wald-t" if student else "wald"
    if mean.value is None:
        return undefined(level, method, "no scored row")
    if mean.variance is None:
        return Estimate(mean.value, None, None, level, method, "one row has no interval")
    quantile = student_quantile(level, mean.n - 1) if student else normal_quantile(level)
    reach = quantile * math.sqrt(mean.variance / mean.n)
    return Estimate(
        mean.value, max(bounds[0], mean.value - reach), min(bounds[1], mean.value + reach), level, method
    )


@lru_cache(maxsize=4096)
def student_quantile(level: float, degrees: float) -> float:
    """Two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    normal_quantile(level)
    return float(stdtrit(degrees, (1 + level) / 2))
