"""Guesses about a file's columns: each with its reason, none silently taken."""

from __future__ import annotations

import pytest

from fairnb.corpus import CorpusSpec, guess_columns, read_corpus
from fairnb.errors import FairnbError


@pytest.fixture
def guess(tmp_path):
    def guessed(content, name="c.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return guess_columns(path)

    return guessed


def test_columns_are_guessed_by_name(guess):
    found = guess(
        "ID,Tweet,Lang,author,class,score\n"
        "1,You silly goose,en,x,hate,0.9\n2,Nice bread you have,en,y,neither,0.1\n3,Good bread,it,x,neither,\n"
    )
    assert [found.id.column, found.text.column, found.language.column] == ["ID", "Tweet", "Lang"]
    assert [found.cluster.column, found.label.column, found.score.column] == ["author", "class", "score"]
    assert found.text.reason == "by its name"
    assert found.labels == (("neither", 2), ("hate", 1))
    assert found.positive == ("hate",)
    assert found.rows == 3
    assert found.known == ""


def test_columns_are_guessed_by_content_where_names_say_nothing(guess):
    rows = "".join(f"{n},goose number {n} says honk to all,{'AB'[n % 3 == 0]}\n" for n in range(1, 10))
    found = guess("a,b,c\n" + rows)
    assert found.text.column == "b"
    assert "longest" in found.text.reason
    assert found.label.column == "c"
    assert found.label.reason == "it has only 2 values"
    assert found.positive == ("B",)
    assert "rarest" in found.positive_reason


def test_an_index_that_a_frame_wrote_is_an_id(guess):
    found = guess(",text,label\n0,a goose,1\n1,a duck,0\n")
    assert found.id.column == ""
    assert found.id.reason
    assert found.positive == (1,)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ("1 0", (1,)),
        ("OFF NOT", ("OFF",)),
        ("HOF NOT", ("HOF",)),
        ("True False", ("True",)),
        ("hate offensive neither", ("hate", "offensive")),
        ("rude neutral", ("rude",)),
        ("0 1 2", (2,)),
        ("1", (1,)),
    ],
)
def test_positive_labels_are_guessed_by_what_they_say(guess, labels, positive):
    rows = "".join(f"some words here,{label}\n" for label in labels.split() for _ in range(2))
    found = guess("text,label\n" + rows)
    assert sorted(found.positive) == sorted(positive)
    assert found.positive_reason


def test_a_name_alone_is_not_enough(guess):
    found = guess("text,label,id,score,lang\na goose,x,1,high,english please\na duck,y,1,low,en\n")
    assert found.id is None
    assert found.score is None
    assert found.language is None


def test_nothing_fits_is_said_by_none(guess):
    found = guess("a,b\n1,2\n3,4\n5,6\n")
    assert found.text is None
    assert found.label is None
    assert found.labels == found.positive == ()


def test_another_encoding_is_proposed_not_taken(guess, tmp_path):
    found = guess("text,label\ncaf\xe9 au lait,1\ntea time,0\n".encode("cp1252"))
    assert found.encoding == "cp1252"
    spec = CorpusSpec(path="c.csv", encoding=found.encoding)
    assert read_corpus(spec, tmp_path, "test").texts[0] == "caf\xe9 au lait"
    assert guess("text,label\na,1\n").encoding is None


def test_a_known_corpus_is_recognised_by_its_bytes(real_data):
    found = guess_columns(real_data / "davidson" / "labeled_data.csv")
    assert found.known == "davidson"
    assert found.positive == (0, 1)
    assert (found.text.column, found.label.column, found.id.column) == ("tweet", "class", "")


def test_what_cannot_be_read_is_named(guess, tmp_path):
    with pytest.raises(FairnbError) as caught:
        guess_columns(tmp_path / "nowhere.csv")
    assert caught.value.code == "file-missing"
    with pytest.raises(FairnbError) as caught:
        guess("text,label\n")
    assert caught.value.code == "empty-corpus"
