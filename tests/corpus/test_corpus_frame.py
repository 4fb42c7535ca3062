"""Frames of three libraries give one and the same corpus."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairnb.corpus import SubgroupColumns, from_frame
from fairnb.errors import FairnbError

COLUMNS = {
    "body": ["You silly goose", "", "The gay couple next door baked bread", None],
    "kind": [1, 0, None, 1],
    "key": ["a", "b", "c", "d"],
    "lang": ["EN", "en", None, "it"],
    "author": ["x", None, "x", None],
    "p": [0.9, None, 0.25, 1.0],
    "female": [0.0, 0.5, None, 1.0],
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=LIBRARIES)
def corpus(request):
    return from_frame(
        LIBRARIES[request.param](COLUMNS),
        "train",
        text="body",
        label="kind",
        id="key",
        language="lang",
        cluster="author",
        columns=["p"],
        subgroups={"gender": SubgroupColumns(female="female")},
    )


def test_texts_are_as_given_and_missing_ones_are_empty(corpus):
    assert corpus.texts == ("You silly goose", "", "The gay couple next door baked bread", "")
    assert corpus.facts["empty_texts"] == 2


def test_labels_are_whole_numbers_though_a_gap_made_them_floats(corpus):
    assert corpus.labels == (1, 0, None, 1)
    assert all(type(label) is int for label in corpus.labels if label is not None)
    assert corpus.facts["missing_labels"] == 1


def test_other_columns_are_read(corpus):
    assert corpus.ids == ("a", "b", "c", "d")
    assert corpus.languages == ("en", "en", "", "it")
    assert corpus.clusters == ("x", "(row 2)", "x", "(row 4)")
    assert corpus.recorded == {"p": (0.9, None, 0.25, 1.0)}
    assert corpus.annotated["gender", "female"].tolist() == [0, 1, -1, 1]
    assert corpus.where(2) == "frame, row 3"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"text": ["a", "b"], "label": np.array([True, False])}),
        pd.DataFrame(
            {"text": pd.Series(["a", "b"], dtype="string"), "label": pd.array([1, 0], dtype="Int8")}
        ),
        pd.DataFrame({"text": ["a", "b"], "label": pd.Categorical(["1", "0"])}),
        pd.DataFrame({"text": ["a", "b"], "label": np.array([np.int64(1), np.int64(0)], dtype=object)}),
        pl.DataFrame({"text": ["a", "b"], "label": [1.0, 0.0]}),
    ],
)
def test_labels_of_many_types_are_the_same_numbers(frame):
    assert from_frame(frame).labels == (1, 0)


def test_nan_is_no_label_and_no_score_in_polars_either():
    corpus = from_frame(
        pl.DataFrame({"text": ["a", "b"], "label": [float("nan"), 1.0], "p": [float("nan"), 0.5]}),
        columns=["p"],
    )
    assert corpus.labels == (None, 1)
    assert corpus.recorded["p"] == (None, 0.5)


def test_equal_contents_have_equal_digests_and_others_have_not():
    first, again = from_frame(pd.DataFrame(COLUMNS), text="body", label="kind"), pd.DataFrame(COLUMNS)
    assert from_frame(again, text="body", label="kind").digest == first.digest
    again.loc[0, "body"] = "You funny goose"
    assert from_frame(again, text="body", label="kind").digest != first.digest


def test_an_empty_frame_is_refused():
    with pytest.raises(FairnbError) as caught:
        from_frame(pd.DataFrame({"text": [], "label": []}))
    assert caught.value.code == "empty-corpus"


@pytest.mark.parametrize("thing", [{"text": ["a"]}, [("a", 1)], pl.LazyFrame({"text": ["a"], "label": [1]})])
def test_what_is_no_frame_with_rows_is_refused(thing):
    with pytest.raises(FairnbError, match="pandas, Polars or PyArrow") as caught:
        from_frame(thing)
    assert caught.value.code == "not-a-frame"


@pytest.mark.parametrize("cell", [5, 1.5, dt.date(2026, 1, 1), ["a"]])
def test_a_column_that_holds_no_texts_is_refused_by_row(cell):
    with pytest.raises(FairnbError) as caught:
        from_frame(pl.DataFrame({"text": pl.Series([cell]), "label": [1]}))
    assert caught.value.code == "not-a-text"
    assert caught.value.where == "frame, row 1, column 'text'"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["a", "b", 1]], columns=["text", "text", "label"]),
        pa.table([pa.array(["a"]), pa.array(["b"]), pa.array([1])], names=["text", "text", "label"]),
    ],
)
def test_a_column_that_occurs_twice_is_refused(frame):
    with pytest.raises(FairnbError) as caught:
        from_frame(frame)
    assert caught.value.code == "column-twice"


def test_columns_of_numbers_have_their_numbers_as_names():
    frame = pd.DataFrame([["a goose", 1]])
    assert from_frame(frame, text="0", label="1").texts == ("a goose",)
