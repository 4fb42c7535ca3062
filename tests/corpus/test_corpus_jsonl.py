"""JSON lines: one object per line, refused by line and character."""

from __future__ import annotations

import json

import pytest

from fairnb.corpus._jsonl import read_jsonl
from fairnb.errors import FairnbError


def table(text):
    return read_jsonl(text, "j.jsonl", {})


def refused(text):
    with pytest.raises(FairnbError) as caught:
        table(text)
    return caught.value


def test_texts_with_breaks_quotes_and_emoji_come_back_unchanged():
    text = 'one\ntwo\t"three" \U0001f602 \u2028 end'
    for ascii_only in (True, False):
        line = json.dumps({"text": text, "label": 1}, ensure_ascii=ascii_only)
        assert table(line + "\r\n").column("text", "text") == [text]


def test_a_key_left_out_is_an_empty_cell():
    read = table('{"text": "a", "label": 1}\n\n{"text": "b", "lang": "en"}\n')
    assert read.columns == ("text", "label", "lang")
    assert read.column("label", "label") == [1, None]
    assert read.column("lang", "language") == [None, "en"]
    assert list(read.lines) == [1, 3]
    assert read.facts["blank_lines"] == 1


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"text": "a"', "not JSON"),
        ("[1, 2]", "an array"),
        ('"text"', "not an object"),
        ('{"text": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_line_is_named(line, what):
    error = refused(f'{{"text": "a", "label": 1}}\n{line}\n')
    assert error.code == "bad-json"
    assert error.where.startswith("j.jsonl, line 2")
    assert what in error.found


def test_a_json_array_over_several_lines_is_answered_with_the_form_expected():
    assert "one object per line" in refused('[\n{"text": "a"}\n]\n').remedy


def test_an_empty_file_is_refused():
    assert refused("\n \n").code == "empty-file"
