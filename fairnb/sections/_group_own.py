"""A group's own values of every metric. Source: paper, section 6.2 and appendix F."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fairnb.sections._group_bench import (
    FLAGGED,
    GINI_ERRORS,
    LABELS,
    RATES,
    SCORES,
    STANDARDISED,
    STANDARDISED_RATES,
    Bench,
)
from fairnb.sections._measure import Measure, Status
from fairnb.sections._support import supported

if TYPE_CHECKING:
    from fairnb.statistics import Confusion, Estimate, Standardised


def own_measures(bench: Bench, attribute: str, subgroup: str, group: str) -> Iterator[Measure]:
    """A group's own values of every metric."""
    named = {"attribute": attribute, "subgroup": subgroup, "variant": bench.variants()}
    confusion = bench.confusion(group)
    n = confusion.n
    at = {"n": n, "threshold": bench.threshold, "family": "D"}
    for spec in RATES:
        rows = bench.denominator(spec, group)
        yield supported(
            bench.rate(spec, group),
            support=rows,
            minimum=spec.minimum,
            tested=bench.tested if spec.minimum == 10 else 0,
            measure=spec.name,
            label=spec.label,
            denominator=rows,
            clusters=bench.clusters_of(group, spec.condition),
            method=spec.formula,
            **{**named, **at, "n": rows},
        )
    yield from _own_scores(bench, group, named)
    yield from _own_benefits(bench, group, {**named, **at})
    yield from _own_standardised(bench, group, {**named, **at})


def _own_scores(bench: Bench, group: str, named: dict[str, Any]) -> Iterator[Measure]:
    """Mean scores by label, of the flagged, and of the positive."""
    from fairnb.statistics import clustered_mean, flagged_mean, wald_mean

    tally, level = bench.tally, bench.level
    for label, value in LABELS:
        rows = tally.n(group) if value is None else tally.support(group, value)
        robust = bench.clustered and rows > 0
        mean = (
            clustered_mean(tally, "score", group, value, level=level)
            if robust
            else tally.mean_score(group, value, level)
        )
        columns = {"n": rows, "denominator": rows, "family": "D", "method": "mean score", **named}
        columns["clusters"] = bench.clusters_of(group, value)
        yield supported(
            mean, support=rows, minimum=10, tested=SCORES, measure="mean_score", label=label, **columns
        )
        if value == 1:
            columns["method"] = "mean score of positive texts (Kleinberg)"
            yield supported(
                mean,
                support=rows,
                minimum=10,
                tested=SCORES,
                measure="positive_class_balance_actual",
                label=label,
                **columns,
            )
    flagged = bench.confusion(group).flagged
    yield supported(
        wald_mean(flagged_mean(tally, bench.threshold, group), level),
        support=flagged,
        minimum=FLAGGED,
        measure="positive_class_balance",
        label="all",
        n=flagged,
        denominator=flagged,
        threshold=bench.threshold,
        family="D",
        method="mean score of flagged texts",
        **named,
    )


def benefits(bench: Bench, group: str, level: float) -> list[tuple[str, Estimate, str]]:
    """Both coefficients of Gini and the generalised entropy of a group."""
    from fairnb.statistics import Estimate, generalised_entropy, gini_of_benefits

    confusion = bench.confusion(group)
    entropy = generalised_entropy(confusion)
    note = "" if entropy is not None else "no row, or every row has benefit 0"
    return [
        ("gini_equality", gini_of_benefits(confusion, level), "Gini of decision - label + 1"),
        (
            "gini_equality_favourable",
            gini_of_benefits(confusion, level, favourable=True),
            "Gini, being called negative as the benefit",
        ),
        (
            "generalised_entropy",
            Estimate(entropy, None, None, level, "", note),
            "GE(2) of decision - label + 1",
        ),
    ]


def _own_benefits(bench: Bench, group: str, columns: dict[str, Any]) -> Iterator[Measure]:
    from fairnb.statistics import Estimate, share_of, wilson

    confusion = bench.confusion(group)
    for name, estimate, method in benefits(bench, group, bench.level):
        yield inequality(
            confusion,
            None,
            estimate,
            measure=name,
            label="all",
            denominator=confusion.n,
            method=method,
            **columns,
        )
    share = wilson(*share_of(confusion, "error_mix"), bench.level)
    odds = [
        None if end is None or end >= 1 else end / (1 - end) for end in (share.value, share.low, share.high)
    ]
    note = (
        ""
        if odds[0] is not None
        else ("no errors" if not confusion.errors else "no false positive: infinite")
    )
    yield supported(
        Estimate(odds[0], odds[1], odds[2], bench.level, "wilson", note),
        support=confusion.errors,
        minimum=20,
        measure="fn_fp_ratio",
        label="all",
        denominator=confusion.errors,
        method="FN/FP",
        **columns,
    )


def inequality(confusion: Confusion, other: Confusion | None, estimate: Estimate, **columns: Any) -> Measure:
    """A measure of benefits, which needs rows and errors."""
    sides = [confusion] if other is None else [confusion, other]
    made = supported(estimate, support=min(side.n for side in sides), minimum=100, **columns)
    errors = min(side.errors for side in sides)
    if made.status is Status.OK and errors < GINI_ERRORS:
        note = f"{errors} errors: too few to say (minimum {GINI_ERRORS})"
        return made.model_copy(update={"status": Status.TOO_FEW, "note": note, "p": None})
    return made


def standard(bench: Bench, name: str, rate: Standardised | None, group: str, level: float) -> Estimate:
    """A group's value at the common base rate; without a rate, the mean score of its flagged texts."""
    from fairnb.statistics import standardised, standardised_flagged_mean

    if rate is None:
        return standardised_flagged_mean(bench.tally, bench.threshold, group, bench.base_rate, level)
    return standardised(bench.confusion(group), rate, bench.base_rate, level)


def support_of(bench: Bench, name: str, group: str) -> int:
    """Rows that decide for a metric that has no denominator of its own."""
    confusion = bench.confusion(group)
    return {
        "positive_predictive_value": confusion.flagged,
        "positive_class_balance": confusion.flagged,
        "normalised_treatment_equality": confusion.errors,
    }.get(name, confusion.n)


def _own_standardised(bench: Bench, group: str, columns: dict[str, Any]) -> Iterator[Measure]:
    columns = {**columns, "variant": bench.variants(STANDARDISED)}
    for name, rate, minimum in STANDARDISED_RATES:
        rows = support_of(bench, name, group)
        yield supported(
            standard(bench, name, rate, group, bench.level),
            support=rows,
            minimum=minimum,
            measure=name,
            label="all",
            denominator=rows,
            method=f"at the base rate {bench.base_rate:.3f}",
            **columns,
        )
