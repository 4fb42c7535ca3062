"""What a lexicon holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from fairnb.files import digest_of
from fairnb.lexicon._matcher import MATCHING, Rule, StopPhrase

Subgroups = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class IdentityTerm:
    """A term whose own frequency is reported (paper, Table 4), and the subgroup it speaks of."""

    term: str
    attribute: str
    subgroup: str


@dataclass(frozen=True, slots=True)
class SwapPair:
    """Two words that differ only in the subgroup they name."""

    attribute: str
    first_subgroup: str
    first: str
    second_subgroup: str
    second: str
    swap: Literal["both", "forward", "backward", "none"] = "both"
    """Which way a text is swapped: ``forward`` turns the first into the second. ``none``: the pair
    is not one of true counterparts, or another pair is preferred."""
    correction: str = ""
    """What differs from the word as its source prints it, and why."""
    note: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A word that a source lists and this lexicon does not look up, and why."""

    term: str
    attribute: str
    subgroup: str
    reason: str


@dataclass(frozen=True)
class Lexicon:
    """Words that speak of subgroups: language, attribute, subgroup, terms; and the swap pairs.

    A term may stand in several subgroups. Order is kept: it is the order of tables.
    """

    by_language: Mapping[str, Mapping[str, Subgroups]]
    """language -> attribute -> subgroup -> terms."""
    identity_terms: tuple[IdentityTerm, ...] = ()
    pairs: tuple[SwapPair, ...] = ()
    stop_phrases: tuple[StopPhrase, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    reference: Mapping[str, str] = field(default_factory=dict)
    """attribute -> the subgroup with which the others are compared, where one was named."""
    rule: Rule = "default"
    source: str = ""
    """Where the words come from, in a sentence a document can print."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that have words here."""
        return tuple(self.by_language)

    @cached_property
    def attributes(self) -> Mapping[str, Subgroups]:
        """Attribute -> subgroup -> terms, all languages together, each term once."""
        merged: dict[str, dict[str, dict[str, None]]] = {}
        for attributes in self.by_language.values():
            for attribute, subgroups in attributes.items():
                for subgroup, terms in subgroups.items():
                    held = merged.setdefault(attribute, {}).setdefault(subgroup, {})
                    held.update(dict.fromkeys(terms))
        return {
            attribute: {subgroup: tuple(terms) for subgroup, terms in subgroups.items()}
            for attribute, subgroups in merged.items()
        }

    @property
    def subgroups(self) -> tuple[tuple[str, str], ...]:
        """(attribute, subgroup) in the order of tables."""
        return tuple((a, s) for a, subgroups in self.attributes.items() for s in subgroups)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every term that is looked up, once: those of subgroups, then the identity terms."""
        terms: dict[str, None] = {}
        for subgroups in self.attributes.values():
            for members in subgroups.values():
                terms.update(dict.fromkeys(members))
        terms.update(dict.fromkeys(entry.term for entry in self.identity_terms))
        return tuple(terms)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that can change what is found or swapped."""
        return digest_of(
            {
                "by_language": self.by_language,
                "identity_terms": [[t.term, t.attribute, t.subgroup] for t in self.identity_terms],
                "pairs": [
                    [p.attribute, p.first_subgroup, p.first, p.second_subgroup, p.second, p.swap]
                    for p in self.pairs
                ],
                "stop_phrases": [[s.phrase, s.reason, s.terms] for s in self.stop_phrases],
                "reference": self.reference,
                "rule": self.rule,
                "matching": MATCHING,
            }
        )
