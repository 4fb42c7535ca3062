import hashlib
import hmac
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.errors import FairnbError
from fairnb.text import keyed_digest, personal_data, redact

KEY = b"a key of the assessor"


def masked(text: str, *slurs: str) -> str:
    return redact(text, "mask", key=KEY, slurs=slurs)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("thanks @mike_99!", "thanks [handle]!"),
        ("RT @mike: hello", "RT [handle]: hello"),
        ("RT@mike", "RT[handle]"),
        ("\uff20mike hello", "[handle] hello"),
        ("@mi\u200bke hello", "[handle] hello"),
        ("&#64;mike hello", "[handle] hello"),
        ("@ann@social.example says", "[handle] says"),
        ("write to ann.b+c@mail.example.org.", "write to [e-mail]."),
        ("see https://example.org/a?b=c#d now", "see [link] now"),
        ("see www.example.org/a now", "see [link] now"),
        ("see t.co/abc123 now", "see [link] now"),
        ("see example.com.", "see [link]."),
        ("ftp://ann:word@host/x", "[link]"),
        ("call +44 20 7946 0958 today", "call [phone] today"),
        ("call (202) 555-0143", "call [phone]"),
        ("call 555-0143", "call [phone]"),
        (
            "on 2026-11-30 or 2019-2020 we met 12 people in 2026",
            "on 2026-11-30 or 2019-2020 we met 12 people in 2026",
        ),
        ("5 & 6", "5 & 6"),
        ("stop.it now", "stop.it now"),
    ],
)
def test_what_leads_to_a_person_is_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("thanks @mike_99!", [("handle", "@mike_99")]),
        ("&#64;mike &amp; ann@mail.example", [("handle", "&#64;mike"), ("email", "ann@mail.example")]),
        ("a\u200b @mi\u200bke\u202e hello", [("handle", "@mi\u200bke")]),
        (
            "\u200d\u0007see www.example.org or call 555-0143",
            [("link", "www.example.org"), ("phone", "555-0143")],
        ),
        ("nobody here", []),
        ("", []),
    ],
)
def test_personal_data_is_told_with_its_place_in_the_raw_text(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [(one.kind, text[one.start : one.end]) for one in personal_data(text)] == found


@given(st.text(alphabet="ab@.:/w5 -\u200b\u202e\u0007&#64;é", max_size=40))
def test_what_is_masked_is_what_is_told(text: str) -> None:
    signs = {"link": "[link]", "email": "[e-mail]", "handle": "[handle]", "phone": "[phone]"}
    shown = masked(text)
    for kind, sign in signs.items():
        assert shown.count(sign) == sum(one.kind == kind for one in personal_data(text))


def test_listed_slurs_keep_their_first_letter() -> None:
    assert masked("You are a silly goose", "goose") == "You are a silly g••••"
    assert masked("GOOSE! #goose_alert, geese, mongoose", "goose") == "G••••! #g••••_alert, geese, mongoose"
    assert masked("two gooses", "goose") == "two g•••••"
    assert masked("a g\u200bo\u200bose", "goose") == "a g••••"
    assert masked("a go\u0308se", "göse") == "a g••••"
    assert masked("silly  goose", "silly goose") == "s••••  •••••"


def test_unseen_marks_do_not_save_what_is_masked() -> None:
    assert masked("hello @mi\u202eke!") == "hello [handle]!"
    assert masked("ann@ex\u200fample.org") == "[e-mail]"
    assert masked("a go\u202eose", "goose") == "a g•⟨U+202E⟩•••"
    assert masked("@goose a goose", "goose") == "[handle] a g••••"


def test_an_empty_list_of_slurs_masks_nothing() -> None:
    assert masked("a goose", "") == "a goose"
    assert masked("a goose", "\u200b") == "a goose"


def test_withheld_text_shows_length_and_keyed_digest_only() -> None:
    text = "You are a silly goose"
    digest = hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()
    assert redact(text, "withhold", key=KEY) == (
        f"[text withheld, 21 characters, keyed digest {digest[:12]}…]"
    )


def test_digest_depends_on_the_key() -> None:
    assert keyed_digest("a", b"one") != keyed_digest("a", b"two")
    assert len(keyed_digest("half \ud800", b"one")) == 64


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        redact("a", "withhold", key=b"")
    assert caught.value.code == "empty-key"


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        redact("a", "hide", key=KEY)  # type: ignore[arg-type]
    assert caught.value.code == "unknown-redaction"


@pytest.mark.parametrize("mode", ["none", "mask"])
def test_what_acts_unseen_is_shown_as_a_sign(mode: str) -> None:
    def shown(text: str) -> str:
        return redact(text, mode, key=KEY)  # type: ignore[arg-type]

    assert shown("a\u202eb") == "a⟨U+202E⟩b"
    assert shown("bell\x07 null\x00 delete\x7f") == "bell␇ null␀ delete␡"
    assert shown("half \ud83d pair") == "half \ufffd pair"
    assert shown("a\u200bb\u00adc") == "abc"
    assert shown("two\nlines\tand") == "two\nlines\tand"
    assert shown("line\u2028separator") == "line\nseparator"
    assert shown("\x85") == "⟨U+0085⟩"


def test_pictographs_of_several_characters_stay_whole() -> None:
    family = "👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽"
    assert redact(family, "none", key=KEY) == family


def test_a_shown_text_is_not_unescaped_again() -> None:
    once = redact("&amp;lt;", "none", key=KEY)
    assert once == "&lt;"
    assert redact(once, "mask", key=KEY, escaped=False) == "&lt;"


def test_result_is_text_not_html() -> None:
    assert redact("&lt;script&gt;", "mask", key=KEY) == "<script>"


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    once = redact(text, "mask", key=KEY, slurs=("goose",))
    assert redact(once, "mask", key=KEY, slurs=("goose",), escaped=False) == once


@given(st.text())
def test_what_is_shown_can_be_written_and_holds_no_control(text: str) -> None:
    shown = redact(text, "none", key=KEY)
    shown.encode("utf-8")
    assert not any(c < " " and c not in "\n\t" for c in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


@pytest.mark.parametrize(
    "unit", ["a", "a.", "@", "@a", "1", "1 ", "a@", "http://", "w.", "-", "(1", "a-", "www."]
)
def test_no_text_takes_more_than_time_in_proportion(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    begun = time.perf_counter()
    masked(text, "goose")
    assert time.perf_counter() - begun < 5
