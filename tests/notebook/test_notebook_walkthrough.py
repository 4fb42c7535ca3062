"""The walkthrough, executed headless: what it says is what a receiver finds."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.case import faithful, load_case
from fairnb.files import templates
from fairnb.report import verify

SECTIONS = {
    "engagement": "engagement",
    "system": "system",
    "performance": "technical_performance",
    "data": "data_bias",
    "mentions": "mining",
    "embedding": "embedding_bias",
    "toy": "embedding_bias",
    "groups": "group_bias",
    "swap": "swap",
    "counterfactual": "counterfactual",
    "ranking": "auc_bias",
    "conclude": "conclusion",
}
"""Cell -> section."""
GIGABYTE = 10**9

# Executing it takes about a minute on two idle cores, most of it for the PDF.
executed = pytest.mark.slow


@pytest.fixture(scope="module")
def walked(execute_carried: Any) -> Any:
    pytest.importorskip("profanity_check", reason="the extra profanity is not installed")
    return execute_carried("walkthrough")


@pytest.fixture(scope="module")
def place(walked: Any) -> Path:
    (found,) = walked.folder.glob("walkthrough-*")
    return Path(found)


def test_it_is_saved_as_a_valid_notebook_without_outputs() -> None:
    notebook = json.loads((templates("notebooks") / "walkthrough.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(notebook)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook["cells"])
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-z-]+", name) for name in ids)


@executed
def test_it_stays_below_a_gigabyte_and_two_minutes_of_a_processor(walked: Any) -> None:
    assert walked.resident < GIGABYTE
    assert walked.processor_seconds < 120


@executed
def test_every_section_is_shown_and_the_record_replays_what_was_run(walked: Any) -> None:
    assert {cell: walked.shown(cell)["section"] for cell in SECTIONS} == SECTIONS
    outcomes = dict(re.findall(r"^(\w+) +(\w[\w ]*\w) +\d", walked.printed("record"), re.MULTILINE))
    assert set(outcomes) == set(SECTIONS.values())
    # Whether anything is missing from a final document is told by the engagement; the conclusion reads all.
    done = {section for section, outcome in outcomes.items() if outcome == "done"}
    assert done <= {"engagement", "conclusion"}
    assert outcomes["embedding_bias"] == "replayed"


@executed
def test_of_the_toy_vectors_only_what_was_planted_is_found(walked: Any) -> None:
    assert walked.shown("embedding")["result"]["status"] == "not_applicable"
    toy = walked.shown("toy")["result"]
    (finding,) = toy["findings"]
    assert (finding["severity"], finding["measures"][0][1]) == ("observation", "gender")
    verdicts = {candidate["measures"][0][1]: candidate["verdict"] for candidate in toy["candidates"]}
    assert verdicts == {
        "gender": "exceeds the margin", "religion": "inconclusive", "ethnicity": "inconclusive"
    }  # fmt: skip


@executed
def test_case_overview_and_findings_tell_without_a_front_end_what_stands(walked: Any) -> None:
    assert "demo-test" in walked.plain("panel")
    early, late = walked.plain("overview"), walked.plain("overview-again")
    assert re.search(r"Conclusion +Not run", early)
    assert re.search(r"Conclusion +Fresh", late)
    assert re.findall(r"^(\w[\w ]*?)  +Stale", late, re.MULTILINE) == ["Engagement"]
    statement = walked.printed("finding").splitlines()[0].partition("] ")[2]
    assert " ".join(statement.split()) in " ".join(walked.plain("findings").split())


@executed
def test_the_document_is_final_signed_and_holds_a_faithful_record(walked: Any, place: Path) -> None:
    case = load_case(place / "case")
    assert faithful(place / "case" / "assessment.ipynb", case) == []
    assert "status: final" in walked.printed("sign")
    status = verify(place / "received" / "audit.pdf", trust=place / "received" / "me.pem")
    assert (status.intact, status.trusted, status.document_status) == (True, True, "final")
    assert status.signatures[0].fingerprint in walked.printed("sign")
    assert walked.printed("compare") == "the certificate is the one you were told: True\n"


@executed
def test_the_finding_follows_from_the_counts_by_arithmetic(walked: Any) -> None:
    counts = [
        tuple(map(int, found))
        for found in re.findall(r"TP +(\d+) +FN +(\d+) +FP +(\d+) +TN +(\d+)", walked.printed("counts"))
    ]
    assert len(counts) == 2
    shares = [Fraction(tp, tp + fn) for tp, fn, _, _ in counts]
    printed = re.findall(r"printed (-?\d\.\d{4})", walked.printed("by-hand"))
    assert printed == [f"{float(share):.4f}" for share in (*shares, shares[0] - shares[1])]
    points = f"{float(shares[0] - shares[1]) * 100:.1f} points"
    assert points in walked.printed("finding")
    assert re.search(r"method of M-\d{4}: TP/\(TP\+FN\)", walked.printed("finding"))


@executed
def test_one_changed_digit_is_caught_in_both_copies_and_the_original_holds(walked: Any, place: Path) -> None:
    received = place / "received"
    page, forged = ((received / name).read_bytes() for name in ("audit.html", "forged.html"))
    assert len(page) == len(forged)
    assert sum(a != b for a, b in zip(page, forged, strict=True)) == page.count(
        walked.printed("forge").split("'")[1].encode()
    )
    assert walked.printed("forge").count("exit code of `fairnb verify`: 1") == 2
    for name in ("forged.html", "forged.pdf"):
        status = verify(received / name, trust=received / "me.pem")
        assert (status.intact, status.trusted) == (False, False)
    assert verify(received / "audit.html", trust=received / "me.pem").trusted


@executed
def test_without_pango_there_is_one_line_and_everything_else_goes_on(
    execute_carried: Any, tmp_path: Path
) -> None:
    # What WeasyPrint does on a machine without Pango.
    (tmp_path / "weasyprint.py").write_text("raise OSError('cannot load library libpango-1.0-0')\n")
    walked = execute_carried("walkthrough", PYTHONPATH=str(tmp_path))
    (line,) = (line for line in walked.printed("sign").splitlines() if "without a PDF" in line)
    assert "libpango-1.0-0" in line
    (place,) = walked.folder.glob("walkthrough-*")
    assert not (place / "received" / "audit.pdf").exists()
    assert "Intact, and signed by someone you trust" in walked.printed("verify")
    assert walked.printed("forge").count("exit code of `fairnb verify`: 1") == 1
