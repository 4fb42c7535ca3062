"""Guessing what the columns of a file mean, each guess with its reason, for a person to confirm."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairnb.corpus._cells import counted, label_of
from fairnb.corpus._formats import read_table
from fairnb.corpus._table import Table
from fairnb.errors import FairnbError
from fairnb.files import sha256
from fairnb.registry import Known, all_known

_MOST_LABELS = 20
_FALLBACKS = ("cp1252", "latin-1")


@dataclass(frozen=True, slots=True)
class Guess:
    """One column, and why it is thought to be the one."""

    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class CorpusGuess:
    """What the columns of a file seem to mean; None where nothing fits."""

    known: str
    """Name of the known corpus whose file this is, byte for byte; empty if it is none."""
    rows: int
    columns: tuple[str, ...]
    encoding: str | None
    """None for UTF-8; otherwise an encoding under which the file can be read, which must be confirmed."""
    text: Guess | None
    label: Guess | None
    id: Guess | None
    language: Guess | None
    cluster: Guess | None
    score: Guess | None
    labels: tuple[tuple[int | str, int], ...]
    """Label values with their rows, most frequent first."""
    positive: tuple[int | str, ...]
    """Labels that seem to mean yes; empty where there is no label column."""
    positive_reason: str


def guess_columns(path: Path) -> CorpusGuess:
    """Guess text, label, id, language, cluster and score columns of a file, and which labels mean yes.

    Raises
    ------
    FairnbError
        As `read_corpus` does of files.
    """
    data = _bytes(path)
    table, encoding = readable(path, data)
    return guess_table(table, encoding, known_file(sha256(data)))


def guess_table(table: Table, encoding: str | None, known: Known | None) -> CorpusGuess:
    """The same of a table that was read; `known` is the known corpus whose file it is."""
    if not len(table):
        raise FairnbError(
            "empty-corpus",
            "there is a header but no row",
            "name a file with labelled texts",
            where=table.name,
        )
    cells = {name: list(map(_plain, table.data[at])) for at, name in enumerate(table.columns)}
    text = _chosen("text", cells, lambda column: True) or _longest(cells)
    left = {name: column for name, column in cells.items() if text is None or name != text.column}
    label = _chosen("label", left, _is_label) or _few_values(left)
    left = {name: column for name, column in left.items() if label is None or name != label.column}
    values = [label_of(cell) for cell in cells[label.column]] if label else []
    kinds = {str(value): value for value in values if value is not None}
    labels = tuple((kinds[name], rows) for name, rows in counted(values).items())
    positive, reason = _positive([value for value, _ in labels])
    if known is not None and set(known.positive) <= set(kinds.values()):
        positive, reason = known.positive, f"as in the known corpus {known.name}"
    return CorpusGuess(
        known=known.name if known else "",
        rows=len(table),
        columns=table.columns,
        encoding=encoding,
        text=text,
        label=label,
        id=_chosen("id", left, _is_unique) or _unnamed(left),
        language=_chosen("language", left, _is_language),
        cluster=_chosen("cluster", left, lambda column: len(set(column)) < len(column)),
        score=_chosen("score", left, _is_score),
        labels=labels,
        positive=positive,
        positive_reason=reason,
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FairnbError(
            "file-missing",
            f"the file cannot be read ({error.strerror or error})",
            "check the path",
            where=str(path),
        ) from error


def readable(path: Path, data: bytes) -> tuple[Table, str | None]:
    """Read a file's bytes as UTF-8, or else under an encoding that fits and must be confirmed."""
    try:
        return read_table(path, data, None), None
    except FairnbError as error:
        if error.code != "wrong-encoding":
            raise
        for encoding in _FALLBACKS:
            if _decodes(data, encoding):
                return read_table(path, data, encoding), encoding
        raise


def known_file(digest: str) -> Known | None:
    """The known corpus that has a file of this digest."""
    for thing in all_known("corpus"):
        if any(file.sha256 == digest for file in thing.files):
            return thing
    return None


@cache
def _words() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("data").joinpath("columns.toml").read_text("utf-8"))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _plain(cell: object) -> str:
    return "" if cell is None else str(cell)


def _chosen(role: str, cells: dict[str, list[str]], fits: Callable[[Sequence[str]], bool]) -> Guess | None:
    """Take the column whose name is best known for the role and whose cells fit it."""
    by_name = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in reversed(cells)}
    for known in _words()["columns"][role]:
        name = by_name.get(known)
        if name is not None and fits(cells[name]):
            return Guess(name, "by its name")
    return None


def _longest(cells: dict[str, list[str]]) -> Guess | None:
    """Take the column with the longest cells on average, if they are mostly different words."""
    lengths = {
        name: sum(map(len, column)) / len(column)
        for name, column in cells.items()
        if sum(" " in cell.strip() for cell in column) * 2 > len(column)
    }
    if not lengths:
        return None
    name = max(lengths, key=lengths.__getitem__)
    return Guess(name, f"its cells are the longest ({lengths[name]:.0f} characters on average)")


def _is_label(column: Sequence[str]) -> bool:
    return 1 <= len(set(column) - {""}) <= _MOST_LABELS


def _few_values(cells: dict[str, list[str]]) -> Guess | None:
    """Take the column with the fewest values, from two to ten, that repeat."""
    counts = {name: len(set(column) - {""}) for name, column in cells.items()}
    fit = [name for name, count in counts.items() if 2 <= count <= min(10, len(cells[name]) // 2)]
    if not fit:
        return None
    name = min(fit, key=counts.__getitem__)
    return Guess(name, f"it has only {counts[name]} values")


def _is_unique(column: Sequence[str]) -> bool:
    return len(set(column)) == len(column) and all(map(str.strip, column))


def _unnamed(cells: dict[str, list[str]]) -> Guess | None:
    """Take a first column without a name: what frames write as their index."""
    if "" in cells and _is_unique(cells[""]):
        return Guess("", "it has no name and a different value in each row")
    return None


def _is_language(column: Sequence[str]) -> bool:
    return all(re.fullmatch("([A-Za-z]{2,3}([-_][A-Za-z]+)?)?", cell.strip()) for cell in column)


def _is_score(column: Sequence[str]) -> bool:
    try:
        values = {float(cell) for cell in column if cell.strip()}
    except ValueError:
        return False
    return bool(values) and all(0.0 <= value <= 1.0 for value in values)


def _positive(labels: Sequence[int | str]) -> tuple[tuple[int | str, ...], str]:
    if not labels:
        return (), "there is no label column"
    if len(labels) == 1:
        return (labels[0],), "it is the only label: please check"
    words = _words()["labels"]
    yes = tuple(label for label in labels if _word(label) in words["positive"])
    no = tuple(label for label in labels if _word(label) in words["negative"])
    numbers = all(isinstance(label, int) for label in labels)
    if numbers and len(labels) > 2:
        top = max(label for label in labels if isinstance(label, int))
        return (top,), "more than two numbers were found, and numbers do not say what they mean: please check"
    if yes:
        return yes, "by the names of the labels"
    if no:
        return tuple(label for label in labels if label not in no), "the others seem to mean no"
    return (labels[-1],), "it is the rarest label: please check"


def _word(label: int | str) -> str:
    return str(label).casefold().replace("-", "_").strip()
