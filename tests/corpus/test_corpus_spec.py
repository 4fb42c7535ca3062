"""The corpus table of a case file: what may be said, and how wrong keys are answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from fairnb.corpus import CorpusSpec, read_corpus


def test_the_table_of_the_case_file_is_read_and_written_back():
    table = {
        "path": "test.csv",
        "text": "tweet",
        "label": "class",
        "subgroups": {"gender": {"female": "f", "male": "m", "at_least": 0.5}},
        "positive": [0, 1, "OFF"],
    }
    spec = CorpusSpec.model_validate(table)
    assert spec.subgroups["gender"].columns == {"female": "f", "male": "m"}
    assert spec.positive == (0, 1, "OFF")
    dumped = spec.model_dump(mode="json", exclude_unset=True)
    assert dumped == table
    assert CorpusSpec.model_validate(dumped) == spec


@pytest.mark.parametrize("score", ["p", ["p"], ("p",)])
def test_one_score_column_or_several(score):
    assert CorpusSpec(path="c.csv", score=score).scores == ("p",)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "give either use"),
        ({"use": "demo", "path": "c.csv"}, "give either use"),
        ({"use": "demo", "text": "tweet"}, "text cannot be set for the known corpus 'demo'"),
        ({"path": "c.csv", "encoding": "klingon"}, "no text encoding 'klingon'"),
        ({"path": "c.csv", "encoding": "base64"}, "no text encoding 'base64'"),
        ({"path": "c.csv", "txt": "tweet"}, "Extra inputs are not permitted"),
        ({"path": "c.csv", "subgroups": {"gender": {"at_least": 0.5}}}, "name at least one subgroup"),
        ({"path": "c.csv", "subgroups": {"gender": {"female": 3}}}, "valid string"),
    ],
)
def test_a_wrong_table_is_answered_in_words(keys, message):
    with pytest.raises(ValidationError, match=message):
        CorpusSpec(**keys)


def test_a_specification_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        CorpusSpec(use="demo").use = "olid"


def test_annotators_are_two_columns_or_more() -> None:
    assert CorpusSpec(path="t.csv", annotators=("a", "b")).annotators == ("a", "b")
    for wrong in (("a",), ("a", "a")):
        with pytest.raises(ValidationError, match="fewer than two different columns"):
            CorpusSpec(path="t.csv", annotators=wrong)
    with pytest.raises(ValidationError, match="annotators cannot be set"):
        CorpusSpec(use="paper-test", annotators=("a", "b"))


def test_labels_of_annotators_are_read_with_gaps(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,label,x,y\none,1,1,\ntwo,0,0,hate\n")
    corpus = read_corpus(CorpusSpec(path="t.csv", annotators=("x", "y")), tmp_path, "test")
    assert corpus.annotators == ((1, 0), (None, "hate"))
