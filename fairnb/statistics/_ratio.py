"""Ratio of two shares."""

from __future__ import annotations

import math
from collections.abc import Callable

from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._intervals import check_counts

SMALL = 5
"""Cell count below which Koopman's interval replaces Katz's."""


def ratio_interval(x1: int, n1: int, x2: int, n2: int, level: float = 0.95) -> Estimate:
    """Ratio (x1 / n1) / (x2 / n2) of two independent shares.

    Katz's interval on the log scale (Biometrics 34, 1978, 469-474); where one of the four cells is below 5,
    Koopman's score interval (Biometrics 40, 1984, 513-517). Without a success in the reference the ratio has
    no value; the note then tells the lower limit.

    Raises
    ------
    FairnbError
        ``bad-counts`` if the counts are no counts.
    """
    check_counts(x1, n1)
    check_counts(x2, n2)
    z = normal_quantile(level)
    small = min(x1, n1 - x1, x2, n2 - x2) < SMALL
    method = "koopman" if small else "katz"
    if not n1 or not n2:
        return undefined(level, method, "no row in one of the denominators")
    if not x2:
        note = "0 in the reference: the ratio has no value"
        if x1:
            note += f", only a lower limit of {_koopman(x1, n1, x2, n2, z)[0]:.3g}"
        return undefined(level, method, note)
    ratio = (x1 / n1) / (x2 / n2)
    if small:
        low, high = _koopman(x1, n1, x2, n2, z)
        return Estimate(ratio, low, high, level, method)
    reach = z * math.sqrt(1 / x1 - 1 / n1 + 1 / x2 - 1 / n2)
    return Estimate(ratio, ratio * math.exp(-reach), ratio * math.exp(reach), level, method)


def _koopman(x1: int, n1: int, x2: int, n2: int, z: float) -> tuple[float, float]:
    """Ratios at which the score statistic reaches z; infinite above if x2 = 0."""

    def score(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        # Larger root would leave [0, 1]: maximum likelihood of p2 given p1 = ratio x p2.
        a = (n1 + n2) * ratio
        b = n1 * ratio + x1 + n2 + x2 * ratio
        c = x1 + x2
        p2 = min(1.0, 2 * c / (b + math.sqrt(max(0.0, b * b - 4 * a * c))))
        p1 = min(1.0, ratio * p2)
        variance = p1 * (1 - p1) / n1 + ratio * ratio * p2 * (1 - p2) / n2
        return (x1 / n1 - ratio * x2 / n2) / math.sqrt(variance) if variance > 0 else 0.0

    start = math.log((x1 / n1) / (x2 / n2)) if x1 and x2 else 0.0
    low = math.exp(_crossing(lambda at: score(at) - z, start, -1)) if x1 else 0.0
    high = math.exp(_crossing(lambda at: -score(at) - z, start, 1)) if x2 else math.inf
    return low, high


def _crossing(function: Callable[[float], float], start: float, direction: int) -> float:
    """Where a function that grows in one direction turns positive, by bisection."""
    step = 1.0
    while function(start - direction * step) > 0:
        step *= 2
    inside = start - direction * step
    while function(start + direction * step) <= 0:
        step *= 2
    outside = start + direction * step
    for _ in range(200):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if function(middle) > 0:
            outside = middle
        else:
            inside = middle
    return (inside + outside) / 2
