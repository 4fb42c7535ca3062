"""HTML entities unescaped exactly once, with the way back to the raw text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]

# Only what ends in a semicolon is an entity: `?a=1&copy=2` in a link is none.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A text made from a raw text, each character knowing where it came from."""

    text: str
    starts: Offsets
    """Shape (len(text) + 1,): where each character starts in the raw text; the last is the raw length."""
    ends: Offsets
    """Shape (len(text) + 1,): where each character ends in the raw text; the last belongs to none."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets into the raw text of the characters `start` to `end` (exclusive)."""
        if start >= end:
            place = int(self.starts[start])
            return place, place
        return int(self.starts[start]), int(self.ends[end - 1])


class Visible(Mapped):
    """A raw text as a reader sees it: its HTML entities unescaped once."""

    __slots__ = ()


def visible(raw: str) -> Visible:
    """Unescape the HTML entities of a text exactly once, keeping offsets.

    ``&amp;lt;`` becomes ``&lt;`` and stays that. An entity ends in a semicolon; anything else is text.

    Parameters
    ----------
    raw : str
        The text as its corpus holds it.

    Returns
    -------
    Visible
    """
    unescaped = unescape(raw)
    return Visible(raw, *identity(len(raw))) if unescaped is None else Visible(*unescaped.frozen())


@dataclass(frozen=True, slots=True)
class Loose:
    """A text on its way: offsets as plain sequences, of the same shape as those of `Mapped`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def frozen(self) -> tuple[str, Offsets, Offsets]:
        """The same with read-only arrays."""
        return self.text, _frozen(self.starts), _frozen(self.ends)


def unescape(raw: str) -> Loose | None:
    """The text with its entities unescaped, None where it holds none."""
    if "&" not in raw or ";" not in raw:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for found in _ENTITY.finditer(raw):
        meant = _meaning(found.group())
        if meant is None:
            continue
        first, last = found.span()
        pieces += (raw[done:first], meant)
        starts += range(done, first)
        ends += range(done + 1, first + 1)
        starts += [first] * len(meant)
        ends += [last] * len(meant)
        done = last
    if not done:
        return None
    pieces.append(raw[done:])
    starts += range(done, len(raw) + 1)
    ends += (*range(done + 1, len(raw) + 1), len(raw))
    return Loose("".join(pieces), starts, ends)


@lru_cache(maxsize=4096)
def _meaning(entity: str) -> str | None:
    """The text an entity stands for, None for a name HTML does not know."""
    if entity[1] == "#":
        return html.unescape(entity)
    return html5.get(entity[1:])


class _Counting:
    """One long 0, 1, 2, ... of which most texts' offsets are a view."""

    numbers: Offsets = np.arange(0)


def identity(length: int) -> tuple[Offsets, Offsets]:
    """Offsets of a text that equals its raw text: starts and ends."""
    if len(_Counting.numbers) < length + 2:
        numbers = np.arange(max(1024, 2 * (length + 2)))
        numbers.flags.writeable = False
        _Counting.numbers = numbers
    starts = _Counting.numbers[: length + 1]
    ends = _Counting.numbers[1 : length + 2]
    return starts, ends


def _frozen(numbers: Sequence[int]) -> Offsets:
    offsets = np.array(numbers, dtype=np.int64)
    offsets.flags.writeable = False
    return offsets
