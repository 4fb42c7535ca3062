"""One simulated audit: judged by the product's own questions, tests and verdicts, compared with the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scenarios import Scenario
from simulated import THRESHOLD, Population, SimulatedView, drawn

from fairnb.case._shares import alphas
from fairnb.sections import Criteria, Verdict
from fairnb.sections._auc_measures import Bench as AreaBench
from fairnb.sections._auc_measures import Named, area_measures
from fairnb.sections._group_bench import LABELS, RATES, Bench, Group
from fairnb.sections._group_questions import neighbours, questions
from fairnb.sections._measure import MeasureKey, Status
from fairnb.sections._verdicts import Judged, as_candidates, judge
from fairnb.sections.auc_bias import AucBias
from fairnb.sections.group_bias import GroupBias, _groups
from fairnb.statistics import (
    Estimate,
    bias_aucs,
    clustered_difference,
    clustered_mean,
    f1_interval,
    mean_score_difference,
)

ZERO = 1e-9
"""A population difference nearer to zero is zero: the sums of the table leave about 1e-16."""
BANDS = ("minimum to 49", "50 and more")
SEVERAL = 50
"""Denominators from here on belong to the upper band."""
ROBUST = ("equal_opportunity", "false_positive_rate", "overall_accuracy_equality", "statistical_parity")
"""Rates whose intervals allow for clusters; so do mean scores. The report says of the others that they do not."""
COVERED = (*ROBUST, "positive_predictive_value")


class Cell(NamedTuple):
    """What coverage is counted of."""

    measure: str
    kind: str
    """``value`` or ``difference``."""
    band: str
    group: str
    reference: str


@dataclass
class Counted:
    """What was seen over some audits of a scenario; adds up."""

    counts: Counter[str] = field(default_factory=Counter)
    covered: Counter[Cell] = field(default_factory=Counter)
    intervals: Counter[Cell] = field(default_factory=Counter)

    def add(self, other: Counted) -> None:
        """Add what was seen over other audits."""
        self.counts.update(other.counts)
        self.covered.update(other.covered)
        self.intervals.update(other.intervals)


def alpha_of(population: Population) -> float:
    """The section's part of the audit's alpha, as a case with these sections divides it."""
    ids = ("technical_performance", "group_bias", "auc_bias")
    case: Any = SimpleNamespace(
        sections=ids,
        file=SimpleNamespace(criteria=Criteria(), sections={}, corpus={}),
        sources=SimpleNamespace(has=lambda _: True, lexicon=lambda: population.lexicon),
        target_names=lambda _: ("positive",),
    )
    return alphas(case)["group_bias"]


def true_difference(population: Population, key: MeasureKey) -> float:
    """The population's value of a difference that was put to the test."""
    group = f"{key.attribute}/{key.subgroup}"
    other = f"~{key.attribute}" if key.reference == "everyone_else" else f"{key.attribute}/{key.reference}"
    return population.value(key.measure, group) - population.value(key.measure, other)


def audit(scenario: Scenario, rng: np.random.Generator, alpha: float, *, cover: bool, whole: bool) -> Counted:
    """Draw one audit, judge it as the section does, and compare with the truth."""
    rows = drawn(scenario.population, scenario.n, rng, authors=scenario.authors)
    view: Any = SimulatedView(scenario.population, rows, alpha)
    criteria = view.criteria
    tally = view.tally("test", "subgroup", (THRESHOLD, *neighbours(THRESHOLD)))
    bench = Bench(tally, THRESHOLD, view.confidence, criteria.min_support, view.seed)
    groups = _groups(view.lexicon, "subgroup")
    judged = judge(
        questions(bench, groups),
        alpha=view.alpha,
        margin=criteria.margin,
        min_support=criteria.min_support,
        confidence=view.confidence,
    )
    seen = Counted(Counter(_verdicts(scenario, judged, alpha, criteria.margin)))
    intervals = list(_intervals(bench, groups)) if cover or whole else []
    if cover:
        for measure, group, reference, label, rows_of, estimate in intervals:
            if estimate.low is None or estimate.high is None:
                continue
            true = scenario.population.value(measure, group, label)
            if reference is not None:
                whose = "subgroup_auc" if "auc" in measure else measure
                true -= scenario.population.value(whose, reference, label)
            band = BANDS[rows_of >= SEVERAL]
            name = f"{measure} ({label})" if measure == "mean_score" else measure
            cell = Cell(name, "value" if reference is None else "difference", band, group, reference or "")
            seen.intervals[cell] += 1
            seen.covered[cell] += estimate.low <= true <= estimate.high
    if whole:
        _same_as_sections(view, judged, intervals)
        seen.counts["whole"] += 1
    return seen


def _verdicts(scenario: Scenario, judged: Sequence[Judged], alpha: float, margin: float) -> dict[str, int]:
    """What one audit adds to each count."""
    found: Counter[str] = Counter(audits=1)
    simultaneous = True
    for answer in judged:
        key = answer.question.key
        true = true_difference(scenario.truth, key)
        observed = true_difference(scenario.population, key)
        null = abs(true) < ZERO
        found["null criteria" if null else "different criteria"] += 1
        estimate, ends = answer.estimate.value, answer.simultaneous
        found["tested"] += ends is not None
        if ends is not None and ends.low is not None and ends.high is not None:
            simultaneous = simultaneous and ends.low <= observed <= ends.high
        if estimate is None:
            continue
        wrong = null or true * estimate < 0
        if answer.verdict is Verdict.EXCEEDS:
            found["false" if wrong else "right"] += 1
            found["small"] += not wrong and abs(true) < margin
            found["sought"] += not wrong and (key.measure, key.subgroup, key.reference) == (
                *(scenario.sought or ("", "")),
                "everyone_else",
            )
        if answer.p_adjusted is not None and answer.p_adjusted < alpha and wrong:
            found["false test"] += 1
        if answer.verdict is Verdict.WITHIN:
            found["within"] += 1
            found["wrongly within"] += abs(observed) >= margin
    audits = {f"audits: {name}": int(found[name] > 0) for name in ("false", "false test", "right", "sought")}
    return {**found, **audits, "audits: simultaneous": int(simultaneous)}


class Seen(NamedTuple):
    """An interval of a group's value, or of its difference from another group."""

    measure: str
    group: str
    reference: str | None
    label: str
    rows: int
    """The denominator that decides."""
    estimate: Estimate


def _intervals(bench: Bench, groups: Sequence[Group]) -> Iterator[Seen]:
    """Every interval that coverage is counted of, where the section makes a statement."""
    names = [*(group.name for group in groups), *(f"~{union}" for union in {g.union: 0 for g in groups})]
    pairs = [(group.name, other) for group in groups for _, other in group.references]
    for spec in (spec for spec in RATES if spec.name in COVERED):
        rows = {name: bench.denominator(spec, name) for name in names}
        for name in names:
            if rows[name] >= spec.minimum:
                yield Seen(spec.name, name, None, "all", rows[name], bench.rate(spec, name))
        for one, other in pairs:
            smaller = min(rows[one], rows[other])
            if smaller >= spec.minimum:
                yield Seen(spec.name, one, other, "all", smaller, bench.difference(spec, one, other))
    yield from _mean_scores(bench, names, pairs)
    for name in ("", *names):
        confusion = bench.confusion(name)
        smaller = min(confusion.positive, confusion.negative)
        if smaller >= 10:
            for average in ("positive", "negative", "macro", "weighted"):
                estimate = f1_interval(confusion, average, bench.level)
                yield Seen(f"f1 ({average})", name, None, "all", smaller, estimate)
    yield from _areas(bench, groups)


def _mean_scores(bench: Bench, names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Iterator[Seen]:
    tally, level = bench.tally, bench.level
    for label, value in LABELS:
        rows = {name: tally.n(name) if value is None else tally.support(name, value) for name in names}
        for name in names:
            if rows[name] >= 10:
                if bench.clustered:
                    mean = clustered_mean(tally, "score", name, value, level=level)
                else:
                    mean = tally.mean_score(name, value, level)
                yield Seen("mean_score", name, None, label, rows[name], mean)
        for one, other in pairs if value is not None else ():
            smaller = min(rows[one], rows[other])
            if smaller >= 10:
                if bench.clustered:
                    mean = clustered_difference(tally, "score", one, other, value, level=level)
                else:
                    mean = mean_score_difference(tally, one, other, value, level)
                yield Seen("mean_score", one, other, label, smaller, mean)


def _areas(bench: Bench, groups: Sequence[Group]) -> Iterator[Seen]:
    named = [Named(group.attribute, group.subgroup, group.name) for group in groups]
    areas = bias_aucs(bench.tally, [one.name for one in named], bench.level)
    tool = AreaBench(bench.tally, bench.level, bench.tested, bench.seed, 0)
    for made in area_measures(tool, areas, [one for one in named if bench.tally.n(one.name)]):
        if made.status in (Status.OK, Status.INDICATIVE):
            estimate = Estimate(made.value, made.low, made.high, bench.level, made.interval)
            group = f"{made.attribute}/{made.subgroup}"
            reference = "" if made.reference else None
            yield Seen(made.measure, group, reference, "all", made.denominator or 0, estimate)


def _same_as_sections(view: Any, judged: Sequence[Judged], intervals: Sequence[Seen]) -> None:
    """Run both sections as a case does: their candidates and intervals have to be those compared here."""
    result = GroupBias().run(view, GroupBias.Params())
    areas = AucBias().run(view, AucBias.Params(draws=20))
    candidates, findings = as_candidates(
        judged, margin=view.criteria.margin, requirement=GroupBias.requirement
    )
    if candidates != tuple(one for one in result.candidates if one.family == "C"):
        raise RuntimeError("the section put other candidates on record")
    if findings != tuple(one for one in result.findings if one.severity != "observation"):
        raise RuntimeError("the section put other findings on record")
    recorded = {
        (one.measure, one.attribute, one.subgroup, one.reference, one.label): (one.low, one.high)
        for one in (*result.measures, *areas.measures)
        if not one.variant
    }
    conditioned = {"equal_opportunity": "positive", "false_positive_rate": "negative"}
    for seen in intervals:
        if seen.measure.startswith("f1"):
            continue
        attribute, _, subgroup = seen.group.removeprefix("~").partition("/")
        other = seen.reference
        if other is None:
            reference = ""
        elif other == "":
            reference = "overall"
        else:
            reference = "everyone_else" if other.startswith("~") else other.partition("/")[2]
        label = seen.label if seen.measure == "mean_score" else conditioned.get(seen.measure, "all")
        key = (seen.measure, attribute, subgroup or "everyone_else", reference, label)
        # Small groups lose the measures of the annex where the record would be too long.
        if key in recorded and recorded[key] != (seen.estimate.low, seen.estimate.high):
            raise RuntimeError(f"the section has another interval of {key}")


def simulate(scenario: Scenario, audits: range, seed: Sequence[int], whole: int) -> Counted:
    """Some audits of a scenario; each has its own stream of random numbers, so that parts may run apart."""
    alpha = alpha_of(scenario.population)
    total = Counted()
    for number in audits:
        rng = np.random.default_rng([*seed, number])
        cover = number % scenario.covered_every == 0
        total.add(audit(scenario, rng, alpha, cover=cover, whole=number < whole))
    return total
