"""Rates of groups where texts have authors: value, interval and p again by statsmodels, from the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, stats

from fairnb.lexicon import LexiconSpec
from fairnb.sections import section

WORDS = {
    "female": "a woman",
    "male": "a man",
    "both": "a woman and a man",
    "Hinduism": "a Hindu",
    "Islam": "a Muslim",
    "none": "nobody at all",
}
REFERENCE = {"gender": "male"}
OUTCOMES = {
    "equal_opportunity": ("flagged", 1),
    "false_positive_rate": ("flagged", 0),
    "false_negative_rate": ("missed", 1),
    "overall_accuracy_equality": ("correct", None),
    "statistical_parity": ("flagged", None),
    "base_rate": ("positive", None),
    "positive_class_balance_actual": ("score", 1),
    "mean_score": ("score", None),
}
LABELS = {"positive": 1, "negative": 0}


class Rows:
    """900 texts of authors some of whom wrote very many; Hinduism is mentioned by one author only."""

    def __init__(self) -> None:
        random = np.random.default_rng(11)
        self.kinds = random.choice(list(WORDS), 900, p=(0.2, 0.2, 0.1, 0.0, 0.2, 0.3))
        self.author = (random.pareto(0.9, 900) * 3).astype(int) % 60
        self.kinds[:30], self.author[:40] = "Hinduism", 99
        tone = random.normal(0, 1, 100)[self.author]
        self.labels = (random.random(900) < 1 / (1 + np.exp(-tone))).astype(int)
        logit = random.normal(1.5 * self.labels - 0.7, 1) + 0.8 * tone
        self.scores = (1 / (1 + np.exp(-logit))).astype(np.float32).astype(float)
        self.labels[::31], self.scores[::29] = -1, np.nan
        flagged = self.scores >= 0.5
        self.hits = {
            "flagged": flagged,
            "missed": ~flagged,
            "correct": flagged == self.labels,
            "positive": self.labels == 1,
            "score": self.scores,
        }

    def of(self, attribute: str, subgroup: str, label: int | None) -> Any:
        """Labelled, scored rows of a group."""
        mentioned = {
            "gender": ("female", "male", "both"),
            "religion": ("Hinduism", "Islam"),
        }[attribute]
        inside = (
            ~np.isin(self.kinds, mentioned)
            if subgroup == "everyone_else"
            else (self.kinds == subgroup) | ((self.kinds == "both") & (attribute == "gender"))
        )
        known = (self.labels >= 0) & ~np.isnan(self.scores)
        return np.flatnonzero(inside & known & (True if label is None else self.labels == label))


class Side:
    """One group's mean of an outcome and its cluster-robust interval."""

    def __init__(self, rows: Rows, outcome: str, at: Any) -> None:
        self.values, self.author = rows.hits[outcome][at].astype(float), rows.author[at]
        self.score = outcome == "score"
        self.clusters = len(set(self.author))
        self.value = self.values.mean()
        self.variance = covariances([self])[0, 0]

    def limits(self, level: float) -> tuple[float, float]:
        quantile = stats.t.ppf((1 + level) / 2, self.clusters - 1)
        value, variance = self.value, self.variance
        if self.score:
            reach = quantile * math.sqrt(variance)
            return max(0.0, value - reach), min(1.0, value + reach)
        # Wilson's limits are the roots of (p - x)^2 = q^2 x (1 - x) / n.
        n = value * (1 - value) / variance if variance > 1e-20 else self.clusters
        square = quantile**2 / n
        low, high = sorted(np.roots([1 + square, -2 * value - square, value * value]).real)
        return max(0.0, low), min(1.0, high)


def covariances(sides: list[Side]) -> Any:
    """Of means, with clusters shared; statsmodels corrects by G / (G - 1)."""
    columns = np.repeat(np.eye(len(sides)), [len(side.values) for side in sides], axis=0)
    values, author = (
        np.concatenate([getattr(side, name) for side in sides]) for name in ("values", "author")
    )
    fit = sm.OLS(values, columns).fit(cov_type="cluster", cov_kwds={"groups": author})
    return fit.cov_params()


def correlation(one: Side, other: Side) -> float:
    shared = covariances([one, other])
    spread = math.sqrt(shared[0, 0] * shared[1, 1])
    return shared[0, 1] / spread if spread > 1e-20 else 0.0


def difference(one: Side, other: Side, r: float, level: float) -> tuple[float, float]:
    """Zou's limits: recovered from the two intervals, with the correlation of the two means."""
    (low, high), (below, above) = one.limits(level), other.limits(level)

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2 * r * x * y))

    value = one.value - other.value
    return (
        value - reach(one.value - low, above - other.value),
        value + reach(high - one.value, other.value - below),
    )


def p_of(one: Side, other: Side, r: float) -> float:
    """1 - level of the interval that just reaches zero."""

    def nearer(log_p: float) -> float:
        low, high = difference(one, other, r, 1 - math.exp(log_p))
        return low if one.value > other.value else -high

    return math.exp(optimize.brentq(nearer, math.log(1e-12), -1e-9, xtol=1e-6))


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Rows()


@pytest.fixture
def measured(rows, small_view):
    view = small_view(
        {"test": rows.labels.tolist()},
        {"test": rows.scores},
        {"test": [WORDS[kind] for kind in rows.kinds]},
        spec=LexiconSpec(attributes=("gender", "religion"), reference=REFERENCE),
        clusters={"test": [f"author {one}" for one in rows.author]},
    )
    part = section("group_bias")
    return part.run(view, part.Params()).measures


def of_rows(rows: Rows, measure: Any, subgroup: str) -> Any:
    outcome, label = OUTCOMES[measure.measure]
    label = LABELS.get(measure.label, label)
    at = rows.of(measure.attribute, subgroup, label)
    return Side(rows, outcome, at) if len(at) >= 5 else None


def test_every_cluster_robust_figure_is_that_of_statsmodels_from_the_rows(rows, measured):
    seen = {"own": 0, "everyone_else": 0, "male": 0, "p": 0}
    for measure in measured:
        if measure.measure not in OUTCOMES or measure.variant or "cluster" not in measure.interval:
            continue
        one = of_rows(rows, measure, measure.subgroup)
        expected = one.value, *one.limits(0.95)
        if measure.reference:
            other = of_rows(rows, measure, measure.reference)
            r = correlation(one, other)
            expected = one.value - other.value, *difference(one, other, r, 0.95)
            if measure.p is not None:
                assert measure.p == pytest.approx(p_of(one, other, r), rel=5e-4)
                seen["p"] += 1
        assert (measure.value, measure.low, measure.high) == pytest.approx(expected, abs=1e-7), measure.key
        assert measure.n == len(one.values)
        assert measure.clusters == (None if measure.subgroup == "everyone_else" else one.clusters)
        seen[measure.reference or "own"] += 1
    assert min(seen.values()) >= 5, seen


def test_a_group_of_one_author_has_values_and_neither_interval_nor_p(rows, measured):
    own = [one for one in measured if one.subgroup == "Hinduism" and one.measure == "mean_score"]
    assert len(own) > 3
    for measure in own:
        assert (measure.low, measure.high, measure.p, measure.clusters) == (None, None, None, 1)
    alone = next(one for one in own if not one.reference and one.label == "all")
    assert alone.value == pytest.approx(rows.scores[rows.of("religion", "Hinduism", None)].mean(), abs=1e-7)
