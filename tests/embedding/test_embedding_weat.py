"""The association test is the published one."""

from __future__ import annotations

import math
import statistics
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fairnb.embedding import covered, from_arrays, units, weat, weat_null
from fairnb.errors import FairnbError


def cosine(a: Any, b: Any) -> float:
    return float(np.dot(a, b)) / math.sqrt(float(np.dot(a, a)) * float(np.dot(b, b)))


def published(x: Any, y: Any, a: Any, b: Any) -> tuple[float, float, float]:
    """Effect size, statistic and exact p, written as Caliskan et al. print them."""

    def s(w: Any) -> float:
        return statistics.fmean(cosine(w, u) for u in a) - statistics.fmean(cosine(w, u) for u in b)

    both = [s(w) for w in (*x, *y)]
    effect = (statistics.fmean(map(s, x)) - statistics.fmean(map(s, y))) / statistics.stdev(both)
    observed = sum(map(s, x)) - sum(map(s, y))
    larger = []
    for chosen in combinations(range(len(both)), len(x)):
        value = sum(v if i in chosen else -v for i, v in enumerate(both))
        larger.append(value >= observed - 1e-12)
    return effect, observed, statistics.fmean(larger)


def test_the_published_formula_on_all_partitions() -> None:
    rng = np.random.default_rng(2)
    x, y, a, b = (rng.normal(size=(k, 6)) for k in (5, 5, 4, 3))
    found = weat(x, y, a, b)
    effect, statistic, p = published(x, y, a, b)
    assert found.effect == pytest.approx(effect, abs=1e-12)
    assert found.statistic == pytest.approx(statistic, abs=1e-12)
    assert found.p == pytest.approx(p, abs=1e-12)
    assert found.permutations == math.comb(10, 5)


def test_sampled_partitions_come_near_the_exact_p() -> None:
    rng = np.random.default_rng(9)
    x, y, a, b = (
        rng.normal(size=(9, 6)) + 0.3,
        rng.normal(size=(9, 6)),
        rng.normal(size=(4, 6)),
        rng.normal(size=(4, 6)),
    )
    found = weat(x, y, a, b, permutations=20_000)
    _, _, p = published(x, y, a, b)
    assert found.permutations == 20_000
    assert found.p == pytest.approx(p, abs=4 * math.sqrt(0.25 / 20_000))


def test_the_same_seed_gives_the_same_p() -> None:
    rng = np.random.default_rng(1)
    x, y, a, b = (rng.normal(size=(12, 6)) for _ in range(4))
    assert weat(x, y, a, b, permutations=500, seed=7) == weat(x, y, a, b, permutations=500, seed=7)


def test_words_that_are_all_alike_have_no_effect_size() -> None:
    same = np.ones((3, 2))
    with pytest.raises(FairnbError) as caught:
        weat(same, same, np.eye(2), np.ones((1, 2)))
    assert caught.value.code == "no-spread"
    with pytest.raises(FairnbError) as caught:
        weat(np.ones((1, 2)), np.ones((0, 2)), np.eye(2), np.eye(2))
    assert caught.value.code == "too-few-words"


def test_two_sided_p_of_units_is_that_of_every_partition() -> None:
    rng = np.random.default_rng(3)
    names = ["a", "b", "c", "d"], ["e", "f", "g"]
    groups = [
        covered(from_arrays("e", list(side), rng.normal(size=(len(side), 5))), side[0], list(side))
        for side in names
    ]
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    scores = [
        statistics.fmean(cosine(w, u) for u in a) - statistics.fmean(cosine(w, u) for u in b)
        for g in groups
        for w in g.vectors
    ]
    values = []
    for chosen in combinations(range(7), 4):
        rest = [scores[i] for i in range(7) if i not in chosen]
        values.append(abs(statistics.fmean(scores[i] for i in chosen) - statistics.fmean(rest)))
    exact = statistics.fmean(v >= values[0] - 1e-12 for v in values)
    assert weat_null(units(groups), a, b, permutations=20_000) == pytest.approx(exact, abs=0.02)
