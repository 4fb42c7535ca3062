"""The page that is read first: which differences, in which order, and what was not assessed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairnb.report._document import build_document
from fairnb.sections import Candidate, Finding, Measure, Verdict


def test_verdicts_are_told_by_shape_and_word(kit: Any) -> None:
    text = kit.words(kit.page(kit.evidence(kit.payloads())))
    for mark in ("▲ Exceeds", "● Within", "◆ Inconclusive", "○ Not measured"):
        assert mark in text
    assert "4 differences were to be put to the test; 1 could not be measured." in text


def test_the_gravest_findings_are_read_first_and_the_largest_of_them_before_the_others(kit: Any) -> None:
    """Of twelve that exceed the margin eight stand at a glance: by severity, then by size whatever the sign."""
    given = [
        (number, severity, effect)
        for number, (severity, effect) in enumerate(
            [("low", 0.9), ("observation", 0.95), *[("medium", 0.1 + n / 100) for n in range(6)],
             ("high", 0.30), ("high", -0.40), ("high", 0.35), ("low", -0.91)]
        )
    ]  # fmt: skip
    measures = tuple(Measure(measure="gap", subgroup=f"g{n}", value=e, n=50) for n, _, e in given)
    common: dict[str, Any] = {"statement": "It differs."}
    result = kit.sample_result(
        measures=measures,
        candidates=tuple(
            Candidate(criterion=f"Gap {n}", measures=(measures[n].key,), family="C", effect=e, margin=0.05,
                      verdict=Verdict.EXCEEDS, **common)
            for n, _, e in given
        ),
        findings=tuple(
            Finding(criterion=f"Gap {n}", measures=(measures[n].key,), severity=s, requirement=5, **common)
            for n, s, _ in given
        ),
    )  # fmt: skip
    evidence = kit.evidence([kit.engagement(), kit.sample(result)])
    document = build_document(evidence)
    assert "1 of those that exceed the margin is an observation and no graded finding" in kit.words(
        kit.page(evidence)
    )
    assert [item.criterion for item in document.foremost] == [f"Gap {n}" for n in (9, 10, 8, 7, 6, 5, 4, 3)]
    assert [item.criterion for item in document.verdicts[8:]] == [f"Gap {n}" for n in (2, 11, 0, 1)]


def test_at_a_glance_prints_the_severity_of_each_difference_in_their_order(kit: Any) -> None:
    rows = [
        ("Small", "high", 0.3),
        ("Large", "medium", -0.9),
        ("Larger", "medium", 0.95),
        ("Plain", "", 0.99),
    ]
    measures = {name: Measure(measure="gap", subgroup=name, value=e, n=50) for name, _, e in rows}
    result = kit.sample_result(
        measures=tuple(measures.values()),
        candidates=tuple(
            Candidate(criterion=name, measures=(measures[name].key,), family="C", effect=e, margin=0.05,
                      verdict=Verdict.EXCEEDS, statement="It differs.")
            for name, _, e in rows
        ),
        findings=tuple(
            Finding(criterion=name, measures=(measures[name].key,), severity=s, requirement=5,
                    statement="It differs.")
            for name, s, _ in rows
            if s
        ),
    )  # fmt: skip
    text = kit.words(kit.page(kit.evidence([kit.engagement(), kit.sample(result)])))
    glance = text.partition("Verdict Severity")[2].partition("What was assessed")[0]
    assert re.findall(r"(\w+) It differs\. [+−]0\.\d+ ▲ Exceeds (high|medium|low|–)", glance) == [
        ("Small", "high"), ("Larger", "medium"), ("Large", "medium"), ("Plain", "–"),
    ]  # fmt: skip


@pytest.mark.parametrize("answered", [False, True])
def test_questions_that_nobody_answered_are_not_assessed(kit: Any, answered: bool) -> None:
    from fairnb.sections import section

    asked = section("questionnaire")
    states = ["unanswered", "claimed without evidence" if answered else "unanswered"]
    questions = [
        {"id": f"1.{n}", "requirement": 1, "text": "Who oversees it?", "state": state, "answer": "", "by": "",
         "date": "", "evidence": [], "why": "", "level": "", "note": "", "reason": ""}
        for n, state in enumerate(states)
    ]  # fmt: skip
    given = kit.payload("questionnaire", kit.sample_result(
        measures=(), candidates=(), findings=(), limits=(), examples=(), facts={"questions": questions}),
        title=asked.title, section_version=asked.version + 1)  # fmt: skip
    document = build_document(kit.evidence([kit.engagement(), given]))
    missing = dict(document.not_assessed)
    said = "not answered: none of the 2 questions has an answer"
    assert (missing.get(asked.title) == said) is not answered


def test_the_annex_marks_what_at_a_glance_does_not_count(kit: Any) -> None:
    key = Measure(measure="gap", subgroup="g", value=0.2, n=50)
    common: dict[str, Any] = {
        "measures": (key.key,),
        "effect": 0.2,
        "margin": 0.05,
        "verdict": Verdict.EXCEEDS,
    }
    result = kit.sample_result(
        measures=(key,),
        candidates=tuple(
            Candidate(criterion=name, statement="It differs.", family=family, **common)
            for name, family in (("Counted", "C"), ("Observed", "E"))
        ),
    )
    text = kit.words(kit.page(kit.evidence([kit.engagement(), kit.sample(result)])))
    annex = text[text.rindex("Differences put to the test") :]
    assert "Those without † are the 1 counted in At a glance" in annex
    assert "those with † (1) are observations at most" in annex
    assert re.search(r"Counted [^†]* ▲ Exceeds (?!†)", annex)
    assert re.search(r"Observed [^†]* ▲ Exceeds †", annex)


def test_at_a_glance_says_which_corpus_a_section_looked_at(kit: Any) -> None:
    payloads = [kit.engagement(), kit.sample(parameters={"corpus": "train"})]
    (line,) = [one for one in build_document(kit.evidence(payloads)).overview if one.title.startswith("Who")]
    assert line.about == "training corpus"
    assert "Who is wrongly flagged training corpus Harmless" in kit.words(kit.page(kit.evidence(payloads)))


def test_what_was_not_assessed_is_named_with_its_reason(kit: Any) -> None:
    payloads = [
        *kit.payloads(),
        kit.payload("data_bias", kit.not_applicable("no training corpus"), title="Data bias"),
    ]
    document = build_document(kit.evidence(payloads))
    assert ("Data bias", "no training corpus") in document.not_assessed
    assert ("Technical performance", "not part of this notebook") in document.not_assessed
