"""Mentions found by looking words up in a lexicon. Source: paper, sections 4 and 6.1."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from fairnb.files import canonical_json
from fairnb.lexicon import Hits, Lexicon, Matcher, Rule
from fairnb.mining._membership import occurs
from fairnb.mining._mentions import Mentions, Source

_SOURCE: Source = "lookup"


def look_up(texts: Sequence[str], lexicon: Lexicon, *, rule: Rule | None = None) -> Mentions:
    """Find which texts hold words that speak of a subgroup.

    Parameters
    ----------
    texts : sequence of str
        Raw texts.
    lexicon : Lexicon
    rule : {"default", "paper"}, optional
        How terms are looked up (see `fairnb.lexicon.Matcher`); the lexicon's own if not given.

    Returns
    -------
    Mentions
        Suppressed hits are kept among the hits and count nowhere else.
    """
    vocabulary = lexicon.vocabulary
    matcher = Matcher(vocabulary, rule or lexicon.rule, lexicon.stop_phrases)
    hits = matcher.find(texts)
    place = {term: index for index, term in enumerate(vocabulary)}
    subgroups = lexicon.subgroups
    members = [[place[term] for term in lexicon.attributes[a][s]] for a, s in subgroups]
    terms = tuple(dict.fromkeys(entry.term for entry in lexicon.identity_terms))
    by_subgroup = occurs(hits, members, len(texts), len(vocabulary))
    by_term = occurs(hits, [[place[term]] for term in terms], len(texts), len(vocabulary))
    counts = np.bincount(hits.suppressed, minlength=len(hits.reasons)).tolist()
    return Mentions(
        subgroups=subgroups,
        terms=terms,
        by_subgroup=by_subgroup,
        by_term=by_term,
        vocabulary=vocabulary,
        hits=hits,
        suppressed={
            reason: count for reason, count in zip(hits.reasons, counts, strict=True) if reason and count
        },
        source=_SOURCE,
        digest=_digest(subgroups, terms, vocabulary, len(texts), hits),
        sources=(_SOURCE,),
        found_by=np.zeros(len(hits), dtype=np.int64),
    )


def _digest(
    subgroups: tuple[tuple[str, str], ...],
    terms: tuple[str, ...],
    vocabulary: tuple[str, ...],
    n_texts: int,
    hits: Hits,
) -> str:
    names = {"subgroups": subgroups, "terms": terms, "vocabulary": vocabulary, "texts": n_texts}
    digest = hashlib.sha256(canonical_json({**names, "source": _SOURCE, "reasons": hits.reasons}))
    for numbers in (hits.row, hits.term, hits.start, hits.end, hits.suppressed):
        digest.update(numbers.astype("<i8").tobytes())
    return digest.hexdigest()
