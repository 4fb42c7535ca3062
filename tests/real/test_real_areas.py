"""Areas by group of the real case: scikit-learn by masks, DeLong from all pairs, own permutations and resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.multitest import multipletests

pytestmark = pytest.mark.slow

KINDS = ("subgroup", "bpsn", "bnsp")
SUMMARIES = ("bias_auc_subgroup", "bias_auc_bpsn", "bias_auc_bnsp", "bias_auc", "ami_score_b")
CLOSE = 1e-9


@pytest.fixture(scope="module")
def texts(case, rows_of):
    """Labels, recorded scores, and the mask of each group: (attribute, subgroup) -> rows."""
    _, corpora, scores, _ = case
    labels = np.array([int(label) for label in corpora["test"].labels])
    by_term, by_group, _ = rows_of(corpora["test"].texts)
    named = {("identity_term", term): rows for term, rows in by_term.items()}
    named |= {tuple(name.split(": ", 1)): rows for name, rows in by_group.items()}
    masks = {name: np.isin(np.arange(len(labels)), list(rows)) for name, rows in named.items()}
    return labels, scores.astype(float), masks


def sides(kind, labels, mask=None):
    """Rows of the positive and of the negative side of an area."""
    positive, negative = labels == 1, labels == 0
    if kind == "overall":
        return positive, negative
    return {
        "subgroup": (positive & mask, negative & mask),
        "bpsn": (positive & ~mask, negative & mask),
        "bnsp": (positive & mask, negative & ~mask),
        # Above one half: the group's texts of a label are scored above the others'.
        "aeg_positive": (positive & mask, positive & ~mask),
        "aeg_negative": (negative & mask, negative & ~mask),
    }[kind]


class Area:
    """An area and DeLong's variance (1988, equation 5) from the matrix of all pairs."""

    def __init__(self, scores, first, second) -> None:
        self.m, self.n = int(first.sum()), int(second.sum())
        self.value = None
        if not self.m or not self.n:
            return
        one, other = scores[first], scores[second]
        wins = np.greater.outer(one, other) + np.equal.outer(one, other) / 2
        self.value = roc_auc_score(np.r_[np.ones(self.m), np.zeros(self.n)], np.r_[one, other])
        assert self.value == pytest.approx(wins.mean(), abs=1e-12)
        if min(self.m, self.n) < 2:
            self.variance = 0.0
            return
        v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
        parts = v10.var(ddof=1) / self.m, v01.var(ddof=1) / self.n
        self.variance = sum(parts)
        if self.variance:
            # Satterthwaite's degrees of freedom.
            self.degrees = self.variance**2 / (parts[0] ** 2 / (self.m - 1) + parts[1] ** 2 / (self.n - 1))
        # By how much each text moves the area: a text in two areas makes them depend on each other.
        self.moves = np.zeros(len(scores))
        self.moves[first] += (v10 - self.value) / self.m
        self.moves[second] += (v01 - self.value) / self.n

    def interval(self) -> tuple[float, float]:
        """DeLong on the logit scale with Student's quantile; method 5 of Newcombe (2006) for few texts."""
        least = min(self.m, self.n)
        if least < 20 or least * min(self.value, 1 - self.value) < 5 or not self.variance:
            return self.newcombe()
        reach = stats.t.ppf(0.975, self.degrees) * math.sqrt(self.variance)
        reach /= self.value * (1 - self.value)
        centre = stats.logistic.ppf(self.value)
        return tuple(stats.logistic.cdf([centre - reach, centre + reach]).tolist())

    def newcombe(self) -> tuple[float, float]:
        """Where the distance from the area is z standard errors of Hanley and McNeil there."""

        def hanley(theta: float) -> float:
            half = (self.m + self.n) / 2 - 1
            spread = 1 + half * ((1 - theta) / (2 - theta) + theta / (1 + theta))
            return theta * (1 - theta) * spread / (self.m * self.n)

        inside = 0 < self.value < 1
        wider = max(1.0, self.variance / hanley(self.value)) if self.variance and inside else 1.0
        z = stats.norm.ppf(0.975)

        def beyond(theta: float) -> float:
            return abs(self.value - theta) - z * math.sqrt(wider * hanley(theta))

        def end(far: float) -> float:
            near = self.value + math.copysign(1e-12, far - self.value)
            return far if far == self.value else optimize.brentq(beyond, near, far, xtol=1e-14)

        return end(0.0), end(1.0)


@pytest.fixture(scope="module")
def areas(texts):
    """(kind, attribute, subgroup) -> area; and that of all texts."""
    labels, scores, masks = texts
    whole = Area(scores, *sides("overall", labels))
    kinds = (*KINDS, "aeg_positive", "aeg_negative")
    return whole, {
        (kind, *name): Area(scores, *sides(kind, labels, mask))
        for name, mask in masks.items()
        for kind in kinds
    }


def chosen(case, *names):
    return [one for one in case[0]["auc_bias"].measures if one.measure in names]


def withheld(measure, least: int) -> bool:
    """Status and value by the smaller class."""
    status = "undefined" if least == 0 else "too_few" if least < 10 else "indicative" if least < 20 else "ok"
    assert measure.status.value == status, measure.key
    if least >= 5:
        return False
    assert measure.value is measure.low is measure.high is measure.p is None
    return True


def test_every_area_is_scikit_learns_with_delongs_interval(case, areas):
    whole, found = areas
    (overall,) = chosen(case, "overall_auc")
    assert overall.value == pytest.approx(whole.value, abs=CLOSE)
    assert (overall.low, overall.high) == pytest.approx(whole.interval(), abs=CLOSE)
    shown = 0
    for measure in chosen(case, *(f"{kind}_auc" for kind in KINDS)):
        if measure.reference:
            continue
        area = found[measure.measure.removesuffix("_auc"), measure.attribute, measure.subgroup]
        assert (measure.n, measure.denominator) == (area.m + area.n, min(area.m, area.n)), measure.key
        if withheld(measure, min(area.m, area.n)):
            continue
        assert measure.value == pytest.approx(area.value, abs=CLOSE), measure.key
        assert (measure.low, measure.high) == pytest.approx(area.interval(), abs=1e-7), measure.key
        shown += 1
    assert shown >= 12


def test_every_gap_is_an_area_within_one_label(case, areas):
    _, found = areas
    for measure in chosen(case, "aeg_positive", "aeg_negative"):
        area = found[measure.measure, measure.attribute, measure.subgroup]
        assert (measure.n, measure.n_reference) == (area.m, area.n)
        if withheld(measure, min(area.m, area.n)):
            continue
        assert measure.value == pytest.approx(area.value - 0.5, abs=CLOSE), measure.key
        ends = tuple(end - 0.5 for end in area.interval())
        assert (measure.low, measure.high) == pytest.approx(ends, abs=1e-7), measure.key


def test_every_difference_allows_for_the_texts_that_both_areas_share(case, areas):
    """MOVER (Zou 2007) with the correlation of placements; for many texts DeLong's own interval is close."""
    whole, found = areas
    low, high = whole.interval()
    near = 0
    for measure in chosen(case, *(f"{kind}_auc" for kind in KINDS)):
        if not measure.reference:
            continue
        area = found[measure.measure.removesuffix("_auc"), measure.attribute, measure.subgroup]
        if withheld(measure, min(area.m, area.n)):
            continue
        own = area.interval()
        shared = float(area.moves @ whole.moves)
        spread = area.variance * whole.variance
        rho = min(1.0, max(-1.0, shared / math.sqrt(spread))) if spread else 0.0

        def reach(one: float, other: float, rho: float = rho) -> float:
            return math.sqrt(max(0.0, one**2 - 2 * rho * one * other + other**2))

        value = area.value - whole.value
        ends = (
            value - reach(area.value - own[0], high - whole.value),
            value + reach(own[1] - area.value, whole.value - low),
        )
        assert measure.value == pytest.approx(value, abs=CLOSE), measure.key
        assert (measure.low, measure.high) == pytest.approx(ends, abs=1e-7), measure.key
        if min(area.m, area.n) >= 100:
            error = math.sqrt(area.variance + whole.variance - 2 * shared)
            # On the logit scale intervals lean to one half: a quarter of a standard error at these areas.
            wald = value - 1.96 * error, value + 1.96 * error
            assert (measure.low, measure.high) == pytest.approx(wald, abs=0.25 * error), measure.key
            z = 2 * stats.norm.sf(abs(value) / error)
            assert measure.p == pytest.approx(z, abs=0.06), measure.key
            near += 1
    assert near >= 6


def test_p_values_are_read_off_the_interval_and_adjusted_together(case):
    measures = [one for one in case[0]["auc_bias"].measures if one.p is not None]
    for one in measures:
        facing = one.value - one.low if one.value > 0 else one.high - one.value
        z = abs(one.value) / (facing / stats.norm.ppf(0.975))
        assert one.p == pytest.approx(2 * stats.norm.sf(z), rel=1e-6)
    assert [one.p_adjusted for one in measures] == pytest.approx(
        multipletests([one.p for one in measures], method="fdr_bh")[1].tolist(), rel=1e-9
    )
    supported = [
        one
        for one in case[0]["auc_bias"].measures
        if one.family == "E" and (one.denominator or 0) >= 20 and one.value is not None
    ]
    assert {one.key for one in measures} == {one.key for one in supported}


# ---- what the areas average to


def averages(overall: float, by_kind: dict[str, list[float]]) -> dict[str, float]:
    """Borkan et al.: power means with p = -5; the AMI task's Score B."""
    means = {kind: float(np.mean(np.array(by_kind[kind]) ** -5.0) ** (-1 / 5)) for kind in KINDS}
    found = {f"bias_auc_{kind}": means[kind] for kind in KINDS}
    found["bias_auc"] = (overall + sum(means.values())) / 4
    found["ami_score_b"] = (overall + np.mean([value for kind in KINDS for value in by_kind[kind]])) / 2
    return found


def fast_area(scores, first, second) -> float:
    """Mann-Whitney by ranks."""
    m, n = len(first), len(second)
    ranks = stats.rankdata(np.concatenate([scores[first], scores[second]]))
    return (ranks[:m].sum() - m * (m + 1) / 2) / (m * n)


def averaged(scores, labels, masks) -> dict[str, float]:
    """The averages over some groups."""
    by_kind: dict[str, list[float]] = {}
    for kind in KINDS:
        pairs = (map(np.flatnonzero, sides(kind, labels, mask)) for mask in masks)
        by_kind[kind] = [fast_area(scores, *pair) for pair in pairs]
    overall = fast_area(scores, np.flatnonzero(labels == 1), np.flatnonzero(labels == 0))
    return averages(overall, by_kind)


@pytest.fixture(scope="module")
def kept(texts, areas):
    """Masks of the subgroups of which each area has ten texts of either class."""
    _, _, masks = texts
    _, found = areas
    return [
        mask
        for name, mask in masks.items()
        if name[0] != "identity_term"
        and all(min(found[kind, *name].m, found[kind, *name].n) >= 10 for kind in KINDS)
    ]


def summary(case, name, variant=""):
    return case[0]["auc_bias"].measure(name, label="all", variant=variant)


def test_averages_are_numpys(case, texts, kept):
    labels, scores, _ = texts
    expected = averaged(scores, labels, kept)
    for name in SUMMARIES:
        measure = summary(case, name)
        assert measure.denominator == len(kept)
        assert measure.value == pytest.approx(expected[name], abs=CLOSE), name
        assert case[0]["auc_bias"].measure(name, attribute="identity_term", label="all").value is None


def test_values_by_chance_are_those_of_members_dealt_out_within_each_label(case, texts, kept):
    """All groups are dealt out together here, so that they share as many texts as they do."""
    labels, scores, _ = texts
    rng = np.random.default_rng(20)
    draws = 600
    drawn = []
    for _ in range(draws):
        order = np.arange(len(labels))
        for label in (0, 1):
            rows = np.flatnonzero(labels == label)
            order[rows] = rng.permutation(rows)
        drawn.append(averaged(scores, labels, [mask[order] for mask in kept]))
    for name in SUMMARIES:
        law = np.array([one[name] for one in drawn])
        value, null = summary(case, name), summary(case, name, "null")
        error = law.std() * math.sqrt(1 / draws + 1 / 200)
        assert value.null == null.value
        assert null.value == pytest.approx(law.mean(), abs=4 * error), name
        # The ends of 200 draws are good to about a fifth of their standard deviation.
        expected = np.quantile(law, [0.025, 0.975]).tolist()
        assert [null.low, null.high] == pytest.approx(expected, abs=0.8 * law.std()), name


def test_intervals_of_averages_are_those_of_an_own_bootstrap(case, texts, kept):
    labels, scores, _ = texts
    rng = np.random.default_rng(21)
    resamples = 800
    drawn = []
    for _ in range(resamples):
        rows = rng.integers(0, len(labels), len(labels))
        drawn.append(averaged(scores[rows], labels[rows], [mask[rows] for mask in kept]))
    for name in SUMMARIES:
        law = np.array([one[name] for one in drawn])
        measure = summary(case, name)
        shift = stats.norm.ppf((law < measure.value).mean())
        tails = stats.norm.cdf(2 * shift + stats.norm.ppf([0.025, 0.975]))
        assert [measure.low, measure.high] == pytest.approx(
            np.quantile(law, tails).tolist(), abs=0.6 * law.std()
        ), name


def test_no_measure_of_the_section_is_left_unchecked(case):
    checked = {*SUMMARIES, "overall_auc", "aeg_positive", "aeg_negative", *(f"{k}_auc" for k in KINDS)}
    assert {one.measure for one in case[0]["auc_bias"].measures} == checked
