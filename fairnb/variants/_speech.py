"""English words whose counterpart depends on their part of speech, decided by the words around them.

The rule is our own and needs no tagger, so that results do not depend on what is installed.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

PRONOUNS = frozenset(("her", "his"))
"""Words that are both a pronoun and a determiner."""

_NEXT = re.compile(r"[^\S\n]*+(?P<word>[^\W_]+(?:['’‘ʼ][^\W_]+)*)")
_BEFORE = re.compile(r"(?P<word>[^\W_]+(?:['’‘ʼ][^\W_]+)*)(?P<gap>[^\S\n]*)\Z")
_OPENED = re.compile(r"[^\S\n]+[\"“‘'][^\W_]")
_REACH = 60
"""Characters looked at on either side of a word: no rule needs more, however long the text is."""


@cache
def _words(name: str) -> frozenset[str]:
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = files("fairnb.variants").joinpath("data", "speech.toml").read_text(encoding="utf-8")
    return {name: frozenset(" ".join(words).split()) for name, words in tomllib.loads(text).items()}


def next_word(raw: str, end: int) -> tuple[str, int]:
    """The word that follows, lower case, and where it ends; ("", end) at punctuation or a line's end."""
    found = _NEXT.match(raw, end, end + _REACH)
    return (_plain(found["word"]), found.end()) if found else ("", end)


def word_before(raw: str, start: int) -> str:
    """The word before, lower case; empty after punctuation or at a line's start."""
    found = _BEFORE.search(raw[max(0, start - _REACH) : start])
    return _plain(found["word"]) if found else ""


def starts_sentence(raw: str, start: int) -> bool:
    """Whether only white space, quotation marks or the end of a sentence stand before."""
    before = raw[max(0, start - _REACH) : start].rstrip(" \t\"'“‘(*")
    return not before or before[-1] in ".!?…\n:;"


def is_possessive(word: str, raw: str, start: int, end: int) -> bool:
    """Whether ``her`` or ``his`` stands before its noun (her car) rather than for a person (saw her).

    Parameters
    ----------
    word : {"her", "his"}
    raw : str
    start, end : int
        Where it stands in `raw`.
    """
    following, place = next_word(raw, end)
    steps = 0
    while following and _is_degree(following) and steps < 4:
        # "her very first car" but "like her very much"
        following, place = next_word(raw, place)
        steps += 1
    if not following:
        # 'his "sure thing"': what he owns is quoted.
        return word == "his" and _OPENED.match(raw, place) is not None
    if word == "his":
        # As a pronoun it is rare: only words that cannot begin what he owns show it.
        return following not in _words("never_owned")
    if following in _words("never_owned") or following in _words("after_object"):
        return False
    if following.isdigit() or following in _words("numbers"):
        return next_word(raw, place)[0] not in _words("times")
    before = word_before(raw, start)
    if before in _words("causing") and following in _words("bare_verbs"):
        return False
    return not (
        before in _words("seeing") and following.endswith("ing") and following not in _words("nouns_ing")
    )


def is_verb(word: str, raw: str, start: int) -> bool:
    """Whether a word that can be noun or verb (host, groom, miss) is a verb here.

    A word before it decides: "will host", "they groom", "I miss"; otherwise it is taken for a noun.
    """
    before = word_before(raw, start)
    if before in _words("before_verb"):
        return True
    return word.endswith("s") and before in _words("before_verb_s")


def is_exclamation(word: str, raw: str, start: int, end: int) -> bool:
    """Whether ``man``, ``boy`` or ``brother`` opens a sentence to nobody: "Man, what a day"."""
    if word not in _words("exclamations") or not starts_sentence(raw, start):
        return False
    if raw[end : end + 1] in {",", "!", "…"} or raw[end : end + 2] == "..":
        return True
    return next_word(raw, end)[0] in _words("after_exclamation")


def is_people_word(word: str) -> bool:
    """Whether a word names people, so that a colour before it is theirs: ``black women``."""
    return word in _words("people")


def can_be_verb(word: str) -> bool:
    """Whether a word of the lists is also a verb."""
    return word in _words("also_verbs")


def article_for(word: str) -> str:
    """``a`` or ``an``, by the sound a word begins with.

    >>> [article_for(word) for word in ("actress", "European", "hour", "LGBT person", "woman")]
    ['an', 'a', 'an', 'an', 'a']
    """
    first = re.split(r"[\s-]", word, maxsplit=1)[0]
    if len(first) > 1 and first.isupper() and not any(letter in "AEIOU" for letter in first[1:]):
        return "an" if first[0] in "AEFHILMNORSX" else "a"
    low = first.casefold()
    if low.startswith(tuple(_words("silent_h"))):
        return "an"
    if low.startswith(tuple(_words("spoken_with_a"))):
        return "a"
    return "an" if low[:1] in set("aeiouáéíóú") else "a"


def _is_degree(word: str) -> bool:
    return word in _words("degree") or (
        word.endswith("ly") and len(word) > 4 and word not in _words("nouns_ly")
    )


def _plain(word: str) -> str:
    return re.sub("[’‘ʼ]", "'", word).casefold()
