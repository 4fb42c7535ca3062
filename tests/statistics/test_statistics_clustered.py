"""Cluster-robust shares and means: against a sandwich variance from statsmodels, and their coverage."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

from fairnb.errors import FairnbError
from fairnb.statistics import clustered_difference, clustered_mean, tally, wilson
from fairnb.statistics._clusters import exact_products

NAMES = ("a", "b")


def simulated(seed=0, clusters=30, spread=1.0):
    """Rows of authors who differ from each other by `spread` on the logit of the score."""
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 15, clusters)
    author = np.repeat(np.arange(clusters), sizes)
    logit = random.normal(0, spread, clusters)[author] + random.normal(0, 1, len(author))
    labels = random.integers(0, 2, len(author))
    groups = random.random((len(author), 2)) < 0.5
    return labels, 1 / (1 + np.exp(-logit)), groups, author


def counted(labels, scores, groups, author):
    return tally(labels, scores, groups, NAMES, clusters=author, thresholds=[0.5], pairs=[("b", "a")])


def sandwich(values, author):
    """Standard error of a mean with clusters, by statsmodels; its correction is G / (G - 1)."""
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": author})
    return float(fit.bse[0])


@pytest.mark.parametrize(("group", "label"), [("", None), ("", 1), ("a", 0), ("~b", None)])
def test_mean_scores_have_statsmodels_standard_error(group, label):
    labels, scores, groups, author = simulated()
    kept = np.ones(len(labels), bool) if label is None else labels == label
    kept &= {"": True, "a": groups[:, 0], "~b": ~groups[:, 1]}[group]
    got = clustered_mean(counted(labels, scores, groups, author), "score", group, label)
    assert got.value == pytest.approx(scores[kept].mean(), abs=1e-7)
    from scipy import stats

    quantile = stats.t.ppf(0.975, len(set(author[kept])) - 1)
    reach = quantile * sandwich(scores[kept], author[kept])
    assert got.high - got.value == pytest.approx(reach, rel=1e-5)
    assert got.value - got.low == pytest.approx(reach, rel=1e-5)


def test_shares_have_wilsons_interval_at_as_many_independent_rows():
    labels, scores, groups, author = simulated()
    kept = labels == 1
    flagged = (scores >= 0.5)[kept].astype(float)
    got = clustered_mean(counted(labels, scores, groups, author), "flagged", "", 1, threshold=0.5)
    assert got.value == flagged.mean()
    from scipy import stats

    z = stats.t.ppf(0.975, len(set(author[kept])) - 1)
    n = flagged.mean() * (1 - flagged.mean()) / sandwich(flagged, author[kept]) ** 2
    for limit in (got.low, got.high):
        # Wilson's limits solve (p - limit)^2 = z^2 limit (1 - limit) / n.
        assert (got.value - limit) ** 2 == pytest.approx(z**2 * limit * (1 - limit) / n, rel=1e-4)


def test_correct_decisions_are_counted_for_both_labels():
    labels, scores, groups, author = simulated()
    got = clustered_mean(counted(labels, scores, groups, author), "correct", "a", threshold=0.5)
    inside = groups[:, 0]
    assert got.value == ((scores >= 0.5) == labels)[inside].mean()


def test_rows_of_their_own_cluster_have_about_wilsons_interval():
    labels, scores, groups, _ = simulated()
    alone = clustered_mean(
        counted(labels, scores, groups, np.arange(len(labels))), "flagged", "", threshold=0.5
    )
    plain = wilson(int((scores >= 0.5).sum()), len(scores))
    assert [alone.low, alone.high] == pytest.approx([plain.low, plain.high], abs=2e-3)


@pytest.mark.parametrize(
    ("outcome", "label"),
    [("positive", None)]
    + [
        (outcome, label)
        for outcome in ("flagged", "missed", "correct", "wrong", "score")
        for label in (None, 0, 1)
    ],
)
@pytest.mark.parametrize("pair", [("a", "b"), ("b", "a"), ("a", "~a"), ("~b", "~a"), ("b", ""), ("~a", "~b")])
def test_differences_have_the_limits_of_moves_summed_author_by_author(outcome, label, pair):
    labels, scores, groups, author = simulated(3, clusters=12)
    # Many stand on the threshold itself.
    scores = np.round(scores, 1).astype(np.float32)
    decided = scores >= np.float32(0.5)
    hit = {
        "flagged": decided,
        "missed": ~decided,
        "correct": decided == labels,
        "wrong": decided != labels,
        "positive": labels == 1,
        "score": scores.astype(float),
    }[outcome]
    inside = {"": np.ones(len(labels), bool), "a": groups[:, 0], "b": groups[:, 1]}
    moves, clusters, means = [], [], []
    for name in pair:
        kept = ~inside[name[1:]] if name.startswith("~") else inside[name].copy()
        if label is not None:
            kept &= labels == label
        moves.append(np.bincount(author, kept * (hit - hit[kept].mean()) / kept.sum(), minlength=12))
        clusters.append(len(set(author[kept])))
        means.append(hit[kept].mean())
    correction = [np.sqrt(one / (one - 1)) for one in clusters]
    r = (moves[0] @ moves[1]) / np.sqrt((moves[0] @ moves[0]) * (moves[1] @ moves[1]))
    made = counted(labels, scores, groups, author)
    one, other = (clustered_mean(made, outcome, name, label, threshold=0.5) for name in pair)
    assert [one.value, other.value] == pytest.approx(means, abs=1e-7)
    if outcome == "score":
        from scipy import stats

        for estimate, move, factor, several in zip((one, other), moves, correction, clusters, strict=True):
            reach = stats.t.ppf(0.975, several - 1) * factor * np.sqrt(move @ move)
            assert estimate.high - estimate.value == pytest.approx(reach, rel=1e-6)
    # Zou and Donner's limits with this correlation.
    down, up = (
        (one.value - one.low, other.high - other.value),
        (one.high - one.value, other.value - other.low),
    )
    low, high = (np.sqrt(x * x + y * y - 2 * r * x * y) for x, y in (down, up))
    got = clustered_difference(made, outcome, *pair, label, threshold=0.5)
    assert got.value == pytest.approx(one.value - other.value, abs=1e-12)
    assert got.low == pytest.approx(got.value - low, abs=1e-7)
    assert got.high == pytest.approx(got.value + high, abs=1e-7)


def test_clusters_are_counted_inside_and_outside_of_a_group_by_label():
    labels, scores, groups, author = simulated(5, clusters=9)
    sums = counted(labels, scores, groups, author).clusters
    for group, name in enumerate(NAMES, start=1):
        for outside in (False, True):
            kept = groups[:, group - 1] ^ outside
            expected = [len(set(author[kept & (labels == label)])) for label in (0, 1)]
            assert [sums.count(group, label, outside=outside) for label in (0, 1)] == expected, name
            assert sums.count(group, None, outside=outside) == len(set(author[kept]))


@pytest.mark.parametrize("bits", [(3, 3), (25, 27), (30, 30), (45, 20), (20, 45), (56, 56)])
def test_products_are_those_of_pythons_integers(bits):
    random = np.random.default_rng(1)
    left, right = (random.integers(0, 2**one, (70, 3)) for one in bits)
    expected = [
        [sum(int(a) * int(b) for a, b in zip(left[:, i], right[:, j], strict=True)) for j in range(3)]
        for i in range(3)
    ]
    assert exact_products(left, right).tolist() == expected
    assert exact_products(left[:0], right[:0]).tolist() == [[0] * 3] * 3


def test_an_author_of_very_many_rows_has_the_standard_error_of_statsmodels():
    random = np.random.default_rng(2)
    author = np.repeat(np.arange(6), [300_000, 200_000, 5, 7, 1, 40_000])
    scores = np.clip(random.normal(0.3 + 0.1 * author, 0.2), 0, 1).astype(np.float32)
    got = clustered_mean(tally(np.ones(len(author), int), scores, clusters=author), "score")
    reach = 2.5705818366147395 * sandwich(scores.astype(float), author)
    assert got.high - got.value == pytest.approx(min(reach, 1 - got.value), rel=1e-6)


def test_differences_have_the_standard_error_of_moves_summed_by_author():
    labels, scores, groups, author = simulated(clusters=80)
    got = clustered_difference(counted(labels, scores, groups, author), "score", "a", "b")
    first, second = groups[:, 0], groups[:, 1]
    moves = np.zeros(len(labels))
    for sign, kept in ((1, first), (-1, second)):
        moves += sign * kept * (scores - scores[kept].mean()) / kept.sum()
    by_author = np.bincount(author, moves)
    error = np.sqrt((by_author**2).sum() * 80 / 79)
    assert got.value == pytest.approx(scores[first].mean() - scores[second].mean(), abs=1e-7)
    # Symmetric limits: MOVER recovers the variance; an author may lack rows of one group, whence 1e-3.
    assert (got.high - got.low) / 2 == pytest.approx(1.9904502102301287 * error, rel=1e-3)


def test_intervals_cover_where_authors_differ_and_wilsons_does_not():
    robust, plain = 0, 0
    truth = 0.5
    for seed in range(400):
        labels, scores, groups, author = simulated(seed, spread=2.0)
        got = clustered_mean(counted(labels, scores, groups, author), "flagged", threshold=0.5)
        naive = wilson(int((scores >= 0.5).sum()), len(scores))
        robust += got.low <= truth <= got.high
        plain += naive.low <= truth <= naive.high
    # Binomial(400, 0.95) lies in [369, 391] but for 1 %.
    assert 369 <= robust <= 394
    assert plain < 300


def test_no_row_one_cluster_and_no_spread():
    one = tally([1, 1], [0.2, 0.9], clusters=["x", "x"], thresholds=[0.5])
    got = clustered_mean(one, "flagged", threshold=0.5)
    assert (got.value, got.low, got.note) == (0.5, None, "one cluster has no interval")
    assert clustered_mean(one, "score", "", 0).value is None
    assert clustered_difference(one, "flagged", "", "", threshold=0.5).value == 0.0
    alike = tally([1] * 6, [0.9] * 6, clusters=list("aabbcc"), thresholds=[0.5])
    full = clustered_mean(alike, "flagged", "", 1, threshold=0.5)
    assert (full.value, full.high) == (1.0, 1.0)
    assert full.low < wilson(3, 3).low


def test_clusters_are_told_apart_by_their_names_as_text():
    apart = tally([1] * 4, [0.2, 0.4, 0.6, 0.9], clusters=[7, 8, 7, 8])
    assert tally([1] * 4, [0.2, 0.4, 0.6, 0.9], clusters=["7", 8, 7, "8"]) == apart
    assert apart.clusters_of() == 2


def test_sums_that_were_made_up_give_no_error_but_no_spread():
    made = counted(*simulated())
    scores = made.clusters.scores.copy()
    scores[:, 2] = 0
    forged = replace(made, clusters=replace(made.clusters, scores=scores))
    got = clustered_mean(forged, "score")
    assert got.low == got.value == got.high


def test_mistakes_are_told():
    with pytest.raises(FairnbError) as raised:
        clustered_mean(tally([1], [0.5], thresholds=[0.5]), "flagged", threshold=0.5)
    assert raised.value.code == "no-clusters"
    with pytest.raises(FairnbError) as raised:
        clustered_mean(tally([1], [0.5], clusters=["a"], thresholds=[0.5]), "flagged", threshold=0.6)
    assert raised.value.code == "bad-threshold"
    labels, scores, groups, author = simulated()
    unpaired = tally(labels, scores, groups, NAMES, clusters=author)
    with pytest.raises(FairnbError) as raised:
        clustered_difference(unpaired, "score", "a", "b")
    assert raised.value.code == "pair-not-counted"
