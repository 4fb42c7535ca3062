"""Sums over sorted integer keys: the arithmetic a tally is made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Entries = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, closed against writing."""
    array.setflags(write=False)
    return array


def sum_equal(entries: Entries, counts: Counts | None = None) -> tuple[Entries, Counts]:
    """Distinct entries in ascending order with their summed counts; without `counts`, each counts 1."""
    if not len(entries):
        return entries.astype(np.uint64), np.zeros(0, np.int64)
    if counts is None:
        ordered = np.sort(entries)
    else:
        order = np.argsort(entries, kind="stable")
        ordered = entries[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if counts is None:
        sums = np.diff(first, append=len(ordered)).astype(np.int64)
    else:
        sums = np.add.reduceat(counts[order], first)
    return ordered[first], sums


def cumulated(counts: Counts) -> Counts:
    """Running totals with a leading 0; shape (m + 1,)."""
    total = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=total[1:])
    return total


_BLOCK = 10_000
"""Products that are summed at once: of more, linear algebra libraries sum parts in as many threads as there are
cores, which costs more than it gains and makes the last digits the machine's."""


def dot(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Sum of the products of two arrays of one length; the same whatever the number of cores."""
    if len(one) <= _BLOCK:
        return float(np.dot(one, other))
    starts = range(0, len(one), _BLOCK)
    return math.fsum(float(np.dot(one[at : at + _BLOCK], other[at : at + _BLOCK])) for at in starts)
