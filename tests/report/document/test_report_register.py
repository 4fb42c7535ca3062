"""The findings register in the document: what was computed and what people say, told apart in every way."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbErrors
from fairnb.files import sha256
from fairnb.report import (
    build_document,
    export,
    extract,
    load_identity,
    new_identity,
    register_of,
    register_text,
    render_register,
    verify,
)
from fairnb.report._page import render_document
from fairnb.report._register import register_view
from fairnb.report._views import FindingView
from fairnb.sections import Register, Severity

ID = "sample/toxic/false_positive_rate/mentioned/gay"
HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe \u200b{{ 7 * 7 }}"
ENTRY = {
    "severity": "low",
    "reason": "Few texts.",
    "recommendation": "Measure again.",
    "management_response": "Agreed.",
    "owner": "Head of moderation",
    "date": "2027-02-01",
    "status": "accepted",
    "by": "A. Example",
    "on": "2026-11-28",
}
OWN = {
    "id": "appeals",
    "title": "Nobody can object",
    "requirement": 1,
    "criterion": "Objections are read.",
    "condition": "There is no address.",
    "effect": "Wrong flags stay.",
    "severity": "medium",
    "source": "Interview",
    "by": "A. Example",
}


def payloads(kit: Any, register: Any) -> list[dict[str, Any]]:
    """A small case whose conclusion has read a register."""
    return [kit.engagement(), kit.system(), kit.sample(), kit.conclusion("Done.", register=register)]


def printed(kit: Any, register: Any, medium: Any = "screen") -> str:
    """The chapter on findings as it stands on the page."""
    html = render_document(build_document(kit.evidence(payloads(kit, register))), medium=medium)
    start = html.index('<h2 id="findings"')
    return html[start : html.index('<h2 id="limits"')]


def words(html: str) -> str:
    """What can be read of a page."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def by_hand(html: str) -> list[str]:
    """Text of every block that is marked as a person's."""
    return [
        words(part) for part in re.findall(r'<div class="hand".*?</div>\s*</dl>\s*</div>', html, re.DOTALL)
    ]


def test_a_computed_finding_is_printed_whole(kit: Any) -> None:
    html = printed(kit, {})
    text = words(html)
    for part in (
        "high",
        "Wrongly flagged",
        "Comments that mention gay people",
        "+0.410",
        "0.360 to 0.460",
        ID,
    ):
        assert part in text, part
    assert re.search(r'class="ref">M-0001<', html)
    assert text.startswith("5 Findings 1 computed finding (1 high); a person wrote an entry on none of these")
    assert by_hand(html) == []


@pytest.mark.parametrize("medium", ["screen", "paper"])
def test_the_first_page_counts_findings_by_severity_apart_from_the_verdicts(kit: Any, medium: Any) -> None:
    result = kit.sample_result()
    (found,) = result.findings
    severities = ("medium", "medium", "observation", "high")
    twins = tuple(
        found.model_copy(update={"severity": Severity(severity), "criterion": f"Criterion {number}"})
        for number, severity in enumerate(severities)
    )
    several = [kit.engagement(), kit.system(), kit.sample(result.model_copy(update={"findings": twins}))]
    html = render_document(build_document(kit.evidence(several)), medium=medium)
    glance = words(html[html.index('<h2 id="glance"') : html.index("What was assessed")])
    assert "Findings by severity: 1 high, 2 medium, 0 low, 1 observation. Chapter 4 lists them" in glance
    assert "Verdicts: 1 ▲ exceed the margin" in glance


def test_the_gravest_stand_first_and_the_summary_counts_what_people_changed() -> None:
    graded = ("observation", "low", "high", "medium")
    found = [FindingView(f"group_bias/{name}", name, "c", "s", 5, "", "–", "", ()) for name in graded]
    register = Register.model_validate(
        {
            "findings": {
                "group_bias/low": {"owner": "Ada", "recommendation": "  "},
                "group_bias/high": {"severity": "low", "reason": "Few texts."},
                "group_bias/gone": {"owner": "Ada"},
            }
        }
    )
    view = register_view(found, register)
    assert [row.finding.severity for row in view.rows] == ["high", "medium", "low", "observation"]
    assert [lost.id for lost in view.lost] == ["group_bias/gone"]
    assert view.rows[2].said is not None
    assert view.rows[2].said.rows == (("Owner", "Ada"),)
    assert view.summary == (
        "4 computed findings (1 high, 1 medium, 1 low, 1 observation); a person wrote an entry on 2 of these; "
        "1 with another severity than the computed one."
    )


@pytest.mark.parametrize("medium", ["screen", "paper"])
def test_an_entry_stands_beside_what_was_computed_and_apart_from_it(kit: Any, medium: Any) -> None:
    html = printed(kit, {"findings": {ID: ENTRY}}, medium)
    (said,) = by_hand(html)
    assert said == (
        "Assessor A. Example, 28 November 2026 Severity low (computed: high). Few texts. "
        "Recommendation Measure again. Management’s response Agreed. Owner Head of moderation "
        "By when 1 February 2027 Status accepted"
    )
    # Both severities stand in the row's first cell, each in its own kind.
    row = html[html.index("<tbody>") :]
    assert '<span class="severity high">high</span><span class="handseverity">Assessor: low</span>' in row
    assert 'role="group" aria-label="Assessor, not computed"' in html
    assert "1 with another severity than the computed one" in words(html)


def test_what_people_wrote_is_set_in_italics_behind_a_rule(kit: Any) -> None:
    document = build_document(kit.evidence(payloads(kit, {"findings": {ID: ENTRY}})))
    html = render_document(document, medium="paper")
    rule = re.search(r"\.hand,[^{]*\{([^}]*)\}", html)
    assert rule is not None
    assert "font-family:var(--serif)" in rule[1]
    assert "font-style:italic" in rule[1]
    assert re.search(r"\.hand\{border-left:[^}]*solid", html)
    # The letters are there: a slanted upright is no italic.
    assert re.search(r'font-family:"Source Serif 4";font-weight:400;font-style:italic', html)
    # So are the conclusion, in both places, and nothing that was computed.
    assert '<blockquote class="conclusion hand">' in html
    assert re.search(r'<p class="say hand"><span class="handhead">Assessor</span> Done\.</p>', html)
    assert re.search(r'<p class="say">Harmless comments', html)


def test_a_conclusion_that_is_missing_is_not_printed_as_the_assessor_s_words(kit: Any) -> None:
    made = [kit.engagement(["x"]), kit.sample(), kit.conclusion("")]
    html = render_document(build_document(kit.evidence(made)), medium="screen")
    assert '<p class="say">No conclusion has been written yet.</p>' in html


def test_findings_that_a_person_added_have_a_table_of_their_own(kit: Any) -> None:
    html = printed(kit, {"added": [OWN]})
    own = html[html.index("Findings added by a person: nothing of them was computed") :]
    (said,) = by_hand(own)
    assert said == (
        "Assessor A. Example Criterion Objections are read. Condition There is no address. "
        "Effect Wrong flags stay. Source Interview"
    )
    assert "added/appeals" in own
    assert 'class="severity' not in own
    assert "1 finding added by a person" in words(html)


def test_an_entry_without_its_finding_is_never_dropped(kit: Any) -> None:
    html = printed(kit, {"findings": {"sample/toxic/gone": ENTRY}})
    lost = html[html.index("No longer found: entries whose finding is not among the results") :]
    assert "sample/toxic/gone" in lost
    assert "Measure again." in by_hand(lost)[0]
    # Its severity is beside nothing.
    assert "Severity low . Few texts." in by_hand(lost)[0]


def test_a_register_that_no_result_has_read_is_told(kit: Any) -> None:
    files = {"assessment.toml": "12" * 32, "findings.toml": "34" * 32}
    case = {"title": "Harbour", "digest": "ef" * 32, "files": files}
    evidence = kit.evidence([kit.engagement(), kit.sample()], case=case)
    html = render_document(build_document(evidence), medium="screen")
    assert "no result of this notebook has read it" in html
    assert "no result of this notebook has read it" not in printed(kit, {})


def test_hostile_words_are_escaped_on_the_page_in_the_notebook_and_in_text(kit: Any) -> None:
    entry = {
        **ENTRY,
        **dict.fromkeys(("reason", "recommendation", "management_response", "owner", "by"), HOSTILE),
    }
    own = {**OWN, **dict.fromkeys(("title", "criterion", "condition", "effect", "source", "by"), HOSTILE)}
    register = {"findings": {ID: entry, HOSTILE: entry}, "added": [own]}
    made = payloads(kit, register)
    shown = register_of(made, Register.model_validate(register))
    notebook = render_register(shown)
    for html in (printed(kit, register), printed(kit, register, "paper"), notebook):
        assert kit.active(html) == []
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
        assert "‹U+202E›gnp.exe ‹U+200B›{{ 7 * 7 }}" in html
        assert not set("\u202e\u200b") & set(html)
    text = register_text(shown)
    assert not set("\u202e\u200b") & set(text)
    assert "  | Severity low:" in text


def test_a_huge_register_is_printed_in_bounds(kit: Any) -> None:
    long = {**ENTRY, "recommendation": "x" * 3000, "management_response": "lange wörter " * 230}
    html = printed(kit, {"findings": {ID: long}})
    assert "x" * 3000 in html
    with pytest.raises(ValueError, match="at most 3000"):
        Register.model_validate({"findings": {ID: {**ENTRY, "recommendation": "x" * 3001}}})
    with pytest.raises(ValueError, match="at most 1000"):
        Register.model_validate({"findings": {"x" * 1001: ENTRY}})


def test_limits_that_several_sections_state_stand_once_and_first(kit: Any) -> None:
    other = kit.payload(
        "other", kit.sample_result(limits=("Rows are treated as independent.",)), title="Other"
    )
    document = build_document(kit.evidence([kit.engagement(), kit.sample(), other]))
    first, said = document.limits[0]
    assert first == "Several sections"
    assert said == ("Rows are treated as independent. (Who is wrongly flagged, Other)",)
    assert sum(text.count("Rows are treated") for _, texts in document.limits for text in texts) == 1


def test_why_a_section_was_left_out_stands_among_what_was_not_assessed(kit: Any) -> None:
    row = {
        "id": "robustness",
        "title": "Robustness to spelling and disguise",
        "requirement": 2,
        "done": False,
    }
    told = {**row, "state": "not part of this notebook", "measures": 0, "reason": "Not <asked> for."}
    made = [kit.engagement(), kit.conclusion("Done.", sections=[told])]
    html = render_document(build_document(kit.evidence(made)), medium="paper")
    glance = html[html.index('<h2 id="glance"') : html.index('<h2 id="section-engagement"')]
    assert '<span class="hand">Not &lt;asked&gt; for. <span class="soft">Assessor</span></span>' in glance


def test_the_reviewer_signs_beside_the_assessor(kit: Any) -> None:
    made = [kit.engagement(), kit.conclusion("Done.", reviewer="B. Example, Office")]
    html = render_document(build_document(kit.evidence(made)), medium="paper")
    assert "<b>B. Example, Office</b>" in html[html.index('<h2 id="signoff"') :]
    assert "<b>Reviewer: not stated</b>" in render_document(
        build_document(kit.evidence(payloads(kit, {}))), medium="paper"
    )


TOML = """\
[findings."technical_performance/rude/accuracy"]
recommendation = "Ask Änne; nothing else."
status = "resolved"

[[added]]
id = "appeals"
title = "Nobody can object"
requirement = 1
condition = "There is no address: <b>none</b>."
severity = "medium"
source = "Interview"
by = "A. Example"
"""


@pytest.fixture
def case(kit: Any, tmp_path: Path) -> Path:
    """A finished case with a register, run and with its notebook saved."""
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "assessment.toml").write_text(CASE, encoding="utf-8")
    (folder / "findings.toml").write_text(TOML, encoding="utf-8")
    rows = "".join(f"You are a silly goose {i},{i % 2},{(i * 37 % 100) / 100}\n" for i in range(120))
    (folder / "test.csv").write_text("text,label,score\n" + rows, encoding="utf-8")
    shown(kit, folder)
    return folder


def shown(kit: Any, folder: Path) -> None:
    """Run the case and save its notebook."""
    from fairnb.case import load_case

    names = ("engagement", "system", "technical_performance", "conclusion")
    empty = [kit.payload(name, kit.not_applicable("x")) for name in names]
    kit.write(folder / "assessment.ipynb", kit.notebook(empty))
    opened = load_case(folder)
    made = [payload.to_json() for name in names for payload in opened.run_all(name)]
    kit.write(folder / "assessment.ipynb", kit.notebook(made))


CASE = """\
[engagement]
title = "A small assessment"
level = "third-party"
addressee = "The Board"
independence = "No stake."
assessor = { name = "A. Example", organisation = "Example Assurance" }

[system]
scores = "score"

[targets.rude]
positive = [1]

[corpus.test]
path = "test.csv"

[criteria]
set_by = "the Board"

[sections.conclusion]
text = "Fit for use."
"""


def test_the_register_goes_through_export_extract_and_verify(case: Path, tmp_path: Path) -> None:
    identity = new_identity(
        tmp_path / "id.p12", name="A. Example", organisation="Example", passphrase="geheim 12"
    )
    export(case, sign=load_identity(tmp_path / "id.p12", "geheim 12"), redact="withhold")
    status = verify(case / "audit.pdf", trust=identity.certificate)
    assert (status.intact, status.evidence_intact, status.document_status) == (True, True, "final")
    extract(case / "audit.pdf", tmp_path / "out")
    assert (tmp_path / "out" / "findings.toml").read_text(encoding="utf-8") == TOML
    evidence = json.loads((tmp_path / "out" / "evidence.json").read_bytes())
    assert evidence["case"]["files"]["findings.toml"] == sha256(TOML.encode())
    (held,) = [
        one["content"]["result"]["facts"]["register"]
        for one in evidence["payloads"]
        if one["content"]["section"] == "conclusion"
    ]
    assert Register.model_validate(held).added[0].condition == "There is no address: <b>none</b>."
    text = subprocess.run(
        ["pdftotext", "-layout", str(case / "audit.pdf"), "-"], capture_output=True, check=True
    ).stdout.decode()
    for part in ("There is no address: <b>none</b>.", "Ask Änne; nothing else.", "No longer found"):
        assert part in text, part


def test_an_export_with_a_register_that_changed_is_refused(kit: Any, case: Path) -> None:
    (case / "findings.toml").write_text(TOML.replace("medium", "high"), encoding="utf-8")
    with pytest.raises(FairnbErrors, match="the register of findings changed since the section was run"):
        export(case, to=["html"])
    shown(kit, case)
    assert export(case, to=["html"]).status == "final"
