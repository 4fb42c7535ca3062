"""Sentences of a corpus that share a skeleton: what fills the blank, and whom it speaks of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BLANK = "_"
_KINDS = (
    ("i am/i hate _", re.compile(r"i (?:am|hate) _")),
    ("Being _ is ...", re.compile(r"Being _ is \S+\.")),
    ("You are a ... _", re.compile(r"You are a \S+ _")),
    ("NAME is a ... _", re.compile(r"\S+ is a \S+ _")),
    ("... _", re.compile(r"\S+ _")),
)


@dataclass(frozen=True, slots=True)
class TermGroup:
    """Whom a term speaks of."""

    attribute: str
    subgroup: str


def term_in(text: str, skeleton: str) -> str:
    """What fills the one blank of a skeleton; empty where the text is not made from it.

    >>> term_in("Being gay is wonderful.", "Being _ is wonderful.")
    'gay'
    """
    before, blank, after = skeleton.partition(BLANK)
    long_enough = len(text) > len(before) + len(after)
    if (
        not blank
        or BLANK in after
        or not long_enough
        or not text.startswith(before)
        or not text.endswith(after)
    ):
        return ""
    return text[len(before) : len(text) - len(after)]


def template_of(skeleton: str) -> str:
    """The kind of sentence of the ``jigsaw-madlibs`` corpus; others are templates of their own."""
    return next((name for name, pattern in _KINDS if pattern.fullmatch(skeleton)), skeleton)


@cache
def _data() -> dict[str, dict[str, dict[str, list[str]]]]:
    text = files("fairnb.variants").joinpath("data", "madlibs.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def madlibs_terms() -> Mapping[str, TermGroup]:
    """Term of the ``jigsaw-madlibs`` corpus -> whom it speaks of."""
    return {
        term: TermGroup(attribute, subgroup)
        for attribute, groups in _data()["terms"].items()
        for subgroup, terms in groups.items()
        for term in terms
    }


def madlibs_reference() -> Mapping[str, str]:
    """Attribute -> the subgroup with which the others are compared."""
    reference: Mapping[str, str] = tomllib.loads(
        files("fairnb.variants").joinpath("data", "madlibs.toml").read_text(encoding="utf-8")
    )["reference"]
    return reference


def is_skeletal(texts: Sequence[str], clusters: Sequence[str]) -> bool:
    """Whether every text is its cluster's skeleton with the blank filled."""
    return bool(texts) and all(term_in(text, cluster) for text, cluster in zip(texts, clusters, strict=True))
