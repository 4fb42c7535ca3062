"""Scores per named class, and a target's P(positive) from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fairnb.errors import ExitCode, FairnbError

FloatArray = npt.NDArray[np.floating[Any]]

POSITIVE = "positive"
"""Name of the only class of a system that gives one score and does not name it."""

ROUNDING = 1e-6
"""By how much a sum of scores may pass 1 and still be taken for rounding."""


@dataclass(frozen=True)
class Unscored:
    """What a function may return in place of a row's score: why there is none."""

    reason: str = "the system gave no score"


@dataclass(frozen=True, eq=False)
class Scores:
    """A score per text and class.

    Parameters
    ----------
    classes : tuple of str
        Names of the columns, k of them.
    values : array of float, shape (n, k)
        In [0, 1], in the system's own precision; NaN throughout a row without a score.
    unscored : mapping of int to str
        Row -> why it has no score.
    """

    classes: tuple[str, ...]
    values: FloatArray
    unscored: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = self.values.view()
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "unscored", MappingProxyType(dict(self.unscored)))

    def __len__(self) -> int:
        return int(self.values.shape[0])


def positive(
    scores: Scores, classes: Sequence[str] = (), combine: Literal["sum", "max"] = "sum"
) -> FloatArray:
    """P(positive) of each text: the sum or the maximum of the positive classes' scores.

    Parameters
    ----------
    scores : Scores
    classes : sequence of str
        The target's positive classes; empty: the system's only class.
    combine : "sum" or "max"

    Returns
    -------
    array of float, shape (n,)
        In the scores' own dtype; NaN where unscored. A sum that passes 1 by rounding (1e-6, or four
        steps of a coarser dtype) is 1.

    Raises
    ------
    FairnbError
        ``unknown-class``; ``several-classes`` if none is named and the system has more than one;
        ``sum-above-one`` if the classes are not exclusive.
    """
    listed = ", ".join(scores.classes)
    wanted = tuple(dict.fromkeys(classes))
    for name in wanted:
        if name not in scores.classes:
            raise FairnbError(
                "unknown-class",
                f"the system has no class {name!r}",
                f"name one or more of: {listed}",
                where="classes of the target",
            )
    if not wanted and len(scores.classes) > 1:
        raise FairnbError(
            "several-classes",
            "the target names no class and the system has several",
            f"name those that mean positive, out of: {listed}",
            where="classes of the target",
        )
    columns = scores.values[:, [scores.classes.index(name) for name in wanted or scores.classes]]
    if columns.shape[1] == 1:
        return columns[:, 0].copy()
    if combine == "max":
        return np.asarray(columns.max(axis=1), dtype=columns.dtype)
    total: FloatArray = np.asarray(columns.sum(axis=1, dtype=columns.dtype))
    tolerance = max(ROUNDING, 4 * float(np.finfo(columns.dtype).eps))
    above = np.flatnonzero(total > 1 + tolerance)
    if above.size:
        row = int(above[0])
        raise FairnbError(
            "sum-above-one",
            f"the scores of {' and '.join(wanted)} add up to {float(total[row]):.4g}, so these classes are not "
            "exclusive",
            'write combine = "max" for the target',
            where=f"row {row + 1}",
        )
    return np.minimum(total, total.dtype.type(1), out=total)


def recorded_scores(
    values: Sequence[str | float | None],
    classes: Sequence[str] = (POSITIVE,),
    *,
    column: str = "",
    place: Callable[[int], str] | None = None,
) -> Scores:
    """Scores that someone recorded in a corpus, read by row.

    Parameters
    ----------
    values : sequence of float, str or None, length n
        P(positive) of each row; a text is read as a decimal number; None, an empty text and NaN are
        rows without a score.
    classes : sequence of str
        One name.
    column : str
        Where the values come from, for messages.
    place : callable, optional
        Names the place of a row (counted from 0), such as its file and line, for messages.

    Raises
    ------
    FairnbError
        ``not-a-score`` for what is no number or lies outside [0, 1], with its place, or its row counted
        from 1.
    """
    named = _row_of(column, place)
    if len(classes) != 1:
        raise FairnbError(
            "not-a-score",
            f"a column of recorded scores was given {len(classes)} class names",
            "give one: the column is P(positive)",
            where=_place(column),
        )
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        array = np.array(values, dtype=values.dtype)
    else:
        array = np.array([_number(value, row, named) for row, value in enumerate(values)], dtype=np.float64)
    wrong = np.flatnonzero((array < 0) | (array > 1))
    if wrong.size:
        row = int(wrong[0])
        raise _not_a_score(f"the value {float(array[row]):.6g} lies outside 0 to 1", named(row))
    reason = f"empty cell in the column {column}" if column else "empty cell"
    unscored = dict.fromkeys((int(row) for row in np.flatnonzero(np.isnan(array))), reason)
    return Scores(tuple(classes), array.reshape(-1, 1), unscored)


def _number(value: str | float | None, row: int, named: Callable[[int], str]) -> float:
    if value is None:
        return math.nan
    if isinstance(value, str):
        if not value.strip():
            return math.nan
        try:
            number = float(value)
        except ValueError:
            raise _not_a_score(f"the cell {value[:40]!r} is not a decimal number", named(row)) from None
        # float() reads "nan" and "1_0" as well, neither of which a column of scores means.
        if math.isnan(number) or "_" in value:
            raise _not_a_score(f"the cell {value[:40]!r} is not a decimal number", named(row))
        return number
    return float(value)


def _not_a_score(found: str, where: str) -> FairnbError:
    return FairnbError(
        "not-a-score",
        found,
        "write P(positive) as a decimal number from 0 to 1, and leave the cell empty where there is none",
        where=where,
    )


def _place(column: str) -> str:
    return f"recorded scores, column {column}" if column else "recorded scores"


def _row_of(column: str, place: Callable[[int], str] | None) -> Callable[[int], str]:
    """How messages name a row's cell."""
    if place is None:
        return lambda row: f"{_place(column)}, row {row + 1}"
    return lambda row: f"{place(row)}, column {column!r}" if column else place(row)


def system_failed(code: str, adapter: str, found: str, remedy: str, *, row: int | None = None) -> FairnbError:
    """Make the error for a system that did not do what is asked of it; `row` counts from 0."""
    where = adapter if row is None else f"{adapter}, row {row + 1}"
    return FairnbError(code, found, remedy, where=where, exit_code=ExitCode.FAILED)
