"""Frames of pandas, Polars and PyArrow, through narwhals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairnb.corpus._table import Table
from fairnb.errors import FairnbError

if TYPE_CHECKING:
    import narwhals as nw


def read_frame(frame: object, name: str) -> Table:
    """Take the columns of an eager frame; nulls and NaN become empty cells.

    Raises
    ------
    FairnbError
        ``not-a-frame``, ``column-twice``.
    """
    import narwhals as nw

    try:
        eager = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
    except TypeError as error:
        raise FairnbError(
            "not-a-frame",
            f"a {type(frame).__module__}.{type(frame).__name__} is no frame with rows",
            "pass a pandas, Polars or PyArrow frame (a lazy one after .collect())",
            where=name,
        ) from error
    except nw.exceptions.DuplicateError as error:
        raise FairnbError(
            "column-twice",
            "two columns have the same name",
            "give each column a name of its own",
            where=name,
        ) from error
    columns = tuple(str(column) for column in eager.columns)
    data = tuple(_cells(series) for series in eager.iter_columns())
    return Table(name, columns, data, (), {"format": f"frame ({eager.implementation.value})"})


def _cells(series: nw.Series[Any]) -> list[object]:
    nulls = series.is_null().to_list()
    return [None if null else _cell(value) for value, null in zip(series.to_list(), nulls, strict=True)]


def _cell(value: object) -> object:
    """Turn NumPy scalars into Python's own, and NaN, which Polars does not call null, into nothing."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and not isinstance(value, str) else value
    return None if isinstance(plain, float) and math.isnan(plain) else plain
