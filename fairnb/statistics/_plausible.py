"""Whether any rows can give a tally that was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fairnb.statistics._arrays import Counts
from fairnb.statistics._clusters import UNIT, ClusterSums, Objects, kept_pairs
from fairnb.statistics._keys import scores_of

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally


def require(holds: object) -> None:
    """Refuse what does not hold.

    Raises
    ------
    ValueError
    """
    if not holds:
        raise ValueError


def check_tally(tally: Tally) -> None:
    """Require that groups are part of everyone, the flagged of the counted, and clusters made of the rows.

    Raises
    ------
    ValueError
    """
    require(float(tally.counts.astype(np.float64).sum()) < 2**53)
    cells = tally.entries >> np.uint64(32)
    everyone = tally.entries & np.uint64(0xFFFFFFFF) | (cells & np.uint64(1)) << np.uint64(32)
    own = int(tally.starts[2])
    place = np.searchsorted(tally.entries[:own], everyone)
    require(np.all(place < own))
    require(np.all(tally.entries[place] == everyone))
    require(np.all(tally.counts[place] >= tally.counts))
    for part in (tally.unscored_counts, tally.unlabelled_counts, *tally.flagged):
        require(np.all(part <= part[0]))
    require(np.all(tally.flagged <= tally.support_counts))
    require(np.all(_outside(tally.flagged) <= _outside(tally.support_counts)))
    require(np.all(np.diff(tally.flagged, axis=0) <= 0))
    if tally.clusters is not None:
        _check_counted(tally, tally.clusters)
        _check_totals(tally, tally.clusters)
        _check_products(tally, tally.clusters)


def _outside(by_group: Counts) -> Counts:
    """What everyone has without each group; groups are the last axis but one."""
    rest: Counts = by_group[..., :1, :] - by_group
    return rest


def _check_counted(tally: Tally, sums: ClusterSums) -> None:
    """There are no more clusters than rows, and none without rows."""
    groups = len(tally.names)
    asked = [(int(a), int(b)) for a, b in sums.pairs[2 * groups - 1 :]]
    require(np.array_equal(sums.pairs, kept_pairs(groups, asked)))
    require(asked == sorted(set(asked)) and all(0 < a < b < groups for a, b in asked))
    rows = tally.support_counts
    whole = np.concatenate((rows, rows.sum(axis=1, keepdims=True)), axis=1)
    rows_of = np.stack((whole, whole[0] - whole), axis=1)
    require(np.all(sums.counted <= rows_of))
    require(np.all((sums.counted > 0) == (rows_of > 0)))
    of_label, either = sums.counted[:, :, :2], sums.counted[:, :, 2]
    require(np.all(of_label <= either[:, :, None]))
    require(np.all(either <= of_label.sum(axis=2)))


def _check_totals(tally: Tally, sums: ClusterSums) -> None:
    """Sums of scores are within the rows' bounds, and those of the entries where entries are exact."""
    rows, totals = tally.support_counts, sums.totals
    require(np.all(rows < 2**30))
    require(np.all(totals <= UNIT * rows) and np.all(_outside(totals) >= 0))
    require(np.all(_outside(totals) <= UNIT * _outside(rows)))
    if tally.shift == 0:
        keys = tally.entries & np.uint64(0xFFFFFFFF)
        scored = np.rint(scores_of(keys) * UNIT).astype(np.int64) * tally.counts
        running = np.concatenate(([0], np.cumsum(scored)))
        require(np.array_equal(np.diff(running[tally.starts]).reshape(-1, 2), totals))


def _check_products(tally: Tally, sums: ClusterSums) -> None:
    """Products are at most those of all rows, the same either way round, and squares no less than they must."""
    support = tally.support_counts.astype(object)
    first, second = sums.pairs.T
    rows = sums.rows.astype(object)
    require(np.all(rows <= support[first][:, :, None] * support[second][:, None, :]))
    own = first == second
    require(np.all(_diagonal(rows[own]) >= support[first[own]]))
    scale = np.array([UNIT, UNIT, UNIT**2], object)[:, None, None]
    for others, most in ((sums.scores, scale), *((flagged.astype(object), 1) for flagged in sums.flagged)):
        require(np.all(others <= most * rows[:, None]))
        of_both, both_of, both = (others[own][:, at] for at in range(3))
        for one, other in ((of_both, both_of), (both, both), (rows[own], rows[own])):
            require(np.array_equal(one, other.transpose(0, 2, 1)))
        # Cauchy and Schwarz: a square of sums is no more than the product of sums of squares.
        require(np.all(_diagonal(of_both) ** 2 <= _diagonal(both) * _diagonal(rows[own])))


def _diagonal(products: Objects) -> Objects:
    """Products of each label with itself; shapes (k, 2, 2) and (k, 2)."""
    found: Objects = products[:, [0, 1], [0, 1]]
    return found
