"""What a submission's file is held to: every check of the official script, and those it misses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fairnb.ami._files import COLUMNS, Labels, RawSet, SyntheticSet, decoded
from fairnb.ami._submission import RunFile
from fairnb.errors import FairnbError

Scores = Literal["hard", "prob"]
_SCORE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_META = re.compile(r"[.^$*+?{}\[\]\\|()]")
_LISTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """One file of a submission, in the order of the gold rows."""

    columns: dict[str, npt.NDArray[np.float64]]
    """Column -> label or score of each gold row."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    where: str
    id: str
    cells: tuple[str, ...]


def predictions(
    file: RunFile, gold: RawSet | SyntheticSet, scores: Scores, errors: list[FairnbError]
) -> Predictions | None:
    """Read a file of a submission and set it against the gold rows; None if anything is wrong with it.

    Parameters
    ----------
    file : RunFile
    gold : RawSet or SyntheticSet
        With labels.
    scores : {"hard", "prob"}
        Labels 0 and 1, or scores in [0, 1] in their place.
    errors : list of FairnbError
        What is wrong is added: ``wrong-encoding``, ``nul-byte``, ``empty-file``, ``header-line``,
        ``ragged-row``, ``missing-id``, ``duplicate-id``, ``row-count``, ``unknown-id``, ``id-not-scored``,
        ``bad-label``, ``bad-score``, ``labels-not-scores``, ``label-not-in-gold``.
    """
    before = len(errors)
    names = COLUMNS[file.name.subtask, file.name.dataset]
    try:
        text = decoded(file.data, file.where)
    except FairnbError as error:
        errors.append(error)
        return None
    rows = _rows(text, file.where, names, errors)
    place = {name: row for row, name in enumerate(gold.ids)}
    errors += _odd_ids(rows, gold, place, file.where)
    values = [_values(rows, column, name, scores, errors) for column, name in enumerate(names)]
    if len(errors) == before:
        for name, column, value in zip(names, range(len(names)), values, strict=True):
            if scores == "prob":
                errors += _labels_not_scores(rows, column, name, file.where)
            elif name == "misogynous":
                errors += _not_in_gold(rows, value, name, gold)
    if len(errors) > before:
        return None
    order = np.array([place[row.id] for row in rows])
    sorted_values = {}
    for name, value in zip(names, values, strict=True):
        sorted_values[name] = np.empty(len(order))
        sorted_values[name][order] = value
    return Predictions(sorted_values, tuple(_warnings(sorted_values, file.where, scores)))


def _rows(text: str, where: str, names: Sequence[str], errors: list[FairnbError]) -> list[_Row]:
    """Rows that have as many cells as they should; blank lines are passed over, as the script does."""
    rows: list[_Row] = []
    shape = "<tab>".join(("id", *names))
    # Not splitlines(): that would also split at form feeds and at Unicode line separators.
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.removesuffix("\r").split("\t")
        place = f"{where}, line {number}"
        if cells == [""]:
            continue
        if not rows and number == 1 and cells[0].strip().lower() == "id":
            errors.append(
                FairnbError(
                    "header-line", f"the line is a header {line.strip()!r}", "leave it out", where=place
                )
            )
        elif len(cells) != len(names) + 1:
            errors.append(
                FairnbError(
                    "ragged-row",
                    f"the line has {len(cells):,} cell{'s' * (len(cells) > 1)}",
                    f"write {shape}",
                    where=place,
                )
            )
        else:
            rows.append(_Row(place, cells[0], tuple(cell.strip() for cell in cells[1:])))
    return rows


def _odd_ids(
    rows: Sequence[_Row], gold: RawSet | SyntheticSet, place: dict[str, int], where: str
) -> Iterator[FairnbError]:
    if len(rows) != len(gold.ids):
        yield FairnbError(
            "row-count",
            f"there are {len(rows):,} rows for {len(gold.ids):,} in {gold.path.name}",
            "give each id of the gold file one row",
            where=where,
        )
    seen: dict[str, str] = {}
    for row in rows:
        if row.id in seen:
            first = seen[row.id].rpartition(", ")[2]
            yield FairnbError(
                "duplicate-id",
                f"the id {row.id!r} stands in {first} already",
                "give each id one row: where the number of rows still fits, the official script counts both",
                where=row.where,
            )
        elif row.id not in place:
            yield FairnbError(
                "unknown-id" if row.id.strip() else "missing-id",
                f"{gold.path.name} has no id {row.id!r}",
                "copy the ids as they stand there, without quotes or spaces",
                where=row.where,
            )
        seen.setdefault(row.id, row.where)
    missing = [name for name in gold.ids if name not in seen]
    if missing:
        listed = ", ".join(map(repr, missing[:_LISTED])) + (" and others" if len(missing) > _LISTED else "")
        yield FairnbError(
            "id-not-scored", f"ids without a row, {len(missing):,}: {listed}", "add them", where=where
        )


def _values(
    rows: Sequence[_Row], column: int, name: str, scores: Scores, errors: list[FairnbError]
) -> npt.NDArray[np.float64]:
    values = np.full(len(rows), np.nan)
    for index, row in enumerate(rows):
        cell = row.cells[column]
        if scores == "hard":
            if cell in ("0", "1"):
                values[index] = int(cell)
                continue
            hint = "; scores are read with --scores prob" if _is_score(cell) else ""
            remedy = f"write 0 or 1{hint}"
        else:
            if _is_score(cell):
                values[index] = float(cell)
                continue
            remedy = "write a score between 0 and 1, with a decimal point"
        code = "bad-label" if scores == "hard" else "bad-score"
        errors.append(FairnbError(code, f"{name} is {cell[:40]!r}", remedy, where=row.where))
    return values


def _is_score(cell: str) -> bool:
    # float() alone also reads "nan", "1_0" and digits of other scripts.
    return _SCORE.fullmatch(cell) is not None and 0.0 <= float(cell) <= 1.0


def _labels_not_scores(rows: Sequence[_Row], column: int, name: str, where: str) -> Iterator[FairnbError]:
    """A file of labels among files of scores would be compared with them as if it were one."""
    if all(row.cells[column] in ("0", "1") for row in rows):
        yield FairnbError(
            "labels-not-scores",
            f"{name} holds labels only, 0 and 1",
            "score labels with --scores hard; write scores with a decimal point, such as 1.0",
            where=where,
        )


def _not_in_gold(
    rows: Sequence[_Row], values: npt.NDArray[np.float64], name: str, gold: RawSet | SyntheticSet
) -> Iterator[FairnbError]:
    labels = known(gold.misogynous)
    for index in np.flatnonzero(~np.isin(values, labels)).tolist():
        yield FairnbError(
            "label-not-in-gold",
            f"{name} is {int(values[index])}, which no row of {gold.path.name} has",
            "look whether the gold file is the right one: the official script refuses this",
            where=rows[index].where,
        )


def _warnings(values: dict[str, npt.NDArray[np.float64]], where: str, scores: Scores) -> Iterator[str]:
    if scores == "hard" and "aggressiveness" in values:
        odd = int(((values["aggressiveness"] == 1) & (values["misogynous"] == 0)).sum())
        if odd:
            yield (
                f"{where}: rows called aggressive but not misogynous, which the task's labels never are: "
                f"{odd:,}; they are scored as they stand"
            )


def known(labels: Labels | None) -> Labels:
    """Labels of a set that was read with them.

    Raises
    ------
    FairnbError
        ``not-labelled``.
    """
    if labels is None:
        raise FairnbError("not-labelled", "the set was read without labels", "read it with labelled=True")
    return labels


def term_warnings(terms: Sequence[str]) -> Iterator[str]:
    """What a list of identity terms holds that its author hardly meant."""
    seen: set[str] = set()
    for term in terms:
        if _META.search(term):
            yield (
                f"the term {term!r} has characters that the official script reads as a pattern; "
                "it is matched as it is written (--official reads it as a pattern)"
            )
        if term != term.strip():
            yield f"the term {term!r} has a space at an end, which the text must have too"
        elif unicodedata.normalize("NFC", term) != term:
            yield (
                f"the term {term!r} has letters whose accents are characters of their own: "
                "it is found, if at all, only in texts that are written so"
            )
        elif not (re.match(r"\w", term) and re.match(r"\w", term[-1])):
            yield (
                f"the term {term!r} begins or ends with no letter: "
                "a word must stand right beside it for it to be found"
            )
        if term.lower() in seen:
            yield f"the term {term!r} is listed twice and counts twice, as in the official script"
        seen.add(term.lower())


def term_matches(
    texts: Sequence[str], terms: Sequence[str], *, as_pattern: bool = False
) -> npt.NDArray[np.bool_]:
    r"""Which texts hold which term, as the official script looks for it: `\bterm\b`, in any case.

    Parameters
    ----------
    texts : sequence of str, length n
    terms : sequence of str, length k
    as_pattern : bool
        Read terms as regular expressions, as the official script does without meaning to.

    Returns
    -------
    ndarray of bool, shape (n, k)

    Raises
    ------
    re.error
        With `as_pattern`, if a term is no regular expression.
    """
    patterns = [_pattern(term if as_pattern else re.escape(term)) for term in terms]
    found: list[Any] = [[pattern.search(text) is not None for pattern in patterns] for text in texts]
    return np.array(found, dtype=bool).reshape(len(texts), len(terms))


def blanked(texts: Sequence[str], terms: Sequence[str]) -> tuple[str, ...]:
    """Texts with every identity term blanked: those that are equal came from one template."""
    longest_first = sorted(terms, key=len, reverse=True)
    pattern = _pattern(f"(?:{'|'.join(map(re.escape, longest_first))})")
    return tuple(pattern.sub("_", text).lower() for text in texts)


def _pattern(term: str) -> re.Pattern[str]:
    return re.compile(rf"\b{term}\b", re.IGNORECASE)
