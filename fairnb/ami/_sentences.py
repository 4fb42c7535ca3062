"""The sentences that fairnb brings along for a language, checked as they are read."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from fairnb.ami._agreement import LANGUAGES, Language, Term, agreeing, slots_of
from fairnb.corpus import Dice
from fairnb.errors import FairnbError


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _TermTable(_Table):
    one: str
    many: str
    misogynous: float = Field(ge=0.0, le=1.0)


class RawTable(_Table):
    """What raw texts are composed of, and how often; the data file says what each key means."""

    mentions: float
    men: tuple[tuple[str, str], ...]
    unnamed: tuple[tuple[str, str], ...]
    about_men: float
    misogynous_share: float
    aggressive_share: float
    rude_share: float
    counter_share: float
    misogynous: tuple[str, ...]
    aggressive: tuple[str, ...]
    neutral: tuple[str, ...]
    counter: tuple[str, ...]
    topics: tuple[str, ...]
    openers: tuple[str, ...]
    closers: tuple[str, ...]


class _SyntheticTable(_Table):
    misogynous: tuple[str, ...]
    neutral: tuple[str, ...]


class _AugmentTable(_Table):
    terms: tuple[str, ...]
    words: tuple[str, ...]


class _File(_Table):
    language: str
    terms: tuple[_TermTable, ...]
    raw: RawTable
    slots: dict[str, tuple[str, ...]]
    synthetic: _SyntheticTable
    augment: _AugmentTable


@dataclass(frozen=True)
class Sentences:
    """Terms and sentences of one language."""

    language: Language
    terms: tuple[tuple[Term, Term], ...]
    """Identity terms, each in singular and plural."""
    planted: tuple[float, ...]
    """For each, the share of misogynous ones among the raw texts that mention it."""
    raw: RawTable
    slots: dict[str, tuple[str, ...]]
    synthetic: tuple[tuple[str, ...], tuple[str, ...]]
    """Sentences of the synthetic set: not misogynous, misogynous."""
    augment: tuple[str, ...]
    """Neutral sentences in which the term is a word like any other."""
    words: tuple[str, ...]
    """Neutral sentences that quote the term, so that nothing has to agree with it."""

    def filled(self, sentence: str, term: Term | None, dice: Dice) -> str:
        """Fill a sentence: its other slots at random, then the term."""
        for slot in slots_of(sentence):
            options = self.slots.get(slot.lower())
            if options:
                word = dice.pick(options)
                shown = word if slot[0].islower() else word[:1].upper() + word[1:]
                sentence = sentence.replace(f"{{{slot}}}", shown, 1)
        sentence = sentence.replace("{n}", str(100 + dice.below(900)))
        return sentence if term is None else agreeing(sentence, term, self.language)

    def known(self, form: str) -> Term | None:
        """The term with this form; None if the file does not have it."""
        forms = {term.text: term for pair in self.terms for term in pair}
        return forms.get(form.casefold().strip())


def pair_of(one: str, many: str, *, male: bool = False, bare: bool = False) -> tuple[Term, Term]:
    """A noun in both numbers."""
    gender: Any = "m" if male else "f"
    return Term(one, gender, False, bare, one), Term(many, gender, True, bare, one)


@cache
def sentences_of(language: str) -> Sentences:
    """Terms and sentences of a language.

    Raises
    ------
    FairnbError
        ``unknown-language``.
    """
    chosen = next((one for one in LANGUAGES if one == language), None)
    if chosen is None:
        raise FairnbError(
            "unknown-language",
            f"there are no sentences of the language {language!r}",
            f"choose among {', '.join(LANGUAGES)}",
        )
    text = files("fairnb.ami").joinpath("data", f"{chosen}.toml").read_text(encoding="utf-8")
    file = _File.model_validate(tomllib.loads(text))
    return Sentences(
        language=chosen,
        terms=tuple(pair_of(term.one, term.many) for term in file.terms),
        planted=tuple(term.misogynous for term in file.terms),
        raw=file.raw,
        slots=file.slots,
        synthetic=(file.synthetic.neutral, file.synthetic.misogynous),
        augment=file.augment.terms,
        words=file.augment.words,
    )
