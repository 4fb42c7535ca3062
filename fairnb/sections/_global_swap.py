"""Whether an identity term itself moves scores: the same texts with the word exchanged for its counterpart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.sections._global_words import TERM, Explained, Word
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._support import supported
from fairnb.sections._swap_made import pairs_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.lexicon import Lexicon
    from fairnb.mining import Mentions
    from fairnb.variants import Swapped

    Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Contrast:
    """What exchanging one identity term does to the scores of the texts that hold it."""

    term: str
    to: str
    """Subgroup of the counterpart."""
    texts: npt.NDArray[np.intp]
    """Explained texts in which the word could be exchanged."""
    shifts: npt.NDArray[np.float64]
    """P(positive) after minus before, of each."""

    @property
    def key(self) -> MeasureKey:
        """Key of the mean shift."""
        return MeasureKey("mean_shift", TERM, self.term, "", "all", f"to={self.to}")


def contrasts(
    lexicon: Lexicon,
    terms: Sequence[Word],
    explained: Explained,
    mentions: Mentions,
    predict: Callable[[Sequence[str]], Any],
) -> list[Contrast]:
    """Exchange each term in the explained texts that hold it, and nothing else but an article before it."""
    from fairnb.variants import make_swapper

    if "en" not in lexicon.languages:
        return []
    wanted = {term.name for term in terms}
    hits = _hits(explained, mentions, wanted)
    made: dict[tuple[str, str], dict[int, str]] = {}
    for attribute, first, second in pairs_of(lexicon, tuple(lexicon.attributes), every_pair=False):
        swapper = make_swapper(lexicon, attribute, first, second)
        for at, done in enumerate(swapper.swap_all(list(explained.texts))):
            for name, spans in hits.get(at, {}).items():
                changed = _exchanged(done, spans)
                if changed is not None:
                    old, text = changed
                    made.setdefault((name, second if old == first else first), {}).setdefault(at, text)
    texts = list(dict.fromkeys(text for own in made.values() for text in own.values()))
    scores = dict(zip(texts, map(float, predict(texts)), strict=True)) if texts else {}
    found: dict[str, Contrast] = {}
    for (name, to), own in made.items():
        known = {at: scores[text] - explained.found[at].score for at, text in own.items()}
        known = {at: shift for at, shift in known.items() if shift == shift}
        contrast = Contrast(name, to, np.asarray(list(known), np.intp), np.array(list(known.values())))
        # A word of two attributes is exchanged for the counterpart that more of its texts allow.
        if name not in found or len(known) > len(found[name].texts):
            found[name] = contrast
    return [found[term.name] for term in terms if term.name in found and len(found[term.name].texts)]


def measured_contrasts(
    found: Sequence[Contrast], explained: Explained, *, level: float, minimum: int
) -> list[Measure]:
    """Mean shifts with their paired test of zero."""
    from fairnb.explanation import weighted_mean

    measures = []
    for contrast in found:
        mean = weighted_mean(contrast.shifts, explained.weights[contrast.texts], level)
        number = len(contrast.texts)
        measures.append(
            supported(
                mean.estimate,
                support=number,
                minimum=minimum,
                **contrast.key._asdict(),
                n=number,
                denominator=number,
                null=0.0,
                p=mean.p if number >= minimum else None,
                family="E",
                method="P(positive) with the word exchanged for its counterpart - before, weighted to the corpus",
            )
        )
    return measures


def _hits(
    explained: Explained, mentions: Mentions, wanted: set[str]
) -> Mapping[int, Mapping[str, list[tuple[int, int]]]]:
    """Explained text -> term -> where it stands."""
    place = {int(row): at for at, row in enumerate(explained.rows)}
    hits = mentions.hits
    found: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for index in np.flatnonzero(hits.counting).tolist():
        at = place.get(int(hits.row[index]))
        name = mentions.vocabulary[int(hits.term[index])]
        if at is not None and name in wanted:
            span = (int(hits.start[index]), int(hits.end[index]))
            found.setdefault(at, {}).setdefault(name, []).append(span)
    return found


def _exchanged(done: Swapped, spans: Spans) -> tuple[str, str] | None:
    """The subgroup of the words at these places, and the text with them alone exchanged."""
    kept = [
        change
        for change in done.changes
        if change.subgroup and any(change.start < end and start < change.end for start, end in spans)
    ]
    if not kept:
        return None
    starts = {change.start for change in kept}
    articles = [
        change
        for change in done.changes
        if not change.subgroup
        and any(change.end < start and done.original[change.end : start].isspace() for start in starts)
    ]
    text, last = [], 0
    for change in sorted([*kept, *articles], key=lambda one: one.start):
        text += [done.original[last : change.start], change.new]
        last = change.end
    return kept[0].subgroup, "".join([*text, done.original[last:]])
