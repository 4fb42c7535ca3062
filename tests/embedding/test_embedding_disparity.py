"""AMAE and ARMSE are those of the paper's equations, their null is one of exchangeable words."""

from __future__ import annotations

import json
import math
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.embedding import (
    covered,
    disparity,
    disparity_null,
    disparity_of,
    from_arrays,
    leave_one_out,
    lemmas,
    neutral_interval,
    own_neutral_words,
    read_neutral_words,
    similarity,
    units,
)
from fairnb.errors import FairnbError


@pytest.fixture
def toy(vectors: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((vectors / "embedding_amae.json").read_text("utf-8"))
    return found


def lists(toy: dict[str, Any], subgroups: dict[str, list[str]], **policies: Any) -> tuple[Any, list[Any]]:
    embedding = from_arrays("toy", list(toy["embeddings"]), np.array(list(toy["embeddings"].values()), float))
    neutral = covered(embedding, "neutral", toy["neutral"])
    return neutral, [covered(embedding, name, words, **policies) for name, words in subgroups.items()]


def test_worked_values_of_the_toy_vectors(toy: dict[str, Any]) -> None:
    neutral, groups = lists(toy, toy["subgroups"])
    x = similarity(neutral.vectors, [g.vectors for g in groups])
    for column, name in enumerate(toy["x"]):
        np.testing.assert_allclose(x[:, column], toy["x"][name], rtol=0, atol=1e-12)
    found = disparity_of(neutral, groups)
    for pair, values in toy["pairs"].items():
        key = tuple(pair.split("|"))
        assert found.mae[key] == pytest.approx(values["mae"], abs=1e-12)
        assert found.rmse[key] == pytest.approx(values["rmse"], abs=1e-12)
    assert found.amae == pytest.approx(toy["amae"], abs=1e-12)
    assert found.armse == pytest.approx(toy["armse"], abs=1e-12)


def test_for_two_subgroups_amae_is_mae(toy: dict[str, Any]) -> None:
    neutral, groups = lists(toy, {name: toy["subgroups"][name] for name in ("male", "female")})
    found = disparity_of(neutral, groups)
    assert found.amae == pytest.approx(toy["two_groups"]["amae"], abs=1e-12)
    assert found.armse == pytest.approx(toy["two_groups"]["armse"], abs=1e-12)
    assert found.amae == next(iter(found.mae.values()))


def test_a_repeated_word_moves_the_mean_unless_merged(toy: dict[str, Any]) -> None:
    repeated = toy["duplicate_effect"]["subgroups"]
    printed = disparity_of(*lists(toy, repeated, duplicates="as printed"))
    assert printed.amae == pytest.approx(toy["duplicate_effect"]["amae"], abs=1e-12)
    merged = disparity_of(*lists(toy, repeated, duplicates="merged"))
    assert merged.amae == pytest.approx(toy["two_groups"]["amae"], abs=1e-12)


def test_agrees_with_a_plain_loop() -> None:
    rng = np.random.default_rng(11)
    neutral = rng.normal(size=(23, 7))
    groups = [rng.normal(size=(k, 7)) for k in (4, 6, 9)]

    def cosine(a: Any, b: Any) -> float:
        return sum(p * q for p, q in zip(a, b, strict=True)) / math.sqrt(
            sum(p * p for p in a) * sum(q * q for q in b)
        )

    x = [[sum(cosine(m, t) for t in group) / len(group) for m in neutral] for group in groups]
    maes, rmses = [], []
    for k, n in combinations(range(3), 2):
        maes.append(sum(abs(a - b) for a, b in zip(x[k], x[n], strict=True)) / 23)
        rmses.append(math.sqrt(sum((a - b) ** 2 for a, b in zip(x[k], x[n], strict=True)) / 23))
    found = disparity(similarity(neutral, groups), "abc")
    assert list(found.mae.values()) == pytest.approx(maes, abs=1e-13)
    assert list(found.rmse.values()) == pytest.approx(rmses, abs=1e-13)
    assert found.amae == pytest.approx(sum(maes) / 3, abs=1e-13)
    assert found.armse == pytest.approx(sum(rmses) / 3, abs=1e-13)


def test_one_subgroup_has_no_pair() -> None:
    with pytest.raises(FairnbError) as caught:
        disparity(np.ones((3, 1)), ["only"])
    assert caught.value.code == "one-subgroup"
    with pytest.raises(FairnbError) as caught:
        disparity(np.ones((0, 2)), ["a", "b"])
    assert caught.value.code == "no-neutral-words"


def test_case_is_tried_exact_then_lower_then_title_and_counted() -> None:
    embedding = from_arrays("e", ["she", "Paris", "IT", "it"], np.eye(4))
    rows = embedding.rows(["She", "paris", "IT", "godess"])
    assert rows.rows.tolist() == [0, 1, 2, -1]
    assert rows.by_form == {"exact": 1, "lower": 1, "title": 1}
    assert rows.missing == ("godess",)
    assert rows.coverage == 0.75
    assert embedding.rows(["She", "IT"], "exact").rows.tolist() == [-1, 2]


def test_missing_words_give_a_coverage_never_a_zero() -> None:
    embedding = from_arrays("e", ["she"], np.ones((1, 2)))
    rows = embedding.rows(["she", "godess", "barnoesses"])
    assert rows.coverage == pytest.approx(1 / 3)
    assert rows.missing == ("godess", "barnoesses")


def test_a_zero_vector_counts_as_missing_and_is_named() -> None:
    embedding = from_arrays("e", ["he", "blank"], np.array([[1.0, 0], [0, 0]]))
    rows = embedding.rows(["he", "blank"])
    assert rows.zero == ("blank",)
    assert rows.found.tolist() == [True, False]
    assert len(covered(embedding, "list", ["he", "blank"]).vectors) == 1


def test_two_spellings_that_meet_one_row_are_merged() -> None:
    embedding = from_arrays("e", ["she", "he"], np.eye(2))
    assert covered(embedding, "list", ["she", "She", "he"]).words == ("she", "he")
    assert covered(embedding, "list", ["she", "She", "he"], duplicates="as printed").words == (
        "she",
        "She",
        "he",
    )


def test_very_large_vectors_keep_a_direction() -> None:
    embedding = from_arrays("e", ["a", "b"], np.array([[3e38, 0], [3e-38, 4e-38]], np.float32))
    np.testing.assert_allclose(covered(embedding, "l", ["a", "b"]).vectors, [[1, 0], [0.6, 0.8]], rtol=1e-6)


def test_forms_of_a_word_belong_together() -> None:
    assert lemmas(
        ["man", "men", "lady", "ladies", "Lady", "wife", "wives", "him", "he", "waitress", "waitresses"]
    ) == (
        *("man", "man", "lady", "lady", "lady", "wife", "wife", "he", "he"),
        *("waitress", "waitress"),
    )
    assert lemmas(["princes", "princess", "williams", "jones", "christ", "christian", "christians"]) == (
        *("princes", "princess", "williams", "jones", "christ", "christian", "christian"),
    )


def covered_words(words: list[str], rng: np.random.Generator, dimension: int = 5) -> Any:
    return covered(from_arrays("e", words, rng.normal(size=(len(words), dimension))), "list", words)


def test_units_hold_all_forms_with_their_weight() -> None:
    rng = np.random.default_rng(0)
    male, female = covered_words(["man", "men", "king"], rng), covered_words(["woman", "queen", "nun"], rng)
    made = units([male, female], [("man", "woman"), ("king", "queen")])
    assert made.words == (("man", "men"), ("king",), ("woman",), ("queen",), ("nun",))
    assert made.weights.tolist() == [2, 1, 1, 1, 1]
    assert made.group.tolist() == [0, 0, 1, 1, 1]
    assert made.block[0] == made.block[2] != made.block[1] == made.block[3]
    assert made.block[4] == -1
    np.testing.assert_allclose(made.sums[0], male.vectors[0] + male.vectors[1])


def test_the_null_is_that_of_every_exchange_of_counterparts() -> None:
    """Three pairs have eight exchanges; their mean and p are counted in a plain loop."""
    rng = np.random.default_rng(5)
    neutral = covered_words([f"n{i}" for i in range(6)], rng)
    male, female = (
        covered_words(["man", "king", "uncle"], rng),
        covered_words(["woman", "queen", "aunt"], rng),
    )
    made = units([male, female], [("man", "woman"), ("king", "queen"), ("uncle", "aunt")])
    values = []
    for flips in range(8):
        sides: tuple[list[Any], list[Any]] = ([], [])
        for place in range(3):
            flip = flips >> place & 1
            sides[flip].append(male.vectors[place])
            sides[1 - flip].append(female.vectors[place])
        x = [neutral.vectors @ np.mean(side, axis=0) for side in sides]
        values.append(float(np.abs(x[0] - x[1]).mean()))
    null, _ = disparity_null(neutral, made, permutations=20_000, seed=1)
    assert null.mean == pytest.approx(np.mean(values), abs=4 * np.std(values) / math.sqrt(20_000))
    expected = np.mean([value >= values[0] - 1e-12 for value in values])
    assert null.p == pytest.approx(expected, abs=0.02)


def test_the_null_of_free_words_is_that_of_every_partition() -> None:
    rng = np.random.default_rng(6)
    neutral = covered_words([f"n{i}" for i in range(4)], rng)
    groups = [covered_words(["a", "b", "c"], rng), covered_words(["d", "e"], rng)]
    pool = np.concatenate([g.vectors for g in groups])
    values = []
    for chosen in combinations(range(5), 3):
        rest = [i for i in range(5) if i not in chosen]
        difference = neutral.vectors @ (pool[list(chosen)].mean(axis=0) - pool[rest].mean(axis=0))
        values.append((float(np.abs(difference).mean()), math.sqrt(float((difference**2).mean()))))
    amae, armse = disparity_null(neutral, units(groups), permutations=20_000, seed=2)
    for position, null in enumerate((amae, armse)):
        column = [value[position] for value in values]
        assert null.mean == pytest.approx(np.mean(column), abs=4 * np.std(column) / math.sqrt(20_000))
        assert null.p == pytest.approx(np.mean([v >= column[0] - 1e-12 for v in column]), abs=0.02)


def test_a_true_null_with_plurals_is_rejected_about_as_often_as_alpha_says() -> None:
    """Each plural lies close to its singular; subgroups mean nothing."""
    rejected = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        neutral = covered_words([f"n{i}" for i in range(40)], rng, 10)
        groups = []
        for side in "ab":
            names, rows = [], []
            for place in range(10):
                stem = rng.normal(size=10)
                for ending in ("", "s"):
                    names.append(f"{side}{'qwrtzpdfgh'[place]}x{ending}")
                    rows.append(stem + 0.1 * rng.normal(size=10))
            groups.append(covered(from_arrays("e", names, np.array(rows)), side, names))
        null, _ = disparity_null(neutral, units(groups), permutations=199, seed=seed)
        rejected += null.p <= 0.05
    # Binomial(200, 0.05): mean 10, standard deviation 3.1.
    assert rejected <= 20


def test_leaving_one_out_agrees_with_a_loop() -> None:
    rng = np.random.default_rng(8)
    neutral = covered_words([f"n{i}" for i in range(9)], rng)
    names = (["man", "men", "king"], ["woman", "queen", "nun"])
    groups = [covered_words(list(side), rng) for side in names]
    values = {}
    for side in (0, 1):
        for lemma in dict.fromkeys(lemmas(names[side])):
            kept = [
                [
                    v
                    for w, v in zip(g.words, g.vectors, strict=True)
                    if position != side or lemmas(names[side])[g.words.index(w)] != lemma
                ]
                for position, g in enumerate(groups)
            ]
            x = [neutral.vectors @ np.mean(rows, axis=0) for rows in kept]
            values[lemma] = float(np.abs(x[0] - x[1]).mean())
    found = leave_one_out(neutral, units(groups))
    assert found is not None
    assert found.lowest == pytest.approx(min(values.values()))
    assert found.highest == pytest.approx(max(values.values()))
    assert found.lowest_without[0] == min(values, key=lambda lemma: values[lemma])
    assert leave_one_out(neutral, units([covered_words(["one"], rng), groups[1]])) is None


def test_interval_over_neutral_words_agrees_with_the_normal_one_for_a_mean() -> None:
    x = np.random.default_rng(4).normal(size=(400, 2))
    (low, high), (low_rmse, high_rmse) = neutral_interval(x, [(0, 1)], 0.95, seed=3)
    differences = np.abs(x[:, 0] - x[:, 1])
    spread = 1.96 * differences.std() / math.sqrt(400)
    assert low == pytest.approx(differences.mean() - spread, abs=0.015)
    assert high == pytest.approx(differences.mean() + spread, abs=0.015)
    assert low_rmse < math.sqrt((differences**2).mean()) < high_rmse


def test_own_neutral_words_are_many_and_once_each() -> None:
    own = own_neutral_words()
    assert len(own.words) >= 500
    assert len(set(own.words)) == len(own.words)
    assert {"admirable", "miserable"} <= set(own.words)
    assert min(len(own.marked("favourable")), len(own.marked("unfavourable"))) >= 100


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("nice\ncruel\nnice\n\n", "utf-8")
    assert read_neutral_words(tmp_path / "plain.txt").words == ("nice", "cruel")
    (tmp_path / "marked.csv").write_text(
        "word,valence\nnice,favourable\ncruel,unfavourable\ntall,\n", "utf-8"
    )
    marked = read_neutral_words(tmp_path / "marked.csv")
    assert marked.marked("favourable") == ("nice",)
    assert marked.marked("") == ("tall",)
    (tmp_path / "bad.csv").write_text("nice,splendid\n", "utf-8")
    with pytest.raises(FairnbError, match=r"bad\.csv, line 1"):
        read_neutral_words(tmp_path / "bad.csv")
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(FairnbError, match="holds no word"):
        read_neutral_words(tmp_path / "empty.txt")
    with pytest.raises(FairnbError, match="cannot be read"):
        read_neutral_words(tmp_path / "none.txt")


@pytest.mark.bench
def test_three_attributes_take_milliseconds() -> None:
    rng = np.random.default_rng(0)
    neutral, groups = rng.normal(size=(646, 300)), [rng.normal(size=(k, 300)) for k in (127, 124, 20)]
    start = time.perf_counter()
    for _ in range(10):
        disparity(similarity(neutral, groups), "abc")
    assert (time.perf_counter() - start) / 10 < 0.1
