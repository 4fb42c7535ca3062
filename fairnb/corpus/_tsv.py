"""Tab-separated values: no quoting, one row per line."""

from __future__ import annotations

from fairnb.corpus._table import Table, by_column, ragged
from fairnb.errors import FairnbError


def read_tsv(text: str, name: str, facts: dict[str, object]) -> Table:
    r"""Read tab-separated rows; a quote is a character like any other.

    Lines end in ``\n`` or ``\r\n``. Blank lines are skipped and counted, so that rows and lines can be
    compared; every other line must have as many cells as the header.

    Raises
    ------
    FairnbError
        ``ragged-row`` with the line, ``empty-file``.
    """
    # Not splitlines(): that would also split at form feeds and at Unicode line separators inside texts.
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    filled = [number for number, line in enumerate(lines) if line]
    if not filled:
        raise FairnbError("empty-file", "the file is empty", "name a file with a header and rows", where=name)
    columns = lines[filled[0]].split("\t")
    rows = [lines[number].split("\t") for number in filled[1:]]
    for number, row in zip(filled[1:], rows, strict=True):
        if len(row) != len(columns):
            raise ragged(name, number + 1, len(row), len(columns), _RAGGED)
    told = {
        "format": "tsv",
        "delimiter": "\t",
        "blank_lines": len(lines) - len(filled),
        # Many of these hint at a file whose quotes were meant as CSV's.
        "quoted_cells": sum(len(cell) > 1 and cell[0] == cell[-1] == '"' for row in rows for cell in row),
    }
    return Table(
        name,
        tuple(columns),
        by_column(columns, rows),
        [number + 1 for number in filled[1:]],
        facts | told,
    )


_RAGGED = "remove tabs and line breaks from its cells (TSV has no quoting), or save the file as CSV"
