"""A raw corpus to try the task on: composed sentences with both labels and a planted term bias.

About half of the texts are misogynous, four in ten of those aggressive. What is planted: half of the
identity terms stand mostly in misogynous texts, half mostly in harmless ones, in shares that hold exactly
(``data/LANGUAGE.toml``). So a model that looks at words learns that a term itself is telling. Rude remarks
on men, and texts that contradict a misogynous remark, are not misogynous. Nothing about anyone follows
from these texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fairnb.ami._agreement import Term
from fairnb.ami._sentences import Sentences, pair_of, sentences_of
from fairnb.ami._synth import Part
from fairnb.corpus import Dice
from fairnb.errors import FairnbError

FEWEST, MOST = 240, 60_000
_TRIES = 25
_TEST_ONLY = 4
"""Every so many sentence patterns, one is kept for the test part."""


@dataclass(frozen=True, slots=True)
class Post:
    """One composed text."""

    id: str
    text: str
    misogynous: int
    aggressiveness: int
    term: str
    """The identity term that it was composed to mention, in the singular; empty for none."""


@dataclass(frozen=True, slots=True)
class _Order:
    kind: Literal["term", "man", "unnamed", "nobody"]
    misogynous: int
    subject: tuple[Term, Term] | None = None


def raw_set(language: str, part: Part, rows: int, seed: int = 0) -> tuple[Post, ...]:
    """Compose one part of a raw corpus.

    Parameters
    ----------
    language : {"it", "en"}
    part : {"train", "test"}
        Both have the same planted shares. Every fourth sentence pattern occurs in the test part only: as in
        the task, it is worded differently.
    rows : int
        From 240 to 60,000.
    seed : int

    Raises
    ------
    FairnbError
        ``unknown-language``, ``bad-rows``.
    """
    if not FEWEST <= rows <= MOST:
        raise FairnbError(
            "bad-rows",
            f"{rows} texts were asked for",
            f"ask for {FEWEST} to {MOST:,}: with fewer the planted shares cannot hold",
        )
    sentences = sentences_of(language)
    dice = Dice(f"fairnb ami raw {language} {part} {seed}")
    orders = dice.shuffled(list(_orders(sentences, rows)))
    misogynous = sum(order.misogynous for order in orders)
    left = round(misogynous * sentences.raw.aggressive_share)
    seen: set[str] = set()
    posts: list[Post] = []
    met = 0
    for number, order in enumerate(orders, 1):
        # Orders are shuffled, so that every n-th misogynous one is a random one.
        aggressive = order.misogynous and (met + 1) * left // misogynous > met * left // misogynous
        met += order.misogynous
        for _ in range(_TRIES):
            text = _text(sentences, order, bool(aggressive), part, dice)
            if text not in seen:
                break
        seen.add(text)
        term = order.subject[0].lemma if order.kind == "term" and order.subject else ""
        posts.append(Post(f"{language}-r-{part}-{number:05}", text, order.misogynous, int(aggressive), term))
    return tuple(posts)


def _orders(sentences: Sentences, rows: int) -> Iterator[_Order]:
    """Whom each text is to mention and what it is to be, so that planted shares hold exactly."""
    raw = sentences.raw
    each = round(rows * raw.mentions / len(sentences.terms))
    about_men = round(rows * raw.about_men)
    misogynous = round(rows * raw.misogynous_share)
    nobody = rows - each * len(sentences.terms) - about_men
    for pair, share in zip(sentences.terms, sentences.planted, strict=True):
        telling = round(each * share)
        misogynous -= telling
        yield from (_Order("term", int(place < telling), pair) for place in range(each))
    men = [pair_of(one, many, male=True) for one, many in raw.men]
    yield from (_Order("man", 0, men[place % len(men)]) for place in range(about_men))
    unnamed = [pair_of(one, many, bare=True) for one, many in raw.unnamed]
    yield from (_Order("unnamed", 1, unnamed[place % len(unnamed)]) for place in range(misogynous))
    yield from (_Order("nobody", 0) for _ in range(nobody - misogynous))


def _text(sentences: Sentences, order: _Order, aggressive: bool, part: Part, dice: Dice) -> str:
    raw = sentences.raw
    if order.subject is None:
        text = sentences.filled(dice.pick(raw.topics), None, dice)
    else:
        if aggressive:
            options = raw.aggressive
        elif order.misogynous:
            options = raw.misogynous
        elif order.kind == "man" and _chance(raw.rude_share, dice):
            options = raw.aggressive + raw.misogynous
        elif order.kind == "term" and _chance(raw.counter_share, dice):
            options = raw.counter
        else:
            options = raw.neutral
        shown = [one for place, one in enumerate(options, 1) if part == "test" or place % _TEST_ONLY]
        text = sentences.filled(dice.pick(shown), dice.pick(order.subject), dice)
    if dice.one_in(4):
        text += f" {sentences.filled(dice.pick(raw.topics), None, dice)}"
    if dice.one_in(3):
        text = sentences.filled(dice.pick(raw.openers), None, dice) + text
    if dice.one_in(3):
        text += sentences.filled(dice.pick(raw.closers), None, dice)
    return text.lower() if dice.one_in(8) else text


def _chance(share: float, dice: Dice) -> bool:
    return dice.below(1000) < round(1000 * share)
