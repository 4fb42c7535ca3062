"""Tests of differences between groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairnb.statistics import Estimate

_SMALLEST = 1e-12


def inverted_p(at: Callable[[float], Estimate]) -> float | None:
    """Two-sided p by inversion: 1 - the level of the widest interval that excludes zero.

    Parameters
    ----------
    at : callable
        The difference with its interval at a confidence level.

    Returns
    -------
    float or None
        None where there is no value or no interval. Not below 1e-12.
    """

    def excludes(p: float) -> bool | None:
        estimate = at(1 - p)
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return None
        return estimate.low > 0 or estimate.high < 0

    # Halving the interval of its logarithm: 18 steps leave a relative error of 1e-4.
    low, high = _SMALLEST, 1 - 1e-9
    first = excludes(high)
    if first is None:
        return None
    if not first:
        return 1.0
    if excludes(low):
        return low
    for _ in range(18):
        middle = float((low * high) ** 0.5)
        if excludes(middle):
            high = middle
        else:
            low = middle
    return high
