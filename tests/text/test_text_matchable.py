import html
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.text import matchable
from fairnb.text._matchable import _COMPOSING, is_ignorable


@pytest.mark.parametrize(
    ("raw", "form"),
    [
        ("Black Friday", "black friday"),
        ("cafe\u0301", "café"),
        ("café", "café"),
        ("ga\u200by", "gay"),
        ("g\u202ea\u00ady\ufeff", "gay"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("\u0130stanbul", "istanbul"),
        ("I\u0307stanbul", "istanbul"),
        ("ma\u2019am", "ma'am"),
        ("ma\u02bcam", "ma'am"),
        ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("rock &amp; roll", "rock & roll"),
        ("&amp;amp;", "&amp;"),
        ("white \n\t house", "white house"),
        ("white\u00a0house", "white house"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("", ""),
        ("\u200b", ""),
    ],
)
def test_texts_and_terms_are_compared_in_one_form(raw: str, form: str) -> None:
    assert matchable(raw).text == form


def test_composed_and_decomposed_letters_keep_their_own_offsets() -> None:
    raw = "un cafe\u0301 noir"
    form = matchable(raw)
    start = form.text.index("café")
    assert raw[slice(*form.span(start, start + 4))] == "cafe\u0301"


def test_a_letter_that_folds_to_two_keeps_its_place() -> None:
    raw = "die Straße 5"
    form = matchable(raw)
    start = form.text.index("strasse")
    assert raw[slice(*form.span(start, start + 7))] == "Straße"
    assert raw[slice(*form.span(start + 5, start + 6))] == "ß"


def test_a_span_does_not_take_in_what_is_unseen_beside_it() -> None:
    raw = "\u200bgay\u200b!"
    form = matchable(raw)
    assert raw[slice(*form.span(0, 3))] == "gay"


def test_a_span_takes_in_the_whole_entity() -> None:
    raw = "a &quot;gay&quot; bar"
    form = matchable(raw)
    start = form.text.index('"gay"')
    assert raw[slice(*form.span(start, start + 5))] == "&quot;gay&quot;"


def test_every_starter_that_composes_with_what_precedes_it_is_known() -> None:
    composing = set()
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.is_normalized("NFC", chr(code)):
            second = chr(int(parts[1], 16))
            if not unicodedata.combining(second):
                composing.add(second)
    composing |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    assert composing <= _COMPOSING


PIECES = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [*"aeIß&; \n", "\u0301", "\u0327", "\u200d", "\u0130", "\u0345", "&amp;", "\u1100", "\u1161"]
        )
    ).map("".join),
)


def _reference(raw: str) -> str:
    """The same form by whole-string operations, without offsets."""
    seen = raw
    if "&" in raw:
        marked = raw.replace("&amp;", "\ue000")
        seen = html.unescape(marked).replace("\ue000", "&")
    kept = "".join(c for c in seen if not is_ignorable(c))
    kept = "".join("\ufffd" if unicodedata.category(c) == "Cs" else c for c in kept)
    folded = unicodedata.normalize(
        "NFC", unicodedata.normalize("NFC", kept).replace("\u0130", "i").casefold()
    )
    for apostrophe in "\u2018\u2019\u02bc":
        folded = folded.replace(apostrophe, "'")
    words = []
    for character in folded:
        space = " " if character.isspace() else character
        if not (space == " " and words and words[-1] == " "):
            words.append(space)
    return "".join(words)


@given(PIECES)
def test_form_equals_whole_string_normalisation(raw: str) -> None:
    if "&" in raw.replace("&amp;", ""):
        raw = raw.replace("&", "&amp;")
    assert matchable(raw).text == _reference(raw)


@given(PIECES)
def test_form_of_a_form_is_itself(raw: str) -> None:
    once = matchable(raw.replace("&", "")).text
    assert matchable(once).text == once


@given(PIECES)
def test_offsets_rise_and_stay_inside(raw: str) -> None:
    form = matchable(raw)
    length = len(form.text)
    assert form.starts.shape == form.ends.shape == (length + 1,)
    assert form.starts[-1] == len(raw)
    assert all(a <= b for a, b in zip(form.starts, form.starts[1:], strict=False))
    for place in range(length):
        start, end = form.span(place, place + 1)
        assert 0 <= start < end <= len(raw)


@pytest.mark.parametrize(
    "raw", ["e" + "\u0301" * 200_000, "&" * 200_000, "&#" * 100_000, " " * 200_000, "é" * 200_000]
)
def test_no_text_takes_more_than_time_in_proportion(raw: str) -> None:
    begun = time.perf_counter()
    matchable(raw)
    assert time.perf_counter() - begun < 5
