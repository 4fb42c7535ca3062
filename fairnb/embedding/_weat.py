"""Word Embedding Association Test. Source: Caliskan, Bryson and Narayanan (2017), Science 356."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from fairnb.embedding._lists import FloatArray, Units, unit
from fairnb.embedding._null import labels_by_chance
from fairnb.errors import FairnbError

_EXACT = 20_000
"""Most partitions that are all gone through."""


@dataclass(frozen=True)
class Weat:
    """Effect size and permutation test."""

    effect: float
    """Difference of the mean associations of X and Y over the standard deviation of all; in -2 to 2."""
    statistic: float
    """Sum of the associations of X less that of Y."""
    p: float
    permutations: int


def association(targets: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """s(w, A, B): mean cosine of each word to A less that to B; shape (n,).

    Parameters
    ----------
    targets : array_like, shape (n, d)
    a, b : array_like, shape (k, d)
    """
    result: FloatArray = unit(targets) @ (unit(a).mean(axis=0) - unit(b).mean(axis=0))
    return result


def weat(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    permutations: int = 10_000,
    seed: int = 0,
) -> Weat:
    """The published test: effect size, and one-sided p over partitions of X and Y into sets of their sizes.

    Parameters
    ----------
    x, y : array_like, shape (n, d)
        Vectors of the two sets of target words.
    a, b : array_like, shape (k, d)
        Vectors of the two sets of attribute words.
    permutations : int
        Partitions drawn where there are more than 20,000; all of them otherwise.

    Raises
    ------
    FairnbError
        ``no-spread`` if all words are associated alike: the effect size is undefined.
    """
    scores = np.concatenate([association(x, a, b), association(y, a, b)])
    count = len(np.asarray(x))
    if len(scores) < 2 or not count or count == len(scores):
        raise FairnbError("too-few-words", "the test needs words on both sides", "give at least one each")
    statistic = float(scores[:count].sum() - scores[count:].sum())
    total = float(scores.sum())
    if comb(len(scores), count) <= _EXACT:
        chosen = np.array(list(combinations(range(len(scores)), count)))
        values = 2 * scores[chosen].sum(axis=1) - total
        p = float((values >= statistic - 1e-12).mean())
    else:
        rng = np.random.default_rng(seed)
        drawn = rng.permuted(np.tile(scores, (permutations, 1)), axis=1)[:, :count]
        values = 2 * drawn.sum(axis=1) - total
        p = float((1 + (values >= statistic - 1e-12).sum()) / (1 + permutations))
    return Weat(effect_size(scores[:count], scores[count:]), statistic, p, len(values))


def effect_size(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Difference of mean associations over the sample standard deviation (n - 1) of both sets together."""
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    spread = float(np.std(np.concatenate([first, second]), ddof=1))
    if not spread > 0:
        raise FairnbError(
            "no-spread", "all words are associated alike, so the effect size is undefined", "give other words"
        )
    return float((first.mean() - second.mean()) / spread)


def weat_null(
    units: Units, a: npt.ArrayLike, b: npt.ArrayLike, *, permutations: int = 10_000, seed: int = 0
) -> float:
    """Two-sided p of the difference of mean associations, forms of a word and counterparts kept together.

    Parameters
    ----------
    units : Units
        Of exactly two subgroups.
    a, b : array_like, shape (k, d)

    Returns
    -------
    float
    """
    direction = unit(a).mean(axis=0) - unit(b).mean(axis=0)
    sums = units.sums @ direction

    def difference(labels: npt.NDArray[np.int64]) -> FloatArray:
        first, second = labels == 0, labels == 1
        result: FloatArray = (first @ sums) / (first @ units.weights) - (second @ sums) / (
            second @ units.weights
        )
        return result

    observed = abs(float(difference(units.group[None, :])[0]))
    at_least = sum(
        int((np.abs(difference(labels)) >= observed - 1e-12).sum())
        for labels in labels_by_chance(units, permutations, seed)
    )
    return (1 + at_least) / (1 + permutations)
