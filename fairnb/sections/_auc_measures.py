"""Areas under the curve by mentioned group, and what they are averaged to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any

from fairnb.sections._measure import Measure, Status
from fairnb.sections._support import supported
from fairnb.sections._variant import joined

if TYPE_CHECKING:
    from fairnb.statistics import Areas, BiasAucs, Estimate, GroupAuc, Tally

TERM = "identity_term"
OVERALL = "overall"
SHOWN_FROM = 10
"""Texts per class from which an area is shown."""
KINDS = ("subgroup", "bpsn", "bnsp")
_METHODS = {
    "subgroup": "positive against negative texts of the group",
    "bpsn": "positive texts outside against negative texts of the group",
    "bnsp": "positive texts of the group against negative texts outside",
}
POWER = -5.0


@dataclass(frozen=True)
class Named:
    """A group as the record and the tally name it."""

    attribute: str
    subgroup: str
    name: str


@dataclass(frozen=True)
class Bench:
    """What every area of one run is measured with."""

    tally: Tally
    level: float
    tested: int
    seed: int
    draws: int
    variant: str = ""

    def variants(self, *parts: str) -> str:
        """Name of a variant in this run; empty for the default."""
        return joined(self.variant, *parts)


def facing_p(estimate: Estimate) -> float | None:
    """Two-sided p that a difference is zero, from the end of its interval that faces zero.

    The interval's reach on that side is taken as the normal quantile times the standard error.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    reach = estimate.value - estimate.low if estimate.value > 0 else estimate.high - estimate.value
    if reach <= 0:
        return None
    quantile = NormalDist().inv_cdf((1 + estimate.level) / 2)
    return math.erfc(abs(estimate.value) / reach * quantile / math.sqrt(2))


def overall_measure(bench: Bench, areas: BiasAucs) -> Measure:
    """Area under the curve of all texts."""
    rows = [bench.tally.support(label=label) for label in (1, 0)]
    return supported(
        areas.overall,
        support=min(rows),
        minimum=SHOWN_FROM,
        tested=bench.tested,
        measure="overall_auc",
        label="all",
        variant=bench.variants(),
        n=sum(rows),
        denominator=sum(rows),
        null=0.5,
        family="D",
        method="Mann-Whitney, ties 1/2",
    )


def area_measures(bench: Bench, areas: BiasAucs, groups: Sequence[Named]) -> Iterator[Measure]:
    """The three areas of each group, and their differences from everyone's."""
    for group in groups:
        for kind in KINDS:
            found: GroupAuc = getattr(areas, kind)[group.name]
            columns: dict[str, Any] = {
                "support": min(found.positives, found.negatives),
                "minimum": SHOWN_FROM,
                "tested": bench.tested,
                "measure": f"{kind}_auc",
                "attribute": group.attribute,
                "subgroup": group.subgroup,
                "label": "all",
                "variant": bench.variants(),
                "n": found.positives + found.negatives,
                "denominator": min(found.positives, found.negatives),
                "method": _METHODS[kind],
            }
            yield supported(found.area, family="D", **columns)
            tested = columns["support"] >= bench.tested
            yield supported(
                found.difference,
                reference=OVERALL,
                n_reference=bench.tally.n(),
                null=0.0,
                family="E",
                p=facing_p(found.difference) if tested else None,
                **columns,
            )


def gap_measures(bench: Bench, groups: Sequence[Named]) -> Iterator[Measure]:
    """Average equality gaps: is a group's text scored above those outside, within a label?"""
    from fairnb.statistics import average_equality_gap

    for group in groups:
        for name, label in (("positive", 1), ("negative", 0)):
            rows = [bench.tally.support(side, label) for side in (group.name, f"~{group.name}")]
            estimate = average_equality_gap(bench.tally, group.name, label, bench.level)
            yield supported(
                estimate,
                support=min(rows),
                minimum=SHOWN_FROM,
                tested=bench.tested,
                measure=f"aeg_{name}",
                attribute=group.attribute,
                subgroup=group.subgroup,
                label=name,
                variant=bench.variants(),
                n=rows[0],
                denominator=rows[0],
                n_reference=rows[1],
                null=0.0,
                family="E",
                p=facing_p(estimate) if min(rows) >= bench.tested else None,
                method="P(group's score above others') + 1/2 P(equal) - 1/2",
            )


@dataclass(frozen=True)
class Averages:
    """Summaries over the groups that have an area of each kind."""

    values: dict[str, float | None]
    kept: tuple[str, ...]
    """Names of the groups that entered."""


def _averaged(overall: float | None, by_kind: dict[str, list[float]]) -> dict[str, float | None]:
    from fairnb.statistics import power_mean

    means = {kind: power_mean(by_kind[kind], POWER) for kind in KINDS}
    found: dict[str, float | None] = {f"bias_auc_{kind}": means[kind] for kind in KINDS}
    parts = [overall, *means.values()]
    known = [part for part in parts if part is not None]
    found["bias_auc"] = fmean(known) if len(known) == len(parts) else None
    every = [value for kind in KINDS for value in by_kind[kind]]
    found["ami_score_b"] = (overall + fmean(every)) / 2 if every and overall is not None else None
    return found


_FORMULAS = {
    "bias_auc_subgroup": "power mean of the subgroup areas, p = -5",
    "bias_auc_bpsn": "power mean of the BPSN areas, p = -5",
    "bias_auc_bnsp": "power mean of the BNSP areas, p = -5",
    "bias_auc": "mean of the overall area and the three power means",
    "ami_score_b": "half the overall area, half the mean of all areas of groups",
}
SUMMARIES = tuple(_FORMULAS)
NULL = "null"


def averaged_groups(areas: BiasAucs, groups: Sequence[Named]) -> list[Named]:
    """Groups that enter the averages: each of the three areas has ten texts of either class."""
    return [
        group
        for group in groups
        if all(
            min(getattr(areas, kind)[group.name].positives, getattr(areas, kind)[group.name].negatives)
            >= SHOWN_FROM
            for kind in KINDS
        )
    ]


@dataclass(frozen=True)
class Resampled:
    """Areas of the groups that enter the averages, over resamples."""

    areas: Areas
    of: str
    """What was drawn anew: texts, or clusters of them."""


def summary_measures(
    bench: Bench, areas: BiasAucs, groups: Sequence[Named], attribute: str, resampled: Resampled
) -> Iterator[Measure]:
    """Averages over groups, each with what it would be if membership were dealt out within a label.

    Groups that do not enter are named, never averaged in. The interval is the bias-corrected one of the
    resamples, most of which are too low by about what the value itself is too low. The null value stands in
    `null`, and with the middle of its law in the variant ``null``.
    """
    from fairnb.statistics import Estimate, bias_aucs_null, bias_corrected

    kept = averaged_groups(areas, groups)
    left_out = [group.subgroup for group in groups if group not in kept]
    overall = areas.overall.value
    values = _averaged(
        overall, {kind: [getattr(areas, kind)[group.name].area.value for group in kept] for kind in KINDS}
    )
    note = f"over {len(kept)} of {len(groups)} groups"
    if left_out:
        note += f"; left out, with fewer than {SHOWN_FROM} texts of a class: {', '.join(left_out)}"
    drawn: list[dict[str, float | None]] = []
    if kept:
        law = bias_aucs_null(bench.tally, [group.name for group in kept], draws=bench.draws, seed=bench.seed)
        drawn = [
            _averaged(overall, {kind: law[kind][row].tolist() for kind in KINDS})
            for row in range(len(law["bpsn"]))
        ]
    again = _resamples(resampled.areas) if kept else []
    columns: dict[str, Any] = {
        "attribute": attribute,
        "label": "all",
        "n": bench.tally.n(),
        "denominator": len(kept),
        "family": "D",
    }
    for name in SUMMARIES:
        law_of = [value for value in (one[name] for one in drawn) if value is not None]
        expected = fmean(law_of) if law_of else None
        value = values[name]
        seen = [made for made in (one[name] for one in again) if made is not None]
        ends: dict[str, Any] = {}
        over = f", over {len(kept)} of {len(groups)} groups" if left_out else ""
        method = _FORMULAS[name] + over
        if value is not None and seen:
            low, high = bias_corrected(value, seen, bench.level)
            ends = {"low": low, "high": high, "level": bench.level, "interval": "bootstrap-bc"}
            method += f"; {len(seen)} resamples of {resampled.of}"
        yield Measure(
            measure=name,
            variant=bench.variants(),
            value=value,
            null=expected,
            status=Status.OK if value is not None else Status.UNDEFINED,
            method=method,
            **ends,
            note=note if left_out or value is None else "",
            **columns,
        )
        if expected is not None:
            low, high = _middle(law_of, bench.level)
            estimate = Estimate(expected, low, high, bench.level, "permutation")
            yield supported(
                estimate,
                support=bench.tally.n(),
                measure=name,
                variant=bench.variants(NULL),
                method=f"{len(law_of)} draws of the same group sizes within each label",
                **columns,
            )


def _resamples(areas: Areas) -> list[dict[str, float | None]]:
    """The averages of each resample; one in which an area is undefined is left out."""
    import numpy as np

    kinds = {kind: areas[kind] for kind in KINDS}
    whole = ~np.isnan(areas["overall"])
    for values in kinds.values():
        whole &= ~np.isnan(values).any(axis=1)
    return [
        _averaged(
            float(areas["overall"][row]), {kind: values[row].tolist() for kind, values in kinds.items()}
        )
        for row in np.flatnonzero(whole).tolist()
    ]


def _middle(law: Sequence[float], level: float) -> tuple[float, float]:
    """Ends of the middle part of a law."""
    import numpy as np

    low, high = np.quantile(law, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
