"""The same rows give the same tally; counts and measures are those of the scores as it holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics

from fairnb.errors import FairnbError
from fairnb.statistics import Tally, accuracy, merge_tallies, tally, wilson

NAMES = ("gender/female", "gender/male", "religion/Islam")
PAIRS = (("gender/male", "gender/female"),)
THRESHOLDS = (0.3, 0.5, 0.6)


class Rows(NamedTuple):
    """Columns of equal length."""

    labels: np.ndarray
    scores: np.ndarray
    groups: np.ndarray
    clusters: np.ndarray

    def take(self, rows):
        return Rows(*(column[rows] for column in self))

    def tally(self, **options):
        given_options = {"clusters": self.clusters, "pairs": PAIRS, "thresholds": THRESHOLDS} | options
        return tally(self.labels, self.scores, sparse.csr_array(self.groups), NAMES, **given_options)

    def scored(self, group=None):
        """Labels and scores of the labelled, scored rows (of one column of groups)."""
        kept = (self.labels >= 0) & ~np.isnan(self.scores)
        if group is not None:
            kept &= self.groups[:, group]
        return self.labels[kept], self.scores[kept]


# A few values repeat, so that ties and thresholds are met; one stands next to 1, where models saturate.
SCORES = (
    st.sampled_from([0.0, float(np.float32(0.3)), 0.5, float(np.float32(0.6)), 1 - 2.0**-24, 1.0])
    | st.floats(0.0, 1.0, width=32)
    | st.just(float("nan"))
)


@st.composite
def rows(draw, dtype=np.float32):
    member = st.tuples(*[st.booleans()] * len(NAMES))
    row = st.tuples(st.sampled_from([0, 1, -1]), SCORES, member, st.sampled_from("abcd"))
    drawn = draw(st.lists(row, max_size=60))
    labels, scores, groups, clusters = zip(*drawn, strict=True) if drawn else ((), (), (), ())
    return Rows(
        np.array(labels, np.int8),
        np.array(scores, dtype),
        np.array(groups, bool).reshape(-1, len(NAMES)),
        np.array(clusters, object),
    )


def confusion_of(labels, flagged):
    """Scikit-learn's counts, which it refuses to take of no rows."""
    if not len(labels):
        return [[0, 0], [0, 0]]
    return metrics.confusion_matrix(labels, flagged, labels=[0, 1]).tolist()


def same(one: Tally, other: Tally) -> bool:
    arrays = ("entries", "counts", "unscored_counts", "unlabelled_counts", "flagged")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    if one.clusters is not None:
        for name in ("pairs", "counted", "totals", "rows", "scores", "flagged"):
            equal &= np.array_equal(getattr(one.clusters, name), getattr(other.clusters, name))
    return equal and one.shift == other.shift and one == other and hash(one) == hash(other)


@given(rows(), st.data())
def test_any_split_and_order_of_the_rows_gives_the_same_tally(drawn, data):
    n = len(drawn.labels)
    order = np.array(data.draw(st.permutations(range(n))), int)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=3)))
    parts = [drawn.take(order[a:b]).tally(clusters=None) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]
    assert same(merge_tallies(parts), drawn.tally(clusters=None))


@given(rows(), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_any_split_that_keeps_clusters_whole_gives_the_same_tally(drawn, part_of):
    part = np.array([part_of["abcd".index(one)] for one in drawn.clusters], int)
    parts = [drawn.take(np.flatnonzero(part == one)[::-1]).tally() for one in range(3)]
    assert same(merge_tallies(parts), drawn.tally())


@given(rows(), st.integers(0, 12), st.integers(0, 60))
def test_splits_give_the_same_tally_under_a_budget_that_coarsens(drawn, budget, cut):
    parts = [
        drawn.take(slice(None, cut)).tally(budget=budget, clusters=None),
        drawn.take(slice(cut, None)).tally(budget=budget, clusters=None),
    ]
    assert same(merge_tallies(parts, budget=budget), drawn.tally(budget=budget, clusters=None))


@given(rows(), rows(), rows())
def test_merging_is_associative_and_commutative(a, b, c):
    a, b, c = a.tally(), b.tally(), c.tally()
    assert same(a.merge(b).merge(c), a.merge(b.merge(c)))
    assert same(a.merge(b), b.merge(a))
    assert same(a.merge(b, c), c.merge(b, a))


@given(rows(), st.sampled_from([0, 7, 11, 13, 15]))
def test_bytes_come_back_as_the_same_tally(drawn, shift):
    counted = drawn.tally(shift=shift)
    assert same(Tally.from_bytes(counted.to_bytes()), counted)


@given(rows(), st.sampled_from([7, 11, 13, 15]))
def test_coarsening_commutes_with_counting(drawn, shift):
    assert same(drawn.tally().coarsened(7).coarsened(shift), drawn.tally(shift=shift))


@given(rows())
def test_dense_sparse_and_repeated_memberships_count_alike(drawn):
    dense = tally(drawn.labels, drawn.scores, drawn.groups, NAMES)
    row, column = np.nonzero(drawn.groups)
    twice = sparse.coo_array(
        (np.ones(2 * len(row), bool), (np.tile(row, 2), np.tile(column, 2))), drawn.groups.shape
    )
    assert same(dense, tally(drawn.labels, drawn.scores, twice.tocsr(), NAMES))


@given(rows())
def test_what_is_left_out_is_counted(drawn):
    counted = drawn.tally()
    unscored, unlabelled = np.isnan(drawn.scores), drawn.labels < 0
    for group, inside in [("", np.ones(len(unscored), bool)), (NAMES[0], drawn.groups[:, 0])]:
        assert counted.unlabelled(group) == np.sum(unlabelled & inside)
        assert counted.unscored(group) == np.sum(unscored & ~unlabelled & inside)
        assert counted.unscored(group, 1) == np.sum(unscored & (drawn.labels == 1) & inside)
        everything = counted.n(group) + counted.unscored(group) + counted.unlabelled(group)
        assert everything == inside.sum()


@given(rows(), st.sampled_from(THRESHOLDS) | st.floats(0.0, 1.0))
@pytest.mark.parametrize("group", [None, 0, 1, 2])
def test_confusion_equals_sklearn_at_any_threshold(group, drawn, threshold):
    labels, scores = drawn.scored(group)
    expected = confusion_of(labels, scores >= np.float32(threshold))
    name = "" if group is None else NAMES[group]
    got = drawn.tally().confusion(threshold, name)
    assert [[got.tn, got.fp], [got.fn, got.tp]] == expected


@given(rows(), st.sampled_from(THRESHOLDS) | st.floats(0.0, 1.0))
def test_complements_and_overlaps_are_the_rows_they_name(drawn, threshold):
    counted = drawn.tally()
    overlap = counted.overlap("gender/female", "gender/male")
    assert overlap == "gender/female&gender/male"
    assert counted.overlap("gender/female", "religion/Islam") is None
    for name, inside in [
        ("~gender/female", ~drawn.groups[:, 0]),
        (overlap, drawn.groups[:, 0] & drawn.groups[:, 1]),
    ]:
        part = drawn.take(inside)
        alone = tally(part.labels, part.scores, thresholds=THRESHOLDS)
        assert counted.confusion(threshold, name) == alone.confusion(threshold)
        assert counted.auc(name) == alone.auc()
        assert counted.mean_score(name, 1) == alone.mean_score("", 1)
        assert counted.unscored(name) == alone.unscored()


@given(rows(np.float64), st.data())
def test_configured_thresholds_count_the_scores_themselves(drawn, data):
    # Neighbours in float64 that share a key: only counts taken from the scores tell them apart.
    beside = np.where(drawn.scores > 0.9, np.nextafter(0.6, 0), drawn.scores)
    drawn = drawn._replace(scores=beside)
    labels, scores = drawn.scored()
    counted = drawn.tally(shift=data.draw(st.sampled_from([0, 15])))
    for threshold in THRESHOLDS:
        expected = confusion_of(labels, scores >= threshold)
        got = counted.confusion(threshold)
        assert [[got.tn, got.fp], [got.fn, got.tp]] == expected
        assert counted.exact_at(threshold)
    assert not counted.exact_at(0.61)


def simulated(n=3000, seed=0, saturate=False):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, n).astype(np.int8)
    logits = random.normal(0, 2, n) + 1.5 * labels
    if saturate:
        logits = 14 + logits
    scores = (1 / (1 + np.exp(-logits))).astype(np.float32)
    groups = random.random((n, len(NAMES))) < 0.2
    return Rows(labels, scores, groups, random.integers(0, 50, n).astype(str).astype(object))


@pytest.mark.parametrize("saturate", [False, True])
def test_measures_equal_sklearn(saturate):
    drawn = simulated(saturate=saturate)
    counted = drawn.tally()
    for group, name in [(None, ""), (0, NAMES[0]), (2, NAMES[2])]:
        labels, scores = drawn.scored(group)
        decided = scores >= np.float32(0.5)
        confusion = counted.confusion(0.5, name)
        held = scores.astype(np.float64)
        assert counted.auc(name).value == pytest.approx(metrics.roc_auc_score(labels, held), abs=1e-15)
        assert counted.brier(name).value == pytest.approx(metrics.brier_score_loss(labels, held), abs=1e-12)
        assert accuracy(confusion).value == metrics.accuracy_score(labels, decided)
        assert wilson(confusion.tp, confusion.positive).value == metrics.recall_score(labels, decided)
        assert wilson(confusion.tp, confusion.flagged).value == metrics.precision_score(labels, decided)
        assert counted.mean_score(name, 1).value == pytest.approx(held[labels == 1].mean(), abs=1e-12)
        assert counted.mean_score(name).value == pytest.approx(held.mean(), abs=1e-12)


def test_a_tally_cannot_be_written_to():
    counted = simulated(50).tally()
    with pytest.raises(ValueError, match="read-only"):
        counted.counts[0] = 5
    with pytest.raises(AttributeError):
        counted.shift = 7


def test_the_finest_shift_within_the_budget_is_taken():
    drawn = simulated()
    sizes = {shift: len(drawn.tally(shift=shift).entries) for shift in (0, 7, 11, 13, 15)}
    assert drawn.tally(budget=sizes[11]).shift == 11
    assert drawn.tally(budget=sizes[11] - 1).shift == 13
    assert drawn.tally(budget=0).shift == 15


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"labels": [0, 2]}, "bad-label"),
        ({"labels": [0, 1, 1]}, "lengths-differ"),
        ({"labels": [[0, 1]]}, "lengths-differ"),
        ({"scores": [0.5, 1.5]}, "score-out-of-range"),
        ({"names": ("a",)}, "lengths-differ"),
        ({"names": ("a", "a")}, "bad-group-names"),
        ({"names": ("a", "")}, "bad-group-names"),
        ({"names": ("a", "~b")}, "bad-group-names"),
        ({"pairs": [("a", "c")]}, "unknown-group"),
        ({"thresholds": [float("nan")]}, "bad-threshold"),
        ({"clusters": ["x"]}, "lengths-differ"),
        ({"shift": 3}, "bad-shift"),
    ],
)
def test_mistakes_are_told(change, code):
    arguments = {"labels": [0, 1], "scores": [0.2, 0.7], "groups": np.eye(2), "names": ("a", "b")} | change
    with pytest.raises(FairnbError) as raised:
        tally(**arguments)
    assert raised.value.code == code


def test_unknown_groups_and_unlike_tallies_are_told():
    one = tally([0, 1], [0.2, 0.7])
    with pytest.raises(FairnbError, match="no group 'x'"):
        one.n("x")
    for other in (
        tally([0, 1], [0.2, 0.7], thresholds=[0.5]),
        tally([0, 1], np.array([0.2, 0.7], np.float32)),
        tally([0, 1], [0.2, 0.7], clusters=["a", "b"]),
        tally([0, 1], [0.2, 0.7], np.eye(2), ("a", "b")),
    ):
        with pytest.raises(FairnbError) as raised:
            one.merge(other)
        assert raised.value.code == "tallies-differ"
    with pytest.raises(FairnbError) as raised:
        merge_tallies([])
    assert raised.value.code == "no-tallies"
