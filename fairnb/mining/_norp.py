"""What an entity of the kind NORP speaks of: which words, which subgroups."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fairnb.files import sha256
from fairnb.lexicon import Lexicon, StopPhrase

LANGUAGE = "en"
ATTRIBUTES = ("religion", "nationality", "politics")
"""What NORP stands for. Nationality and politics are always mapped, religion if the lexicon has it."""


@dataclass(frozen=True)
class Norp:
    """The packaged mapping of entities."""

    groups: Mapping[str, Mapping[str, tuple[str, ...]]]
    """attribute -> subgroup -> terms."""
    other: Mapping[str, tuple[str, ...]]
    """What else a NORP entity may name -> terms."""
    stop_phrases: tuple[StopPhrase, ...]
    digest: str
    """SHA-256 of the data file."""


@cache
def norp() -> Norp:
    """Read the packaged mapping."""
    data = (files("fairnb.mining") / "data" / "norp.toml").read_bytes()
    tables: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    nations: dict[str, Sequence[str]] = {name: (name.lower(),) for name in tables["nationality"]["regular"]}
    nations |= tables["nationality"]["irregular"]
    return Norp(
        groups={
            "religion": _frozen(tables["religion"]),
            "nationality": _frozen(dict(sorted(nations.items()))),
            "politics": _frozen(tables["politics"]),
        },
        other=_frozen(tables["other"]),
        stop_phrases=tuple(_stops(tables["stop"])),
        digest=sha256(data),
    )


def subgroups_of(lexicon: Lexicon) -> dict[tuple[str, str], tuple[str, ...]]:
    """(attribute, subgroup) -> terms that an entity is looked through for.

    The lexicon's own words for an attribute come first. A packaged group becomes the lexicon's subgroup
    that has its name or one of its terms; else it stands beside the lexicon's under its own name.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for attribute in ATTRIBUTES:
        own = lexicon.attributes.get(attribute)
        if own is None and attribute == "religion":
            continue
        for subgroup, terms in (own or {}).items():
            found[attribute, subgroup] = dict.fromkeys(terms)
        # A word the lexicon has given to a subgroup stays there.
        taken = {term: subgroup for subgroup, terms in (own or {}).items() for term in terms}
        for name, terms in norp().groups[attribute].items():
            subgroup = _same(name, terms, tuple(own or ()), taken)
            kept = [term for term in terms if taken.get(term, subgroup) == subgroup]
            if kept:
                found.setdefault((attribute, subgroup), {}).update(dict.fromkeys(kept))
    return {key: tuple(terms) for key, terms in found.items()}


def _same(name: str, terms: tuple[str, ...], own: tuple[str, ...], taken: Mapping[str, str]) -> str:
    by_name = next((subgroup for subgroup in own if subgroup.casefold() == name.casefold()), None)
    return by_name or next((taken[term] for term in terms if term in taken), name)


def _frozen(table: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(_with_plurals(terms)) for name, terms in table.items()}


def _with_plurals(terms: Sequence[str]) -> Iterator[str]:
    """The matcher finds plurals of single words only."""
    for term in terms:
        yield term
        if " " in term and term[-1].isalpha() and term[-1] != "s" and f"{term}s" not in terms:
            yield f"{term}s"


def _stops(tables: list[dict[str, Any]]) -> Iterator[StopPhrase]:
    for table in tables:
        for term in table.get("terms", ()):
            for word in table.get("before", ()):
                yield StopPhrase(f"{term} {word}", table["reason"])
        for phrase in table.get("phrases", ()):
            yield StopPhrase(phrase, table["reason"])
