"""A synthetic set after the task's: every term in every sentence, so that only the sentence tells the label.

Built as in Dixon et al. (2018) and the task: identity terms are filled into templates whose label is known.
Each term stands equally often in misogynous and in other sentences, and templates of the training part
never occur in the test part. Which templates go where, and the order of rows, follow from the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairnb.ami._agreement import Term, agreeing
from fairnb.ami._sentences import Sentences, sentences_of
from fairnb.corpus import Dice

Part = Literal["train", "test"]
PARTS: tuple[Part, ...] = ("train", "test")


@dataclass(frozen=True, slots=True)
class Made:
    """One sentence of the synthetic set."""

    id: str
    text: str
    misogynous: int
    """1 or 0."""
    skeleton: str
    """Id of its template: rows that share it are one cluster."""
    term: str
    """The identity term, in the form that stands in the sentence."""


def synthetic_terms(language: str) -> tuple[str, ...]:
    """Identity terms of the synthetic set: each noun in singular and plural.

    Raises
    ------
    FairnbError
        ``unknown-language``.
    """
    return tuple(term.text for pair in sentences_of(language).terms for term in pair)


def synthetic_set(language: str, seed: int = 0) -> dict[Part, tuple[Made, ...]]:
    """Make the training and the test part of a synthetic set.

    Parameters
    ----------
    language : {"it", "en"}
    seed : int
        Deals the templates to the parts and shuffles the rows.

    Returns
    -------
    dict
        Part -> sentences: as many templates as the other part, of them half misogynous, each with every term.

    Raises
    ------
    FairnbError
        ``unknown-language``.
    """
    sentences = sentences_of(language)
    dice = Dice(f"fairnb ami synthetic {language} {seed}")
    terms = [term for pair in sentences.terms for term in pair]
    dealt: dict[Part, list[tuple[str, str, int]]] = {"train": [], "test": []}
    for label, templates in enumerate(sentences.synthetic):
        named = [
            (f"{language}-{'nm'[label]}-{number:02}", template, label)
            for number, template in enumerate(templates, 1)
        ]
        for place, one in enumerate(dice.shuffled(named)):
            dealt[PARTS[place % 2]].append(one)
    return {part: tuple(_filled(sentences, part, dealt[part], terms, dice)) for part in PARTS}


def _filled(
    sentences: Sentences,
    part: Part,
    templates: Sequence[tuple[str, str, int]],
    terms: Sequence[Term],
    dice: Dice,
) -> list[Made]:
    rows = dice.shuffled([(*template, term) for template in templates for term in terms])
    return [
        Made(
            f"{sentences.language}-s-{part}-{number:04}",
            agreeing(template, term, sentences.language),
            label,
            skeleton,
            term.text,
        )
        for number, (skeleton, template, label, term) in enumerate(rows, 1)
    ]
