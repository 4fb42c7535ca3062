"""Sums over clusters (author, thread, template), which cluster-robust variances need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import Counts, read_only
from fairnb.statistics._flagged_products import FlaggedProducts, Segments
from fairnb.statistics._keys import scores_of

UNIT = 2**32
"""Scores are summed as integers of 1/UNIT, so that sums do not depend on the order of rows."""
_KEPT = 64
"""Thresholds whose sums are kept: the target's own is asked about each time."""
_EXACT = 2**53
"""Below it, sums of whole numbers in float64 are exact in any order."""

Side = slice | npt.NDArray[np.int64]
Objects = npt.NDArray[np.object_]
"""Python's integers, which do not overflow."""


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over clusters of products of two groups' rows, scores and flagged rows.

    Every cluster-robust variance and covariance follows from them. Their size depends on the groups alone,
    and no cluster can be told from them. They add, as long as no cluster is divided between the parts.
    """

    pairs: Counts
    """Pairs of groups whose products are kept, 0 = everyone; shape (pairs, 2): everyone with itself, then
    each group with everyone and with itself, then those that were asked for."""
    counted: Counts
    """Clusters with scored, labelled rows inside each group and outside of it, of label 0, of label 1, and
    of either; shape (groups, 2, 3)."""
    totals: Counts
    """Sum of scores in 1/UNIT, by group and label; shape (groups, 2)."""
    rows: Counts
    """Rows of one label in the first group times rows of one label in the second; shape (pairs, 2, 2)."""
    scores: Objects
    """Rows times scores, scores times rows, scores times scores (in 1/UNIT); shape (pairs, 3, 2, 2)."""
    flagged: Counts
    """The same of rows flagged at each threshold; shape (thresholds, pairs, 3, 2, 2)."""

    def count(self, group: int, label: int | None, *, outside: bool = False) -> int:
        """Clusters with rows of one label or of either, inside or outside a group."""
        return int(self.counted[group, int(outside), 2 if label is None else label])

    def products(self, first: int, second: int, threshold: int | None) -> Objects:
        """Sums of products of two groups' rows and scores (or rows flagged at one of the thresholds).

        Returns
        -------
        ndarray of int, shape (4, 4)
            Down the first group's, across the second's: rows of label 0, of label 1, scores (or flagged
            rows) of label 0, of label 1.

        Raises
        ------
        FairnbError
            ``pair-not-counted`` if the pair was not asked for.
        """
        at = self._places.get((first, second))
        if at is None and (second, first) in self._places:
            return self.products(second, first, threshold).T
        if at is None:
            raise FairnbError(
                "pair-not-counted",
                "clusters were not counted for this pair of groups",
                "name the pair when rows are counted",
            )
        found = np.empty((4, 4), object)
        found[:2, :2] = self.rows[at]
        others = self.scores[at] if threshold is None else self.flagged[threshold, at]
        found[:2, 2:], found[2:, :2], found[2:, 2:] = others
        return found

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {(int(a), int(b)): at for at, (a, b) in enumerate(self.pairs)}

    def plus(self, *others: ClusterSums) -> ClusterSums:
        """Sum with those of other clusters, counted for the same groups, pairs and thresholds."""
        parts = (self, *others)

        def added(name: str) -> Any:
            return read_only(np.sum([getattr(part, name) for part in parts], axis=0))

        return ClusterSums(self.pairs, *map(added, ("counted", "totals", "rows", "scores", "flagged")))


def cluster_codes(clusters: Sequence[object]) -> npt.NDArray[np.int64]:
    """A number for each row's cluster; names are compared as text."""
    seen: dict[str, int] = {}
    return np.fromiter((seen.setdefault(str(one), len(seen)) for one in clusters), np.int64, len(clusters))


def kept_pairs(groups: int, asked: Iterable[tuple[int, int]]) -> Counts:
    """Pairs of groups that `ClusterSums.pairs` holds."""
    own = [pair for group in range(1, groups) for pair in ((group, 0), (group, group))]
    return read_only(np.array([(0, 0), *own, *(pair for pair in asked if pair[0] != pair[1])], np.int64))


class ClusterRows:
    """Rows in the order of their groups and clusters, to be summed for any thresholds.

    Parameters
    ----------
    codes, group, label, keys, scores : ndarray, shape (m,)
        Of each membership of a scored, labelled row: its cluster, group, label, exact key and score.
        Everyone (group 0) holds every row.
    groups : int
        Number of groups, everyone among them.
    asked : iterable of (int, int)
        Pairs of groups that are compared, beside each group with everyone.
    """

    def __init__(
        self,
        codes: npt.NDArray[np.int64],
        group: npt.NDArray[np.int64],
        label: npt.NDArray[np.int64],
        keys: npt.NDArray[np.uint64],
        scores: npt.NDArray[np.floating],
        *,
        groups: int,
        asked: Iterable[tuple[int, int]],
    ) -> None:
        order = np.lexsort((label, codes, group))
        codes, group, label = codes[order], group[order], label[order]
        new = np.ones(len(order), bool)
        new[1:] = (codes[1:] != codes[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        self._cluster, self._group = codes[first], group[first]
        self._starts = np.searchsorted(self._group, np.arange(groups + 1))
        negative = np.add.reduceat(label == 0, first, dtype=np.int64) if len(first) else first
        # Rows of a group and cluster stand together, those of label 0 before those of label 1.
        ends = np.append(first[1:], len(order))[: len(first)]
        self._ends = np.stack((first + negative, ends), axis=1).reshape(-1)
        self._p = scores[order]
        self._pairs = kept_pairs(groups, asked)
        self._sides = [self._shared(int(a), int(b)) for a, b in self._pairs]
        self._rows = self._summed(np.ones(len(order), bool))
        self._scores = self._summed(np.rint(scores_of(keys[order]) * UNIT).astype(np.int64))
        self._known: dict[float, Counts] = {}
        self._near: FlaggedProducts | None = None
        everyone = self._rows[: self._starts[1]]
        self._exact = int(everyone.max(initial=0)) * int(everyone.sum()) < _EXACT

    def prepare(self) -> None:
        """Make the next thresholds cheap: what they cost no longer grows with the number of rows."""
        groups = len(self._starts) - 1
        segments = Segments(self._group, self._cluster, self._rows, groups, self._pairs[2 * groups - 1 :])
        cell = np.repeat(np.arange(len(self._ends)), np.diff(self._ends, prepend=0))
        self._near = FlaggedProducts(segments, cell, self._p, np.float64 if self._exact else np.int64)

    def sums(self, thresholds: Sequence[float]) -> ClusterSums:
        """Sums at these thresholds."""
        counted, totals, rows, scores = self._fixed
        flagged = [self._flagged(one) for one in thresholds]
        shape = (len(thresholds), len(self._pairs), 3, 2, 2)
        every = read_only(np.array(flagged, np.int64).reshape(shape))
        return ClusterSums(self._pairs, counted, totals, rows, scores, every)

    def _flagged(self, threshold: float) -> Counts:
        """Products of rows flagged at a threshold; shape (pairs, 3, 2, 2)."""
        if threshold not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            if self._near is not None:
                self._known[threshold] = self._near.at(threshold)
            else:
                flagged = self._summed(self._p >= self._p.dtype.type(threshold))
                self._known[threshold] = self._products(flagged, exact=self._exact)[1].astype(np.int64)
        return self._known[threshold]

    @cached_property
    def _fixed(self) -> tuple[Counts, Counts, Counts, Objects]:
        """What does not depend on thresholds."""
        rows, scores = self._products(self._scores, exact=False)
        groups = len(self._starts) - 1
        counted, totals = np.zeros((groups, 2, 3), np.int64), np.zeros((groups, 2), np.int64)
        everyone = _with_either(self._rows[: self._starts[1]])
        for group in range(groups):
            inside, whole = self._shared(group, 0)
            own, of_all = _with_either(self._rows[inside]), _with_either(self._rows[whole])
            counted[group, 0] = (own > 0).sum(axis=0)
            # A cluster is outside of a group, too, unless all of its rows are in it.
            counted[group, 1] = (everyone > 0).sum(axis=0) - ((own == of_all) & (own > 0)).sum(axis=0)
            totals[group] = self._scores[inside].sum(axis=0)
        return read_only(counted), read_only(totals), read_only(rows.astype(np.int64)), read_only(scores)

    def _summed(self, what: npt.NDArray[Any]) -> Counts:
        """Sum by label, of each group and cluster; shape (groups' clusters, 2)."""
        few = what.dtype == bool and len(what) < 2**31
        running = np.zeros(len(what) + 1, np.int32 if few else np.int64)
        np.cumsum(what, out=running[1:])
        return np.diff(running.take(self._ends), prepend=running[:1]).reshape(-1, 2)

    def _shared(self, first: int, second: int) -> tuple[Side, Side]:
        """Where two groups' sums stand of the clusters that have rows in both."""
        one, other = (slice(self._starts[group], self._starts[group + 1]) for group in (first, second))
        if first == second:
            return one, other
        if second == 0:
            return one, np.searchsorted(self._cluster[other], self._cluster[one])
        _, left, right = np.intersect1d(
            self._cluster[one], self._cluster[other], assume_unique=True, return_indices=True
        )
        return left + one.start, right + other.start

    def _products(self, of: Counts, *, exact: bool) -> tuple[Objects, Objects]:
        """Products of rows, and of rows and what is given; shapes (pairs, 2, 2) and (pairs, 3, 2, 2).

        With `exact`, no product can be more than float64 holds exactly.
        """
        # By rows, as most of what is taken of them is scattered.
        both = np.empty((len(of), 4), np.float64 if exact else np.int64)
        both[:, :2], both[:, 2:] = self._rows, of
        rows = np.zeros((len(self._pairs), 2, 2), object)
        others = np.zeros((len(self._pairs), 3, 2, 2), object)
        for at, (left, right) in enumerate(self._sides):
            one, other = _taken(both, left), _taken(both, right)
            found = (one.T @ other).astype(np.int64) if exact else exact_products(one, other)
            rows[at] = found[:2, :2]
            others[at] = found[:2, 2:], found[2:, :2], found[2:, 2:]
        return rows, others


def _taken(rows: npt.NDArray[Any], side: Side) -> npt.NDArray[Any]:
    return rows[side] if isinstance(side, slice) else rows.take(side, axis=0)


def _with_either(rows: Counts) -> Counts:
    """Rows of label 0, of label 1, and of either."""
    return np.concatenate((rows, rows.sum(axis=1, keepdims=True)), axis=1)


def exact_products(one: Counts, other: Counts) -> Objects:
    """`one.T @ other` of numbers from 0, exactly; shapes (k, p), (k, q) and (p, q).

    Where float64 could round, the larger numbers are taken in two halves.
    """
    largest = int(one.max(initial=0))
    if largest * int(other.sum(axis=0).max(initial=0)) < _EXACT:
        return (one.T.astype(np.float64) @ other.astype(np.float64)).astype(np.int64).astype(object)
    if largest < int(other.max(initial=0)):
        return exact_products(other, one).T
    half = (largest.bit_length() + 1) // 2
    high, low = exact_products(one >> half, other), exact_products(one & (2**half - 1), other)
    whole: Objects = high * 2**half + low
    return whole
