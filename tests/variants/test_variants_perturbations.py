"""Perturbations: what each changes, what none may touch, and that nothing but seed and text decides."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.errors import FairnbError
from fairnb.text import matchable, personal_data
from fairnb.variants import find_perturbation, perturbations

NAMES = [one.name for one in perturbations()]
TEXT = "You are a silly goose and the gay couple next door baked good bread"
KEPT = (
    "@mike_99",
    "ann.b@mail.example.org",
    "https://example.org/a?b=c",
    "#baked_bread",
    "&amp;",
    "555-0143",
)
ANY = st.text(
    alphabet=st.characters(codec="utf-16", categories=None) | st.sampled_from("abc de@#&;.'é\u0301")
)


def change(name: str, text: str, seed: int = 0, language: str = "en") -> str:
    return find_perturbation(name).apply(text, seed=seed, language=language).text


def test_case() -> None:
    assert change("upper_case", "Don’t go, Zoë!") == "DON’T GO, ZOË!"
    assert change("lower_case", "DON’T go, Zoë!") == "don’t go, zoë!"


@pytest.mark.parametrize("seed", range(20))
def test_missing_spaces_lose_nothing_but_spaces(seed: int) -> None:
    changed = change("missing_spaces", TEXT, seed)
    # 14 words: 13 spaces between them, of which one in five is left out.
    assert len(TEXT) - len(changed) == round(0.2 * 13)
    assert changed.replace(" ", "") == TEXT.replace(" ", "")


@pytest.mark.parametrize("seed", range(20))
def test_typing_errors_are_inside_long_words(seed: int) -> None:
    before, after = TEXT.split(), change("typos", TEXT, seed).split()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    # silly goose couple next door baked good bread: eight words of four letters or more.
    assert len(changed) == round(0.2 * 8)
    for old, new in changed:
        assert len(old) >= 4
        assert (old[0], old[-1]) == (new[0], new[-1])
        same_letters = sorted(old) == sorted(new)
        one_missing = len(new) == len(old) - 1 and any(
            old[:place] + old[place + 1 :] == new for place in range(len(old))
        )
        assert same_letters or one_missing


@pytest.mark.parametrize("seed", range(20))
def test_repeated_letters_are_written_four_times(seed: int) -> None:
    changed = change("repeated_letters", TEXT, seed)
    # All words but "a" have two letters; three letters are added to one word in five.
    assert len(changed) - len(TEXT) == 3 * round(0.2 * 13)
    assert len(re.findall(r"(.)\1{3}", changed)) == round(0.2 * 13)


def test_a_word_without_a_vowel_repeats_its_last_letter() -> None:
    assert change("repeated_letters", "hmm") == "hmmmmm"
    assert change("repeated_letters", "so") == "soooo"


@pytest.mark.parametrize("seed", range(20))
def test_look_alikes_are_cyrillic_and_nothing_else_changes(seed: int) -> None:
    changed = change("look_alikes", TEXT, seed)
    pairs = [(old, new) for old, new in zip(TEXT, changed, strict=True) if old != new]
    assert pairs
    for _, new in pairs:
        assert unicodedata.name(new).startswith("CYRILLIC")
    # A word has one at most.
    words = zip(TEXT.split(), changed.split(), strict=True)
    assert max(sum(a != b for a, b in zip(old, new, strict=True)) for old, new in words) == 1


@pytest.mark.parametrize("seed", range(20))
def test_zero_width_characters_vanish_when_texts_are_matched(seed: int) -> None:
    changed = change("zero_width", TEXT, seed)
    assert changed.count("\u200b") == round(0.5 * 13)
    assert matchable(changed).text == matchable(TEXT).text


def test_digits_for_letters() -> None:
    assert change("leetspeak", "Toasties") == "70457135"


def test_kind_words_stand_before_or_after() -> None:
    made = {change("benign_words", "Go away", seed) for seed in range(40)}
    assert all(text.startswith("Go away ") or text.endswith(" Go away") for text in made)
    assert len(made) == 8
    assert "grazie mille" in {change("benign_words", "ciao", seed, "it")[5:] for seed in range(40)}
    assert change("benign_words", "salut", language="fr") == "salut"


@pytest.mark.parametrize("seed", range(20))
def test_joined_words_keep_their_letters(seed: int) -> None:
    changed = change("joined_hashtags", TEXT, seed)
    assert changed.count("#") == 1
    assert changed.replace("#", "").replace(" ", "") == TEXT.replace(" ", "")
    assert 1 <= TEXT.count(" ") - changed.count(" ") <= 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_what_leads_somewhere_stays(name: str, seed: int) -> None:
    text = "See you {} good people {} come in {} sit down {} take some {} bread call {} now".format(*KEPT)
    changed = change(name, text, seed)
    assert changed != text
    for kept in KEPT:
        assert kept in changed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lower_case", "all small already"),
        ("upper_case", "ALL IN CAPITALS"),
        ("missing_spaces", "one"),
        ("missing_spaces", "one, two; three"),
        ("typos", "we are to go"),
        ("repeated_letters", "I"),
        ("look_alikes", "hmm"),
        ("zero_width", "a b c"),
        ("leetspeak", "why"),
        ("benign_words", "  \n"),
        ("joined_hashtags", "one, two"),
        *[(name, "@mike") for name in NAMES if name != "benign_words"],
        *[(name, "\u4f60\u597d \u0645\u0631\u062d\u0628\u0627") for name in NAMES if name != "benign_words"],
        *[(name, "cafe\u0301") for name in NAMES if name != "benign_words"],
        *[(name, "") for name in NAMES],
        *[(name, "😀 ?! 12") for name in NAMES if name != "benign_words"],
    ],
)
def test_a_text_that_cannot_be_changed_is_told(name: str, text: str) -> None:
    assert find_perturbation(name).apply(text).unchanged


@pytest.mark.parametrize("name", NAMES)
@given(text=ANY, seed=st.integers(0, 3))
def test_only_seed_and_text_decide(name: str, text: str, seed: int) -> None:
    one = find_perturbation(name)
    first = one.apply(text, seed=seed)
    one.apply("another text in between", seed=seed)
    assert one.apply(text, seed=seed) == first
    assert first.original == text
    assert first.unchanged == (first.text == text)


@pytest.mark.parametrize("name", NAMES)
@given(text=ANY)
def test_who_is_named_by_a_handle_or_link_is_named_after(name: str, text: str) -> None:
    changed = change(name, text)
    for found in personal_data(text):
        assert text[found.start : found.end] in changed


def test_another_seed_draws_other_words() -> None:
    drawn = [name for name in NAMES if len({change(name, TEXT, seed) for seed in range(10)}) > 1]
    assert drawn == [name for name in NAMES if name not in ("lower_case", "upper_case")]


def test_each_states_what_it_assumes() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for one in perturbations():
        assert one.title
        assert one.description
        assert one.assumption.endswith(".")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(FairnbError, match="did you mean 'typos'") as error:
        find_perturbation("typo")
    assert error.value.code == "unknown-perturbation"


def test_a_very_long_text_is_changed_in_time() -> None:
    for one in perturbations():
        assert not one.apply("Silly goose " * 2_000).unchanged
        one.apply("a" * 100_000 + "\u0301")
