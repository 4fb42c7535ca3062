"""LIME through arrays: the numbers of lime itself, exact where a text is short, with its spread where not."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Sequence

import numpy as np
import pytest

from fairnb.explanation import closeness, explain, fit_surrogate, spans_of, units_of

TEXT = "the silly goose ran over a bad bridge and nobody in that small town was glad about it today"
WORDS = TEXT.split()
PLANTED = dict(zip(WORDS, np.random.default_rng(0).normal(0, 0.6, len(WORDS)).tolist(), strict=True))


def planted(texts: Sequence[str]) -> np.ndarray:
    """A system that adds up the weights of words on the scale of the logit."""
    return np.array([1 / (1 + math.exp(-sum(PLANTED.get(word, 0.0) for word in t.split()))) for t in texts])


def draws_of_lime(text, samples, seed, **settings):
    """An explainer of lime with what it drew: masks, values and distances."""
    lime_text = pytest.importorskip("lime.lime_text")
    explainer = lime_text.LimeTextExplainer(random_state=seed, **settings)
    indexed = lime_text.IndexedString(text, bow=explainer.bow)
    drawn = explainer._LimeTextExplainer__data_labels_distances(
        indexed, lambda texts: np.c_[1 - planted(texts), planted(texts)], samples
    )
    return explainer, *drawn


@pytest.mark.parametrize("features", [3, 6, 10, 40])
@pytest.mark.parametrize("length", [1, 2, 7, 19])
@pytest.mark.parametrize("bow", [True, False])
def test_the_same_masks_give_the_numbers_of_lime(features, length, bow):
    text = " ".join(WORDS[:length])
    explainer, data, values, distances = draws_of_lime(text, 800, length, bow=bow)
    intercept, pairs, r2, predicted = explainer.base.explain_instance_with_data(
        data, values, distances, 1, features
    )
    ours = fit_surrogate(data > 0, values[:, 1], features=features)
    assert closeness(data > 0) == pytest.approx(explainer.base.kernel_fn(distances), abs=1e-12)
    assert dict(zip(ours.chosen.tolist(), ours.weights.tolist(), strict=True)) == pytest.approx(
        {int(place): float(weight) for place, weight in pairs}, abs=1e-6
    )
    assert ours.intercept == pytest.approx(intercept, abs=1e-6)
    assert ours.r2 == pytest.approx(r2, abs=1e-6)
    assert ours.predicted == pytest.approx(predicted[0], abs=1e-6)


def test_counting_a_mask_twice_is_drawing_it_twice():
    explainer, data, values, distances = draws_of_lime(" ".join(WORDS[:4]), 500, 1)
    _, pairs, r2, _ = explainer.base.explain_instance_with_data(data, values, distances, 1, 10)
    masks, first, counts = np.unique(data > 0, axis=0, return_index=True, return_counts=True)
    assert len(masks) < len(data)
    ours = fit_surrogate(masks, values[first, 1], counts)
    assert dict(zip(ours.chosen.tolist(), ours.weights.tolist(), strict=True)) == pytest.approx(dict(pairs))
    assert ours.r2 == pytest.approx(r2)


def test_short_texts_are_exact_and_what_lime_tends_to():
    text = " ".join(WORDS[:5])
    exact = explain(text, planted, samples=5000)
    assert exact.exact
    assert exact.distinct == 2**5
    assert exact.error.tolist() == [0.0] * 5
    ours = dict(zip(exact.surrogate.chosen.tolist(), exact.surrogate.weights.tolist(), strict=True))
    found = []
    for seed in range(12):
        explainer, data, values, distances = draws_of_lime(text, 5000, seed)
        _, pairs, _, _ = explainer.base.explain_instance_with_data(data, values, distances, 1, 10)
        found.append([dict(pairs)[place] for place in range(5)])
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(12)
    for place in range(5):
        assert abs(ours[place] - means[place]) < 5 * errors[place]


def test_the_law_of_all_masks_is_that_of_the_draws():
    counted = np.zeros(4)
    _, data, _, _ = draws_of_lime(" ".join(WORDS[:3]), 30_001, 5)
    for row in data[1:]:
        counted[int(3 - row.sum())] += 1
    # The number removed is uniform from one to all.
    assert counted[1:] / 30_000 == pytest.approx([1 / 3] * 3, abs=0.012)


def test_planted_weights_are_recovered_with_sign_and_rank():
    text = " ".join(WORDS)
    found = explain(text, planted, samples=5000, features=19)
    assert not found.exact
    assert found.surrogate.r2 > 0.9
    ours = dict(zip(found.surrogate.chosen.tolist(), found.surrogate.weights.tolist(), strict=True))
    error = dict(zip(found.surrogate.chosen.tolist(), found.error.tolist(), strict=True))
    true = [PLANTED[word] for word in WORDS]
    assert all(ours[place] * true[place] > 0 for place in range(19) if abs(true[place]) > 0.15)
    for one, other in itertools.combinations(range(19), 2):
        if true[one] > true[other] + 0.2:
            assert ours[one] > ours[other] - 3 * (error[one] + error[other])


def test_the_error_is_how_much_repeated_explanations_differ():
    text = " ".join(WORDS)
    repeated = [explain(text, planted, samples=1000, seed=seed, features=19) for seed in range(30)]
    weights = np.array([one.surrogate.weights[np.argsort(one.surrogate.chosen)] for one in repeated])
    errors = np.array([one.error[np.argsort(one.surrogate.chosen)] for one in repeated])
    ratio = errors.mean() / weights.std(axis=0, ddof=1).mean()
    assert 0.8 < ratio < 1.25


def test_two_calls_agree_and_another_seed_does_not():
    text = " ".join(WORDS)
    first, again, other = (explain(text, planted, samples=500, seed=seed) for seed in (1, 1, 2))
    assert first.surrogate.weights.tolist() == again.surrogate.weights.tolist()
    assert first.surrogate.weights.tolist() != other.surrogate.weights.tolist()
    assert 0 < first.stability <= 1


def test_a_neutral_word_is_within_its_error():
    def neutral(texts):
        return np.array([0.2 + 0.6 * ("goose" in text) for text in texts])

    noisy = explain(" ".join(WORDS), neutral, samples=500, features=19)
    weights = dict(zip(noisy.surrogate.chosen.tolist(), noisy.surrogate.weights.tolist(), strict=True))
    error = dict(zip(noisy.surrogate.chosen.tolist(), noisy.error.tolist(), strict=True))
    assert weights[2] > 20 * error[2]
    assert all(abs(weights[place]) < 5 * error[place] + 1e-9 for place in range(19) if place != 2)


def test_each_text_is_asked_for_once():
    asked: list[str] = []

    def predict(texts):
        asked.extend(texts)
        return planted(texts)

    found = explain("bad man bad", predict, stand_in="")
    assert len(asked) == len(set(asked)) == found.distinct
    assert found.samples == 5000


def test_the_same_word_twice_has_a_weight_for_each_place_or_one_for_both():
    def first_only(texts):
        return np.array([0.9 if text.startswith("bad") else 0.1 for text in texts])

    each = explain("bad man bad", first_only)
    weights = dict(zip(each.surrogate.chosen.tolist(), each.surrogate.weights.tolist(), strict=True))
    assert len(each.units) == 3
    assert weights[0] > 0.5
    assert weights[2] == pytest.approx(0, abs=0.005)
    both = explain("bad man bad", first_only, by_word=True)
    assert len(both.units) == 2
    assert both.units.members[0] == ((0, 3), (8, 11))


@pytest.mark.parametrize("text", ["silly goose ran", " ".join(WORDS)])
def test_what_each_word_does_alone(text):
    found = explain(text, planted, stand_in="", samples=500)
    words = text.split()
    for unit, removed, kept in zip(found.surrogate.chosen, found.removed, found.kept, strict=True):
        without = [word for place, word in enumerate(words) if place != unit]
        assert removed == pytest.approx((planted([text]) - planted([" ".join(without)]))[0])
        assert kept == pytest.approx((planted([words[unit]]) - planted([""]))[0])


def test_what_stands_for_a_removed_word():
    units = units_of("bad man, bad")
    masks = np.array([[True, False, True]])
    assert units.masked(masks, "UNKWORDZ") == ["bad UNKWORDZ, bad"]
    assert units.masked(masks, "") == ["bad , bad"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I don't like it", ["I", "don't", "like", "it"]),
        ("@user: he\u2019s #sick !!", ["@user", "he\u2019s", "#sick"]),
        ("don&#39;t &#128514; a&amp;b", ["don&#39;t", "&#128514;", "a", "b"]),
        ("😀👩🏽\u200d🚀 🇮🇹🇫🇷 ❤\ufe0f ok", ["😀", "👩🏽\u200d🚀", "🇮🇹", "🇫🇷", "❤\ufe0f", "ok"]),
        ("h*ck th\u200bis 2\ufe0f\u20e3", ["h*ck", "th\u200bis", "2\ufe0f\u20e3"]),
        ("क्या हाल है", ["क्या", "हाल", "है"]),
        ("مرحبا يا صديقي", ["مرحبا", "يا", "صديقي"]),
        ("http://a.example/c?d e.f@g.example", ["http://a.example/c?d", "e.f@g.example"]),
        ("", []),
        ("!!! ... \u2014 ___", []),
        ("a" * 10_000, ["a" * 10_000]),
    ],
)
def test_tokens(text, tokens):
    assert [text[start:end] for start, end in spans_of(text)] == tokens


@pytest.mark.parametrize("text", ["", "!!!", " \n\t", "___"])
def test_a_text_without_tokens_has_a_reason_and_is_not_scored(text):
    def never(texts):
        raise AssertionError(texts)

    assert explain(text, never).reason == "no tokens to explain"


@pytest.mark.parametrize("text", ["ok", "مرحبا يا صديقي", "😀", "a" * 10_000, "🇮🇹 don't #tag @user"])
def test_unusual_texts_are_explained(text):
    found = explain(text, lambda texts: np.array([len(one) / 20_000 for one in texts]))
    assert found.reason == ""
    assert len(found.units) == len(spans_of(text))


def test_in_a_very_long_text_neighbours_are_taken_together():
    text = "word " * 1999 + "goose"

    def goose(texts):
        return np.array([0.1 + 0.8 * one.endswith("goose") for one in texts])

    found = explain(text, goose, samples=2000)
    assert len(text) == 10_000
    assert len(found.units) <= 200
    assert found.units.at_a_time == 10
    assert found.surrogate.chosen[0] == len(found.units) - 1
    assert found.surrogate.weights[0] == pytest.approx(0.8, abs=0.05)


def test_masked_texts_without_a_score_are_left_out_and_counted():
    def shy(texts):
        lost = re.compile("UNKWORDZ .* UNKWORDZ")
        return np.array([math.nan if lost.match(one) else 0.1 + 0.5 * ("goose" in one) for one in texts])

    found = explain("silly goose ran", shy)
    assert found.unscored == 2
    assert found.surrogate.chosen[0] == 1
    nothing = explain("silly goose", lambda texts: np.full(len(texts), math.nan))
    assert nothing.reason == "the system gave no score to the text"


def test_a_system_that_does_not_care_leaves_r2_undefined():
    found = explain("silly goose ran", lambda texts: np.full(len(texts), 0.3))
    assert found.surrogate.r2 is None
    assert np.abs(found.surrogate.weights).max() < 1e-12


@pytest.mark.bench
def test_it_is_faster_than_lime_on_the_same_number_of_samples():
    lime_text = pytest.importorskip("lime.lime_text")
    text = " ".join(WORDS)

    def flat(texts):
        return np.full(len(texts), 0.5) + np.array([0.1 * ("goose" in one) for one in texts])

    def best(call):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    theirs = best(
        lambda: lime_text.LimeTextExplainer(random_state=1).explain_instance(
            text, lambda texts: np.c_[1 - flat(texts), flat(texts)], num_samples=5000
        )
    )
    assert best(lambda: explain(text, flat, samples=5000)) < theirs / 2
