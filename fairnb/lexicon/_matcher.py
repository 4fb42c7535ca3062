"""Terms found in texts: whole words, overlapping, with offsets into the raw text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
import numpy.typing as npt
from ahocorasick_rs import AhoCorasick

from fairnb.errors import FairnbError
from fairnb.text import Matchable, matchable

Rule = Literal["default", "paper"]
Numbers = npt.NDArray[np.int64]

MATCHING = 1
"""Raised when the same terms and texts give other hits than before: makes old results stale."""

_BLOCK = 2_000_000
"""Characters looked through at once: memory stays flat however long the corpus is."""

_ELSEWHERE = re.compile(
    r"(?P<link>(?<![^\W_])(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+)"
    r"|(?P<email>(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<handle>[@\uff20]\w+)"
)
_SIGNS = ("@", "\uff20", "://", "www.")
_KINDS = ("link", "email", "handle")
_PLACES = ("inside a link", "inside an e-mail address", "inside a handle")


@dataclass(frozen=True, slots=True)
class StopPhrase:
    """A phrase in which a term does not speak of people."""

    phrase: str
    reason: str
    terms: tuple[str, ...] = ()
    """The terms that are no mention inside the phrase; empty: all."""


@dataclass(frozen=True, eq=False)
class Hits:
    """Where terms were found. All arrays have shape (hits,) and are sorted by row, start and term."""

    row: Numbers
    """Index of the text."""
    term: Numbers
    """Index into the matcher's terms."""
    start: Numbers
    end: Numbers
    """Offsets into the raw text: ``raw[start:end]`` is what was found."""
    suppressed: Numbers
    """Index into `reasons`; 0 means the hit counts."""
    reasons: tuple[str, ...] = ("",)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def counting(self) -> npt.NDArray[np.bool_]:
        """Whether each hit counts, that is, was not suppressed."""
        return np.equal(self.suppressed, 0)


@dataclass(frozen=True, slots=True)
class _Pattern:
    text: str
    of: int
    """Index of the term, or that of the stop phrase after all terms."""
    dotless: bool = False
    """A term that ends in a dot, written without it."""


class Matcher:
    """Find terms in texts.

    With rule ``default`` texts and terms are compared as `fairnb.text.matchable` writes them, and

    - a term is found only whole: neither a letter, a digit nor a combining mark may touch it. The
      hyphen, the apostrophe, ``#`` and ``_`` are edges: ``white-house``, ``gay's``, ``#gay`` and
      ``#white_house`` are hits, ``human`` is none of ``man``. A hashtag of words that run together
      is one word;
    - a term of one word that ends in a letter other than s is also found with an s;
    - a term of several words is also found with ``-`` or ``_`` between them;
    - a term that ends in a dot (``mr.``) is also found without it, but not in ``mr.x``;
    - hits overlap: ``african american`` is a hit of itself, of ``african`` and of ``american``;
    - a hit inside a link, an e-mail address, a handle or a stop phrase is kept, with the reason,
      and does not count.

    With rule ``paper`` a term is found if it is one of ``text.replace("#", "").split()``: exact
    case, no plural, nothing suppressed; the offsets then cover what stands between the white space.

    Parameters
    ----------
    terms : sequence of str
    rule : {"default", "paper"}
    stop_phrases : sequence of StopPhrase
        Unused with rule ``paper``.

    Raises
    ------
    FairnbError
        ``empty-term`` for a term without a visible character; ``unknown-rule``.

    Examples
    --------
    >>> texts = ["Muslims and Christians met", "a human being"]
    >>> hits = Matcher(["muslim", "man"]).find(texts)
    >>> [(int(r), texts[r][s:e]) for r, s, e in zip(hits.row, hits.start, hits.end)]
    [(0, 'Muslims')]
    """

    def __init__(
        self, terms: Sequence[str], rule: Rule = "default", stop_phrases: Sequence[StopPhrase] = ()
    ) -> None:
        if rule not in ("default", "paper"):
            raise FairnbError(
                "unknown-rule", f"there is no matching rule {rule!r}", "choose default or paper"
            )
        self._forms = tuple(matchable(term).text.strip() for term in terms)
        for place, form in enumerate(self._forms, 1):
            if not form:
                raise FairnbError(
                    "empty-term",
                    f"term {place} is empty and would be found in every text",
                    "remove it from the list of terms",
                )
        self.terms = tuple(terms)
        self.rule = rule
        self._phrases = tuple(stop_phrases) if rule == "default" else ()
        self.reasons = ("", *_PLACES, *(f"in “{stop.phrase}”: {stop.reason}" for stop in self._phrases))
        self._patterns = tuple(self._all_patterns()) if rule == "default" else ()
        self._of = np.array([pattern.of for pattern in self._patterns], dtype=np.int64)
        self._dotless = np.array([pattern.dotless for pattern in self._patterns], dtype=np.bool_)
        self._automaton = AhoCorasick([pattern.text for pattern in self._patterns])
        self._exact = {term: index for index, term in reversed(list(enumerate(self.terms)))}
        self._same = {
            index: tuple(other for other, name in enumerate(self.terms) if name == term)
            for term, index in self._exact.items()
        }
        self._stops = tuple(self._stopped_by(stop) for stop in self._phrases)

    def find(self, texts: Sequence[str]) -> Hits:
        """Find all terms in all texts.

        Parameters
        ----------
        texts : sequence of str
            Raw texts, as their corpus holds them.

        Returns
        -------
        Hits
        """
        blocks = list(self._find_exact(texts) if self.rule == "paper" else self._find_folded(texts))
        columns = np.concatenate(blocks, axis=0) if blocks else np.empty((0, 5), dtype=np.int64)
        columns = columns[np.lexsort((columns[:, 1], columns[:, 2], columns[:, 0]))]
        columns = np.ascontiguousarray(columns.T)
        columns.flags.writeable = False
        row, term, start, end, suppressed = columns
        return Hits(row, term, start, end, suppressed, self.reasons)

    def _all_patterns(self) -> Iterator[_Pattern]:
        for index, form in enumerate(self._forms):
            yield from _written(form, index, phrase=False)
        for index, stop in enumerate(self._phrases, len(self.terms)):
            yield from _written(matchable(stop.phrase).text.strip(), index, phrase=True)

    def _stopped_by(self, stop: StopPhrase) -> npt.NDArray[np.bool_]:
        """Which terms are no mention inside the phrase."""
        named = {matchable(term).text.strip() for term in stop.terms}
        return np.array([not named or form in named for form in self._forms], dtype=np.bool_)

    def _find_exact(self, texts: Sequence[str]) -> Iterator[Numbers]:
        known = self._exact.keys()
        found: list[tuple[int, int, int, int, int]] = []
        for row, text in enumerate(texts):
            if known.isdisjoint(text.replace("#", "").split()):
                continue
            for token in re.finditer(r"\S+", text):
                index = self._exact.get(token.group().replace("#", ""))
                if index is not None:
                    start, end = token.span()
                    start += len(token.group()) - len(token.group().lstrip("#"))
                    end -= len(token.group()) - len(token.group().rstrip("#"))
                    found.extend((row, same, start, end, 0) for same in self._same[index])
        yield np.array(found, dtype=np.int64).reshape(-1, 5)

    def _find_folded(self, texts: Sequence[str]) -> Iterator[Numbers]:
        forms: list[Matchable] = []
        first = size = 0
        for row, text in enumerate(texts):
            forms.append(matchable(text))
            size += len(forms[-1].text) + 1
            if size >= _BLOCK:
                yield self._in_block(forms, first)
                forms, first, size = [], row + 1, 0
        if forms:
            yield self._in_block(forms, first)

    def _in_block(self, forms: list[Matchable], first_row: int) -> Numbers:
        # A line break ends each text: no term or phrase can reach across, for none holds one.
        joined = "\n".join(chain([""], (form.text for form in forms), [""]))
        found = self._automaton.find_matches_as_indexes(joined, overlapping=True)
        table = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=3 * len(found)).reshape(-1, 3)
        characters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        is_word = _word_characters(characters)
        which, start, end = table.T
        after = characters[end]
        whole = ~is_word[characters[start - 1]] & ~is_word[after]
        whole &= ~(self._dotless[which] & (after == ord(".")))
        what, start, end = self._of[which[whole]], start[whole], end[whole]

        lengths = np.fromiter((len(form.text) + 1 for form in forms), dtype=np.int64, count=len(forms))
        base = np.concatenate(([1], 1 + np.cumsum(lengths)))
        row = np.searchsorted(base, start, side="right") - 1
        is_term = what < len(self.terms)
        suppressed = self._suppressed(what, start, end, is_term)
        row, what, start, end = row[is_term], what[is_term], start[is_term], end[is_term]
        elsewhere = _elsewhere(forms, base, row, start, end)
        suppressed = np.where(elsewhere > 0, elsewhere, suppressed)
        raw_start = np.concatenate([form.starts for form in forms])[start - 1]
        raw_end = np.concatenate([form.ends for form in forms])[end - 2]
        return np.column_stack((row + first_row, what, raw_start, raw_end, suppressed))

    def _suppressed(
        self, what: Numbers, start: Numbers, end: Numbers, is_term: npt.NDArray[np.bool_]
    ) -> Numbers:
        """For each hit of a term, the reason of the first stop phrase that holds it, else 0."""
        order = np.argsort(start[is_term], kind="stable")
        term, first, last = what[is_term][order], start[is_term][order], end[is_term][order]
        reason = np.zeros(len(order), dtype=np.int64)
        phrases = np.flatnonzero(~is_term)
        low = np.searchsorted(first, start[phrases], side="left")
        high = np.searchsorted(first, end[phrases], side="left")
        for phrase, begin, stop in zip(phrases.tolist(), low.tolist(), high.tolist(), strict=True):
            number = int(what[phrase]) - len(self.terms)
            for place in range(begin, stop):
                inside = last[place] <= end[phrase] and self._stops[number][term[place]]
                if inside and not reason[place]:
                    reason[place] = 1 + len(_PLACES) + number
        unsorted = np.zeros_like(reason)
        unsorted[order] = reason
        return unsorted


def _written(form: str, index: int, *, phrase: bool) -> Iterator[_Pattern]:
    """The ways in which a term or a phrase may stand in a text."""
    several = " " in form
    for text in (form, form.replace(" ", "-"), form.replace(" ", "_")) if several else (form,):
        yield _Pattern(text, index)
        if (phrase or not several) and text[-1].isalpha() and text[-1] != "s":
            yield _Pattern(text + "s", index)
    if form.endswith(".") and len(form) > 1:
        yield _Pattern(form[:-1], index, dotless=True)


def _word_characters(characters: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Table by code point: letters, digits and combining marks, of those that occur."""
    occurring = np.zeros(int(characters.max()) + 1, dtype=np.bool_)
    occurring[characters] = True
    table = np.zeros_like(occurring)
    for code in np.flatnonzero(occurring).tolist():
        character = chr(code)
        table[code] = character.isalnum() or unicodedata.category(character)[0] == "M"
    return table


def _elsewhere(forms: list[Matchable], base: Numbers, row: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """For each hit, the reason of the link, address or handle that holds it, else 0."""
    spans: list[tuple[int, int, int]] = []
    for number in np.unique(row).tolist():
        text = forms[number].text
        if any(sign in text for sign in _SIGNS):
            place = int(base[number])
            for found in _ELSEWHERE.finditer(text):
                kind = 1 + _KINDS.index(found.lastgroup or "link")
                spans.append((place + found.start(), place + found.end(), kind))
    if not spans:
        return np.zeros_like(row)
    first, last, kinds = np.array(spans, dtype=np.int64).T
    # Spans do not overlap, so only the last one that starts before a hit can hold it.
    nearest = np.searchsorted(first, start, side="right") - 1
    return np.where((nearest >= 0) & (end <= last[nearest]), kinds[nearest], 0)
