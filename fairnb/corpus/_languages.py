"""Which language a corpus says each of its texts is in, as groups that can be counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from scipy import sparse

LANGUAGE = "language"
NOT_DECLARED = "not declared"
"""Stands for the language of a text of which the corpus does not say it."""


def language_groups(
    languages: Sequence[str] | None,
) -> tuple[tuple[str, ...], sparse.csr_array[np.bool_, tuple[int, int]]]:
    """Groups of texts by declared language, in the order of their names; each text is in one of them.

    Parameters
    ----------
    languages : sequence of str, length n, or None
        As `Corpus.languages` has them.

    Returns
    -------
    names : tuple of str
        ``language/CODE``, and ``language/not declared`` where a text has no code.
    membership : scipy.sparse.csr_array of bool, shape (n, names)
    """
    import numpy as np
    from scipy import sparse

    named = [f"{LANGUAGE}/{code or NOT_DECLARED}" for code in languages or ()]
    names = tuple(sorted(set(named)))
    place = {name: column for column, name in enumerate(names)}
    columns = np.array([place[name] for name in named], np.int64)
    shape = (len(named), len(names))
    inside = sparse.csr_array((np.ones(len(named), np.bool_), (np.arange(len(named)), columns)), shape=shape)
    return names, inside
