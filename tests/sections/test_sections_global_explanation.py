"""The section on words that drive scores: means by word, the sample, identity terms, failures."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.explanation import Attribution
from fairnb.report._figures import draw_svg
from fairnb.report._redaction import redacted_payloads
from fairnb.sections import Need, Result, Severity, Status
from fairnb.sections._global_words import Explained, Word, strength
from fairnb.sections.global_explanation import GlobalExplanation

pytest.importorskip("shap")

PLANTED = {"goose": 2.5, "silly": 1.5, "bad": 0.8, "glad": -1.8, "gay": 1.1}
WORDS = [
    "the",
    "silly",
    "goose",
    "Goose",
    "gay",
    "woman",
    "bad",
    "bread",
    "glad",
    "@nick",
    "don't",
    "😀",
    "$x$",
]


def logit(text: str) -> float:
    return sum(PLANTED.get(word.strip(".,!?").lower(), 0.0) for word in text.split())


def score(text: str) -> float:
    return 1 / (1 + math.exp(1 - logit(text)))


def corpus(number: int = 240) -> tuple[list[str], list[int]]:
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, random.integers(2, 10))) for _ in range(number)]
    return texts, [int(score(text) > 0.5) ^ int(random.random() < 0.1) for text in texts]


def explained(view: Any, **params: Any) -> Result:
    return GlobalExplanation().run(view, GlobalExplanation.Params(**params))


def viewed(small_view: Callable[..., Any], texts: list[str], labels: list[int], **more: Any) -> Any:
    predictor = more.pop("predictor", score)
    return small_view(
        {"test": labels}, {"test": [0.5] * len(texts)}, {"test": texts}, predictor=predictor, **more
    )


_DONE: list[Result] = []


@pytest.fixture
def result(small_view: Callable[..., Any]) -> Result:
    """Computed once: it never changes."""
    if not _DONE:
        texts, labels = corpus()
        _DONE.append(explained(viewed(small_view, texts, labels), texts=120))
    return _DONE[0]


def test_planted_words_are_recovered_with_sign_and_rank(result: Result) -> None:
    means = {
        name: result.measure("mean_shap", attribute="token", subgroup=name, label="all").value
        for name in result.facts["words"]
    }
    assert result.facts["words"][0] == "goose"
    assert sorted(PLANTED, key=lambda w: -PLANTED[w]) == sorted(PLANTED, key=lambda w: -means[w])
    for name, mean in means.items():
        assert np.sign(round(mean, 6)) == np.sign(PLANTED.get(name, 0.0)), name


def test_upper_and_lower_case_are_one_word_and_handles_are_masked(
    result: Result, small_view: Callable[..., Any]
) -> None:
    assert "goose" in result.facts["words"]
    assert "Goose" not in result.facts["words"]
    view = viewed(small_view, *corpus(60), predictor=lambda text: 0.9 if "@nick" in text else 0.1)
    assert explained(view, texts=60).facts["words"][0] == "[handle]"
    assert "@nick" not in result.model_dump_json()


def test_a_planted_logit_gives_back_its_coefficients(small_view: Callable[..., Any]) -> None:
    texts, labels = corpus(60)
    found = explained(viewed(small_view, texts, labels, predictor=logit), texts=60)
    assert found.facts["gap"] < 1e-9
    # Each occurrence has the coefficient; means are over texts, of the sums over a text's occurrences.
    times = [text.lower().split().count("silly") for text in texts]
    held = [n for n in times if n]
    silly = found.measure("mean_shap", attribute="token", subgroup="silly", label="all")
    assert silly.value == pytest.approx(1.5 * np.mean(held))
    assert silly.n == len(held)
    glad = found.measure("mean_abs_shap", attribute="token", subgroup="glad", label="all")
    assert glad.value == pytest.approx(1.8 * np.mean([n for t in texts if (n := t.split().count("glad"))]))


def test_ragged_texts_are_summed_up_by_word_with_a_minimum(small_view: Callable[..., Any]) -> None:
    texts = [
        *(f"goose {n}" for n in range(11)),
        "the silly goose ran home",
        *(f"all of the long words and silly things of number {n}" for n in range(8)),
    ]
    found = explained(viewed(small_view, texts, [0, 1] * 10), texts=20)
    assert found.facts["words"] == ["goose"]
    goose = found.measure("mean_shap", attribute="token", subgroup="goose", label="all")
    assert (goose.n, goose.status) == (12, Status.OK)
    assert "at least 10 of the sample" in GlobalExplanation().tables(found)[0].note
    # Six of the twelve are in negative texts: fewer than ten are shown as too few.
    split = found.measure("mean_shap", attribute="token", subgroup="goose", label="negative")
    assert split.status is Status.TOO_FEW


def test_identity_terms_have_strata_of_their_own(small_view: Callable[..., Any]) -> None:
    texts = [f"{('the gay couple', 'a woman', 'nobody')[n % 3]} came on day {n}" for n in range(120)]
    found = explained(viewed(small_view, texts, [n % 2 for n in range(120)]), texts=60)
    assert {one["stratum"]: one["drawn"] for one in found.facts["strata"]} == {
        f"{label}, {named}": 10
        for label in ("positive", "negative")
        for named in ("holds an identity term", "names a group by other words", "names no group")
    }


def test_weights_undo_the_strata(small_view: Callable[..., Any]) -> None:
    # One text in ten is positive; there alone the word raises the score.
    texts = [f"silly number {n}" if n % 10 else f"silly goose {n}" for n in range(400)]
    labels = [int(n % 10 == 0) for n in range(400)]

    def both(text: str) -> float:
        return 0.2 + 0.6 * ("silly" in text) * ("goose" in text)

    found = explained(viewed(small_view, texts, labels, predictor=both), texts=40)
    assert [(one["texts"], one["drawn"]) for one in found.facts["strata"]] == [(40, 20), (360, 20)]
    mean = found.measure("mean_shap", attribute="token", subgroup="silly", label="all")
    positive = found.measure("mean_shap", attribute="token", subgroup="silly", label="positive")
    assert positive.value > 0.2
    assert mean.value == pytest.approx(positive.value * 40 / 400)


def test_identity_terms_that_drive_scores_are_an_observation(result: Result) -> None:
    (finding,) = result.findings
    assert finding.severity is Severity.OBSERVATION
    assert "“gay” adds" not in finding.statement
    assert "that hold “gay” it adds +" in finding.statement
    mean = result.measure("mean_shap", attribute="identity_term", subgroup="gay", label="all")
    assert mean.family == "E"
    assert mean.p_adjusted < 0.05
    token = result.measure("mean_shap", attribute="token", subgroup="gay", label="all")
    assert mean.value == pytest.approx(token.value)
    assert token.p is None


def test_a_neutral_identity_term_is_no_observation(small_view: Callable[..., Any]) -> None:
    texts = [f"the gay couple saw a {'goose' if n % 2 else 'duck'} on day {n}" for n in range(40)]
    found = explained(viewed(small_view, texts, [n % 2 for n in range(40)]), texts=40)
    # Planted, "gay" counts: here it does not.
    neutral = explained(
        viewed(small_view, texts, [0, 1] * 20, predictor=lambda t: 0.3 + 0.4 * ("goose" in t)), texts=40
    )
    assert found.findings
    assert not neutral.findings
    assert [one.criterion for one in neutral.candidates] == ["Identity term that drives scores: gay"]


def test_the_strength_of_a_word_is_the_weighted_mean_of_its_sizes() -> None:
    explained = Explained(
        ("a", "b", "c"), (), np.array([1.0, 3.0, 9.0]), np.array([1, 0, 1], np.int8), np.array([0, 1, 2])
    )
    word = Word("token", "x", np.array([0, 1]), np.array([0.3, -0.1]))
    assert strength(word, explained) == pytest.approx((1 * 0.3 + 3 * 0.1) / 4)


def test_a_drawn_text_stands_for_as_many_as_its_stratum_has_for_each(result: Result) -> None:
    strata = [{"stratum": "positive", "texts": 300, "drawn": 40}, {"stratum": "none", "texts": 2, "drawn": 0}]
    told = result.model_copy(update={"facts": {**result.facts, "strata": strata, "failed": {}}})
    (table,) = [one for one in GlobalExplanation().tables(told) if one.title.startswith("How the")]
    assert [row.cells for row in table.rows] == [("positive", "300", "40", "7.5"), ("none", "2", "0", "–")]


def test_words_are_split_by_subgroup(result: Result) -> None:
    inside = [one for one in result.measures if one.variant == "mentions=gender/female"]
    assert {one.measure for one in inside} == {"mean_abs_shap", "mean_shap"}
    assert "goose" in {one.subgroup for one in inside}
    assert all(one.n >= 10 for one in inside)


def test_one_word_texts_are_kept_and_failures_are_listed(small_view: Callable[..., Any]) -> None:
    texts, labels = corpus(30)
    texts += ["ok", "goose", "", "!!!", "secret @nick", "word " * 201]
    labels += [0, 1, 0, 0, 0, 0]

    def shy(text: str) -> float:
        return math.nan if "secret" in text else score(text)

    found = explained(viewed(small_view, texts, labels, predictor=shy), texts=100)
    assert found.facts["explained"] == 32
    assert found.facts["failed"] == {
        "no tokens to explain": 2,
        "the system gave no score to a masked form of the text": 1,
        "201 tokens, more than 200": 1,
    }
    notes = {one.text[:8]: one.note for one in found.examples}
    assert notes["secret ["] == "not explained: the system gave no score to a masked form of the text"
    assert any("4 of 36 texts" in limit for limit in found.limits)


def test_what_is_shown_is_drawn_by_us_without_script(result: Result) -> None:
    section = GlobalExplanation()
    figures = section.figures(result)
    assert set(figures) == {"drivers", "swarm"}
    for name, plot in figures.items():
        svg = draw_svg(plot.figure, name)
        assert "<script" not in svg
        assert "Visualization omitted" not in svg
        assert len(svg) < 150_000
    assert "in at least 10 of them" in figures["drivers"].caption
    assert all(row.cells for table in section.tables(result) for row in table.rows)
    assert "“goose” (+" in section.statements(result)[0]
    assert Result.model_validate_json(result.model_dump_json()) == result
    assert len(result.model_dump_json()) < 400_000


def test_values_and_base_add_up(result: Result) -> None:
    assert result.facts["gap"] < 1e-9
    assert not any("miss the score" in limit for limit in result.limits)


def test_a_gap_is_told(small_view: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import fairnb.explanation

    class Broken:
        def __init__(self, *given: Any, **named: Any) -> None:
            pass

        def attribute(self, texts: list[str]) -> list[Attribution]:
            return [Attribution(((0, 1),), np.array([0.3]), 0.5, 0.9)] * len(texts)

    monkeypatch.setattr(fairnb.explanation, "Attributor", Broken)
    found = explained(viewed(small_view, ["a b"], [0]))
    assert any("miss the score by up to 1.0e-01" in limit for limit in found.limits)


def test_keys_are_unique(result: Result) -> None:
    assert len({one.key for one in result.measures}) == len(result.measures)


def test_where_texts_are_withheld_only_words_of_the_lexicon_are_named(small_view: Callable[..., Any]) -> None:
    texts, labels = corpus(60)
    found = explained(viewed(small_view, texts, labels, mode="withhold"), texts=60)
    assert "goose" not in found.model_dump_json()
    assert "gay" in found.facts["words"]
    assert any(word.startswith("[word ") for word in found.facts["words"])


def test_what_is_withheld_at_export_leaves_only_words_of_the_lexicon(result: Result) -> None:
    payload = {"content": {"section": "global_explanation", "result": result.model_dump(mode="json")}}
    (narrowed,) = redacted_payloads([payload], "withhold", b"key")
    less = Result.model_validate(narrowed["content"]["result"])
    assert "goose" in result.model_dump_json()
    assert "goose" not in less.model_dump_json()
    assert "gay" in less.facts["words"]
    assert [one.value for one in less.measures] == [one.value for one in result.measures]
    drawn = [draw_svg(plot.figure, name) for name, plot in GlobalExplanation().figures(less).items()]
    assert drawn
    assert "goose" not in "".join(drawn)
    assert "goose" not in repr(GlobalExplanation().tables(less)) + repr(GlobalExplanation().statements(less))
    assert (
        redacted_payloads([payload], "mask", b"key")[0]["content"]["result"] == payload["content"]["result"]
    )


SHIFTS = {"muslim": 2.0, "christian": -2.0, "black": 2.0, "white": 2.0, "today": 1.0}


def shifting(text: str) -> float:
    return 1 / (1 + math.exp(-0.5 * sum(SHIFTS.get(word, 0.0) for word in text.split())))


def swapped_view(small_view: Callable[..., Any]) -> Any:
    said = (
        "the {} women went out on day {}",
        "on day {1} we met {0} women",
        "day {1}: the {0} women said so today",
    )
    texts = [
        said[n % 3].format(word, n)
        for n in range(24)
        for word in ("muslim", "christian", "black", "white", "gay")
    ]
    return viewed(small_view, texts, [n % 2 for n in range(len(texts))], predictor=shifting)


def test_the_swap_of_the_same_texts_confirms_a_word_that_moves_scores_itself(
    small_view: Callable[..., Any],
) -> None:
    view = swapped_view(small_view)
    found = explained(view, texts=120)
    key = {"attribute": "identity_term", "subgroup": "muslim", "label": "all", "variant": "to=Christianity"}
    muslim = found.measure("mean_shift", **key)
    # Of the texts with "muslim", a third has "today".
    plain = shifting("christian") - shifting("muslim")
    by_hand = (2 * plain + shifting("christian today") - shifting("muslim today")) / 3
    assert muslim.value == pytest.approx(by_hand, abs=1e-9)
    assert (muslim.n, muslim.family) == (24, "E")
    (finding,) = (one for one in found.findings if one.criterion.endswith(": muslim"))
    assert finding.severity is Severity.OBSERVATION
    assert "the swap of the same texts confirms that the word itself does so" in finding.statement


def test_a_counterpart_that_does_the_same_does_not_confirm_it(small_view: Callable[..., Any]) -> None:
    found = explained(swapped_view(small_view), texts=120)
    shift = found.measure(
        "mean_shift", attribute="identity_term", subgroup="black", label="all", variant="to=White"
    )
    assert shift.value == pytest.approx(0.0, abs=1e-12)
    (finding,) = (one for one in found.findings if one.criterion.endswith(": black"))
    assert "this does not confirm that the word itself does so" in finding.statement


def test_a_word_without_a_counterpart_is_said_to_have_none(small_view: Callable[..., Any]) -> None:
    found = explained(swapped_view(small_view), texts=120)
    (gay,) = (one for one in found.candidates if one.criterion.endswith(": gay"))
    assert "no swap shows whether the word itself does so: it has no counterpart there" in gay.statement


def test_needs(small_view: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert GlobalExplanation.needs == (Need.LIVE_SYSTEM, Need.SCORES)
    found = explained(small_view({}, predictor=score))
    assert (found.status, found.reason) == ("not_applicable", "no test corpus")
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "shap" else real(name, *more)
    )
    found = explained(viewed(small_view, ["a b"], [0]))
    assert found.status == "not_applicable"
    assert "needs the extra explain" in found.reason


@pytest.mark.parametrize("texts", [[], [""], ["ok"], ["مرحبا يا صديقي"] * 3, ["a" * 10_000]])
def test_corpora_without_enough_texts_say_so(small_view: Callable[..., Any], texts: list[str]) -> None:
    found = explained(viewed(small_view, texts, [0] * len(texts)))
    assert "there is no statement" in GlobalExplanation().statements(found)[0]
    assert GlobalExplanation().figures(found) == {}
    assert GlobalExplanation().tables(found)


def test_it_stops_when_asked_to_and_tells_how_far_it_is(small_view: Callable[..., Any]) -> None:
    view = viewed(small_view, [f"word {n}" for n in range(30)], [0, 1] * 15)
    explained(view)
    assert [(done, total) for done, total, _ in view.told] == [(0, 30), (25, 30)]
    with pytest.raises(FairnbError, match="after 0 of 2") as stopped:
        explained(viewed(small_view, ["a b", "c d"], [0, 1], stopped=True))
    assert stopped.value.code == "cancelled"
