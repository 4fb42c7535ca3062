"""The real case, recomputed: texts read, split, counted and measured without fairnb's code."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, classification_report, roc_auc_score

from fairnb.case import load_case, new_case
from fairnb.registry import fetch

pytestmark = pytest.mark.slow


def key(row) -> str:
    source, number, *_ = row
    return hashlib.sha256(f"0\t{source}\t{number}".encode()).hexdigest()


@pytest.fixture(scope="module")
def split(real_data):
    """(source, row, text, label) of the train and the test part."""
    rows = []
    with (real_data / "davidson" / "labeled_data.csv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream)):
            rows.append(("davidson", number, row["tweet"], int(row["class"] in ("0", "1"))))
    with (real_data / "olid" / "olid-training-v1.0.tsv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)):
            rows.append(("olid", number, row["tweet"], int(row["subtask_a"] == "OFF")))
    positive = sorted((row for row in rows if row[3]), key=key)
    negative = sorted((row for row in rows if not row[3]), key=key)
    return positive[2502:] + negative[1301:], positive[:2502] + negative[:1301]


@pytest.fixture(scope="module")
def case(real_data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("real-home")))
        for name in ("paper-train", "paper-test"):
            fetch(name, real_data)
        folder = tmp_path_factory.mktemp("cases") / "real"
        new_case(folder, system="toxic-comment-classifier", train="paper-train", test="paper-test")
        opened = load_case(folder)
        results = {
            name: opened.run(name).result for name in ("technical_performance", "data_bias", "group_bias")
        }
        corpora = {role: opened.sources.corpus(role) for role in ("train", "test")}
        scores = opened.sources.scores("test", None, None)
    return results, corpora, dict(zip(scores.classes, scores.values.T, strict=True))["toxic"]


def test_the_split_is_the_documented_one(split, case):
    _, corpora, _ = case
    for rows, role in zip(split, ("train", "test"), strict=True):
        assert sorted(row[2] for row in rows) == sorted(corpora[role].texts)
    assert (len(split[0]), len(split[1])) == (34220, 3803)


def test_table_1_is_scikit_learns_report(case):
    results, corpora, scores = case
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
        expected = sum(row[3] == answer and bool(pattern.search(row[2].lower())) for row in split[0])
        measure = found.measure("frequency", attribute="identity_term", subgroup=term, label=label)
        assert measure.n == expected


def test_error_rates_by_gender_are_shares_of_masked_rows(case):
    from fairnb.lexicon import LexiconSpec, load_lexicon
    from fairnb.mining import look_up

    results, corpora, scores = case
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
