from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import check_case, load_case
from fairnb.case._answers import read_answers
from fairnb.case._view import CaseView
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import Answers, _registry

SAID = """\
[answers.accuracy_measured]
answer = "covered"
evidence = "technical_performance:accuracy"
by = "Ada"
on = 2026-03-04

[ground_truth]
labelled_by = "Crowd workers"

[[stakeholders]]
name = "Moderators"
relevance = { 2 = 3 }
"""


def told(folder: Path, said: str) -> list[tuple[str, str]]:
    """What is wrong with a file, as the reader and `check_case` tell it."""
    (folder / "questionnaire.toml").write_text(said, encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        read_answers(folder)
    errors = caught.value.errors if isinstance(caught.value, FairnbErrors) else (caught.value,)
    found = [(error.code, str(error)) for error in errors]
    assert [(error.code, str(error)) for error in check_case(folder)] == found
    return found


def test_without_the_file_nothing_is_answered(make_case: Any) -> None:
    assert read_answers(make_case()) == Answers()


def test_answers_are_read_as_they_stand(make_case: Any) -> None:
    folder = make_case()
    (folder / "questionnaire.toml").write_text(SAID, encoding="utf-8")
    said = read_answers(folder)
    answer = said.answers["accuracy_measured"]
    assert (answer.answer, answer.evidence) == ("covered", ("technical_performance:accuracy",))
    assert (answer.by, str(answer.on)) == ("Ada", "2026-03-04")
    assert said.ground_truth.labelled_by == "Crowd workers"
    assert said.stakeholders[0].relevance == {"2": 3}
    assert check_case(folder) == []


def test_reading_answers_puts_down_the_digest_of_the_file(make_case: Any) -> None:
    folder = make_case()
    view = CaseView(load_case(folder), "some_section", "")
    assert view.answers() == Answers()
    assert view.inputs == {"answers": ""}
    (folder / "questionnaire.toml").write_text(SAID, encoding="utf-8")
    view = CaseView(load_case(folder), "some_section", "")
    view.answers()
    assert view.inputs == {"answers": hashlib.sha256(SAID.encode()).hexdigest()}


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("accuracy_measured", "accuracy_mesured", "unknown-question", "did you mean 'accuracy_measured'?"),
        (
            '"covered"',
            '"yes"',
            "bad-value",
            "line 2, answers.accuracy_measured.answer: 'yes' is not possible",
        ),
        ('answer = "covered"', "", "missing-key", "line 1, answers.accuracy_measured.answer"),
        ('by = "Ada"', 'bye = "Ada"', "unknown-key", "known are answer, text, evidence, by, on"),
        ("2026-03-04", '"March"', "bad-value", "line 5, answers.accuracy_measured.on"),
        (
            "technical_performance:",
            "technical_perfomance:",
            "unknown-section",
            "did you mean 'technical_performance'",
        ),
        ("technical_performance:accuracy", "guess", "unknown-section", "a source is told in words"),
        (
            "technical_performance:accuracy",
            "questionnaire",
            "bad-reference",
            "no evidence for its own answers",
        ),
        ("e:accuracy", "e: accuracy", "bad-reference", "without spaces around the colons"),
        ("e:accuracy", "e:accuracy:group=female", "bad-reference", "a measure has no 'group'"),
        ('"technical_performance:accuracy"', '" "', "bad-reference", "a piece of evidence is empty"),
        ('"covered"', '"not applicable"', "no-reason", "give the reason in text"),
        ('"covered"', '"not applicable"\ntext = "  "', "no-reason", "give the reason in text"),
        ("labelled_by", "labeled_by", "unknown-key", "line 8, ground_truth.labeled_by"),
        ("2 = 3", "8 = 3", "bad-value", "stakeholders.0.relevance.8"),
        ("2 = 3", "2 = 4", "bad-value", "stakeholders.0.relevance.2: 4 is not possible here"),
        ('"Moderators"', '""', "bad-value", "line 11, stakeholders.0.name"),
        ("[ground_truth]", "[ground_truths]", "unknown-key", "known are answers, ground_truth, stakeholders"),
        ("[ground_truth]", "[ground_truth", "not-toml", "questionnaire.toml line 7"),
    ],
)
def test_a_mistake_is_told_with_file_key_and_remedy(
    make_case: Any, old: str, new: str, code: str, words: str
) -> None:
    assert old in SAID
    found = told(make_case(), SAID.replace(old, new))
    assert [one for one, _ in found] == [code]
    assert found[0][1].startswith("questionnaire.toml")
    assert words in found[0][1]


def test_a_stakeholder_stands_there_once(make_case: Any) -> None:
    ((code, words),) = told(make_case(), SAID + '[[stakeholders]]\nname = "Moderators"\n')
    assert code == "bad-value"
    assert "the stakeholder 'Moderators' stands there twice" in words


def test_a_mistake_in_a_later_row_has_its_own_line(make_case: Any) -> None:
    ((_, words),) = told(make_case(), SAID + '[[stakeholders]]\nname = "Authors"\nrelevance = { 2 = 5 }\n')
    assert "line 15, stakeholders.1.relevance.2" in words


def test_all_mistakes_are_told_at_once(make_case: Any) -> None:
    said = SAID.replace("accuracy_measured", "accuracy").replace("technical_performance:", "performance:")
    assert [code for code, _ in told(make_case(), said)] == ["unknown-question", "unknown-section"]


@pytest.fixture
def asking(make_case: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A case with three sections, of which one is the questionnaire."""
    own = dict(_registry._OWN)
    asked = "fairnb.sections.questionnaire:Questionnaire"
    kept = {name: own[name] for name in ("technical_performance", "conclusion")}
    homes = {"technical_performance": kept.pop("technical_performance"), "questionnaire": asked, **kept}
    monkeypatch.setattr(_registry, "_OWN", homes)
    folder: Path = make_case()
    (folder / "questionnaire.toml").write_text(SAID, encoding="utf-8")
    return folder


def state(case: Any, identity: str = "accuracy_measured") -> str:
    asked = case.run("questionnaire").content.result.facts["questions"]
    return next(one["state"] for one in asked if one["id"] == identity)


def test_the_section_sees_earlier_results_and_grows_stale_with_the_file(asking: Path) -> None:
    assert state(load_case(asking)) == "claimed without evidence"
    case = load_case(asking)
    case.run("technical_performance")
    assert state(case) == "covered"
    (asking / "questionnaire.toml").write_text(SAID.replace('"covered"', '"partly"'), encoding="utf-8")
    changed = load_case(asking)
    assert changed.fresh("questionnaire", "") is None
    assert state(changed) == "partly covered"


def test_the_conclusion_reads_the_section_and_not_the_other_way_round(asking: Path) -> None:
    case = load_case(asking)
    for identity in ("technical_performance", "questionnaire", "conclusion"):
        case.run(identity)
    inputs = case.fresh("questionnaire", "").content.inputs
    assert "answers" in inputs
    assert not any(name.startswith("result:conclusion") for name in inputs)
    assert case.fresh("conclusion", "").content.inputs["result:questionnaire"]
    json.dumps(case.fresh("questionnaire", "").content.result.facts)
