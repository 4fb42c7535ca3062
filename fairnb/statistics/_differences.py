"""Intervals of differences between groups, which may share rows."""

from __future__ import annotations

import math

from fairnb.statistics._estimate import Estimate, undefined
from fairnb.statistics._means import Mean, student_quantile


def mover_difference(
    first: Estimate, second: Estimate, correlation: float = 0.0, *, scale: float = 1.0
) -> Estimate:
    """Difference first minus second, its interval recovered from the two intervals (MOVER).

    With Wilson intervals and no correlation this is Newcombe's method 10 (Statistics in Medicine 17, 1998,
    873-890); the correlation enters as in Zou (Psychological Methods 12, 2007, 399-413).

    Parameters
    ----------
    first, second : Estimate
        Of the same confidence level.
    correlation : float
        Correlation of the two estimates, from rows that enter both; see `overlap_correlation`.
    scale : float
        Factor of the difference. A group against everyone is nested: give the group, its complement
        ``"~GROUP"`` and 1 - w, with w the group's share of the rows.
    """
    method = f"mover-{first.method}" if first.method == second.method else "mover"
    if first.value is None or second.value is None:
        missing = first if first.value is None else second
        return undefined(first.level, method, missing.note or "one of the two values is undefined")
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        missing = first if first.low is None or first.high is None else second
        return Estimate(scale * value, None, None, first.level, method, missing.note)
    correlation = min(1.0, max(-1.0, correlation))
    down = _reach(first.value - first.low, second.high - second.value, correlation)
    up = _reach(first.high - first.value, second.value - second.low, correlation)
    return Estimate(scale * value, scale * (value - down), scale * (value + up), first.level, method)


def _reach(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))


def overlap_correlation(x1: int, n1: int, x2: int, n2: int, x_both: int, n_both: int) -> float:
    """Correlation of two shares whose denominators have rows in common.

    cov / sqrt(v1 v2) over the shared rows; where a share is 0 or 1, n_both / sqrt(n1 n2).

    Parameters
    ----------
    x1, n1, x2, n2 : int
        Successes and rows of either group.
    x_both, n_both : int
        Successes and rows that belong to both.
    """
    if not n_both or not n1 or not n2:
        return 0.0
    p1, p2 = x1 / n1, x2 / n2
    spread = p1 * (1 - p1) * p2 * (1 - p2)
    if not spread:
        return n_both / math.sqrt(n1 * n2)
    shared = x_both * (1 - p1) * (1 - p2) + (n_both - x_both) * p1 * p2
    return min(1.0, max(-1.0, shared / math.sqrt(spread * n1 * n2)))


def welch_difference(first: Mean, second: Mean, covariance: float = 0.0, level: float = 0.95) -> Estimate:
    """Difference of two means with Welch's interval.

    Parameters
    ----------
    first, second : Mean
    covariance : float
        Covariance of the two means: over rows that belong to both, sum (y - mean 1)(y - mean 2) / (n1 n2).
    level : float
    """
    if first.value is None or second.value is None:
        return undefined(level, "welch", "no scored row in one of the groups")
    value = first.value - second.value
    if first.variance is None or second.variance is None:
        return Estimate(value, None, None, level, "welch", "one row has no interval")
    one, other = first.variance / first.n, second.variance / second.n
    if not one + other:
        return Estimate(value, None, None, level, "welch", "the values of a group do not differ")
    degrees = (one + other) ** 2 / (one**2 / (first.n - 1) + other**2 / (second.n - 1))
    reach = student_quantile(level, degrees) * math.sqrt(max(0.0, one + other - 2 * covariance))
    return Estimate(value, value - reach, value + reach, level, "welch")
