"""From rows to a tally."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import read_only, sum_equal
from fairnb.statistics._clusters import ClusterRows, cluster_codes
from fairnb.statistics._keys import as_scores, keys_of
from fairnb.statistics._names import COMPLEMENT, overlap_name
from fairnb.statistics._tally import BUDGET, Tally

if TYPE_CHECKING:
    from scipy import sparse

    Groups = sparse.csr_array[Any] | sparse.csr_matrix[Any] | npt.NDArray[Any]

_Rows = npt.NDArray[np.int64]


def tally(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    groups: Groups | None = None,
    names: Sequence[str] = (),
    *,
    clusters: Sequence[object] | None = None,
    pairs: Iterable[tuple[str, str]] = (),
    thresholds: Iterable[float] = (),
    shift: int = 0,
    budget: int = BUDGET,
) -> Tally:
    """Count rows by group, label and score.

    Parameters
    ----------
    labels : array_like of int, shape (n,)
        1 positive, 0 negative, -1 no answer (left out and counted).
    scores : array_like of float, shape (n,)
        P(positive) in [0, 1]; NaN = unscored (counted by group and label, otherwise left out).
    groups : scipy.sparse.csr_array or ndarray of bool, shape (n, g), optional
        Which groups each row belongs to; groups may overlap.
    names : sequence of str, length g
        Names of the groups, distinct, such as ``gender/female``.
    clusters : sequence, length n, optional
        Author, thread or template of each row. Only sums over all clusters are kept.
    pairs : iterable of (str, str)
        Pairs of groups that will be compared: their overlap becomes a group ``"A&B"``, and clusters are
        summed for both together.
    thresholds : iterable of float
        Thresholds at which counts are taken from the scores themselves. Each is cast once to the type of
        the scores; a row is flagged if its score is at or above it.
    shift : int
        Bits by which keys are coarsened from the start: 0, 7, 11, 13 or 15.
    budget : int
        Entries allowed; over it, the finest shift that fits.

    Raises
    ------
    FairnbError
        ``lengths-differ``, ``bad-label``, ``bad-group-names``, ``unknown-group``, ``bad-threshold``,
        ``score-out-of-range``.
    """
    answer = np.asarray(labels)
    p = as_scores(scores)
    check_lengths(answer, p, groups, names, clusters)
    odd = np.flatnonzero((answer != 1) & (answer != 0) & (answer != -1))
    if len(odd):
        raise FairnbError(
            "bad-label",
            f"label {answer[odd[0]]!r}",
            "give 1 (positive), 0 (negative) or -1 (no answer)",
            where=f"row {odd[0]}",
        )
    answer = answer.astype(np.int64)
    chosen = checked_thresholds(thresholds)
    all_names, row, group, overlaps = memberships(groups, tuple(names), tuple(pairs), len(answer))

    scored = ~np.isnan(p)
    counted = scored & (answer >= 0)
    cell = 2 * group + answer[row]
    size = 2 * len(all_names)
    unscored = np.bincount(cell[(~scored & (answer >= 0))[row]], minlength=size).reshape(-1, 2)
    unlabelled = np.bincount(group[(answer < 0)[row]], minlength=len(all_names))
    keys = np.zeros(len(p), np.uint64)
    keys[counted] = keys_of(p[counted])

    kept = counted[row]
    row, group, cell = row[kept], group[kept], cell[kept]
    flagged = np.zeros((len(chosen), len(all_names), 2), np.int64)
    for index, threshold in enumerate(chosen):
        above = p[row] >= p.dtype.type(threshold)
        flagged[index] = np.bincount(cell[above], minlength=size).reshape(-1, 2)
    entries, counts = sum_equal(cell.astype(np.uint64) << np.uint64(32) | keys[row])
    sums = None
    if clusters is not None:
        codes = cluster_codes(clusters)
        sums = ClusterRows(
            codes[row], group, answer[row], keys[row], p[row], groups=len(all_names), asked=overlaps
        ).sums(chosen)
    exact = Tally(
        names=all_names,
        entries=read_only(entries),
        counts=read_only(counts),
        unscored_counts=read_only(unscored.astype(np.int64)),
        unlabelled_counts=read_only(unlabelled.astype(np.int64)),
        thresholds=tuple(chosen),
        flagged=read_only(flagged),
        dtype=p.dtype.name,
        clusters=sums,
    )
    return exact.coarsened(shift).within(budget)


def check_lengths(
    labels: npt.NDArray[Any],
    scores: npt.NDArray[Any],
    groups: Groups | None,
    names: Sequence[str],
    clusters: Sequence[object] | None,
) -> None:
    if labels.ndim != 1 or scores.ndim != 1:
        raise FairnbError(
            "lengths-differ",
            f"labels of shape {labels.shape} and scores of shape {scores.shape}",
            "give one label and one score per row",
        )
    lengths = {"labels": len(labels), "scores": len(scores)}
    if groups is not None:
        lengths["rows of groups"] = groups.shape[0]
    if clusters is not None:
        lengths["clusters"] = len(clusters)
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count} {what}" for what, count in lengths.items())
        raise FairnbError("lengths-differ", told, "give one of each per row")
    columns = 0 if groups is None else groups.shape[1]
    if columns != len(names):
        raise FairnbError(
            "lengths-differ", f"{columns} columns of groups, {len(names)} names", "give one name per column"
        )


def checked_thresholds(thresholds: Iterable[float]) -> list[float]:
    chosen = sorted({float(one) for one in thresholds})
    for one in chosen:
        if not 0.0 <= one <= 1.0:
            raise FairnbError("bad-threshold", f"threshold {one}", "give thresholds between 0 and 1")
    return chosen


def memberships(
    groups: Groups | None, names: tuple[str, ...], pairs: tuple[tuple[str, str], ...], n: int
) -> tuple[tuple[str, ...], _Rows, _Rows, list[tuple[int, int]]]:
    """All group names, rows and groups of every membership, and the groups of each pair.

    Group 0 holds every row.
    """
    everyone = np.arange(n, dtype=np.int64)
    rows, columns = _members(groups)
    order = np.argsort(columns, kind="stable")
    by_column = np.split(rows[order], np.searchsorted(columns[order], np.arange(1, len(names))))
    place = {name: index for index, name in enumerate(names)}
    ordered = []
    for pair in pairs:
        unknown = [name for name in pair if name not in place]
        if unknown:
            raise FairnbError(
                "unknown-group", f"pair {pair!r} names the group {unknown[0]!r}", "name groups that are given"
            )
        ordered.append(sorted(pair, key=place.__getitem__))
    overlaps = sorted({(place[a], place[b]) for a, b in ordered})
    shared = [np.intersect1d(by_column[a], by_column[b], assume_unique=True) for a, b in overlaps]
    all_names = ("", *names, *(overlap_name(names[a], names[b]) for a, b in overlaps))
    if len(set(all_names)) < len(all_names) or any(name.startswith(COMPLEMENT) for name in names):
        raise FairnbError(
            "bad-group-names",
            "names of groups are empty, repeated or begin with a tilde",
            "give each group its own name",
        )
    row = np.concatenate([everyone, rows, *shared])
    group = np.concatenate(
        [
            np.zeros(n, np.int64),
            columns + 1,
            *(np.full(len(part), 1 + len(names) + index) for index, part in enumerate(shared)),
        ]
    )
    return all_names, row, group, [(a + 1, b + 1) for a, b in overlaps]


def _members(groups: Groups | None) -> tuple[_Rows, _Rows]:
    """Row and column of each true cell, once."""
    if groups is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    if isinstance(groups, np.ndarray):
        row, column = np.nonzero(groups)
        return row.astype(np.int64), column.astype(np.int64)
    matrix = groups.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    row = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    true = np.asarray(matrix.data) != 0
    return row[true], matrix.indices.astype(np.int64)[true]
