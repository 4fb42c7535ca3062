from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import check_case, faithful, load_case, read_register
from fairnb.case._view import CaseView
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import (
    Altai,
    Finding,
    MeasureKey,
    Register,
    Result,
    Section,
    SectionParams,
    Severity,
    _registry,
)

SAID = """\
[findings."finding/positive/false_positive_rate/gender/female"]
severity = "low"
reason = "Few texts."
recommendation = "Measure again."
management_response = "Agreed."
owner = "Head of moderation"
date = 2027-02-01
status = "accepted"

[[added]]
id = "appeals"
title = "Nobody can object"
requirement = 1
condition = "There is no address to write to."
severity = "high"
source = "Interview"
by = "Ada"
"""
ID = "finding/positive/false_positive_rate/gender/female"


def told(folder: Path, said: str) -> list[tuple[str, str]]:
    """What is wrong with a file, as the reader and `check_case` tell it."""
    (folder / "findings.toml").write_text(said, encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        read_register(folder)
    errors = caught.value.errors if isinstance(caught.value, FairnbErrors) else (caught.value,)
    found = [(error.code, str(error)) for error in errors]
    assert [(error.code, str(error)) for error in check_case(folder)] == found
    return found


class Finds(Section):
    """A section that finds what its parameter names."""

    id = "finding"
    title = "Finding"
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS

    class Params(SectionParams):
        """Subgroups with a finding."""

        of: tuple[str, ...] = ("female",)

    def run(self, view: Any, params: Any) -> Result:
        """One finding for each subgroup."""
        keys = [
            MeasureKey("false_positive_rate", "gender", one, "everyone_else", "negative") for one in params.of
        ]
        return Result(
            findings=tuple(
                Finding(criterion="Wrongly flagged", severity=Severity.HIGH, statement=f"{key.subgroup}.",
                        measures=(key,), requirement=5)
                for key in keys
            )
        )  # fmt: skip


@pytest.fixture
def finding(make_case: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A case with the section above and the conclusion."""
    monkeypatch.setattr(_registry, "_loaded", _loaded(_registry._loaded))
    homes = {"finding": "finds", "conclusion": _registry._OWN["conclusion"]}
    monkeypatch.setattr(_registry, "_OWN", homes)
    folder: Path = make_case()
    (folder / "findings.toml").write_text(SAID, encoding="utf-8")
    return folder


def _loaded(plain: Any) -> Any:
    return lambda home: Finds() if home == "finds" else plain(home)


def test_without_the_file_nothing_is_said(make_case: Any) -> None:
    assert read_register(make_case()) == Register()


def test_entries_are_read_as_they_stand(finding: Path) -> None:
    register = read_register(finding)
    entry = register.findings[ID]
    assert (entry.severity, entry.reason, str(entry.date)) == (Severity.LOW, "Few texts.", "2027-02-01")
    assert (register.added[0].id, register.added[0].requirement) == ("appeals", 1)
    assert check_case(finding) == []


def test_reading_the_register_puts_down_the_digest_of_the_file(finding: Path) -> None:
    view = CaseView(load_case(finding), "conclusion", "")
    view.register()
    assert view.inputs == {"register": hashlib.sha256(SAID.encode()).hexdigest()}


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ('severity = "low"\n', "", "no-severity", "line 2, findings.finding/positive"),
        ('reason = "Few texts."\n', "", "no-reason", "give the reason in reason"),
        ('reason = "Few texts."', 'reason = " "', "no-reason", "nothing says why the severity is another"),
        ('"low"', '"grave"', "bad-value", "'grave' is not possible here"),
        ('"accepted"', '"done"', "bad-value", "'open', 'accepted', 'disputed' or 'resolved'"),
        ("owner", "onwer", "unknown-key", "did you mean 'owner'?"),
        ("2027-02-01", '"soon"', "bad-value", "'soon' is no day: write it as 2026-03-04"),
        ("2027-02-01", "20270201", "bad-value", "'20270201' is no day"),
        ("2027-02-01", "2027-02-01T10:00:00", "bad-value", "is no day"),
        ("2027-02-01", '"2027-02-30"', "bad-value", "line 7"),
        ("2027-02-01", "2027-02-30", "not-toml", "findings.toml line 7"),
        ("[[added]]", "[[addded]]", "unknown-key", "known are findings, added"),
        ('id = "appeals"\n', "", "missing-key", "line 10, added.0.id"),
        ('"appeals"', '"Appeals!"', "bad-value", "line 11, added.0.id"),
        ("requirement = 1", "requirement = 8", "bad-value", "8 is not possible here"),
        ('"There is no address to write to."', '""', "bad-value", "line 14, added.0.condition"),
        ('source = "Interview"\n', "", "missing-key", "the key 'source' is missing"),
        ('by = "Ada"\n', "", "missing-key", "the key 'by' is missing"),
        ('title = "Nobody', f'title = "{"x" * 400}', "bad-value", "at most 300 characters"),
        ('"Agreed."', f'"{"x" * 4000}"', "bad-value", "at most 3000 characters"),
        ("[[added]]", f'[findings."{ID}"]\n[[added]]', "not-toml", "Cannot declare"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_key_and_remedy(
    finding: Path, old: str, new: str, code: str, words: str
) -> None:
    assert old in SAID
    found = told(finding, SAID.replace(old, new, 1))
    assert [one for one, _ in found] == [code]
    assert found[0][1].startswith("findings.toml")
    assert words in found[0][1]


def test_an_own_finding_stands_there_once(finding: Path) -> None:
    ((code, words),) = told(finding, SAID + SAID[SAID.index("[[added]]") :])
    assert code == "same-id"
    assert "line 19, added.1.id: the id 'appeals' stands there twice" in words


def test_an_id_that_begins_with_no_section_is_a_mistake(finding: Path) -> None:
    ((code, words),) = told(finding, SAID.replace("finding/positive", "findng/positive"))
    assert code == "unknown-section"
    assert "did you mean 'finding'?" in words


def test_all_mistakes_are_told_at_once_and_each_in_a_few_words(finding: Path) -> None:
    long = "x" * 5000
    said = (
        SAID.replace('"low"', f'"{long}"')
        .replace("requirement = 1", "requirement = 0")
        .replace('id = "appeals"', f'id = "{long}"')
    )
    found = told(finding, said + f'[findings."{long}"]\n')
    assert sorted(code for code, _ in found) == ["bad-value"] * 4 + ["unknown-section"]
    assert all(len(words) < 900 for _, words in found)


def test_an_entry_for_a_finding_that_was_not_made_is_told_once_results_exist(finding: Path) -> None:
    said = SAID.replace("gender/female", "gender/femal")
    (finding / "findings.toml").write_text(said, encoding="utf-8")
    assert check_case(finding) == []
    load_case(finding).run("finding")
    (error,) = check_case(finding)
    assert error.code == "unknown-finding"
    assert f"did you mean '{ID}'?" in error.remedy
    # A run may make it again: it is not stopped.
    assert check_case(finding, results=False) == []


def test_a_resolved_entry_may_outlive_its_finding(finding: Path) -> None:
    load_case(finding).run("finding", params={"of": []}, origin="notebook")
    assert [error.code for error in check_case(finding)] == ["unknown-finding"]
    (finding / "findings.toml").write_text(SAID.replace('"accepted"', '"resolved"'), encoding="utf-8")
    assert check_case(finding) == []


def test_the_conclusion_holds_the_register_and_grows_stale_with_it(finding: Path) -> None:
    case = load_case(finding)
    payloads = [case.run("finding"), case.run("conclusion")]
    register = Register.model_validate(payloads[1].result.facts["register"])
    assert register == read_register(finding)
    # What a person judges is not what was computed.
    assert [one.severity for one in payloads[1].result.findings] == [Severity.HIGH]
    before = case.digest
    (finding / "findings.toml").write_text(SAID.replace("Few", "Very few"), encoding="utf-8")
    changed = load_case(finding)
    assert changed.digest != before
    assert changed.fresh("conclusion", "") is None
    outputs = {
        number: [{"output_type": "display_data", "metadata": {}, "data": {_BUNDLE: [payload.to_json()]}}]
        for number, payload in enumerate(payloads)
    }
    notebook = _notebook(['case.section("finding")', 'case.section("conclusion")'], outputs)
    (problem,) = faithful(notebook, changed)
    assert problem.found == "the register of findings changed since the section was run"


_BUNDLE = "application/vnd.fairnb.result+json"


def _notebook(sources: list[str], outputs: dict[int, Any]) -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "execution_count": 1, "source": source,
         "outputs": outputs[number]}
        for number, source in enumerate(sources)
    ]  # fmt: skip
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
