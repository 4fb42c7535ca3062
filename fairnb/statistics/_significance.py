"""Tests of equal shares, and corrections for testing many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fairnb.statistics._intervals import check_counts


def fisher_mid_p(x1: int, n1: int, x2: int, n2: int) -> float | None:
    """Two-sided mid-p of Fisher's exact test that two shares are equal.

    Probability, given the margins, of tables less likely than the one seen, plus half of its own: Fisher's
    p-value (by likelihood, as in R and SciPy) minus half of the probability of the table.

    Returns
    -------
    float or None
        None where a denominator is 0; 1 where the margins allow one table only.

    Raises
    ------
    FairnbError
        ``bad-counts`` if the counts are no counts.
    """
    from scipy.special import gammaln

    check_counts(x1, n1)
    check_counts(x2, n2)
    if not n1 or not n2:
        return None
    hits = x1 + x2
    lowest, highest = max(0, hits - n2), min(n1, hits)
    if lowest == highest:
        return 1.0
    # Tables further than this from the expected one are to the likeliest below 1e-324, by Hoeffding's bound for
    # drawing without replacement (1963, theorem 2 and section 6): as floating-point numbers they are 0.
    total = n1 + n2
    drawn = min(n1, n2, hits, total - hits)
    reach = math.sqrt(drawn * (746 + math.log(highest - lowest + 1)) / 2)
    expected = hits * n1 / total
    lowest, highest = max(lowest, math.floor(expected - reach)), min(highest, math.ceil(expected + reach))
    if not lowest <= x1 <= highest:
        return 0.0
    x = np.arange(lowest, highest + 1, dtype=np.float64)
    weights = -(gammaln(x + 1) + gammaln(n1 - x + 1) + gammaln(hits - x + 1) + gammaln(n2 - hits + x + 1))
    law = np.exp(weights - weights.max())
    law /= law.sum()
    seen = law[x1 - lowest]
    # Tables as likely as the one seen differ from it by rounding only.
    return min(1.0, float(law[law <= seen * (1 + 1e-7)].sum() - seen / 2))


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's adjusted p-values (Scandinavian Journal of Statistics 6, 1979, 65-70), in the order given.

    None stays None and is not counted as a test.
    """
    tested = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[index] = largest
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Benjamini and Hochberg's adjusted p-values (by SciPy), in the order given.

    None stays None and is not counted as a test.
    """
    from scipy.stats import false_discovery_control

    tested = [index for index, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    if tested:
        for index, p in zip(tested, false_discovery_control([p_values[i] for i in tested]), strict=True):
            adjusted[index] = float(p)
    return tuple(adjusted)
