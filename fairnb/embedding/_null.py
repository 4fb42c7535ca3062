"""What chance alone gives: permutation of words among subgroups, and how far single words carry a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairnb.embedding._disparity import differences_of
from fairnb.embedding._lists import Covered, FloatArray, Units

_AT_ONCE = 250
"""Permutations per matrix product: some tens of megabytes."""


@dataclass(frozen=True)
class Null:
    """Values under exchangeable words."""

    mean: float
    p: float
    """Share of permutations with a value at least as large as the observed one, which counts as one of them."""
    permutations: int


def labels_by_chance(units: Units, permutations: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Draw subgroups for the units, some permutations at a time.

    Counterparts change sides together, each block by a coin; the other units are shuffled among
    themselves, so that each subgroup keeps its number of them.

    Yields
    ------
    ndarray, shape (b, u)
        Position of the subgroup of each unit.
    """
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(units.block < 0)
    blocks, inverse = np.unique(units.block[units.block >= 0], return_inverse=True)
    bound = np.flatnonzero(units.block >= 0)
    for start in range(0, permutations, _AT_ONCE):
        count = min(_AT_ONCE, permutations - start)
        drawn = np.tile(units.group, (count, 1))
        drawn[:, free] = rng.permuted(np.tile(units.group[free], (count, 1)), axis=1)
        if len(blocks):
            coins = rng.integers(0, 2, (count, len(blocks)))
            drawn[:, bound] ^= coins[:, inverse]
        yield drawn


def disparity_null(
    neutral: Covered, units: Units, *, permutations: int = 10_000, seed: int = 0
) -> tuple[Null, Null]:
    """Null of AMAE and of ARMSE: words that say nothing of the subgroup they stand in.

    The observed value is that of the word lists as they are: each unit keeps the weight of its words.

    Parameters
    ----------
    neutral : Covered
    units : Units
    permutations : int
    seed : int

    Returns
    -------
    amae, armse : Null
    """
    cosines = neutral.vectors @ units.sums.T
    observed = _averages(cosines, units.weights, units.group[None, :], units.groups)
    drawn = [
        _averages(cosines, units.weights, labels, units.groups)
        for labels in labels_by_chance(units, permutations, seed)
    ]
    values = np.concatenate(drawn)
    return _null(observed[0, 0], values[:, 0]), _null(observed[0, 1], values[:, 1])


def _averages(
    cosines: FloatArray, weights: FloatArray, labels: npt.NDArray[np.int64], groups: int
) -> FloatArray:
    """AMAE and ARMSE of several labellings; shape (b, 2). `cosines` are summed over the words of a unit."""
    means = []
    for group in range(groups):
        chosen = labels == group
        means.append(cosines @ (chosen / (chosen @ weights)[:, None]).T)
    amae, armse = np.zeros(len(labels)), np.zeros(len(labels))
    pairs = list(combinations(range(groups), 2))
    for k, n in pairs:
        difference = means[k] - means[n]
        amae += np.abs(difference).mean(axis=0) / len(pairs)
        armse += np.sqrt(np.einsum("ij,ij->j", difference, difference) / len(difference)) / len(pairs)
    return np.stack([amae, armse], axis=1)


def _null(observed: float, values: FloatArray) -> Null:
    # The observed labelling is one of them: rounding must not set it apart from its equals.
    at_least = int((values >= observed - 1e-12).sum())
    return Null(float(values.mean()), (1 + at_least) / (1 + len(values)), len(values))


@dataclass(frozen=True)
class WithoutOne:
    """The value without one word, for the word that moves it most in each direction."""

    lowest: float
    lowest_without: tuple[str, ...]
    highest: float
    highest_without: tuple[str, ...]


def leave_one_out(neutral: Covered, units: Units) -> WithoutOne | None:
    """AMAE without each word of the subgroups in turn, its forms together; None where a subgroup has only one."""
    if any(units.lemmas_in(group) < 2 for group in range(units.groups)):
        return None
    cosines = neutral.vectors @ units.sums.T
    count = len(units.weights)
    # Label -1 takes a unit out of every subgroup.
    labels = np.tile(units.group, (count, 1))
    np.fill_diagonal(labels, -1)
    values = np.concatenate(
        [
            _averages(cosines, units.weights, labels[start : start + _AT_ONCE], units.groups)[:, 0]
            for start in range(0, count, _AT_ONCE)
        ]
    )
    low, high = int(values.argmin()), int(values.argmax())
    return WithoutOne(float(values[low]), units.words[low], float(values[high]), units.words[high])


def neutral_interval(
    x: FloatArray, pairs: Sequence[tuple[int, int]], level: float, *, replicates: int = 2000, seed: int = 0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Percentile bootstrap over neutral words of the mean MAE and the mean RMSE of some pairs.

    It speaks of other neutral words **given these word lists** and never tests zero: a mean of
    absolute differences is above zero by chance alone.

    Parameters
    ----------
    x : ndarray, shape (m, s)
        As `similarity` gives them.
    pairs : sequence of (int, int)
    level : float

    Returns
    -------
    (low, high) of the mean MAE, (low, high) of the mean RMSE
    """
    differences = differences_of(x, pairs)
    count = len(differences)
    drawn = _weights(count, replicates, seed)
    mae = (drawn @ np.abs(differences)).mean(axis=1)
    rmse = np.sqrt(drawn @ differences**2).mean(axis=1)
    ends = [(1 - level) / 2, (1 + level) / 2]
    (a, b), (c, d) = np.quantile(mae, ends), np.quantile(rmse, ends)
    return (float(a), float(b)), (float(c), float(d))


@lru_cache(maxsize=1)
def _weights(count: int, replicates: int, seed: int) -> FloatArray:
    """Share of each word in each replicate; shape (replicates, count). All pairs of a list use the same."""
    drawn: FloatArray = (
        np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), replicates) / count
    )
    return drawn
