"""Scores as 31-bit integers that keep their order and, for float32 scores, every bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError

Keys = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]

HALF = 0x3F000000
"""Key of 0.5: the bits of float32 0.5. Its 24 low bits are zero, so it stays an edge under right shifts."""
TOP = 2 * HALF
"""Key of 1.0, the largest."""
BITS = 31
TYPES = ("float16", "float32", "float64")
"""Types in which scores are compared with thresholds."""
SHIFTS = (0, 7, 11, 13, 15)
"""Right shifts a tally may be coarsened by."""


def as_scores(scores: npt.ArrayLike) -> npt.NDArray[np.floating[Any]]:
    """Scores as an array of their own floating type, if NumPy has it everywhere; others become float64."""
    array = np.asarray(scores)
    return array if array.dtype.name in TYPES else array.astype(np.float64)


def keys_of(scores: npt.ArrayLike) -> Keys:
    """Keys of scores in [0, 1].

    The key is the bit pattern of float32(min(p, 1 - p)), where 1 - p is taken in the precision of the
    scores (exact for p >= 0.5), mirrored above 0.5. Hence p <= q implies key(p) <= key(q); different
    float32 scores have different keys, those next to 1 included; and key(p) >= HALF if and only if p >= 0.5.

    Parameters
    ----------
    scores : array_like, shape (n,)
        Floating scores in [0, 1], without NaN.

    Returns
    -------
    ndarray of uint32, shape (n,)
        Values from 0 to TOP.

    Raises
    ------
    FairnbError
        ``score-out-of-range`` if a score is NaN or outside [0, 1].
    """
    p = as_scores(scores)
    outside = ~((p >= 0) & (p <= 1))
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise FairnbError(
            "score-out-of-range",
            f"score {p.reshape(-1)[row]!s} is outside [0, 1]",
            "give probabilities, or NaN for a text without a score",
            where=f"row {row}",
        )
    above = p > 0.5
    # abs() turns -0.0 into 0.0, whose sign bit would otherwise be read as the largest key.
    folded = np.abs(np.where(above, 1 - p, p)).astype(np.float32).view(np.uint32)
    # A float64 score beside 0.5 must not round onto the edge it does not stand on.
    folded = np.where(p != 0.5, np.minimum(folded, HALF - 1), folded)
    return np.where(above, TOP - folded, folded).astype(np.uint32)


def scores_of(keys: npt.NDArray[Any], shift: int = 0) -> Floats:
    """Scores as the tally holds them, from keys shifted right by `shift`.

    Parameters
    ----------
    keys : ndarray of integer, shape (n,)
    shift : int
        With a shift above 0, each bucket is represented by the score of its middle key.

    Returns
    -------
    ndarray of float64, shape (n,)
        Equal to the original scores where these were float32 and `shift` is 0.
    """
    whole = keys.astype(np.int64)
    if shift:
        whole = np.minimum((whole << shift) + (1 << (shift - 1)), TOP)
    above = whole > HALF
    folded = np.where(above, TOP - whole, whole).astype(np.uint32).view(np.float32).astype(np.float64)
    return np.where(above, 1.0 - folded, folded)


def threshold_key(threshold: float, dtype: str) -> int:
    """Smallest key counted as flagged at a threshold, after casting it once to the scores' type."""
    cast = np.dtype(dtype).type(threshold)
    if cast <= 0:
        return 0
    if cast > 1:
        return TOP + 1
    return int(keys_of(np.asarray([cast]))[0])
