"""The form in which texts and terms are compared, with the way back to the raw text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fairnb.text._visible import Loose, Mapped, identity, unescape

# One ASCII character may be the base of the combining marks that follow it.
_BEYOND_ASCII = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_UNEVEN_SPACE = re.compile(r"\s{2,}|[^\S ]")

_SHORT_RUN = 16
_APOSTROPHES = "\u2018\u2019\u02bc"
_LETTER_CASE = {
    # Unicode folds the dotted capital I to i and a combining dot, which no term would be written with.
    "\u0130": "i",
    **dict.fromkeys(_APOSTROPHES, "'"),
}

# Starters that compose with what stands before them: vowel and length signs of Indic scripts and
# the second and third letters of Hangul syllables. All other starters begin a new cluster.
_COMPOSING = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) | frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))

# Prefixed signs of Arabic, Syriac and Kaithi are format characters that can be seen.
_SEEN_FORMATS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")


class Matchable(Mapped):
    """A raw text in the form in which terms are looked up."""

    __slots__ = ()


def matchable(raw: str) -> Matchable:
    r"""Bring a text or a term into the form in which they are compared, keeping offsets.

    In this order: HTML entities unescaped once; characters without width removed (joiners, soft
    hyphens, direction marks, variation selectors); NFC; case folded; typographic apostrophes
    written as ``'``; half surrogate pairs written as U+FFFD; any run of white space written as one
    space.

    Parameters
    ----------
    raw : str
        The text as its corpus holds it.

    Returns
    -------
    Matchable
        Folding may lengthen a text (``ß`` becomes ``ss``); each character still knows the raw
        characters it came from, so that ``raw[slice(*m.span(a, b))]`` is what was matched.

    Examples
    --------
    >>> m = matchable("A &quot;Caf\u0065\u0301&quot;")
    >>> m.text
    'a "café"'
    >>> m.span(3, 7)
    (8, 13)
    """
    if raw.isascii() and raw.isprintable() and "&" not in raw and "  " not in raw:
        return Matchable(raw.lower(), *identity(len(raw)))
    form = unescape(raw) or Loose(raw, range(len(raw) + 1), (*range(1, len(raw) + 1), len(raw)))
    form = Loose(form.text.lower(), form.starts, form.ends) if form.text.isascii() else _folded(form)
    if _UNEVEN_SPACE.search(form.text) is not None:
        form = _evenly_spaced(form)
    return Matchable(*form.frozen())


def is_ignorable(character: str) -> bool:
    """Whether a character has no width of its own: it is shown by nothing or changes a neighbour."""
    if character in _UNSEEN or character in _SEEN_FORMATS:
        return character in _UNSEEN
    return unicodedata.category(character) == "Cf" or _is_variation_selector(character)


def _is_variation_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _folded(form: Loose) -> Loose:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    was_start, was_end = form.starts, form.ends
    done = 0
    for found in _BEYOND_ASCII.finditer(form.text):
        first, last = found.span()
        pieces.append(form.text[done:first].lower())
        starts += was_start[done:first]
        ends += was_end[done:first]
        for cluster_start, cluster_end, folded in _clusters_of(found.group()):
            pieces.append(folded)
            starts += [was_start[first + cluster_start]] * len(folded)
            ends += [was_end[first + cluster_end]] * len(folded)
        done = last
    pieces.append(form.text[done:].lower())
    starts += was_start[done:]
    ends += was_end[done:]
    return Loose("".join(pieces), starts, ends)


def _clusters_of(run: str) -> tuple[tuple[int, int, str], ...]:
    # Signs and emoji come again and again; long runs do not and would fill the memory.
    return _known_clusters(run) if len(run) <= _SHORT_RUN else _clusters(run)


def _clusters(run: str) -> tuple[tuple[int, int, str], ...]:
    """Split a run where normalisation cannot reach across: first and last character, folded text."""
    clusters: list[tuple[int, int, str]] = []
    held = ""
    first = last = 0
    for place, character in enumerate(run):
        if is_ignorable(character):
            continue
        if held and (unicodedata.combining(character) or character in _COMPOSING):
            held += character
            last = place
            continue
        if held:
            clusters.append((first, last, _fold(held)))
        held, first, last = character, place, place
    if held:
        clusters.append((first, last, _fold(held)))
    return tuple(clusters)


_known_clusters = lru_cache(maxsize=8192)(_clusters)


def _fold(cluster: str) -> str:
    if len(cluster) == 1 and "\ud800" <= cluster <= "\udfff":
        return "\ufffd"
    composed = unicodedata.normalize("NFC", cluster)
    folded = "".join(_LETTER_CASE.get(letter) or letter.casefold() for letter in composed)
    return unicodedata.normalize("NFC", folded)


def _evenly_spaced(form: Loose) -> Loose:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    was_start, was_end = form.starts, form.ends
    done = 0
    for found in _UNEVEN_SPACE.finditer(form.text):
        first, last = found.span()
        pieces += (form.text[done:first], " ")
        starts += was_start[done:first]
        ends += was_end[done:first]
        starts.append(was_start[first])
        ends.append(was_end[last - 1])
        done = last
    pieces.append(form.text[done:])
    starts += was_start[done:]
    ends += was_end[done:]
    return Loose("".join(pieces), starts, ends)
