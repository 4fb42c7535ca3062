"""Average MAE and RMSE of cosine similarities between subgroups. Source: paper, appendix E, eq. (2) to (6).

Equations (4) and (6) print MAE and RMSE without the indices of the pair; those of each pair are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fairnb.embedding._lists import Covered, FloatArray, unit
from fairnb.errors import FairnbError


@dataclass(frozen=True)
class Disparity:
    """How differently neutral words lie towards the subgroups."""

    mae: Mapping[tuple[str, str], float]
    """Mean absolute error of each pair of subgroups, eq. (3)."""
    rmse: Mapping[tuple[str, str], float]
    """Root mean squared error of each pair, eq. (5)."""
    amae: float
    """Mean of the pairs' MAE, eq. (4)."""
    armse: float
    """Mean of the pairs' RMSE, eq. (6): not the RMSE of the pooled differences."""


def similarity(neutral: npt.ArrayLike, groups: Sequence[npt.ArrayLike]) -> FloatArray:
    """Mean cosine similarity of each neutral word to each subgroup's words, eq. (2).

    Parameters
    ----------
    neutral : array_like, shape (m, d)
        Vectors of the neutral words; none zero.
    groups : sequence of array_like, each of shape (k_i, d)
        Vectors of the subgroups' words; none zero.

    Returns
    -------
    ndarray, shape (m, s)
    """
    means = np.stack([unit(words).mean(axis=0) for words in groups], axis=1)
    result: FloatArray = unit(neutral) @ means
    return result


def disparity(x: npt.ArrayLike, names: Sequence[str]) -> Disparity:
    """MAE, RMSE, AMAE and ARMSE of mean similarities.

    Parameters
    ----------
    x : array_like, shape (m, s)
        As `similarity` gives them.
    names : sequence of str, length s

    Raises
    ------
    FairnbError
        ``one-subgroup`` for fewer than two subgroups: there is no pair to compare;
        ``no-neutral-words``.
    """
    values = np.asarray(x, np.float64)
    if values.shape[1] < 2:
        raise FairnbError(
            "one-subgroup", "one subgroup alone cannot be compared", "give at least two subgroups with words"
        )
    if not len(values):
        raise FairnbError("no-neutral-words", "no neutral word has a vector", "give another list of them")
    pairs = list(combinations(range(values.shape[1]), 2))
    differences = differences_of(values, pairs)
    mae = np.abs(differences).mean(axis=0)
    rmse = np.sqrt((differences**2).mean(axis=0))
    keys = [(names[k], names[n]) for k, n in pairs]
    return Disparity(
        dict(zip(keys, map(float, mae), strict=True)),
        dict(zip(keys, map(float, rmse), strict=True)),
        float(mae.mean()),
        float(rmse.mean()),
    )


def differences_of(x: FloatArray, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """Difference of mean similarities per neutral word and pair; shape (m, pairs)."""
    first, second = (list(side) for side in zip(*pairs, strict=True))
    result: FloatArray = x[:, first] - x[:, second]
    return result


def disparity_of(neutral: Covered, groups: Sequence[Covered]) -> Disparity:
    """Disparity of word lists; see `disparity`."""
    return disparity(similarity(neutral.vectors, [g.vectors for g in groups]), [g.name for g in groups])
