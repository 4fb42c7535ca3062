"""Sentences with a term in them: article, preposition, verb, adjective and pronoun agree with it.

A sentence holds ``{the}``, ``{a}``, ``{of}``, ``{to}`` (the term with its article or preposition) or ``{term}``
alone, with a capital at the beginning: ``{The}``. ``[one|many]`` follows the term's number,
``[m|f|mm|ff]`` number and gender. This is how identities change in Italian: a word exchanged in a
finished text would leave all that agrees with it in the other gender.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairnb.errors import FairnbError

Language = Literal["it", "en"]
LANGUAGES: tuple[Language, ...] = ("it", "en")

_SLOT = re.compile(r"\{([A-Za-z]+)\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_VOWELS = "aeiouàèéìòùh"
# Before these beginnings the masculine article is lo, gli, uno: s with a consonant, z, x, y, gn, ps, pn, and
# i before a vowel.
_LO = re.compile(r"s[^aeiouàèéìòù]|[zxy]|gn|p[sn]|i[aeou]")
_JOINED = {"il": "l", "lo": "llo", "l'": "ll'", "i": "i", "gli": "gli", "la": "lla", "le": "lle"}


@dataclass(frozen=True, slots=True)
class Term:
    """A noun in one number."""

    text: str
    gender: Literal["f", "m"] = "f"
    plural: bool = False
    bare: bool = False
    """Takes no article: a pronoun or a name."""
    lemma: str = ""
    """The same noun in the singular."""


def agreeing(sentence: str, term: Term, language: Language) -> str:
    """Fill a sentence with a term; what agrees with it follows.

    Raises
    ------
    FairnbError
        ``bad-sentence`` for an unknown slot, or brackets that offer neither two nor four forms.

    Examples
    --------
    >>> agreeing("{The} [è|sono] [stanco|stanca|stanchi|stanche].", Term("amiche", "f", plural=True), "it")
    'Le amiche sono stanche.'
    >>> agreeing("Il libro {of}", Term("zio", "m"), "it")
    'Il libro dello zio'
    """
    forms = _italian(term) if language == "it" else _english(term)

    def word(found: re.Match[str]) -> str:
        slot = found[1]
        if slot.lower() not in forms:
            raise _bad(sentence, f"the slot {{{slot}}} is unknown", f"choose among {', '.join(forms)}")
        filled = forms[slot.lower()]
        return filled if slot[0].islower() else filled[:1].upper() + filled[1:]

    def form(found: re.Match[str]) -> str:
        options = found[1].split("|")
        if len(options) == 2:
            return options[term.plural]
        if len(options) == 4:
            return options[2 * term.plural + (term.gender == "f")]
        raise _bad(sentence, f"[{found[1]}] offers {len(options)} forms", "give two or four")

    return _SLOT.sub(word, _CHOICE.sub(form, sentence))


def slots_of(sentence: str) -> Sequence[str]:
    """Names of a sentence's slots, as they stand."""
    return _SLOT.findall(sentence)


def _italian(term: Term) -> dict[str, str]:
    noun = term.text
    if term.bare:
        return {"the": noun, "a": noun, "of": f"di {noun}", "to": f"a {noun}", "term": noun}
    vowel, lo = noun[0].lower() in _VOWELS, bool(_LO.match(noun.lower()))
    elided = vowel and not lo
    if term.gender == "f":
        the = "le" if term.plural else "l'" if elided else "la"
        a = "delle" if term.plural else "un'" if elided else "una"
    elif term.plural:
        the = "gli" if vowel or lo else "i"
        a = "degli" if vowel or lo else "dei"
    else:
        the = "lo" if lo else "l'" if elided else "il"
        a = "uno" if lo else "un"
    return {
        name: first + ("" if first.endswith("'") else " ") + noun
        for name, first in {
            "the": the,
            "a": a,
            "of": f"de{_JOINED[the]}",
            "to": f"a{_JOINED[the]}",
        }.items()
    } | {"term": noun}


def _english(term: Term) -> dict[str, str]:
    noun = term.text
    the = noun if term.bare else f"the {noun}"
    indefinite = "some" if term.plural else "an" if noun[0].lower() in "aeiou" else "a"
    a = noun if term.bare else f"{indefinite} {noun}"
    return {"the": the, "a": a, "of": f"of {the}", "to": f"to {the}", "term": noun}


def _bad(sentence: str, found: str, remedy: str) -> FairnbError:
    return FairnbError("bad-sentence", found, remedy, where=sentence)
