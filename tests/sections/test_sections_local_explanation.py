"""The section on single texts: which are chosen, what is marked, what is shown and what never is."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.report._figures import data_address, draw_svg, with_letters
from fairnb.report._redaction import redacted_payloads
from fairnb.sections import Measure, Need, Result, Status
from fairnb.sections._drawing import ACCENT
from fairnb.sections._local_figure import Bar, Panel, draw_panels
from fairnb.sections.local_explanation import LocalExplanation

PLANTED = {"goose": 2.5, "silly": 1.5, "bad": 1.2, "glad": -1.8, "gay": 1.0, "@nick": 0.5, "😀": -1.0}
QUICK: dict[str, Any] = {"samples": 500}


def score(text: str) -> float:
    """A logit that adds up the weights of words."""
    words = (word.strip(".,!?:").lower() for word in text.split())
    return 1 / (1 + math.exp(1 - sum(PLANTED.get(word, 0.0) for word in words)))


def explained(view: Any, **params: Any) -> Result:
    return LocalExplanation().run(view, LocalExplanation.Params(**{**QUICK, **params}))


@pytest.fixture
def given(small_view: Callable[..., Any]) -> Callable[..., Result]:
    """Explain texts of the assessor's own."""

    def run(
        *texts: str, predictor: Callable[[str], float] = score, mode: str = "mask", **params: Any
    ) -> Result:
        return explained(small_view({}, predictor=predictor, mode=mode), texts=texts, **params)

    return run


def named(result: Result, at: int = 0) -> dict[str, float]:
    """The words that stand out in a text, as its first table names them."""
    row = LocalExplanation().tables(result)[0].rows[at].cells
    words = [part.rsplit(" ", 1) for cell in row[-2:] for part in cell.split(", ") if part != "–"]
    return {word: float(value.replace("−", "-")) for word, value in words}


LONG = "the gay couple next door baked bread and were glad of it, they went on for a walk with @nick"


def test_planted_words_stand_out_with_sign_and_rank(given: Callable[..., Result]) -> None:
    found = named(given(LONG))
    assert set(found) == {"gay", "glad", "[handle]"}
    assert found["glad"] < 0 < found["[handle]"] < found["gay"]


def test_short_texts_are_exact(given: Callable[..., Result]) -> None:
    result = given("You are a silly goose!")
    assert list(named(result)) == ["goose", "silly"]
    weight = result.measure("weight", attribute="text 1", subgroup="token 5")
    assert (weight.status, weight.low, weight.denominator) == (Status.EXACT, None, 2**5)
    stability = result.measure("stability", attribute="text 1")
    assert (stability.status, stability.value) == (Status.UNDEFINED, None)


def test_drawn_weights_have_their_spread_and_overlap(given: Callable[..., Result]) -> None:
    result = given(LONG, samples=2000)
    weight = result.measure("weight", attribute="text 1", subgroup="token 2")
    assert weight.low < weight.value < weight.high
    assert weight.interval == "monte-carlo-t"
    assert "10 runs" in weight.method
    assert 0.5 < result.measure("stability", attribute="text 1").value <= 1
    assert result.measure("local_r2", attribute="text 1").value > 0.9
    (plot,) = LocalExplanation().figures(result).values()
    assert "2,000 samples in 10 runs" in plot.caption


def test_two_runs_agree(given: Callable[..., Result]) -> None:
    assert given(LONG) == given(LONG)


def test_where_words_do_not_explain_the_score_nothing_is_marked(given: Callable[..., Result]) -> None:
    def noise(text: str) -> float:
        return hashlib.sha256(text.encode()).digest()[0] / 255

    result = given(LONG, "silly goose, go home", predictor=noise)
    assert [one["marked"] for one in result.facts["explained"]] == [[], []]
    assert result.measure("local_r2", attribute="text 1").value < 0.5
    weights = [one for one in result.measures if one.measure == "weight"]
    assert {one.status for one in weights} == {Status.INDICATIVE}
    assert any("none is marked" in limit for limit in result.limits)
    (plot,) = LocalExplanation().figures(result).values()
    assert "none is marked" in draw_svg(plot.figure, "one")


def test_the_statement_names_each_word_that_stands_out_once_and_no_word_of_a_fit_too_poor_to_read(
    given: Callable[..., Result],
) -> None:
    def sometimes_noise(text: str) -> float:
        return score(text) if "bread" not in text else hashlib.sha256(text.encode()).digest()[0] / 255

    result = given("the silly goose", "goose glad to meet you", LONG, predictor=sometimes_noise)
    stands = {word for at in range(2) for word in named(result, at)}
    assert result.facts["explained"][2]["fits"] is False
    (said,) = LocalExplanation().statements(result)
    assert said.startswith("2 of 3 texts have")
    assert "; in 1 the fit is too poor to say." in said
    up, _, down = said.partition("Words that lower")
    assert re.findall("“(.*?)”", up) == ["goose", "silly"]
    assert re.findall("“(.*?)”", down) == ["glad"]
    assert stands == {"goose", "silly", "glad"}


def test_where_no_word_stands_out_of_the_draws_the_statement_says_so(given: Callable[..., Result]) -> None:
    result = given("silly goose")
    told = tuple({**one, "marked": []} for one in result.facts["explained"])
    result = result.model_copy(update={"facts": {**result.facts, "explained": told}})
    (said,) = LocalExplanation().statements(result)
    assert said.endswith(" No word stands out of the chance of the draws.")
    assert "“" not in said


def test_neutral_words_are_not_marked(given: Callable[..., Result]) -> None:
    result = given(*(f"{LONG} number {n}" for n in range(6)))
    for at in range(6):
        assert set(named(result, at)) <= {"gay", "glad", "[handle]"}


def test_a_word_that_moves_nothing_is_not_marked_whatever_its_weight(given: Callable[..., Result]) -> None:
    # The sum of the other two bends at the top, and the linear model gives the third a part of it.
    result = given("the silly goose", samples=5000)
    weight = result.measure("weight", attribute="text 1", subgroup="token 1")
    assert weight.value > 0.02
    assert weight.note == "alone it moves nothing"
    assert set(named(result)) == {"silly", "goose"}


def test_a_system_that_does_not_care_moves_no_word(given: Callable[..., Result]) -> None:
    result = given("silly goose", predictor=lambda text: 0.4)
    assert result.measure("local_r2", attribute="text 1").status is Status.UNDEFINED
    assert LocalExplanation().tables(result)[0].rows[0].cells[-2] == "no word moves the score"
    (said,) = LocalExplanation().statements(result)
    assert said.startswith("0 of 1 texts have")
    assert said.endswith("; in 1 no word moves the score.")


def test_texts_without_tokens_are_rows_and_the_others_go_on(given: Callable[..., Result]) -> None:
    result = given("", "!!! ...", "silly goose", samples=5000)
    cells = [row.cells for row in LocalExplanation().tables(result)[0].rows]
    assert [row[-2] for row in cells[:2]] == ["no tokens to explain"] * 2
    assert set(named(result, 2)) == {"goose", "silly"}
    (plot,) = LocalExplanation().figures(result).values()
    assert plot.alternative.startswith("Text 3: given: goose +")
    (said,) = LocalExplanation().statements(result)
    assert said.startswith("1 of 3 texts have an explanation that fits well enough to be read (")
    assert "); in 2 there was nothing to explain, or no score. Words that raise" in said
    assert re.search(
        r"chance of the draws: “goose” \(\+0\.\d\d, text 3\), “silly” \(\+0\.\d\d, text 3\)\.$", said
    )


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "goose" * 2000,
        "silly goose " * 833,
        "مرحبا يا صديقي goose ما اسمك اليوم",
        "😀 👩🏽\u200d🚀 🇮🇹 ❤\ufe0f goose",
        "$x^$ and $5 <b>goose</b> &lt;script&gt;",
        "goose\n\n\tgoose",
        "क्या goose है",
    ],
)
def test_unusual_texts_are_explained_and_drawn(given: Callable[..., Result], text: str) -> None:
    result = given(text)
    assert LocalExplanation().statements(result)
    for name, plot in LocalExplanation().figures(result).items():
        svg = draw_svg(plot.figure, name)
        assert "<script" not in svg
        assert len(svg) < 40_000
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_the_report_states_how_words_are_removed(given: Callable[..., Result]) -> None:
    each = given("bad man bad")
    assert len([one for one in each.measures if one.measure == "weight"]) == 3
    assert "“UNKWORDZ” stands for a removed word; each occurrence has its weight." in each.limits[0]
    both = given("bad man bad", by_word=True, stand_in="")
    assert len([one for one in both.measures if one.measure == "weight"]) == 2
    assert "A removed word leaves a gap; all occurrences of a word share one weight." in both.limits[0]


def test_twenty_explanations_take_less_than_a_megabyte_and_hold_no_script(
    given: Callable[..., Result],
) -> None:
    texts = [
        f"{LONG} and said that number {n} is a silly goose, or so they told us all day" for n in range(20)
    ]
    figures = LocalExplanation().figures(given(*texts))
    drawn = [draw_svg(plot.figure, name) for name, plot in figures.items()]
    assert sum(plot.alternative.count("given: ") for plot in figures.values()) == 20
    assert "<script" not in "".join(drawn)
    # In a document a picture is base64 and carries the letters it uses.
    assert sum(len(data_address(with_letters(svg))) for svg in drawn) < 1_000_000
    assert all(25.4 * plot.figure.get_figheight() <= 200 for plot in figures.values())


def test_marks_can_be_told_apart_without_colour(given: Callable[..., Result]) -> None:
    (plot,) = LocalExplanation().figures(given("silly goose, glad day")).values()
    boxes = {patch.get_linestyle() for patch in plot.figure.axes[0].patches if patch.get_linewidth()}
    assert boxes == {"solid", (0, (3, 2))} or len(boxes) == 2
    assert "goose +" in plot.alternative
    assert "glad −" in plot.alternative


@pytest.mark.parametrize("withheld", [False, True])
def test_what_raises_a_score_is_filled_and_what_lowers_it_hollow_on_one_scale(withheld: bool) -> None:
    from matplotlib.colors import to_rgba

    text = "good bad day"
    told = {"good": (0.4, 0.3, 0.5), "bad": (-0.2, -0.3, -0.1), "day": (0.1, 0.0, 0.2)}
    bars = tuple(
        Bar(
            word,
            Measure(measure="weight", value=value, low=low, high=high),
            word != "day",
            ((text.index(word), text.index(word) + len(word)),),
            None,
        )
        for word, (value, low, high) in told.items()
    )
    ((_, figure),) = draw_panels([Panel("title", text, bars, "foot", withheld=withheld)])
    (axis,) = figure.axes
    accent, white = to_rgba(ACCENT), to_rgba("white")
    boxes = [patch for patch in axis.patches if patch.get_height() == pytest.approx(0.8 * 4.5)]
    expected = [] if withheld else [(accent, "solid"), (white, (0, (3, 2)))]
    assert [(box.get_facecolor(), box.get_linestyle()) for box in boxes] == expected
    drawn = [patch for patch in axis.patches if patch.get_height() == pytest.approx(0.6 * 3.3)]
    # A word that does not stand out has a hollow bar, whatever its sign.
    assert [bar.get_facecolor() for bar in drawn] == [accent, white, white]
    # The largest end, 0.5, reaches 38 mm from zero at 88 mm.
    assert [bar.get_width() for bar in drawn] == pytest.approx([30.4, -15.2, 7.6])
    lines = [line.get_xdata() for line in axis.lines if len(set(line.get_ydata())) == 1]
    whiskers = [end for line in lines for end in line]
    assert whiskers == pytest.approx([88 + 76 * end for _, low, high in told.values() for end in (low, high)])


def test_the_masked_text_is_shown_and_its_words_found(given: Callable[..., Result]) -> None:
    text = "@nick: call 0123 456 7890 or a.b@mail.example, http://x.example/y &#128512; don&#39;t be silly"
    result = given(text)
    assert "@nick" not in result.model_dump_json()
    assert "456" not in result.model_dump_json()
    assert result.examples[0].text == "[handle]: call [phone] or [e-mail], [link] 😀 don't be silly"
    words = {row.cells[1] for row in LocalExplanation().tables(result)[1].rows}
    words |= {"be"}  # eleven tokens, ten weights
    assert words == {"[handle]", "call", "[phone]", "or", "[e-mail]", "[link]", "😀", "don't", "be", "silly"}


def test_a_withheld_text_is_nowhere_in_the_result(given: Callable[..., Result]) -> None:
    result = given("silly goose, glad day", mode="withhold")
    assert "goose" not in result.model_dump_json()
    assert named(result)["[token 2]"] > 0
    (plot,) = LocalExplanation().figures(result).values()
    assert "goose" not in draw_svg(plot.figure, "one") + plot.alternative


def test_what_is_withheld_at_export_disappears_from_tables_and_figures(given: Callable[..., Result]) -> None:
    payload = {"content": {"result": given("silly goose, glad day").model_dump(mode="json")}}
    (narrowed,) = redacted_payloads([payload], "withhold", b"key")
    result = Result.model_validate(narrowed["content"]["result"])
    assert "goose" not in result.model_dump_json()
    assert named(result)["[token 2]"] > 0
    (plot,) = LocalExplanation().figures(result).values()
    assert "goose" not in draw_svg(plot.figure, "one")


def test_a_long_text_is_cut_to_what_is_explained(given: Callable[..., Result]) -> None:
    result = given("fine day " * 150 + "silly goose " + "fine day " * 150, samples=2000)
    (example,) = result.examples
    assert len(example.text) < 1000
    assert "silly goose" in example.text
    assert example.text.startswith("… ")
    assert set(named(result)) == {"goose", "silly"} or any("goose" in word for word in named(result))


@pytest.fixture
def corpus() -> tuple[list[str], list[int], list[float]]:
    texts = [f"text number {n} of a man" if n % 2 else f"a woman wrote text {n}" for n in range(12)]
    labels = [1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, -1]
    scores = [0.99, 0.9, 0.6, 0.1, 0.02, 0.3, 0.97, 0.04, 0.2, 0.55, math.nan, 0.51]
    return texts, labels, scores


def test_telling_texts_are_chosen_each_once(
    small_view: Callable[..., Any], corpus: tuple[list[str], list[int], list[float]]
) -> None:
    texts, labels, scores = corpus
    view = small_view({"test": labels}, {"test": scores}, {"test": texts}, predictor=score)
    result = explained(view, per_kind=1)
    chosen = {
        one.text: told["why"] for one, told in zip(result.examples, result.facts["explained"], strict=True)
    }
    assert chosen == {
        texts[0]: "rightly flagged, surest",
        texts[4]: "rightly not flagged, surest",
        texts[6]: "wrongly flagged, surest",
        texts[7]: "missed, surest",
        texts[11]: "nearest the threshold",
        # The small system says sigmoid(-1) = 0.2689 of any of these: less 0.6, and less 0.9.
        texts[2]: "names gender: female, moved most by the swap to male (−33.1 points)",
        texts[1]: "names gender: male, moved most by the swap to female (−63.1 points)",
        texts[8]: "names gender: female, largest error",
        texts[9]: "names gender: male, largest error",
    }
    assert len(explained(view, most=3).examples) == 3
    assert any("no sample" in limit for limit in result.limits)


def test_texts_whose_scores_a_swap_moves_most_are_chosen_by_direction(small_view: Callable[..., Any]) -> None:
    # Of this system women raise the score, and a silly one most: sigmoid(1.5 - 1) - sigmoid(1 + 1.5 - 1).
    def biased(text: str) -> float:
        words = text.split()
        return 1 / (1 + math.exp(1 - ("woman" in words) - 1.5 * ("silly" in words)))

    texts = ["a silly woman", "a woman here", "a man here", "a silly man", "a cat here", "no cat here"]
    scores = [biased(text) for text in texts]
    view = small_view({"test": [0] * 6}, {"test": scores}, {"test": texts}, predictor=biased)
    found = explained(view, per_kind=1, threshold=0.9)
    chosen = {
        one.text: told["why"] for one, told in zip(found.examples, found.facts["explained"], strict=True)
    }
    # The text nearest the threshold is taken for that; the next one says by how much a swap moves it.
    assert chosen["a silly woman"] == "nearest the threshold"
    assert chosen["a woman here"] == "names gender: female, moved most by the swap to male (−23.1 points)"
    assert chosen["a silly man"] == "names gender: male, moved most by the swap to female (+19.5 points)"


def test_equal_texts_are_explained_once(small_view: Callable[..., Any]) -> None:
    view = small_view({"test": [1] * 4}, {"test": [0.9] * 4}, {"test": ["a b"] * 4}, predictor=score)
    assert len(explained(view).examples) == 1


def test_needs(small_view: Callable[..., Any]) -> None:
    assert LocalExplanation.needs == (Need.LIVE_SYSTEM, Need.SCORES)
    found = explained(small_view({}, predictor=score))
    assert (found.status, found.reason) == ("not_applicable", "no test corpus")
    nothing = explained(small_view({"test": []}, {"test": []}, {"test": []}, predictor=score))
    assert LocalExplanation().statements(nothing) == ("There was no text to explain.",)
    assert LocalExplanation().tables(nothing) == []


def test_it_stops_when_asked_to_and_tells_how_far_it_is(small_view: Callable[..., Any]) -> None:
    view = small_view({}, predictor=score)
    explained(view, texts=("a b", "c d"))
    assert [(done, total) for done, total, _ in view.told] == [(0, 2), (1, 2)]
    with pytest.raises(FairnbError, match="after 0 of 2") as stopped:
        explained(small_view({}, predictor=score, stopped=True), texts=("a b", "c d"))
    assert stopped.value.code == "cancelled"


def test_texts_without_a_score_have_a_reason(given: Callable[..., Result]) -> None:
    result = given("silly goose", "fine", predictor=lambda text: math.nan if "goose" in text else 0.5)
    assert result.facts["explained"][0]["reason"] == "the system gave no score to the text"
    assert result.facts["explained"][1]["reason"] == ""


def test_keys_are_unique(given: Callable[..., Result]) -> None:
    result = given(LONG, "silly goose", "bad bad bad")
    assert len({one.key for one in result.measures}) == len(result.measures)


def test_a_pictograph_that_the_figures_fonts_lack_is_named() -> None:
    from fairnb.sections._any_script import in_letters

    assert in_letters("well done \U0001f451") == "well done [emoji: crown]"
    assert in_letters("▲ done") == "▲ done"
