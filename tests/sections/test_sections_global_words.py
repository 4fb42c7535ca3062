"""Words that drive a system which fires on few words, and what is said where none moves the score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairnb.sections import Result, Status
from fairnb.sections._global_shown import without_words
from fairnb.sections.global_explanation import GlobalExplanation

pytest.importorskip("shap")

SECTION = GlobalExplanation()
PLAIN = ["the bus was late", "a walk by the pond", "my neighbour bakes bread", "we waved from the boat"]
FIRING = ("silly goose", "fool")


def fires(text: str) -> float:
    """0.9 where one of the words occurs, else 0.1."""
    return 0.9 if any(word in text for word in FIRING) else 0.1


def run(
    make: Callable[..., Any],
    held: list[str],
    predictor: Callable[[str], float] = fires,
    **params: Any,
) -> Result:
    labels = [int(predictor(text) > 0.5) for text in held]
    view = make(
        {"test": labels}, {"test": [predictor(text) for text in held]}, {"test": held}, predictor=predictor
    )
    return SECTION.run(view, GlobalExplanation.Params(**params))


def plain(number: int) -> list[str]:
    """Texts without a word that fires, no two equal."""
    return [f"{PLAIN[n % 4]} on day{n}" for n in range(number)]


def test_texts_on_which_the_system_fires_are_in_the_sample_however_few(
    small_view: Callable[..., Any],
) -> None:
    texts = plain(600) + [f"what a fool on night{n}" for n in range(12)]
    result = run(small_view, texts, texts=40)
    strata = {one["stratum"]: (one["texts"], one["drawn"]) for one in result.facts["strata"]}
    assert strata == {
        "negative, names no group, scores under 0.5": (600, 28),
        "positive, names no group, scores 0.5 or more": (12, 12),
    }
    assert result.facts["words"][0] == "fool"
    # The score is 0.1 without the word and 0.9 with it, whatever stands beside it.
    assert result.measure(
        "mean_shap", attribute="token", subgroup="fool", label="all"
    ).value == pytest.approx(0.8)
    assert "“fool” (+80.0)" in SECTION.statements(result)[0]


def test_a_score_on_the_threshold_counts_as_flagged_in_the_sample_too(small_view: Callable[..., Any]) -> None:
    texts = plain(200) + [f"what a fool on night{n}" for n in range(12)]
    texts += [f"what a fool and silly goose on eve{n}" for n in range(4)]
    result = run(
        small_view,
        texts,
        lambda text: 0.1 if "fool" not in text else 0.9 if "goose" in text else 0.5,
        texts=40,
    )
    high = [one["texts"] for one in result.facts["strata"] if one["stratum"].endswith("scores 0.5 or more")]
    assert sum(high) == 12 + 4


def test_where_all_scores_lie_under_the_threshold_their_middle_divides_them(
    small_view: Callable[..., Any],
) -> None:
    texts = plain(200) + [f"what a fool on night{n}" for n in range(12)]
    result = run(small_view, texts, lambda text: 0.3 if "fool" in text else 0.1, texts=24)
    assert [one["stratum"] for one in result.facts["strata"]] == [
        "negative, names no group, scores under 0.2",
        "negative, names no group, scores 0.2 or more",
    ]
    assert result.facts["words"] == ["fool"]


def test_words_in_too_few_texts_are_named_as_such_where_few_move_the_score(
    small_view: Callable[..., Any],
) -> None:
    texts = plain(200)
    texts += [f"what a fool on night{n}" for n in range(12)] + [f"my fool of a mule{n}" for n in range(6)]
    texts += [f"they saw one rascal at noon{n}" for n in range(6)]
    result = run(
        small_view,
        texts,
        lambda text: 0.9 if "fool" in text or "rascal" in text else 0.1,
        texts=60,
        evaluations=5000,
    )
    assert result.facts["words"] == ["fool"]
    assert result.facts["rare_words"] == ["rascal"]
    rascal = result.measure("mean_shap", attribute="token", subgroup="rascal", label="all")
    assert (rascal.status, rascal.n) == (Status.TOO_FEW, 6)
    said = SECTION.statements(result)
    assert said[1] == (
        "1 of the words that occur in at least 10 texts of the sample moves the score; of those in fewer texts, too "
        "few to say how much, these do: “rascal” (+80.0 in 6 texts)."
    )
    assert "rascal" not in repr(SECTION.statements(without_words(result)))


@pytest.mark.parametrize("texts", [plain(60), [f"the gay bus was late on day{n}" for n in range(60)]])
def test_where_no_word_moves_the_score_one_sentence_says_so(
    small_view: Callable[..., Any], texts: list[str]
) -> None:
    result = run(small_view, texts, lambda _: 0.1, texts=60)
    (said,) = SECTION.statements(result)
    assert said.startswith("No word moves the score: of each of the ")
    assert ("identity terms among them" in said) is ("gay" in texts[0])
    assert [table.title for table in SECTION.tables(result)] == ["How the sample was drawn"]
    assert SECTION.figures(result) == {}
    assert result.series == {}


def test_a_word_that_moves_scores_as_much_up_as_down_is_named(small_view: Callable[..., Any]) -> None:
    def either_way(text: str) -> float:
        day = text.rpartition("day")[2]
        return 0.5 if "rain" not in text or not day.isdigit() else 0.9 if int(day) % 2 else 0.1

    result = run(small_view, [f"rain day{n}" for n in range(40)], either_way, texts=40)
    # The day is in one text alone; both words of a text share the 0.4.
    assert result.measure(
        "mean_abs_shap", attribute="token", subgroup="rain", label="all"
    ).value == pytest.approx(0.2)
    assert SECTION.statements(result) == [
        "Words that move the score most, none of them up or down beyond the chance of the sample: “rain”."
    ]


def test_a_word_is_named_with_a_direction_only_beyond_the_chance_of_the_sample(
    small_view: Callable[..., Any],
) -> None:
    # Of 40 texts 22 lie above the middle: a mean of 0.02 among values of 0.2 either way.
    def mostly(text: str) -> float:
        day = text.rpartition("day")[2]
        return 0.5 if "rain" not in text or not day.isdigit() else 0.9 if int(day) < 22 else 0.1

    result = run(small_view, [f"rain day{n}" for n in range(40)], mostly, texts=40)
    mean = result.measure("mean_shap", attribute="token", subgroup="rain", label="all")
    assert mean.value > 0.005
    assert mean.low < 0 < mean.high
    assert "none of them up or down" in SECTION.statements(result)[0]
