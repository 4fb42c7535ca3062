"""Mean scores of the rows that a system flags (positive class balance)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fairnb.statistics._arrays import dot
from fairnb.statistics._differences import welch_difference
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._keys import Floats, scores_of, threshold_key
from fairnb.statistics._means import Mean, mean_of
from fairnb.statistics._memo import of_thresholds
from fairnb.statistics._standardised import standardised

if TYPE_CHECKING:
    from fairnb.statistics._arrays import Counts
    from fairnb.statistics._tally import Tally


def flagged_scores(tally: Tally, threshold: float, group: str, label: int | None) -> tuple[Floats, Counts]:
    """Scores at or above a threshold as the tally holds them, and their counts; each shape (k,)."""
    key = threshold_key(threshold, tally.dtype) >> tally.shift
    scores, counts = [], []
    for one in (0, 1) if label is None else (label,):
        keys, rows = tally.cell(group, one)
        above = keys >= key
        scores.append(scores_of(keys[above], tally.shift))
        counts.append(rows[above])
    return np.concatenate(scores), np.concatenate(counts)


@of_thresholds
def flagged_mean(tally: Tally, threshold: float, group: str = "", label: int | None = None) -> Mean:
    """Mean score of a group's flagged rows, of one label or of both."""
    return mean_of(*flagged_scores(tally, threshold, group, label))


def flagged_mean_difference(
    tally: Tally, threshold: float, first: str, second: str, shared: str | None = None, level: float = 0.95
) -> Estimate:
    """Difference of the mean scores of flagged rows, first minus second, by Welch.

    Parameters
    ----------
    tally : Tally
    threshold : float
    first, second : str
        Stored groups or complements ``"~GROUP"``.
    shared : str, optional
        Stored group of the rows that belong to both: they enter as the covariance of the means.
    level : float
    """
    one, other = (flagged_mean(tally, threshold, group) for group in (first, second))
    covariance = 0.0
    if shared is not None and one.value is not None and other.value is not None:
        scores, counts = flagged_scores(tally, threshold, shared, None)
        covariance = dot((scores - one.value) * (scores - other.value), counts) / (one.n * other.n)
    return welch_difference(one, other, covariance, level)


def standardised_flagged_mean(
    tally: Tally, threshold: float, group: str, base_rate: float, level: float = 0.95
) -> Estimate:
    """Mean score of flagged rows as it would be if `base_rate` of the group's rows were positive.

    The interval takes the weight (the standardised precision) and the two labels' means as independent, by
    the delta method.
    """
    method = "delta"
    weight = standardised(tally.confusion(threshold, group), "precision", base_rate, level)
    if weight.value is None:
        return undefined(level, method, weight.note)
    parts = [(weight.value, flagged_mean(tally, threshold, group, 1))]
    parts.append((1 - weight.value, flagged_mean(tally, threshold, group, 0)))
    used = [(share, mean) for share, mean in parts if share > 0]
    value = math.fsum(share * (mean.value or 0.0) for share, mean in used)
    if any(mean.variance is None for _, mean in used):
        return Estimate(value, None, None, level, method, "one row has no interval")
    z = normal_quantile(level)
    variance = math.fsum(share**2 * (mean.variance or 0.0) / mean.n for share, mean in used)
    if len(used) == 2 and weight.low is not None and weight.high is not None:
        gap = (used[0][1].value or 0.0) - (used[1][1].value or 0.0)
        variance += (gap * (weight.high - weight.low) / (2 * z)) ** 2
    reach = z * math.sqrt(variance)
    return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), level, method)
