"""Inequality of benefits: how unevenly a system's decisions treat people beside their labels."""

from __future__ import annotations

import math
from functools import lru_cache

from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined

_METHOD = "delta, counts + 1"


@lru_cache(maxsize=2048)
def gini_of_benefits(confusion: Confusion, level: float = 0.95, *, favourable: bool = False) -> Estimate:
    """Gini coefficient of the benefits b = decision - label + 1, which are 0, 1 or 2.

    0 where all rows have the same benefit. The coefficient is sum |b_i - b_j| / (2 n^2 mean b); its
    interval comes from the delta method on the three counts plus 1, extended to the value.

    Parameters
    ----------
    confusion : Confusion
    level : float
    favourable : bool
        Count being called negative as the benefit: false negatives and false positives change places.

    Notes
    -----
    With the positive class as printed, a wrongly flagged row has the *highest* benefit. Source: the paper's
    appendix F; benefits as in Speicher et al. (KDD 2018).
    """
    counts = _benefits(confusion, favourable)
    n = sum(counts)
    z = normal_quantile(level)
    if not n:
        return undefined(level, _METHOD, "no scored row")
    if counts[0] == n:
        return undefined(level, _METHOD, "every row has benefit 0")
    value = _gini(counts)
    near = (counts[0] + 1, counts[1] + 1, counts[2] + 1)
    centre, reach = _gini(near), z * _spread(near)
    low, high = max(0.0, min(value, centre - reach)), min(1.0, max(value, centre + reach))
    return Estimate(value, low, high, level, _METHOD)


def generalised_entropy(confusion: Confusion, *, favourable: bool = False) -> float | None:
    """Generalised entropy index of the benefits, parameter 2: half their squared coefficient of variation.

    None where there is no row, or every row has benefit 0. Source: Speicher et al. (KDD 2018), eq. 2.
    """
    none, one, two = _benefits(confusion, favourable)
    n, total = none + one + two, one + 2 * two
    if not total:
        return None
    return (n * (one + 4 * two) / total**2 - 1) / 2


def _benefits(confusion: Confusion, favourable: bool) -> tuple[int, int, int]:
    """Rows with benefit 0, 1 and 2."""
    worst, best = (confusion.fp, confusion.fn) if favourable else (confusion.fn, confusion.fp)
    return worst, confusion.correct, best


def _gini(counts: tuple[int, int, int]) -> float:
    none, one, two = counts
    return (none * one + 2 * none * two + one * two) / ((none + one + two) * (one + 2 * two))


def _spread(counts: tuple[int, int, int]) -> float:
    """Standard error: the shares are multinomial, and the gradient is taken in them."""
    n = sum(counts)
    p0, p1, p2 = (count / n for count in counts)
    mean, gini = p1 + 2 * p2, _gini(counts)
    slopes = (p1 + 2 * p2, p0 + p2 - gini, 2 * p0 + p1 - 2 * gini)
    first = sum(p * slope / mean for p, slope in zip((p0, p1, p2), slopes, strict=True))
    second = sum(p * (slope / mean) ** 2 for p, slope in zip((p0, p1, p2), slopes, strict=True))
    return math.sqrt(max(0.0, second - first**2) / n)
