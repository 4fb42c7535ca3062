"""Measures of sentences that differ in the group alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fairnb.sections._counterfactual_made import Group, Sentence
from fairnb.sections._format import count, number, percent
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._shift import FEWEST_CLUSTERS, WORDS, Shift, spoken_interval
from fairnb.sections._support import supported
from fairnb.sections._variant import joined


@dataclass(frozen=True, eq=False)
class Compared:
    """One subgroup beside its reference, for one label."""

    group: Group
    subgroup: str
    label: int
    shift: Shift
    flagged: tuple[float, float]
    """Share flagged of the subgroup's and of the reference's sentences."""

    @property
    def words(self) -> str:
        """What is compared, for a heading."""
        where = f", {self.group.source}" if self.group.prefix else ""
        groups = f"{self.subgroup} against {self.group.reference}"
        return f"{WORDS[self.label]} sentences, {self.group.attribute}: {groups}{where}"

    def by_template(self) -> Mapping[str, tuple[float, int]]:
        """Template -> mean difference and pairs."""
        found: dict[str, list[float]] = {}
        for template, value in zip(self.shift.clusters, self.shift.values, strict=True):
            found.setdefault(template, []).append(value)
        return {name: (sum(values) / len(values), len(values)) for name, values in found.items()}

    def per_template(self) -> list[dict[str, Any]]:
        """Rows of the table per template."""
        return [
            {
                "attribute": self.group.attribute,
                "subgroup": self.subgroup,
                "reference": self.group.reference,
                "label": WORDS[self.label],
                "prefix": self.group.prefix,
                "template": template,
                "shift": round(shift, 6),
                "n": n,
            }
            for template, (shift, n) in self.by_template().items()
        ]

    def statement(self, level: float, tested: bool) -> str:
        """One sentence with the difference, its interval or its templates, and how many were flagged."""
        found = self.shift.mean(level)
        size = found.estimate.value
        more = "higher" if (size or 0.0) >= 0 else "lower"
        of_templates = (
            f"{spoken_interval(found.estimate)}{count(found.clusters)} templates"
            if tested
            else f"in this set: {self._signs()}"
        )
        own, other = (percent(share, 0) for share in self.flagged)
        return (
            f"{WORDS[self.label].capitalize()} sentences about “{self.subgroup}” ({self.group.attribute}) scored "
            f"{number(100 * abs(size or 0.0), 1)} points {more} than the same sentences about "
            f"“{self.group.reference}” "
            f"({of_templates}, n = {count(found.n)}); {own} of them were flagged, against {other}."
        )

    def _signs(self) -> str:
        shifts = [shift for shift, _ in self.by_template().values()]
        size = self.shift.mean(0.95).estimate.value or 0.0
        same = sum(shift * size > 0 for shift in shifts)
        return f"the same direction in {same} of {len(shifts)} templates"


def compare(group: Group, threshold: float) -> Iterable[Compared]:
    for subgroup in group.subgroups:
        if subgroup == group.reference:
            continue
        for label, word in WORDS.items():
            own, other = group.means(subgroup, label), group.means(group.reference, label)
            keys = [key for key in own if key in other]
            key = MeasureKey("mean_shift", group.attribute, subgroup, group.reference, word, group.prefix)
            shift = Shift(
                key, tuple(own[k] - other[k] for k in keys), tuple(template for template, _ in keys)
            )
            shares = tuple(_share(group, name, label, threshold) for name in (subgroup, group.reference))
            yield Compared(group, subgroup, label, shift, (shares[0], shares[1]))


def _share(group: Group, subgroup: str, label: int, threshold: float) -> float:
    scores = [one.score for one in group.sentences if one.subgroup == subgroup and one.label == label]
    return sum(score >= threshold for score in scores) / len(scores) if scores else 0.0


def shift_measures(one: Compared, level: float, *, tested: bool) -> Iterable[Measure]:
    """The difference with its interval over templates, and exactly, of this set."""
    method = "mean of subgroup - reference over sentences of one skeleton"
    generalised = one.shift.measure(
        level, family="C" if tested else "D", method=f"{method}; cluster-t on templates"
    )
    few = generalised.clusters is None or generalised.clusters < FEWEST_CLUSTERS
    found = one.shift.mean(level)
    exact = generalised.model_copy(
        update={
            "value": found.estimate.value,
            "low": None,
            "high": None,
            "level": None,
            "interval": "",
            "p": None,
            "family": "D",
            "status": Status.CENSUS if found.n else Status.UNDEFINED,
            "method": method,
            "note": "of this set; too few templates to generalise" if few and found.n else generalised.note,
        }
    )
    if few:
        yield exact
        return
    yield generalised
    census = joined(one.group.prefix, "census")
    yield exact.model_copy(update={"variant": census, "note": "of this set"})


def mean_scores(group: Group, level: float) -> Iterable[Measure]:
    """Tables 8 and 9: mean scores by subgroup and label."""
    from fairnb.statistics import cluster_mean

    for subgroup in group.subgroups:
        for label, values in (("positive", (1,)), ("negative", (0,)), ("all", (0, 1))):
            own = [one for one in group.sentences if one.subgroup == subgroup and one.label in values]
            found = cluster_mean([s.score for s in own], [s.template for s in own], level, bounds=(0.0, 1.0))
            estimate = found.estimate
            measure = supported(
                estimate,
                support=found.n,
                minimum=10,
                measure="mean_score",
                attribute=group.attribute,
                subgroup=subgroup,
                label=label,
                variant=group.prefix,
                n=found.n,
                denominator=found.n,
                clusters=found.clusters,
                family="D",
                method="mean P(positive); cluster-t on templates",
            )
            if measure.status is Status.OK and found.clusters < FEWEST_CLUSTERS:
                few = {"low": None, "high": None, "level": None, "interval": "", "status": Status.CENSUS}
                measure = measure.model_copy(
                    update={**few, "note": "of this set; too few templates to generalise"}
                )
            yield measure


def bias_measures(group: Group) -> Iterable[Measure]:
    """Equation (1) for each subgroup as the reference."""
    from fairnb.variants import counterfactual_bias

    by_place: dict[tuple[int, str], list[Sentence]] = {}
    for one in group.sentences:
        by_place.setdefault((one.label, one.skeleton), []).append(one)
    for reference in group.subgroups:
        own: list[float] = []
        others: list[list[float]] = []
        labels: list[int] = []
        for (label, _), sentences in by_place.items():
            rest = [one.score for one in sentences if one.subgroup != reference]
            for one in sentences:
                if one.subgroup == reference and rest:
                    own.append(one.score)
                    others.append(rest)
                    labels.append(label)
        found = counterfactual_bias(own, others, labels)
        n = {"all": len(own), "positive": sum(labels), "negative": len(own) - sum(labels)}
        for name, shown, value, method in (
            ("cb_sum", "all", found.total if own else None, "equation (1), the paper's sum"),
            ("cb_mean", "all", found.mean, "equation (1) / sentences"),
            ("cb_positive", "positive", found.mean_positive, "mean of reference - counterfactuals, positive"),
            (
                "cb_negative",
                "negative",
                found.mean_negative,
                "- mean of reference - counterfactuals, negative",
            ),
        ):
            yield Measure(
                measure=name,
                attribute=group.attribute,
                reference=reference,
                label=shown,
                variant=group.prefix,
                value=value,
                n=n[shown],
                denominator=n[shown],
                family="D",
                status=Status.CENSUS if value is not None else Status.UNDEFINED,
                method=method,
                note="" if value is not None else "no sentence",
            )
