"""Decisions that a perturbation flips, and how far accuracy moves: measured and put to the test."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairnb.sections._format import count, percent
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._shift import points, spoken_interval
from fairnb.sections._support import NEVER_BELOW, supported
from fairnb.sections._verdicts import Question

if TYPE_CHECKING:
    from fairnb.sections._robustness_made import Made, Moved
    from fairnb.statistics import Estimate

UNPERTURBED = "unperturbed"
"""Reference of a difference: the same texts as they stand."""
FEWEST = 20
"""Fewer texts support no share of right decisions."""
_BEFORE: tuple[tuple[Literal["all", "positive", "negative"], tuple[bool, ...]], ...] = (
    ("all", (True, False)),
    ("positive", (True,)),
    ("negative", (False,)),
)


@dataclass(frozen=True)
class Outcome:
    """Decisions on the texts of one group before and after one perturbation."""

    made: Made
    attribute: str
    subgroup: str
    rows: Sequence[Moved]
    threshold: float

    @property
    def variant(self) -> str:
        """Names the perturbation in a measure's key."""
        return variant_of(self.made.perturbation.name)

    def before(self, row: Moved) -> bool:
        """Whether the text was flagged as it stands."""
        return row.of.score >= self.threshold

    def after(self, row: Moved) -> bool:
        """Whether it is flagged once perturbed."""
        return row.after >= self.threshold

    def flips(self, before: tuple[bool, ...] = (True, False)) -> int:
        """Decisions that changed among texts so decided before."""
        return sum(self.before(row) in before and self.before(row) != self.after(row) for row in self.rows)

    @property
    def gains(self) -> list[int]:
        """For each text 1 if only the decision after was right, -1 if only that before, else 0."""
        return [
            (self.after(row) == bool(row.of.label)) - (self.before(row) == bool(row.of.label))
            for row in self.rows
        ]

    def right_before(self) -> int:
        """Texts decided as labelled as they stand."""
        return sum(self.before(row) == bool(row.of.label) for row in self.rows)

    def right_after(self) -> int:
        """Texts decided as labelled once perturbed."""
        return sum(self.after(row) == bool(row.of.label) for row in self.rows)

    @property
    def clusters(self) -> list[str]:
        """Author of each text, or the text itself."""
        return [row.of.cluster for row in self.rows]


def variant_of(name: str) -> str:
    """Variant of a perturbation's measures."""
    return f"perturbation={name}"


def measured(outcome: Outcome, level: float) -> list[Measure]:
    """Flips by the decision before, accuracy, and accuracy less that of the same texts as they stand."""
    own: dict[str, Any] = {
        "attribute": outcome.attribute,
        "subgroup": outcome.subgroup,
        "variant": outcome.variant,
        "threshold": outcome.threshold,
    }
    measures = []
    for label, decisions in _BEFORE:
        rows = [row for row in outcome.rows if outcome.before(row) in decisions]
        if outcome.subgroup and len(rows) < NEVER_BELOW:
            continue
        flipped = [outcome.before(row) != outcome.after(row) for row in rows]
        measures.append(
            _share(
                flipped,
                [row.of.cluster for row in rows],
                level,
                measure="flip_rate",
                label=label,
                family="E",
                method="decisions that change / texts changed; label: the decision before",
                **own,
            )
        )
    right = [outcome.after(row) == bool(row.of.label) for row in outcome.rows]
    n = len(right)
    measures.append(
        _share(
            right,
            outcome.clusters,
            level,
            minimum=FEWEST,
            measure="accuracy",
            label="all",
            family="D",
            method="decided as labelled after / texts changed; null: the same texts as they stand",
            null=outcome.right_before() / n if n else None,
            **own,
        )
    )
    measures.append(
        supported(
            _difference(outcome, level),
            support=n,
            minimum=FEWEST,
            measure="accuracy",
            reference=UNPERTURBED,
            label="all",
            # Groups are shown with their intervals; testing each would hide what all texts show.
            family="D" if outcome.subgroup else "E",
            method="accuracy after - before on the same texts"
            + ("" if outcome.subgroup else _test_of(outcome)),
            null=0.0,
            n=n,
            denominator=n,
            n_reference=n,
            clusters=len(set(outcome.clusters)),
            **own,
        )
    )
    return measures


def question(outcome: Outcome, level: float) -> Question:
    """Whether accuracy on all texts is the same after as before."""
    from fairnb.statistics import cluster_mean, mcnemar_mid_p

    gains = outcome.gains
    gained, lost, n = gains.count(1), gains.count(-1), len(gains)
    spread: float | None
    untested = ""
    if _alone(outcome.clusters):
        # Without a change there is no spread to judge by.
        p: float | None = mcnemar_mid_p(gained, lost) if n else None
        spread = math.sqrt(gained + lost) / n if gained + lost else None
    else:
        found = cluster_mean(gains, outcome.clusters, level)
        p, spread, untested = found.p, found.standard_error, found.estimate.note
    estimate = _difference(outcome, level)
    title = outcome.made.perturbation.title
    share = f"{percent(outcome.right_before() / n)} to {percent(outcome.right_after() / n)}" if n else "–"
    return Question(
        f"Accuracy, {title}",
        f"Under “{title}” accuracy moved by {points(estimate.value)} points "
        f"({spoken_interval(estimate)}n = {count(n)}), from {share}.",
        MeasureKey("accuracy", reference=UNPERTURBED, label="all", variant=outcome.variant),
        _at(outcome),
        p,
        n,
        spread,
        family="E",
        untested=untested,
        points=True,
    )


def _at(outcome: Outcome) -> Callable[[float], Estimate]:
    return lambda level: _difference(outcome, level)


def _alone(clusters: Sequence[str]) -> bool:
    return len(set(clusters)) == len(clusters)


def _test_of(outcome: Outcome) -> str:
    return f"; p: {'McNemar, exact mid-p' if _alone(outcome.clusters) else 'Student on clusters'}"


def _difference(outcome: Outcome, level: float) -> Estimate:
    from fairnb.statistics import cluster_mean, paired_difference

    gains = outcome.gains
    if _alone(outcome.clusters):
        return paired_difference(gains.count(1), gains.count(-1), len(gains), level)
    return cluster_mean(gains, outcome.clusters, level).estimate


def _share(
    hits: Sequence[bool], clusters: Sequence[str], level: float, *, minimum: int = 5, **columns: Any
) -> Measure:
    """A share of texts; where texts have an author in common, with an interval on authors."""
    from fairnb.statistics import cluster_mean, wilson

    n = len(hits)
    if _alone(clusters):
        estimate = wilson(sum(hits), n, level)
    else:
        estimate = cluster_mean([float(hit) for hit in hits], clusters, level, bounds=(0.0, 1.0)).estimate
    return supported(
        estimate,
        support=n,
        minimum=minimum,
        n=n,
        denominator=n,
        clusters=len(set(clusters)),
        **columns,
    )
