"""What systems return, in its several shapes, as scores per named class; or the error that says why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.system._scores import ROUNDING, FloatArray, Scores, Unscored, system_failed

_STEPS = 8
"""Steps of its dtype by which arithmetic may carry a probability past 0 or 1 (exp of a log-softmax does)."""

_ENTRIES = "return a list or an array with one entry per text"


def checked(
    raw: Any, n: int, classes: tuple[str, ...], adapter: str, places: Sequence[int] | None = None
) -> Scores:
    """Read one call's answer.

    Parameters
    ----------
    raw : array or sequence, shape (n,), (n, 1) or (n, k)
        Rows may be None or `Unscored`.
    n : int
        How many texts were asked about.
    classes : tuple of str
        Names of the k columns.
    adapter : str
        Who answered, for messages.
    places : sequence of int, optional
        Where each text stands, counted from 0, for messages; by default its place in the call.

    Raises
    ------
    FairnbError
        ``wrong-length``, ``wrong-shape``, ``wrong-type``, ``not-a-score``, ``unnamed-classes``; messages
        count rows from 1.
    """
    scored, unscored = _rows(raw, n, adapter)
    array = _float_array(scored, adapter)
    if array is None:
        return Scores(classes, np.full((n, len(classes)), np.nan), unscored)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] == 0:
        raise system_failed(
            "wrong-shape",
            adapter,
            f"the scores have the shape {array.shape}",
            "return one score per text, or one row of scores per text",
        )
    if array.shape[1] != len(classes):
        raise _columns(array.shape[1], classes, adapter)
    places = range(n) if places is None else places
    if not unscored:
        return Scores(classes, _in_range(array, places, adapter))
    rows = [row for row in range(n) if row not in unscored]
    values = np.full((n, len(classes)), np.nan, dtype=array.dtype)
    values[rows] = _in_range(array, [places[row] for row in rows], adapter)
    return Scores(classes, values, unscored)


def _rows(raw: Any, n: int, adapter: str) -> tuple[Any, dict[int, str]]:
    """Split off the rows that have no score."""
    what = f"the system returned a {type(raw).__name__}"
    if isinstance(raw, (str, bytes, dict)):
        raise system_failed("wrong-type", adapter, what, _ENTRIES)
    try:
        found = len(raw)
    except TypeError:
        raise system_failed("wrong-type", adapter, what, _ENTRIES) from None
    if found != n:
        raise system_failed(
            "wrong-length",
            adapter,
            f"the system returned {found} rows for {n} texts",
            "return exactly one entry per text, in the order of the texts, and None for one without a score",
        )
    if isinstance(raw, (list, tuple)) or str(getattr(raw, "dtype", "")) == "object":
        rows = list(raw)
        missing = {
            row: entry for row, entry in enumerate(rows) if entry is None or isinstance(entry, Unscored)
        }
        reasons = {
            row: (entry.reason if entry else "") or Unscored().reason for row, entry in missing.items()
        }
        return [entry for row, entry in enumerate(rows) if row not in missing], reasons
    return raw, {}


def _float_array(scored: Any, adapter: str) -> FloatArray | None:
    """Turn scored rows into floats in their own precision; None if there is no row."""
    if len(scored) == 0:
        return None
    try:
        array: npt.NDArray[Any] = np.asarray(scored)
    except ValueError:
        raise system_failed(
            "wrong-shape",
            adapter,
            "the rows of scores differ in length",
            "return the same number of scores for every text",
        ) from None
    except (TypeError, RuntimeError) as error:
        raise system_failed(
            "wrong-type", adapter, f"the scores cannot be read as an array ({error})", "return a NumPy array"
        ) from error
    if array.dtype not in (np.float16, np.float32, np.float64):
        kind = type(scored[0]).__name__ if array.dtype == object else str(array.dtype)
        raise system_failed(
            "wrong-type",
            adapter,
            f"the scores are of type {kind}",
            "return probabilities as floating-point numbers, not decisions, labels or text",
        )
    return array


def _columns(found: int, classes: Sequence[str], adapter: str) -> Exception:
    names = ", ".join(classes)
    return system_failed(
        "unnamed-classes",
        adapter,
        f"the system gives {found} score{'s' * (found > 1)} per text and {len(classes)} "
        f"class{'es are' if len(classes) != 1 else ' is'} named ({names})",
        f"give classes in the table [system] of the case file {found} name{'s' * (found > 1)}, in the order of "
        "the scores",
    )


def _in_range(array: FloatArray, rows: Sequence[int], adapter: str) -> FloatArray:
    slack = min(ROUNDING, _STEPS * float(np.finfo(array.dtype).eps))
    fine = (array >= -slack) & (array <= 1 + slack)
    if not fine.all():
        index, column = (int(place) for place in np.argwhere(~fine)[0])
        value = float(array[index, column])
        found = (
            "a score is not a number (NaN)"
            if np.isnan(value)
            else f"the score {value:.6g} lies outside 0 to 1"
        )
        raise system_failed(
            "not-a-score",
            adapter,
            found,
            "return probabilities from 0 to 1 (apply sigmoid or softmax to logits), and None for a text without "
            "a score",
            row=rows[index],
        )
    one = array.dtype.type(1)
    if (array < 0).any() or (array > one).any():
        return np.clip(array, array.dtype.type(0), one)
    return array
