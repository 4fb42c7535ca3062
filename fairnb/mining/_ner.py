"""Mentions found by named-entity recognition, alone or beside the look-up. Source: paper, section 6.1."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.files import canonical_json, digest_of
from fairnb.lexicon import Hits, Lexicon, Matcher, Rule
from fairnb.mining._entities import READING, Entities, find_entities
from fairnb.mining._lookup import look_up
from fairnb.mining._membership import matrix_of, occurs
from fairnb.mining._mentions import Mentions, Source, Unmapped
from fairnb.mining._norp import LANGUAGE, norp, subgroups_of
from fairnb.mining._pipeline import find_pipeline
from fairnb.text import matchable

Numbers = npt.NDArray[np.int64]
Progress = Callable[[int, int, str], None]

MAPPING = 1
"""Raised when the same entities give other mentions: makes old results stale."""
_PART = "part of a longer term"


def mentions(
    texts: Sequence[str],
    lexicon: Lexicon,
    source: Source = "lookup",
    *,
    rule: Rule | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Mentions:
    """Find which texts refer to which subgroup.

    Parameters
    ----------
    texts : sequence of str
        Raw texts.
    lexicon : Lexicon
    source : {"lookup", "ner", "both"}
        ``lookup``: words of the lexicon. ``ner``: entities of the kind NORP that name a religion of the
        lexicon, a nationality or a political group. ``both``: a text mentions what either finds.
    rule : {"default", "paper"}, optional
        Of the look-up; the lexicon's own if not given.
    progress, cancelled : callable, optional
        See `find_entities`.

    Returns
    -------
    Mentions
        By recognition there are the subgroups of the lexicon that it can find, and those packaged ones
        that occur; alone it finds no identity terms.

    Raises
    ------
    FairnbError
        ``unknown-source``; ``package-missing`` naming the extra; ``unknown-language`` for recognition
        in a language that no pipeline is known for; ``cancelled``.
    """
    if source == "lookup":
        return look_up(texts, lexicon, rule=rule)
    if source not in ("ner", "both"):
        raise FairnbError("unknown-source", f"there is no source {source!r}", "choose lookup, ner or both")
    if LANGUAGE not in lexicon.languages:
        raise FairnbError(
            "unknown-language",
            f"named groups are recognised in English texts only, and the lexicon is for "
            f"{', '.join(lexicon.languages) or 'no language'}",
            "take mentions from the source lookup",
        )
    named = _named(texts, lexicon, find_entities(texts, progress=progress, cancelled=cancelled))
    return named if source == "ner" else _both(look_up(texts, lexicon, rule=rule), named)


def recognition_digest() -> str:
    """SHA-256 over all but texts and lexicon that decides what recognition finds.

    Raises
    ------
    FairnbError
        ``package-missing``.
    """
    return digest_of(
        {
            "pipeline": find_pipeline().digest,
            "reading": READING,
            "mapping": MAPPING,
            "groups": norp().digest,
        }
    )


def _named(texts: Sequence[str], lexicon: Lexicon, entities: Entities) -> Mentions:
    groups = subgroups_of(lexicon)
    other = norp().other
    of_groups = dict.fromkeys(term for terms in groups.values() for term in terms)
    vocabulary = tuple(dict.fromkeys((*of_groups, *(term for terms in other.values() for term in terms))))
    place = {term: index for index, term in enumerate(vocabulary)}
    matcher = Matcher(vocabulary, "default", (*norp().stop_phrases, *lexicon.stop_phrases))
    found = matcher.find(texts)
    within = _entity_of(found, entities)
    mapped = found.term < len(of_groups)

    suppressed = found.suppressed.copy()
    part = _in_longer(found) & (suppressed == 0)
    suppressed[part] = len(found.reasons)
    kept = mapped & (within >= 0)
    columns = np.stack((found.row, found.term, found.start, found.end, suppressed))[:, kept]
    row, term, start, end, suppressed = (_fixed(column) for column in columns)
    hits = Hits(row, term, start, end, suppressed, (*found.reasons, _PART))
    occurring = set(hits.term[hits.counting].tolist())
    subgroups = tuple(
        key
        for key, terms in groups.items()
        if key in lexicon.subgroups or any(place[term] in occurring for term in terms)
    )
    members = [[place[term] for term in groups[key]] for key in subgroups]
    kinds = {place[term]: kind for kind, terms in other.items() for term in terms}
    unmapped = tuple(
        _unmapped(texts, entities, set(within[kept & ~part].tolist()), _kinds_by_entity(found, within, kinds))
    )
    return _made(
        Mentions(
            subgroups=subgroups,
            terms=(),
            by_subgroup=occurs(hits, members, len(texts), len(vocabulary)),
            by_term=matrix_of(hits.row[:0], hits.row[:0], (len(texts), 0)),
            vocabulary=vocabulary,
            hits=hits,
            suppressed=_by_reason(hits),
            source="ner",
            digest="",
            sources=("ner",),
            found_by=np.zeros(len(hits), dtype=np.int64),
            unmapped=unmapped,
            pipeline=entities.pipeline.title,
        )
    )


def _both(looked_up: Mentions, named: Mentions) -> Mentions:
    """A text mentions what either found; each hit knows which did."""
    vocabulary = tuple(dict.fromkeys((*looked_up.vocabulary, *named.vocabulary)))
    subgroups = tuple(dict.fromkeys((*looked_up.subgroups, *named.subgroups)))
    reasons = tuple(dict.fromkeys((*looked_up.hits.reasons, *named.hits.reasons)))
    columns: list[Numbers] = []
    cells: list[Numbers] = []
    for number, part in enumerate((looked_up, named)):
        term = _renumbered(part.vocabulary, vocabulary)[part.hits.term]
        suppressed = _renumbered(part.hits.reasons, reasons)[part.hits.suppressed]
        by = np.full(len(term), number, dtype=np.int64)
        columns.append(np.stack((part.hits.row, term, part.hits.start, part.hits.end, suppressed, by)))
        member, column = part.by_subgroup.nonzero()
        cells.append(np.stack((member.astype(np.int64), _renumbered(part.subgroups, subgroups)[column])))
    table = np.concatenate(columns, axis=1)
    table = table[:, np.lexsort((table[5], table[1], table[2], table[0]))]
    row, term, start, end, suppressed, by = (_fixed(column) for column in table)
    hits = Hits(row, term, start, end, suppressed, reasons)
    members = np.concatenate(cells, axis=1)
    return _made(
        Mentions(
            subgroups=subgroups,
            terms=looked_up.terms,
            by_subgroup=matrix_of(members[0], members[1], (len(looked_up), len(subgroups))),
            by_term=looked_up.by_term,
            vocabulary=vocabulary,
            hits=hits,
            suppressed=_by_reason(hits),
            source="both",
            digest="",
            sources=("lookup", "ner"),
            found_by=by,
            unmapped=named.unmapped,
            pipeline=named.pipeline,
        )
    )


def _entity_of(hits: Hits, entities: Entities) -> Numbers:
    """For each hit, the entity in which it starts, else -1."""
    if not len(entities.row):
        return np.full(len(hits), -1, dtype=np.int64)
    width = int(max(entities.end.max(), hits.end.max(initial=0))) + 1
    nearest = (
        np.searchsorted(entities.row * width + entities.start, hits.row * width + hits.start, side="right")
        - 1
    )
    # Where nothing starts before a hit, the first entity is looked at, and does not hold the hit.
    at = np.maximum(nearest, 0)
    inside = (
        (entities.row[at] == hits.row) & (hits.start >= entities.start[at]) & (hits.start < entities.end[at])
    )
    return np.where(inside, at, -1)


def _in_longer(hits: Hits) -> npt.NDArray[np.bool_]:
    """Whether each hit lies in a longer one, as `american` in `native american`."""
    order = np.lexsort((-hits.end, hits.start, hits.row))
    contained = np.zeros(len(hits), dtype=np.bool_)
    widest = (-1, 0, 0)
    for at in order.tolist():
        row, start, end = int(hits.row[at]), int(hits.start[at]), int(hits.end[at])
        if widest[0] == row and end <= widest[2]:
            contained[at] = (start, end) != widest[1:]
        else:
            widest = (row, start, end)
    return contained


def _kinds_by_entity(hits: Hits, within: Numbers, kinds: Mapping[int, str]) -> dict[int, str]:
    """Entity -> what else it names."""
    return {
        entity: kinds[term]
        for entity, term in zip(within.tolist(), hits.term.tolist(), strict=True)
        if entity >= 0 and term in kinds
    }


def _unmapped(
    texts: Sequence[str], entities: Entities, mapped: set[int], kinds: Mapping[int, str]
) -> Iterator[Unmapped]:
    counts: Counter[tuple[str, str]] = Counter()
    spans = zip(entities.row.tolist(), entities.start.tolist(), entities.end.tolist(), strict=True)
    for entity, (row, start, end) in enumerate(spans):
        if entity not in mapped:
            counts[matchable(texts[row][start:end]).text.strip(), kinds.get(entity, "")] += 1
    for (text, kind), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield Unmapped(text, count, kind)


def _renumbered(names: Sequence[object], among: Sequence[object]) -> Numbers:
    place = {name: index for index, name in enumerate(among)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _by_reason(hits: Hits) -> dict[str, int]:
    counts = np.bincount(hits.suppressed, minlength=len(hits.reasons)).tolist()
    return {reason: count for reason, count in zip(hits.reasons, counts, strict=True) if reason and count}


def _fixed(numbers: Numbers) -> Numbers:
    own = np.ascontiguousarray(numbers)
    own.flags.writeable = False
    return own


def _made(found: Mentions) -> Mentions:
    """The same with its digest."""
    about = {
        "source": found.source,
        "subgroups": found.subgroups,
        "terms": found.terms,
        "vocabulary": found.vocabulary,
        "texts": len(found),
        "reasons": found.hits.reasons,
        "unmapped": [asdict(entry) for entry in found.unmapped],
    }
    digest = hashlib.sha256(canonical_json(about))
    hits = found.hits
    for numbers in (hits.row, hits.term, hits.start, hits.end, hits.suppressed, found.found_by):
        digest.update(numbers.astype("<i8").tobytes())
    return replace(found, digest=digest.hexdigest())
