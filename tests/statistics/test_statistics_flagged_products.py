"""Products of flagged rows, against sums that are taken cluster by cluster."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from fairnb.statistics import _flagged_products
from fairnb.statistics._clusters import ClusterRows


class Rows:
    """Memberships of rows in groups; group 0 holds every row."""

    def __init__(self, drawn: np.random.Generator, rows: int, groups: int, clusters: int) -> None:
        belongs = drawn.random((rows, groups)) < 0.4
        belongs[:, 0] = True
        self.row, self.group = np.nonzero(belongs)
        self.groups = groups
        self.codes = drawn.integers(0, clusters, rows)[self.row]
        self.label = drawn.integers(0, 2, rows)[self.row]
        # Two digits, so that many scores are equal.
        self.score = np.round(drawn.random(rows), 2).astype(np.float32)[self.row]

    def made(self, asked: list[tuple[int, int]]) -> ClusterRows:
        keys = np.zeros(len(self.row), np.uint64)
        return ClusterRows(
            self.codes, self.group, self.label, keys, self.score, groups=self.groups, asked=asked
        )

    def expected(self, pairs: npt.NDArray[np.int64], threshold: float) -> list[object]:
        """Rows times flagged, flagged times rows, flagged times flagged, with loops over clusters."""
        above = self.score >= np.float32(threshold)
        found = []
        for first, second in pairs:
            of_pair = [[[0, 0], [0, 0]] for _ in range(3)]
            for code in set(self.codes):
                counts = {}
                for group, label in itertools.product((first, second), (0, 1)):
                    of = (self.codes == code) & (self.group == group) & (self.label == label)
                    counts[group, label] = int(of.sum()), int((of & above).sum())
                for a, b in itertools.product((0, 1), (0, 1)):
                    (rows, flagged), (others, their) = counts[first, a], counts[second, b]
                    of_pair[0][a][b] += rows * their
                    of_pair[1][a][b] += flagged * others
                    of_pair[2][a][b] += flagged * their
            found.append(of_pair)
        return found


@pytest.mark.parametrize("step", [1, 4, 11, 50, 1024])
@pytest.mark.parametrize(("rows", "groups", "clusters"), [(60, 4, 7), (40, 3, 1), (30, 1, 30), (1, 2, 1)])
def test_products_are_those_of_a_loop_over_clusters(
    monkeypatch: pytest.MonkeyPatch, step: int, rows: int, groups: int, clusters: int
) -> None:
    monkeypatch.setattr(_flagged_products, "_STEP", step)
    given = Rows(np.random.default_rng(rows + step), rows, groups, clusters)
    prepared = given.made([(1, 2)] if groups > 2 else [])
    prepared.prepare()
    lowest = [float(score) for score in np.unique(given.score)[:6]]
    thresholds = [0.0, *lowest, 0.3, float(given.score[0]), 0.505, 0.77, 1.0]
    sums = prepared.sums(thresholds)
    for at, threshold in enumerate(thresholds):
        assert sums.flagged[at].tolist() == given.expected(sums.pairs, threshold)


def test_without_rows_nothing_is_flagged() -> None:
    empty = Rows(np.random.default_rng(0), 0, 2, 1).made([])
    empty.prepare()
    assert not empty.sums([0.5]).flagged.any()


def test_whole_numbers_beyond_what_a_float_holds_stay_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_flagged_products, "_STEP", 3)
    many, here = 2**53 + 1, 5
    segments = _flagged_products.Segments(
        group=np.array([0]), cluster=np.array([0]), rows=np.array([[many, here]]), groups=1,
        asked=np.zeros((0, 2), np.int64),
    )  # fmt: skip
    scores = np.linspace(0.1, 0.9, here)
    products = _flagged_products.FlaggedProducts(segments, np.full(here, 1), scores, np.int64)
    assert products.at(0.5).tolist() == [
        [[[0, many * 3], [0, here * 3]], [[0, 0], [many * 3, here * 3]], [[0, 0], [0, 3 * 3]]]
    ]
