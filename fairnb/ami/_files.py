"""The task's own files: raw and synthetic sets, identity terms, and the files of a submission."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from fairnb.corpus import Table, decode, read_tsv
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import make_folder, sha256, write_bytes

Labels = npt.NDArray[np.int8]
Subtask = Literal["A", "B"]
Dataset = Literal["r", "s"]
Mode = Literal["c", "u"]

SUBTASKS: tuple[Subtask, ...] = ("A", "B")
COLUMNS: Mapping[tuple[Subtask, Dataset], tuple[str, ...]] = {
    ("A", "r"): ("misogynous", "aggressiveness"),
    ("B", "r"): ("misogynous",),
    ("B", "s"): ("misogynous",),
}
"""What stands after the id in each file of a submission."""
PATTERN = "team.{A|B}.{r|s}.{c|u}.run{1|2|3}"
"""How the task's guidelines have files named; `.tsv` may follow."""
_NAME = re.compile(
    r"(?P<team>.+)\.(?P<subtask>[AB])\.(?P<dataset>[rs])\.(?P<mode>[cu])\.run(?P<run>[123])(?:\.tsv)?",
    re.IGNORECASE | re.DOTALL,
)
_SHOWN = 5
"""Mistakes of one kind that are told one by one for each file."""


@dataclass(frozen=True, slots=True, eq=False)
class RawSet:
    """A raw set of the task: tweets with two labels each."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    misogynous: Labels | None
    """1 or 0, shape (n,); None for a set that is handed out without labels."""
    aggressiveness: Labels | None
    """Likewise."""
    path: Path
    digest: str
    """SHA-256 of the file."""


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticSet:
    """A synthetic set of the task: sentences made from templates around identity terms."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    misogynous: Labels | None
    """1 or 0, shape (n,); None for a set that is handed out without labels."""
    skeletons: tuple[str, ...] | None
    """Which sentences come from the same template, from a column `skeleton`; None where there is none."""
    path: Path
    digest: str
    """SHA-256 of the file."""


@dataclass(frozen=True, slots=True)
class FileName:
    """What the name of a submission's file says."""

    team: str
    subtask: Subtask
    dataset: Dataset
    mode: Mode
    """c constrained (the task's data only), u unconstrained."""
    run: int

    def __str__(self) -> str:
        return f"{self.team}.{self.subtask}.{self.dataset}.{self.mode}.run{self.run}"


def read_raw(path: Path, *, labelled: bool = True) -> RawSet:
    """Read a raw set: header `id text misogynous aggressiveness`, or `id text` where it has no labels.

    Quotes are characters like any other; there are as many rows as lines that are not blank.

    Parameters
    ----------
    path : Path
    labelled : bool
        Read the two columns of labels.

    Raises
    ------
    FairnbError
        ``file-missing``, ``wrong-encoding``, ``nul-byte``, ``empty-file``, ``ragged-row``,
        ``missing-column``, ``column-twice``, ``missing-id``, ``duplicate-id``, ``bad-label``; all of the
        last three at once, each with its line.
    """
    table, digest = _table(path)
    errors: list[FairnbError] = []
    ids, texts = _ids_and_texts(table, errors)
    names = COLUMNS["A", "r"] if labelled else ()
    labels = [_labels(table, name, errors) for name in names]
    raise_all(errors)
    misogynous, aggressiveness = labels if labelled else (None, None)
    return RawSet(ids, texts, misogynous, aggressiveness, path, digest)


def read_synthetic(path: Path, *, labelled: bool = True) -> SyntheticSet:
    """Read a synthetic set: header `id text misogynous`, or `id text`; a column `skeleton` is kept if there is one.

    Parameters
    ----------
    path : Path
    labelled : bool
        Read the column of labels.

    Raises
    ------
    FairnbError
        As `read_raw`, and ``missing-skeleton``.
    """
    table, digest = _table(path)
    errors: list[FairnbError] = []
    ids, texts = _ids_and_texts(table, errors)
    misogynous = _labels(table, "misogynous", errors) if labelled else None
    skeletons = tuple(_cells(table, "skeleton")) if "skeleton" in table.columns else None
    errors += [
        FairnbError(
            "missing-skeleton",
            "the skeleton is empty",
            "name the template of every sentence, or leave the column out",
            where=table.where(row, "skeleton"),
        )
        for row, name in enumerate(skeletons or ())
        if not name.strip()
    ]
    raise_all(errors)
    return SyntheticSet(ids, texts, misogynous, skeletons, path, digest)


def read_terms(path: Path) -> tuple[str, ...]:
    """Read identity terms, one a line, as they stand.

    Raises
    ------
    FairnbError
        ``file-missing``, ``wrong-encoding``, ``nul-byte``, ``empty-file``; ``blank-term`` with each line
        that holds nothing: the official script takes it as a term of every text, which leaves no
        background and no Score B.
    """
    terms = decoded(read_bytes(path), path.name).splitlines()
    if not any(term.strip() for term in terms):
        raise FairnbError(
            "empty-file", "the file is empty", "write one identity term a line", where=path.name
        )
    raise_all(
        [
            FairnbError(
                "blank-term",
                "the line is blank, and the official script takes it as a term that every text holds",
                "remove the line",
                where=f"{path.name}, line {number}",
            )
            for number, term in enumerate(terms, 1)
            if not term.strip()
        ]
    )
    return tuple(terms)


def write_submission(
    folder: Path,
    team: str,
    subtask: Subtask,
    dataset: Dataset,
    mode: Mode,
    run: int,
    ids: Sequence[str],
    columns: Sequence[Sequence[float] | npt.NDArray[np.generic]],
) -> Path:
    """Write one file of a submission under the name the task gives it, and return its path.

    Parameters
    ----------
    folder : Path
        Made if missing.
    team : str
    subtask : {"A", "B"}
    dataset : {"r", "s"}
        Raw or synthetic.
    mode : {"c", "u"}
        Constrained or unconstrained.
    run : int
        1, 2 or 3.
    ids : sequence of str, length n
    columns : sequence of sequences of length n
        `misogynous`, and for subtask A `aggressiveness`: labels (int), or scores in [0, 1] (float), which
        only `--scores prob` reads.

    Raises
    ------
    FairnbError
        ``bad-submission-name``, ``missing-column``, ``lengths-differ``, ``missing-id``, ``duplicate-id``,
        ``bad-label``, ``bad-score``, ``cannot-write``.
    """
    path, data = encoded_submission(folder, team, subtask, dataset, mode, run, ids, columns)
    make_folder(folder, "choose a folder you may write to")
    write_bytes(path, data)
    return path


def encoded_submission(
    folder: Path,
    team: str,
    subtask: Subtask,
    dataset: Dataset,
    mode: Mode,
    run: int,
    ids: Sequence[str],
    columns: Sequence[Sequence[float] | npt.NDArray[np.generic]],
) -> tuple[Path, bytes]:
    """What `write_submission` writes, and where, with nothing written."""
    name = str(FileName(team, subtask, dataset, mode, run))
    if parse_name(name) is None or Path(name).name != name or not name.isprintable() or name.startswith("."):
        raise FairnbError("bad-submission-name", f"the file would be called {name!r}", f"name it {PATTERN}")
    wanted = COLUMNS.get((subtask, dataset), ())
    if len(columns) != len(wanted):
        raise FairnbError(
            "missing-column",
            f"{len(columns)} columns for subtask {subtask}, set {dataset}",
            f"give {' and '.join(wanted) or 'a raw set: subtask A has no synthetic one'}",
            where=name,
        )
    rows = {len(ids), *(len(column) for column in columns)}
    if len(rows) > 1:
        raise FairnbError(
            "lengths-differ", f"{sorted(rows)} ids or values", "give one value per id", where=name
        )
    errors = [error for row, error in _odd_ids(ids) for error in (_at(error, f"{name}, row {row + 1}"),)]
    raise_all(errors)
    cells = [[_written(value, f"{name}, row {row + 1}") for row, value in enumerate(one)] for one in columns]
    text = "".join("\t".join(row) + "\n" for row in zip(ids, *cells, strict=True))
    return folder / f"{name}.tsv", text.encode("utf-8")


def parse_name(name: str) -> FileName | None:
    """What a submission's file name says; None if it is not named so."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    subtask: Subtask = "A" if found["subtask"].upper() == "A" else "B"
    dataset: Dataset = "r" if found["dataset"].lower() == "r" else "s"
    mode: Mode = "c" if found["mode"].lower() == "c" else "u"
    return FileName(found["team"], subtask, dataset, mode, int(found["run"]))


def read_bytes(path: Path) -> bytes:
    """A file's bytes.

    Raises
    ------
    FairnbError
        ``file-missing``, also for what is no plain file: a pipe would be waited for without end.
    """
    if path.exists() and not path.is_file():
        raise FairnbError(
            "file-missing", "it is no plain file", "check the path", where=path.name or str(path)
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise FairnbError(
            "file-missing",
            f"the file cannot be read ({error.strerror or error})",
            "check the path",
            where=path.name or str(path),
        ) from error


def decoded(data: bytes, name: str) -> str:
    """A file's text. The task's files are UTF-8, and there is no place to declare anything else.

    Raises
    ------
    FairnbError
        ``wrong-encoding``, ``nul-byte``.
    """
    try:
        return decode(data, name, None)[0]
    except FairnbError as error:
        raise FairnbError(error.code, error.found, "save the file as UTF-8", where=error.where) from error


def raise_all(errors: Sequence[FairnbError]) -> None:
    """Raise what was found, all at once; of one kind in one file the first few, then how many more there are.

    Raises
    ------
    FairnbError
        If there is any.
    """
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise FairnbErrors(tuple(_shortened(errors)))


def _shortened(errors: Sequence[FairnbError]) -> Iterator[FairnbError]:
    kinds: dict[tuple[str, str], list[FairnbError]] = {}
    for error in errors:
        kinds.setdefault((error.where.rpartition(", line ")[0] or error.where, error.code), []).append(error)
    for (file, code), found in kinds.items():
        yield from found[:_SHOWN]
        if len(found) > _SHOWN:
            more = len(found) - _SHOWN
            yield FairnbError(code, f"{more} more of this kind", found[0].remedy, where=file)


def _table(path: Path) -> tuple[Table, str]:
    data = read_bytes(path)
    table = read_tsv(decoded(data, path.name), path.name, {})
    if not len(table):
        raise FairnbError(
            "empty-file", "there is no row", "name a file with a header and rows", where=path.name
        )
    return table, sha256(data)


def _cells(table: Table, column: str) -> list[str]:
    if column not in table.columns:
        raise FairnbError(
            "missing-column",
            f"there is no column {column!r} among {', '.join(map(repr, table.columns))}",
            "give the file the header of the task: id text misogynous aggressiveness (raw), "
            "id text misogynous (synthetic)",
            where=f"{table.name}, line 1",
        )
    return [str(cell) for cell in table.column(column, column)]


def _ids_and_texts(table: Table, errors: list[FairnbError]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    ids = tuple(_cells(table, "id"))
    errors += [_at(error, table.where(row)) for row, error in _odd_ids(ids, table.lines)]
    return ids, tuple(_cells(table, "text"))


def _odd_ids(ids: Sequence[str], lines: Sequence[int] = ()) -> Iterator[tuple[int, FairnbError]]:
    """Rows whose id is empty, taken, or no cell of a tab-separated file."""
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        if not name.strip() or not set(name).isdisjoint("\t\r\n"):
            yield row, FairnbError("missing-id", f"the id is {name!r}", "give each row an id of its own")
        elif name in first:
            place = f"line {lines[first[name]]}" if lines else f"row {first[name] + 1}"
            yield (
                row,
                FairnbError(
                    "duplicate-id", f"the id {name!r} stands in {place} already", "give each id one row"
                ),
            )
        else:
            first[name] = row


def _at(error: FairnbError, where: str) -> FairnbError:
    return FairnbError(error.code, error.found, error.remedy, where=where)


def _labels(table: Table, column: str, errors: list[FairnbError]) -> Labels:
    cells = [cell.strip() for cell in _cells(table, column)]
    for row, cell in enumerate(cells):
        if cell not in ("0", "1"):
            errors.append(
                FairnbError(
                    "bad-label", f"the label is {cell!r}", "write 0 or 1", where=table.where(row, column)
                )
            )
    return np.array([cell == "1" for cell in cells], dtype=np.int8)


def _written(value: object, where: str) -> str:
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        if value not in (0, 1):
            raise FairnbError("bad-label", f"the label is {value!r}", "give 0 or 1", where=where)
        return str(int(value))
    score = float(value)  # type: ignore[arg-type]  # whatever NumPy holds as a number
    if not 0.0 <= score <= 1.0:
        raise FairnbError("bad-score", f"the score is {score!r}", "give a share between 0 and 1", where=where)
    return repr(score)
