"""Word lists as they are used: what an embedding covers of them, and which words belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fairnb.embedding._embedding import Case, Embedding, FloatMatrix, Rows

FloatArray = npt.NDArray[np.float64]
Duplicates = Literal["as printed", "merged"]
"""``as printed``: a word that a list names twice counts twice; ``merged``: once."""

# Forms of one pronoun, which no ending shows.
_PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}
_ENDINGS = (("ies", "y"), ("ves", "fe"), ("ves", "f"), ("men", "man"), ("es", ""), ("s", ""))


@dataclass(frozen=True)
class Covered:
    """A word list and what an embedding has of it."""

    name: str
    rows: Rows
    vectors: FloatMatrix
    """Vectors of the words found, scaled to length one; float64, shape (found, dimension)."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words found, in the list's order."""
        return tuple(w for w, found in zip(self.rows.words, self.rows.found, strict=True) if found)


def covered(
    embedding: Embedding,
    name: str,
    words: Sequence[str],
    *,
    case: Case = "fallback",
    duplicates: Duplicates = "merged",
) -> Covered:
    """Look up one list.

    Parameters
    ----------
    duplicates : {"merged", "as printed"}
        ``merged`` keeps each word, and each vector, once: with the case policy `fallback` two
        spellings of a word may meet the same row.
    """
    rows = embedding.rows(words, case)
    if duplicates == "merged":
        kept: dict[tuple[str, int] | int, str] = {}
        for word, row in zip(words, rows.rows, strict=True):
            kept.setdefault(int(row) if row >= 0 else (word, -1), word)
        rows = embedding.rows(tuple(kept.values()), case)
    found = rows.rows[rows.found]
    return Covered(name, rows, unit(np.asarray(embedding.matrix[found], np.float64)))


def unit(vectors: npt.ArrayLike) -> FloatArray:
    """Vectors scaled to length one; shape (n, d). None may be zero."""
    rows = np.asarray(vectors, np.float64)
    # Scaled by its largest number first: the square of a large float32 stays finite.
    rows = rows / np.abs(rows).max(axis=1, keepdims=True, initial=0.0) if len(rows) else rows
    scaled: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True) if len(rows) else rows
    return scaled


def lemmas(words: Sequence[str]) -> tuple[str, ...]:
    """The word that each word of a list is a form of: repetitions, case, plurals and pronouns.

    A plural is recognised only if the same list holds its singular, so that names such as
    `williams` stay what they are.

    >>> lemmas(["Lady", "ladies", "her", "she", "wives", "jones"])
    ('lady', 'lady', 'she', 'she', 'wives', 'jones')
    """
    lower = [word.lower() for word in words]
    held = set(lower)
    return tuple(_lemma(word, held) for word in lower)


def _lemma(word: str, held: set[str]) -> str:
    if word in _PRONOUNS:
        return _PRONOUNS[word]
    for ending, instead in _ENDINGS if not word.endswith("ss") else ():
        if word.endswith(ending) and word[: -len(ending)] + instead in held:
            return word[: -len(ending)] + instead
    return word


@dataclass(frozen=True)
class Units:
    """What may be exchanged between subgroups: all forms of a word together, with their weight.

    Exchanging plurals apart from their singulars would reject a true null more often than not.
    """

    sums: FloatArray
    """Sum of the unit vectors of each unit's words; shape (u, d)."""
    weights: FloatArray
    """Words of each unit; shape (u,)."""
    group: npt.NDArray[np.int64]
    """Position of each unit's subgroup; shape (u,)."""
    block: npt.NDArray[np.int64]
    """Units of one block change sides together (counterparts of two subgroups); -1: free; shape (u,)."""
    words: tuple[tuple[str, ...], ...]

    @property
    def groups(self) -> int:
        """Number of subgroups."""
        return int(self.group.max()) + 1 if len(self.group) else 0

    def lemmas_in(self, group: int) -> int:
        """Units of one subgroup."""
        return int((self.group == group).sum())


def units(groups: Sequence[Covered], pairs: Iterable[tuple[str, str]] = ()) -> Units:
    """Bring the words of some subgroups into exchangeable units.

    Parameters
    ----------
    groups : sequence of Covered
    pairs : iterable of (str, str)
        Counterparts, such as uncle and aunt: with exactly two subgroups they change sides together.

    Returns
    -------
    Units
    """
    place: dict[tuple[int, str], int] = {}
    members: list[list[str]] = []
    sums: list[Any] = []
    for position, group in enumerate(groups):
        for word, lemma, vector in zip(group.words, lemmas(group.words), group.vectors, strict=True):
            at = place.setdefault((position, lemma), len(members))
            if at == len(members):
                members.append([])
                sums.append(np.zeros(len(vector)))
            members[at].append(word)
            sums[at] = sums[at] + vector
    group_of = np.array([position for position, _ in place], np.int64)
    block = np.full(len(members), -1, np.int64)
    if len(groups) == 2:
        block = _blocks(members, group_of, pairs)
    weights = np.array([len(words) for words in members], np.float64)
    return Units(np.array(sums), weights, group_of, block, tuple(tuple(words) for words in members))


def _blocks(
    members: Sequence[Sequence[str]], group: npt.NDArray[np.int64], pairs: Iterable[tuple[str, str]]
) -> npt.NDArray[np.int64]:
    """Number the connected counterparts; -1 for units without one."""
    at: list[Mapping[str, int]] = [
        {word.lower(): unit for unit, words in enumerate(members) if group[unit] == side for word in words}
        for side in (0, 1)
    ]
    root = list(range(len(members)))

    def top(unit: int) -> int:
        while root[unit] != unit:
            unit = root[unit]
        return unit

    for first, second in pairs:
        for one, other in ((first.lower(), second.lower()), (second.lower(), first.lower())):
            if one in at[0] and other in at[1]:
                root[top(at[1][other])] = top(at[0][one])
    tops = [top(unit) for unit in range(len(members))]
    return np.array([t if tops.count(t) > 1 else -1 for t in tops], np.int64)
