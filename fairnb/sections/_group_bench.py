"""Which rates of decisions are measured by subgroup, and with what."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from fairnb.sections._variant import joined

if TYPE_CHECKING:
    from fairnb.statistics import Confusion, Estimate, Outcome, Rate, Standardised, Tally

EVERYONE_ELSE = "everyone_else"
Label = Literal["positive", "negative", "all"]
CONDITIONED: tuple[tuple[Label, int], ...] = (("positive", 1), ("negative", 0))
LABELS: tuple[tuple[Label, int | None], ...] = (*CONDITIONED, ("all", None))


@dataclass(frozen=True)
class RateSpec:
    """A share of decisions, as the section prints it."""

    name: str
    rate: Rate
    label: Label
    formula: str
    minimum: int
    """Rows of the denominator below which there is no statement."""
    family: Literal["", "C", "D"]
    outcome: Outcome | Literal[""] = ""
    """What clusters are summed of; empty: no cluster-robust interval is known."""
    condition: int | None = None
    """The label whose rows are the denominator."""


RATES: tuple[RateSpec, ...] = (
    RateSpec("equal_opportunity", "tpr", "positive", "TP/(TP+FN)", 10, "C", "flagged", 1),
    RateSpec("false_positive_rate", "fpr", "negative", "FP/(FP+TN)", 10, "C", "flagged", 0),
    RateSpec("false_negative_rate", "fnr", "positive", "FN/(TP+FN)", 10, "", "missed", 1),
    RateSpec("overall_accuracy_equality", "accuracy", "all", "(TP+TN)/n", 20, "D", "correct"),
    RateSpec("positive_predictive_value", "precision", "all", "TP/(TP+FP)", 20, "D"),
    RateSpec("statistical_parity", "flagged", "all", "(TP+FP)/n", 20, "D", "flagged"),
    RateSpec("normalised_treatment_equality", "error_mix", "all", "FN/(FN+FP)", 20, "D"),
    RateSpec("base_rate", "base_rate", "all", "(TP+FN)/n", 5, "D", "positive"),
)
GINI_ERRORS = 5
FLAGGED = 50
SCORES = 50
STANDARDISED_RATES: tuple[tuple[str, Standardised | None, int], ...] = (
    ("overall_accuracy_equality", "accuracy", 20),
    ("positive_predictive_value", "precision", 20),
    ("statistical_parity", "flagged", 20),
    ("normalised_treatment_equality", "error_mix", 20),
    ("gini_equality", "gini", 100),
    ("gini_equality_favourable", "gini_favourable", 100),
    ("generalised_entropy", "generalised_entropy", 100),
    ("positive_class_balance", None, FLAGGED),
)
STANDARDISED = "standardised"


@dataclass(frozen=True)
class Group:
    """A subgroup and the names under which a tally counts it and those it is compared with."""

    attribute: str
    subgroup: str
    name: str
    union: str
    """Texts that mention any subgroup of the attribute."""
    reference: str = ""
    """The attribute's declared reference subgroup; empty where it is this one, or none."""

    @property
    def references(self) -> tuple[tuple[str, str], ...]:
        """(name in the record, group of the tally) of all that it is compared with."""
        everyone_else = (EVERYONE_ELSE, f"~{self.union}")
        if not self.reference:
            return (everyone_else,)
        return (everyone_else, (self.reference, f"{self.attribute}/{self.reference}"))


@dataclass(frozen=True)
class Bench:
    """What every number of one run is measured with."""

    tally: Tally
    threshold: float
    level: float
    tested: int
    """Support from which a difference is tested."""
    seed: int
    variant: str = ""
    """Prefix of every variant, such as ``corpus=synthetic``."""
    census: bool = False
    """A fixed set of texts made from templates: values are exact, nothing is tested."""

    @cached_property
    def base_rate(self) -> float:
        """Share of positive texts among all, to which rates are standardised."""
        return self.tally.support(label=1) / max(1, self.tally.n())

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters that are known."""
        return self.tally.clusters is not None and not self.census

    def confusion(self, group: str) -> Confusion:
        """Counts at the threshold."""
        return self.tally.confusion(self.threshold, group)

    def shared(self, first: str, second: str) -> str | None:
        """Group of the rows that belong to both; None where there are none."""
        return None if second.startswith("~") else self.tally.overlap(first, second)

    def variants(self, *parts: str) -> str:
        """Name of a variant in this run; empty for the default."""
        return joined(self.variant, *parts)

    def clusters_of(self, group: str, label: int | None) -> int | None:
        """Clusters with rows of a group; None where clusters are not known or the group is a complement."""
        if self.census or group.startswith("~"):
            return None
        return self.tally.clusters_of(group, label)

    def rate(self, spec: RateSpec, group: str, level: float | None = None) -> Estimate:
        """A rate of one group."""
        from fairnb.statistics import clustered_mean, share_of, wilson

        level = self.level if level is None else level
        share = share_of(self.confusion(group), spec.rate)
        if self.clustered and spec.outcome and share.n:
            return clustered_mean(
                self.tally, spec.outcome, group, spec.condition, threshold=self.threshold, level=level
            )
        return wilson(*share, level)

    def difference(self, spec: RateSpec, first: str, second: str, level: float | None = None) -> Estimate:
        """A rate's difference, first minus second."""
        from fairnb.statistics import clustered_difference, rate_difference

        level = self.level if level is None else level
        rows = min(self.denominator(spec, group) for group in (first, second))
        if self.clustered and spec.outcome and rows:
            return clustered_difference(
                self.tally, spec.outcome, first, second, spec.condition, threshold=self.threshold, level=level
            )
        return rate_difference(self.tally, spec.rate, self.threshold, first, second, level)

    def denominator(self, spec: RateSpec, group: str) -> int:
        """Rows of a rate's denominator."""
        known = self._denominators.get((spec.rate, group))
        if known is None:
            from fairnb.statistics import share_of

            known = share_of(self.confusion(group), spec.rate).n
            self._denominators[spec.rate, group] = known
        return known

    @cached_property
    def _denominators(self) -> dict[tuple[str, str], int]:
        """Those asked for before: every interval asks again."""
        return {}

    def share_correlation(self, first: str, second: str) -> float:
        """Correlation of two values whose groups share rows, taken as the share of those rows."""
        shared = self.shared(first, second)
        if shared is None:
            return 0.0
        return self.tally.n(shared) / math.sqrt(max(1, self.tally.n(first) * self.tally.n(second)))
