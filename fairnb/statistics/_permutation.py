"""Tests and null values that permute, within a label, who belongs to a group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts, cumulated
from fairnb.statistics._auc import ranked
from fairnb.statistics._keys import Floats
from fairnb.statistics._means import mean_of
from fairnb.statistics._memo import of_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairnb.statistics._tally import Tally

_ENOUGH = 50
"""Rows of the smaller group from which the law of its mean is taken as normal."""
_ROWS = 20_000_000
"""Rows drawn at most for one null value: fewer draws where groups are large."""
_Scores = tuple[Floats, Counts]


def scores_apart(tally: Tally, first: str, second: str, label: int) -> tuple[_Scores, _Scores]:
    """Scores of the rows of one label that belong to one of two groups and not to the other."""
    shared = None if second.startswith("~") else tally.overlap(first, second)
    sides = []
    for group in (first, second):
        scores, counts = tally.scores(group, label)
        if shared is not None:
            common, rows = tally.scores(shared, label)
            counts = counts.copy()
            counts[np.searchsorted(scores, common)] -= rows
        sides.append((scores[counts > 0], counts[counts > 0]))
    return sides[0], sides[1]


@of_entries
def mean_score_p(
    tally: Tally, first: str, second: str, label: int, *, draws: int = 4_999, seed: int = 0
) -> float | None:
    """`permutation_p` of the scores of one label's rows that belong to one of two groups only."""
    return permutation_p(*scores_apart(tally, first, second, label), draws=draws, seed=seed)


def permutation_p(first: _Scores, second: _Scores, *, draws: int = 4_999, seed: int = 0) -> float | None:
    """Two-sided p that two groups' rows were dealt out at random, by the difference of their means.

    The permutation law of the difference is drawn where the smaller group has fewer than 50 rows (rows
    without replacement; the seen one counts as a draw), and else taken as normal with its exact variance.
    Groups may not share rows.

    Parameters
    ----------
    first, second : (scores, counts)
        Each shape (k,).
    draws, seed : int
    """
    one, other = mean_of(*first), mean_of(*second)
    if one.value is None or other.value is None:
        return None
    small = min((one.n, first), (other.n, second), key=lambda side: side[0])
    scores = np.concatenate([first[0], second[0]])
    counts = np.concatenate([first[1], second[1]])
    pooled = mean_of(scores, counts)
    if not pooled.variance or pooled.value is None:
        return 1.0
    # The smaller group's mean alone decides: all rows together are fixed.
    spread = math.sqrt(pooled.variance * (1 / small[0] - 1 / pooled.n))
    seen = abs((mean_of(*small[1]).value or 0.0) - pooled.value)
    if small[0] >= _ENOUGH:
        return math.erfc(seen / spread / math.sqrt(2))
    rng = np.random.default_rng(seed)
    ends = np.cumsum(counts)
    drawn = [scores[_dealt(rng, ends, small[0])].mean() for _ in range(draws)]
    as_far = np.count_nonzero(np.abs(np.array(drawn) - pooled.value) >= seen - 1e-12)
    return float((as_far + 1) / (draws + 1))


def _dealt(rng: np.random.Generator, ends: Counts, size: int) -> npt.NDArray[np.int64]:
    """Entries of `size` rows drawn without replacement; `ends` are running totals of the entries' rows."""
    rows = rng.choice(int(ends[-1]), size, replace=False, shuffle=False)
    return np.searchsorted(ends, rows, side="right").astype(np.int64)


def bias_aucs_null(
    tally: Tally, groups: Sequence[str], *, draws: int = 200, seed: int = 0
) -> dict[str, Floats]:
    """Areas of groups of the same sizes whose rows are drawn from everyone's rows of each label.

    This is what subgroup, BPSN and BNSP areas look like where score and group are independent given the
    label. Groups are drawn one by one: that they overlap does not change the law of any single area.

    Parameters
    ----------
    tally : Tally
    groups : sequence of str
        Groups with rows of both labels, and rows of both labels outside.
    draws, seed : int
        Fewer draws are made where groups are large.

    Returns
    -------
    dict
        ``subgroup``, ``bpsn``, ``bnsp``; each shape (draws, groups).
    """
    keys, counts = zip(*(tally.cell("", label) for label in (0, 1)), strict=True)
    ends = [np.cumsum(rows) for rows in counts]
    totals = [int(end[-1]) for end in ends]
    # Of each entry among the other label's rows: share below, ties half.
    places = []
    for label in (0, 1):
        less, upto = ranked(keys[label], keys[1 - label])
        running = cumulated(counts[1 - label])
        places.append((running[less] + running[upto]) / (2 * totals[1 - label]))
    sizes = [(tally.support(group, 0), tally.support(group, 1)) for group in groups]
    draws = max(20, min(draws, _ROWS // max(1, sum(map(sum, sizes)))))
    found = {name: np.empty((draws, len(groups))) for name in ("subgroup", "bpsn", "bnsp")}
    rng = np.random.default_rng(seed)
    for column, (n, m) in enumerate(sizes):
        for row in range(draws):
            negative, positive = _dealt(rng, ends[0], n), _dealt(rng, ends[1], m)
            below = np.sort(keys[0][negative])
            drawn = keys[1][positive]
            wins = np.searchsorted(below, drawn) + np.searchsorted(below, drawn, side="right")
            within = float(wins.sum()) / 2
            found["subgroup"][row, column] = within / (m * n)
            over = float(places[1][positive].sum()) * totals[0]
            found["bnsp"][row, column] = (over - within) / (m * (totals[0] - n))
            under = float((1 - places[0][negative]).sum()) * totals[1]
            found["bpsn"][row, column] = (under - within) / (n * (totals[1] - m))
    return found
