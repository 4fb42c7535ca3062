"""From a case to its files: what is written, what is inside, what is refused."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import ExitCode, FairnbError
from fairnb.report import _export, export


def test_a_case_gives_page_pdf_and_evidence_that_say_the_same(case: Path, kit: Any) -> None:
    report = export(case)
    assert [path.name for path in report.paths] == ["audit.html", "audit.pdf", "evidence.json"]
    assert report.status == "final"
    assert report.warnings == ()
    evidence = json.loads((case / "evidence.json").read_bytes())
    assert evidence["content_sha256"] == report.evidence_sha256
    text = kit.pdf_text(case / "audit.pdf")
    assert "My remark." in text
    assert "Fit for use." in text
    accuracy = sum((i * 37 % 100 >= 50) == (i % 2 == 1) for i in range(120)) / 120
    assert f"{accuracy:.3f}" in text
    assert not list(case.glob(".*.html*"))


def test_signed_files_are_intact_and_trusted(case: Path, kit: Any) -> None:
    from fairnb.report import load_identity, new_identity, verify

    made = new_identity(
        case / "id.p12", name="A. Example", organisation="Example", passphrase="goose walks at noon"
    )
    report = export(case, sign=load_identity(case / "id.p12", "goose walks at noon"))
    assert [path.name for path in report.paths] == [
        "audit.html",
        "audit.html.p7s",
        "audit.pdf",
        "evidence.json",
    ]
    for name in ("audit.pdf", "audit.html"):
        status = verify(case / name, trust=made.certificate)
        assert (status.intact, status.trusted, status.document_status) == (True, True, "final"), name
        assert status.notes == ()
    assert report.warnings == ()
    assert "Signed electronically by A. Example" in kit.pdf_text(case / "audit.pdf")
    assert "who is not the assessor" not in kit.pdf_text(case / "audit.pdf")


def test_a_threshold_moved_by_hand_stands_on_the_first_pages_of_a_final_document(
    case: Path, kit: Any
) -> None:
    """The case file names none, so the target's 0.5 is what was moved; the day is that of the run log."""
    from fairnb.case import load_case

    opened = load_case(case)
    payloads = [
        payload.to_json()
        for name in ("engagement", "system", "technical_performance", "conclusion")
        for payload in opened.run_all(
            name,
            params={"threshold": 0.69} if name == "technical_performance" else {},
            origin="notebook",
        )
    ]
    kit.write(case / "assessment.ipynb", kit.notebook(payloads))
    assert export(case).status == "final"
    (event,) = [one for one in load_case(case).log if one["event"] == "parameter"]
    day = dt.date.fromisoformat(event["time"][:10])
    said = (
        "was run with threshold 0.69 instead of the case file’s 0.50, changed by hand on "
        f"{day.day} {day:%B} {day.year}."
    )
    pages = [" ".join(page.split()) for page in kit.pdf_text(case / "audit.pdf").split("\f")]
    assert said in pages[0]
    assert said in pages[1].partition("Not run as the case file says.")[2]


@pytest.mark.parametrize(("role", "as_what"), [("assessor", ""), ("reviewer", " as reviewer")])
def test_a_signer_who_is_not_the_assessor_is_told_by_the_document_the_export_and_the_check(
    case: Path, kit: Any, capsys: pytest.CaptureFixture[str], role: str, as_what: str
) -> None:
    from fairnb.cli import main
    from fairnb.report import load_identity, new_identity, verify

    made = new_identity(case / "id.p12", name="Your Name", organisation="", passphrase="goose walks at noon")
    said = f"Signed by Your Name{as_what}, who is not the assessor named in the case file, A. Example"
    report = export(case, sign=load_identity(case / "id.p12", "goose walks at noon"), role=role)
    assert (report.status, report.warnings) == ("final", (said,))
    pages = [" ".join(page.split()) for page in kit.pdf_text(case / "audit.pdf").split("\f")]
    assert said.split(", who")[0] in pages[0]
    assert any("Signed electronically by Your Name" in page and f"{said}." in page for page in pages[1:])
    assert (case / "audit.html").read_text(encoding="utf-8").count(f"{said}.") == 2
    for name in ("audit.pdf", "audit.html"):
        status = verify(case / name, trust=made.certificate)
        assert (status.exit_code, status.problems, status.notes) == (ExitCode.DONE, (), (said,)), name
    assert main(["verify", str(case / "audit.pdf"), "--integrity-only"]) == ExitCode.DONE
    assert f"Note: {said}." in capsys.readouterr().err


def test_an_old_signature_does_not_stay_beside_a_new_page(case: Path) -> None:
    (case / "audit.html.p7s").write_bytes(b"old")
    export(case, to=["html"])
    assert not (case / "audit.html.p7s").exists()


def test_an_edited_notebook_is_refused_cell_by_cell_and_nothing_is_written(case: Path) -> None:
    place = case / "assessment.ipynb"
    notebook = json.loads(place.read_text(encoding="utf-8"))
    payload = notebook["cells"][2]["outputs"][0]["data"]["application/vnd.fairnb.result+json"][0]
    payload["content"]["result"]["measures"][0]["value"] = 0.999
    place.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(FairnbError, match="cell 3") as caught:
        export(case)
    assert caught.value.exit_code == ExitCode.UNFAITHFUL
    assert not (case / "audit.html").exists()
    assert not (case / "evidence.json").exists()


def test_a_failed_cell_is_refused_with_and_without_a_case(case: Path, kit: Any, tmp_path: Path) -> None:
    failed = kit.code("1/0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
                              "traceback": []})  # fmt: skip
    for place in (case / "assessment.ipynb", tmp_path / "alone.ipynb"):
        kit.write(place, kit.notebook(kit.payloads(), failed))
        with pytest.raises(FairnbError, match=r"(?m)^cell 5, “1/0”: the cell failed") as caught:
            export(place)
        assert caught.value.exit_code == ExitCode.UNFAITHFUL


def test_a_notebook_without_its_case_gives_a_draft_that_says_why(kit: Any, tmp_path: Path) -> None:
    place = kit.write(tmp_path / "alone.ipynb", kit.notebook(kit.payloads()))
    report = export(place, to=["html"])
    assert report.status == "draft"
    assert "exported without it" in (tmp_path / "audit.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", ["withhold", "mask"])
def test_export_can_show_less_than_the_case_stored(kit: Any, tmp_path: Path, mode: str) -> None:
    said = "write to goose@example.org about the pond"
    result = kit.sample_result(examples=[{"text": said, "beside": said}])
    foreign = kit.code("1", {"output_type": "stream", "name": "stdout", "text": said})
    place = kit.write(tmp_path / "alone.ipynb", kit.notebook([kit.engagement(), kit.sample(result)], foreign))
    export(place, redact=mode)
    (tmp_path / "out").mkdir()
    subprocess.run(
        ["pdfdetach", "-saveall", "-o", str(tmp_path / "out"), str(tmp_path / "audit.pdf")], check=True
    )
    inside = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for shown in (
        (tmp_path / "audit.html").read_bytes(),
        inside,
        kit.pdf_text(tmp_path / "audit.pdf").encode(),
    ):
        assert b"goose@example.org" not in shown
        assert (b"about the pond" in shown) == (mode == "mask")


@pytest.mark.parametrize(
    ("mode", "printed"), [("mask", "my own count: 12"), ("withhold", "Left out: the texts of this case")]
)
def test_outputs_of_own_code_stand_in_their_annex_or_their_absence_is_told(
    kit: Any, tmp_path: Path, mode: str, printed: str
) -> None:
    said = {"output_type": "stream", "name": "stdout", "text": "my own count: 12, by @somebody"}
    place = kit.write(
        tmp_path / "alone.ipynb", kit.notebook([kit.engagement(), kit.sample()], kit.code("1", said))
    )
    export(place, to=["pdf"], redact=mode)
    annex = " ".join(kit.pdf_text(tmp_path / "audit.pdf").split()).rpartition("Not verified by fairnb")[2]
    assert printed in annex
    assert "@somebody" not in annex


def test_export_cannot_show_more_than_the_case_stored(case: Path) -> None:
    with pytest.raises(FairnbError) as caught:
        export(case, redact="none")
    assert caught.value.code == "redaction-only-narrows"


def test_withheld_texts_of_a_case_are_in_no_file(kit: Any, tmp_path: Path) -> None:
    folder = kit.make_case(tmp_path / "withheld", redact="withhold")
    export(folder)
    assert "silly goose" not in (folder / "audit.html").read_text(encoding="utf-8")
    assert "silly goose" not in (folder / "evidence.json").read_text(encoding="utf-8")


def test_a_failure_while_writing_leaves_what_was_there(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (case / "audit.html").write_text("before", encoding="utf-8")
    (case / "audit.html.p7s").write_bytes(b"before")

    def full(contents: Any) -> None:
        raise FairnbError("cannot-write", "no room", "make room")

    monkeypatch.setattr(_export, "write_all", full)
    with pytest.raises(FairnbError, match="no room"):
        export(case, to=["html"])
    assert (case / "audit.html").read_text(encoding="utf-8") == "before"
    assert (case / "audit.html.p7s").read_bytes() == b"before"


def test_a_read_only_folder_gives_one_message(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all = _export.write_all

    def without_rights(contents: Any) -> None:
        # Root may write anywhere: it gives its rights up for the writing.
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            write_all(contents)
        finally:
            if root:
                os.seteuid(0)

    monkeypatch.setattr(_export, "write_all", without_rights)
    case.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(FairnbError) as caught:
            export(case, to=["html"])
    finally:
        case.chmod(stat.S_IRWXU)
    assert caught.value.code == "cannot-write"


def test_export_works_while_an_event_loop_runs(case: Path) -> None:
    async def inside() -> Any:
        return export(case, to=["html", "pdf"])

    assert len(asyncio.run(inside()).paths) == 2


def test_nbconvert_knows_both_exporters(case: Path, kit: Any, tmp_path: Path) -> None:
    alone = kit.write(tmp_path / "alone.ipynb", kit.notebook([kit.engagement(), kit.system()]))
    jupyter = Path(sys.executable).with_name("jupyter")
    for place, kind, suffix in (
        (case / "assessment.ipynb", "audit_html", "html"),
        (alone, "audit_pdf", "pdf"),
    ):
        ran = subprocess.run(
            [str(jupyter), "nbconvert", "--to", kind, str(place)], capture_output=True, check=False
        )
        assert ran.returncode == 0, ran.stderr.decode()
        assert place.with_suffix(f".{suffix}").stat().st_size > 50_000
    export(case, to=["html"])
    assert (case / "assessment.html").read_bytes() == (case / "audit.html").read_bytes()


def test_wrong_formats_and_places_are_one_message_each(case: Path, tmp_path: Path) -> None:
    for call, code in (
        (lambda: export(case, to=["docx"]), "unknown-format"),
        (lambda: export(case, to=[]), "unknown-format"),
        (lambda: export(case, redact="blur"), "unknown-redaction"),
        (lambda: export(tmp_path / "nowhere"), "no-notebook"),
    ):
        with pytest.raises(FairnbError) as caught:
            call()
        assert caught.value.code == code


@pytest.mark.browser
def test_the_page_runs_and_requests_nothing_in_a_browser(kit: Any, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed (package chromium)")
    hostile = '<script>document.title="ran"</script><img src=x onerror=\'document.title="ran"\'>'
    result = kit.sample_result(facts={"statement": hostile}, limits=(hostile,))
    notebook = kit.notebook([kit.engagement(title=hostile), kit.sample(result)], kit.markdown(hostile))
    place = kit.write(tmp_path / "x.ipynb", notebook)
    export(place, to=["html"])
    log = tmp_path / "net.json"
    shown = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"--log-net-log={log}",
         f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "audit.html").as_uri()],
        capture_output=True, check=True, timeout=120,
    ).stdout.decode()  # fmt: skip
    assert "<title>ran</title>" not in shown
    assert "How to read this document" in shown


def test_pictures_in_annexes_are_bounded() -> None:
    from PIL import Image

    from fairnb.report._figures import safe_png

    stream = io.BytesIO()
    Image.new("1", (20_000, 10_000)).save(stream, "PNG")
    assert safe_png(stream.getvalue()) == ""
    assert safe_png(b"<svg onload=alert(1)>") == ""
