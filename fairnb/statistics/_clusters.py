"""Sums per cluster (author, thread, template), which cluster-robust variances need."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairnb.statistics._arrays import Counts, Entries, read_only

UNIT = 2**32
"""Scores are summed as integers of 1/UNIT, so that sums do not depend on the order of rows."""


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Integer sums per cluster and group; they add, so parts of a cluster may be counted apart.

    Rows are ordered by cluster, then group; a cluster without scored, labelled rows in a group has no row.
    """

    clusters: Entries
    """64-bit keyed digests of the cluster names; shape (m,)."""
    groups: npt.NDArray[np.int64]
    """Index of the group, 0 = everyone; shape (m,)."""
    sums: Counts
    """Shape (m, 2, 2 + T): by label 0, 1: rows, sum of scores in 1/UNIT, rows flagged at each threshold."""

    def of(self, group: int) -> Counts:
        """Sums of one group's clusters; shape (clusters, 2, 2 + T)."""
        found: Counts = self.sums[self.groups == group]
        return found


def cluster_ids(clusters: Sequence[object], key: bytes) -> Entries:
    """64-bit digests of cluster names: the tally carries no author's name.

    Parameters
    ----------
    clusters : sequence
        One name per row; compared as text.
    key : bytes
        At most 64 bytes; the same for all tallies that are to be merged.
    """
    seen: dict[str, int] = {}
    ids = np.empty(len(clusters), np.uint64)
    for row, cluster in enumerate(clusters):
        name = str(cluster)
        if name not in seen:
            digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
            seen[name] = int.from_bytes(digest, "big")
        ids[row] = seen[name]
    return ids


def sum_clusters(clusters: Entries, groups: npt.NDArray[np.int64], sums: Counts) -> ClusterSums:
    """Rows of equal cluster and group added up, in order."""
    if len(clusters):
        order = np.lexsort((groups, clusters))
        clusters, groups, sums = clusters[order], groups[order], sums[order]
        new = (clusters[1:] != clusters[:-1]) | (groups[1:] != groups[:-1])
        first = np.flatnonzero(np.concatenate(([True], new)))
        clusters, groups, sums = clusters[first], groups[first], np.add.reduceat(sums, first, axis=0)
    return ClusterSums(read_only(clusters), read_only(groups), read_only(sums))
