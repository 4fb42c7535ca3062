"""How a corpus's labels answer a target's question."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairnb.corpus._cells import counted, label_of
from fairnb.corpus._corpus import Corpus
from fairnb.errors import FairnbError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_MOST_SHOWN = 12


def answers(
    corpus: Corpus, positive: Sequence[int | str], negative: Sequence[int | str] | None = None
) -> npt.NDArray[np.int8]:
    """Answer a target from the labels of a corpus.

    With `negative`, every label must be in one of the two lists, and a corpus of one class is allowed.
    Without it every label that is not positive means no, so each positive label must occur: a misspelt
    one would silently turn rows negative.

    Parameters
    ----------
    corpus : Corpus
    positive, negative : sequence of int or str
        Compared as labels are read: ``"1"`` and 1 are the same.

    Returns
    -------
    array of int8, shape (n,)
        1 yes, 0 no, -1 where the label is missing.

    Raises
    ------
    FairnbError
        ``unknown-label`` with label, first row and count; ``label-not-found`` with the labels there
        are; ``label-twice``; ``no-labels`` if no row has one.
    """
    import numpy as np

    yes, no = _as_labels(positive), None if negative is None else _as_labels(negative)
    both = [label for label in yes if no is not None and label in no]
    if both:
        raise FairnbError(
            "label-twice",
            f"the label {both[0]!r} is both positive and negative",
            "name it in one of the two",
            where=corpus.name,
        )
    if all(label is None for label in corpus.labels):
        raise FairnbError(
            "no-labels", "no row has a label", "name the column that holds the labels", where=corpus.name
        )
    if no is None:
        _refuse_absent(corpus, yes)
    else:
        _refuse_unknown(corpus, {*yes, *no})
    meaning: dict[int | str | None, int] = {label: int(label in yes) for label in set(corpus.labels)}
    meaning[None] = -1
    return np.fromiter((meaning[label] for label in corpus.labels), dtype=np.int8, count=len(corpus))


def _as_labels(given: Sequence[int | str]) -> tuple[int | str, ...]:
    return tuple(label for label in map(label_of, given) if label is not None)


def _refuse_absent(corpus: Corpus, positive: Sequence[int | str]) -> None:
    there = set(corpus.labels)
    for label in positive:
        if label not in there:
            near = difflib.get_close_matches(
                str(label).casefold(), [str(one).casefold() for one in there if one is not None], n=1
            )
            exact = [str(one) for one in there if near and str(one).casefold() == near[0]]
            raise FairnbError(
                "label-not-found",
                f"the positive label {label!r} never occurs in the corpus {corpus.name}, whose labels are "
                f"{_listed(corpus)}",
                (f"did you mean {exact[0]!r}? correct" if exact else "correct")
                + " positive =, or name negative = as well if this corpus lacks that label",
                where=str(corpus.facts.get("source", corpus.name)),
            )


def _refuse_unknown(corpus: Corpus, expected: set[int | str]) -> None:
    for row, label in enumerate(corpus.labels):
        if label is not None and label not in expected:
            rows = sum(other == label for other in corpus.labels)
            raise FairnbError(
                "unknown-label",
                f"the label {label!r} is neither positive nor negative; {rows} "
                f"{'row has' if rows == 1 else 'rows have'} it",
                "add it to positive = or negative =, or correct the file",
                where=corpus.where(row),
            )


def _listed(corpus: Corpus) -> str:
    counts = counted(corpus.labels)
    shown = [f"{label} ({rows})" for label, rows in list(counts.items())[:_MOST_SHOWN]]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
