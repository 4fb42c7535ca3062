"""A file of texts as a person looks at it before saying what its columns mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairnb.corpus._formats import read_table
from fairnb.corpus._guess import CorpusGuess, guess_columns
from fairnb.text import redact

ROWS = 5
"""Rows that are shown."""
_LONGEST = 120
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


@dataclass(frozen=True)
class ColumnPreview:
    """One column."""

    name: str
    kind: str
    """What its cells seem to be: number, share from 0 to 1, whole number, date, words, text or empty."""
    missing: float
    """Share of empty cells."""
    values: int
    """Different cells, empty ones left out."""
    role: str
    """What it is guessed to be: text, label, id, language, cluster, score; empty if nothing."""
    reason: str


@dataclass(frozen=True)
class FilePreview:
    """A file's columns, a few rows with what could offend masked, and what strikes the eye."""

    guess: CorpusGuess
    columns: tuple[ColumnPreview, ...]
    rows: tuple[tuple[str, ...], ...]
    """Cells of the first rows, masked, each cut at 120 characters."""
    duplicates: int
    """Rows whose text stood in an earlier row."""
    languages: tuple[tuple[str, int], ...]
    """Values of the column guessed as language, with their rows."""
    identities: tuple[str, ...]
    """Columns that look like annotated mentions: shares from 0 to 1, or yes and no, that are neither label nor score."""


def preview(path: Path) -> FilePreview:
    """Look at a file.

    Raises
    ------
    FairnbError
        As `guess_columns`.
    """
    guess = guess_columns(path)
    table = read_table(path, path.read_bytes(), guess.encoding)
    cells = {
        name: ["" if cell is None else str(cell) for cell in table.data[at]]
        for at, name in enumerate(table.columns)
    }
    roles = {
        one.column: (role, one.reason)
        for role in ("score", "cluster", "language", "id", "label", "text")
        if (one := getattr(guess, role)) is not None
    }
    columns = []
    for name, column in cells.items():
        filled = [cell for cell in column if cell.strip()]
        role, reason = roles.get(name, ("", ""))
        columns.append(
            ColumnPreview(
                name=name,
                kind=_kind(filled),
                missing=1 - len(filled) / len(column),
                values=len(set(filled)),
                role=role,
                reason=reason,
            )
        )
    texts = cells[guess.text.column] if guess.text is not None else []
    spoken = cells[guess.language.column] if guess.language is not None else []
    return FilePreview(
        guess=guess,
        columns=tuple(columns),
        rows=tuple(
            tuple(_shown(column[row]) for column in cells.values()) for row in range(min(ROWS, len(table)))
        ),
        duplicates=len(texts) - len(set(texts)),
        languages=tuple(sorted(((one, spoken.count(one)) for one in set(spoken)), key=lambda item: -item[1])),
        identities=tuple(
            one.name for one in columns if not one.role and one.kind in ("share from 0 to 1", "yes or no")
        ),
    )


def _kind(cells: Sequence[str]) -> str:
    if not cells:
        return "empty"
    if {cell.strip().casefold() for cell in cells} <= {"0", "1", "0.0", "1.0", "true", "false", "yes", "no"}:
        return "yes or no"
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        if all(_DATE.fullmatch(cell.strip()) for cell in cells):
            return "date"
        return "text" if sum(" " in cell.strip() for cell in cells) * 2 > len(cells) else "words"
    if all(0.0 <= number <= 1.0 for number in numbers):
        return "share from 0 to 1"
    return "whole number" if all(number.is_integer() for number in numbers) else "number"


def _shown(cell: str) -> str:
    masked = redact(" ".join(cell.split()), "mask", key=b"unused")
    return masked if len(masked) <= _LONGEST else masked[: _LONGEST - 1] + "…"
