"""Word vectors: words, a memory-mapped matrix, and how a list of words is looked up in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FloatMatrix = npt.NDArray[np.floating[Any]]
Case = Literal["fallback", "exact"]
"""``fallback``: a word is looked up as written, then in lower case, then with a capital."""
Form = Literal["exact", "lower", "title", ""]


@dataclass(frozen=True)
class Rows:
    """Where the words of a list lie in an embedding."""

    words: tuple[str, ...]
    """As asked for, repetitions included."""
    rows: npt.NDArray[np.int64]
    """Row of each word; -1 where the embedding has no vector, or only zeros; shape (n,)."""
    forms: tuple[Form, ...]
    """In which form each word was found; empty where it was not."""
    zero: tuple[str, ...]
    """Words whose vector is zero: a cosine with them is undefined, so they count as missing."""

    @property
    def found(self) -> npt.NDArray[np.bool_]:
        """Which words have a vector; shape (n,)."""
        return self.rows >= 0

    @property
    def missing(self) -> tuple[str, ...]:
        """Words without a vector, each once."""
        return tuple(dict.fromkeys(w for w, row in zip(self.words, self.rows, strict=True) if row < 0))

    @property
    def coverage(self) -> float:
        """Share of the list that has a vector; 0 for an empty list."""
        return float(self.found.mean()) if self.words else 0.0

    @property
    def by_form(self) -> dict[str, int]:
        """How many words were found exactly, in lower case, with a capital."""
        return {form: self.forms.count(form) for form in ("exact", "lower", "title")}


@dataclass(frozen=True, eq=False)
class Embedding:
    """Word vectors of one source.

    Two embeddings of the same digest hold the same vectors.
    """

    name: str
    """As the case names it: a known name, a file, or the system's layer."""
    words: tuple[str, ...]
    """Each once, in the order of the source."""
    matrix: FloatMatrix
    """float32, C-contiguous, read-only; shape (words, dimension)."""
    digest: str
    """SHA-256 of the source's files."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Format, licence, rows, repeated rows, zero vectors: shown as they stand."""

    @property
    def dimension(self) -> int:
        """Numbers per word."""
        return int(self.matrix.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Word -> row."""
        return {word: row for row, word in enumerate(self.words)}

    def rows(self, words: Sequence[str], case: Case = "fallback") -> Rows:
        """Look up a list of words.

        Parameters
        ----------
        words : sequence of str
        case : {"fallback", "exact"}
            ``fallback`` tries the word as written, then in lower case, then with a capital.

        Returns
        -------
        Rows
        """
        index = self.index
        rows = np.full(len(words), -1, np.int64)
        forms: list[Form] = []
        zero: dict[str, None] = {}
        for place, word in enumerate(words):
            tried: tuple[tuple[Form, str], ...] = (("exact", word),)
            if case == "fallback":
                tried += (("lower", word.lower()), ("title", word.lower().capitalize()))
            form, row = next(((f, index[w]) for f, w in tried if w in index), ("", -1))
            if row >= 0 and not np.any(self.matrix[row]):
                zero[word] = None
                form, row = "", -1
            rows[place] = row
            forms.append(form)
        return Rows(tuple(words), rows, tuple(forms), tuple(zero))


def from_arrays(name: str, words: Sequence[str], vectors: npt.ArrayLike, digest: str = "") -> Embedding:
    """Make an embedding of arrays at hand, such as a model's weights.

    Parameters
    ----------
    words : sequence of str, length n
        A word that stands there twice keeps its first row.
    vectors : array_like, shape (n, d)
        Kept in its own precision.
    """
    matrix = np.ascontiguousarray(vectors)
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    first = {word: row for row, word in reversed(list(enumerate(words)))}
    kept = sorted(first.values())
    return Embedding(name, tuple(words[row] for row in kept), matrix[kept], digest)
