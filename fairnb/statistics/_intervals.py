"""Intervals of shares."""

from __future__ import annotations

import math
from functools import lru_cache

from fairnb.errors import FairnbError
from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined


def wilson(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Share with Wilson's score interval, without continuity correction.

    Parameters
    ----------
    successes, n : int
        0 <= successes <= n; with n = 0 the share is undefined.

    Raises
    ------
    FairnbError
        ``bad-counts`` if the counts are no counts.
    """
    check_counts(successes, n)
    return _wilson(successes, n, level)


@lru_cache(maxsize=4096)
def _wilson(successes: int, n: int, level: float) -> Estimate:
    z = normal_quantile(level)
    if not n:
        return undefined(level, "wilson", "no row in the denominator")
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and n the formula gives 0 and 1 but for rounding.
    low = 0.0 if successes == 0 else max(0.0, centre - reach)
    high = 1.0 if successes == n else min(1.0, centre + reach)
    return Estimate(share, low, high, level, "wilson")


def accuracy(confusion: Confusion, level: float = 0.95) -> Estimate:
    """Share of rows where decision and label agree, with Wilson's interval."""
    return wilson(confusion.correct, confusion.n, level)


def check_counts(successes: int, n: int) -> None:
    """Raise ``bad-counts`` unless 0 <= successes <= n."""
    if not 0 <= successes <= n:
        raise FairnbError("bad-counts", f"{successes} of {n}", "give counts with 0 <= successes <= n")
