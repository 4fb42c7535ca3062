"""The real case, recomputed: texts read, split, counted and measured without fairnb's code."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, classification_report, roc_auc_score

pytestmark = pytest.mark.slow


def test_the_split_is_the_documented_one(split, case):
    _, corpora, _, _ = case
    for rows, role in zip(split, ("train", "test"), strict=True):
        assert sorted(row[2] for row in rows) == sorted(corpora[role].texts)
    assert (len(split[0]), len(split[1])) == (34220, 3803)


def test_table_1_is_scikit_learns_report(case):
    results, corpora, scores, _ = case
    result = results["technical_performance"]
    labels = np.array([int(label) for label in corpora["test"].labels])
    report = classification_report(labels, scores >= 0.5, output_dict=True)
    names = {"negative": "0", "positive": "1", "macro": "macro avg", "weighted": "weighted avg"}
    for ours, theirs in names.items():
        for measure, column in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            found = result.measure(measure, attribute="class", subgroup=ours, label="all").value
            assert found == pytest.approx(report[theirs][column], abs=1e-12), (ours, measure)
    assert result.measure("roc_auc", label="all").value == pytest.approx(
        roc_auc_score(labels, scores), abs=1e-9
    )
    assert result.measure("brier", label="all").value == pytest.approx(
        brier_score_loss(labels, scores.astype(float)), abs=1e-7
    )


@pytest.mark.parametrize("term", ["gay", "queer", "muslim", "lesbian"])
def test_terms_without_stop_phrases_are_counted_as_a_regular_expression_does(split, case, term):
    found = case[0]["data_bias"]
    pattern = re.compile(rf"(?<![^\W_]){term}s?(?![^\W_])")
    for label, answer in (("positive", 1), ("negative", 0)):
        own = [row for row in split[0] if row[3] == answer]
        expected = sum(bool(pattern.search(row[2].lower())) for row in own)
        measure = found.measure("frequency", attribute="identity_term", subgroup=term, label=label)
        assert measure.n == measure.denominator
        assert measure.value == pytest.approx(expected / measure.denominator, abs=1e-12)


def test_error_rates_by_gender_are_shares_of_masked_rows(case):
    from fairnb.lexicon import LexiconSpec, load_lexicon
    from fairnb.mining import look_up

    results, corpora, scores, _ = case
    labels = np.array([int(label) for label in corpora["test"].labels])
    mentions = look_up(corpora["test"].texts, load_lexicon(LexiconSpec(), Path()))
    names, matrix = mentions.groups("subgroup")
    members = matrix.toarray()
    anyone = members[:, [i for i, name in enumerate(names) if name.startswith("gender/")]].any(axis=1)
    for subgroup in ("female", "male"):
        named = members[:, names.index(f"gender/{subgroup}")]
        for measure, label, answer in (
            ("false_positive_rate", "negative", 0),
            ("equal_opportunity", "positive", 1),
        ):
            own = (scores[(labels == answer) & named] >= 0.5).mean()
            rest = (scores[(labels == answer) & ~anyone] >= 0.5).mean()
            place = {"attribute": "gender", "subgroup": subgroup, "label": label}
            found = results["group_bias"]
            assert found.measure(measure, **place).value == pytest.approx(own, abs=1e-12)
            difference = found.measure(measure, reference="everyone_else", **place)
            assert difference.value == pytest.approx(own - rest, abs=1e-12)
            assert difference.low < difference.value < difference.high
