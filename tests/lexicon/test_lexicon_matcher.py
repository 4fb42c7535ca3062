import html
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.errors import FairnbError
from fairnb.lexicon import Matcher, StopPhrase
from fairnb.text import matchable


def found(terms: list[str], text: str, **options: Any) -> list[tuple[str, str]]:
    """(term, what stands in the raw text) of each hit."""
    hits = Matcher(terms, **options).find([text])
    return [(terms[t], text[s:e]) for t, s, e in zip(hits.term, hits.start, hits.end, strict=True)]


def test_vectors_of_term_matching(vectors: Path) -> None:
    cases = json.loads((vectors / "term_matching.json").read_text(encoding="utf-8"))
    for case in cases["cases"]:
        assert bool(found([case["term"]], case["text"])) is case["fairnb_default"], case
    unescaped = {case["term"]: case for case in cases["unescaped"]}
    assert bool(found(["c.sa"], unescaped["c.sa"]["text"])) is unescaped["c.sa"]["fairnb"]
    with pytest.raises(FairnbError) as caught:
        Matcher([""])
    assert caught.value.code == "empty-term"
    assert found(["(donna"], "la (donna e mobile") == [("(donna", "(donna")]


@pytest.mark.parametrize("term", ["", " ", "\u200b", "\u00ad \ufeff"])
def test_a_term_without_a_visible_character_is_refused(term: str) -> None:
    for rule in ("default", "paper"):
        with pytest.raises(FairnbError) as caught:
            Matcher(["gay", term], rule)  # type: ignore[arg-type]
        assert caught.value.code == "empty-term"
        assert "term 2" in str(caught.value)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        Matcher(["gay"], "regex")  # type: ignore[arg-type]
    assert caught.value.code == "unknown-rule"


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [
        ("gay", "the GAY couple next door baked bread", ["GAY"]),
        ("gay", "gay, gay; (gay) gay's \u201cgay\u201d gay", ["gay"] * 6),
        ("gay", "gays", ["gays"]),
        ("gay", "#gay #gaypride #gay_pride", ["gay", "gay"]),
        ("gay", "gaydar nogay gay2 2gay", []),
        ("white", "#white_house white-house", ["white", "white"]),
        ("man", "human humane man's manly", ["man"]),
        ("he", "he's here, the hero, he\u2019ll", ["he", "he"]),
        ("ma'am", "Yes ma\u2019am", ["ma\u2019am"]),
        ("ma\u2019am", "Yes ma'am", ["ma'am"]),
        ("mr.", "Mr. Smith, Mr Smith, mr.x, so mr.", ["Mr.", "Mr", "mr."]),
        ("mr.", "mr...", ["mr."]),
        ("his", "hiss", []),
        ("christians", "christianss", []),
        ("african american", "African American, african-american #african_american africanamerican", 3),
        ("african american", "an African\n  American writer", ["African\n  American"]),
        ("café", "CAFE\u0301 caf&eacute;", ["CAFE\u0301", "caf&eacute;"]),
        ("gay", "&quot;gay&quot; &amp;gay;", ["gay", "gay"]),
        ("muslim", "muslims, Muslims, MUSLIMS", ["muslims", "Muslims", "MUSLIMS"]),
        ("straße", "STRASSE", ["STRASSE"]),
        ("gay", "g\u200ba\u00ady", ["g\u200ba\u00ady"]),
        ("gay", "\U0001f602gay\U0001f602", ["gay"]),
        ("gay", "gay\u0301", []),
        ("gay", "\ud83dgay\ud83d", ["gay"]),
        ("c++", "c++ is not C++s", ["c++"]),
    ],
)
def test_what_a_term_finds(term: str, text: str, expected: list[str] | int) -> None:
    pieces = [piece for _, piece in found([term], text)]
    if isinstance(expected, int):
        assert len(pieces) == expected
    else:
        assert pieces == expected


def test_nested_and_overlapping_terms_are_all_hits() -> None:
    hits = found(
        ["african american", "african", "american", "black women", "women"], "African American black women"
    )
    assert sorted(hits) == [
        ("african", "African"),
        ("african american", "African American"),
        ("american", "American"),
        ("black women", "black women"),
        ("women", "women"),
    ]


def test_the_same_term_twice_gives_each_its_hits() -> None:
    for rule in ("default", "paper"):
        hits = Matcher(["gay", "gay"], rule).find(["gay"])  # type: ignore[arg-type]
        assert hits.term.tolist() == [0, 1]


def test_hits_are_sorted_and_rows_kept_apart() -> None:
    texts = ["", "man", "ma", "n man", "wo", "man woman"]
    hits = Matcher(["woman", "man"]).find(texts)
    assert hits.row.tolist() == [1, 3, 5, 5]
    assert hits.term.tolist() == [1, 1, 1, 0]
    assert [texts[r][s:e] for r, s, e in zip(hits.row, hits.start, hits.end, strict=True)] == [
        "man",
        "man",
        "man",
        "woman",
    ]


@pytest.mark.parametrize("rule", ["default", "paper"])
def test_no_texts_and_no_terms_give_no_hits(rule: Any) -> None:
    for terms, texts in (([], ["gay"]), (["gay"], []), ([], []), (["gay"], [""])):
        hits = Matcher(terms, rule).find(texts)
        assert len(hits) == 0
        assert hits.row.dtype == np.int64


def test_long_corpora_are_looked_through_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"number {i} gay &amp; caf\u00e9 {'x' * (i % 7)}" for i in range(200)]
    whole = Matcher(["gay", "café"]).find(texts)
    monkeypatch.setattr("fairnb.lexicon._matcher._BLOCK", 40)
    blocks = Matcher(["gay", "café"]).find(texts)
    for name in ("row", "term", "start", "end", "suppressed"):
        assert np.array_equal(getattr(whole, name), getattr(blocks, name))


# ---- what does not count

STOPS = (
    StopPhrase("white house", "a building", ("white",)),
    StopPhrase("i miss", "the verb"),
)


def kept(terms: list[str], text: str) -> list[tuple[str, str]]:
    hits = Matcher(terms, "default", STOPS).find([text])
    return [(terms[t], hits.reasons[why]) for t, why in zip(hits.term, hits.suppressed, strict=True)]


def test_a_stop_phrase_suppresses_and_keeps_the_reason() -> None:
    assert kept(["white"], "at the White House") == [("white", "in “white house”: a building")]
    assert kept(["white"], "a white man at the #White_House") == [
        ("white", ""),
        ("white", "in “white house”: a building"),
    ]
    assert kept(["white"], "white house-painters and white households") == [
        ("white", "in “white house”: a building"),
        ("white", ""),
    ]


def test_only_the_named_terms_are_suppressed() -> None:
    assert kept(["white", "house"], "white house") == [
        ("white", "in “white house”: a building"),
        ("house", ""),
    ]
    assert kept(["miss", "you"], "I miss you") == [("miss", "in “i miss”: the verb"), ("you", "")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello @gay_mike", "inside a handle"),
        ("hello @gay", "inside a handle"),
        ("see https://example.org/gay/pride", "inside a link"),
        ("see www.gay.example", "inside a link"),
        ("write to gay@example.org", "inside an e-mail address"),
        ("@mike is gay", ""),
        ("https://example.org gay", ""),
    ],
)
def test_hits_in_handles_links_and_addresses_do_not_count(text: str, reason: str) -> None:
    assert kept(["gay"], text) == [("gay", reason)]


def test_counting_says_which_hits_count() -> None:
    hits = Matcher(["white"], "default", STOPS).find(["white house, white man"])
    assert hits.counting.tolist() == [False, True]


# ---- the paper's rule

WORDS = st.lists(
    st.sampled_from(
        ["gay", "Gay", "#gay", "g#ay", "gay,", "gays", "#", "##", "white", "\n", "\x1c", "é", "@gay"]
    )
).map(" ".join)


@given(st.lists(WORDS, max_size=4))
def test_rule_paper_is_exact_membership_of_split_tokens(texts: list[str]) -> None:
    terms = ["gay", "white", "black man"]
    hits = Matcher(terms, "paper", STOPS).find(texts)
    rows = {(int(r), terms[t]) for r, t in zip(hits.row, hits.term, strict=True)}
    assert rows == {
        (r, term) for r, text in enumerate(texts) for term in terms if term in text.replace("#", "").split()
    }
    assert not hits.suppressed.any()
    for r, t, s, e in zip(hits.row, hits.term, hits.start, hits.end, strict=True):
        assert texts[r][s:e].replace("#", "") == terms[t]


# ---- properties

TERMS = ["gay", "white", "mr.", "african american", "café", "ma'am", "lass", "he", "ß"]
PIECES = st.lists(
    st.sampled_from(
        [
            *TERMS,
            "GAY",
            "s",
            "S",
            " ",
            " ",
            ".",
            "-",
            "_",
            "#",
            "@",
            "'",
            "\u2019",
            "\u200b",
            "\u0301",
            "&amp;",
            "x",
            "\n",
            "😂",
        ]
    )
).map("".join)


@given(st.lists(st.one_of(PIECES, st.text()), max_size=4))
def test_offsets_lead_to_the_term_or_its_plural(texts: list[str]) -> None:
    hits = Matcher(TERMS).find(texts)
    for r, t, s, e in zip(hits.row, hits.term, hits.start, hits.end, strict=True):
        stands = matchable(texts[r][s:e]).text
        term = matchable(TERMS[t]).text
        allowed = {term, term + "s", term.rstrip("."), term.replace(" ", "-"), term.replace(" ", "_")}
        assert stands in allowed


@given(st.lists(PIECES, max_size=3))
def test_hits_equal_a_regular_expression_on_the_matchable_text(texts: list[str]) -> None:
    word, mark = r"[^\W_]", r"[\u0300-\u036f]"
    hits = Matcher(TERMS).find(texts)
    got = sorted(zip(hits.row.tolist(), hits.term.tolist(), strict=True))
    expected = []
    for row, text in enumerate(texts):
        for index, term in enumerate(TERMS):
            form = matchable(term).text
            body = re.escape(form).replace(r"\ ", "[ _-]")
            if " " not in form and form[-1].isalpha() and form[-1] != "s":
                body += "s?"
            if form.endswith("."):
                body = body[:-2] + r"(?:\.|(?!\.))"
            pattern = rf"(?<!{word})(?<!{mark})(?:{body})(?!{word}|{mark})"
            expected += [(row, index)] * len(re.findall(pattern, matchable(text).text))
    assert got == sorted(expected)


@given(PIECES)
def test_order_of_terms_changes_nothing(text: str) -> None:
    forward = Matcher(TERMS).find([text])
    backward = Matcher(TERMS[::-1]).find([text])
    assert {(TERMS[t], int(s)) for t, s in zip(forward.term, forward.start, strict=True)} == {
        (TERMS[::-1][t], int(s)) for t, s in zip(backward.term, backward.start, strict=True)
    }


@pytest.mark.parametrize(
    "unit", ["gay", "gay ", "@", "a@", "http://", "www.", "&amp;", "\u200b", "é\u0301", "gay\u0301"]
)
def test_no_text_takes_more_than_time_in_proportion(unit: str) -> None:
    text = unit * (100_000 // len(unit)) + " gay"
    begun = time.perf_counter()
    Matcher(["gay"], "default", STOPS).find([text])
    assert time.perf_counter() - begun < 5


def test_entities_are_read_as_a_reader_would() -> None:
    raw = "&lt;gay&gt; &amp;lt;white&amp;gt;"
    assert found(["gay", "white", "lt", "amp"], raw) == [("gay", "gay"), ("lt", "lt"), ("white", "white")]
    assert html.unescape(raw) == "<gay> &lt;white&gt;"
