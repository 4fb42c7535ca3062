"""What a cell means as a label, an id, a number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fairnb.corpus._table import Table
from fairnb.errors import FairnbError

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})(\.0+)?")


def label_of(cell: object) -> int | str | None:
    """Read a label: whole numbers (``1``, ``"1"``, ``"1.0"``, True) as int, other text stripped, empty as None."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, (bool, int)):
        return int(cell)
    text = str(cell).strip()
    if _WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    return text or None


def texts_of(table: Table, column: str) -> tuple[str, ...]:
    """Take texts as they stand; an empty cell is an empty text.

    Raises
    ------
    FairnbError
        ``not-a-text`` for a number or an object, ``bad-character`` for half a character pair, both
        with line and column.
    """
    cells = table.column(column, "text")
    texts = tuple("" if cell is None else cell for cell in cells)
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise FairnbError(
                "not-a-text",
                f"a text is expected, found {_shown(text)}",
                "put texts in quotes, or name the column that holds them",
                where=table.where(row, column),
            )
        if not text.isascii() and not _is_encodable(text):
            raise FairnbError(
                "bad-character",
                "the text holds half of a character pair (a lone surrogate), which is no character",
                "repair the text where it was exported",
                where=table.where(row, column),
            )
        if "\0" in text:
            raise FairnbError(
                "nul-byte",
                "there is a NUL character, which no text holds",
                "repair the text where it was exported",
                where=table.where(row, column),
            )
    return texts  # type: ignore[return-value]  # every element was seen to be a str


def ids_of(table: Table, column: str | None) -> tuple[str, ...]:
    """Take ids as text; without a column rows are numbered from 1.

    Raises
    ------
    FairnbError
        ``missing-id`` or ``duplicate-id`` with line and column.
    """
    if column is None:
        return tuple(str(row + 1) for row in range(len(table)))
    ids = tuple("" if cell is None else str(cell) for cell in table.column(column, "id"))
    seen: dict[str, int] = {}
    for row, name in enumerate(ids):
        if not name.strip():
            raise FairnbError("missing-id", "the id is empty", _IDS, where=table.where(row, column))
        if name in seen:
            raise FairnbError(
                "duplicate-id",
                f"the id {name!r} was already given in {table.where(seen[name])}",
                _IDS,
                where=table.where(row, column),
            )
        seen[name] = row
    return ids


def names_of(table: Table, column: str | None, key: str) -> tuple[str, ...] | None:
    """Take a column of short names (languages, clusters) as stripped text; None without a column."""
    if column is None:
        return None
    return tuple("" if cell is None else str(cell).strip() for cell in table.column(column, key))


def recorded_of(table: Table, column: str) -> tuple[str | float | None, ...]:
    """Keep the cells of a column of scores: numbers as float, empty as None, anything else as its text."""
    return tuple(_recorded(cell) for cell in table.column(column, "scores"))


def numbers_of(table: Table, column: str, key: str) -> tuple[float | None, ...]:
    """Read a column of numbers; empty cells are None.

    Raises
    ------
    FairnbError
        ``not-a-number`` with line and column.
    """
    values = tuple(_recorded(cell) for cell in table.column(column, key))
    for row, value in enumerate(values):
        if isinstance(value, str):
            raise FairnbError(
                "not-a-number",
                f"a number is expected, found {_shown(value)}",
                "write numbers with a decimal point, and leave cells empty where there is none",
                where=table.where(row, column),
            )
    return values  # type: ignore[return-value]  # every text was refused above


def counted(labels: Sequence[int | str | None]) -> dict[str, int]:
    """Count each label by its text, most frequent first; missing ones are left out."""
    counts: dict[str, int] = {}
    for label in labels:
        if label is not None:
            counts[str(label)] = counts.get(str(label), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _recorded(cell: object) -> str | float | None:
    if cell is None:
        return None
    text = str(int(cell) if isinstance(cell, bool) else cell).strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        return text
    # float() also reads "nan", "inf" and "1_000", none of which a column of scores means.
    return value if math.isfinite(value) and "_" not in text else text


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


_IDS = "give each row an id of its own, or leave out id = to number the rows"
