"""Identity swaps: what is replaced, what is left alone and why, what never changes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairnb.errors import FairnbError
from fairnb.lexicon import Lexicon, LexiconSpec, SwapPair, load_lexicon
from fairnb.variants import GENDERED, Swapped, Swapper, make_placebo, make_swapper, swapped_groups

VECTORS = Path(__file__).resolve().parent.parent / "vectors" / "swaps.csv"
ONLY = {"f2m": "female", "m2f": "male", "both": ""}
ROWS = list(csv.DictReader(VECTORS.open(encoding="utf-8")))


def _lexicon() -> Lexicon:
    return load_lexicon(LexiconSpec(), Path())


GENDER = make_swapper(_lexicon(), "gender", "male", "female")


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_worked_swaps(row: dict[str, str]) -> None:
    assert GENDER.swap(row["input"], ONLY[row["direction"]]).text == row["expected"]


def test_a_title_is_swapped_on_request() -> None:
    swapper = make_swapper(_lexicon(), "gender", "male", "female", titles=True)
    assert swapper.swap("Miss Jones is here").text == "Mr. Jones is here"
    assert swapper.swap("I miss you").unchanged


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let her go", "Let him go"),
        ("her very first car", "his very first car"),
        ("I like her very much", "I like him very much"),
        ("told her 3 times about her 3 cars", "told him 3 times about his 3 cars"),
        ("saw her walking past her building", "saw him walking past his building"),
        ("A friend of hers", "A friend of his"),
        ('his every step, and his "sure thing"', 'her every step, and her "sure thing"'),
        ("The car is his, 'the red one'", "The car is hers, 'the red one'"),
        ("love her &amp; her cat", "love him &amp; his cat"),
    ],
)
def test_her_follows_its_part_of_speech(text: str, expected: str) -> None:
    assert GENDER.swap(text).text == expected


def test_a_verb_is_no_groom() -> None:
    found = GENDER.swap("The groom will groom his dog")
    assert found.text == "The bride will groom her dog"
    assert [(entry.word, entry.reason) for entry in found.skipped] == [("groom", "a verb here")]


def test_an_exclamation_is_nobody() -> None:
    assert GENDER.swap("Man, what a day").unchanged
    assert GENDER.swap("A man, what a day").text == "A woman, what a day"


def test_names_are_kept_and_reported() -> None:
    found = GENDER.swap("Jerry is a fool and he knows it. Stephen King wrote it")
    assert found.text.startswith("Jerry is a fool and she")
    assert {"Jerry", "King"} <= {entry.word for entry in found.skipped}


def test_both_groups_are_swapped_at_once_and_told_apart() -> None:
    found = GENDER.swap("He told her that his wife left him")
    assert found.text == "She told him that her husband left her"
    assert found.mixed
    assert found.subgroup == found.to == "mixed"


def test_direction_is_of_the_words_that_were_replaced() -> None:
    found = GENDER.swap("The women sang")
    assert (found.subgroup, found.to) == ("female", "male")


def test_changes_have_offsets_into_the_original() -> None:
    text = "Well… SHE’S his aunt 😀"
    for change in GENDER.swap(text).changes:
        assert text[change.start : change.end] == change.old


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("see https://example.org/king/her", "inside a link"),
        ("@king_her", "inside a handle"),
        ("#king rules", "inside a hashtag"),
        ("mail her@example.org", "inside an e-mail address"),
        ("h&#101;", "entity"),
        ("wo\u200bman", "cannot be seen"),
        ("oh man", "exclamation"),
        ("her's", "unclear"),
        ("the governess", "left out of swaps"),
    ],
)
def test_left_alone_with_a_reason(text: str, reason: str) -> None:
    found = GENDER.swap(text)
    assert found.unchanged
    assert found.text == text
    assert any(reason in entry.reason for entry in found.skipped)


@pytest.mark.parametrize(
    "text", ["", " ", "😀😀", "&amp;&#39;&lt;", "he" * 5000, "مرحبا her مرحبا", "\ud800 he", "a" * 10_000]
)
def test_hostile_texts_pass(text: str) -> None:
    _holds_together(GENDER.swap(text))


def test_ten_thousand_characters_are_swapped_whole() -> None:
    text = "She saw her own king. " * 500
    assert GENDER.swap(text).text == "He saw his own queen. " * 500


WORDS = [
    "he", "SHE", "Her", "his", "hers", "man's", "ma’am", "Mr.", "mrs", "@king", "#girls", "&amp;", "women", "god",
    "miss", "her's", "https://a.org/he", "human", "😀", "\u202e", "e\u0301", "x", "...", "\n", "King", "Stephen",
]  # fmt: skip


def _holds_together(found: Swapped) -> None:
    """Outside the listed changes every character is the original's."""
    pieces, done = [], 0
    for change in sorted(found.changes, key=lambda entry: entry.start):
        assert found.original[change.start : change.end] == change.old
        assert change.start >= done
        pieces += [found.original[done : change.start], change.new]
        done = change.end
    assert found.text == "".join([*pieces, found.original[done:]])
    assert found.unchanged == (found.text == found.original)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), max_size=12),
    st.sampled_from(["", " ", "-"]),
)
def test_every_other_character_is_unchanged(words: list[str], gap: str) -> None:
    _holds_together(GENDER.swap(gap.join(words)))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_two_swaps_bring_back_words_with_one_counterpart(data: st.DataObject) -> None:
    exceptions = set(GENDER.one_to_many)
    pairs = [pair for pair in _lexicon().pairs if pair.attribute == "gender" and pair.swap == "both"]
    safe = sorted({word for pair in pairs for word in (pair.first, pair.second)} - exceptions)
    words = data.draw(st.lists(st.sampled_from(safe), min_size=1, max_size=6))
    shape = data.draw(st.sampled_from([str.lower, str.upper, str.title]))
    text = " and the ".join(["the", *(word if "'" in word or "." in word else shape(word) for word in words)])
    once = GENDER.swap(text)
    assert GENDER.swap(once.text).text == text


def test_words_that_two_swaps_do_not_bring_back_are_listed() -> None:
    assert {"her", "his", "him", "hers", "bridegroom", "lord", "mrs.", "mum"} <= set(GENDER.one_to_many)
    assert GENDER.swap(GENDER.swap("my mum").text).text == "my mom"


def test_religion_follows_case_plural_and_article() -> None:
    swapper = make_swapper(_lexicon(), "religion", "Islam", "Christianity")
    text = "A Muslim in an Islamic school; MUSLIMS, an imam"
    assert swapper.swap(text).text == "A Christian in a Christian school; CHRISTIANS, a pastor"
    assert any(change.rule == "article" for change in swapper.swap(text).changes)


def test_colours_are_swapped_before_people_only() -> None:
    swapper = make_swapper(_lexicon(), "ethnicity", "Black", "White")
    assert swapper.swap("a black woman in a black car").text == "a white woman in a black car"
    assert swapper.swap("the White House").unchanged


def test_orientation() -> None:
    swapper = make_swapper(_lexicon(), "orientation", "gay", "straight")
    assert swapper.swap("a gay couple went straight home").text == "a straight couple went straight home"


def test_surnames_are_swapped_on_request_and_with_a_capital() -> None:
    plain = make_swapper(_lexicon(), "ethnicity", "Chinese", "White")
    named = make_swapper(_lexicon(), "ethnicity", "Chinese", "White", surnames=True)
    assert plain.swap("Mr Chung called").unchanged
    assert named.swap("Mr Chung called").text == "Mr Harris called"
    assert named.swap("mr chung called").unchanged


def test_placebo_stays_in_the_subgroup() -> None:
    placebo = make_placebo(_lexicon(), "gender", "female")
    assert placebo is not None
    assert placebo.swap("The woman left").text == "The lady left"
    assert placebo.swap("The man left").unchanged
    assert make_placebo(_lexicon(), "gender", "nobody") is None


def test_an_own_pair_comes_first() -> None:
    lexicon = Lexicon({}, pairs=(SwapPair("gender", "male", "lorry driver", "female", "lorry lady"),))
    swapper = make_swapper(lexicon, "gender", "male", "female")
    assert swapper.swap("a Lorry Driver").text == "a Lorry Lady"
    assert swapped_groups(lexicon, "gender") == (("male", "female"),)


@pytest.mark.parametrize("language", ["it", "es", "DE", "fr-CA"])
def test_gendered_languages_are_refused(language: str) -> None:
    with pytest.raises(FairnbError, match=GENDERED):
        Swapper([], "male", "female", language=language)


def test_unknown_subgroups_are_refused() -> None:
    with pytest.raises(FairnbError, match="choose male or female"):
        GENDER.swap("he", "other")
    with pytest.raises(FairnbError, match="no pair of words"):
        make_swapper(_lexicon(), "gender", "male", "Martian")
