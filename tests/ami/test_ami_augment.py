"""Neutral sentences: how many, for which terms, and which."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.ami import generate, neutral_sentences, raw_set, synthetic_set, synthetic_terms, term_matches
from fairnb.cli import main
from fairnb.errors import FairnbError

LANGUAGES = pytest.mark.parametrize("language", ["it", "en"])


def training(language: str, rows: int = 1500) -> tuple[list[str], np.ndarray]:
    posts = raw_set(language, "train", rows)
    return [post.text for post in posts], np.array([post.misogynous for post in posts])


@LANGUAGES
def test_each_term_s_share_comes_down_to_that_of_all_texts(language: str) -> None:
    texts, labels = training(language)
    terms = synthetic_terms(language)
    made = neutral_sentences(texts, labels, terms, language)
    overall = Fraction(int(labels.sum()), len(labels))
    assert made.overall == float(overall)
    member = term_matches([*texts, *made.texts], terms)
    y = np.concatenate([labels, np.zeros(len(made.texts), int)])
    for column, balance in enumerate(made.balance):
        before = member[: len(texts), column]
        assert (balance.texts, balance.misogynous) == (before.sum(), labels[before].sum())
        wanted = max(0, math.ceil(int(balance.misogynous) / overall) - int(balance.texts))
        assert (balance.wanted, balance.added) == (wanted, wanted)
        if wanted:
            share = y[member[:, column]].mean()
            assert share <= float(overall) < (balance.misogynous / (balance.texts + wanted - 1)) + 1e-12
    assert sum(balance.added for balance in made.balance) == len(made.texts)
    assert any(balance.wanted for balance in made.balance)
    assert not all(balance.wanted for balance in made.balance)


@pytest.mark.parametrize(("misogynous", "others", "wanted"), [(1, 0, 2), (2, 0, 3), (1, 1, 1), (0, 2, 0)])
def test_wanted_is_the_least_number_that_brings_a_share_down(
    misogynous: int, others: int, wanted: int
) -> None:
    # Two of five texts are misogynous: m of t + w is at most 2/5 from w = 5 m / 2 - t on, rounded up.
    labels = np.array([1, 1, 0, 0, 0])
    texts = [
        f"comare {row}" if row < misogynous or 2 <= row < 2 + others else f"cielo {row}" for row in range(5)
    ]
    (balance,) = neutral_sentences(texts, labels, ["comare"], "it").balance
    assert (balance.misogynous, balance.texts) == (misogynous, misogynous + others)
    assert balance.wanted == wanted


@LANGUAGES
def test_sentences_are_new_and_each_holds_one_term(language: str) -> None:
    texts, labels = training(language)
    terms = synthetic_terms(language)
    made = neutral_sentences(texts, labels, terms, language)
    assert len(set(made.texts)) == len(made.texts)
    assert term_matches(made.texts, terms).sum(axis=1).tolist() == [1] * len(made.texts)
    known = {row.text for rows in synthetic_set(language).values() for row in rows} | set(texts)
    assert set(made.texts) & known == set()
    assert not [text for text in made.texts if set(text) & set("{}[]|")]


def test_the_same_seed_gives_the_same_sentences() -> None:
    texts, labels = training("it")
    first, again, other = (
        neutral_sentences(texts, labels, synthetic_terms("it"), "it", seed=seed).texts for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other
    assert len(first) == len(other)


def test_an_unknown_term_is_quoted_so_that_nothing_has_to_agree() -> None:
    texts = ["la comare parla", "la comare tace", "il cielo", "il mare"]
    made = neutral_sentences(texts, np.array([1, 1, 0, 0]), ["comare", "re(x)|{n}"], "it")
    assert made.overall == 0.5
    assert [(one.wanted, one.added) for one in made.balance] == [(2, 2), (0, 0)]
    assert all(re.search(r"«comare»", text) for text in made.texts)


def test_too_few_different_sentences_are_told_in_numbers() -> None:
    texts = ["comare"] * 30_000 + ["cielo"] * 30_000
    made = neutral_sentences(texts, np.array([1] * 30_000 + [0] * 30_000), ["comare"], "it")
    (balance,) = made.balance
    assert balance.wanted == 30_000
    assert 0 < balance.added == len(made.texts) < 200


def test_own_sentences_are_used_where_they_are_given() -> None:
    texts = ["la moglie parla", "la moglie tace", "il cielo", "il mare"]
    own = [
        "Una moglie legge.",
        "Una moglie legge.",
        "Il mare è calmo.",
        "La moglie canta.",
        "La moglie corre.",
    ]
    made = neutral_sentences(texts, np.array([1, 1, 0, 0]), ["moglie", "nonna"], "it", own=own)
    assert len(made.texts) == 2
    assert set(made.texts) < {"Una moglie legge.", "La moglie canta.", "La moglie corre."}


def test_own_sentences_without_a_term_are_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        neutral_sentences(["moglie", "mare"], np.array([1, 0]), ["moglie"], "it", own=["Il mare è calmo."])
    assert caught.value.code == "no-neutral-sentence"


@pytest.mark.parametrize("labels", [[0, 0], [1, 1]])
def test_texts_of_one_class_are_refused(labels: list[int]) -> None:
    with pytest.raises(FairnbError) as caught:
        neutral_sentences(["a", "b"], np.array(labels), ["a"], "it")
    assert caught.value.code == "one-class"


def test_the_command_takes_own_sentences_and_tells_what_was_added(tmp_path: Path, capsys: Any) -> None:
    data = generate(tmp_path / "data", "it", rows=720)
    own = tmp_path / "neutral.txt"
    own.write_text("".join(f"La moglie numero {n} canta.\n" for n in range(5)) + "\n", "utf-8")
    command = [
        "ami", "baseline", str(data["raw_train"]), str(data["raw_test"]), "--to", str(tmp_path / "out"),
        "--debias", "--terms", str(data["terms"]), "--neutral", str(own),
    ]  # fmt: skip
    assert main(command) == 0
    told = capsys.readouterr().err
    assert "added 5 neutral sentences" in told
    assert re.search(r"moglie: misogynous \d+ of \d+, 5 added, \d+ too few", told)
