"""Rows counted once, to be asked about thresholds again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import read_only
from fairnb.statistics._bytes import LIMIT, sizes
from fairnb.statistics._clusters import ClusterRows, cluster_codes
from fairnb.statistics._count import check_lengths, checked_thresholds, memberships, tally
from fairnb.statistics._keys import as_scores, keys_of
from fairnb.statistics._memo import Memo, share

if TYPE_CHECKING:
    from fairnb.statistics._count import Groups
    from fairnb.statistics._tally import Tally

_KEPT = 8
"""Tallies that are kept at once: a threshold that was moved away from is soon moved back to."""
_CLEAR = 1.05
"""By how much a form must be over the limit for a few counts more or less not to matter."""


class Counting:
    """What `tally` makes of some rows, for any thresholds, without looking at the rows again.

    Equal, bit for bit, to `tally(..., thresholds=...).fitted()`.

    Parameters
    ----------
    labels, scores, groups, names, clusters, pairs
        As `tally` takes them.
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        groups: Groups | None = None,
        names: Sequence[str] = (),
        *,
        clusters: Sequence[object] | None = None,
        pairs: Iterable[tuple[str, str]] = (),
    ) -> None:
        pairs = tuple(pairs)
        self._made: dict[tuple[float, ...], Tally] = {}
        self._known: dict[int, Memo] = {}
        # By shift: thresholds take bytes, too, so that not all tallies need fit at the same one.
        check_lengths(np.asarray(labels), np.asarray(scores), groups, names, clusters)
        plain = tally(labels, scores, groups, names, pairs=pairs)
        self._starts, self._sorted, self._clusters = _ordered(
            labels, scores, groups, tuple(names), pairs, clusters
        )
        if self._clusters is not None:
            self._clusters.prepare()
            plain = replace(plain, clusters=self._clusters.sums(()))
        for shift, size in sizes(plain):
            self._fitting = plain.coarsened(shift)
            if size <= LIMIT * _CLEAR:
                break

    def tally(self, thresholds: Iterable[float]) -> Tally:
        """The tally with exact counts at these thresholds, as it is stored.

        Raises
        ------
        FairnbError
            ``bad-threshold``; ``tally-too-large``.
        """
        chosen = tuple(checked_thresholds(thresholds))
        if chosen not in self._made:
            if len(self._made) >= _KEPT:
                self._made.clear()
            self._made[chosen] = self._fitted(self._tally(chosen))
        return self._made[chosen]

    def _fitted(self, made: Tally) -> Tally:
        """The tally as it is stored, with what is known of its entries."""
        share(made, self._known.setdefault(made.shift, {}))
        fitting = made.fitted()
        if fitting is not made:
            share(fitting, self._known.setdefault(fitting.shift, {}))
        return fitting

    def _tally(self, chosen: tuple[float, ...]) -> Tally:
        kind = self._sorted.dtype.type
        ends = self._starts[1:]
        flagged = np.zeros((len(chosen), len(ends)), np.int64)
        for row, threshold in enumerate(chosen):
            for cell, (start, end) in enumerate(zip(self._starts[:-1], ends, strict=True)):
                flagged[row, cell] = end - start - np.searchsorted(self._sorted[start:end], kind(threshold))
        return replace(
            self._fitting,
            thresholds=chosen,
            flagged=read_only(flagged.reshape(len(chosen), len(ends) // 2, 2)),
            clusters=None if self._clusters is None else self._clusters.sums(chosen),
        )


def _ordered(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    groups: Groups | None,
    names: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    clusters: Sequence[object] | None,
) -> tuple[list[int], npt.NDArray[np.floating], ClusterRows | None]:
    """Where each cell begins; the labelled rows' scores, ascending within each cell; rows by cluster."""
    answer, p = np.asarray(labels).astype(np.int64), as_scores(scores)
    all_names, row, group, overlaps = memberships(groups, names, pairs, len(answer))
    counted = (~np.isnan(p) & (answer >= 0))[row]
    row, group = row[counted], group[counted]
    cell = 2 * group + answer[row]
    order = np.lexsort((p[row], cell))
    starts = np.searchsorted(cell[order], np.arange(2 * len(all_names) + 1))
    by_cluster = None
    if clusters is not None:
        codes = cluster_codes(clusters)[row]
        keys = keys_of(p[row]).astype(np.uint64)
        by_cluster = ClusterRows(
            codes, group, answer[row], keys, p[row], groups=len(all_names), asked=overlaps
        )
    return starts.tolist(), p[row][order], by_cluster
