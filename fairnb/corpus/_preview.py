"""A file of texts as a person looks at it before saying what its columns mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fairnb.corpus._formats import read_table
from fairnb.corpus._guess import CorpusGuess, Guess, guess_table, known_file, readable
from fairnb.corpus._table import Table
from fairnb.errors import FairnbError
from fairnb.files import sha256
from fairnb.text import printable, redact

ROWS = 5
"""Rows that are shown."""
SAMPLES = 3
"""Different cells that are shown of each column."""
_LONGEST = 120
_SHORT = 48
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
_YES_NO = frozenset(("0", "1", "0.0", "1.0", "true", "false", "yes", "no"))
_QUOTE, _LINE_END = b'"', b"\n"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""How files begin whose characters are several bytes each: they are not cut."""


@dataclass(frozen=True)
class ColumnPreview:
    """One column."""

    name: str
    kind: str
    """What its cells seem to be: yes or no, share from 0 to 1, whole number, number, date, words, text or empty."""
    missing: float
    """Share of empty cells."""
    values: int
    """Different cells, empty ones left out."""
    samples: tuple[str, ...]
    """The first different cells, three at most, masked, each cut at 48 characters."""
    repeated: bool
    """Whether another column has the same name, so that neither can be named."""
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
    whole: bool
    """Whether every row was counted; otherwise only those at the beginning of the file."""


def preview(path: Path, *, encoding: str | None = None, most: int | None = None) -> FilePreview:
    """Look at a file.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        Its text encoding; without one UTF-8, or else an encoding under which it can be read.
    most : int, optional
        Bytes to read from its beginning; what stands behind the last whole row in them is left out.

    Raises
    ------
    FairnbError
        As `guess_columns`.
    """
    if encoding and "\n".encode(encoding) != _LINE_END:
        most = None
    data, whole = _beginning(path, most)
    table, found = (read_table(path, data, encoding), encoding) if encoding else readable(path, data)
    guess = guess_table(table, found, known_file(sha256(data)) if whole else None)
    cells = [["" if cell is None else str(cell) for cell in column] for column in table.data]
    columns = _columns(table, cells, guess)
    texts = _of(table, cells, guess.text)
    spoken = Counter(_of(table, cells, guess.language))
    return FilePreview(
        guess=guess,
        columns=columns,
        rows=tuple(
            tuple(_shown(column[row], _LONGEST) for column in cells) for row in range(min(ROWS, len(table)))
        ),
        duplicates=len(texts) - len(set(texts)),
        languages=tuple(spoken.most_common()),
        identities=tuple(
            one.name for one in columns if not one.role and one.kind in ("share from 0 to 1", "yes or no")
        ),
        whole=whole,
    )


def _beginning(path: Path, most: int | None) -> tuple[bytes, bool]:
    """The first bytes of a file up to the end of a row, and whether that is all of it."""
    try:
        with path.open("rb") as file:
            data = file.read() if most is None else file.read(most)
            if data.startswith(_WIDE):
                data, most = data + file.read(), None
            if most is None or len(data) < most or not (more := file.read(1)):
                return data, True
            # A first row that is longer than what is read at once is still one row.
            while (end := _row_end(path, data)) == 0:
                rest = file.read(most)
                data += more + rest
                more = b""
                if not rest:
                    return data, True
    except OSError as error:
        raise FairnbError(
            "file-missing",
            f"the file cannot be read ({error.strerror or error})",
            "check the path",
            where=path.name,
        ) from error
    return data[:end], False


def _row_end(path: Path, data: bytes) -> int:
    """Where the last whole row of a file's beginning ends; 0 if not even a head and one row do."""
    end = data.rfind(_LINE_END) + 1
    if path.suffix.lower() == ".csv":
        # Quotes inside a quoted cell are doubled: where their number is odd, a cell goes on in the next line.
        while end > 0 and data.count(_QUOTE, 0, end) % 2:
            end = data.rfind(_LINE_END, 0, end - 1) + 1
    return end if data.count(_LINE_END, 0, end) > 1 else 0


def _columns(table: Table, cells: list[list[str]], guess: CorpusGuess) -> tuple[ColumnPreview, ...]:
    roles = {
        one.column: (role, one.reason)
        for role in ("score", "cluster", "language", "id", "label", "text")
        if (one := getattr(guess, role)) is not None
    }
    times = Counter(table.columns)
    found = []
    for name, column in zip(table.columns, cells, strict=True):
        filled = [cell for cell in column if cell.strip()]
        different = dict.fromkeys(filled)
        role, reason = roles.get(name, ("", ""))
        found.append(
            ColumnPreview(
                name=name,
                kind=_kind(filled, different),
                missing=1 - len(filled) / len(column),
                values=len(different),
                samples=tuple(_shown(cell, _SHORT) for cell in islice(different, SAMPLES)),
                repeated=times[name] > 1,
                role="" if times[name] > 1 else role,
                reason=reason,
            )
        )
    return tuple(found)


def _of(table: Table, cells: list[list[str]], guess: Guess | None) -> list[str]:
    return [] if guess is None else cells[table.columns.index(guess.column)]


def _kind(cells: Sequence[str], different: Sequence[str] | dict[str, None]) -> str:
    if not cells:
        return "empty"
    if len(different) <= len(_YES_NO) ** 2 and {cell.strip().casefold() for cell in different} <= _YES_NO:
        return "yes or no"
    try:
        numbers = [float(cell) for cell in different]
    except ValueError:
        if all(_DATE.fullmatch(cell.strip()) for cell in different):
            return "date"
        return "text" if sum(" " in cell.strip() for cell in cells) * 2 > len(cells) else "words"
    if all(0.0 <= number <= 1.0 for number in numbers):
        return "share from 0 to 1"
    return "whole number" if all(number.is_integer() for number in numbers) else "number"


def _shown(cell: str, most: int) -> str:
    words = cell[: 20 * most].split()
    # Half a word of a very long cell might not be recognised for what has to be masked.
    kept = words if len(cell) <= 20 * most else words[:-1]
    masked = printable(redact(" ".join(kept), "mask", key=b"unused"))
    return masked if len(masked) <= most else masked[: most - 1] + "…"
