"""Which text belongs to which group, as a sparse matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fairnb.lexicon import Hits

if TYPE_CHECKING:
    Membership = sparse.csr_array[np.bool_, tuple[int, int]]

Numbers = npt.NDArray[np.int64]


def occurs(hits: Hits, members: Sequence[Sequence[int]], n_texts: int, n_terms: int) -> Membership:
    """Whether a text has a counting hit of any term of each group: shape (n_texts, groups)."""
    counting = hits.counting
    row, term = hits.row[counting], hits.term[counting]
    belongs = np.zeros((n_terms, len(members)), dtype=np.bool_)
    for column, places in enumerate(members):
        belongs[list(places), column] = True
    hit, group = np.nonzero(belongs[term])
    return matrix_of(row[hit], group, (n_texts, len(members)))


def matrix_of(rows: Numbers, columns: Numbers, shape: tuple[int, int]) -> Membership:
    """True in the cells given; a cell may be given more than once."""
    # Building from unique cells keeps the matrix boolean, with sorted indices and no repetition.
    width = max(shape[1], 1)
    rows, columns = np.divmod(np.unique(rows * width + columns), width)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=shape[0])))).astype(np.int64)
    ones = np.ones(len(rows), dtype=np.bool_)
    return sparse.csr_array((ones, columns, starts), shape=shape)
