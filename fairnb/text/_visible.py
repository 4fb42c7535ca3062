"""HTML entities unescaped exactly once, with the way back to the raw text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
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
    """Shape (len(text) + 1,): where each character ends in the raw text; the last is the raw length."""

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
    if "&" not in raw or ";" not in raw:
        return Visible(raw, *identity(len(raw)))
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
        starts.extend(range(done, first))
        ends.extend(range(done + 1, first + 1))
        starts.extend([first] * len(meant))
        ends.extend([last] * len(meant))
        done = last
    if not done:
        return Visible(raw, *identity(len(raw)))
    pieces.append(raw[done:])
    starts.extend(range(done, len(raw) + 1))
    ends.extend(range(done + 1, len(raw) + 1))
    ends.append(len(raw))
    return Visible("".join(pieces), frozen(starts), frozen(ends))


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


def frozen(numbers: list[int]) -> Offsets:
    """A read-only array of offsets."""
    offsets = np.array(numbers, dtype=np.int64)
    offsets.flags.writeable = False
    return offsets
