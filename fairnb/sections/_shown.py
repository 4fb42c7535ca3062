"""What a person sees of a result: sentences, tables and plots, all made from the result alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fairnb.sections._measure import MeasureKey

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ColumnKind = Literal["text", "number", "mono", "words"]


@dataclass(frozen=True)
class Column:
    """A column's heading and how its cells are set: `number` is right-aligned with tabular figures.

    `words` are those of a person, set apart from what was computed.
    """

    heading: str
    kind: ColumnKind = "text"


@dataclass(frozen=True)
class Row:
    """Cells as they are printed, and the measures they print.

    `quiet` greys a row that supports no statement (too few, undefined); `strong` marks totals.
    """

    cells: tuple[str, ...]
    measures: tuple[MeasureKey, ...] = ()
    quiet: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """A view of measures. Every cell is plain text; whoever draws it escapes it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    annex: bool = False
    """True: printed in the annex, not in the body."""

    def __post_init__(self) -> None:
        width = len(self.columns)
        for row in self.rows:
            if len(row.cells) != width:
                raise ValueError(f"table {self.title!r}: {len(row.cells)} cells under {width} columns")


@dataclass(frozen=True)
class Plot:
    """A matplotlib figure with its caption and the words that stand for it where it cannot be seen."""

    figure: Figure
    caption: str
    alternative: str


def one_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], *, note: str = "") -> Table:
    """A table of plain text, every column on the left."""
    return Table(
        title,
        tuple(Column(heading) for heading in headings),
        tuple(Row(tuple(row)) for row in rows),
        note,
    )
