"""The labels behind the figures, as the questionnaire tells of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest

from fairnb.sections import Finding, Measure, MeasureKey, Result, Severity, Status
from fairnb.sections._ground_truth import MADE, NEVER, NO_COUNTS, NOT_A_RATE, labels_to_change
from fairnb.sections.group_bias import GroupBias
from fairnb.sections.questionnaire import Questionnaire


def table(result: Result, title: str) -> Any:
    return next(one for one in Questionnaire().tables(result) if one.title == title)


def test_labels_that_differ_on_the_same_text_are_counted_in_the_corpora(ask: Any) -> None:
    texts = ["a silly goose", "a silly goose", "bread", "bread", "bread", "rain", "sun", "sun"]
    result = ask(
        texts={"test": texts, "train": ["one", "two"]},
        # Hateful (2) and offensive (1) mean the same to the target; a missing label contradicts nothing.
        labels={"test": [2, 1, 0, 1, 0, 0, 1, None], "train": [0, 1]},
        answers={"test": [1, 1, 0, 1, 0, 0, 1, -1], "train": [0, 1]},
    )
    measure = result.measure("conflicting_texts", label="all", variant="corpus=test")
    assert (measure.value, measure.n) == (2, 2)
    none = result.measure("conflicting_texts", label="all", variant="corpus=train")
    assert (none.value, none.status) == (None, Status.UNDEFINED)
    assert result.facts["corpora"][1] == {
        "role": "test",
        "corpus": "test",
        "labelled": 7,
        "repeated": 2,
        "targets": [["positive", 1]],
        "annotators": 0,
    }
    said = Questionnaire().statements(result)
    assert (
        said[1]
        == "No text of the train corpus is labelled more than once: contradictions cannot be seen in it."
    )
    assert (
        said[2]
        == "Of 2 texts of the test corpus that are labelled more than once, 2 (100.0 %) have labels that differ."
    )
    rows = table(result, "Contradictory labels on the same text").rows
    assert rows[1].cells == ("test", "7", "2", "2", "100.0 %", "positive 1")


def test_what_is_stated_of_the_labels_is_printed_and_the_rest_is_not_stated(ask: Any) -> None:
    said = '[ground_truth]\nlabelled_by = "Crowd workers"\nlabels_per_text = 3\nby = "Ada"\non = 2026-03-04\n'
    rows = dict(row.cells for row in table(ask(said), "Ground truth as stated").rows)
    assert rows == {
        "Who labelled the texts": "Crowd workers",
        "Labels per text": "3",
        "Instructions": "not stated",
        "Agreement": "not stated",
        "Source": "not stated",
        "Stated by": "Ada, 2026-03-04",
    }
    origin = "Who labelled the texts is not stated"
    assert not any(limit.startswith(origin) for limit in ask(said).limits)
    assert any(limit.startswith(origin) for limit in ask().limits)


def by_trying(flagged: int, of_: int, other: Fraction, margin: Fraction) -> int | None:
    """One label after the other, until the difference no longer reaches the margin in its direction."""
    above = Fraction(flagged, of_) > other
    if abs(Fraction(flagged, of_) - other) < margin:
        return 0
    for changed in range(1, of_):
        x, n = (flagged - changed if above else flagged), of_ - changed
        if x < 0 or x > n:
            return None
        gap = Fraction(x, n) - other if above else other - Fraction(x, n)
        if gap < margin:
            return changed
    return None


def small_counts() -> Iterable[tuple[int, int, Fraction]]:
    others = [Fraction(x, n) for n in (1, 2, 7, 20) for x in range(n + 1)]
    return ((x, n, other) for n in range(1, 24) for x in range(n + 1) for other in others)


@pytest.mark.parametrize("margin", [Fraction(1, 20), Fraction(1, 5), Fraction(1, 1000)])
def test_the_formula_gives_what_trying_one_label_after_the_other_gives(margin: Fraction) -> None:
    for flagged, of_, other in small_counts():
        change = labels_to_change(flagged, of_, other, margin)
        assert change.labels == by_trying(flagged, of_, other, margin), (flagged, of_, other)


def test_a_worked_example_of_labels_to_change() -> None:
    # 40 of 100 against 10 %: with k labels changed (40 - k)/(100 - k) < 0.15; k = 29 gives 11/71 = 0.1549, 30 10/70.
    change = labels_to_change(40, 100, Fraction(1, 10), Fraction(1, 20))
    assert (change.labels, change.flagged) == (30, True)
    # 10 of 100 against 40 %: 10/(100 - k) > 0.35; k = 71 gives 0.3448, 72 0.3571.
    change = labels_to_change(10, 100, Fraction(2, 5), Fraction(1, 20))
    assert (change.labels, change.flagged) == (72, False)


def high(key: MeasureKey, severity: Severity = Severity.HIGH) -> Finding:
    return Finding(
        criterion=f"Criterion of {key.measure}",
        severity=severity,
        statement="x.",
        measures=(key,),
        requirement=5,
    )


def rates(
    measure: str, label: str, here: tuple[int, int], there: tuple[int, int], **more: Any
) -> list[Measure]:
    group = {"attribute": "gender", "subgroup": "female", "label": label, "denominator": here[1], **more}
    own, other = here[0] / here[1], there[0] / there[1]
    return [
        Measure(measure=measure, value=own, **group),
        Measure(measure=measure, value=own - other, reference="male", n_reference=there[1], **group),
    ]


def test_high_findings_on_rates_have_the_labels_they_owe(ask: Any) -> None:
    wrongly = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    rightly = rates("equal_opportunity", "positive", (10, 100), (28, 70))
    found = Result(measures=(*wrongly, *rightly), findings=(high(wrongly[1].key), high(rightly[1].key)))
    result = ask(done={("group_bias", "toxic"): found})
    first, second = (one for one in result.measures if one.measure == "labels_to_change")
    assert first.key == MeasureKey(
        "labels_to_change",
        "gender",
        "female",
        "male",
        "negative",
        "section=group_bias;target=toxic;measure=false_positive_rate",
    )
    assert (first.value, first.denominator, second.value) == (0.30, 100, 0.72)
    title = "Labels that would have to be otherwise for a high finding to vanish"
    shown = table(result, title)
    assert [row.cells[2:] for row in shown.rows] == [
        ("40 of 100 flagged; the others 10.0 %", "30", "30.0 %", "texts that are flagged"),
        ("10 of 100 flagged; the others 40.0 %", "72", "72.0 %", "texts that are not flagged"),
    ]
    assert "Margin 0.05" in shown.note
    assert "at least 30 of 100 labels (30.0 %) were otherwise" in " ".join(Questionnaire().statements(result))
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_a_larger_margin_owes_fewer_labels(ask: Any) -> None:
    measures = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    done = {("group_bias", "toxic"): Result(measures=tuple(measures), findings=(high(measures[1].key),))}
    result = ask(done=done, margin=0.2)
    # (40 - k)/(100 - k) < 0.3: k = 14 gives 26/86 = 0.302, 15 25/85 = 0.294.
    assert result.facts["changes"][0]["labels"] == 15


@pytest.mark.parametrize(
    ("measures", "reason"),
    [
        (rates("mean_score", "negative", (40, 100), (7, 70)), NOT_A_RATE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), variant="corpus=synthetic"), MADE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), status=Status.CENSUS), MADE),
        (rates("false_positive_rate", "negative", (40, 100), (7, 70))[1:], NO_COUNTS),
        # The rate of the record is no count over its denominator.
        (rates("false_positive_rate", "negative", (40, 100), (7, 70), denominator=33), NO_COUNTS),
        (rates("false_positive_rate", "negative", (100, 100), (7, 70)), NEVER),
    ],
)
def test_other_high_findings_say_why_there_is_no_number(
    ask: Any, measures: list[Measure], reason: str
) -> None:
    done = {("group_bias", ""): Result(measures=tuple(measures), findings=(high(measures[-1].key),))}
    result = ask(done=done)
    shown = table(result, "Labels that would have to be otherwise for a high finding to vanish")
    assert [row.cells[5] for row in shown.rows] == [reason]
    assert all(row.quiet for row in shown.rows)


def test_findings_that_are_not_high_owe_nothing(ask: Any) -> None:
    measures = rates("false_positive_rate", "negative", (40, 100), (7, 70))
    found = Result(measures=tuple(measures), findings=(high(measures[1].key, Severity.MEDIUM),))
    assert ask(done={("group_bias", ""): found}).facts["changes"] == []


def test_labels_are_counted_from_the_record_of_group_bias(small_view: Callable[..., Any], ask: Any) -> None:
    # 200 negative texts that mention women, 120 flagged; 200 that mention men, 20 flagged; 100 positive, flagged.
    texts = ["The woman baked bread"] * 200 + ["The man baked bread"] * 200 + ["Silly people"] * 100
    scores = [0.9] * 120 + [0.1] * 80 + [0.9] * 20 + [0.1] * 180 + [0.9] * 100
    view = small_view({"test": [0] * 400 + [1] * 100}, {"test": scores}, {"test": texts})
    found = GroupBias().run(view, GroupBias.Params())
    result = ask(done={("group_bias", "positive"): found})
    change = next(
        one
        for one in result.facts["changes"]
        if one["key"][1:4] == ["gender", "female", "male"] and one["criterion"].startswith("Wrongly")
    )
    assert change["flagged_of"] == [120, 200]
    assert change["other_of"] == [1, 10]
    # (120 - k)/(200 - k) < 0.15: k = 105 gives 15/95 = 0.158, 106 14/94 = 0.149.
    assert change["labels"] == 106


def test_annotators_are_compared_over_all_texts_and_by_subgroup(ask: Any) -> None:
    # 24 texts on women on which two annotators agree, 24 on men of which they agree on 12.
    texts = [f"a woman saw day {n}" for n in range(24)] + [f"a man saw day {n}" for n in range(24)]
    first = ["0", "1"] * 24
    second = [*first[:24], *(one if n % 4 < 2 else "10"[int(one)] for n, one in enumerate(first[24:]))]
    result = ask(texts={"test": texts}, annotators={"test": [first, second]})
    whole = result.measure("percent_agreement", label="all", variant="corpus=test")
    assert (whole.value, whole.n, whole.status) == (0.75, 48, Status.OK)
    shares = {
        subgroup: result.measure(
            "percent_agreement", attribute="gender", subgroup=subgroup, label="all", variant="corpus=test"
        ).value
        for subgroup in ("female", "male")
    }
    assert shares == {"female": 1.0, "male": 0.5}
    alpha = result.measure("krippendorff_alpha", label="all", variant="corpus=test")
    # 96 labels, half of each kind: disagreement 12 * 2 / 96 over 2 * 48 * 48 / (96 * 95).
    assert alpha.value == pytest.approx(1 - (24 / 96) / (2 * 48 * 48 / (96 * 95)))
    rows = table(result, "Agreement of annotators").rows
    assert [row.cells[0] for row in rows] == ["test, all texts", "gender: male", "gender: female"]
    assert any("pairs agree in 75.0 %" in said for said in Questionnaire().statements(result))
    assert not any("single annotators" in limit for limit in result.limits)


def test_agreement_on_few_texts_stands_in_brackets(ask: Any) -> None:
    texts = [f"a text {n}" for n in range(12)]
    result = ask(texts={"test": texts}, annotators={"test": [["a", "b"] * 6, ["a", "a"] * 6]})
    share = result.measure("percent_agreement", label="all", variant="corpus=test")
    assert (share.value, share.status) == (0.5, Status.TOO_FEW)
    assert any("Too few texts of the test corpus" in said for said in Questionnaire().statements(result))


def test_without_columns_of_annotators_it_is_said_that_agreement_is_not_known(ask: Any) -> None:
    result = ask(texts={"test": ["one", "two"]})
    assert any("No corpus holds the labels of single annotators" in limit for limit in result.limits)
    assert not [one for one in result.measures if one.measure == "krippendorff_alpha"]
