"""Counterfactual sentences of the real case: scored by the package itself, measured by plain loops."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

from fairnb.variants import PACKAGED, packaged_templates

pytestmark = pytest.mark.slow

LABELS = {"all": (0, 1), "positive": (1,), "negative": (0,)}
CLOSE = 1e-6
REFERENCES = {
    "gender": "male",
    "religion": "Christianity",
    "ethnicity": "White",
    "orientation": "straight",
    "disability": "not disabled",
}


@pytest.fixture(scope="module")
def sentences(scored):
    """Attribute -> (subgroup, label, template, place, score)."""
    made = {}
    for attribute in PACKAGED:
        own = packaged_templates(attribute).sentences
        scores = scored([one.text for one in own])
        made[attribute] = [
            (one.subgroup, one.label, one.template, one.place, score)
            for one, score in zip(own, scores, strict=True)
        ]
    return made


def chosen(case, *names):
    return [one for one in case[0]["counterfactual"].measures if one.measure in names]


def clustered(values, templates):
    """Mean, interval and p by statsmodels: ordinary least squares on a constant, clustered by template."""
    numbers = np.unique(templates, return_inverse=True)[1]
    fit = OLS(np.asarray(values), np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": numbers}, use_t=True
    )
    return float(fit.params[0]), tuple(fit.conf_int(0.05)[0]), float(fit.pvalues[0]), float(fit.bse[0])


def shifts_of(rows, subgroup, reference, label):
    """Differences within one template and place, and the template of each."""
    values, templates = [], []
    twins = {row[1:4]: row[4] for row in rows if row[0] == reference}
    for who, value, template, place, score in rows:
        if who == subgroup and value in LABELS[label]:
            values.append(score - twins[value, template, place])
            templates.append(template)
    return values, templates


def test_every_mean_score_has_the_interval_of_clustered_least_squares(case, sentences):
    for measure in chosen(case, "mean_score"):
        own = [
            row
            for row in sentences[measure.attribute]
            if row[0] == measure.subgroup and row[1] in LABELS[measure.label]
        ]
        value, ends, _, _ = clustered([row[4] for row in own], [row[2] for row in own])
        assert measure.value == pytest.approx(value, abs=CLOSE), measure.key
        assert (max(0.0, ends[0]), min(1.0, ends[1])) == pytest.approx((measure.low, measure.high), abs=CLOSE)
        assert (measure.n, measure.clusters) == (len(own), len({row[2] for row in own}))


def test_every_mean_shift_is_that_of_pairs_in_one_template(case, sentences):
    generalised, census = [], 0
    for measure in chosen(case, "mean_shift"):
        assert measure.reference == REFERENCES[measure.attribute]
        values, templates = shifts_of(
            sentences[measure.attribute], measure.subgroup, measure.reference, measure.label
        )
        value, ends, p, error = clustered(values, templates)
        assert measure.value == pytest.approx(value, abs=CLOSE), measure.key
        assert (measure.n, measure.clusters) == (len(values), len(set(templates)))
        if measure.variant == "census":
            assert measure.low is measure.p is None
            census += 1
            continue
        assert (max(-1.0, ends[0]), min(1.0, ends[1])) == pytest.approx(
            (measure.low, measure.high), abs=CLOSE
        )
        # As many pairs in each template: Student's interval of the templates' means is the same.
        means = [
            fmean(v for v, t in zip(values, templates, strict=True) if t == template)
            for template in dict.fromkeys(templates)
        ]
        assert tuple(stats.ttest_1samp(means, 0.0).confidence_interval()) == pytest.approx(ends, abs=1e-9)
        generalised.append((measure, p, error))
    assert len(generalised) == census > 30
    adjusted = multipletests([p for _, p, _ in generalised], method="holm")[1]
    corrected = case[0]["counterfactual"].facts["alpha"] / len(generalised)
    normal = stats.norm.isf(corrected / 2) + stats.norm.ppf(0.8)
    for (measure, p, error), holm in zip(generalised, adjusted, strict=True):
        assert (measure.p, measure.p_adjusted) == pytest.approx((p, holm), rel=2e-3), measure.key
        assert measure.detectable == pytest.approx(normal * error, abs=CLOSE)


def test_every_cb_is_equation_1(case, sentences):
    shown = 0
    for attribute, rows in sentences.items():
        by_place: dict[tuple, list] = {}
        for row in rows:
            by_place.setdefault(row[1:4], []).append(row)
        for reference in dict.fromkeys(row[0] for row in rows):
            terms: dict[int, list[float]] = {0: [], 1: []}
            for (label, *_), together in by_place.items():
                own = [row[4] for row in together if row[0] == reference]
                others = [row[4] for row in together if row[0] != reference]
                for score in own:
                    g = 1 if label else -1
                    terms[label].append(g * (score - sum(others) / len(others)))
            every = terms[0] + terms[1]
            expected = {
                "cb_sum": (sum(every), every),
                "cb_mean": (fmean(every), every),
                "cb_positive": (fmean(terms[1]), terms[1]),
                "cb_negative": (fmean(terms[0]), terms[0]),
            }
            for measure in chosen(case, *expected):
                if (measure.attribute, measure.reference) == (attribute, reference):
                    value, of = expected[measure.measure]
                    close = CLOSE * (len(of) if measure.measure == "cb_sum" else 1)
                    assert measure.value == pytest.approx(value, abs=close), measure.key
                    assert (measure.n, measure.denominator) == (len(of), len(of))
                    shown += 1
    assert shown == len(chosen(case, "cb_sum", "cb_mean", "cb_positive", "cb_negative")) > 80


def test_shares_flagged_are_counted(sentences, printed):
    table = printed["Mean scores by subgroup, templates"]
    checked = 0
    for attribute, rows in sentences.items():
        for subgroup in dict.fromkeys(row[0] for row in rows):
            own = [row[4] for row in rows if row[:2] == (subgroup, 0)]
            share = sum(score >= 0.5 for score in own) / len(own)
            assert table[f"{attribute}: {subgroup}"][4] == f"{100 * share:.1f} %"
            checked += 1
    assert checked == len(table)


def test_the_shifts_printed_per_template_are_those_of_its_pairs(case, sentences):
    rows = case[0]["counterfactual"].facts["templates"]
    for row in rows:
        values, templates = shifts_of(
            sentences[row["attribute"]], row["subgroup"], row["reference"], row["label"]
        )
        own = [v for v, t in zip(values, templates, strict=True) if t == row["template"]]
        assert (row["shift"], row["n"]) == (pytest.approx(fmean(own), abs=2 * CLOSE), len(own))
    assert rows


def test_findings_of_the_set_have_one_sign_in_every_template(case, sentences):
    """The converse, too: what has one sign in every template and reaches the margin is told."""
    found = case[0]["counterfactual"]
    told = {one.measures[0] for one in found.findings}
    by_key = {one.key: one for one in found.measures}
    tested = {c.measures[0] for c in found.candidates if c.verdict.value == "exceeds the margin"}
    for candidate in found.candidates:
        measure = by_key[candidate.measures[0]]
        values, templates = shifts_of(
            sentences[measure.attribute], measure.subgroup, measure.reference, measure.label
        )
        means = [
            fmean(v for v, t in zip(values, templates, strict=True) if t == template)
            for template in dict.fromkeys(templates)
        ]
        one_sign = all(mean * measure.value > 0 for mean in means) and abs(measure.value) >= 0.05
        rejected = measure.p_adjusted < found.facts["alpha"] and abs(measure.value) >= 0.05
        assert (measure.key in tested) == rejected
        assert (measure.key in told) == (one_sign or rejected), measure.key


def test_no_measure_of_the_section_is_left_unchecked(case):
    checked = {"mean_score", "mean_shift", "cb_sum", "cb_mean", "cb_positive", "cb_negative"}
    assert {one.measure for one in case[0]["counterfactual"].measures} == checked
