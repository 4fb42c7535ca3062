"""A file as it is looked at before its columns have a meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairnb.corpus import preview
from fairnb.errors import FairnbError

HEAD = "text,label,share\n"


def _file(folder: Path, rows: int, name: str = "a.csv") -> Path:
    path = folder / name
    lines = [f'"She baked ""bread"",\nand cake {i}",{i % 2},0.{i % 10}\n' for i in range(rows)]
    path.write_text(HEAD + "".join(lines))
    return path


def test_of_a_large_file_whole_rows_from_its_beginning_are_read(tmp_path: Path) -> None:
    path = _file(tmp_path, 50)
    row = '"She baked ""bread"",\nand cake 0",0,0.0\n'
    for most in range(len(HEAD + row), len(HEAD + row) + len(row)):
        seen = preview(path, most=most)
        # By hand: rows 0 to 9 are equally long, and only one fits; a line break in a cell ends no row.
        assert (seen.guess.rows, seen.whole) == (1, False)
        assert seen.rows[0][0] == 'She baked "bread", and cake 0'
    whole = preview(path, most=10**6)
    assert (whole.guess.rows, whole.whole) == (50, True)
    assert preview(path).guess.rows == 50


def test_a_first_row_longer_than_what_is_read_at_once_is_read_nevertheless(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'text,label\n"{"bread, " * 500}",1\ncake,0\n')
    assert preview(path, most=64).guess.rows == 1
    path.write_text(f'text,label\n"{"bread, " * 500}",1')
    assert preview(path, most=64).whole


def test_lines_of_json_are_cut_between_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"text": "bread {i}", "label": {i % 2}}}\n' for i in range(30)))
    seen = preview(path, most=100)
    # By hand: a line has 32 bytes, and 100 hold three.
    assert (seen.guess.rows, seen.whole) == (3, False)


@pytest.mark.parametrize("declared", ["utf-16", "utf-16-le"])
def test_a_file_whose_characters_are_several_bytes_is_not_cut(tmp_path: Path, declared: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(("text,label\n" + "".join(f"bread {i},{i % 2}\n" for i in range(40))).encode(declared))
    assert preview(path, encoding=declared, most=99).guess.rows == 40


def test_a_file_in_latin_1_says_how_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nschöner Käse,1\nBrot,0\n".encode("latin-1"))
    assert preview(path).guess.encoding == "cp1252"
    assert preview(path, encoding="latin-1").rows[0][0] == "schöner Käse"


def test_samples_are_the_first_different_cells_masked_and_without_hidden_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    cells = ["write to ann@example.org", "write to ann@example.org", "", "safe\u202etxt", "x" * 99, "more"]
    path.write_text("text,label\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    column = preview(path).columns[0]
    assert column.samples == ("write to [e-mail]", "safe⟨U+202E⟩txt", "x" * 47 + "…")
    # By hand: five of six cells are filled, and two of these are equal.
    assert (column.values, round(column.missing, 4)) == (4, 0.1667)


def test_what_would_be_cut_in_two_is_not_shown_by_half(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    # An address at the place where very long cells are cut before masking (20 x 48 and 20 x 120 characters).
    for most in (960, 2400):
        cell = ("https://example.org/" + "y" * 2400)[: most - 8] + " ann@example.org"
        path.write_text(f"text,label\n{cell},1\nbread,0\n")
        seen = preview(path)
        assert "ann" not in str(seen.rows) + str(seen.columns)


def test_columns_of_one_name_are_told_apart_and_have_no_role(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,text,label\nsome bread,1,0\nsome cake,2,1\n")
    seen = preview(path)
    assert [(one.repeated, one.role, one.samples) for one in seen.columns] == [
        (True, "", ("some bread", "some cake")),
        (True, "", ("1", "2")),
        (False, "label", ("0", "1")),
    ]
    assert seen.rows == (("some bread", "1", "0"), ("some cake", "2", "1"))


def test_a_file_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FairnbError) as missing:
        preview(tmp_path / "a.csv", most=10)
    assert (missing.value.code, missing.value.where) == ("file-missing", "a.csv")
