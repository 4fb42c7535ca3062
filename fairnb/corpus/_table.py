"""A file or frame as columns, before anything is known about what they mean."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairnb.errors import FairnbError


@dataclass(frozen=True, slots=True)
class Table:
    """Cells by column, and where each row came from."""

    name: str
    """What errors call it: the file's name."""
    columns: tuple[str, ...]
    data: tuple[Sequence[object], ...]
    """One sequence of cells per column, all of one length."""
    lines: Sequence[int] = ()
    """Line on which each row starts, counted from 1; empty for frames."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """How it was read: format, encoding, delimiter, byte order mark, blank lines."""

    def __len__(self) -> int:
        return len(self.data[0]) if self.data else 0

    def where(self, row: int, column: str = "") -> str:
        """Name the place of a row (counted from 0) for an error."""
        return place(self.name, self.lines, row) + (f", column {column!r}" if column else "")

    def column(self, name: str, key: str) -> Sequence[object]:
        """Cells of a column.

        Parameters
        ----------
        name : str
        key : str
            Key of the corpus's table in the case file that names the column.

        Raises
        ------
        FairnbError
            ``missing-column`` with the columns there are, ``column-twice``.
        """
        if name not in self.columns:
            near = difflib.get_close_matches(name, self.columns, n=1, cutoff=0.5)
            hint = f" (the nearest is {near[0]!r})" if near else ""
            raise FairnbError(
                "missing-column",
                f"there is no column {name!r}, which {key!r} names",
                f"name one of its columns {', '.join(map(repr, self.columns))}{hint}",
                where=self.name,
            )
        if self.columns.count(name) > 1:
            raise FairnbError(
                "column-twice",
                f"the column {name!r} occurs {self.columns.count(name)} times",
                "give each column a name of its own",
                where=self.name,
            )
        return self.data[self.columns.index(name)]


def place(name: str, lines: Sequence[int], row: int) -> str:
    """Name a row by its line, or by its number where there are no lines."""
    return f"{name}, line {lines[row]}" if lines else f"{name}, row {row + 1}"


def by_column(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> tuple[Sequence[object], ...]:
    """Turn rows of equal length into columns."""
    return tuple(zip(*rows, strict=True)) if rows else tuple(() for _ in columns)


def ragged(name: str, line: int, found: int, expected: int, remedy: str) -> FairnbError:
    """Say that a row has too many or too few cells."""
    return FairnbError(
        "ragged-row",
        f"the row has {found} cells, the header {expected}",
        remedy,
        where=f"{name}, line {line}",
    )
