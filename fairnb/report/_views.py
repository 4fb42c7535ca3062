"""What is printed of a section, as plain values for the templates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairnb.files import sha256
from fairnb.report._figures import data_address, with_letters
from fairnb.sections import MeasureKey

# Shape, word and colour class of each verdict: it must be readable in grey.
MARKS = {
    "exceeds the margin": ("▲", "Exceeds", "exceeds"),
    "within the margin": ("●", "Within", "within"),
    "inconclusive": ("◆", "Inconclusive", "unclear"),
    "not measured": ("○", "Not measured", "unmeasured"),
}
_HALF = 90.0
"""Millimetres up to which two figures share a line."""
_DENSE, _TIGHT, _WIDE = 8, 11, 12
"""Columns from which a table is set smaller, its numbers may break, and it takes a page across."""
_SHORT, _FEW_LETTERS = 12, 1500
"""Rows and letters up to which a table is not broken over pages."""
_LABEL = 26
"""Letters up to which the names of a dense table's rows are kept on one line."""


@dataclass(frozen=True)
class RowView:
    """A row as it is printed, with the ids of its measures."""

    cells: tuple[str, ...]
    refs: str
    quiet: bool
    strong: bool


@dataclass(frozen=True)
class TableView:
    """A table as it is printed. `number` is 0 outside a document."""

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[RowView, ...]
    note: str
    number: int
    refs: bool

    @property
    def unbroken(self) -> int:
        """Letters without a space up to which a cell's words are kept whole."""
        return 12 if self.tight else 15 if self.dense else 22

    @property
    def named(self) -> bool:
        """Whether the table is a list of names and values: its names stay on one line."""
        return len(self.columns) == 2 and all(len(row.cells[0]) <= 34 for row in self.rows)

    @property
    def dense(self) -> bool:
        """Too many columns for the ordinary size."""
        return len(self.columns) + self.refs >= _DENSE

    @property
    def short(self) -> bool:
        """Whether the table is small enough to be kept on one page."""
        letters = sum(len(cell) for row in self.rows for cell in row.cells)
        return len(self.rows) <= _SHORT and letters <= _FEW_LETTERS and not self.tight

    @property
    def labelled(self) -> bool:
        """Whether every row's name is short enough to stay on one line beside many columns."""
        return self.dense and not self.tight and all(len(row.cells[0]) <= _LABEL for row in self.rows)

    @property
    def tight(self) -> bool:
        """So many columns that intervals take two lines."""
        return len(self.columns) + self.refs >= _TIGHT

    @property
    def wide(self) -> bool:
        """Too many columns for an upright page."""
        return len(self.columns) + self.refs >= _WIDE


@dataclass(frozen=True)
class FigureView:
    """A figure as it is printed."""

    svg: str
    """Without letters of its own."""
    caption: str
    alternative: str
    number: int
    width: float
    """Millimetres."""
    faded: bool = False
    """Whether it is an earlier result's, and stands until this one's is drawn."""

    @cached_property
    def lettered(self) -> str:
        """With its letters, for a browser."""
        return with_letters(self.svg)

    @cached_property
    def _addressed(self) -> str:
        return data_address(self.lettered)

    def address(self, paper: bool) -> str:
        """The picture as a `data:` address. A browser's picture carries its own letters."""
        return data_address(self.svg) if paper else self._addressed


@dataclass(frozen=True)
class VerdictView:
    """A candidate as it is printed."""

    criterion: str
    statement: str
    effect: str
    ratio: bool
    """Whether the effect is a ratio; else it is a difference."""
    interval: str
    shape: str
    word: str
    kind: str
    reason: str
    refs: str
    verdict: str
    confirmatory: bool
    """Whether the error of the whole audit is held for it; else it is an observation at most."""
    severity: str
    """Of the finding that it became; empty if it became none."""
    size: float
    """How far the effect is from no difference; 0 without one."""


@dataclass(frozen=True)
class StatementView:
    """A sentence as it is printed; with its severity and measures where it is a finding."""

    text: str
    severity: str
    refs: str
    human: bool = False
    """Whether a person wrote it: it must not look like what was computed."""


@dataclass(frozen=True)
class FindingView:
    """A finding as it is printed."""

    id: str
    """Stable and readable; by it a register speaks of the finding."""
    severity: str
    criterion: str
    statement: str
    requirement: int
    refs: str
    effect: str
    """Of its candidate, else the value of its first measure; a dash without one."""
    interval: str
    options: tuple[str, ...]
    """Names of what can be done about findings of its kind."""


@dataclass(frozen=True)
class PartView:
    """One target's share of a section; `target` is empty for a section about the whole case."""

    target: str
    reason: str
    """Why the section is not applicable; empty if it is."""
    statements: tuple[StatementView, ...]
    tables: tuple[TableView, ...]
    annex: tuple[TableView, ...]
    figures: tuple[FigureView, ...]
    examples: tuple[Any, ...]
    verdicts: tuple[VerdictView, ...]
    findings: tuple[FindingView, ...]
    limits: tuple[str, ...]
    printed: frozenset[MeasureKey]
    """Measures that a table of the part prints."""

    @property
    def further_findings(self) -> tuple[FindingView, ...]:
        """Findings that no statement of the section tells already."""
        told = {statement.text for statement in self.statements}
        return tuple(finding for finding in self.findings if finding.statement not in told)

    @property
    def paired(self) -> bool:
        """Whether the figures are small enough to stand side by side."""
        return len(self.figures) > 1 and all(figure.width <= _HALF for figure in self.figures)


@dataclass(frozen=True)
class SectionView:
    """A section as it is printed."""

    id: str
    title: str
    source: str
    requirement: str
    method: str
    """Markdown."""
    parts: tuple[PartView, ...]

    @property
    def anchor(self) -> str:
        """Id of the section's heading."""
        slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.id.lower())
        return (
            f"section-{slug}"
            if slug == self.id.replace("_", "-")
            else f"section-{sha256(self.id.encode())[:12]}"
        )

    @property
    def applicable(self) -> bool:
        """Whether any part has results."""
        return any(not part.reason for part in self.parts)
