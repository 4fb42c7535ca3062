"""TSV: a quote is a character, and rows are lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.corpus._tsv import read_tsv
from fairnb.errors import FairnbError


def table(text):
    return read_tsv(text, "t.tsv", {})


def refused(text):
    with pytest.raises(FairnbError) as caught:
        table(text)
    return caught.value


def test_lone_quotes_swallow_no_rows():
    read = table('id\ttext\tlabel\n1\t"ciao\t0\n2\tbella"\t1\n3\tx\t0\n')
    assert read.column("text", "text") == ('"ciao', 'bella"', "x")
    assert list(read.lines) == [2, 3, 4]


def test_doubled_quotes_stay_as_they_stand():
    read = table('text\tlabel\n"so ""clever"""\t1\nplain\t0\n')
    assert read.column("text", "text") == ('"so ""clever"""', "plain")
    assert read.facts["quoted_cells"] == 1


def test_carriage_returns_end_lines_only_before_a_line_feed():
    read = table("text\tlabel\r\na\rb\t1\r\nc\t0")
    assert read.column("text", "text") == ("a\rb", "c")
    assert read.column("label", "label") == ("1", "0")


@pytest.mark.parametrize("break_", ["\u2028", "\u0085", "\x0b", "\x0c"])
def test_other_breaks_belong_to_the_text(break_):
    assert table(f"text\tlabel\na{break_}b\t1\n").column("text", "text") == (f"a{break_}b",)


def test_blank_lines_are_skipped_and_counted_and_lines_stay_right():
    read = table("text\tlabel\n\na\t1\n\nb\t0\n\n")
    assert len(read) == 2
    assert list(read.lines) == [3, 5]
    assert len(read) + 1 + read.facts["blank_lines"] == 6


@pytest.mark.parametrize("row", ["2\tb", "2\tb\t1\textra"])
def test_a_ragged_row_is_named_by_its_line_with_the_way_out(row):
    error = refused(f"id\ttext\tlabel\n1\ta\t0\n{row}\n")
    assert error.code == "ragged-row"
    assert error.where == "t.tsv, line 3"
    assert "save the file as CSV" in error.remedy


@pytest.mark.parametrize("text", ["", "\n", "\r\n\r\n"])
def test_an_empty_file_is_refused(text):
    assert refused(text).code == "empty-file"


CELLS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), min_size=1, max_size=20
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_as_many_rows_are_read_as_lines_were_written(rows):
    lines = ["\t".join(row) for row in [("text", "label"), *rows]]
    read = table("\n".join(lines) + "\n")
    assert list(zip(read.column("text", "text"), read.column("label", "label"), strict=True)) == rows
