"""The section on groups: worked values, other libraries, verdicts, and what cannot be measured."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from sklearn import metrics
from statsmodels.stats.proportion import confint_proportions_2indep

from fairnb.lexicon import LexiconSpec
from fairnb.sections import Criteria, MeasureKey, Result, Verdict, section
from fairnb.sections._group_bench import RATES
from fairnb.sections._group_tests import inverted_p
from fairnb.statistics import Estimate, wilson

WORDS = {"female": "a woman", "male": "a man", "both": "a woman and a man", "none": "nobody at all"}


def run(view, **params) -> Result:
    part = section("group_bias")
    return part.run(view, part.Params(**params))


@pytest.fixture(scope="module")
def crowd():
    """4,000 texts of which a third mention a woman, a man or both; women's negatives are flagged too often."""
    random = np.random.default_rng(7)
    kinds = random.choice(list(WORDS), 4000, p=(0.14, 0.14, 0.05, 0.67))
    labels = (random.random(4000) < np.where(kinds == "female", 0.5, 0.35)).astype(int)
    logit = random.normal(2.2 * labels - 1.4, 1.0)
    logit += np.where((kinds == "female") & (labels == 0), 1.6, 0.0)
    return kinds, labels, (1 / (1 + np.exp(-logit))).astype(np.float32)


@pytest.fixture
def view(crowd, small_view):
    kinds, labels, scores = crowd
    return small_view(
        {"test": labels.tolist()},
        {"test": scores},
        {"test": [WORDS[kind] for kind in kinds]},
        spec=LexiconSpec(attributes=("gender",)),
    )


@pytest.fixture
def found(view):
    return run(view)


def members(kinds, name):
    inside = np.isin(kinds, (name, "both")) if name != "everyone_else" else kinds == "none"
    return inside


# ---- against other libraries


@pytest.mark.parametrize("group", ["female", "male", "everyone_else"])
def test_rates_are_scikit_learns(crowd, found, group):
    kinds, labels, scores = crowd
    rows = members(kinds, group)
    y, p = labels[rows], scores[rows]
    flagged = p >= 0.5
    _, fp, fn, tp = metrics.confusion_matrix(y, flagged).ravel()
    expected = {
        "equal_opportunity": metrics.recall_score(y, flagged),
        "false_positive_rate": metrics.recall_score(1 - y, flagged),
        "false_negative_rate": fn / (fn + tp),
        "overall_accuracy_equality": metrics.accuracy_score(y, flagged),
        "positive_predictive_value": metrics.precision_score(y, flagged),
        "statistical_parity": flagged.mean(),
        "normalised_treatment_equality": fn / (fn + fp),
        "base_rate": y.mean(),
    }
    for spec in RATES:
        measure = found.measure(spec.name, attribute="gender", subgroup=group, label=spec.label)
        assert measure.value == pytest.approx(expected[spec.name], abs=1e-12), spec.name
    for label, kept in (("positive", y == 1), ("negative", y == 0), ("all", y >= 0)):
        mean = found.measure("mean_score", attribute="gender", subgroup=group, label=label)
        assert mean.value == pytest.approx(p[kept].mean(dtype=float), abs=1e-7)
        assert mean.n == kept.sum()
    balance = found.measure("positive_class_balance", attribute="gender", subgroup=group, label="all")
    assert balance.value == pytest.approx(p[flagged].mean(dtype=float), abs=1e-7)


@pytest.mark.parametrize(("reference", "other"), [("everyone_else", "everyone_else"), ("male", "male")])
def test_differences_are_fairlearns(crowd, found, reference, other):
    fairlearn = pytest.importorskip("fairlearn.metrics")
    kinds, labels, scores = crowd
    rows = np.concatenate([np.flatnonzero(members(kinds, name)) for name in ("female", other)])
    sides = ["female"] * members(kinds, "female").sum() + [other] * members(kinds, other).sum()
    frame = fairlearn.MetricFrame(
        metrics={
            "equal_opportunity": fairlearn.true_positive_rate,
            "false_positive_rate": fairlearn.false_positive_rate,
            "false_negative_rate": fairlearn.false_negative_rate,
            "statistical_parity": fairlearn.selection_rate,
            "overall_accuracy_equality": metrics.accuracy_score,
        },
        y_true=labels[rows],
        y_pred=scores[rows] >= 0.5,
        sensitive_features=sides,
    )
    gaps = frame.by_group.loc["female"] - frame.by_group.loc[other]
    for spec in RATES:
        if spec.name in gaps:
            measure = found.measure(
                spec.name, attribute="gender", subgroup="female", reference=reference, label=spec.label
            )
            assert measure.value == pytest.approx(gaps[spec.name], abs=1e-12), spec.name
    odds = fairlearn.equalized_odds_difference(labels[rows], scores[rows] >= 0.5, sensitive_features=sides)
    measure = found.measure(
        "equalized_odds", attribute="gender", subgroup="female", reference=reference, label="all"
    )
    assert measure.value == pytest.approx(odds, abs=1e-12)
    ratio = fairlearn.demographic_parity_ratio(labels[rows], scores[rows] >= 0.5, sensitive_features=sides)
    impact = found.measure(
        "impact_ratio", attribute="gender", subgroup="female", reference=reference, label="all"
    ).value
    assert min(impact, 1 / impact) == pytest.approx(ratio, abs=1e-12)


def test_equalized_odds_has_the_simultaneous_interval_of_the_two_rates(crowd, found):
    kinds, labels, scores = crowd
    ends = []
    for label in (1, 0):
        counts = []
        for group in ("female", "everyone_else"):
            rows = members(kinds, group) & (labels == label)
            counts += [int((scores[rows] >= 0.5).sum()), int(rows.sum())]
        ends.append(confint_proportions_2indep(*counts, method="newcomb", compare="diff", alpha=0.025))
    low = max(0.0, *(max(one, -other) for one, other in ends))
    high = max(max(abs(one), abs(other)) for one, other in ends)
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else", "label": "all"}
    odds = found.measure("equalized_odds", **key)
    assert (odds.low, odds.high) == pytest.approx((low, high), abs=1e-9)
    assert odds.level == 0.95


def test_tables_and_alternative_texts_print_points(crowd, found):
    kinds, labels, scores = crowd
    flagged = [
        (scores[members(kinds, group) & (labels == 0)] >= 0.5).mean() for group in ("female", "everyone_else")
    ]
    points = f"+{100 * (flagged[0] - flagged[1]):.1f}"
    key = MeasureKey("false_positive_rate", "gender", "female", "everyone_else", "negative")
    cells = [
        row.cells
        for table in section("group_bias").tables(found)
        for row in table.rows
        if key in row.measures and not table.annex
    ]
    assert cells
    assert all(any(cell.startswith(points) for cell in row) for row in cells)
    alternatives = [plot.alternative for plot in section("group_bias").figures(found).values()]
    assert any(
        f"female, FPR: {points};" in text or f"female, FPR: {points} " in text for text in alternatives
    )


# ---- the worked values of the paper's seven metrics


@pytest.fixture
def seven(vectors):
    return json.loads((vectors / "rai_seven.json").read_text())


@pytest.fixture
def worked(seven, small_view):
    """The two groups of the vector, repeated so that no minimum support hides a value."""
    sides = {"female": seven["protected"], "male": seven["reference"]}
    times = 20
    view = small_view(
        {"test": [y for side in sides.values() for y in side["y"]] * times},
        {"test": [p for side in sides.values() for p in side["p"]] * times},
        {"test": [WORDS[name] for name, side in sides.items() for _ in side["y"]] * times},
        spec=LexiconSpec(attributes=("gender",), reference={"gender": "male"}),
    )
    return run(view)


OWN = {
    "equal_opportunity": ("tpr", "positive"),
    "false_positive_rate": ("fpr", "negative"),
    "overall_accuracy_equality": ("accuracy", "all"),
    "positive_predictive_value": ("ppv", "all"),
    "statistical_parity": ("positive_rate", "all"),
    "positive_class_balance": ("positive_class_balance", "all"),
    "positive_class_balance_actual": ("positive_class_balance_kleinberg", "positive"),
    "normalised_treatment_equality": ("treatment_share", "all"),
    "fn_fp_ratio": ("fn_fp_ratio", "all"),
    "gini_equality": ("gini", "all"),
    "generalised_entropy": ("ge2", "all"),
}


@pytest.mark.parametrize(("subgroup", "side"), [("female", "protected"), ("male", "reference")])
def test_worked_values_of_each_group(seven, worked, subgroup, side):
    for name, (cell, label) in OWN.items():
        measure = worked.measure(name, attribute="gender", subgroup=subgroup, label=label)
        assert measure.value == pytest.approx(seven[f"{side}_cells"][cell], abs=1e-7), name


def test_worked_differences_with_the_sign_reversed(seven, worked):
    for name, value in seven["differences"].items():
        label = OWN[name][1]
        measure = worked.measure(name, attribute="gender", subgroup="female", reference="male", label=label)
        assert measure.value == pytest.approx(-value, abs=1e-7), name


def test_worked_gaps_of_fairlearn(vectors, worked):
    expected = json.loads((vectors / "fairlearn_reference.json").read_text())["expected"]
    key = {"attribute": "gender", "subgroup": "female", "reference": "male"}
    parity = worked.measure("statistical_parity", label="all", **key).value
    assert abs(parity) == pytest.approx(expected["demographic_parity_difference"])
    tpr = worked.measure("equal_opportunity", label="positive", **key).value
    fpr = worked.measure("false_positive_rate", label="negative", **key).value
    assert abs(tpr) == pytest.approx(expected["equal_opportunity_difference"])
    assert (abs(tpr) + abs(fpr)) / 2 == pytest.approx(expected["equalized_odds_difference_mean"])
    odds = worked.measure("equalized_odds", label="all", **key).value
    assert odds == pytest.approx(expected["equalized_odds_difference_worst"])
    impact = worked.measure("impact_ratio", label="all", **key).value
    assert 1 / impact == pytest.approx(expected["demographic_parity_ratio"])


def test_the_parts_of_statistical_parity_add_up(found):
    for reference in ("everyone_else", "male"):
        key = {"attribute": "gender", "subgroup": "female", "reference": reference, "label": "all"}
        whole = found.measure("statistical_parity", **key).value
        parts = [
            found.measure("statistical_parity", variant=f"part={part}", **key).value
            for part in ("composition", "tpr", "fpr")
        ]
        assert sum(parts) == pytest.approx(whole, abs=1e-12)
        # Women's texts are more often positive, and their negatives more often flagged.
        assert parts[0] > 0.02
        assert parts[2] > 0.02


# ---- verdicts


def test_the_planted_difference_is_found_in_one_plain_sentence(found):
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else", "label": "negative"}
    measure = found.measure("false_positive_rate", **key)
    finding = next(one for one in found.findings if one.measures == (measure.key,))
    assert finding.severity == "high"
    points = f"{100 * measure.value:.1f}"
    assert finding.statement.startswith(
        f"Negative texts that mention “female” (gender) were flagged {points} points more often than those that "
        f"mention no gender (95 % interval "
    )
    assert f"n = {measure.n:,} and {measure.n_reference:,}" in finding.statement
    assert measure.p_adjusted < 1e-6
    assert 0 < measure.detectable < 0.2
    wide = found.measure("false_positive_rate", variant="simultaneous", **key)
    assert wide.low < measure.low < measure.high < wide.high
    assert wide.level == pytest.approx(1 - 0.05 / 6)


def test_findings_are_shown_at_neighbouring_thresholds(crowd, found):
    kinds, labels, scores = crowd
    for near in (0.4, 0.6):
        measure = found.measure(
            "false_positive_rate",
            attribute="gender",
            subgroup="female",
            reference="everyone_else",
            label="negative",
            variant=f"threshold={near:g}",
        )
        rates = [
            (scores[members(kinds, name) & (labels == 0)] >= np.float32(near)).mean()
            for name in ("female", "everyone_else")
        ]
        assert measure.value == pytest.approx(rates[0] - rates[1], abs=1e-12)


def test_n_counts_the_rows_of_the_denominator_in_rates_and_in_their_differences(crowd, found):
    kinds, labels, scores = crowd
    women = members(kinds, "female")
    rows = {
        ("false_positive_rate", "negative"): women & (labels == 0),
        ("equal_opportunity", "positive"): women & (labels == 1),
        ("positive_predictive_value", "all"): women & (scores >= 0.5),
        ("positive_class_balance", "all"): women & (scores >= 0.5),
        ("statistical_parity", "all"): women,
    }
    for (name, label), counted in rows.items():
        key = {"attribute": "gender", "subgroup": "female", "label": label}
        own = found.measure(name, **key)
        difference = found.measure(name, reference="everyone_else", **key)
        assert own.n == own.denominator == difference.n == difference.denominator == counted.sum(), name


def test_texts_that_mention_both_are_left_out_of_the_sensitivity_row(crowd, found):
    kinds, labels, scores = crowd
    key = {"attribute": "gender", "subgroup": "female", "reference": "male", "label": "negative"}
    apart = found.measure("false_positive_rate", variant="apart", **key)
    rates = [(scores[(kinds == name) & (labels == 0)] >= 0.5).mean() for name in ("female", "male")]
    assert apart.value == pytest.approx(rates[0] - rates[1], abs=1e-12)
    whole = found.measure("false_positive_rate", **key)
    assert whole.n_overlap == ((kinds == "both") & (labels == 0)).sum()
    assert abs(whole.value) < abs(apart.value)


def test_the_number_of_candidates_is_declared_beforehand(view, found):
    part = section("group_bias")
    confirmatory = [one for one in found.candidates if one.family == "C"]
    assert part.confirmatory(view, part.Params()) == len(confirmatory) == 6
    assert part.confirmatory(view, part.Params(by="identity_term")) == 2 * 12
    assert part.confirmatory(view, part.Params(corpus="synthetic")) == 0


def test_without_a_part_of_alpha_values_are_printed_and_nothing_is_tested(view, found):
    view.part = 0.0
    untested = run(view)
    assert not [one for one in untested.findings if one.severity != "observation"]
    confirmatory = [one for one in untested.candidates if one.family == "C"]
    assert {one.reason for one in confirmatory} == {"no part of alpha is given to this section"}
    assert {one.verdict for one in confirmatory} == {Verdict.NOT_MEASURED}
    for one in untested.measures:
        if one.family == "C":
            before = found.measure(**one.key._asdict())
            assert (one.value, one.low, one.high) == (before.value, before.low, before.high)
            assert (one.p, one.p_adjusted, one.variant) == (None, None, "")
    part = section("group_bias")
    assert part.statements(untested) == [
        "No difference was put to the test: no part of alpha is given to this section; the tables hold the values."
    ]
    errors = next(table for table in part.tables(untested) if table.title == "Errors by gender")
    assert "Nothing is tested: no part of alpha is given to this section." in errors.note
    assert errors.rows[0].cells[-1] == "not measured: no part of alpha is given to this section"
    assert part.figures(untested)


def test_a_smaller_part_of_alpha_asks_for_more(view):
    view.criteria = Criteria(alpha=1e-12)
    wide = run(view)
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else", "label": "negative"}
    assert wide.measure("false_positive_rate", variant="simultaneous", **key).level == pytest.approx(
        1 - 1e-12 / 6
    )


def test_one_group_as_good_as_the_other_is_never_called_fair(small_view):
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 120)
    view = small_view(
        {"test": labels.tolist()},
        {"test": np.clip(0.3 + 0.4 * labels + random.normal(0, 0.2, 120), 0, 1)},
        {"test": [WORDS["female"], WORDS["none"]] * 60},
        spec=LexiconSpec(attributes=("gender",)),
    )
    found = run(view)
    verdicts = Counter(one.verdict for one in found.candidates if one.family == "C")
    assert verdicts[Verdict.INCONCLUSIVE] == 2
    assert not found.findings
    said = section("group_bias").statements(found)
    assert said[0] == "No difference was shown to exceed the margin of 5 points; that is not fairness shown."


def test_every_exploratory_p_is_adjusted_from_the_same_support_on(small_view):
    """Twelve texts of a label: mean scores are tested, and with all others by Benjamini and Hochberg."""
    random = np.random.default_rng(5)
    labels = [0, 1] * 100
    texts = [WORDS["female"]] * 24 + [WORDS["none"]] * 176
    view = small_view(
        {"test": labels},
        {"test": np.clip(random.normal(0.4, 0.2, 200), 0, 1)},
        {"test": texts},
        spec=LexiconSpec(attributes=("gender",)),
    )
    found = run(view)
    tested = [one for one in found.measures if one.family == "E" and one.p is not None]
    assert [one for one in tested if one.measure == "mean_score" and one.n == 12]
    expected = false_discovery_control([one.p for one in tested])
    assert [one.p_adjusted for one in tested] == pytest.approx(list(expected))
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else", "label": "negative"}
    assert found.measure("mean_score", **key).status == "indicative"
    told = next(one for one in found.candidates if one.measures[0].measure == "mean_score" and one.p)
    assert (told.verdict, told.reason) == (
        Verdict.INCONCLUSIVE,
        "12 rows: indicative, a verdict from 50",
    )


# ---- what cannot be measured


def test_few_texts_are_shown_and_not_judged(small_view):
    kinds = ["female"] * 7 + ["male"] * 3 + ["none"] * 90
    labels = [1, 0, 1, 0, 1, 1, 1, 0, 0, 0] + [0, 1] * 45
    view = small_view(
        {"test": labels},
        {"test": [0.2, 0.8] * 50},
        {"test": [WORDS[kind] for kind in kinds]},
        spec=LexiconSpec(attributes=("gender", "religion")),
    )
    found = run(view)
    key = {"attribute": "gender", "reference": "everyone_else", "label": "positive"}
    five = found.measure("equal_opportunity", subgroup="female", **key)
    assert (five.status, five.n) == ("too_few", 5)
    assert five.value is not None
    none = found.measure("equal_opportunity", subgroup="male", **key)
    assert (none.status, none.value) == ("undefined", None)
    absent = found.measure(
        "equal_opportunity",
        attribute="religion",
        subgroup="Islam",
        reference="everyone_else",
        label="positive",
    )
    assert absent.value is None
    assert all(one.verdict is Verdict.NOT_MEASURED and one.reason for one in found.candidates)
    tables = section("group_bias").tables(found)
    assert "Islam (religion)" in tables[0].note
    printed = " ".join(cell for table in tables for row in table.rows for cell in row.cells)
    assert "Islam" in printed
    assert any("nothing could be measured" in said for said in section("group_bias").statements(found))


def test_one_class_only(small_view):
    view = small_view(
        {"test": [0] * 60},
        {"test": np.linspace(0, 1, 60)},
        {"test": [WORDS["female"], WORDS["none"]] * 30},
        spec=LexiconSpec(attributes=("gender",)),
    )
    found = run(view)
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else"}
    assert found.measure("false_positive_rate", label="negative", **key).value is not None
    assert found.measure("equal_opportunity", label="positive", **key).status == "undefined"
    assert any("one class only" in limit for limit in found.limits)
    assert found.measure("statistical_parity", label="all", variant="standardised", **key).value is None
    assert section("group_bias").figures(found)


def test_nobody_is_mentioned(small_view):
    view = small_view({"test": [0, 1] * 30}, {"test": [0.2, 0.7] * 30}, {"test": ["nothing"] * 60})
    found = run(view)
    assert all(one.verdict is Verdict.NOT_MEASURED for one in found.candidates)
    assert section("group_bias").tables(found)


def test_a_lexicon_without_subgroups(small_view, monkeypatch):
    from fairnb.lexicon import Lexicon

    view = small_view({"test": [0, 1] * 30}, {"test": [0.2, 0.7] * 30}, {"test": ["a woman"] * 60})
    monkeypatch.setattr(type(view), "lexicon", property(lambda _: Lexicon(by_language={})))
    found = run(view)
    assert found.measures == ()
    assert "names no subgroup" in found.limits[0]
    assert section("group_bias").tables(found) == []
    assert section("group_bias").statements(found)
    assert section("group_bias").figures(found) == {}


def test_no_corpus_of_that_role(view):
    assert run(view, corpus="synthetic") == Result(status="not_applicable", reason="no synthetic corpus")


# ---- the record


@pytest.mark.parametrize(
    "params", [{}, {"by": "identity_term"}, {"intersections": True}, {"threshold": 0.35}]
)
def test_keys_are_unique_and_every_row_rests_on_measures(view, params):
    view.spec = LexiconSpec(attributes=("gender", "religion"))
    texts = list(view.texts["test"])
    texts[:600] = [f"{text} and a muslim" for text in texts[:600]]
    view.texts = {"test": texts}
    found = run(view, **params)
    keys = [measure.key for measure in found.measures]
    assert len(keys) == len(set(keys))
    part = section("group_bias")
    printed = {key for table in part.tables(found) for row in table.rows for key in row.measures}
    assert printed <= set(keys)
    assert Result.model_validate_json(found.model_dump_json()) == found
    again = Result.model_validate_json(found.model_dump_json())
    assert part.tables(again) == part.tables(found)
    assert part.statements(again) == part.statements(found)
    for plot in part.figures(again).values():
        assert plot.caption
        assert plot.alternative


def test_intersections_only_on_request(view):
    view.spec = LexiconSpec(attributes=("gender", "religion"))
    texts = list(view.texts["test"])
    texts[:900] = [f"{text} and a muslim" for text in texts[:900]]
    view.texts = {"test": texts}
    assert not any("+" in measure.attribute for measure in run(view).measures)
    crossed = run(view, intersections=True)
    measure = crossed.measure(
        "false_positive_rate",
        attribute="gender+religion",
        subgroup="female+Islam",
        reference="everyone_else",
        label="negative",
    )
    assert (measure.family, measure.n_overlap) == ("E", 0)
    assert measure.p_adjusted is not None
    assert any(
        table.title == "Texts that mention two groups" for table in section("group_bias").tables(crossed)
    )


def test_clusters_widen_the_intervals_and_are_told(crowd, view, found):
    kinds, labels, _ = crowd
    view.clusters = {"test": [f"author {row // 40}" for row in range(4000)]}
    robust = run(view)
    key = {"attribute": "gender", "subgroup": "female", "reference": "everyone_else", "label": "negative"}
    measure = robust.measure("false_positive_rate", **key)
    assert measure.interval == "mover-wilson-cluster"
    mentioned = np.flatnonzero(members(kinds, "female") & (labels == 0))
    assert measure.clusters == len(set((mentioned // 40).tolist()))
    assert measure.value == pytest.approx(found.measure("false_positive_rate", **key).value, abs=1e-9)
    assert measure.p_adjusted < 0.001
    assert any("one cluster" in limit for limit in robust.limits)
    view.clusters = {"test": [f"author {row % 4}" for row in range(4000)]}
    few = run(view)
    candidate = next(one for one in few.candidates if one.measures[0] == measure.key)
    assert candidate.verdict is Verdict.INCONCLUSIVE
    assert candidate.reason == "4 clusters: tested from 10"


def test_p_by_inversion_is_the_level_of_the_interval_that_reaches_zero():
    p = inverted_p(lambda level: wilson_against_half(72, 100, level))
    assert p is not None
    touching = wilson_against_half(72, 100, 1 - p)
    assert touching.low == pytest.approx(0.0, abs=1e-4)


def wilson_against_half(successes, n, level):
    found = wilson(successes, n, level)
    return Estimate(found.value - 0.5, found.low - 0.5, found.high - 0.5, level, "wilson")


# ---- a fixed set of sentences


@pytest.fixture
def templated(small_view):
    """Two templates with 20 sentences for each of two groups and label; women's are always flagged."""
    rows = [
        (name, label, template, 0.9 if name == "female" or label else 0.1)
        for template in ("being", "you are")
        for name in ("female", "none")
        for label in (0, 1)
        for _ in range(20)
    ]
    names, labels, templates, scores = zip(*rows, strict=True)
    return small_view(
        {"synthetic": labels},
        {"synthetic": scores},
        {"synthetic": [WORDS[name] for name in names]},
        spec=LexiconSpec(attributes=("gender",)),
        clusters={"synthetic": templates},
    )


def test_a_synthetic_set_is_a_census(templated):
    found = run(templated, corpus="synthetic")
    key = {
        "attribute": "gender",
        "subgroup": "female",
        "reference": "everyone_else",
        "label": "negative",
    }
    measure = found.measure("false_positive_rate", variant="corpus=synthetic", **key)
    assert (measure.value, measure.low, measure.p, measure.status) == (1.0, None, None, "census")
    (finding,) = found.findings
    assert finding.severity == "high"
    assert "in this set of sentences from 2 templates; n = 40 and 40" in finding.statement
    for template in ("being", "you are"):
        within = found.measure("false_positive_rate", variant=f"corpus=synthetic;template={template}", **key)
        assert (within.value, within.n, within.status) == (1.0, 20, "census")
    assert all(one.family in ("", "D") for one in found.measures)
    assert {one.family for one in found.candidates} == {"census"}
    part = section("group_bias")
    assert part.confirmatory(templated, part.Params(corpus="synthetic")) == 0
    axes = part.figures(found)["differences"].figure.axes[0]
    drawn = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert drawn == [100.0]
    assert axes.get_xlim()[1] > 100
    by_template = next(table for table in part.tables(found) if table.title == "Findings in each template")
    assert len(by_template.rows) == 3
    assert any("fixed set" in limit for limit in found.limits)


def test_a_test_corpus_from_templates_declares_nothing_and_is_a_census(templated):
    part = section("group_bias")
    templated.answers = {"test": templated.answers["synthetic"]}
    templated.values = {"test": templated.values["synthetic"]}
    templated.texts = {"test": templated.texts["synthetic"]}
    templated.templates = {"test": templated.clusters["synthetic"]}
    templated.clusters = {}
    assert part.confirmatory(templated, part.Params()) == 0
    assert {one.family for one in run(templated).candidates} == {"census"}


def test_a_synthetic_corpus_without_templates_declares_what_it_tests(templated):
    part = section("group_bias")
    templated.clusters = {}
    found = run(templated, corpus="synthetic")
    tested = [one for one in found.candidates if one.family == "C"]
    assert part.confirmatory(templated, part.Params(corpus="synthetic")) == len(tested) == 6


def test_templates_that_disagree_make_no_finding(templated):
    scores = list(templated.values["synthetic"])
    scores[:20] = [0.1] * 20
    templated.values = {"synthetic": scores}
    found = run(templated, corpus="synthetic")
    candidate = next(
        one for one in found.candidates if one.measures[0].measure == "false_positive_rate" and one.effect
    )
    assert candidate.effect == pytest.approx(0.5)
    assert candidate.reason == "not the same sign in every template"
    assert not found.findings
