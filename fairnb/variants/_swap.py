"""Words of one subgroup exchanged for those of another, in a single simultaneous pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairnb.errors import FairnbError
from fairnb.lexicon import Matcher, StopPhrase, SwapPair
from fairnb.variants._speech import (
    PRONOUNS,
    article_for,
    can_be_verb,
    is_exclamation,
    is_people_word,
    is_possessive,
    is_verb,
    next_word,
)
from fairnb.variants._swapped import MIXED, Change, Skipped, Swapped

GENDERED = "changing one word leaves articles, adjectives and participles in the other gender"
"""Why words are not swapped in languages with grammatical gender."""

_HASHTAG = re.compile(r"[#\uff03]\w+")
_ARTICLE = re.compile(r"(?<![^\W_])(?P<article>an?)[^\S\n]+\Z", re.IGNORECASE)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc", "'"))
_INSIDE_HASHTAG = "inside a hashtag"
_NAME = re.compile(r"(?<![^\W_])[A-Z][a-z]+(?![^\W_])")
_SHORTEST_IN_HASHTAG = 4


@dataclass(frozen=True, slots=True)
class SwapRules:
    """What a swap leaves alone or treats in a way of its own, beside the pairs."""

    stop_phrases: tuple[StopPhrase, ...] = ()
    before_people: frozenset[str] = frozenset()
    """Words swapped only before a word for people: ``black`` in ``black women``."""
    capitalised: frozenset[str] = frozenset()
    """Words swapped only with a capital: surnames."""
    first_names: frozenset[str] = frozenset()
    """Names that are reported, for their gender may conflict with a swapped word."""
    titles: bool = False
    """Whether ``Miss`` before a capital becomes ``Mr.``."""


def refuse_language(language: str) -> None:
    """Raise unless words can be swapped one by one in this language.

    Raises
    ------
    FairnbError
        ``grammatical-gender`` for every language but English.
    """
    if language.split("-")[0].casefold() != "en":
        raise FairnbError(
            "grammatical-gender",
            f"words cannot be swapped in texts of the language {language!r}: {GENDERED}",
            "assess these texts with counterfactual templates of your own",
        )


class Swapper:
    """Exchange the words of two subgroups in English texts.

    All words are found in the original and replaced at once, so that nothing is swapped back. Words are
    whole (see `fairnb.lexicon.Matcher`). Upper case, an initial capital, the possessive and contractions
    stay; a dot after ``mr`` is kept as it was. Nothing is replaced in handles, links, e-mail addresses,
    hashtags and HTML entities, and words without one true counterpart are left alone; what is left alone is
    listed with its reason. ``a`` or ``an`` before a swapped word follows it.

    Parameters
    ----------
    pairs : sequence of SwapPair
        Those of other subgroups are not used. A pair with swap ``none`` makes its words ambiguous.
    first, second : str
        The two subgroups.
    rules : SwapRules
    language : str

    Raises
    ------
    FairnbError
        ``grammatical-gender``; ``no-swap-pairs`` if no pair joins the two subgroups.

    Examples
    --------
    >>> pairs = [SwapPair("gender", "male", "he", "female", "she")]
    >>> Swapper(pairs, "male", "female").swap("He’s late.").text
    'She’s late.'
    """

    def __init__(
        self,
        pairs: Sequence[SwapPair],
        first: str,
        second: str,
        rules: SwapRules | None = None,
        *,
        language: str = "en",
    ) -> None:
        refuse_language(language)
        self.first, self.second = first, second
        self.rules = rules or SwapRules()
        joined = [pair for pair in pairs if {pair.first_subgroup, pair.second_subgroup} == {first, second}]
        self._targets, self._ambiguous = _targets(joined)
        if not self._targets:
            raise FairnbError(
                "no-swap-pairs",
                f"no pair of words joins {first} and {second}",
                "add [[pairs]] to a lexicon file of your own",
            )
        self._terms = (*self._targets, *self._ambiguous)
        self._matcher = Matcher([term for _, term in self._terms], "default", self.rules.stop_phrases)

    @property
    def one_to_many(self) -> tuple[str, ...]:
        """Words that two swaps may not bring back: several words share a counterpart."""
        return tuple(
            dict.fromkeys(
                word
                for (group, word), targets in self._targets.items()
                if len(targets) > 1
                or any(self._targets.get((self._other(group), target)) != (word,) for target in targets)
            )
        )

    def swap(self, text: str, only: str = "") -> Swapped:
        """Swap one text; see `swap_all`."""
        return self.swap_all([text], only)[0]

    def swap_all(self, texts: Sequence[str], only: str = "") -> list[Swapped]:
        """Swap every text.

        Parameters
        ----------
        texts : sequence of str
            Raw texts, as their corpus holds them.
        only : str
            Replace words of this subgroup alone; empty: of whichever a text names, of both at once where it
            names both.

        Returns
        -------
        list of Swapped
            One per text, in order.

        Raises
        ------
        FairnbError
            ``unknown-subgroup``.
        """
        if only not in ("", self.first, self.second):
            raise FairnbError(
                "unknown-subgroup",
                f"words of {only!r} are not swapped here",
                f"choose {self.first} or {self.second}",
            )
        hits = self._matcher.find(texts)
        found: list[list[tuple[int, int, int, int]]] = [[] for _ in texts]
        columns = (hits.row, hits.start, hits.end, hits.term, hits.suppressed)
        for row, start, end, term, why in zip(*(column.tolist() for column in columns), strict=True):
            found[row].append((start, end, term, why))
        return [
            self._one(text, _longest(places, self._terms), hits.reasons, only)
            for text, places in zip(texts, found, strict=True)
        ]

    def _one(
        self, raw: str, places: list[tuple[int, int, int, int]], reasons: tuple[str, ...], only: str
    ) -> Swapped:
        changes: list[Change] = []
        skipped: list[Skipped] = []
        tags = [found.span() for found in _HASHTAG.finditer(raw)] if "#" in raw or "\uff03" in raw else []
        for start, end, term, why in places:
            subgroup, word = self._terms[term]
            if only and subgroup != only:
                continue
            old = raw[start:end]
            in_tag = any(first <= start < last for first, last in tags)
            reason = reasons[why] or (_INSIDE_HASHTAG if in_tag else "")
            new, rule = "", ""
            if not reason:
                new, rule, reason = self._counterpart(raw, start, end, subgroup, word)
            if reason:
                skipped.append(Skipped(start, end, old, subgroup, reason))
                continue
            article = _article(raw, start, old, new)
            if article is not None:
                changes.append(article)
            changes.append(Change(start, end, old, new, subgroup, rule))
        skipped += self._hidden(raw, tags, {entry.start for entry in skipped}, only)
        groups = {change.subgroup for change in changes if change.subgroup}
        if not groups:
            return Swapped(raw, raw, (), tuple(sorted(skipped, key=lambda entry: entry.start)))
        skipped += self._names(raw)
        subgroup = groups.pop() if len(groups) == 1 else MIXED
        return Swapped(
            raw,
            _replaced(raw, changes),
            tuple(changes),
            tuple(sorted(skipped, key=lambda entry: entry.start)),
            subgroup,
            MIXED if subgroup == MIXED else self._other(subgroup),
        )

    def _other(self, subgroup: str) -> str:
        return self.second if subgroup == self.first else self.first

    def _counterpart(self, raw: str, start: int, end: int, subgroup: str, word: str) -> tuple[str, str, str]:
        """New word and rule, or a reason to leave the old one."""
        old = raw[start:end]
        seen = old.translate(_APOSTROPHES).casefold()
        if (
            self.rules.titles
            and seen == "miss"
            and old[0].isupper()
            and re.match(r" [A-Z]", raw[end : end + 2])
        ):
            return _like("mr.", old, raw[end : end + 1]), "title", ""
        targets = self._targets.get((subgroup, word))
        if targets is None:
            return "", "", self._ambiguous[subgroup, word]
        plural, dotless = False, False
        if seen != word:
            dotless = word.endswith(".") and seen == word[:-1]
            plural = seen == word + "s"
            if not (dotless or plural or re.sub("[-_]", " ", seen) == word):
                return "", "", "written with an entity or characters that cannot be seen"
        reason = self._kept(raw, start, end, seen)
        if reason:
            return "", "", reason
        target, rule = targets[0], "pair"
        if word in PRONOUNS and len(targets) > 1:
            if seen == "her" and re.match("['\u2019\u2018]s", raw[end : end + 2]):
                return "", "", "her's: unclear whether her or hers is meant"
            owned = is_possessive(word, raw, start, end)
            target, rule = _by_speech(word, targets, owned)
        if plural:
            if target.endswith(("s", "men")):
                return "", "", "a plural without a listed counterpart"
            target += "s"
        if dotless:
            target = target.removesuffix(".")
        return _like(target, old, raw[end : end + 1]), rule, ""

    def _kept(self, raw: str, start: int, end: int, seen: str) -> str:
        """Why a word with a counterpart stays in this place; empty if it does not."""
        if is_exclamation(seen, raw, start, end):
            return "an exclamation"
        if can_be_verb(seen) and is_verb(seen, raw, start):
            return "a verb here"
        if seen in self.rules.before_people and not is_people_word(next_word(raw, end)[0]):
            return "not before a word for people"
        if seen in self.rules.capitalised and not raw[start].isupper():
            return "a name is written with a capital"
        before = re.search(r"(?<![^\W_])([A-Z][a-z]+) \Z", raw[max(0, start - 40) : start])
        if raw[start].isupper() and before and before[1] in self.rules.first_names:
            return "part of a name"
        return ""

    def _hidden(
        self, raw: str, tags: Iterable[tuple[int, int]], listed: set[int], only: str
    ) -> Iterable[Skipped]:
        """Hashtags of words that run together and hold a word of a group."""
        for first, last in tags:
            if any(first <= place < last for place in listed):
                continue
            tag = raw[first:last].casefold()
            for subgroup, word in self._targets:
                if len(word) >= _SHORTEST_IN_HASHTAG and word in tag and only in ("", subgroup):
                    yield Skipped(first, last, raw[first:last], subgroup, _INSIDE_HASHTAG)
                    break

    def _names(self, raw: str) -> Iterable[Skipped]:
        if not self.rules.first_names:
            return
        for found in _NAME.finditer(raw):
            if found.group() in self.rules.first_names:
                yield Skipped(
                    *found.span(),
                    found.group(),
                    "",
                    "a name is kept; its gender may conflict with the new words",
                )


def _targets(
    pairs: Iterable[SwapPair],
) -> tuple[dict[tuple[str, str], tuple[str, ...]], dict[tuple[str, str], str]]:
    """Counterparts by (subgroup, word), and the words that have none, with the reason."""
    targets: dict[tuple[str, str], dict[str, None]] = {}
    notes: dict[tuple[str, str], str] = {}
    for pair in pairs:
        one, other = (pair.first_subgroup, pair.first), (pair.second_subgroup, pair.second)
        for source, target, ways in ((one, other, ("both", "forward")), (other, one, ("both", "backward"))):
            if pair.swap in ways:
                targets.setdefault(source, {})[target[1]] = None
            else:
                note = pair.note or "it has no counterpart in this direction"
                notes.setdefault(source, f"left out of swaps: {note}")
    return {key: tuple(words) for key, words in targets.items()}, {
        key: note for key, note in notes.items() if key not in targets
    }


def _by_speech(word: str, targets: tuple[str, ...], owned: bool) -> tuple[str, str]:
    wanted = {("her", True): "his", ("her", False): "him", ("his", True): "her", ("his", False): "hers"}[
        word, owned
    ]
    rule = "before its noun" if owned else "object" if word == "her" else "without a noun"
    return (wanted if wanted in targets else targets[0]), rule


def _longest(
    places: list[tuple[int, int, int, int]], terms: tuple[tuple[str, str], ...]
) -> list[tuple[int, int, int, int]]:
    """Of hits that overlap the longest; of terms found in one place (abbot, abbots) the longer."""
    kept: list[tuple[int, int, int, int]] = []
    for place in sorted(places, key=lambda hit: (hit[0] - hit[1], hit[0], -len(terms[hit[2]][1]))):
        if all(place[1] <= other[0] or other[1] <= place[0] for other in kept):
            kept.append(place)
    return sorted(kept)


def _like(word: str, model: str, after: str) -> str:
    """A word in the case of another: lower, Title or UPPER; each word of several."""
    letters = [letter for letter in model if letter.isalpha()]
    if word.endswith(".") and not model.endswith(".") and after == ".":
        word = word[:-1]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return word.upper()
    if model[:1].isupper():
        parts = model.split(" ")
        every = len(parts) == 1 or all(part[:1].isupper() for part in parts)
        words = word.split(" ")
        return " ".join(
            part[:1].upper() + part[1:] if every or not at else part for at, part in enumerate(words)
        )
    return word


def _article(raw: str, start: int, old: str, new: str) -> Change | None:
    """The article before a swapped word, where it no longer fits."""
    if article_for(old) == article_for(new):
        return None
    found = _ARTICLE.search(raw[max(0, start - 8) : start])
    if found is None or found["article"].casefold() == article_for(new):
        return None
    place = max(0, start - 8) + found.start("article")
    was = found["article"]
    upper = was.isupper() and len(was) > 1
    article = article_for(new)
    made = article.upper() if upper else article.capitalize() if was[0].isupper() else article
    return Change(place, place + len(was), was, made, "", "article")


def _replaced(raw: str, changes: Sequence[Change]) -> str:
    pieces: list[str] = []
    done = 0
    for change in sorted(changes, key=lambda entry: entry.start):
        pieces += (raw[done : change.start], change.new)
        done = change.end
    return "".join((*pieces, raw[done:]))
