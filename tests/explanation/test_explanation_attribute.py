"""SHAP over our tokens: shap's own values, complete, with reasons for texts that it cannot explain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairnb.explanation import Attributor

shap = pytest.importorskip("shap")

WORDS = [
    "the",
    "silly",
    "goose",
    "ran",
    "over",
    "a",
    "bad",
    "bridge",
    "and",
    "nobody",
    "in",
    "that",
    "small",
    "town",
]
PLANTED = dict(zip(WORDS, np.random.default_rng(1).normal(0, 1, len(WORDS)).tolist(), strict=True))


def logit(text):
    return sum(PLANTED.get(word.strip(".,!"), 0.0) for word in text.split())


def planted(texts):
    return np.array([1 / (1 + math.exp(-logit(text))) for text in texts])


@pytest.mark.parametrize(
    "text", ["bad goose", "bad bad goose", "!!! bad, goose!", " ".join(WORDS), " ".join(3 * WORDS)]
)
def test_base_and_values_add_up_to_the_score(text):
    asked = []

    def predict(texts):
        asked.extend(texts)
        return planted(texts)

    found = Attributor(predict).attribute([text])[0]
    assert found.reason == ""
    assert found.base + found.values.sum() == pytest.approx(found.score, abs=1e-9)
    assert found.score == pytest.approx(planted([text])[0])
    assert found.base == pytest.approx(0.5)
    assert len(asked) == len(set(asked)) <= 500 * 1.25


def test_values_are_those_of_shap_with_its_own_masker():
    # Words and single spaces: its splitter and ours see the same tokens.
    text = "silly goose ran over bad bridge"
    theirs = shap.Explainer(planted, shap.maskers.Text(r"\W+"), algorithm="partition")(
        [text], max_evals=500, silent=True
    )
    words = [token.strip() for token in theirs.data[0]]
    kept = {word: value for word, value in zip(words, theirs.values[0], strict=True) if word}
    ours = Attributor(planted).attribute([text])[0]
    tokens = [text[start:end] for start, end in ours.spans]
    assert dict(zip(tokens, ours.values.tolist(), strict=True)) == pytest.approx(kept, abs=1e-9)


def test_planted_weights_are_recovered_exactly_where_the_system_adds_them_up():
    # On the logit the system is linear: Owen values are its weights.
    text = " ".join(WORDS)
    found = Attributor(lambda texts: np.array([logit(one) for one in texts])).attribute([text])[0]
    assert found.values.tolist() == pytest.approx([PLANTED[word] for word in WORDS], abs=1e-9)


def test_planted_weights_are_recovered_with_sign_and_rank_from_probabilities():
    found = Attributor(planted).attribute([" ".join(WORDS)])[0]
    true = np.array([PLANTED[word] for word in WORDS])
    clear = np.abs(true) > 0.2
    assert (np.sign(found.values)[clear] == np.sign(true)[clear]).all()
    assert int(np.argmax(found.values)) == int(np.argmax(true))
    assert int(np.argmin(found.values)) == int(np.argmin(true))


@pytest.mark.parametrize("text", ["bad", "!! bad !!", "😀", "ok"])
def test_of_one_token_the_value_is_the_whole_difference(text):
    found = Attributor(planted).attribute([text])[0]
    assert found.values.tolist() == pytest.approx([planted([text])[0] - 0.5])


def test_one_text_that_cannot_be_explained_does_not_keep_the_others():
    def shy(texts):
        return np.array([math.nan if "secret" in text else 0.5 for text in texts])

    found = Attributor(shy).attribute(["", "!!!", "a secret", "word " * 201, "fine day"])
    assert [one.reason for one in found] == [
        "no tokens to explain",
        "no tokens to explain",
        "the system gave no score to a masked form of the text",
        "201 tokens, more than 200",
        "",
    ]


@pytest.mark.parametrize(
    "text", ["مرحبا يا صديقي", "😀 👩🏽\u200d🚀 🇮🇹", "don&#39;t &amp; #tag @user", "a\n\nb\tc", "a" * 10_000]
)
def test_unusual_texts_are_explained(text):
    found = Attributor(lambda texts: np.array([0.2 + len(set(one)) / 1000 for one in texts])).attribute(
        [text]
    )[0]
    assert found.reason == ""
    assert len(found.values) == len(found.spans)
    assert np.isfinite(found.values).all()


def test_short_texts_are_scored_together_in_one_batch():
    batches = []

    def predict(texts):
        batches.append(list(texts))
        return planted(texts)

    texts = [" ".join(WORDS[first : first + 9]) for first in range(5)] + ["bad", "", "bad goose", "bad"]
    together = Attributor(predict).attribute(texts)
    assert len(batches) == 1
    assert len(batches[0]) == len(set(batches[0]))
    alone = [Attributor(planted).attribute([text])[0] for text in texts]
    assert [one.values.tolist() for one in together] == [one.values.tolist() for one in alone]


def test_long_texts_keep_to_the_evaluations_and_to_one_answer():
    asked = set()

    def predict(texts):
        asked.update(texts)
        return planted(texts)

    text = " ".join(WORDS * 4)
    first, again = (Attributor(predict, evaluations=100).attribute([text])[0] for _ in range(2))
    assert first.values.tolist() == again.values.tolist()
    assert len(asked) <= 100 * 1.25 + 2


def test_the_global_generator_of_numpy_is_left_as_it_was():
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    Attributor(planted).attribute(["the silly goose ran"])
    assert np.random.random() == expected  # noqa: NPY002
