"""Which differences between groups are put to the test, in which words, and how they hold elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairnb.sections._format import between, count, number
from fairnb.sections._group_bench import EVERYONE_ELSE, RATES, SCORES, Bench, Group, RateSpec
from fairnb.sections._group_tests import inverted_p
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._support import NEVER_BELOW, supported
from fairnb.sections._verdicts import VERDICT_FROM, Question

if TYPE_CHECKING:
    from fairnb.statistics import Confusion, Estimate

TESTED: tuple[RateSpec, ...] = tuple(
    next(spec for spec in RATES if spec.name == name) for name in ("false_positive_rate", "equal_opportunity")
)
"""The confirmatory measures: wrongly flagged first."""
CRITERIA = {"false_positive_rate": "Wrongly flagged", "equal_opportunity": "Rightly flagged"}
MIN_CLUSTERS = 10
TERM = "identity_term"
SIMULTANEOUS = "simultaneous"
APART = "apart"
STEP = 0.1
"""How far the neighbouring thresholds lie."""


def words(attribute: str) -> str:
    """An attribute's name in a sentence."""
    return attribute.replace("_", " ").replace("+", " and ")


def mention(attribute: str, subgroup: str, reference: str = "") -> str:
    """Which texts a group is made of, as a sentence goes on after "texts that ".

    >>> mention("gender", "female"), mention("gender", "everyone_else")
    ('mention “female” (gender)', 'mention no gender')
    """
    if attribute == TERM:
        return "hold no listed term" if subgroup == EVERYONE_ELSE else f"hold the word “{subgroup}”"
    if subgroup == EVERYONE_ELSE:
        return (
            f"mention neither {words(attribute).replace(' and ', ' nor ')}"
            if "+" in attribute
            else (f"mention no {words(attribute)}")
        )
    named = subgroup.replace("+", " and ")
    return f"mention “{named}”" if reference else f"mention “{named}” ({words(attribute)})"


def sentence(
    spec: RateSpec,
    group: Group,
    reference: str,
    estimate: Estimate,
    sizes: tuple[int, int],
    level: float,
    *,
    census: bool = False,
) -> str:
    """One plain sentence on a difference."""
    which = "Negative" if spec.condition == 0 else "Positive"
    subject = f"{which} texts that {mention(group.attribute, group.subgroup)}"
    other = f"those that {mention(group.attribute, reference, 'reference')}"
    n = f"n = {count(sizes[0])} and {count(sizes[1])}"
    if estimate.value is None:
        return f"{subject} cannot be compared with {other} ({n})."
    points = 100 * estimate.value
    interval = between(estimate.low, estimate.high, 1, scale=100)
    about = f"in this set of sentences; {n}" if census else f"{level * 100:g} % interval {interval}; {n}"
    if number(abs(points), 1) == "0.0":
        return f"{subject} were flagged as often as {other} (difference 0.0 points, {about})."
    than = "more" if points > 0 else "less"
    return f"{subject} were flagged {number(abs(points), 1)} points {than} often than {other} ({about})."


def apart(bench: Bench, first: str, second: str) -> tuple[Confusion, Confusion]:
    """Counts of the rows that belong to one of the two groups only."""
    shared = bench.shared(first, second)
    sides = [bench.confusion(group) for group in (first, second)]
    if shared is not None:
        both = bench.confusion(shared)
        sides = [type(side)(*(a - b for a, b in zip(side, both, strict=True))) for side in sides]
    return sides[0], sides[1]


def question(bench: Bench, spec: RateSpec, group: Group, reference: str, other: str) -> Question:
    """One confirmatory difference: its sentence, interval, test and support.

    Rows that belong to both groups say nothing on their difference: the test, Fisher's with mid-p, leaves
    them out. With clusters the test is the inversion of the cluster-robust interval.
    """
    from fairnb.statistics import fisher_mid_p, share_of

    def at(level: float) -> Estimate:
        return bench.difference(spec, group.name, other, level)

    sides = [share_of(side, spec.rate) for side in apart(bench, group.name, other)]
    support = min(side.n for side in sides)
    untested, p = "", None
    clusters = bench.clusters_of(group.name, spec.condition)
    if bench.census:
        p = None
    elif clusters is None:
        p = fisher_mid_p(*sides[0], *sides[1]) if support else None
    elif clusters < MIN_CLUSTERS:
        untested = f"{clusters} clusters: tested from {MIN_CLUSTERS}"
    else:
        p = inverted_p(at)
    estimate = at(bench.level)
    told = estimate if support >= NEVER_BELOW else replace(estimate, value=None)
    sizes = (bench.denominator(spec, group.name), bench.denominator(spec, other))
    against = "" if reference == EVERYONE_ELSE else f" against {reference}"
    return Question(
        criterion=f"{CRITERIA[spec.name]}, {words(group.attribute)}: {group.subgroup}{against}",
        statement=sentence(spec, group, reference, told, sizes, bench.level, census=bench.census),
        key=MeasureKey(spec.name, group.attribute, group.subgroup, reference, spec.label, bench.variants()),
        at=at,
        p=p,
        support=support,
        spread=_spread(estimate, sides, clusters is not None),
        untested=untested,
        points=True,
    )


def _spread(estimate: Estimate, sides: Sequence[tuple[int, int]], clustered: bool) -> float | None:
    """Standard error under equality; with clusters that of the interval."""
    from statistics import NormalDist

    if clustered:
        if estimate.low is None or estimate.high is None:
            return None
        return (estimate.high - estimate.low) / 2 / NormalDist().inv_cdf((1 + estimate.level) / 2)
    (x, n), (y, m) = sides
    if not n or not m:
        return None
    # One hit and one miss added, so that the spread is never 0.
    p = (x + y + 1) / (n + m + 2)
    return math.sqrt(p * (1 - p) * (1 / n + 1 / m))


def questions(bench: Bench, groups: Sequence[Group]) -> list[Question]:
    """Every confirmatory difference of the section."""
    return [
        question(bench, spec, group, reference, other)
        for group in groups
        for spec in TESTED
        for reference, other in group.references
    ]


def without_shared(bench: Bench, groups: Sequence[Group]) -> Iterator[Measure]:
    """Sensitivity: pairs of subgroups without the texts that mention both."""
    from fairnb.statistics import mover_difference, share_of, wilson

    for group in groups:
        for reference, other in group.references:
            shared = bench.shared(group.name, other)
            if shared is None or not bench.tally.n(shared):
                continue
            sides = apart(bench, group.name, other)
            for spec in TESTED:
                one, two = (share_of(side, spec.rate) for side in sides)
                yield supported(
                    mover_difference(wilson(*one, bench.level), wilson(*two, bench.level)),
                    support=min(one.n, two.n),
                    minimum=spec.minimum,
                    tested=bench.tested,
                    measure=spec.name,
                    attribute=group.attribute,
                    subgroup=group.subgroup,
                    reference=reference,
                    label=spec.label,
                    variant=bench.variants(APART),
                    n=one.n,
                    denominator=one.n,
                    n_reference=two.n,
                    n_overlap=0,
                    threshold=bench.threshold,
                    null=0.0,
                    family="D",
                    method="texts that mention both left out",
                )


def neighbours(threshold: float) -> tuple[float, ...]:
    """Thresholds at which a finding is shown beside its own."""
    return tuple(
        near for near in (round(threshold - STEP, 10), round(threshold + STEP, 10)) if 0.0 < near < 1.0
    )


def at_neighbours(bench: Bench, groups: Sequence[Group], keys: Sequence[MeasureKey]) -> Iterator[Measure]:
    """The named differences at the neighbouring thresholds."""
    wanted = {(key.measure, key.attribute, key.subgroup, key.reference) for key in keys}
    for near in neighbours(bench.threshold):
        moved = replace(bench, threshold=near)
        for group in groups:
            for reference, other in group.references:
                for spec in TESTED:
                    if (spec.name, group.attribute, group.subgroup, reference) in wanted:
                        rows = [moved.denominator(spec, name) for name in (group.name, other)]
                        yield supported(
                            moved.difference(spec, group.name, other),
                            support=min(rows),
                            minimum=spec.minimum,
                            measure=spec.name,
                            attribute=group.attribute,
                            subgroup=group.subgroup,
                            reference=reference,
                            label=spec.label,
                            variant=bench.variants(f"threshold={near:g}"),
                            n=rows[0],
                            denominator=rows[0],
                            n_reference=rows[1],
                            threshold=near,
                            null=0.0,
                            family="D",
                            method=spec.formula,
                        )


def observed(measure: Measure, level: float) -> Question:
    """An exploratory difference of mean scores as a question: an observation at most."""
    from fairnb.statistics import Estimate

    estimate = Estimate(measure.value, measure.low, measure.high, level, measure.interval, measure.note)
    if measure.status in (Status.TOO_FEW, Status.UNDEFINED):
        estimate = replace(estimate, value=None)
    which = "Negative" if measure.label == "negative" else "Positive"
    other = f"those that {mention(measure.attribute, measure.reference, 'reference')}"
    subject = f"{which} texts that {mention(measure.attribute, measure.subgroup)}"
    n = f"n = {count(measure.n or 0)} and {count(measure.n_reference or 0)}"
    if measure.value is None:
        said = f"{subject} cannot be compared with {other} by their scores ({n})."
    else:
        interval = f"{level * 100:g} % interval {between(measure.low, measure.high)}"
        direction = "higher" if measure.value > 0 else "lower"
        said = (
            f"{subject} were scored {number(abs(measure.value))} {direction} on average than {other} "
            f"({interval}; {n})."
        )
    return Question(
        criterion=f"Mean score of {which.lower()} texts, {words(measure.attribute)}: {measure.subgroup}"
        + ("" if measure.reference == EVERYONE_ELSE else f" against {measure.reference}"),
        statement=said,
        key=measure.key,
        at=lambda _: estimate,
        p=measure.p,
        support=min(measure.n or 0, measure.n_reference or 0),
        family="E",
        # What has a p reached the minimum of its measure.
        tested_from=VERDICT_FROM,
        settled_from=SCORES,
    )


def crossed_measures(bench: Bench, groups: Sequence[Group]) -> tuple[list[Measure], list[Question]]:
    """Rates of intersections and their differences from everyone else, exploratory."""
    measures, asked = [], []
    for group in groups:
        for spec in TESTED:
            for reference, other in group.references:
                rows = [bench.denominator(spec, name) for name in (group.name, other)]
                posed = replace(question(bench, spec, group, reference, other), family="E")
                named: dict[str, Any] = {
                    "minimum": spec.minimum,
                    "tested": bench.tested,
                    "measure": spec.name,
                    "attribute": group.attribute,
                    "subgroup": group.subgroup,
                    "label": spec.label,
                    "variant": bench.variants(),
                    "n": rows[0],
                    "denominator": rows[0],
                    "threshold": bench.threshold,
                    "method": spec.formula,
                }
                measures.append(supported(bench.rate(spec, group.name), support=rows[0], family="D", **named))
                measures.append(
                    supported(
                        bench.difference(spec, group.name, other),
                        support=min(rows),
                        reference=reference,
                        n_reference=rows[1],
                        n_overlap=0,
                        null=0.0,
                        family="E",
                        p=posed.p,
                        **named,
                    )
                )
                asked.append(posed)
    return measures, asked
