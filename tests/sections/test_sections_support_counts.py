"""What `n` and `denominator` count, held to one rule over the results of all sections of one case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import load_case
from fairnb.corpus import demo_comments
from fairnb.sections import Measure, Result, Status, section_ids

MODEL = '''
def score(texts):
    """P(insulting) for each text."""
    return [0.9 if any(word in text.lower() for word in ("silly", "dreadful", "nobody")) else 0.1 for text in texts]
'''
CASE = """
[engagement]
title = "A small case"
level = ""
assessor = { name = "", organisation = "" }
independence = ""

[system]
python = "mymodel:score"
version = "1"

[corpus.train]
use = "demo-train"
[corpus.test]
use = "demo-test"

[lexicon]
languages = ["en"]

[sections.local_explanation]
samples = 500
texts = ["You silly goose, nobody asked."]

[sections.privacy]
names = false

[sections.global_explanation]
texts = 20
evaluations = 50
"""
NOT_ROWS = {
    # Divided by rows flagged plus rows of the class: a true positive is in both.
    ("technical_performance", "f1"),
    # Masked forms of one text: those drawn, and those that differ.
    ("local_explanation", "weight"),
    ("local_explanation", "stability"),
    ("local_explanation", "local_r2"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Result]]:
    """Section -> its result."""
    folder: Path = tmp_path_factory.mktemp("case")
    (folder / "mymodel.py").write_text(MODEL, encoding="utf-8")
    (folder / "assessment.toml").write_text(CASE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("home")))
        case = load_case(folder)
        yield {name: case.run(name).content.result for name in section_ids()}


def every(results: dict[str, Result]) -> Iterator[tuple[str, Measure]]:
    for name, result in results.items():
        for measure in result.measures:
            yield name, measure


def test_most_sections_have_measures_here(results: dict[str, Result]) -> None:
    assert len({name for name, _ in every(results)}) >= 10


def test_n_is_never_less_than_the_denominator(results: dict[str, Result]) -> None:
    less = [
        (name, one.key, one.n, one.denominator)
        for name, one in every(results)
        if (name, one.measure) not in NOT_ROWS
        and (one.n is None or one.denominator is None or one.n < one.denominator)
        and one.status is not Status.NOT_MEASURED
    ]
    assert less == []


def test_a_value_that_can_be_leaned_on_has_rows_behind_it(results: dict[str, Result]) -> None:
    without = [
        (name, one.key)
        for name, one in every(results)
        if one.status is Status.OK and not (one.n and one.denominator)
    ]
    assert without == []


RATES = {
    "technical_performance": (
        "false_positive_rate",
        "false_negative_rate",
        "recall",
        "accuracy",
        "precision",
    ),
    "group_bias": ("false_positive_rate", "false_negative_rate", "equal_opportunity"),
    "data_bias": ("frequency", "base_rate"),
    "mining": ("mentions",),
    "swap": ("favour", "flip_rate"),
    "robustness": ("flip_rate", "accuracy"),
}


@pytest.mark.parametrize("name", RATES)
def test_n_of_a_rate_counts_the_rows_of_its_denominator(results: dict[str, Result], name: str) -> None:
    rates = [one for one in results[name].measures if one.measure in RATES[name]]
    assert {one.measure for one in rates} == set(RATES[name])
    assert [(one.key, one.n, one.denominator) for one in rates if one.n != one.denominator] == []


def test_where_a_label_is_given_n_counts_its_rows(results: dict[str, Result]) -> None:
    """Of the composed comments, counted here."""
    rows: dict[tuple[str, int], int] = {}
    for comment in demo_comments():
        rows[comment.part, comment.label] = rows.get((comment.part, comment.label), 0) + 1
    expected = {"positive": 1, "negative": 0}
    for name, part, measures in (
        ("technical_performance", "test", ("false_positive_rate", "false_negative_rate")),
        ("data_bias", "train", ("frequency",)),
    ):
        found: list[Any] = [
            (one.label, one.n)
            for one in results[name].measures
            if one.measure in measures and one.label in expected
        ]
        assert set(found) == {(label, rows[part, value]) for label, value in expected.items()}, name


def test_a_term_that_never_occurs_has_a_share_of_zero_over_all_texts(results: dict[str, Result]) -> None:
    never = [
        one
        for one in results["data_bias"].measures
        if one.measure == "frequency" and one.label == "all" and one.value == 0
    ]
    assert never
    total = len([comment for comment in demo_comments() if comment.part == "train"])
    assert {(one.n, one.denominator, one.status) for one in never} == {(total, total, Status.OK)}
    ratios = {
        one.key._replace(measure="", label=""): one
        for one in results["data_bias"].measures
        if one.measure == "frequency_ratio"
    }
    for one in never:
        ratio = ratios[one.key._replace(measure="", label="")]
        assert (ratio.status, ratio.denominator) == (Status.UNDEFINED, 0)
