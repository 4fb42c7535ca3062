"""Rates of decisions re-weighted to a common base rate, so that groups differ only by their errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._intervals import wilson
from fairnb.statistics._ratio import ratio_interval

Standardised = Literal[
    "accuracy", "precision", "flagged", "error_mix", "gini", "gini_favourable", "generalised_entropy"
]
_Pair = tuple[int, int]


# One group is compared with many, and its own value stands beside the differences.
@lru_cache(maxsize=8192)
def standardised(confusion: Confusion, rate: Standardised, base_rate: float, level: float = 0.95) -> Estimate:
    """A rate as it would be if `base_rate` of the group's rows were positive.

    Each label's rows keep their own decisions and are weighted to the base rate; with `base_rate` 1/2 the
    mix of errors is FNR / (FNR + FPR). Accuracy and the share flagged have the interval of a weighted sum
    of two shares (MOVER from Wilson's), precision and the mix of errors that of a ratio of two shares; the
    coefficient of Gini the delta method on the shares with 1 added to each count. The generalised entropy
    has no interval.

    Parameters
    ----------
    confusion : Confusion
    rate : {"accuracy", "precision", "flagged", "error_mix", "gini", "gini_favourable",
        "generalised_entropy"}
    base_rate : float
        Share of positive rows to weight to, between 0 and 1.
    level : float
    """
    method = "standardised"
    if not confusion.positive or not confusion.negative:
        missing = "negative" if confusion.positive else "positive"
        return undefined(level, method, f"no scored {missing} row to weight")
    if not 0 < base_rate < 1:
        return undefined(level, method, f"no base rate to weight to ({base_rate:g})")
    hits, alarms = (confusion.tp, confusion.positive), (confusion.fp, confusion.negative)
    misses, rights = (confusion.fn, confusion.positive), (confusion.tn, confusion.negative)
    if rate == "flagged":
        return _summed(hits, alarms, base_rate, level)
    if rate == "accuracy":
        return _summed(hits, rights, base_rate, level)
    if rate == "precision":
        return _of_two(hits, alarms, base_rate, level, "no row is flagged")
    if rate == "error_mix":
        return _of_two(misses, alarms, base_rate, level, "no errors")
    return _inequality(misses, alarms, rate, base_rate, level)


def _summed(positive: _Pair, negative: _Pair, weight: float, level: float) -> Estimate:
    """Weight x share of the positive rows + (1 - weight) x share of the negative ones."""
    parts = ((weight, wilson(*positive, level)), (1 - weight, wilson(*negative, level)))
    value = math.fsum(w * (part.value or 0.0) for w, part in parts)
    down = math.hypot(*(w * ((part.value or 0.0) - (part.low or 0.0)) for w, part in parts))
    up = math.hypot(*(w * ((part.high or 0.0) - (part.value or 0.0)) for w, part in parts))
    return Estimate(value, max(0.0, value - down), min(1.0, value + up), level, "mover-wilson")


def _of_two(positive: _Pair, negative: _Pair, weight: float, level: float, empty: str) -> Estimate:
    """Share of the positive rows' part in the sum of both: a / (a + b) from the interval of a / b."""
    if not positive[0] and not negative[0]:
        return undefined(level, "ratio", empty)
    # Taken the way round in which the ratio has a value.
    turned = not negative[0]
    first, second = (negative, positive) if turned else (positive, negative)
    odds = (1 - weight) / weight if turned else weight / (1 - weight)
    ratio = ratio_interval(*first, *second, level)
    ends = [
        1.0 if end is None or math.isinf(end) else odds * end / (1 + odds * end)
        for end in (ratio.value, ratio.low, ratio.high)
    ]
    value, low, high = ends
    if turned:
        value, low, high = 1 - value, 1 - high, 1 - low
    return Estimate(value, low, high, level, ratio.method)


def _inequality(misses: _Pair, alarms: _Pair, rate: Standardised, weight: float, level: float) -> Estimate:
    def shares(more: int) -> tuple[float, float]:
        return (misses[0] + more) / (misses[1] + 2 * more), (alarms[0] + more) / (alarms[1] + 2 * more)

    def value_at(missed: float, alarmed: float) -> float:
        worst, best = weight * missed, (1 - weight) * alarmed
        if rate == "gini_favourable":
            worst, best = best, worst
        middle = 1 - worst - best
        mean = middle + 2 * best
        if rate == "generalised_entropy":
            return ((middle + 4 * best) / mean**2 - 1) / 2
        return (worst * middle + 2 * worst * best + middle * best) / mean

    value = value_at(*shares(0))
    if rate == "generalised_entropy":
        return Estimate(value, None, None, level, "delta", "no interval is given")
    near = shares(1)
    sizes = (misses[1] + 2, alarms[1] + 2)
    slopes = _slopes(value_at, near)
    spread = math.hypot(
        *(slope * math.sqrt(p * (1 - p) / n) for slope, p, n in zip(slopes, near, sizes, strict=True))
    )
    centre, reach = value_at(*near), normal_quantile(level) * spread
    low, high = max(0.0, min(value, centre - reach)), min(1.0, max(value, centre + reach))
    return Estimate(value, low, high, level, "delta, counts + 1")


def _slopes(function: Callable[[float, float], float], at: tuple[float, float]) -> tuple[float, float]:
    """Gradient by central differences."""
    step = 1e-6
    first, second = at
    return (
        (function(first + step, second) - function(first - step, second)) / (2 * step),
        (function(first, second + step) - function(first, second - step)) / (2 * step),
    )
