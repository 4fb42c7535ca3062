"""Paired outcomes: the same text before and after a change, the same sentence with another group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._intervals import check_counts
from fairnb.statistics._means import student_quantile


def paired_difference(plus: int, minus: int, n: int, level: float = 0.95) -> Estimate:
    """Share of pairs that went one way minus share that went the other; pairs that did neither count in n.

    Interval of Bonett and Price (Journal of Educational and Behavioral Statistics 37, 2012, 479-488): Wald's
    on counts to which one pair is added in each direction.

    Parameters
    ----------
    plus, minus : int
        Pairs that went one way and the other.
    n : int
        All pairs, ties among them.
    level : float

    Raises
    ------
    FairnbError
        ``bad-counts`` if `plus` and `minus` do not fit into `n`.
    """
    check_counts(plus + minus, n)
    check_counts(min(plus, minus), n)
    quantile = normal_quantile(level)
    if not n:
        return undefined(level, "bonett-price", "no pair")
    one, other = (plus + 1) / (n + 2), (minus + 1) / (n + 2)
    centre = one - other
    reach = quantile * math.sqrt((one + other - centre**2) / (n + 2))
    return Estimate(
        (plus - minus) / n, max(-1.0, centre - reach), min(1.0, centre + reach), level, "bonett-price"
    )


def sign_test(plus: int, minus: int) -> float | None:
    """Two-sided exact p that the two directions are equally likely, ties left out (binomial with 1/2).

    Returns
    -------
    float or None
        None where every pair is a tie.

    Raises
    ------
    FairnbError
        ``bad-counts`` for negative counts.
    """
    from scipy.special import bdtr

    check_counts(min(plus, minus), plus + minus)
    if not plus + minus:
        return None
    return min(1.0, 2 * float(bdtr(min(plus, minus), plus + minus, 0.5)))


def mcnemar_mid_p(plus: int, minus: int) -> float:
    """Two-sided mid-p of McNemar's exact test: pairs that changed one way against those that changed the other.

    The exact p less the probability of the split seen (Fagerland, Lydersen and Laake, BMC Medical Research
    Methodology 13, 2013, 91); 1 where both ways are equal or no pair changed.

    Raises
    ------
    FairnbError
        ``bad-counts`` for negative counts.
    """
    from scipy.special import bdtr

    check_counts(min(plus, minus), plus + minus)
    if plus == minus:
        return 1.0
    fewer, changed = min(plus, minus), plus + minus
    below = float(bdtr(fewer - 1, changed, 0.5)) if fewer else 0.0
    return float(bdtr(fewer, changed, 0.5)) + below


class ClusterMean(NamedTuple):
    """A mean of values of which those of one cluster depend on each other."""

    estimate: Estimate
    p: float | None
    """Two-sided, that the mean is `null`; None where there is no interval."""
    clusters: int
    n: int
    standard_error: float | None


def cluster_mean(
    values: npt.NDArray[np.floating[Any]] | Sequence[float],
    clusters: Sequence[object],
    level: float = 0.95,
    *,
    null: float = 0.0,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> ClusterMean:
    """Mean with a cluster-robust interval from Student's t with G - 1 degrees of freedom.

    The variance is G/(G-1) times the sum of squared cluster sums of residuals, over n squared: for clusters
    of equal size Student's interval of the cluster means.

    Parameters
    ----------
    values : array_like, shape (n,)
    clusters : sequence, length n
        Name of each value's cluster: a template, an author, the text itself.
    level : float
    null : float
        Mean under the hypothesis that is tested.
    bounds : (float, float)
        Smallest and largest value the mean can have; the interval is cut to it.

    Raises
    ------
    FairnbError
        ``bad-counts`` if the lengths differ.
    """
    held = np.asarray(values, dtype=np.float64)
    if held.ndim != 1 or len(held) != len(clusters):
        raise FairnbError(
            "bad-counts",
            f"{held.size} values and {len(clusters)} clusters",
            "give one cluster for each value",
        )
    n = len(held)
    if not n:
        return ClusterMean(undefined(level, "cluster-t", "no value"), None, 0, 0, None)
    order = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    of = np.fromiter((order[name] for name in clusters), dtype=np.intp, count=n)
    # fsum: the mean does not depend on the order in which texts were scored.
    mean = math.fsum(held) / n
    groups = len(order)
    normal_quantile(level)
    if groups < 2:
        note = "one cluster has no interval"
        return ClusterMean(Estimate(mean, None, None, level, "cluster-t", note), None, groups, n, None)
    sums = np.bincount(of, weights=held - mean, minlength=groups)
    error = math.sqrt(groups / (groups - 1) * math.fsum(sums**2)) / n
    # Rounding alone leaves about 1e-17 where all values are one number.
    if error <= 1e-14 * max(1.0, abs(mean)):
        note = "the values do not differ"
        return ClusterMean(Estimate(mean, None, None, level, "cluster-t", note), None, groups, n, 0.0)
    reach = student_quantile(level, groups - 1) * error
    estimate = Estimate(mean, max(bounds[0], mean - reach), min(bounds[1], mean + reach), level, "cluster-t")
    return ClusterMean(estimate, _student_p((mean - null) / error, groups - 1), groups, n, error)


def _student_p(t: float, degrees: int) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(degrees, -abs(t)))
