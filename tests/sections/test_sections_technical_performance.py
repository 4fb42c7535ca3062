from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    classification_report,
    confusion_matrix,
    roc_auc_score,
)

from fairnb.sections import Result, Status, section


@pytest.fixture
def sample():
    random = np.random.default_rng(11)
    labels = (random.random(600) < 0.4).astype(int)
    scores = np.clip(random.normal(0.35 + 0.25 * labels, 0.2), 0, 1).astype(np.float32)
    return labels, scores


def run(view, **params) -> Result:
    part = section("technical_performance")
    return part.run(view, part.Params(**params))


@pytest.mark.parametrize("threshold", [0.5, 0.37])
def test_table_1_equals_scikit_learns_report(small_view, sample, threshold):
    labels, scores = sample
    result = run(small_view({"test": labels}, {"test": scores}), threshold=threshold)
    report = classification_report(labels, scores >= np.float32(threshold), output_dict=True)
    theirs = {"negative": "0", "positive": "1", "macro": "macro avg", "weighted": "weighted avg"}
    for ours, name in theirs.items():
        for measure, column in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            found = result.measure(measure, attribute="class", subgroup=ours, label="all")
            assert found.value == pytest.approx(report[name][column], abs=1e-12), (ours, measure)
            assert found.low < found.value < found.high
    assert result.measure("accuracy", label="all").value == pytest.approx(report["accuracy"], abs=1e-12)
    assert result.measure("recall", attribute="class", subgroup="positive", label="all").n == labels.sum()


def test_f1_of_a_class_needs_ten_texts_of_both(small_view):
    labels = [1] * 9 + [0] * 300
    scores = [0.9] * 5 + [0.1] * 4 + [0.8] * 30 + [0.2] * 270
    few = run(small_view({"test": labels}, {"test": scores}))
    enough = run(small_view({"test": [1, *labels]}, {"test": [0.9, *scores]}))
    for name in ("positive", "negative", "macro", "weighted"):
        key = {"attribute": "class", "subgroup": name, "label": "all"}
        assert few.measure("f1", **key).status is Status.TOO_FEW
        assert enough.measure("f1", **key).status is Status.OK


def test_intervals_of_shares_allow_for_clusters_and_a_limit_names_those_that_do_not(small_view, sample):
    labels, scores = sample
    view = small_view({"test": labels}, {"test": scores}, languages={"test": ["en", "it"] * 300})
    assert any("names no author" in limit for limit in run(view).limits)
    plain = run(view)
    author = np.arange(600) // 6
    view.clusters = {"test": [f"author {one}" for one in author]}
    result = run(view)
    assert any("those of precision, F1, the averages" in limit for limit in result.limits)
    flagged, language = scores >= np.float32(0.5), np.array(["en", "it"] * 300)
    hits = {
        ("accuracy", "", "", "all"): (flagged == labels, labels >= 0),
        ("recall", "class", "positive", "all"): (flagged, labels == 1),
        ("recall", "class", "negative", "all"): (~flagged, labels == 0),
        ("accuracy", "language", "it", "all"): (flagged == labels, language == "it"),
        ("error_rate", "language", "en", "all"): (flagged != labels, language == "en"),
        ("false_positive_rate", "language", "it", "negative"): (flagged, (language == "it") & (labels == 0)),
        ("false_negative_rate", "language", "en", "positive"): (~flagged, (language == "en") & (labels == 1)),
    }
    for (measure, attribute, subgroup, label), (hit, kept) in hits.items():
        key = {"attribute": attribute, "subgroup": subgroup, "label": label}
        found = result.measure(measure, **key)
        assert found.value == hit[kept].mean()
        assert (found.interval, found.clusters) == ("wilson-cluster", len(set(author[kept])))
        fit = sm.OLS(hit[kept].astype(float), np.ones(kept.sum())).fit(
            cov_type="cluster", cov_kwds={"groups": author[kept]}
        )
        z = stats.t.ppf(0.975, found.clusters - 1)
        rows = found.value * (1 - found.value) / fit.bse[0] ** 2
        for limit in (found.low, found.high):
            # Wilson's limits solve (p - limit)^2 = z^2 limit (1 - limit) / n.
            assert (found.value - limit) ** 2 == pytest.approx(z**2 * limit * (1 - limit) / rows, rel=1e-6)
        assert plain.measure(measure, **key).value == found.value
        assert plain.measure(measure, **key).clusters is None


def test_measures_over_all_texts_equal_scikit_learn(small_view, sample):
    labels, scores = sample
    result = run(small_view({"test": labels}, {"test": scores}))
    assert result.measure("roc_auc", label="all").value == pytest.approx(
        roc_auc_score(labels, scores), abs=1e-12
    )
    assert result.measure("brier", label="all").value == pytest.approx(
        brier_score_loss(labels, scores), abs=1e-7
    )
    assert result.measure("accuracy", label="all").value == accuracy_score(labels, scores >= 0.5)
    assert result.measure("unscored_rate", label="all").value == 0


def test_expected_calibration_error_equals_its_definition(small_view, sample):
    labels, scores = sample
    result = run(small_view({"test": labels}, {"test": scores}))
    bins = np.minimum((scores.astype(float) * 10).astype(int), 9)
    by_hand = sum(
        (bins == b).mean() * abs(labels[bins == b].mean() - scores[bins == b].astype(float).mean())
        for b in range(10)
        if (bins == b).any()
    )
    found = result.measure("ece", label="all")
    assert found.value == pytest.approx(by_hand, abs=1e-7)
    assert 0 < found.null < found.value


def test_printed_counts_sentences_and_nulls_are_those_of_the_confusion_matrix(small_view, sample):
    labels, scores = sample
    part = section("technical_performance")
    result = run(small_view({"test": labels}, {"test": scores}))
    (tn, fp), (fn, tp) = confusion_matrix(labels, scores >= np.float32(0.5)).tolist()
    (counts,) = [table for table in part.tables(result) if table.title.startswith("Counts")]
    assert [row.cells for row in counts.rows] == [
        ("Positive", str(tp), str(fn)),
        ("Negative", str(fp), str(tn)),
    ]
    said = " ".join(part.statements(result))
    assert f"missed {fn} of {fn + tp} positive texts and wrongly flagged {fp} of {fp + tn} negative" in said
    assert f"on {100 * (tp + tn) / 600:.1f} % of 600 texts" in said
    assert result.measure("roc_auc", label="all").null == 0.5
    alternative = part.figures(result)["roc"].alternative
    assert f"true-positive rate is {tp / (tp + fn):.3f}" in alternative
    assert f"false-positive rate {fp / (fp + tn):.3f}" in alternative


def test_unscored_rows_are_counted_and_left_out(small_view, sample):
    labels, scores = sample
    scores = scores.copy()
    scores[:30] = np.nan
    result = run(small_view({"test": labels}, {"test": scores}))
    rate = result.measure("unscored_rate", label="all")
    assert (rate.value, rate.denominator) == (30 / 600, 600)
    assert result.measure("accuracy", label="all").denominator == 570
    assert any("30 labelled texts have no score" in limit for limit in result.limits)


def test_one_class_is_undefined_with_its_reason_and_still_shown(small_view):
    result = run(small_view({"test": [0] * 40}, {"test": [0.1] * 30 + [0.9] * 10}))
    auc = result.measure("roc_auc", label="all")
    assert (auc.value, auc.status) == (None, Status.UNDEFINED)
    assert auc.note
    recall = result.measure("recall", attribute="class", subgroup="positive", label="all")
    assert recall.value is None
    assert recall.note
    part = section("technical_performance")
    cells = [cell for table in part.tables(result) for row in table.rows for cell in row.cells]
    assert "undefined" in cells
    assert "nan" not in " ".join(cells).lower()
    assert list(part.figures(result)) == ["calibration"]


def test_nothing_flagged_leaves_precision_undefined(small_view):
    result = run(small_view({"test": [0, 1] * 30}, {"test": [0.1, 0.2] * 30}))
    precision = result.measure("precision", attribute="class", subgroup="positive", label="all")
    assert precision.value is None
    assert result.measure("recall", attribute="class", subgroup="positive", label="all").value == 0


def test_four_rows_are_too_few_to_print_a_value(small_view):
    result = run(small_view({"test": [0, 1, 0, 1]}, {"test": [0.1, 0.9, 0.2, 0.8]}))
    accuracy = result.measure("accuracy", label="all")
    assert (accuracy.status, accuracy.value) == (Status.TOO_FEW, None)
    assert "too few" in accuracy.note


def test_result_and_what_is_shown_survive_json(small_view, sample):
    labels, scores = sample
    part = section("technical_performance")
    result = run(small_view({"test": labels}, {"test": scores}))
    again = Result.model_validate_json(result.model_dump_json())
    assert again == result
    assert part.tables(again) == part.tables(result)
    assert part.statements(again) == part.statements(result)
    figures = part.figures(again)
    assert set(figures) == {"roc", "calibration"}
    assert all(plot.alternative and plot.caption for plot in figures.values())


def test_every_printed_row_names_measures_that_exist(small_view, sample):
    labels, scores = sample
    part = section("technical_performance")
    result = run(small_view({"test": labels}, {"test": scores}))
    keys = {measure.key for measure in result.measures}
    assert len(keys) == len(result.measures)
    for table in part.tables(result):
        for row in table.rows:
            assert set(row.measures) <= keys


def test_errors_by_language_equal_scikit_learns_on_the_texts_of_each(small_view, sample):
    labels, scores = sample
    languages = np.where(np.arange(600) % 3 == 0, "it", "en")
    result = run(small_view({"test": labels}, {"test": scores}, languages={"test": languages.tolist()}))
    assert list(result.facts["languages"]) == ["en", "it"]
    for language in ("en", "it"):
        own = languages == language
        flagged = scores[own] >= np.float32(0.5)
        (tn, fp), (fn, tp) = confusion_matrix(labels[own], flagged)
        expected = {
            ("accuracy", "all"): accuracy_score(labels[own], flagged),
            ("error_rate", "all"): 1 - accuracy_score(labels[own], flagged),
            ("false_positive_rate", "negative"): fp / (fp + tn),
            ("false_negative_rate", "positive"): fn / (fn + tp),
        }
        for (measure, label), value in expected.items():
            found = result.measure(measure, attribute="language", subgroup=language, label=label)
            assert found.value == pytest.approx(value, abs=1e-12)
            assert found.low < found.value < found.high
            assert found.status is Status.OK
    table = section("technical_performance").tables(result)[-1]
    assert [row.cells[0] for row in table.rows] == ["en", "it"]
    assert "Articles 15(1)(e) and 42(2)(c)" in table.note
    assert not any("does not declare the language" in limit for limit in result.limits)


def test_a_language_that_is_not_declared_is_said_to_be_so_and_never_guessed(small_view, sample):
    labels, scores = sample
    result = run(small_view({"test": labels}, {"test": scores}))
    assert list(result.facts["languages"]) == ["not declared"]
    assert any("does not declare the language" in limit for limit in result.limits)
    some = run(small_view({"test": labels}, {"test": scores}, languages={"test": ["", *["de"] * 599]}))
    assert list(some.facts["languages"]) == ["de", "not declared"]
    one = some.measure("error_rate", attribute="language", subgroup="not declared", label="all")
    assert (one.value, one.status) == (None, Status.TOO_FEW)


def test_a_language_with_few_texts_is_indicative_or_too_few(small_view):
    labels, scores = [1, 0] * 12, [0.9, 0.2] * 12
    languages = ["en"] * 8 + ["it"] * 16
    result = run(small_view({"test": labels}, {"test": scores}, languages={"test": languages}))
    status = {
        language: result.measure("accuracy", attribute="language", subgroup=language, label="all").status
        for language in ("en", "it")
    }
    assert status == {"en": Status.TOO_FEW, "it": Status.INDICATIVE}


def test_rows_without_a_score_are_in_no_language_s_counts(small_view) -> None:
    labels, scores = np.array([1, 0, 0, 1, -1, 1]), np.array([0.9, np.nan, 0.2, np.nan, 0.9, np.nan])
    # Of five rows in English one has no label and two no score: one right flag and one right pass are left.
    # Of the one in Italian nothing is known.
    view = small_view({"test": labels}, {"test": scores}, languages={"test": ["en"] * 5 + ["it"]})
    languages = run(view).facts["languages"]
    assert languages == {"en": {"tp": 1, "fp": 0, "fn": 0, "tn": 1}}


def test_languages_are_counted_from_a_tally_that_the_result_names(small_view, sample):
    labels, scores = sample
    several = run(small_view({"test": labels}, {"test": scores}, languages={"test": ["it", *["en"] * 599]}))
    assert list(several.tallies) == ["test", "test:language"]
    one = run(small_view({"test": labels}, {"test": scores}, languages={"test": ["en"] * 600}))
    assert list(one.tallies) == ["test"]
    counts = one.facts["confusion"]
    assert one.facts["languages"] == {"en": counts}


def test_a_moved_threshold_is_counted_from_the_scores_themselves(small_view, sample):
    labels, scores = sample
    view = small_view({"test": labels}, {"test": scores})
    asked: list[tuple[float, ...]] = []
    counted = view.tally
    view.tally = lambda role, by="subgroup", thresholds=(): (
        asked.append(tuple(thresholds)) or counted(role, by, thresholds)
    )
    run(view, threshold=0.613)
    assert asked == [(0.613,)]
