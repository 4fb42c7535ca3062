"""CSV: texts kept exactly, and every hostile file read rightly or refused by line."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.corpus._csv import read_csv
from fairnb.errors import FairnbError


def table(text):
    return read_csv(text, "c.csv", {})


def refused(text):
    with pytest.raises(FairnbError) as caught:
        table(text)
    return caught.value


def test_line_breaks_delimiters_and_quotes_inside_quotes_are_kept():
    read = table('id,text,label\n1,"one\ntwo,\r\n""three""",0\n2,plain,1\n')
    assert read.column("text", "text") == ('one\ntwo,\r\n"three"', "plain")
    assert list(read.lines) == [2, 5]
    assert read.facts["rows_over_several_lines"] == 1


def test_spaces_around_a_cell_belong_to_the_text():
    assert table("text,label\n  silly goose ,1\n").column("text", "text") == ("  silly goose ",)


def test_a_quote_within_an_unquoted_cell_is_a_character():
    assert table('text,label\nso "clever" of you,1\n').column("text", "text") == ('so "clever" of you',)


@pytest.mark.parametrize("break_", ["\u2028", "\u0085", "\x0b", "\x0c", "\x1e"])
def test_only_line_feeds_and_carriage_returns_end_a_row(break_):
    read = table(f"text,label\na{break_}b,1\n")
    assert read.column("text", "text") == (f"a{break_}b",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_rows_end_in_any_of_the_three_line_ends_with_or_without_the_last(end, last):
    read = table(end.join(["text,label", "a,1", "b,0"]) + (end if last else ""))
    assert read.column("text", "text") == ("a", "b")


def test_a_semicolon_is_the_delimiter_where_the_header_has_no_comma():
    read = table("text;label\nbread, butter;1\n")
    assert read.column("text", "text") == ("bread, butter",)
    assert read.facts["delimiter"] == ";"


def test_blank_lines_are_skipped_and_counted():
    read = table("text,label\n\na,1\n\n\nb,0\n\n")
    assert len(read) == 2
    assert read.facts["blank_lines"] == 4
    assert list(read.lines) == [3, 6]


def test_a_text_longer_than_pythons_default_limit_is_read():
    long = "honk " * 40_000
    assert table(f"text,label\n{long},1\n").column("text", "text") == (long,)


@pytest.mark.parametrize("row", ["2,b", "2,b,1,extra"])
def test_a_ragged_row_is_named_by_its_line(row):
    error = refused(f'id,text,label\n1,"two\nlines",0\n{row}\n')
    assert error.code == "ragged-row"
    assert error.where == "c.csv, line 4"
    assert "the header 3" in error.found


def test_a_quote_that_is_never_closed_is_named_by_the_line_it_opens_on():
    error = refused('id,text,label\n1,a,0\n2,"swallows,1\n3,the,0\n4,rest,1\n')
    assert error.code == "bad-quotes"
    assert error.where == "c.csv, line 3"
    assert "never closed" in error.found


def test_text_after_a_closing_quote_is_refused():
    error = refused('id,text,label\n1,"ciao"bella,0\n')
    assert error.code == "bad-quotes"
    assert error.where == "c.csv, line 2"


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_is_refused(text):
    assert refused(text).code == "empty-file"


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_what_pythons_writer_writes_comes_back_unchanged(rows):
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *rows])
    read = table(file.getvalue())
    assert list(zip(read.column("text", "text"), read.column("label", "label"), strict=True)) == rows
