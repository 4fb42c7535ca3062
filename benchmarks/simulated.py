"""Populations whose every value is known, and audits drawn from them: rows are numbers, there are no texts.

A population is a table. Its lines are patterns of mentions (which subgroups a text names) and labels; each line
has a probability and a law of scores over `POINTS` values. Every rate, mean and area of a group is a sum over
this table, so that what an interval should cover is known without a draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import logit
from scipy.stats import beta, norm

from fairnb.lexicon import Lexicon
from fairnb.mining import counted_groups
from fairnb.sections import Criteria, Need, SystemFacts, Target
from fairnb.statistics import Tally, tally

Floats = npt.NDArray[np.float64]

POINTS = 1000
SCORES: Floats = (np.arange(POINTS) + 0.5) / POINTS
_EDGES: Floats = np.arange(1, POINTS) / POINTS
THRESHOLD = 0.5
SPREAD = 1.5
"""Standard deviation of a score's log-odds within a label."""
EFFECTS = (-1.0, 0.0, 1.0)
"""What authors add to the log-odds of all their texts' scores, where there are authors."""


@dataclass(frozen=True)
class Mentioned:
    """Texts that name exactly these subgroups of an attribute."""

    subgroups: tuple[str, ...]
    share: float
    """Of all texts."""
    base_rate: float
    """Share of them whose label is positive."""


@dataclass(frozen=True)
class Laws:
    """How a text's score follows from its label and the subgroups that it names."""

    tpr: float = 0.85
    fpr: float = 0.15
    shifts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Subgroup -> what naming it adds to positive and to negative texts, in standard deviations."""
    calibrated: float | None = None
    """If given, the label is drawn with the score as its probability, whatever the subgroups: scores are
    Beta(b c, (1 - b) c) with base rate b and this c."""
    authors: bool = False

    def of(self, named: Sequence[str], label: int, base_rate: float) -> tuple[Floats, ...]:
        """Law of the score for each effect of an author; each shape (POINTS,)."""
        if self.calibrated is not None:
            a, b = base_rate * self.calibrated, (1 - base_rate) * self.calibrated
            return (_calibrated(a + label, b + 1 - label),)
        centre = float(norm.ppf(self.tpr if label else self.fpr))
        centre += sum(self.shifts.get(name, (0.0, 0.0))[1 - label] for name in named)
        effects = EFFECTS if self.authors else (0.0,)
        return tuple(_normal(round(centre + effect / SPREAD, 12)) for effect in effects)


@cache
def _normal(centre: float) -> Floats:
    """Log-odds of the score are normal, `centre` standard deviations above zero."""
    return np.diff(norm.cdf(logit(_EDGES) / SPREAD - centre), prepend=0.0, append=1.0)


@cache
def _calibrated(a: float, b: float) -> Floats:
    return np.diff(beta.cdf(_EDGES, a, b), prepend=0.0, append=1.0)


@dataclass(frozen=True)
class Side:
    """What is known of a group: its base rate and its laws of scores given a negative and a positive label."""

    base_rate: float
    negative: Floats
    positive: Floats

    @cached_property
    def rates(self) -> tuple[float, float]:
        """FPR and TPR."""
        flagged = SCORES >= THRESHOLD
        return float(self.negative[flagged].sum()), float(self.positive[flagged].sum())


def area(positive: Floats, negative: Floats) -> float:
    """P(positive above negative) + 1/2 P(equal)."""
    return float(positive @ (np.cumsum(negative) - negative / 2))


class Population:
    """Every text that could have been drawn."""

    def __init__(
        self,
        attributes: Mapping[str, Sequence[Mentioned]],
        reference: Mapping[str, str],
        laws: Laws,
        base_rate: float = 0.4,
        mislabelled: Mapping[str, float] | None = None,
    ) -> None:
        self.subgroups = tuple(
            (attribute, name)
            for attribute, patterns in attributes.items()
            for name in dict.fromkeys(name for pattern in patterns for name in pattern.subgroups)
        )
        terms: dict[str, dict[str, tuple[str, ...]]] = {attribute: {} for attribute in attributes}
        for attribute, name in self.subgroups:
            terms[attribute][name] = (name,)
        self.lexicon = Lexicon(by_language={"en": terms}, reference=reference)
        sides = []
        for patterns in attributes.values():
            rest = 1 - sum(one.share for one in patterns)
            others = (base_rate - sum(one.share * one.base_rate for one in patterns)) / rest
            sides.append([Mentioned((), rest, others), *patterns])
        joint, members = [], []
        held: dict[bytes, int] = {}
        laws_of, used = [], []
        for parts in product(*sides):
            # Given the label, what a text names of one attribute says nothing of the others.
            odds = [base_rate, 1 - base_rate]
            for part in parts:
                odds[0] *= part.share * part.base_rate / base_rate
                odds[1] *= part.share * (1 - part.base_rate) / (1 - base_rate)
            named = [name for part in parts for name in part.subgroups]
            own = odds[0] / sum(odds)
            wrong = sum((mislabelled or {}).get(name, 0.0) for name in named)
            negative, positive = (laws.of(named, label, own) for label in (0, 1))
            moved = odds[1] * wrong
            if moved:
                share = moved / (odds[0] + moved)
                positive = tuple((1 - share) * p + share * q for p, q in zip(positive, negative, strict=True))
            joint.append((odds[1] - moved, odds[0] + moved))
            members.append([name in named for _, name in self.subgroups])
            places = []
            for law in (negative, positive):
                place = held.setdefault(np.array(law).tobytes(), len(held))
                if place == len(used):
                    used.append(law)
                places.append(place)
            laws_of.append(places)
        self.joint: Floats = np.array(joint)
        """Probability of each pattern with a negative and a positive label; shape (patterns, 2)."""
        self.members = np.array(members, bool)
        """Shape (patterns, subgroups)."""
        self.law_of = np.array(laws_of)
        """Law of each pattern with a negative and a positive label; shape (patterns, 2)."""
        self.laws: Floats = np.array(used)
        """Shape (laws, effects, POINTS)."""
        self._known: dict[str, Side] = {}

    @cached_property
    def above(self) -> Floats:
        """Cumulated laws, to draw from; shape (laws, effects, POINTS)."""
        return np.cumsum(self.laws, axis=-1)

    def inside(self, group: str) -> npt.NDArray[np.bool_]:
        """Patterns of a group as a tally names it: ``""``, ``gender``, ``gender/female``, ``~`` before it."""
        if group.startswith("~"):
            return ~self.inside(group.removeprefix("~"))
        attribute, slash, name = group.partition("/")
        if not attribute:
            return np.ones(len(self.joint), bool)
        return self.members[:, [a == attribute and (not slash or s == name) for a, s in self.subgroups]].any(
            axis=1
        )

    def side(self, group: str) -> Side:
        """What is known of a group."""
        if group not in self._known:
            inside = self.inside(group)
            weights = self.joint[inside]
            laws = self.laws.mean(axis=1)
            negative, positive = (
                np.bincount(self.law_of[inside, label], weights[:, label], len(laws))
                @ laws
                / weights[:, label].sum()
                for label in (0, 1)
            )
            self._known[group] = Side(float(weights[:, 1].sum() / weights.sum()), negative, positive)
        return self._known[group]

    def value(self, measure: str, group: str, label: str = "all") -> float:
        """A group's own value of a measure, by the names of the record."""
        side = self.side(group)
        fpr, tpr = side.rates
        b = side.base_rate
        flagged = b * tpr + (1 - b) * fpr
        outside = self.side(f"~{group}") if group and "auc" in measure else side
        means = {"negative": side.negative @ SCORES, "positive": side.positive @ SCORES}
        means["all"] = b * means["positive"] + (1 - b) * means["negative"]
        f1 = 2 * b * tpr / (b + flagged)
        mirrored = 2 * (1 - b) * (1 - fpr) / (2 - b - flagged)
        found = {
            "equal_opportunity": tpr,
            "false_positive_rate": fpr,
            "overall_accuracy_equality": b * tpr + (1 - b) * (1 - fpr),
            "positive_predictive_value": b * tpr / flagged,
            "statistical_parity": flagged,
            "mean_score": means[label],
            "subgroup_auc": area(side.positive, side.negative),
            "bpsn_auc": area(outside.positive, side.negative),
            "bnsp_auc": area(side.positive, outside.negative),
            "f1 (positive)": f1,
            "f1 (negative)": mirrored,
            "f1 (macro)": (f1 + mirrored) / 2,
            "f1 (weighted)": b * f1 + (1 - b) * mirrored,
        }
        return float(found[measure])


@dataclass(frozen=True)
class Rows:
    """The texts of one audit."""

    labels: npt.NDArray[np.int8]
    scores: Floats
    members: npt.NDArray[np.bool_]
    authors: npt.NDArray[np.int64] | None


def drawn(
    population: Population,
    n: int,
    rng: np.random.Generator,
    authors: int = 0,
) -> Rows:
    """Draw the texts of one audit.

    Parameters
    ----------
    authors : int
        If given, texts are dealt out to so many authors. Each has an effect on all own scores; seven texts of
        ten name what the author always names, and in three of ten the author's own leaning decides the label.
    """
    joint = population.joint
    patterns = len(joint)
    whose = None
    effect = np.zeros(n, np.int64)
    if authors:
        whose = rng.integers(authors, size=n)
        effect = rng.integers(len(EFFECTS), size=authors)[whose]
        likely = np.cumsum(joint.sum(axis=1))
        pattern = np.searchsorted(likely, rng.random(n) * likely[-1], side="right")
        always = np.searchsorted(likely, rng.random(authors) * likely[-1], side="right")
        pattern = np.where(rng.random(n) < 0.7, always[whose], pattern)
        leaning = np.where(rng.random(n) < 0.3, rng.random(authors)[whose], rng.random(n))
        label = (leaning < joint[pattern, 1] / joint[pattern].sum(axis=1)).astype(np.int64)
    else:
        line = np.repeat(np.arange(2 * patterns), rng.multinomial(n, joint.ravel() / joint.sum()))
        pattern, label = np.divmod(line, 2)
    scores = np.empty(n)
    law = population.law_of[pattern, label] * population.laws.shape[1] + effect
    order = np.argsort(law, kind="stable")
    starts = np.flatnonzero(np.diff(law[order], prepend=-1))
    above = population.above.reshape(-1, POINTS)
    u = rng.random(n)
    for rows in np.split(order, starts[1:]):
        cumulated = above[law[rows[0]]]
        at = np.searchsorted(cumulated, u[rows] * cumulated[-1], side="right")
        scores[rows] = SCORES[np.minimum(at, POINTS - 1)]
    return Rows(label.astype(np.int8), scores, population.members[pattern], whose)


class SimulatedView:
    """What a section may ask for, answered from drawn rows by the product's own counting."""

    confidence = 0.95
    seed = 0

    def __init__(self, population: Population, rows: Rows, alpha: float) -> None:
        self._rows = rows
        self._subgroups = population.subgroups
        self.lexicon = population.lexicon
        self.criteria = Criteria()
        self.alpha = alpha
        self.target = Target(threshold=THRESHOLD)
        self.targets = (self.target,)
        self.system = SystemFacts(name="simulated", classes=("positive",), fingerprint="0" * 64, live=False)
        self._tallies: dict[tuple[str, tuple[float, ...]], Tally] = {}

    def has(self, need: Need) -> bool:
        """Whether there is what a section needs: a test corpus with scores and mentions."""
        return need in (Need.TEST_CORPUS, Need.SCORES, Need.MENTIONS)

    def corpus(self, role: str) -> Any:
        """Name of the corpus; there are no texts."""
        authors = self._rows.authors
        return SimpleNamespace(
            name="simulated", templates=None, clusters=None if authors is None else authors.tolist()
        )

    def labels(self, role: str, target: str = "") -> Any:
        """Labels of the drawn rows."""
        return self._rows.labels

    def scores(self, role: str) -> Any:
        """Scores of the drawn rows."""
        return self._rows.scores

    def mentions(self, role: str, source: str = "lookup") -> Any:
        """Who is mentioned in the drawn rows; there are no single terms."""
        return SimpleNamespace(
            subgroups=self._subgroups,
            by_subgroup=sparse.csr_array(self._rows.members),
            terms=(),
            by_term=sparse.csr_array((len(self._rows.labels), 0), dtype=bool),
        )

    def tally(self, role: str, by: str = "subgroup", thresholds: Sequence[float] = ()) -> Tally:
        """Count the rows, by subgroup; there are no single terms."""
        wanted = by, tuple(thresholds)
        if wanted not in self._tallies:
            rows = self._rows
            if by == "identity_term":
                groups, names, pairs = None, (), ()
            else:
                counted = counted_groups(self.mentions(role), "subgroup", self.lexicon.reference)
                groups, names, pairs = counted.membership, counted.names, counted.pairs
            self._tallies[wanted] = tally(
                rows.labels,
                rows.scores,
                groups,
                names,
                clusters=None if rows.authors is None else rows.authors.tolist(),
                pairs=pairs,
                thresholds=(self.target.threshold, *thresholds),
            )
        return self._tallies[wanted]
