"""What is known by name, and how a wrong name is answered."""

from __future__ import annotations

import re

import pytest

from fairnb.errors import FairnbError
from fairnb.registry import all_known, known

PROMISED = {
    "toxic-comment-classifier": "system",
    "alt-profanity-check": "system",
    "davidson": "corpus",
    "olid": "corpus",
    "paper": "corpus",
    "paper-train": "corpus",
    "paper-test": "corpus",
    "jigsaw-madlibs": "corpus",
    "crows-pairs": "corpus",
    "demo": "corpus",
    "demo-train": "corpus",
    "demo-test": "corpus",
    "glove-6b-50d": "embeddings",
}


def test_every_promised_thing_is_known():
    assert {thing.name: thing.kind for thing in all_known()} == PROMISED


def test_listing_one_kind_leaves_the_others_out():
    assert [thing.name for thing in all_known("embeddings")] == ["glove-6b-50d"]


@pytest.mark.parametrize("thing", all_known(), ids=lambda thing: thing.name)
def test_every_thing_states_licence_source_and_digests(thing):
    assert thing.licence
    assert thing.title
    assert thing.description
    assert thing.address.startswith("https://github.com/") or thing.generated
    assert thing.files or thing.derived_from or thing.generated
    for file in thing.files:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.size > 0
        assert not file.path.startswith("/")
        assert ".." not in file.path


def test_a_size_is_that_of_the_files_and_none_without_files():
    assert known("davidson").size == 2546446
    assert known("paper").size is None


def test_class_counts_are_those_of_the_papers_corpus():
    # 34,220 + 3,803 = 38,023 rows; 22,518 + 2,502 = 25,020 positive.
    counts = {name: dict(known(name).classes) for name in ("paper", "paper-train", "paper-test")}
    assert counts["paper"] == {"1": 25020, "0": 13003}
    for label, rows in counts["paper"].items():
        assert counts["paper-train"][label] + counts["paper-test"][label] == rows


def test_a_labelled_corpus_says_what_positive_means():
    for thing in all_known("corpus"):
        if thing.name != "crows-pairs":
            assert thing.positive_means, thing.name
            assert not set(thing.positive) & set(thing.negative)
    assert "merely offensive" in known("paper").positive_means


def test_a_misspelt_name_is_answered_with_the_nearest_and_the_list():
    with pytest.raises(FairnbError, match=r"did you mean 'davidson'.*known names: .*olid") as caught:
        known("davison")
    assert caught.value.code == "unknown-name"


def test_a_path_is_not_a_name():
    with pytest.raises(FairnbError) as caught:
        known("../../davidson")
    assert caught.value.code == "unknown-name"
