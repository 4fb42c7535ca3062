"""The conclusion: never generated, and honest about what was looked at; the register and its ids; options."""

from __future__ import annotations

from typing import Any

import pytest

from fairnb.sections import (
    Altai,
    Finding,
    Measure,
    MeasureKey,
    Register,
    Result,
    Severity,
    finding_ids,
    findings_by_id,
    options_for,
    section,
    section_ids,
)
from fairnb.sections._mitigation import options

FIVE = "5. Diversity, non-discrimination and fairness"
FPR = MeasureKey("false_positive_rate", "gender", "female", "everyone_else", "negative")


def found(key: MeasureKey | None = FPR, criterion: str = "Wrongly flagged", **more: Any) -> Finding:
    """One finding about a measure."""
    values = {"severity": Severity.HIGH, "statement": "s", "requirement": 5, **more}
    return Finding(criterion=criterion, measures=(key,) if key else (), **values)


@pytest.fixture
def conclude(small_view: Any) -> Any:
    """The conclusion over given results."""

    def run(done: Any = (), planned: Any = None, noted: Any = None, **params: Any) -> Result:
        chosen = section("conclusion")
        ids = list(planned or dict.fromkeys(name for name, _ in dict(done)))
        view = small_view(
            {}, done=dict(done), said={"sections": [*ids, "conclusion"]}, noted=noted or Register()
        )
        return Result.model_validate_json(chosen.run(view, chosen.Params(**params)).model_dump_json())

    return run


def rows(result: Result, table: int) -> dict[str, tuple[str, ...]]:
    """First cell -> the others, of one of the tables."""
    return {row.cells[0]: row.cells[1:] for row in section("conclusion").tables(result)[table].rows}


def test_it_is_never_generated(conclude: Any) -> None:
    said = section("conclusion").statements
    assert said(conclude({("data_bias", "a"): Result(findings=(found(),))})) == [
        "No conclusion has been written yet."
    ]
    assert said(conclude(text="First.\n\nSecond.")) == ["First.", "Second."]


def test_it_tells_what_was_and_was_not_assessed_and_why(conclude: Any) -> None:
    measured = Result(measures=(Measure(measure="base_rate"), Measure(measure="frequency")))
    missing = Result(status="not_applicable", reason="no test corpus")
    done = {
        ("engagement", ""): Result(),
        ("technical_performance", "a"): missing,
        ("data_bias", "a"): measured,
        ("data_bias", "b"): missing,
        ("swap", "a"): measured,
    }
    planned = ["engagement", "system", "technical_performance", "data_bias", "swap"]
    result = conclude(done, planned, left_out={"privacy": "The corpora are public."})
    told = rows(result, 0)
    assert told["Engagement"] == ("run, nothing measured", "–", "–")
    assert told["System and data"] == ("not run", "–", "–")
    assert told["Technical performance"] == ("not applicable: no test corpus", "–", "–")
    assert told["Data bias"] == ("assessed, not for b: no test corpus", "2", "–")
    assert told["Swapped identities"] == ("assessed", "2", "–")
    assert told["Personal data in the corpora"] == (
        "not part of this notebook",
        "–",
        "The corpora are public.",
    )
    assert set(told) >= {section(name).title for name in section_ids() if name != "conclusion"}
    table = section("conclusion").tables(result)[0]
    # A person's words stand in a column of their own kind.
    assert table.columns[-1].kind == "words"
    assert [column.kind for column in section("conclusion").tables(conclude(done))[0].columns] == [
        "text", "text", "number",
    ]  # fmt: skip


def test_a_reason_for_a_section_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no section 'privcy' to leave out"):
        section("conclusion").Params(left_out={"privcy": "x"})


def asked(*states: str, requirement: int = 5) -> list[dict[str, Any]]:
    """Questions on one requirement as the questionnaire holds them."""
    return [{"requirement": requirement, "state": state} for state in states]


@pytest.mark.parametrize(
    ("states", "measured", "short"),
    [
        ((), False, "not assessed"),
        ((), True, "measured in part"),
        (("unanswered", "not covered", "claimed without evidence"), False, "not assessed"),
        (("covered", "unanswered"), False, "answered in part"),
        (("partly covered",), False, "answered in part"),
        (("covered", "partly covered"), True, "measured in part"),
        (("covered", "claimed without evidence"), True, "measured in part"),
        (("not applicable", "not applicable"), False, "not assessed"),
        (("covered", "not applicable"), False, "every question covered"),
    ],
)  # fmt: skip
def test_nothing_is_covered_without_evidence(
    conclude: Any, states: tuple[str, ...], measured: bool, short: str
) -> None:
    done: dict[tuple[str, str], Result] = {
        ("engagement", ""): Result(),
        ("questionnaire", ""): Result(
            facts={"questions": asked(*states)}, measures=(Measure(measure="conflicting_texts"),)
        ),
    }
    if measured:
        done["swap", "a"] = Result(measures=(Measure(measure="favour"),))
    told = rows(conclude(done), 1)
    assert told[FIVE][3] == short
    assert told[FIVE][0] == ("Swapped identities" if measured else "–")
    # What the case file states, and questions that were only put, are no evidence.
    assert told["7. Accountability"] == ("–", "Engagement", "not asked", "not assessed")
    assert len(told) == len(Altai)


def test_only_sections_with_results_speak_to_a_requirement(conclude: Any) -> None:
    counted = Measure(measure="base_rate", label="all", value=0.1)
    missing = Result(status="not_applicable", reason="no corpus")
    result = conclude(
        {
            ("data_bias", ""): missing,
            ("counterfactual", ""): Result(measures=(counted,)),
            ("swap", ""): Result(),
        }
    )
    titles = {name: section(name).title for name in ("counterfactual", "swap")}
    assert rows(result, 1)[FIVE][:2] == (titles["counterfactual"], titles["swap"])


def test_answers_are_counted_by_state(conclude: Any) -> None:
    done = {("questionnaire", ""): Result(facts={"questions": asked("covered", "unanswered", "unanswered")})}
    assert rows(conclude(done), 1)[FIVE][2] == "1 covered, 2 unanswered"


@pytest.mark.parametrize(
    ("states", "state"), [(("unanswered",) * 3, "not answered"), (("unanswered", "covered"), "assessed")]
)
def test_questions_that_nobody_answered_are_not_assessed(
    conclude: Any, states: tuple[str, ...], state: str
) -> None:
    held = Measure(measure="coverage", label="all", value=0.0)
    done = {("questionnaire", ""): Result(measures=(held,), facts={"questions": asked(*states)})}
    assert rows(conclude(done), 0)["The seven requirements"][0] == state


def test_limits_stand_once_with_the_sections_that_state_them(conclude: Any) -> None:
    done = {
        ("data_bias", "a"): Result(limits=("Same.", "Own.")),
        ("data_bias", "b"): Result(limits=("Same.",)),
        ("swap", "a"): Result(limits=("Same.",)),
    }
    assert conclude(done).facts["limits"] == [
        {"text": "Same.", "sections": ["data_bias", "swap"]},
        {"text": "Own.", "sections": ["data_bias"]},
    ]


def test_the_register_is_held_and_changes_no_finding(conclude: Any) -> None:
    entry = {"severity": "low", "reason": "Few texts.", "date": "2027-02-01"}
    noted = Register.model_validate({"findings": {"group_bias/a/false_positive_rate/gender/female": entry}})
    result = conclude({("group_bias", "a"): Result(findings=(found(),))}, noted=noted)
    assert Register.model_validate(result.facts["register"]) == noted
    assert [one.severity for one in result.findings] == [Severity.HIGH]


@pytest.mark.parametrize(
    ("key", "identity"),
    [
        (FPR, "false_positive_rate/gender/female"),
        (FPR._replace(reference="male"), "false_positive_rate/gender/female/reference=male"),
        (FPR._replace(label="all"), "false_positive_rate/gender/female"),
        (MeasureKey("equal_opportunity", "gender", "male", "", "positive"), "equal_opportunity/gender/male"),
        (
            MeasureKey("mean_shift", "orientation", "gay", "", "negative", "to=straight"),
            "mean_shift/orientation/gay/label=negative/to=straight",
        ),
        (
            MeasureKey("flip_rate", label="all", variant="perturbation=typos;corpus=train"),
            "flip_rate/perturbation=typos/corpus=train",
        ),
        (MeasureKey("bpsn_auc", "x", 'a/b"\n\\c', "overall", "all"), "bpsn_auc/x/a-b---c"),
    ],
)
def test_an_id_is_made_of_what_names_the_measure(key: MeasureKey, identity: str) -> None:
    assert finding_ids("some", "toxic", [found(key)]) == (f"some/toxic/{identity}",)
    assert finding_ids("some", "", [found(key)]) == (f"some/{identity}",)


def test_no_two_findings_have_one_id() -> None:
    same = [found(), found(criterion="Again"), found(None, criterion="No measure")]
    ids = finding_ids("some", "toxic", same)
    plain = "some/toxic/false_positive_rate/gender/female"
    assert ids == (plain, f"{plain}/2", "some/toxic/No measure")
    assert findings_by_id({("some", "toxic"): Result(findings=tuple(same))})[f"{plain}/2"] == same[1]


def test_options_answer_the_kinds_of_findings_that_were_made(conclude: Any) -> None:
    shift = MeasureKey("mean_shift", "gender", "female", "male", "negative")
    done = {
        ("group_bias", "a"): Result(findings=(found(),)),
        ("counterfactual", "a"): Result(findings=(found(shift),)),
    }
    told = {one["id"]: one["findings"] for one in conclude(done).facts["mitigation"]}
    rate = "group_bias/a/false_positive_rate/gender/female"
    moved = "counterfactual/a/mean_shift/gender/female/reference=male/label=negative"
    # A threshold does not change how far a score moves, and labels of templates are made.
    assert told == {
        "threshold": [rate],
        "augmentation": [rate, moved],
        "relabelling": [rate],
        "neutralisation": [moved],
    }
    table = rows(conclude(done), 2)
    assert table["Threshold by policy"][2] == "1 of 2"
    assert len(section("conclusion").tables(conclude({("swap", "a"): Result()}))) == 2


def test_every_option_names_sections_that_there_are() -> None:
    for option in options():
        assert {*option.again, *option.answers} <= set(section_ids()), option.id
        assert option.what
        assert option.cost
    assert {option.id for option in options()} >= {
        "threshold", "augmentation", "relabelling", "neutralisation",
    }  # fmt: skip
    assert [one.id for one in options_for("robustness", found(MeasureKey("flip_rate")))] == ["normalising"]
