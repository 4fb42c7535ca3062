"""Scores, preferences and mask gaps of models whose probabilities are written down."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from fairnb.errors import FairnbError
from fairnb.masked_lm import (
    GapScore,
    Pair,
    PairScore,
    gap_counts,
    gap_test,
    judge_gap,
    judge_langtest,
    langtest_gap,
    mask_gap,
    preferences,
    score_pairs,
)


def of(found: Any, bias_type: str = "", label: str = "all") -> Any:
    return next(one for one in found if (one.bias_type, one.label) == (bias_type, label))


@pytest.fixture
def toy(vectors: Path) -> tuple[list[PairScore], dict[str, Any]]:
    """The worked pairs: s1 is the more stereotyping sentence's score in stereo, the less so in antistereo."""
    held = json.loads((vectors / "crows_pairs.json").read_text("utf-8"))
    scores = []
    for pair in held["pairs"]:
        one, other = pair["s1"], pair["s2"]
        if pair["direction"] == "antistereo":
            one, other = other, one
        read = Pair(str(pair["id"]), "a", "b", pair["direction"], pair["bias_type"], f"a{pair['id']}")
        scores.append(PairScore(read, one, other))
        assert scores[-1].hit == bool(pair["score"])
    return scores, held["expected"]


def test_the_published_metric_is_that_of_the_worked_pairs(toy: Any) -> None:
    scores, expected = toy
    found = preferences(scores)
    assert 100 * of(found).published == expected["metric"]
    assert 100 * of(found, label="stereo").published == expected["stereotype"]
    assert 100 * of(found, label="antistereo").published == expected["anti_stereotype"]
    assert of(found).ties == expected["neutral"]


def test_a_tie_counts_half_and_is_left_out_of_the_test(toy: Any) -> None:
    found = preferences(toy[0])
    assert of(found).estimate.value == (2 + 0.5) / 5
    assert of(found).p == binomtest(2, 4).pvalue
    assert of(found, "religion").ties == 1
    assert of(found, "religion").estimate.value == 0.25


def test_an_interval_without_authors_is_wilsons() -> None:
    scores = [
        PairScore(Pair(str(i), "a", "b", "stereo", "x"), -1.0, -2.0 + 2 * (i % 3 == 0)) for i in range(60)
    ]
    one = of(preferences(scores))
    assert one.hits == 40
    low, high = proportion_confint(40, 60, method="wilson")
    assert (one.estimate.low, one.estimate.high) == pytest.approx((low, high))
    assert one.authors is None


def test_pairs_of_one_author_depend_on_each_other() -> None:
    """Twelve authors of five pairs who agree with themselves: as much is known as from twelve pairs."""
    scores = [
        PairScore(Pair(str(i), "a", "b", "stereo", "x", f"a{i // 5}"), -1.0, -2.0 + 2 * (i // 5 % 3 == 0))
        for i in range(60)
    ]
    alone, robust = of(preferences(scores)), of(preferences(scores, authored=True))
    assert robust.authors == 12
    assert robust.estimate.method == "wilson-cluster"
    assert robust.estimate.value == alone.estimate.value
    # Eight of twelve authors: by hand, t of twelve means 0 and 1.
    spread = math.sqrt((8 / 12) * (4 / 12) / 11)
    from scipy.stats import t

    assert robust.p == pytest.approx(2 * t.sf((8 / 12 - 0.5) / spread, 11))
    assert robust.estimate.high - robust.estimate.low > alone.estimate.high - alone.estimate.low


def test_few_authors_are_not_tested_and_unanimous_ones_by_their_number() -> None:
    few = [PairScore(Pair(str(i), "a", "b", "stereo", "x", f"a{i % 9}"), -1.0, -2.0) for i in range(45)]
    assert of(preferences(few, authored=True)).p is None
    assert "9 authors" in of(preferences(few, authored=True)).untested
    ten = [PairScore(Pair(str(i), "a", "b", "stereo", "x", f"a{i % 10}"), -1.0, -2.0) for i in range(50)]
    assert of(preferences(ten, authored=True)).p == pytest.approx(binomtest(10, 10).pvalue)


def test_authors_who_all_prefer_neither_show_nothing() -> None:
    scores = [
        PairScore(Pair(str(i), "a", "b", "stereo", "x", f"a{i // 2}"), -1.0, -2.0 + 2 * (i % 2))
        for i in range(60)
    ]
    assert of(preferences(scores, authored=True)).p == 1.0


def test_only_shared_words_are_masked_each_alone_given_those_that_differ(written: Any) -> None:
    model = written({"tall": -1.0, "short": -9.0, "cook": -0.25}, other=-2.0)
    pair = Pair("1", "The tall cook slept", "The short cook slept", "stereo", "height")
    (score,) = score_pairs([pair], model)
    assert (score.more, score.less, score.masked) == (-4.25, -4.25, 3)
    assert score.tie
    masked = [[model.words[token] for token in one.row.ids] for one in model.asked]
    assert masked[1] == ["[CLS]", "The", "tall", "[MASK]", "slept", "[SEP]"]
    assert masked[4] == ["[CLS]", "The", "short", "[MASK]", "slept", "[SEP]"]
    assert {model.words[one.target] for one in model.asked} == {"The", "cook", "slept"}


def test_scores_go_to_the_right_sentence_in_either_direction(written: Any) -> None:
    class Leaning(type(written())):  # type: ignore[misc]
        def log_probabilities(self, asked: Any, progress: Any = None) -> Any:
            import numpy as np

            tall = self.words.index("tall")
            return np.array([-1.0 if tall in one.row.ids else -2.0 for one in asked])

    for direction in ("stereo", "antistereo", ""):
        pair = Pair("1", "The tall cook slept", "The short cook slept", direction, "height")
        (score,) = score_pairs([pair], Leaning())
        assert (score.more, score.less) == (-3.0, -6.0)
        assert score.hit


def test_scores_are_compared_after_rounding_to_three_decimals() -> None:
    pair = Pair("1", "a", "b", "stereo", "x")
    assert PairScore(pair, -5.00041, -5.00049).tie
    assert PairScore(pair, -5.0004, -5.0006).hit


def test_an_uncased_model_gets_lower_case(written: Any) -> None:
    model = written(uncased=True)
    score_pairs([Pair("1", "The Tall cook", "The Short cook", "stereo", "x")], model)
    assert all(word == word.lower() for word in model.words[4:])


def test_pairs_that_are_too_long_are_counted_with_the_reason(written: Any) -> None:
    model = written(longest=5)
    pairs = [Pair("1", "a b c d", "a b c e", "stereo", "x"), Pair("2", "a b c", "a b d", "stereo", "x")]
    scores = score_pairs(pairs, model)
    assert [score.scored for score in scores] == [False, True]
    assert scores[0].reason == "longer than the 5 tokens the model takes"
    one = of(preferences(scores))
    assert (one.pairs, one.scored, one.ties) == (2, 1, 1)
    assert mask_gap(pairs, model)[0].reason == scores[0].reason


def test_what_is_odd_about_a_scored_pair_is_said(written: Any) -> None:
    model = written(lacks=frozenset({"tall"}))
    pairs = [
        Pair("1", "a tall cook", "a short cook", "stereo", "x"),
        Pair("2", "same words", "same  words", "stereo", "x"),
        Pair("3", "one", "two", "stereo", "x"),
    ]
    assert [score.remark for score in score_pairs(pairs, model)] == [
        "holds a word that the vocabulary lacks",
        "the tokenizer reads both sentences alike",
        "no token is shared",
    ]


def test_the_rules_of_article_and_code_are_those_of_the_worked_cases(vectors: Path) -> None:
    held = json.loads((vectors / "langtest_crows.json").read_text("utf-8"))
    words = {"pass": "passed", "fail": "failed", "skipped": "skipped"}
    for case in held["cases"]:
        assert words[judge_gap(case["p1"], case["p2"])] == case["seed_rule"], case
        assert words[judge_langtest(case["p1"], case["p2"])] == case["code_default_rule"], case


def gap_of(model: Any, more: str, less: str, **given: Any) -> GapScore:
    (score,) = mask_gap([Pair("1", more, less, "stereo", "x")], model, **given)
    return score


def test_a_word_is_looked_up_without_the_marks_both_carry(written: Any) -> None:
    model = written({"tall": math.log(0.6), "short": math.log(0.2)})
    score = gap_of(model, "They are tall, you see.", "They are short, you see.")
    assert (score.more, score.less) == pytest.approx((0.6, 0.2))
    assert score.outcome == "fail"
    assert gap_of(model, "They are tall", "They are short", gap=0.5).outcome == "pass"
    assert gap_of(model, "They are tall", "They are short", low=0.7).outcome == "skipped"


def test_a_word_of_several_tokens_is_scored_by_their_chain(written: Any) -> None:
    table = {"North": math.log(0.5), "##erner": math.log(0.8), "cook": math.log(0.1)}
    model = written(table, splits={"Northerner": ("North", "##erner")})
    score = gap_of(model, "The Northerner slept", "The cook slept")
    assert score.more == pytest.approx(0.4)
    assert score.less == pytest.approx(0.1)
    assert score.pieces == (2, 1)
    rows = [[model.words[token] for token in one.row.ids] for one in model.asked]
    assert rows == [
        ["[CLS]", "The", "[MASK]", "[MASK]", "slept", "[SEP]"],
        ["[CLS]", "The", "North", "[MASK]", "slept", "[SEP]"],
        ["[CLS]", "The", "[MASK]", "slept", "[SEP]"],
    ]


@pytest.mark.parametrize(
    ("more", "less", "reason"),
    [
        ("a tall cook", "a short old cook", "the sentences differ in more than one word"),
        ("they are tall", "they are tall", "both sentences are the same"),
        ("they are  tall", "they are tall", "both sentences are the same"),
        ("they are Tall", "they are tall", "the words differ in case or marks only"),
        ("they are tall!", "they are tall", "the words differ in case or marks only"),
        ("they are tall,", "they are short.", "the words differ in marks too"),
        ("they are odd", "they are short", "a word is not in the vocabulary"),
        ("[MASK] are tall", "[MASK] are short", "the sentence holds the mask itself"),
        ("glue tall cook", "glue short cook", "the tokenizer joins a word with its neighbours"),
    ],
)
def test_what_cannot_be_scored_is_kept_with_the_reason(
    written: Any, more: str, less: str, reason: str
) -> None:
    class Glueing(type(written())):  # type: ignore[misc]
        def encode(self, text: str) -> tuple[int, ...]:
            return super().encode(text.replace("glue tall", "gluetall"))

    model = Glueing(lacks=frozenset({"odd"}))
    score = gap_of(model, more, less)
    assert (score.outcome, score.reason) == ("unscorable", reason)
    assert not model.asked


def test_nothing_vanishes(written: Any, own_pairs: tuple[Pair, ...]) -> None:
    for test in (mask_gap, langtest_gap):
        scores = test(own_pairs, written({"tall": -0.1}, tops=[("tall", 0.4)]))
        assert [score.pair for score in scores] == list(own_pairs)
        total, *by_type = gap_counts(scores)
        assert total.pairs == len(own_pairs) == sum(one.pairs for one in by_type)
        assert sum(share.value or 0 for share in total.shares.values()) == pytest.approx(1)


def test_langtest_looks_among_five_tokens_as_they_are_written(written: Any) -> None:
    pairs = [
        Pair("1", "a tall cook", "a short cook", "", ""),
        Pair("2", "a Tall cook", "a Short cook", "", ""),
        Pair("3", "they are tall,", "they are short,", "", ""),
        Pair("4", "a tall cook", "a short old cook", "", ""),
    ]
    model = written(tops=[("tall", 0.3), ("short", 0.25), ("old", 0.2), ("new", 0.1), ("big", 0.05)])
    scores = langtest_gap(pairs, model)
    assert [score.outcome for score in scores] == ["pass", "skipped", "skipped", "unscorable"]
    assert (scores[0].more, scores[0].less) == (0.3, 0.25)
    assert scores[1].reason == "neither word is among the 5 likeliest tokens"
    assert langtest_gap(pairs, written(tops=[("tall", 0.1)]))[0].reason == "both words are unlikely"
    assert gap_counts(scores)[0].pass_rate == 1.0


def test_thresholds_are_the_form_s_own_and_are_checked() -> None:
    assert (gap_test().low, gap_test().gap) == (0.15, 0.30)
    assert (gap_test(compat="langtest").gap, gap_test(compat="langtest", gap=0.2).gap) == (0.10, 0.2)
    for wrong in ({"low": 1.5}, {"gap": -0.1}, {"compat": "other"}):
        with pytest.raises(FairnbError) as error:
            gap_test(**wrong)  # type: ignore[arg-type]
        assert error.value.code == "bad-value"


def test_each_pair_has_the_probabilities_of_its_own_words(written: Any) -> None:
    likely = {"tall": 0.5, "short": 0.2, "young": 0.6, "old": 0.1}
    model = written(table={word: math.log(share) for word, share in likely.items()})
    pairs = [
        Pair(str(at), f"the {more} cook slept", f"the {less} cook slept", "stereo", "x")
        for at, (more, less) in enumerate((("tall", "short"), ("young", "old"), ("short", "young")))
    ]
    found = [(score.more, score.less) for score in mask_gap(pairs, model)]
    assert found == [pytest.approx(two) for two in ((0.5, 0.2), (0.6, 0.1), (0.2, 0.6))]


def test_ties_are_in_no_side_of_the_sign_test() -> None:
    pair = Pair("1", "a", "b", "stereo", "x")
    scores = (
        [PairScore(pair, -1.0, -2.0)] * 20
        + [PairScore(pair, -2.0, -1.0)] * 8
        + [PairScore(pair, -1.0, -1.0)] * 6
    )
    whole = preferences(scores)[0]
    assert (whole.decided, whole.ties) == (28, 6)
    assert whole.p == pytest.approx(binomtest(20, 28).pvalue)
