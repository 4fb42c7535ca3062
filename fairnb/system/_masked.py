"""Forms of one text with tokens taken out: as texts, or as the rows of ids that a system makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.errors import FairnbError

if TYPE_CHECKING:
    import numpy.typing as npt

    Masks = npt.NDArray[np.bool_]
    Ids = npt.NDArray[np.int64]

_AT_ONCE = 500
"""Masked texts laid out at a time: a long one would fill the memory."""
_CELLS = 4_000_000
"""Cells of the table from which rows of ids are put together, at most."""


@dataclass(frozen=True)
class Tokens:
    """A text as tokens that can be taken out, and what lies between them.

    Raises
    ------
    FairnbError
        ``bad-value`` if there is not one more piece between tokens than there are tokens.
    """

    words: tuple[str, ...]
    """The tokens, in order; k of them."""
    between: tuple[str, ...]
    """What stands before the first, between two and behind the last; k + 1 of them."""
    stand_in: str = ""
    """What stands where a token was taken out; empty: nothing."""

    def __post_init__(self) -> None:
        if len(self.between) != len(self.words) + 1:
            raise FairnbError(
                "bad-value",
                f"{len(self.between)} pieces lie between {len(self.words)} tokens",
                "give one piece more than tokens, empty ones included",
            )

    def texts(self, masks: Masks) -> list[str]:
        """The text with tokens taken out.

        Parameters
        ----------
        masks : array of bool, shape (m, k)
            True where a token is kept.

        Returns
        -------
        list of str, length m
        """
        words = np.array(self.words, dtype=object)
        texts: list[str] = []
        for first in range(0, len(masks), _AT_ONCE):
            kept = masks[first : first + _AT_ONCE]
            table = np.empty((len(kept), 2 * len(words) + 1), dtype=object)
            table[:, 0::2] = self.between
            table[:, 1::2] = np.where(kept, words, self.stand_in)
            texts += ["".join(row) for row in table.tolist()]
        return texts


def encoded(
    tokens: Tokens,
    masks: Masks,
    ids_of: Callable[[list[str]], Sequence[Sequence[int]]],
    *,
    length: int,
    last: bool = False,
) -> Ids:
    """Rows of ids of masked texts, for a system that reads a text space by space.

    Parameters
    ----------
    tokens : Tokens
    masks : array of bool, shape (m, k)
    ids_of : callable
        Ids of texts without padding. Those of two texts with a space between are those of the first and then
        those of the second: this is what makes it possible to look at each stretch between spaces once.
    length : int
        Ids of a row: the first, or the last ones.
    last : bool
        Whether rows hold the last ids with zeros before them; otherwise the first ones with zeros behind.

    Returns
    -------
    array of int, shape (m, length)
    """
    forms: list[str] = []
    which = np.empty((len(masks), 0), dtype=np.intp)
    columns = []
    for chunk, places in _chunks(tokens):
        rows, inverse = _different(masks[:, places])
        columns.append(inverse + len(forms))
        forms += chunk.texts(rows)
    if columns:
        which = np.stack(columns, axis=1)
    ids = ids_of(forms)
    widest = max((len(own) for own in ids), default=0)
    table = np.full((len(forms), widest), -1, dtype=np.int64)
    for row, own in enumerate(ids):
        table[row, : len(own)] = own
    found = np.zeros((len(masks), length), dtype=np.int64)
    step = max(1, _CELLS // max(1, which.shape[1] * widest))
    for first in range(0, len(masks), step):
        cells = table[which[first : first + step]].reshape(len(which[first : first + step]), -1)
        there = cells >= 0
        place = np.cumsum(there, axis=1) - 1
        if last:
            place += length - there.sum(axis=1, keepdims=True)
        at, column = np.nonzero(there & (place >= 0) & (place < length))
        found[first + at, place[at, column]] = cells[at, column]
    return found


def _chunks(tokens: Tokens) -> Iterator[tuple[Tokens, list[int]]]:
    """The stretches of a text between spaces, each with the places of its tokens."""
    between = [tokens.between[0].rpartition(" ")]
    # What lies before the first space of all is a stretch without tokens, and so on at every gap.
    if between[0][1]:
        yield Tokens((), (between[0][0],), tokens.stand_in), []
    pieces, words, places = [between[0][2]], [], []
    for place, (word, gap) in enumerate(zip(tokens.words, tokens.between[1:], strict=True)):
        words.append(word)
        places.append(place)
        before, space, rest = gap.partition(" ")
        pieces.append(before)
        if space:
            yield Tokens(tuple(words), tuple(pieces), tokens.stand_in), places
            middle, second, after = rest.rpartition(" ")
            if second:
                yield Tokens((), (middle,), tokens.stand_in), []
            pieces, words, places = [after], [], []
    yield Tokens(tuple(words), tuple(pieces), tokens.stand_in), places


def _different(masks: Masks) -> tuple[Masks, npt.NDArray[np.intp]]:
    """Different rows, and which of them each row is."""
    if masks.shape[1] == 0:
        return masks[:1], np.zeros(len(masks), np.intp)
    packed = np.packbits(masks, axis=1)
    _, first, inverse = unique_rows(packed)
    return masks[first], inverse


def unique_rows(
    rows: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Different rows of an array, where each stands first, and which of them each row is; by their bytes."""
    rows = np.ascontiguousarray(rows)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], first, inverse.astype(np.intp)
