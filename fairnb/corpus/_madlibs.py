"""Which template sentences differ only in the term they name."""

from __future__ import annotations

import re
from dataclasses import replace

from fairnb.corpus._corpus import Corpus

_SLOTS = (
    re.compile(r"(?P<before>(?:i am|i hate) )(?P<term>.+)(?P<after>)"),
    re.compile(r"(?P<before>Being )(?P<term>.+)(?P<after> is \S+\.)"),
    re.compile(r"(?P<before>You are a \S+ )(?P<term>.+)(?P<after>)"),
    re.compile(r"(?P<before>\S+ is a \S+ )(?P<term>.+)(?P<after>)"),
    re.compile(r"(?P<before>\S+ )(?P<term>.+)(?P<after>)"),
)
"""Where the term stands in each template; the first pattern that matches a sentence is its template's."""


def skeleton(sentence: str) -> str:
    """Replace the identity term or occupation of a template sentence by a blank.

    Examples
    --------
    >>> skeleton("Being left-handed is wonderful.")
    'Being _ is wonderful.'
    >>> skeleton("You are a kind coal miner")
    'You are a kind _'
    """
    for slot in _SLOTS:
        match = slot.fullmatch(sentence)
        if match:
            return f"{match['before']}_{match['after']}"
    return sentence


TEMPLATE = "Template"
"""Column that names each sentence's template."""


def with_clusters(corpus: Corpus) -> Corpus:
    """Put sentences that differ only in their term into one cluster: none of them was drawn on its own.

    The corpus was read with the column `TEMPLATE`, which becomes its templates.
    """
    recorded = {name: values for name, values in corpus.recorded.items() if name != TEMPLATE}
    return replace(
        corpus,
        clusters=tuple(map(skeleton, corpus.texts)),
        templates=tuple(map(str, corpus.recorded[TEMPLATE])),
        recorded=recorded,
    )
