"""Tallies that no rows can give are refused, and cost no more than they may."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.statistics import Tally, tally
from fairnb.statistics._bytes import MAGIC, VERSION


def example(**options: Any) -> Tally:
    random = np.random.default_rng(0)
    given: dict[str, Any] = {
        "clusters": random.integers(0, 15, 120).tolist(),
        "pairs": [("a", "b")],
        "thresholds": [0.5, 0.7],
    }
    labels, scores = random.integers(0, 2, 120), np.round(random.random(120), 2)
    return tally(labels, scores, random.random((120, 2)) < 0.4, ["a", "b"], **given | options)


def is_refused(made: Tally) -> bool:
    with pytest.raises(FairnbError) as raised:
        Tally.from_bytes(made.to_bytes())
    return raised.value.code == "damaged-tally"


def raised_by(array: np.ndarray, place: tuple[int, ...], by: int) -> np.ndarray:
    changed = array.copy()
    changed[place] += by
    return changed


@pytest.mark.parametrize(
    ("name", "place", "by"),
    [
        ("rows", (0, 0, 0), 2**61),
        ("rows", (0, 0, 1), 1),
        ("rows", (2, 0, 0), -100),
        ("totals", (0, 0), -1),
        ("totals", (1, 1), 2**40),
        ("counted", (1, 0, 0), 60),
        ("counted", (0, 1, 0), 1),
        ("counted", (2, 0, 2), -10),
        ("scores", (0, 2, 0, 0), -(2**66)),
        ("scores", (0, 0, 0, 0), 2**50),
        ("scores", (2, 1, 0, 1), 1),
        ("scores", (2, 2, 0, 1), 1),
        ("flagged", (0, 0, 0, 0, 0), 10_000),
        ("flagged", (1, 0, 2, 0, 1), 1),
        ("flagged", (1, 2, 2, 1, 1), -10),
        ("pairs", (1, 1), 1),
        ("pairs", (7, 1), -1),
    ],
)
def test_sums_over_clusters_that_no_rows_give(name: str, place: tuple[int, ...], by: int) -> None:
    made = example()
    assert made.clusters is not None
    assert Tally.from_bytes(made.to_bytes()) == made
    changed = {name: raised_by(getattr(made.clusters, name), place, by)}
    assert is_refused(replace(made, clusters=replace(made.clusters, **changed)))


def test_more_clusters_than_rows_and_none_where_there_are_rows() -> None:
    made = example()
    sums = made.clusters
    assert sums is not None
    for told in ([1000, 1000, 1500], [0, 0, 0], [5, 5, 11]):
        counted = sums.counted.copy()
        counted[1, 0] = told
        assert is_refused(replace(made, clusters=replace(sums, counted=counted)))


def test_products_of_a_pair_above_those_of_its_rows() -> None:
    made = example()
    sums = made.clusters
    assert sums is not None
    flagged, scores = sums.flagged.copy(), sums.scores.copy()
    flagged[1, 7, 2, 0, 1] = sums.rows[7, 0, 1] + 1
    scores[7, 1, 1, 1] = int(sums.rows[7, 1, 1]) * 2**32 + 1
    for changed in ({"flagged": flagged}, {"scores": scores}):
        assert is_refused(replace(made, clusters=replace(sums, **changed)))


def test_each_row_is_in_a_product_with_itself() -> None:
    made = example()
    sums = made.clusters
    assert sums is not None
    rows, scores, flagged = sums.rows.copy(), sums.scores.copy(), sums.flagged.copy()
    scores[2], flagged[:, 2], rows[2] = 0, 0, np.diag(made.support_counts[1] - 1)
    assert is_refused(replace(made, clusters=replace(sums, rows=rows, scores=scores, flagged=flagged)))


@pytest.mark.parametrize(("one", "other"), [(1, 3), (11, 12)], ids=["own", "asked"])
def test_pairs_stand_in_one_order(one: int, other: int) -> None:
    # All groups are alike, so that nothing but the order of their pairs can tell.
    groups, pairs = np.ones((60, 3), bool), [("a", "b"), ("a", "c")]
    scores, clusters = np.linspace(0, 1, 60), np.arange(60) // 4
    made = tally([0, 1] * 30, scores, groups, list("abc"), clusters=clusters, pairs=pairs)
    assert made.clusters is not None
    assert len(made.clusters.pairs) == 13
    assert Tally.from_bytes(made.to_bytes()) == made
    swapped = made.clusters.pairs.copy()
    swapped[[one, other]] = swapped[[other, one]]
    assert is_refused(replace(made, clusters=replace(made.clusters, pairs=swapped)))


def test_everyone_s_scores_are_no_less_than_a_group_s_where_entries_are_coarse() -> None:
    made = example(shift=13)
    assert made.clusters is not None
    assert Tally.from_bytes(made.to_bytes()) == made
    low = made.clusters.totals.copy()
    low[0] = 0
    assert is_refused(replace(made, clusters=replace(made.clusters, totals=low)))


def test_more_flagged_outside_of_a_group_than_there_are() -> None:
    made = example(clusters=None)
    flagged = made.flagged.copy()
    # All rows of the group are flagged, yet the group is told to have none.
    flagged[:, 0], flagged[:, 1] = made.support_counts[0], 0
    assert is_refused(replace(made, flagged=flagged))


def test_a_threshold_that_no_score_can_have() -> None:
    made = example(clusters=None)
    assert is_refused(replace(made, thresholds=(-5.0, 0.7)))


def test_a_pair_of_a_group_with_itself_is_read_back() -> None:
    made = example(pairs=[("a", "a"), ("a", "b")])
    assert Tally.from_bytes(made.to_bytes()) == made


def test_tallies_counted_for_different_pairs_are_not_added() -> None:
    labels, scores, groups = [0, 1] * 10, [0.2, 0.7] * 10, np.ones((20, 3), bool)
    named = tally(labels, scores, groups, ["x", "y", "x&y"], clusters=range(20))
    asked = tally(labels, scores, groups[:, :2], ["x", "y"], clusters=range(20, 40), pairs=[("x", "y")])
    assert named.names == asked.names
    with pytest.raises(FairnbError) as raised:
        named.merge(asked)
    assert raised.value.code == "tallies-differ"


def _claiming(**claims: int) -> bytes:
    """Few bytes that tell of very many zeros."""
    pairs, entries = claims.get("clusters"), claims.get("entries", 0)
    header = {"clusters": pairs, "dtype": "float32", "entries": entries, "names": [""], "shift": 0}
    told = json.dumps({**header, "thresholds": []}, separators=(",", ":"), sort_keys=True).encode()
    sizes = [2, entries, entries, 2, 1, 0]
    if pairs is not None:
        sizes += [2 * pairs, 6, 2, 4 * pairs, 12 * pairs, 12 * pairs, 0]
    zeros = b"".join(bytes([1]) + bytes(size) for size in sizes)
    return MAGIC + bytes([VERSION]) + zlib.compress(struct.pack("<I", len(told)) + told + zeros)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell how much memory a process held")
@pytest.mark.parametrize("claims", [{"clusters": 2_200_000}, {"entries": 30_000_000}])
def test_few_bytes_that_claim_much_are_refused_before_they_take_memory(claims: dict[str, int]) -> None:
    program = (
        "import resource, sys\n"
        "from fairnb.errors import FairnbError\n"
        "from fairnb.statistics import Tally\n"
        "held = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "data = sys.stdin.buffer.read()\n"
        "before = held()\n"
        "try:\n"
        "    Tally.from_bytes(data)\n"
        "except FairnbError as error:\n"
        "    print(error.code, held() - before)\n"
    )
    data = _claiming(**claims)
    assert len(data) < 100_000
    ran = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True)
    code, kilobytes = ran.stdout.decode().split()
    assert code == "damaged-tally"
    # The content itself is unpacked to at most 64 MiB.
    assert int(kilobytes) < 200_000
