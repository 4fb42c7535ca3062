"""Comma-separated values: quotes are live, and cells may hold line breaks."""

from __future__ import annotations

import csv
import io

from fairnb.corpus._table import Table, by_column, ragged
from fairnb.errors import FairnbError

_LONGEST_CELL = 2**31 - 1
"""A text may be longer than the 131,072 characters that Python's reader allows by default."""


def read_csv(text: str, name: str, facts: dict[str, object]) -> Table:
    """Read strict CSV (RFC 4180); the delimiter is a comma, or a semicolon if the header has no comma.

    Blank lines are skipped and counted; every other row must have as many cells as the header.

    Raises
    ------
    FairnbError
        ``bad-quotes`` or ``ragged-row`` with the line, ``empty-file``.
    """
    head = text.partition("\n")[0]
    delimiter = ";" if "," not in head and ";" in head else ","
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)
    # newline="" keeps the line ends inside quoted cells as they are.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    columns: list[str] | None = None
    blank = several = before = 0
    try:
        for row in reader:
            if not row:
                blank += 1
            elif columns is None:
                columns = row
            elif len(row) != len(columns):
                raise ragged(name, before + 1, len(row), len(columns), _RAGGED)
            else:
                rows.append(row)
                lines.append(before + 1)
                several += reader.line_num > before + 1
            before = reader.line_num
    except csv.Error as error:
        open_quote = "unexpected end" in str(error)
        raise FairnbError(
            "bad-quotes",
            "a quoted cell that starts here is never closed"
            if open_quote
            else f"quotes do not match ({error})",
            "double every quote inside a quoted cell, or save the file as JSON lines",
            where=f"{name}, line {before + 1}",
        ) from error
    if columns is None:
        raise FairnbError("empty-file", "the file is empty", "name a file with a header and rows", where=name)
    told = {"format": "csv", "delimiter": delimiter, "blank_lines": blank, "rows_over_several_lines": several}
    return Table(name, tuple(columns), by_column(columns, rows), lines, facts | told)


_RAGGED = "put quotes around cells that hold the delimiter, or complete the row"
