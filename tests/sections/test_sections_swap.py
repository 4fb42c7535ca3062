"""The section on swaps: directions, favour, placebo, what is in no denominator."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import binomtest, false_discovery_control

from fairnb.files import canonical_json
from fairnb.lexicon import LexiconSpec
from fairnb.sections import Need, Result, Status
from fairnb.sections.swap import Swap

GENDER = LexiconSpec(attributes=("gender",))


def _score(text: str) -> float:
    """Texts about women score 0.3 higher; a lady 0.01 above a woman."""
    low = f" {text.lower()} "
    return 0.2 + 0.3 * any(f" {w} " in low for w in ("she", "woman", "lady")) + 0.01 * (" lady " in low)


def _texts() -> tuple[list[str], list[int]]:
    texts, labels = [], []
    for number in range(30):
        texts += [f"the man came {number} times", f"she sang song {number}", f"a woman ran {number} miles"]
        labels += [0, number % 2, 0]
    texts += ["he met her", "the host was kind", "no one at all", "Men ran @king"]
    labels += [0, 0, 0, -1]
    return texts, labels


@pytest.fixture
def result(small_view: Callable[..., Any]) -> Result:
    texts, labels = _texts()
    view = small_view(
        {"test": labels},
        {"test": [_score(t) for t in texts]},
        {"test": texts},
        spec=GENDER,
        predictor=_score,
    )
    return Swap().run(view, Swap.Params())


def test_shift_by_direction_and_label(result: Result) -> None:
    to_female = result.measure(
        "mean_shift", attribute="gender", subgroup="male", label="negative", variant="to=female"
    )
    assert to_female.value == pytest.approx(0.3)
    assert to_female.denominator == 30
    assert to_female.clusters == 30
    to_male = result.measure(
        "mean_shift", attribute="gender", subgroup="female", label="negative", variant="to=male"
    )
    assert to_male.value == pytest.approx(-0.3)
    assert to_male.denominator == 45
    assert to_male.family == "C"


def test_placebo_stays_within_the_group_and_is_not_tested(result: Result) -> None:
    placebo = result.measure(
        "mean_shift", attribute="gender", subgroup="female", label="negative", variant="placebo"
    )
    assert placebo.value == pytest.approx(0.01)
    assert placebo.denominator == 30
    assert placebo.p is None
    assert placebo.family == "D"


def test_favour_has_the_papers_shares(result: Result) -> None:
    def share(subgroup: str, **key: str) -> Any:
        return result.measure("favour", attribute="gender", subgroup=subgroup, label="all", **key)

    # Negative texts score lower as male (30 + 45 of them), positive ones higher as female (15).
    assert share("male").value == pytest.approx(75 / 90)
    assert share("female").value == pytest.approx(15 / 90)
    assert share("no_change").value == 0
    assert share("mixed").value == pytest.approx(1 / 91)
    assert share("mixed").denominator == 91
    assert share("male", reference="female").value == pytest.approx(60 / 90)
    assert share("female", variant="to=female").value == 0


def test_what_was_not_swapped_is_counted(result: Result) -> None:
    (pair,) = result.facts["pairs"]
    assert (pair["mixed"], pair["left_alone"], pair["untouched"]) == (1, 1, 1)
    assert result.facts["unlabelled"] == 1
    assert any(one["word"] == "host" for one in result.facts["skipped"])


def test_texts_left_alone_are_not_those_that_name_nobody(small_view: Callable[..., Any]) -> None:
    texts = ["the man came home", "the host was kind", "no one at all", "it rained", "bread was baked"]
    view = small_view({"test": [0] * 5}, {"test": [0.2] * 5}, {"test": texts}, spec=GENDER, predictor=_score)
    (pair,) = Swap().run(view, Swap.Params()).facts["pairs"]
    assert (pair["mixed"], pair["left_alone"], pair["untouched"]) == (0, 1, 3)


def test_decisions_flip_with_their_direction(result: Result) -> None:
    flip = result.measure("flip_rate", attribute="gender", subgroup="male", label="all", variant="to=female")
    assert flip.value == 1.0
    told = {(one["subgroup"], one["to"]): one for one in result.facts["flips"]}
    assert told["male", "female"]["up"] == 30
    assert told["female", "male"]["down"] == 60


def test_every_exploratory_p_is_adjusted_with_all_others(result: Result) -> None:
    """Benjamini and Hochberg's procedure over shares favoured and decisions changed, as SciPy has it."""
    tested = [one for one in result.measures if one.family == "E" and one.p is not None]
    assert {one.measure for one in tested} == {"favour", "flip_rate"}
    assert {one.label for one in tested} == {"all", "positive", "negative"}
    expected = false_discovery_control([one.p for one in tested])
    assert [one.p_adjusted for one in tested] == pytest.approx(list(expected))
    flip = result.measure("flip_rate", attribute="gender", subgroup="male", label="all", variant="to=female")
    assert flip.p == pytest.approx(binomtest(30, 30).pvalue)
    placebo = result.measure(
        "flip_rate", attribute="gender", subgroup="female", label="all", variant="placebo"
    )
    assert (placebo.family, placebo.p) == ("D", None)
    favour = [one for one in result.candidates if one.family == "E"]
    assert [one.measures[0].label for one in favour] == ["all"]


def test_ten_texts_that_changed_are_enough_for_a_sign_test(small_view: Callable[..., Any]) -> None:
    texts = [f"the man came {number} times" for number in range(10)]
    view = small_view(
        {"test": [0] * 10}, {"test": [0.2] * 10}, {"test": texts}, spec=GENDER, predictor=_score
    )
    found = Swap().run(view, Swap.Params())
    favour = found.measure("favour", attribute="gender", subgroup="male", reference="female", label="all")
    assert favour.p == pytest.approx(2 * 0.5**10)
    assert favour.p_adjusted is not None


def test_constant_shifts_are_shown_but_not_tested(result: Result) -> None:
    # Every text moved by exactly the same amount: there is no spread to judge by.
    shift = result.measure(
        "mean_shift", attribute="gender", subgroup="male", label="negative", variant="to=female"
    )
    assert shift.low is None
    assert result.status == "done"


def test_a_spread_shift_is_a_finding(small_view: Callable[..., Any]) -> None:
    texts = [f"the man came {number} times" for number in range(40)]

    def score(text: str) -> float:
        return 0.1 + (0.3 + 0.001 * int(text.split()[3])) * ("woman" in text)

    view = small_view(
        {"test": [0] * 40}, {"test": [score(t) for t in texts]}, {"test": texts}, spec=GENDER, predictor=score
    )
    found = Swap().run(view, Swap.Params())
    high = [one for one in found.findings if one.severity == "high"]
    assert len(high) == 1
    assert (
        "male by those for female moved the mean score of negative texts by +31.9 points" in high[0].statement
    )
    shift = found.measure(
        "mean_shift", attribute="gender", subgroup="male", label="negative", variant="to=female"
    )
    assert shift.p_adjusted is not None


def _beside_a_placebo(
    small_view: Callable[..., Any], moved: float, texts: list[str] | None = None
) -> tuple[Result, str, tuple[str, ...]]:
    """Forty texts that a swap moves by 31.95 points on average and the placebo by `moved`; statement and table row."""
    texts = texts or [f"man came {number} times" for number in range(40)]

    def score(text: str) -> float:
        number = int(text.split()[2])
        swapped = (0.3 + 0.001 * number) * ("woman" in text or "she" in text.split())
        return 0.1 + swapped + (moved + 0.0001 * (number % 2)) * ("guy" in text)

    given = ({"test": [0] * 40}, {"test": [score(t) for t in texts]}, {"test": texts})
    found = Swap().run(small_view(*given, spec=GENDER, predictor=score), Swap.Params())
    (row,) = [one.cells for one in Swap().tables(found)[0].rows if one.cells[0] == "male to female, negative"]
    said = "Replacing words for male by those for female moved the mean score of negative texts"
    (told,) = [one.statement for one in found.candidates if one.statement.startswith(said)]
    return found, told, row


@pytest.mark.parametrize(("moved", "printed"), [(0.5, "+50.0"), (-0.5, "−50.0")])
def test_a_shift_that_the_placebo_equals_is_no_evidence_about_the_group(
    small_view: Callable[..., Any], moved: float, printed: str
) -> None:
    found, told, row = _beside_a_placebo(small_view, moved)
    assert (
        f"a swap within male moved it by {printed}: as much, so this is no evidence about the group" in told
    )
    (finding,) = [one for one in found.findings if one.measures[0].measure == "mean_shift"]
    assert finding.severity == "observation"
    assert row[4] == f"{printed} †"
    assert row[5] == "exceeds the margin: a swap within the same group moved it as much"
    assert Swap().statements(found)[0] == finding.statement


def test_a_smaller_placebo_leaves_the_finding_as_it_is(small_view: Callable[..., Any]) -> None:
    found, told, row = _beside_a_placebo(small_view, 0.1)
    assert "; a swap within male moved it by +10.0)" in told
    assert [one.severity for one in found.findings if one.measures[0].measure == "mean_shift"] == ["high"]
    assert row[4:] == ("+10.0", "exceeds the margin")


def test_a_placebo_from_few_texts_is_not_compared(small_view: Callable[..., Any]) -> None:
    texts = [f"{'man' if number < 7 else 'he'} came {number} times" for number in range(40)]
    found, told, row = _beside_a_placebo(small_view, 0.5, texts)
    assert "moved it by +50.0 in 7 texts, too few to compare" in told
    assert [one.severity for one in found.findings if one.measures[0].measure == "mean_shift"] == ["high"]
    assert row[4] == "(+50.0)"
    few = _beside_a_placebo(
        small_view, 0.5, [t.replace("man", "he") if n > 3 else t for n, t in enumerate(texts)]
    )
    assert "within male" not in few[1]


def test_why_a_shift_is_inconclusive_stands_beside_it(small_view: Callable[..., Any]) -> None:
    texts = [f"the man came {number} times" for number in range(17)]
    view = small_view(
        {"test": [0] * 17}, {"test": [0.2] * 17}, {"test": texts}, spec=GENDER,
        predictor=lambda text: _score(text) + int(text.split()[3]) / 100,
    )  # fmt: skip
    (row,) = [one.cells for one in Swap().tables(Swap().run(view, Swap.Params()))[0].rows]
    assert row[-1] == "inconclusive: 17 rows: tested from 20"


def test_the_score_before_is_told_before_the_score_after(result: Result) -> None:
    """Stored results hold names in their order by the alphabet."""
    stored = json.loads(canonical_json(result.model_dump(mode="json")))["examples"]
    assert [list(one["values"]) for one in stored[:1]] == [
        ["label", "named", "score before the swap", "score with the swap"]
    ]


def test_few_texts_are_not_judged(small_view: Callable[..., Any]) -> None:
    texts = ["he ran", "she ran", "he sat"]
    view = small_view(
        {"test": [0, 0, 0]}, {"test": [0.1, 0.2, 0.3]}, {"test": texts}, spec=GENDER, predictor=_score
    )
    found = Swap().run(view, Swap.Params())
    shift = found.measure(
        "mean_shift", attribute="gender", subgroup="male", label="negative", variant="to=female"
    )
    assert shift.status is Status.TOO_FEW
    assert shift.value is None
    assert not found.findings


def test_sentences_tables_and_figures(result: Result) -> None:
    section = Swap()
    assert section.statements(result)
    tables = section.tables(result)
    assert not tables[0].annex
    assert all(row.cells for table in tables for row in table.rows)
    assert {"favour"} <= set(section.figures(result))
    assert Result.model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize("texts", [[], [""], ["😀 &amp; " * 10], ["a" * 10_000], ["مرحبا"]])
def test_texts_without_anybody(small_view: Callable[..., Any], texts: list[str]) -> None:
    rows = [0] * len(texts)
    view = small_view({"test": rows}, {"test": [0.5] * len(texts)}, {"test": texts}, predictor=_score)
    found = Swap().run(view, Swap.Params())
    assert Swap().statements(found)
    assert Swap().tables(found)
    assert Swap().figures(found) == {}


def test_several_pairs_have_keys_of_their_own(small_view: Callable[..., Any]) -> None:
    texts = [f"a muslim, a jew number {n}" if n % 2 else f"christians came {n}" for n in range(30)]
    spec = LexiconSpec(attributes=("religion",))
    view = small_view({"test": [0] * 30}, {"test": [0.2] * 30}, {"test": texts}, spec=spec, predictor=_score)
    found = Swap().run(view, Swap.Params(every_pair=True))
    assert len({m.key for m in found.measures}) == len(found.measures)
    assert Swap().confirmatory(view, Swap.Params(every_pair=True)) == 4 * len(found.facts["pairs"])


def test_without_a_part_of_alpha_no_shift_is_tested(small_view: Callable[..., Any]) -> None:
    texts = [f"he came number {n}" for n in range(40)]
    given = ({"test": [0] * 40}, {"test": [0.2] * 40}, {"test": texts})
    view = small_view(*given, spec=GENDER, predictor=lambda text: int(text.split()[-1]) / 100, part=0.0)
    found = Swap().run(view, Swap.Params())
    shift = found.measure(
        "mean_shift", attribute="gender", subgroup="male", label="negative", variant="to=female"
    )
    assert shift.value is not None
    assert shift.low is not None
    assert (shift.p, shift.p_adjusted) == (None, None)
    assert "no part of alpha is given to this section" in Swap().statements(found)[0]
    assert Swap().confirmatory(small_view({}, spec=GENDER), Swap.Params()) == 0


def test_without_a_corpus_the_section_is_not_applicable(small_view: Callable[..., Any]) -> None:
    found = Swap().run(small_view({}, predictor=_score), Swap.Params())
    assert found.status == "not_applicable"
    assert Need.LIVE_SYSTEM in Swap.needs


def test_languages_with_grammatical_gender_are_refused(small_view: Callable[..., Any]) -> None:
    texts = ["la regina", "she sang"]
    given: dict[str, Any] = {"spec": GENDER, "predictor": _score}
    view = small_view(
        {"test": [0]}, {"test": [0.1]}, {"test": texts[:1]}, languages={"test": ["it"]}, **given
    )
    found = Swap().run(view, Swap.Params())
    assert found.status == "not_applicable"
    assert found.reason == "changing one word leaves articles, adjectives and participles in the other gender"
    view = small_view(
        {"test": [0, 0]}, {"test": [0.1, 0.2]}, {"test": texts}, languages={"test": ["it", "en"]}, **given
    )
    found = Swap().run(view, Swap.Params())
    assert found.facts["other_language"] == 1
    assert any("grammat" in limit or "articles" in limit for limit in found.limits)
