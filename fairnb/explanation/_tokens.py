"""What a text is taken apart into: words with their apostrophes, handles, hashtags, links, pictographs."""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from fairnb.system import Tokens

if TYPE_CHECKING:
    import numpy.typing as npt

Span = tuple[int, int]
"""Start and end in the raw text."""

# Characters without width that stand inside words, by habit of a script or to hide a word from a filter.
_UNSEEN = "\u00ad\u200b-\u200d\u2060\ufeff"
_APOSTROPHE = "(?:['’ʼ]|&\\#0*39;|&apos;|&rsquo;|&\\#0*8217;)"
_PICTOGRAPH_MODIFIERS = "\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"


def spans_of(text: str) -> tuple[Span, ...]:
    """Where the tokens of a text are.

    A token is a word with its apostrophes (``don't``), a handle, a hashtag, a link, an e-mail address, or a
    pictograph with what is joined to it. Combining marks and characters without width stay with their word,
    and so do asterisks inside it. An HTML entity counts as what it stands for. Punctuation and white space
    are no tokens.

    >>> text = "@user: he's #sick, don't!"
    >>> [text[start:end] for start, end in spans_of(text)]
    ['@user', "he's", '#sick', "don't"]
    """
    return tuple(found.span() for found in _pattern().finditer(text) if _says_something(found.group()))


def _says_something(token: str) -> bool:
    return any(
        character.isalnum() or unicodedata.category(character) == "So" for character in html.unescape(token)
    )


@cache
def _pattern() -> re.Pattern[str]:
    marks = "".join(_ranges(_of_category("M")))
    inside = rf"[\w{marks}{_UNSEEN}]"
    # Regional indicators come in pairs, the letters of a flag; the rest of the category stands alone.
    flag = "[\U0001f1e6-\U0001f1ff]"
    picture = rf"[{''.join(_ranges(_of_category('So')))}][{_PICTOGRAPH_MODIFIERS}]*"
    return re.compile(
        rf"""
          (?<!\w)(?:[a-z][a-z0-9+.-]{{1,20}}://|www\.)\S+
        | (?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+
        | [@#\uff20\uff03]{inside}+
        | {flag}{{2}}
        | {picture}(?:\u200d{picture})*
        | \w{inside}*(?:(?:{_APOSTROPHE}|\*+){inside}+)*
        | &(?:\#[0-9]{{1,7}}|\#x[0-9a-f]{{1,6}}|[a-z][a-z0-9]{{1,31}});
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _of_category(first: str) -> Iterator[int]:
    # Nothing of these categories lies above but a handful of tags.
    for code in range(0xA0, min(sys.maxunicode, 0x20000)):
        if unicodedata.category(chr(code)).startswith(first):
            yield code


def _ranges(codes: Iterable[int]) -> Iterator[str]:
    start = last = -2
    for code in codes:
        if code != last + 1:
            if start >= 0:
                yield f"\\U{start:08x}-\\U{last:08x}"
            start = code
        last = code
    if start >= 0:
        yield f"\\U{start:08x}-\\U{last:08x}"


@dataclass(frozen=True, eq=False)
class Units:
    """A text as the units that are kept or taken out together."""

    text: str
    spans: tuple[Span, ...]
    """Of each token, in order."""
    unit_of: npt.NDArray[np.intp]
    """Shape (tokens,): the unit of each token."""
    at_a_time: int
    """Neighbouring tokens in one unit; 1 unless the text is very long."""

    def __len__(self) -> int:
        return int(self.unit_of.max(initial=-1)) + 1

    @cached_property
    def members(self) -> tuple[tuple[Span, ...], ...]:
        """Spans of each unit's tokens."""
        found: list[list[Span]] = [[] for _ in range(len(self))]
        for span, unit in zip(self.spans, self.unit_of.tolist(), strict=True):
            found[unit].append(span)
        return tuple(map(tuple, found))

    def tokens(self, stand_in: str) -> Tokens:
        """The text in pieces, for systems that score its masked forms."""
        edges = [0, *(edge for span in self.spans for edge in span), len(self.text)]
        between = tuple(self.text[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2))
        return Tokens(tuple(self.text[start:end] for start, end in self.spans), between, stand_in)

    def masks_of_tokens(self, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which tokens masks keep; from shape (m, units) to (m, tokens)."""
        return masks[:, self.unit_of]

    def masked(self, masks: npt.NDArray[np.bool_], stand_in: str) -> list[str]:
        """The text with units taken out.

        Parameters
        ----------
        masks : array of bool, shape (m, units)
            True where a unit is kept.
        stand_in : str
            What stands where a token was; empty: nothing. What lies between tokens stays.

        Returns
        -------
        list of str, length m
        """
        return self.tokens(stand_in).texts(self.masks_of_tokens(masks))


def units_of(text: str, *, by_word: bool = False, most: int = 200) -> Units:
    """Take a text apart into what is explained.

    Parameters
    ----------
    text : str
    by_word : bool
        True: all occurrences of one word are one unit, as for a system that does not see order. False: each
        occurrence is a unit of its own.
    most : int
        Largest number of units; in a longer text neighbours are taken together.
    """
    spans = spans_of(text)
    if by_word:
        known: dict[str, int] = {}
        of = [known.setdefault(text[start:end], len(known)) for start, end in spans]
        if len(known) <= most:
            return Units(text, spans, np.asarray(of, np.intp), 1)
    at_a_time = max(1, -(-len(spans) // most))
    return Units(text, spans, np.arange(len(spans), dtype=np.intp) // at_a_time, at_a_time)
