"""The tally: exact, mergeable counts from which every classification measure follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairnb.errors import FairnbError
from fairnb.statistics import _auc, _bytes, _curves
from fairnb.statistics._arrays import Counts, Entries, cumulated, read_only, sum_equal
from fairnb.statistics._clusters import ClusterSums
from fairnb.statistics._confusion import Confusion
from fairnb.statistics._estimate import Estimate
from fairnb.statistics._keys import SHIFTS, Floats, scores_of, threshold_key
from fairnb.statistics._memo import of_entries
from fairnb.statistics._names import COMPLEMENT, overlap_name

BUDGET = 2_000_000
"""Entries a tally may hold; over it, the finest shift that fits."""
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of labelled, scored rows by group, label and score; made by `tally`, summed by `merge`.

    A group is named as given to `tally`; ``""`` is everyone, ``"~NAME"`` the rows outside NAME, and
    ``"A&B"`` the overlap of a pair that was asked for. Two tallies are equal if their digests are.
    """

    names: tuple[str, ...]
    """Groups in the order of their cells; the first is ``""``, everyone."""
    entries: Entries
    """Ascending ``cell << 32 | key >> shift`` with cell = 2 * group + label; shape (m,)."""
    counts: Counts
    """Rows of each entry, at least 1; shape (m,)."""
    unscored_counts: Counts
    """Labelled rows without a score, by group and label; shape (groups, 2)."""
    unlabelled_counts: Counts
    """Rows without a label, left out of everything else, by group; shape (groups,)."""
    thresholds: tuple[float, ...]
    """Thresholds whose counts were taken from the scores themselves, ascending."""
    flagged: Counts
    """Rows at or above each of `thresholds`, by group and label; shape (thresholds, groups, 2)."""
    dtype: str
    """Type of the scores, to which thresholds are cast."""
    shift: int = 0
    """Bits by which keys are coarsened; 0 = as exact as float32."""
    clusters: ClusterSums | None = None
    """Sums over clusters, where clusters were given."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of all groups but everyone."""
        return self.names[1:]

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the content, the same on every machine."""
        return _bytes.digest(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    # ---- counts

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def _confusions(self) -> dict[tuple[float, str], Confusion]:
        """Counts that were asked for: every rate and interval asks for the same again."""
        return {}

    @cached_property
    def cumulated(self) -> Counts:
        """Running totals of `counts` with a leading 0; shape (m + 1,)."""
        return read_only(cumulated(self.counts))

    @cached_property
    def starts(self) -> Counts:
        """Where each cell's entries begin, and where the last one's end; shape (2 * groups + 1,)."""
        cells = np.arange(2 * len(self.names) + 1, dtype=np.uint64) << np.uint64(32)
        return read_only(np.searchsorted(self.entries, cells).astype(np.int64))

    @cached_property
    def support_counts(self) -> Counts:
        """Labelled, scored rows by group and label; shape (groups, 2)."""
        return read_only(np.diff(self.cumulated[self.starts]).reshape(-1, 2))

    def index(self, group: str) -> int:
        """Position of a stored group.

        Raises
        ------
        FairnbError
            ``unknown-group`` if the tally does not hold it.
        """
        if group not in self._index:
            raise FairnbError(
                "unknown-group",
                f"the tally has no group {group!r}",
                f"use one of {', '.join(map(repr, self.names[:20]))}",
            )
        return self._index[group]

    def has(self, group: str) -> bool:
        """Whether `group` (or its complement) can be asked for."""
        return group.removeprefix(COMPLEMENT) in self._index

    def overlap(self, first: str, second: str) -> str | None:
        """Name of the stored overlap of two groups, whichever way round; None if it was not counted."""
        for name in (overlap_name(first, second), overlap_name(second, first)):
            if name in self._index:
                return name
        return None

    def of_group(self, by_group: Counts, group: str) -> Counts:
        """Row of an array by group; a complement is a difference."""
        if group.startswith(COMPLEMENT):
            rest: Counts = by_group[0] - by_group[self.index(group.removeprefix(COMPLEMENT))]
            return rest
        row: Counts = by_group[self.index(group)]
        return row

    def support(self, group: str = "", label: int = 1) -> int:
        """Labelled, scored rows of one label."""
        return int(self.of_group(self.support_counts, group)[label])

    def n(self, group: str = "") -> int:
        """Labelled, scored rows."""
        return int(self.of_group(self.support_counts, group).sum())

    def unscored(self, group: str = "", label: int | None = None) -> int:
        """Labelled rows without a score; of one label or both."""
        row = self.of_group(self.unscored_counts, group)
        return int(row.sum() if label is None else row[label])

    def unlabelled(self, group: str = "") -> int:
        """Rows without a label, which no measure counts."""
        return int(self.of_group(self.unlabelled_counts, group))

    def clusters_of(self, group: str = "", label: int | None = None) -> int | None:
        """Clusters with labelled, scored rows of one label or both; None where clusters were not counted."""
        if self.clusters is None:
            return None
        index = self.index(group.removeprefix(COMPLEMENT))
        return self.clusters.count(index, label, outside=group.startswith(COMPLEMENT))

    def cell(self, group: str, label: int) -> tuple[Entries, Counts]:
        """Keys (ascending, shifted) and counts of one group's rows of one label; each shape (k,)."""
        if group.startswith(COMPLEMENT):
            keys, counts = self.cell("", label)
            inside, within = self.cell(group.removeprefix(COMPLEMENT), label)
            rest = counts.copy()
            rest[np.searchsorted(keys, inside)] -= within
            return keys[rest > 0], rest[rest > 0]
        start, end = self.starts[2 * self.index(group) + label :][:2]
        return self.entries[start:end] & _LOW, self.counts[start:end]

    def scores(self, group: str, label: int) -> tuple[Floats, Counts]:
        """Distinct scores (ascending) as the tally holds them, and their counts; each shape (k,)."""
        keys, counts = self.cell(group, label)
        return scores_of(keys, self.shift), counts

    def exact_at(self, threshold: float) -> bool:
        """Whether counts at this threshold are those of the scores themselves."""
        if threshold in self.thresholds or threshold == 0.5:
            return True
        return self.shift == 0 and np.dtype(self.dtype).itemsize <= 4

    def flagged_counts(self, threshold: float) -> Counts:
        """Rows with a score at or above a threshold, by group and label; shape (groups, 2).

        A threshold given to `tally` has counts of the scores themselves; any other is looked up among
        the scores as the tally holds them (`exact_at` says whether that is the same).
        """
        if threshold in self.thresholds:
            exact: Counts = self.flagged[self.thresholds.index(threshold)]
            return exact
        key = np.uint64(threshold_key(threshold, self.dtype) >> self.shift)
        cells = np.arange(2 * len(self.names), dtype=np.uint64) << np.uint64(32)
        below = self.cumulated[np.searchsorted(self.entries, cells | key)]
        above: Counts = (self.cumulated[self.starts[1:]] - below).reshape(-1, 2)
        return above

    def confusion(self, threshold: float, group: str = "") -> Confusion:
        """Confusion counts; a row is flagged if its score is at or above the threshold."""
        found = self._confusions.get((threshold, group))
        if found is None:
            flagged = self.of_group(self.flagged_counts(threshold), group)
            support = self.of_group(self.support_counts, group)
            fp, tp = int(flagged[0]), int(flagged[1])
            found = Confusion(tp, fp, int(support[1]) - tp, int(support[0]) - fp)
            self._confusions[threshold, group] = found
        return found

    # ---- measures

    @of_entries
    def auc(self, group: str = "", level: float = 0.95) -> Estimate:
        """Area under the ROC curve (Mann-Whitney, ties 1/2) with DeLong's interval on the logit scale."""
        return _auc.auc_interval(_auc.mann_whitney(self.cell(group, 1), self.cell(group, 0)), level)

    def roc(self, group: str = "", points: int = 200) -> _curves.Roc:
        """ROC curve; every vertex, or at most about `points` of them evenly along the curve."""
        return _curves.roc(self.cell(group, 1), self.cell(group, 0), self.shift, points)

    def calibration(self, bins: int = 10, group: str = "", level: float = 0.95) -> tuple[_curves.Bin, ...]:
        """Equal-width bins of the score, each with rows, positives, mean score and observed share."""
        return _curves.calibration(self, group, bins, level)

    def brier(self, group: str = "", level: float = 0.95) -> Estimate:
        """Mean squared difference between score and label, with Wald's interval."""
        return _curves.brier(self.scores(group, 1), self.scores(group, 0), level)

    def ece(self, bins: int = 10, group: str = "", level: float = 0.95, seed: int = 0) -> Estimate:
        """Expected calibration error over equal-width bins, with a bootstrap interval."""
        return _curves.ece(self, group, bins, level, seed)

    def mean_flagged(self, threshold: float, group: str = "", level: float = 0.95) -> Estimate:
        """Mean score of the rows at or above a threshold (among the scores as the tally holds them)."""
        key = threshold_key(threshold, self.dtype) >> self.shift
        parts = []
        for label in (0, 1):
            keys, counts = self.cell(group, label)
            above = keys >= key
            parts.append((scores_of(keys[above], self.shift), counts[above]))
        return _curves.mean_score(parts, level)

    @of_entries
    def mean_score(self, group: str = "", label: int | None = None, level: float = 0.95) -> Estimate:
        """Mean score of a group's rows of one label, or of both."""
        labels = (0, 1) if label is None else (label,)
        return _curves.mean_score([self.scores(group, one) for one in labels], level)

    # ---- sums and sizes

    def coarsened(self, shift: int) -> Tally:
        """The same rows with keys coarsened to `shift` bits in all.

        Raises
        ------
        FairnbError
            ``bad-shift`` if `shift` is not one of 0, 7, 11, 13, 15 or is finer than the tally's.
        """
        if shift == self.shift:
            return self
        if shift not in SHIFTS or shift < self.shift:
            raise FairnbError(
                "bad-shift",
                f"a tally coarsened by {self.shift} bits cannot be given {shift}",
                f"use one of {', '.join(str(one) for one in SHIFTS if one >= self.shift)}",
            )
        more = np.uint64(shift - self.shift)
        entries = (self.entries & ~_LOW) | ((self.entries & _LOW) >> more)
        kept, counts = sum_equal(entries, self.counts)
        return replace(self, entries=read_only(kept), counts=read_only(counts), shift=shift)

    def within(self, budget: int = BUDGET) -> Tally:
        """The tally at the finest shift at which it has at most `budget` entries (or the coarsest)."""
        fitting = self
        for shift in SHIFTS:
            if len(fitting.entries) <= budget:
                break
            if shift > fitting.shift:
                fitting = fitting.coarsened(shift)
        return fitting

    def merge(self, *others: Tally, budget: int = BUDGET) -> Tally:
        """Sum with other tallies of the same groups; exact, in any order.

        Where clusters were counted, none may have rows in two of the tallies.

        Raises
        ------
        FairnbError
            ``tallies-differ`` if groups, thresholds, type of scores or the use of clusters differ.
        """
        return merge_tallies((self, *others), budget=budget)

    # ---- bytes

    def to_bytes(self, limit: int | None = _bytes.LIMIT) -> bytes:
        """Delta-coded, compressed form of at most `limit` bytes: coarsened where it must be.

        What was coarsened has another digest: keep `fitted()`, whose digest is that of the bytes.
        """
        return _bytes.encode(self, limit)[1]

    def fitted(self, limit: int | None = _bytes.LIMIT) -> Tally:
        """The tally as `to_bytes(limit)` stores it: at the finest shift whose bytes fit."""
        return _bytes.encode(self, limit)[0]

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Tally read back from `to_bytes`.

        Raises
        ------
        FairnbError
            ``damaged-tally`` if the bytes are not a whole tally; ``newer-tally`` if a later fairnb wrote
            them.
        """
        return _bytes.decode(data, cls)


def merge_tallies(tallies: Iterable[Tally], *, budget: int = BUDGET) -> Tally:
    """Sum of one or more tallies; pending ones are added up when they pass half of the budget.

    Parameters
    ----------
    tallies : iterable of Tally
        All with the same groups, thresholds, type of scores, and all or none with clusters; no cluster may
        have rows in two of them.
    budget : int
        Entries the sum may hold; over it, the finest shift of 0, 7, 11, 13, 15 that fits. As fewer rows
        never have more entries, the shift of the sum does not depend on how rows were split.

    Raises
    ------
    FairnbError
        ``no-tallies`` if there is none; ``tallies-differ`` if they do not belong together.
    """
    pending: list[Tally] = []
    size = 0
    for one in tallies:
        if pending:
            _same_kind(pending[0], one)
        pending.append(one)
        size += len(one.entries)
        if size > budget // 2 and len(pending) > 1:
            pending = [_added(pending).within(budget)]
            size = len(pending[0].entries)
    if not pending:
        raise FairnbError("no-tallies", "there is no tally to add up", "give at least one")
    return _added(pending).within(budget)


def _same_kind(first: Tally, other: Tally) -> None:
    for what in ("names", "thresholds", "dtype"):
        if getattr(first, what) != getattr(other, what):
            raise FairnbError(
                "tallies-differ",
                f"two tallies differ in their {what}",
                "add up tallies of one corpus, counted with the same groups and thresholds",
            )
    if (first.clusters is None) != (other.clusters is None):
        raise FairnbError(
            "tallies-differ", "one tally has clusters and another has none", "count all chunks alike"
        )
    if first.clusters and other.clusters and not np.array_equal(first.clusters.pairs, other.clusters.pairs):
        raise FairnbError(
            "tallies-differ",
            "two tallies were counted for different pairs of groups",
            "count all chunks alike",
        )


def _added(tallies: list[Tally]) -> Tally:
    if len(tallies) == 1:
        return tallies[0]
    first = tallies[0]
    shift = max(one.shift for one in tallies)
    alike = [one.coarsened(shift) for one in tallies]
    entries, counts = sum_equal(
        np.concatenate([one.entries for one in alike]), np.concatenate([one.counts for one in alike])
    )
    parts = [one.clusters for one in alike if one.clusters is not None]
    clusters = parts[0].plus(*parts[1:]) if parts else None
    return replace(
        first,
        entries=read_only(entries),
        counts=read_only(counts),
        unscored_counts=read_only(np.sum([one.unscored_counts for one in alike], axis=0)),
        unlabelled_counts=read_only(np.sum([one.unlabelled_counts for one in alike], axis=0)),
        flagged=read_only(np.sum([one.flagged for one in alike], axis=0)),
        shift=shift,
        clusters=clusters,
    )
