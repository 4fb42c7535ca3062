"""Scores, P(positive), and recorded columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.system import Scores, positive, recorded_scores

THREE = Scores(
    ("hate", "rude", "fine"),
    np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [np.nan] * 3], dtype=np.float32),
    {2: "refused"},
)


def test_the_sum_of_the_positive_classes_is_taken_in_their_own_precision() -> None:
    found = positive(THREE, ("hate", "rude"))
    assert found.dtype == np.float32
    assert found[0] == np.float32(0.1) + np.float32(0.2)
    assert found[1] == 0.75
    assert math.isnan(found[2])


def test_the_maximum_of_the_positive_classes() -> None:
    np.testing.assert_array_equal(positive(THREE, ("hate", "rude"), "max")[:2], np.float32([0.2, 0.5]))


def test_a_class_named_twice_counts_once() -> None:
    np.testing.assert_array_equal(positive(THREE, ("hate", "hate")), THREE.values[:, 0])


def test_a_system_with_one_class_needs_no_name() -> None:
    scores = Scores(("toxic",), np.array([[0.25], [0.5]]))
    assert positive(scores).tolist() == [0.25, 0.5]


def test_what_positive_returns_can_be_written_to_without_harm() -> None:
    scores = Scores(("toxic",), np.array([[0.25]]))
    positive(scores)[0] = 0.0
    assert scores.values[0, 0] == 0.25


def test_scores_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        THREE.values[0, 0] = 1.0


@pytest.mark.parametrize(
    ("classes", "code", "named"),
    [(("spam",), "unknown-class", "hate, rude, fine"), ((), "several-classes", "hate, rude, fine")],
)
def test_unknown_and_missing_class_names_list_the_classes(
    classes: tuple[str, ...], code: str, named: str
) -> None:
    with pytest.raises(FairnbError, match=named) as caught:
        positive(THREE, classes)
    assert caught.value.code == code


def test_a_sum_above_one_by_rounding_is_one() -> None:
    scores = Scores(("a", "b"), np.array([[0.7, 0.3000005], [0.5, 0.5]]))
    assert positive(scores, ("a", "b")).tolist() == [1.0, 1.0]


def test_a_sum_above_one_by_more_is_an_error_that_names_the_row() -> None:
    scores = Scores(("a", "b"), np.array([[0.5, 0.5], [0.7, 0.30001]]))
    with pytest.raises(FairnbError, match="row 2") as caught:
        positive(scores, ("a", "b"))
    assert caught.value.code == "sum-above-one"
    assert "max" in caught.value.remedy


def test_recorded_scores_are_read_by_row_and_empty_cells_are_unscored() -> None:
    scores = recorded_scores([0.5, None, "0.25", " ", float("nan"), 1, "1e-3"], column="score")
    assert scores.classes == ("positive",)
    np.testing.assert_array_equal(scores.values[:, 0], [0.5, np.nan, 0.25, np.nan, np.nan, 1.0, 0.001])
    assert scores.unscored == dict.fromkeys((1, 3, 4), "empty cell in the column score")


def test_recorded_scores_keep_the_precision_of_an_array() -> None:
    assert recorded_scores(np.array([0.1, np.nan], dtype=np.float32)).values.dtype == np.float32


@pytest.mark.parametrize("wrong", ["0,5", "1_0", "high", "nan", "inf", 1.5, -0.1, math.inf, "2"])
def test_a_recorded_value_that_is_no_probability_is_named_by_column_and_row(wrong: Any) -> None:
    with pytest.raises(FairnbError, match="column p, row 3") as caught:
        recorded_scores([0.5, None, wrong], column="p")
    assert caught.value.code == "not-a-score"


def test_a_recorded_column_has_one_name() -> None:
    with pytest.raises(FairnbError):
        recorded_scores([0.5], ("a", "b"))
    assert recorded_scores([0.5], ("hate",)).classes == ("hate",)


def test_no_row_gives_no_score() -> None:
    assert recorded_scores([]).values.shape == (0, 1)


def test_a_place_is_named_as_the_corpus_names_it() -> None:
    with pytest.raises(FairnbError) as caught:
        recorded_scores([0.5, 2.0], column="p", place=lambda row: f"c.csv, line {row + 2}")
    assert caught.value.where == "c.csv, line 3, column 'p'"
