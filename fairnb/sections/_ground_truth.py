"""How far labels can be leaned on: contradictions in the corpora, and what a high finding owes to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Severity
from fairnb.sections._support import supported
from fairnb.sections._variant import joined, of_corpus, parted

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.corpus import Corpus
    from fairnb.sections._result import Finding, Result

RATES = {"false_positive_rate": "negative", "equal_opportunity": "positive"}
"""Rates whose denominators are texts of one label -> that label."""
FORMULA = (
    "x of n texts are flagged; ref is the other group's rate, t = ref + margin if the group's rate lies above, else "
    "ref − margin. Above: least k with (x − k)/(n − k) < t, k = floor((x − t·n)/(1 − t)) + 1: flagged texts change "
    "their label. Below: least k with x/(n − k) > t, k = floor(n − x/t) + 1: texts that are not flagged change "
    "their label. The other group is held as it is."
)
NOT_A_RATE = "not a difference of rates among texts of one label"
_FEWEST_TEXTS = 20
"""Texts with two labels, below which agreement is shown without a statement."""
MADE = "labels were made with the sentences"
NO_COUNTS = "its counts are not among the measures"
NEVER = "no number of labels would do"


@dataclass(frozen=True)
class Change:
    """Labels of a group that would have to be otherwise for a difference to fall under the margin."""

    labels: int | None
    """How many; None: no number would do."""
    of: int
    """Texts in the rate's denominator."""
    flagged: bool
    """Whether flagged texts change their label, or those that are not flagged."""


def labels_to_change(flagged: int, of: int, other: Fraction, margin: Fraction) -> Change:
    """Least number of labels in a rate's denominator after whose change the difference is under the margin.

    Parameters
    ----------
    flagged, of : int
        Numerator and denominator of the group's rate.
    other : Fraction
        Rate of the group that it is compared with; held as it is.
    margin : Fraction

    Returns
    -------
    Change
        With 0 labels if the difference is under the margin as it is.
    """
    rate = Fraction(flagged, of)
    if abs(rate - other) < margin:
        return Change(0, of, flagged=rate > other)
    if rate > other:
        bound = other + margin
        if bound >= 1:
            return Change(None, of, flagged=True)
        least = math.floor((flagged - bound * of) / (1 - bound)) + 1
        # With the last text the rate would be gone, not small.
        return Change(least if least <= flagged and least < of else None, of, flagged=True)
    bound = other - margin
    if not flagged:
        return Change(None, of, flagged=False)
    return Change(math.floor(of - flagged / bound) + 1, of, flagged=False)


def conflicts(role: str, corpus: Corpus) -> tuple[Measure, dict[str, Any]]:
    """Texts of a corpus that occur more than once, and those of them with more than one label."""
    labels: dict[str, set[int | str]] = {}
    times: dict[str, int] = {}
    for text, label in zip(corpus.texts, corpus.labels, strict=True):
        if label is not None:
            labels.setdefault(text, set()).add(label)
            times[text] = times.get(text, 0) + 1
    repeated = sum(number > 1 for number in times.values())
    conflicting = sum(len(given) > 1 for given in labels.values())
    measure = Measure(
        measure="conflicting_texts",
        label="all",
        variant=of_corpus(role, default=""),
        value=float(conflicting) if repeated else None,
        n=repeated,
        denominator=repeated,
        family="D",
        status=Status.EXACT if repeated else Status.UNDEFINED,
        note="" if repeated else "no text is labelled more than once",
        method="texts with more than one label, of those labelled more than once",
    )
    return measure, {
        "role": role,
        "corpus": corpus.name,
        "labelled": sum(times.values()),
        "repeated": repeated,
    }


def agreements(
    role: str,
    corpus: Corpus,
    groups: Mapping[tuple[str, str], npt.NDArray[np.bool_]],
    level: float,
    seed: int,
) -> Iterator[Measure]:
    """Agreement of a corpus's annotators, over all texts and in those that mention each subgroup."""
    from fairnb.statistics import agreement

    if not corpus.annotators:
        return
    everyone = np.ones(len(corpus), dtype=bool)
    for (attribute, subgroup), members in {("", ""): everyone, **groups}.items():
        rows = np.flatnonzero(members).tolist()
        clusters = None if corpus.clusters is None else [corpus.clusters[row] for row in rows]
        found = agreement(
            [[own[row] for row in rows] for own in corpus.annotators], clusters, level, seed=seed
        )
        if attribute and not found.texts:
            continue
        shared: dict[str, Any] = {
            "support": found.texts,
            "minimum": _FEWEST_TEXTS,
            "attribute": attribute,
            "subgroup": subgroup,
            "label": "all",
            "variant": of_corpus(role, default=""),
            "n": found.texts,
            "denominator": found.texts,
            "family": "D",
        }
        yield supported(
            found.share,
            measure="percent_agreement",
            method="mean over texts of the share of pairs of labels that agree",
            **shared,
        )
        yield supported(
            found.alpha,
            measure="krippendorff_alpha",
            null=0.0,
            method="1 - observed over expected disagreement, nominal labels",
            **shared,
        )


def at_odds(texts: Sequence[str], answers: Sequence[int]) -> int:
    """Texts that answer one target both ways: labels that differ may still mean the same to a target."""
    given: dict[str, set[int]] = {}
    for text, answer in zip(texts, answers, strict=True):
        if answer >= 0:
            given.setdefault(text, set()).add(answer)
    return sum(len(both) > 1 for both in given.values())


def changes(
    results: Mapping[tuple[str, str], Result], margin: float
) -> Iterator[tuple[dict[str, Any], Measure | None]]:
    """Every high finding with the labels it owes, or why that cannot be said."""
    for (section, target), result in results.items():
        for finding in result.findings:
            if finding.severity is Severity.HIGH:
                yield _owed(section, target, result, finding, Fraction(str(margin)))


def _owed(
    section: str, target: str, result: Result, finding: Finding, margin: Fraction
) -> tuple[dict[str, Any], Measure | None]:
    told: dict[str, Any] = {
        "section": section,
        "target": target,
        "criterion": finding.criterion,
        "reason": "",
        "key": [],
    }
    difference = _found(result.measures, finding)
    if difference is None or not difference.reference or difference.label != RATES.get(difference.measure):
        return {**told, "reason": NOT_A_RATE}, None
    if difference.status is Status.CENSUS or of_corpus("synthetic") in parted(difference.variant):
        return {**told, "reason": MADE}, None
    counts = _counts(result.measures, difference)
    if counts is None:
        return {**told, "reason": NO_COUNTS}, None
    (flagged, of), other = counts
    change = labels_to_change(flagged, of, other, margin)
    variant = joined(
        f"section={section}",
        f"target={target}" if target else "",
        f"measure={difference.measure}",
        difference.variant,
    )
    measure = Measure(
        measure="labels_to_change",
        attribute=difference.attribute,
        subgroup=difference.subgroup,
        reference=difference.reference,
        label=difference.label,
        variant=variant,
        value=None if change.labels is None else change.labels / of,
        n=of,
        denominator=of,
        family="D",
        status=Status.UNDEFINED if change.labels is None else Status.EXACT,
        method="least k / n after which the difference is under the margin",
        note=NEVER if change.labels is None else f"k = {change.labels}",
    )
    more = {
        "flagged_of": [flagged, of],
        "other_of": [other.numerator, other.denominator],
        "labels": change.labels,
        "moves": "flagged" if change.flagged else "not flagged",
        "key": list(measure.key),
        "reason": NEVER if change.labels is None else "",
    }
    return {**told, **more}, measure


def _found(measures: Sequence[Measure], finding: Finding) -> Measure | None:
    keys = finding.measures[:1]
    return next((measure for measure in measures if measure.key in keys), None)


def _counts(measures: Sequence[Measure], difference: Measure) -> tuple[tuple[int, int], Fraction] | None:
    """The group's counts, and the other group's rate, from the values and denominators in the record."""
    own = difference.key._replace(reference="")
    rate = next((measure for measure in measures if measure.key == own), None)
    if rate is None or rate.value is None or difference.value is None:
        return None
    here = _whole(rate.value, rate.denominator)
    there = _whole(rate.value - difference.value, difference.n_reference)
    if here is None or there is None:
        return None
    return here, Fraction(*there)


def _whole(rate: float, of: int | None) -> tuple[int, int] | None:
    """Numerator and denominator behind a rate; None where the rate is no count over that denominator."""
    if not of:
        return None
    count = round(rate * of)
    return (count, of) if abs(rate * of - count) < 1e-6 * max(1, of) and 0 <= count <= of else None
