"""Products of flagged rows over clusters at any threshold, without a pass over all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts

_STEP = 1024
"""Memberships between two positions whose products are kept: what a new threshold costs is bounded by it."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Rows of each group and cluster."""

    group: npt.NDArray[np.int64]
    """Of each segment, ascending; group 0, everyone, has a segment of every cluster."""
    cluster: npt.NDArray[np.int64]
    """Of each segment, ascending within a group."""
    rows: Counts
    """Rows of label 0 and 1; shape (segments, 2)."""
    groups: int
    asked: npt.NDArray[np.int64]
    """Pairs of groups beside each group with everyone and with itself; shape (pairs, 2)."""


class FlaggedProducts:
    """Products at every so many rows in the order of scores, to which the few rows in between are added.

    At whatever threshold, only clusters are looked at that have rows between it and the next kept position;
    so the work does not grow with the number of rows.

    Parameters
    ----------
    segments : Segments
    cell : ndarray of int, shape (m,)
        Twice each membership's segment, plus its label; ascending.
    scores : ndarray of float, shape (m,)
    dtype : type
        Of the arithmetic: float64 where it is exact, else int64.
    """

    def __init__(
        self,
        segments: Segments,
        cell: npt.NDArray[np.int64],
        scores: npt.NDArray[np.floating],
        dtype: type[np.float64] | type[np.int64],
    ) -> None:
        self._groups, self._asked, self._dtype = segments.groups, segments.asked, dtype
        # By cluster, as all segments of a cluster are looked at together.
        everyone = segments.cluster[: np.searchsorted(segments.group, 1)]
        cluster = np.searchsorted(everyone, segments.cluster)
        order = np.argsort(cluster, kind="stable")
        self._cluster, self._group, self._rows = cluster[order], segments.group[order], segments.rows[order]
        self._bounds = np.searchsorted(self._cluster, np.arange(len(everyone) + 1))
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        ascending = np.argsort(scores, kind="stable")
        self._scores, falling = scores[ascending], cell[ascending[::-1]]
        self._cells = 2 * number[falling // 2] + falling % 2
        # How many rows of a cell come before a place is found by halving.
        self._places = np.sort(self._cells * len(cell) + np.arange(len(cell)))
        self._first = np.searchsorted(self._places, np.arange(2 * len(order)) * len(cell))
        self._kept = self._walked()

    def at(self, threshold: float) -> Counts:
        """Products of rows flagged at a threshold; shape (pairs, 3, 2, 2), as `ClusterSums.flagged`."""
        rows = len(self._scores)
        flagged = rows - int(np.searchsorted(self._scores, self._scores.dtype.type(threshold)))
        nearest = round(flagged / _STEP)
        kept = min(nearest * _STEP, rows)
        segments = self._touched(min(kept, flagged), max(kept, flagged))
        change = self._change(segments, self._before(segments, kept), self._before(segments, flagged))
        found: Counts = self._kept[nearest] + change
        return found

    def _walked(self) -> Counts:
        """Products with the first 0, 1, 2, ... steps of rows flagged; shape (steps + 1, pairs, 3, 2, 2)."""
        rows = len(self._cells)
        flagged = np.zeros((len(self._group), 2), np.int64)
        pairs = 2 * self._groups - 1 + len(self._asked)
        kept = np.zeros((-(-rows // _STEP) + 1, pairs, 3, 2, 2), np.int64)
        for step, start in enumerate(range(0, rows, _STEP)):
            segments = self._touched(start, start + _STEP)
            before = flagged[segments]
            np.add.at(flagged.reshape(-1), self._cells[start : start + _STEP], 1)
            kept[step + 1] = kept[step] + self._change(segments, before, flagged[segments])
        return kept

    def _touched(self, start: int, end: int) -> npt.NDArray[np.int64]:
        """All segments of the clusters that have rows from one place to another."""
        clusters = np.unique(self._cluster[self._cells[start:end] // 2])
        first, sizes = self._bounds[clusters], self._bounds[clusters + 1] - self._bounds[clusters]
        shift = np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
        found: npt.NDArray[np.int64] = np.arange(len(shift)) + shift
        return found

    def _before(self, segments: npt.NDArray[np.int64], place: int) -> Counts:
        """Rows of these segments that come before a place; shape (segments, 2)."""
        cells = (2 * segments[:, None] + np.arange(2)).reshape(-1)
        found: Counts = np.searchsorted(self._places, cells * len(self._cells) + place) - self._first[cells]
        return found.reshape(-1, 2)

    def _change(self, segments: npt.NDArray[np.int64], before: Counts, after: Counts) -> Counts:
        """By how much products grow from some flagged rows of these segments to others."""
        new = np.diff(self._cluster[segments], prepend=-1) != 0
        column = np.cumsum(new) - 1
        every = np.zeros((self._groups, int(new.sum()), 6), self._dtype)
        every[self._group[segments], column] = np.concatenate((self._rows[segments], before, after), axis=1)
        turned = every.transpose(0, 2, 1)
        one, other = self._asked.T
        own = np.stack((turned @ every[0], turned @ every), axis=1).reshape(-1, 6, 6)
        found = np.concatenate((own[1:], turned[one] @ every[other]))
        rows, old, now = slice(2), slice(2, 4), slice(4, 6)
        of = ((rows, now), (now, rows), (now, now)), ((rows, old), (old, rows), (old, old))
        grown, shrunk = (np.stack([found[:, a, b] for a, b in three], axis=1) for three in of)
        change: Counts = (grown - shrunk).astype(np.int64)
        return change
