"""ROC, calibration and means of scores, from counted scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import Counts
from fairnb.statistics._auc import Sample
from fairnb.statistics._estimate import Estimate, normal_quantile, undefined
from fairnb.statistics._intervals import wilson
from fairnb.statistics._keys import TOP, Floats, scores_of, threshold_key
from fairnb.statistics._means import mean_of, wald_mean

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

Scored = tuple[Floats, Counts]
"""Scores, ascending and distinct, with their counts."""
REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Roc:
    """Vertices of a ROC curve from (0, 0) to (1, 1); columns of equal length, empty if a class is."""

    threshold: tuple[float | None, ...]
    """Scores at or above it are flagged; None at the first vertex, where nothing is."""
    fpr: tuple[float, ...]
    """False-positive rate, ascending."""
    tpr: tuple[float, ...]
    """True-positive rate, ascending."""


def roc(positive: Sample, negative: Sample, shift: int, points: int) -> Roc:
    """ROC curve of two samples of keys; see `Tally.roc`."""
    m, n = int(positive[1].sum()), int(negative[1].sum())
    if not m or not n:
        return Roc((), (), ())
    keys = np.union1d(positive[0], negative[0])[::-1]
    flagged = []
    for own, counts in (positive, negative):
        at = np.zeros(len(keys), np.int64)
        at[len(keys) - 1 - np.searchsorted(keys[::-1], own)] = counts
        flagged.append(np.concatenate(([0], np.cumsum(at))))
    tpr, fpr = flagged[0] / m, flagged[1] / n
    kept = np.arange(len(tpr))
    if len(kept) > points:
        along = tpr + fpr
        kept = np.unique(np.searchsorted(along, np.linspace(0, along[-1], max(points, 2))))
    # A bucket's lower edge is the smallest score that falls into it.
    edges = scores_of(np.minimum(keys.astype(np.int64) << shift, TOP))
    thresholds = [None if index == 0 else float(edges[index - 1]) for index in kept.tolist()]
    return Roc(tuple(thresholds), tuple(fpr[kept].tolist()), tuple(tpr[kept].tolist()))


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows whose score lies in [low, high); the last bin includes 1."""

    low: float
    high: float
    n: int
    positives: int
    mean_score: float | None
    """None in an empty bin."""
    observed: Estimate
    """Share of positives, with Wilson's interval."""


@dataclass(frozen=True, slots=True)
class _Binned:
    """Rows, sums of scores and of squared deviations, by label and bin; each shape (2, bins)."""

    counts: Counts
    sums: Floats
    squares: Floats


def _binned(tally: Tally, group: str, bins: int) -> _Binned:
    if bins < 1:
        raise FairnbError("bad-bins", f"{bins} bins", "give at least 1")
    # k / bins, not linspace: 7 / 10 is the number written 0.7.
    inner = [threshold_key(k / bins, tally.dtype) >> tally.shift for k in range(1, bins)]
    counts = np.zeros((2, bins), np.int64)
    sums, squares = np.zeros((2, bins)), np.zeros((2, bins))
    for label in (0, 1):
        keys, rows = tally.cell(group, label)
        scores = scores_of(keys, tally.shift)
        at = np.searchsorted(np.asarray(inner, np.int64), keys.astype(np.int64), side="right")
        counts[label] = np.bincount(at, weights=rows, minlength=bins).astype(np.int64)
        sums[label] = np.bincount(at, weights=rows * scores, minlength=bins)
        means = sums[label] / np.maximum(counts[label], 1)
        squares[label] = np.bincount(at, weights=rows * (scores - means[at]) ** 2, minlength=bins)
    return _Binned(counts, sums, squares)


def calibration(tally: Tally, group: str, bins: int, level: float) -> tuple[Bin, ...]:
    """Equal-width bins; see `Tally.calibration`."""
    binned = _binned(tally, group, bins)
    totals = binned.counts.sum(axis=0).tolist()
    positives = binned.counts[1].tolist()
    sums = binned.sums.sum(axis=0).tolist()
    return tuple(
        Bin(
            k / bins,
            (k + 1) / bins,
            totals[k],
            positives[k],
            sums[k] / totals[k] if totals[k] else None,
            wilson(positives[k], totals[k], level),
        )
        for k in range(bins)
    )


def ece(tally: Tally, group: str, bins: int, level: float, seed: int) -> Estimate:
    """Expected calibration error: mean over rows of |observed share - mean score| of the row's bin.

    The interval is a bootstrap: labels and bins are drawn anew from the counts, sums of scores within
    a bin from their normal law. It is reflected about the value (basic bootstrap), because the absolute
    values make every replicate too large by about what the value itself is too large.
    """
    method = "bootstrap-basic"
    binned = _binned(tally, group, bins)
    n = int(binned.counts.sum())
    if not n:
        return undefined(level, method, "no scored row")
    value = _error(binned.counts[1], binned.sums.sum(axis=0), n)
    normal_quantile(level)
    random = np.random.default_rng(seed)
    shares = binned.counts.reshape(-1) / n
    drawn = random.multinomial(n, shares, size=REPLICATES)
    divisor = np.maximum(binned.counts.reshape(-1), 1)
    means, variances = binned.sums.reshape(-1) / divisor, binned.squares.reshape(-1) / divisor
    sums = drawn * means + np.sqrt(drawn * variances) * random.standard_normal(drawn.shape)
    replicates = _error(drawn.reshape(-1, 2, bins)[:, 1], sums.reshape(-1, 2, bins).sum(axis=1), n)
    tail = (1 - level) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail]).tolist()
    return Estimate(
        value, max(0.0, min(value, 2 * value - high)), min(1.0, max(value, 2 * value - low)), level, method
    )


def _error(positives: npt.NDArray[Any], sums: npt.NDArray[Any], n: int) -> Any:
    total = np.abs(positives - sums).sum(axis=-1) / n
    return float(total) if np.ndim(total) == 0 else total


def ece_null(tally: Tally, group: str = "", bins: int = 10) -> float | None:
    """Expected calibration error to be expected by chance alone of a perfectly calibrated system.

    The sum of |label - score| over a bin is taken as half-normal: mean sqrt(2 / pi x sum p (1 - p)).
    None where there is no scored row.
    """
    binned = _binned(tally, group, bins)
    n = int(binned.counts.sum())
    if not n:
        return None
    divisor = np.maximum(binned.counts, 1)
    # sum p (1 - p) = sum p - sum p^2, the latter from squares about the mean.
    spread = binned.sums - binned.squares - binned.sums**2 / divisor
    return float(np.sqrt(2 / math.pi * np.maximum(spread.sum(axis=0), 0)).sum()) / n


def brier(positive: Scored, negative: Scored, level: float) -> Estimate:
    """Mean squared difference between score and label; see `Tally.brier`."""
    losses = np.concatenate([(1 - positive[0]) ** 2, negative[0] ** 2])
    return wald_mean(mean_of(losses, np.concatenate([positive[1], negative[1]])), level, student=False)


def mean_score(parts: Sequence[Scored], level: float) -> Estimate:
    """Mean of counted scores; see `Tally.mean_score`."""
    scores = np.concatenate([part[0] for part in parts])
    return wald_mean(mean_of(scores, np.concatenate([part[1] for part in parts])), level)
