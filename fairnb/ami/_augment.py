"""Debiasing by augmentation: neutral sentences of the identity terms, added to the training texts.

As in Dixon et al. (2018) and the task's best run of subtask B, which took its sentences from Wikipedia
articles with the terms: a term that stands mostly in misogynous texts gets as many neutral sentences as bring
its share of misogynous texts down to that of all texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairnb.ami._checks import term_matches
from fairnb.ami._sentences import Sentences, sentences_of
from fairnb.corpus import Dice
from fairnb.errors import FairnbError

_MISSES = 200
"""Draws in a row that gave no new sentence, after which there are held to be no more."""


@dataclass(frozen=True, slots=True)
class TermBalance:
    """How one identity term stands in the training texts, and what was added for it."""

    term: str
    texts: int
    """Training texts that mention it."""
    misogynous: int
    """Of these, the misogynous ones."""
    wanted: int
    """Neutral sentences that would bring its share down to that of all texts."""
    added: int
    """Neutral sentences that were added; fewer if there were not as many different ones."""


@dataclass(frozen=True, slots=True)
class Augmented:
    """Neutral sentences, all neither misogynous nor aggressive, and how each term stands."""

    texts: tuple[str, ...]
    balance: tuple[TermBalance, ...]
    overall: float
    """Share of misogynous texts among all training texts."""


def neutral_sentences(
    texts: Sequence[str],
    misogynous: npt.NDArray[np.integer],
    terms: Sequence[str],
    language: str = "it",
    *,
    own: Sequence[str] | None = None,
    seed: int = 0,
) -> Augmented:
    """Choose the neutral sentences that balance identity terms in training texts.

    Parameters
    ----------
    texts : sequence of str, length n
        Training texts.
    misogynous : ndarray of int, shape (n,)
        1 or 0.
    terms : sequence of str
        Identity terms: whole words, any case.
    language : {"it", "en"}
        Of fairnb's own sentences. Those agree with the terms that fairnb knows; any other term is quoted.
    own : sequence of str, optional
        Neutral sentences of your own; only those are used then, each for a term that it mentions.
    seed : int

    Returns
    -------
    Augmented

    Raises
    ------
    FairnbError
        ``unknown-language``; ``one-class`` without misogynous texts, or with nothing else;
        ``no-neutral-sentence`` if no sentence of your own mentions a term that needs one.
    """
    overall = float(np.mean(misogynous)) if len(texts) else 0.0
    if not 0.0 < overall < 1.0:
        raise FairnbError(
            "one-class",
            f"all {len(texts)} training texts have the same label",
            "give texts with both labels",
            where="misogynous",
        )
    held = term_matches(texts, terms).T
    mine = None if own is None else term_matches(own, terms).T
    dice = Dice(f"fairnb ami neutral {language} {seed}")
    sentences = sentences_of(language)
    chosen: dict[str, None] = {}
    balance: list[TermBalance] = []
    for place, term in enumerate(terms):
        total, telling = int(held[place].sum()), int(misogynous[held[place]].sum())
        wanted = max(0, int(np.ceil(telling / overall - 1e-9)) - total)
        if own is None or mine is None:
            added = _composed(sentences, term, wanted, dice, chosen)
        else:
            rows = dice.shuffled(np.flatnonzero(mine[place]).tolist())
            added = tuple(one for one in dict.fromkeys(own[row] for row in rows) if one not in chosen)[
                :wanted
            ]
        chosen.update(dict.fromkeys(added))
        balance.append(TermBalance(term, total, telling, wanted, len(added)))
    if own is not None and not chosen and any(one.wanted for one in balance):
        raise FairnbError(
            "no-neutral-sentence",
            "none of the neutral sentences mentions an identity term that needs one",
            "give sentences that hold the terms as whole words",
        )
    return Augmented(tuple(chosen), tuple(balance), overall)


def _composed(
    sentences: Sentences, term: str, wanted: int, dice: Dice, taken: dict[str, None]
) -> tuple[str, ...]:
    known = sentences.known(term)
    made: dict[str, None] = {}
    misses = 0
    while len(made) < wanted and misses < _MISSES:
        if known is not None:
            text = sentences.filled(dice.pick(sentences.augment), known, dice)
        else:
            quoted = dice.pick(sentences.words)
            text = sentences.filled(quoted.replace("{term}", term).replace("{Term}", term), None, dice)
        if text in taken or text in made:
            misses += 1
        else:
            made[text] = None
            misses = 0
    return tuple(made)
