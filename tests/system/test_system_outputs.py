"""What functions may return, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fairnb.errors import ExitCode, FairnbError
from fairnb.system import Scores, SystemSpec, Unscored, open_system, score_texts

TEXTS = ["a", "bb", "ccc"]


def scored(function: Callable[[list[str]], Any], texts: list[str] = TEXTS, **spec: Any) -> Scores:
    return score_texts(open_system(SystemSpec(python="live", **spec), Path(), live_object=function), texts)


def test_one_number_per_text_is_one_class() -> None:
    scores = scored(lambda texts: [0.1, 0.2, 0.3])
    assert scores.classes == ("positive",)
    assert scores.values.tolist() == [[0.1], [0.2], [0.3]]


def test_a_column_is_one_class_with_the_name_given() -> None:
    scores = scored(lambda texts: np.array([[0.1], [0.2], [0.3]]), classes=("hate",))
    assert scores.classes == ("hate",)
    assert scores.values.tolist() == [[0.1], [0.2], [0.3]]


@pytest.mark.parametrize("rows", [[[0.9, 0.1]] * 3, [[0.9, 0.8]] * 3], ids=["softmax", "sigmoid"])
def test_two_columns_take_the_names_given(rows: list[list[float]]) -> None:
    scores = scored(lambda texts: rows, classes=("fine", "hate"))
    assert scores.classes == ("fine", "hate")
    assert scores.values.tolist() == rows


@pytest.mark.parametrize("classes", [(), ("only",), ("a", "b", "c")])
def test_columns_without_a_name_each_are_an_error(classes: tuple[str, ...]) -> None:
    with pytest.raises(FairnbError, match="classes in the table") as caught:
        scored(lambda texts: [[0.9, 0.1]] * 3, classes=classes)
    assert caught.value.code == "unnamed-classes"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_precision_of_the_scores_is_kept(dtype: Any) -> None:
    values = np.array([0.1, 0.25, 0.3], dtype=dtype)
    found = scored(lambda texts: values).values
    assert found.dtype == dtype
    assert found[:, 0].tobytes() == values.tobytes()


def test_batches_of_two_precisions_become_the_finer() -> None:
    def mixed(texts: list[str]) -> Any:
        return np.array([0.1] * len(texts), dtype=np.float32 if texts[0] == "a" else np.float64)

    found = scored(mixed, ["a", "b", "cc", "dd"], batch_size=2).values
    assert found.dtype == np.float64
    assert found[:, 0].tolist() == [np.float32(0.1), np.float32(0.1), 0.1, 0.1]


def test_a_row_without_a_score_is_carried_with_its_reason() -> None:
    scores = scored(lambda texts: [0.5, None, Unscored("refused by policy")])
    assert scores.unscored == {1: "the system gave no score", 2: "refused by policy"}
    assert scored(lambda texts: [Unscored("")] * 3).unscored[0] == "the system gave no score"
    np.testing.assert_array_equal(scores.values, [[0.5], [np.nan], [np.nan]])


def test_rows_of_several_classes_may_be_missing_and_keep_the_precision() -> None:
    rows = [None, np.float32([0.5, 0.25]), np.float32([0.75, 0.0])]
    scores = scored(lambda texts: rows, classes=("x", "y"))
    assert scores.unscored.keys() == {0}
    assert scores.values.dtype == np.float32
    assert scores.values[1].tolist() == [0.5, 0.25]


def test_every_row_may_be_missing() -> None:
    scores = scored(lambda texts: [None] * len(texts))
    assert len(scores.unscored) == 3
    assert np.isnan(scores.values).all()


def test_a_pandas_column_with_any_index_is_read_in_order() -> None:
    assert scored(lambda t: pd.Series([0.1, 0.2, 0.3], index=[7, 5, 6])).values[:, 0].tolist() == [
        0.1,
        0.2,
        0.3,
    ]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ([0.1, 0.2], "wrong-length"),
        ([0.1] * 4, "wrong-length"),
        ([], "wrong-length"),
        (0.5, "wrong-type"),
        (np.float64(0.5), "wrong-type"),
        (np.array(0.5), "wrong-type"),
        (None, "wrong-type"),
        ("abc", "wrong-type"),
        ({"a": 0.1, "bb": 0.2, "ccc": 0.3}, "wrong-type"),
        ((0.1 for _ in range(3)), "wrong-type"),
        ([1, 0, 1], "wrong-type"),
        ([True, False, True], "wrong-type"),
        (["0.1", "0.2", "0.3"], "wrong-type"),
        ([{"hate": 0.1}] * 3, "wrong-type"),
        (np.array([0.1, 0.2, 0.3], dtype=complex), "wrong-type"),
        ([[0.1], [0.2, 0.3], [0.4]], "wrong-shape"),
        ([[], [], []], "wrong-shape"),
        (np.zeros((3, 1, 1)), "wrong-shape"),
        ([0.1, float("nan"), 0.3], "not-a-score"),
        ([0.1, 1.5, 0.3], "not-a-score"),
        ([0.1, -0.01, 0.3], "not-a-score"),
        ([0.1, float("inf"), 0.3], "not-a-score"),
        (np.array([0.1, 1.01, 0.3], dtype=np.float16), "not-a-score"),
    ],
)
def test_a_wrong_answer_is_a_failure_of_the_system_named_with_its_adapter(answer: Any, code: str) -> None:
    with pytest.raises(FairnbError, match=r"^Python function") as caught:
        scored(lambda texts: answer)
    assert caught.value.code == code
    assert caught.value.exit_code is ExitCode.FAILED
    assert "\n" not in str(caught.value)


def test_the_row_of_a_wrong_score_is_that_of_the_text_asked_about() -> None:
    # Sorted by length, the wrong one comes last in its batch; equal texts are asked about once.
    texts = ["x", "x", "a very long text", "yy"]
    with pytest.raises(FairnbError, match="row 3:"):
        scored(lambda batch: [9.0 if len(text) > 2 else 0.5 for text in batch], texts)


def test_the_row_of_a_wrong_score_counts_rows_without_one() -> None:
    with pytest.raises(FairnbError, match="row 3:"):
        scored(lambda batch: [0.5, None, 7.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_step_of_rounding_past_the_ends_is_the_end(dtype: Any) -> None:
    over = np.nextafter(dtype(1), dtype(2))
    below = -np.finfo(dtype).eps
    assert scored(lambda texts: np.array([over, below, 0.5], dtype=dtype)).values[:, 0].tolist() == [
        1.0,
        0.0,
        0.5,
    ]
