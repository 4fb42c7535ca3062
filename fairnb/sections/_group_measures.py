"""The numbers of the section on groups: every metric by subgroup, and its signed differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.sections._group_bench import (
    CONDITIONED,
    EVERYONE_ELSE,
    FLAGGED,
    RATES,
    SCORES,
    STANDARDISED,
    STANDARDISED_RATES,
    Bench,
    Group,
)
from fairnb.sections._group_own import benefits, inequality, own_measures, standard, support_of
from fairnb.sections._group_tests import inverted_p
from fairnb.sections._measure import Measure
from fairnb.sections._support import supported
from fairnb.sections._verdicts import VERDICT_FROM

if TYPE_CHECKING:
    from fairnb.statistics import Estimate, Standardised


def difference_measures(bench: Bench, group: Group, reference: str, other: str) -> Iterator[Measure]:
    """Signed differences of every metric, subgroup minus reference."""
    first = group.name
    named = {
        "attribute": group.attribute,
        "subgroup": group.subgroup,
        "reference": reference,
        "variant": bench.variants(),
    }
    at = {**named, "threshold": bench.threshold}
    sizes = {"n": bench.tally.n(first), "n_reference": bench.tally.n(other)}
    shared = bench.shared(first, other)
    sizes["n_overlap"] = bench.tally.n(shared) if shared else 0
    for spec in RATES:
        rows = [bench.denominator(spec, name) for name in (first, other)]
        both = bench.denominator(spec, shared) if shared else 0
        yield supported(
            bench.difference(spec, first, other),
            support=min(rows),
            minimum=spec.minimum,
            tested=bench.tested if spec.minimum == 10 else 0,
            measure=spec.name,
            label=spec.label,
            method=spec.formula,
            family=spec.family,
            null=0.0,
            **{**at, "n": rows[0], "denominator": rows[0], "n_reference": rows[1], "n_overlap": both},
            clusters=bench.clusters_of(first, spec.condition),
        )
    yield _equalized_odds(bench, first, other, {**at, **sizes})
    yield _impact_ratio(bench, first, other, {**at, **sizes})
    yield from _score_differences(bench, first, other, named)
    yield from _benefit_differences(bench, first, other, {**at, **sizes})
    yield from _standard_differences(bench, first, other, {**at, **sizes})
    yield from _parity_split(bench, first, other, {**at, **sizes})


def _equalized_odds(bench: Bench, first: str, other: str, columns: dict[str, Any]) -> Measure:
    """The larger of the two absolute differences, with the simultaneous interval of the two."""
    from fairnb.statistics import Estimate

    level = 1 - (1 - bench.level) / 2
    pair = [bench.difference(spec, first, other, level) for spec in RATES[:2]]
    rows = [bench.denominator(spec, name) for spec in RATES[:2] for name in (first, other)]
    method = "simultaneous pair"
    missing = next((part for part in pair if part.value is None), None)
    if missing is not None:
        estimate = Estimate(None, None, None, bench.level, method, missing.note)
    else:
        value = max(abs(part.value or 0.0) for part in pair)
        if any(part.low is None or part.high is None for part in pair):
            estimate = Estimate(value, None, None, bench.level, method)
        else:
            low = max(0.0, *(max(part.low or 0.0, -(part.high or 0.0)) for part in pair))
            high = max(max(abs(part.low or 0.0), abs(part.high or 0.0)) for part in pair)
            estimate = Estimate(value, low, high, bench.level, method)
    return supported(
        estimate,
        support=min(rows),
        minimum=10,
        tested=bench.tested,
        measure="equalized_odds",
        label="all",
        denominator=min(rows),
        method="max(|TPR difference|, |FPR difference|); above 0 by chance alone",
        **columns,
    )


def _impact_ratio(bench: Bench, first: str, other: str, columns: dict[str, Any]) -> Measure:
    from fairnb.statistics import ratio_interval

    one, two = (bench.confusion(name) for name in (first, other))
    return supported(
        ratio_interval(one.flagged, one.n, two.flagged, two.n, bench.level),
        support=min(one.n, two.n),
        minimum=10,
        tested=bench.tested,
        measure="impact_ratio",
        label="all",
        denominator=one.n,
        null=1.0,
        family="D",
        method="share flagged / share flagged in the reference",
        **columns,
    )


def _score_differences(bench: Bench, first: str, other: str, named: dict[str, Any]) -> Iterator[Measure]:
    from fairnb.statistics import (
        clustered_difference,
        flagged_mean_difference,
        mean_score_difference,
        mean_score_p,
    )

    tally = bench.tally
    shared = bench.shared(first, other)
    for label, value in CONDITIONED:
        rows = [tally.support(name, value) for name in (first, other)]
        p: float | None = None
        if bench.clustered and min(rows):

            def at(level: float, value: int = value) -> Estimate:
                return clustered_difference(tally, "score", first, other, value, level=level)

            estimate = at(bench.level)
            p = inverted_p(at) if min(rows) >= 10 else None
        else:
            estimate = mean_score_difference(tally, first, other, value, bench.level)
            if min(rows) >= 10 and not bench.census:
                p = mean_score_p(tally, first, other, value, seed=bench.seed)
        columns = {
            "n": rows[0],
            "denominator": rows[0],
            "n_reference": rows[1],
            "n_overlap": tally.support(shared, value) if shared else 0,
            "clusters": bench.clusters_of(first, value),
            **named,
        }
        common: dict[str, Any] = {
            "support": min(rows),
            "minimum": 10,
            "tested": SCORES,
            "label": label,
            "null": 0.0,
        }
        method = "mean scores; membership permuted within label"
        yield supported(estimate, measure="mean_score", family="E", p=p, method=method, **common, **columns)
        if value == 1:
            method = "mean scores of positive texts (Kleinberg)"
            yield supported(
                estimate,
                measure="positive_class_balance_actual",
                family="D",
                method=method,
                **common,
                **columns,
            )
    flagged = [bench.confusion(name).flagged for name in (first, other)]
    yield supported(
        flagged_mean_difference(tally, bench.threshold, first, other, shared, bench.level),
        support=min(flagged),
        minimum=FLAGGED,
        measure="positive_class_balance",
        label="all",
        threshold=bench.threshold,
        n=flagged[0],
        denominator=flagged[0],
        n_reference=flagged[1],
        n_overlap=bench.confusion(shared).flagged if shared else 0,
        null=0.0,
        family="D",
        method="difference of mean scores of flagged texts",
        **named,
    )


def _benefit_differences(bench: Bench, first: str, other: str, columns: dict[str, Any]) -> Iterator[Measure]:
    from fairnb.statistics import mover_difference

    correlation = bench.share_correlation(first, other)
    sides = [benefits(bench, name, bench.level) for name in (first, other)]
    for (name, one, method), (_, two, _) in zip(*sides, strict=True):
        yield inequality(
            bench.confusion(first),
            bench.confusion(other),
            mover_difference(one, two, correlation),
            measure=name,
            label="all",
            denominator=bench.confusion(first).n,
            null=0.0,
            family="D",
            method=method,
            **columns,
        )


def _standard_differences(bench: Bench, first: str, other: str, columns: dict[str, Any]) -> Iterator[Measure]:
    """Differences at the common base rate: zero where score and group are independent given the label."""
    from fairnb.statistics import mover_difference

    columns = {**columns, "variant": bench.variants(STANDARDISED), "null": 0.0}
    correlation = bench.share_correlation(first, other)
    for name, rate, minimum in STANDARDISED_RATES:
        rows = min(support_of(bench, name, group) for group in (first, other))

        def at(level: float, name: str = name, rate: Standardised | None = rate) -> Estimate:
            one, two = (standard(bench, name, rate, group, level) for group in (first, other))
            return mover_difference(one, two, correlation)

        # Without cluster-robust intervals nothing is tested.
        testable = rows >= minimum and not bench.clustered and not bench.census
        common = {
            "measure": name,
            "label": "all",
            "denominator": rows,
            "family": "E",
            "p": inverted_p(at) if testable else None,
            "method": f"at the base rate {bench.base_rate:.3f}",
            **columns,
        }
        if name.startswith(("gini", "generalised")):
            yield inequality(bench.confusion(first), bench.confusion(other), at(bench.level), **common)
        else:
            yield supported(at(bench.level), support=rows, minimum=minimum, **common)


PARITY_PARTS = ("composition", "tpr", "fpr")


def _parity_split(bench: Bench, first: str, other: str, columns: dict[str, Any]) -> Iterator[Measure]:
    """Statistical parity as the sum of what base rates, TPR and FPR contribute.

    Each part is weighted by the mean of the two groups, so that neither is privileged (Kitagawa, Journal of
    the American Statistical Association 50, 1955, 1168-1194).
    """
    from fairnb.statistics import Estimate

    sides = [bench.confusion(name) for name in (first, other)]
    whole = all(side.positive and side.negative for side in sides)
    parts: dict[str, float | None] = dict.fromkeys(PARITY_PARTS)
    if whole:
        base = [side.positive / side.n for side in sides]
        tpr = [side.tp / side.positive for side in sides]
        fpr = [side.fp / side.negative for side in sides]
        middle = sum(base) / 2
        parts["composition"] = (base[0] - base[1]) * (sum(tpr) - sum(fpr)) / 2
        parts["tpr"] = middle * (tpr[0] - tpr[1])
        parts["fpr"] = (1 - middle) * (fpr[0] - fpr[1])
    note = "" if whole else "a group has texts of one label only"
    rows = min(side.n for side in sides)
    for part, value in parts.items():
        yield supported(
            Estimate(value, None, None, bench.level, "", note),
            support=rows,
            minimum=20,
            measure="statistical_parity",
            label="all",
            denominator=sides[0].n,
            family="D",
            method="part, weighted by the mean of both groups",
            **{**columns, "variant": bench.variants(f"part={part}")},
        )


DECISIVE = ("equal_opportunity", "false_positive_rate", "mean_score")
"""Measures that every group has, however few its texts."""
BUDGET = 240_000
"""Bytes that the measures of all targets may take together: a notebook keeps half a million a section,
and has to hold tables and figures, too."""


def measures_of(bench: Bench, groups: Sequence[Group], budget: int) -> tuple[list[Measure], list[Group]]:
    """All values and differences of all groups.

    Groups with fewer than ten texts, of which nothing can be said, have the decisive measures only. So have,
    from the smallest on, as many more groups as must be cut for the record to fit.

    Returns
    -------
    measures : list of Measure
    cut : list of Group
        Groups that were cut for the record to fit.
    """
    everyone_else = []
    for union in dict.fromkeys(group.union for group in groups):
        attribute = next(group.attribute for group in groups if group.union == union)
        everyone_else += list(own_measures(bench, attribute, EVERYONE_ELSE, f"~{union}"))
    sizes = {group.name: bench.tally.n(group.name) for group in groups}
    found = {
        group.name: list(_of_group(bench, group, whole=sizes[group.name] >= VERDICT_FROM)) for group in groups
    }
    total = _bytes(everyone_else) + sum(map(_bytes, found.values()))
    cut = []
    for group in sorted(groups, key=lambda one: sizes[one.name]):
        if total > budget and sizes[group.name] >= VERDICT_FROM:
            decisive = [one for one in found[group.name] if _is_decisive(bench, one)]
            total -= _bytes(found[group.name]) - _bytes(decisive)
            found[group.name] = decisive
            cut.append(group)
    return [*everyone_else, *(measure for made in found.values() for measure in made)], cut


def _of_group(bench: Bench, group: Group, *, whole: bool) -> Iterator[Measure]:
    made = [*own_measures(bench, group.attribute, group.subgroup, group.name)]
    for reference, other in group.references:
        made += difference_measures(bench, group, reference, other)
    return (measure for measure in made if whole or _is_decisive(bench, measure))


def _is_decisive(bench: Bench, measure: Measure) -> bool:
    return measure.measure in DECISIVE and measure.variant == bench.variants()


def _bytes(measures: Sequence[Measure]) -> int:
    return sum(len(measure.model_dump_json()) + 2 for measure in measures)
