"""What went wrong elsewhere with LIME and SHAP, each by its number, and what is right here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from fairnb.explanation import Attributor, explain, spans_of
from fairnb.report._figures import draw_svg
from fairnb.sections import Result
from fairnb.sections.global_explanation import GlobalExplanation
from fairnb.sections.local_explanation import LocalExplanation

PLANTED = {"goose": 2.5, "silly": 1.5, "bad": 0.8, "sunny": -1.8}
needs_shap = pytest.mark.skipif(find_spec("shap") is None, reason="shap is not installed")


def score(text: str) -> float:
    """A logit that adds up the weights of words."""
    words = (word.strip(".,!?:").lower() for word in text.split())
    return 1 / (1 + math.exp(1 - sum(PLANTED.get(word, 0.0) for word in words)))


def predict(texts: Any) -> Any:
    return np.array([score(text) for text in texts])


def tokens(text: str) -> list[str]:
    return [text[start:end] for start, end in spans_of(text)]


def local(small_view: Callable[..., Any], *texts: str, **params: Any) -> Result:
    view = small_view({}, predictor=score)
    return LocalExplanation().run(view, LocalExplanation.Params(texts=texts, **{"samples": 500, **params}))


def over(small_view: Callable[..., Any], held: list[str]) -> Result:
    labels = [n % 2 for n in range(len(held))]
    view = small_view({"test": labels}, {"test": [0.5] * len(held)}, {"test": held}, predictor=score)
    return GlobalExplanation().run(view, GlobalExplanation.Params(texts=len(held)))


def as_shown(section: Any, result: Result) -> str:
    drawn = [draw_svg(plot.figure, name) + plot.alternative for name, plot in section.figures(result).items()]
    return "".join(drawn) + repr(section.tables(result)) + repr(section.statements(result))


@pytest.mark.parametrize(
    ("text", "twice"), [("bad man bad", "bad"), ("so so silly", "so"), ("@a @a @a", "@a")]
)
def test_c01_the_same_word_twice_has_a_weight_for_each_occurrence_or_one_for_all(
    text: str, twice: str
) -> None:
    each, together = explain(text, predict), explain(text, predict, by_word=True, stand_in="")
    assert len(each.units) == len(tokens(text))
    assert len(together.units) == len(set(tokens(text)))
    # Taking the one unit out takes every occurrence out.
    kept = np.array([[member != twice for member in dict.fromkeys(tokens(text))]])
    assert twice not in together.units.masked(kept, "")[0]
    assert (
        each.units.masked(np.eye(len(each.units), dtype=bool), "UNKWORDZ")[0].count("UNKWORDZ")
        == len(tokens(text)) - 1
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't like it", ["I", "don't", "like", "it"]),
        ("@user: he's #sick !!", ["@user", "he's", "#sick"]),
        ("they’ll say won't", ["they’ll", "say", "won't"]),
    ],
)
def test_c02_contractions_handles_and_hashtags_stay_whole(text: str, words: list[str]) -> None:
    assert tokens(text) == words
    assert [text[start:end] for ((start, end),) in explain(text, predict).units.members] == words


def test_c04_two_calls_agree_their_spread_is_told_and_neutral_words_are_not_marked(
    small_view: Callable[..., Any],
) -> None:
    text = "the silly goose sat on the long bench by the pond and looked at a boat"
    one, other = local(small_view, text, samples=2000), local(small_view, text, samples=2000)
    assert one == other
    (plot,) = LocalExplanation().figures(one).values()
    assert "2,000 samples in 10 runs" in plot.caption
    assert one.measure("stability", attribute="text 1").value is not None
    marked = LocalExplanation().tables(one)[0].rows[0].cells[-2:]
    assert set(re.findall(r"[a-z]+", " ".join(marked))) <= {"silly", "goose"}


@pytest.mark.parametrize("empty", ["", "   ", "!!!", "... ,;:", "\n\t"])
def test_c05_a_text_without_words_is_a_row_and_the_others_go_on(
    small_view: Callable[..., Any], empty: str
) -> None:
    result = local(small_view, empty, "silly goose")
    rows = LocalExplanation().tables(result)[0].rows
    assert rows[0].cells[-2] == "no tokens to explain"
    assert result.facts["explained"][1]["reason"] == ""


def test_c07_explanations_need_no_script_and_are_small(small_view: Callable[..., Any]) -> None:
    result = local(small_view, *(f"the silly goose number {n} is sunny" for n in range(20)))
    shown = as_shown(LocalExplanation(), result)
    assert "<script" not in shown
    assert "javascript" not in shown.lower()
    assert len(shown) < 1_000_000


@needs_shap
def test_c09_no_figure_of_shap_waits_for_its_script(small_view: Callable[..., Any]) -> None:
    texts = [f"a silly goose {n}" if n % 2 else f"a sunny day {n}" for n in range(24)]
    shown = as_shown(GlobalExplanation(), over(small_view, texts))
    assert "goose" in shown
    assert "Visualization omitted" not in shown
    assert "<script" not in shown


@needs_shap
@pytest.mark.parametrize("one", ["ok", "goose", "don't", "😁", "#sick"])
def test_c10_a_text_of_one_token_is_explained_and_the_others_are_kept(one: str) -> None:
    single, other = Attributor(predict).attribute([one, "a silly goose"])
    assert single.reason == other.reason == ""
    assert single.base + single.values.sum() == pytest.approx(single.score)
    assert len(single.values) == 1
    assert len(other.values) == 3


@needs_shap
def test_c12_ragged_texts_are_summed_up_by_word_in_lower_case_with_a_minimum(
    small_view: Callable[..., Any],
) -> None:
    ragged = ("Goose {}", "a goose here {} today", "we saw one rare {} and a silly GOOSE by the pond")
    texts = [ragged[n % 3].format(f"n{n}") for n in range(30)]
    result = over(small_view, texts)
    goose = result.measure("mean_shap", attribute="token", subgroup="goose", label="all")
    assert goose.n == 30
    assert goose.value > 0.2
    assert "n0" not in result.facts["words"]
    assert result.facts["min_texts"] == 10
    assert "at least 10 of the sample" in GlobalExplanation().tables(result)[0].note


@needs_shap
def test_planted_coefficients_are_recovered_with_sign_and_rank_by_both() -> None:
    def near_linear(texts: Any) -> Any:
        # Where the logit bends little: near 0 or 1 the order of what words do is not that of their coefficients.
        logit = [sum(PLANTED.get(word.strip("."), 0.0) for word in text.split()) for text in texts]
        return 1 / (1 + np.exp(-0.2 * np.array(logit)))

    text = "the bad and silly goose had a sunny day"
    lime = explain(text, near_linear)
    assert lime.surrogate is not None
    by_lime = {
        tokens(text)[unit]: weight
        for unit, weight in zip(lime.surrogate.chosen.tolist(), lime.surrogate.weights.tolist(), strict=True)
    }
    (shap,) = Attributor(near_linear).attribute([text])
    by_shap = dict(zip(tokens(text), shap.values.tolist(), strict=True))
    for found in (by_lime, by_shap):
        strongest = sorted(found, key=lambda word: -abs(found[word]))[:4]
        assert strongest == sorted(PLANTED, key=lambda word: -abs(PLANTED[word]))
        assert all(np.sign(found[word]) == np.sign(PLANTED[word]) for word in PLANTED)
