import html

from hypothesis import given
from hypothesis import strategies as st

from fairnb.text import Visible, visible

ENTITIES = st.lists(
    st.sampled_from(
        [
            "a",
            " ",
            "&",
            ";",
            "&amp;",
            "&lt;",
            "&#128514;",
            "&#x1F602;",
            "&eacute;",
            "&nbsp;",
            "#",
            "&nope;",
            "é",
        ]
    )
).map("".join)


def test_entities_are_unescaped_exactly_once() -> None:
    assert visible("&amp;lt;b&amp;gt;").text == "&lt;b&gt;"
    assert visible("so funny &#128514;").text == "so funny 😂"
    assert visible("bread &amp; butter").text == "bread & butter"


def test_an_entity_ends_in_a_semicolon() -> None:
    link = "http://example.org/?a=1&copy=2"
    assert visible(link).text == link
    assert visible("R&amp").text == "R&amp"


def test_unknown_entities_stay_as_they_are() -> None:
    assert visible("&nonsense; &; &#; &#xyz;").text == "&nonsense; &; &#; &#xyz;"


def test_offsets_lead_to_the_entity_in_the_raw_text() -> None:
    raw = "x &amp; y &#128514;!"
    seen = visible(raw)
    start, end = seen.span(seen.text.index("&"), seen.text.index("&") + 1)
    assert raw[start:end] == "&amp;"
    start, end = seen.span(seen.text.index("😂"), seen.text.index("😂") + 1)
    assert raw[start:end] == "&#128514;"
    assert seen.starts.shape == (len(seen.text) + 1,)
    assert seen.starts[-1] == len(raw)


def test_one_entity_may_stand_for_two_characters() -> None:
    raw = "a&NotEqualTilde;b"
    seen = visible(raw)
    assert seen.text == html.unescape(raw)
    assert seen.span(2, 3) == (1, len(raw) - 1)


@given(ENTITIES)
def test_text_is_what_the_standard_library_reads_where_entities_are_closed(raw: str) -> None:
    seen = visible(raw)
    assert seen.text == html.unescape(raw)
    rebuilt = "".join(html.unescape(raw[s:e]) for s, e in _distinct(seen))
    assert rebuilt == seen.text


def _distinct(seen: Visible) -> list[tuple[int, int]]:
    spans = [seen.span(i, i + 1) for i in range(len(seen.text))]
    return list(dict.fromkeys(spans))


def test_offsets_cannot_be_changed() -> None:
    for raw in ("plain", "&amp;"):
        assert not visible(raw).starts.flags.writeable
        assert not visible(raw).ends.flags.writeable
