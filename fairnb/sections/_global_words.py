"""From the values of tokens in single texts to what drives scores: means by word, label and subgroup."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._result import Series
from fairnb.sections._support import supported

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.explanation import Attribution
    from fairnb.mining import Mentions

    Floats = npt.NDArray[np.float64]

TOKEN, TERM = "token", "identity_term"
MOVES = 0.0005
"""A word whose mean |SHAP| is under this moves nothing: in percentage points it prints as 0.0."""
SWARM_WORDS = 12
SWARM_POINTS = 40
"""Points drawn of one word: more run into each other."""
_SPLITS: tuple[tuple[Literal["all", "positive", "negative"], int | None], ...] = (
    ("all", None),
    ("positive", 1),
    ("negative", 0),
)
_IN_A_GROUP = 10


@dataclass(frozen=True, eq=False)
class Word:
    """A word with what it adds to the score of each text in which it occurs."""

    attribute: str
    name: str
    texts: npt.NDArray[np.intp]
    """Explained texts that hold it."""
    values: Floats
    """Sum over its occurrences in each."""


@dataclass(frozen=True, eq=False)
class Explained:
    """The texts of the sample that were explained."""

    texts: Sequence[str]
    found: Sequence[Attribution]
    weights: Floats
    labels: npt.NDArray[np.int8]
    rows: npt.NDArray[np.intp]
    """Row of each in the corpus."""


def words_of(explained: Explained, shown: Mapping[str, str]) -> list[Word]:
    """Every word of the texts under the name by which it is shown; spellings with one name are one word."""
    summed: dict[str, dict[int, float]] = {}
    for at, (text, found) in enumerate(zip(explained.texts, explained.found, strict=True)):
        for (start, end), value in zip(found.spans, found.values.tolist(), strict=True):
            own = summed.setdefault(shown[word_in(text[start:end])], {})
            own[at] = own.get(at, 0.0) + value
    return [_word(TOKEN, name, own) for name, own in summed.items()]


def word_in(token: str) -> str:
    """A token as words are counted: what its entities stand for, in lower case."""
    return html.unescape(token).casefold()


def terms_of(explained: Explained, mentions: Mentions) -> list[Word]:
    """Identity terms, each with the values of the tokens under its hits."""
    place = {int(row): at for at, row in enumerate(explained.rows)}
    wanted = set(mentions.terms)
    hits = mentions.hits
    summed: dict[str, dict[int, float]] = {}
    of_text: dict[int, set[tuple[str, int]]] = {}
    for index in np.flatnonzero(hits.counting).tolist():
        at = place.get(int(hits.row[index]))
        name = mentions.vocabulary[int(hits.term[index])]
        if at is None or name not in wanted:
            continue
        own = summed.setdefault(name, {})
        taken = of_text.setdefault(at, set())
        found = explained.found[at]
        for number, ((start, end), value) in enumerate(zip(found.spans, found.values.tolist(), strict=True)):
            overlaps = start < int(hits.end[index]) and int(hits.start[index]) < end
            if overlaps and (name, number) not in taken:
                taken.add((name, number))
                own[at] = own.get(at, 0.0) + value
    return [_word(TERM, name, own) for name, own in summed.items() if own]


def _word(attribute: str, name: str, own: Mapping[int, float]) -> Word:
    texts = sorted(own)
    return Word(attribute, name, np.asarray(texts, np.intp), np.array([own[at] for at in texts]))


def strength(word: Word, explained: Explained) -> float:
    """Weighted mean of the word's absolute values."""
    weights = explained.weights[word.texts]
    return float(weights @ np.abs(word.values) / weights.sum())


def measured(
    words: Iterable[Word], explained: Explained, *, level: float, minimum: int, tested: bool
) -> Iterable[Measure]:
    """Mean and mean absolute value of words, over all texts and by label.

    `tested` adds the p of a mean of zero over all texts.
    """
    for word in words:
        for label, value in _SPLITS:
            kept = np.ones(len(word.texts), bool) if value is None else explained.labels[word.texts] == value
            if label == "all" or kept.any():
                yield from _means(
                    word, kept, explained, label, "", level, minimum, tested=tested and label == "all"
                )


def by_group(
    words: Sequence[Word],
    explained: Explained,
    groups: Mapping[str, npt.NDArray[np.bool_]],
    *,
    level: float,
    minimum: int,
) -> Iterable[Measure]:
    """The same in texts that mention a subgroup, for its strongest words with enough texts."""
    for group, members in groups.items():
        inside = [(word, members[word.texts]) for word in words]
        enough = [
            Word(word.attribute, word.name, word.texts[kept], word.values[kept])
            for word, kept in inside
            if int(kept.sum()) >= minimum
        ]
        for word in sorted(enough, key=lambda one: -strength(one, explained))[:_IN_A_GROUP]:
            every = np.ones(len(word.texts), bool)
            yield from _means(
                word, every, explained, "all", f"mentions={group}", level, minimum, tested=False
            )


def _means(
    word: Word,
    kept: npt.NDArray[np.bool_],
    explained: Explained,
    label: str,
    variant: str,
    level: float,
    minimum: int,
    *,
    tested: bool,
) -> Iterable[Measure]:
    from fairnb.explanation import weighted_mean

    values, weights = word.values[kept], explained.weights[word.texts[kept]]
    for measure, taken in (("mean_abs_shap", np.abs(values)), ("mean_shap", values)):
        found = weighted_mean(taken, weights, level)
        signed = measure == "mean_shap"
        columns: dict[str, Any] = {
            "null": 0.0 if signed else None,
            "p": found.p if tested and signed and len(values) >= minimum else None,
            "family": "E" if tested and signed else "D",
        }
        yield supported(
            found.estimate,
            support=len(values),
            minimum=minimum,
            measure=measure,
            attribute=word.attribute,
            subgroup=word.name,
            label=label,
            variant=variant,
            n=len(values),
            denominator=len(values),
            method="Owen values of shap, sum over a text's occurrences, weighted to the corpus",
            **columns,
        )


def swarm(words: Sequence[Word]) -> Series:
    """Values of the strongest words, text by text; of many, evenly taken from the sorted ones."""
    places: list[float] = []
    values: list[float] = []
    for place, word in enumerate(words[:SWARM_WORDS]):
        ordered = np.sort(word.values)
        taken = ordered[
            np.unique(np.linspace(0, len(ordered) - 1, min(SWARM_POINTS, len(ordered))).round().astype(int))
        ]
        values += [round(value, 5) for value in taken.tolist()]
        places += [float(place)] * len(taken)
    return Series(columns={"word": tuple(places), "value": tuple(values)})


def key_of(measure: str, attribute: str, name: str, label: str = "all", variant: str = "") -> MeasureKey:
    """Key of a mean of a word."""
    return MeasureKey(measure, attribute, name, "", label, variant)
