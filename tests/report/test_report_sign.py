"""Signing, judged by tools that are not ours: openssl, pdfsig, qpdf, pikepdf."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from fairnb.errors import FairnbError
from fairnb.report._sign import sign_detached, sign_pdf
from fairnb.report._verify import verify


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


@pytest.fixture
def signed(kit: Any, tmp_path: Path) -> Path:
    path = tmp_path / "audit.pdf"
    path.write_bytes(kit.signed_pdf)
    return path


def openssl_accepts(folder: Path, data: bytes, signature: bytes, root: Path) -> bool:
    (folder / "audit.html").write_bytes(data)
    (folder / "audit.html.p7s").write_bytes(signature)
    command = (
        f"{tool('openssl')} cms -verify -binary -content {folder}/audit.html -inform DER "
        f"-in {folder}/audit.html.p7s -CAfile {root} -purpose any"
    )
    return run(*command.split()).returncode == 0


def test_openssl_accepts_the_detached_signature(kit: Any, tmp_path: Path) -> None:
    assert openssl_accepts(tmp_path, kit.html, kit.signature, kit.pem)


def test_openssl_refuses_it_for_other_bytes_and_other_roots(kit: Any, tmp_path: Path) -> None:
    assert not openssl_accepts(tmp_path, kit.html + b" ", kit.signature, kit.pem)
    assert not openssl_accepts(tmp_path, kit.html, kit.signature, kit.other_pem)


def test_openssl_accepts_a_signature_by_an_rsa_key_that_another_certified(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    root = make_identity("Root", ca=True)
    identity = make_identity(issuer=root, chain=(root.certificate,), rsa_bits=3072)
    signature = sign_detached(kit.html, identity, kit.when)
    assert openssl_accepts(tmp_path, kit.html, signature, write_pem(tmp_path / "root.pem", root))


def test_pdfsig_says_that_the_total_document_is_signed(signed: Path) -> None:
    shown = run(tool("pdfsig"), "-nocert", signed).stdout
    assert "Signature is Valid" in shown
    assert "Total document signed" in shown
    assert "Not total document signed" not in shown
    assert "ETSI.CAdES.detached" in shown
    assert "Ada Assessor" in shown


def test_qpdf_finds_no_fault(signed: Path) -> None:
    assert run(tool("qpdf"), "--check", signed).returncode == 0


def test_the_field_is_invisible_named_and_in_the_structure_tree(kit: Any) -> None:
    with pikepdf.open(io.BytesIO(kit.signed_pdf)) as pdf:
        assert [int(number) for number in pdf.Root.AcroForm.Fields[0].Rect] == [0, 0, 0, 0]
        field = pdf.Root.AcroForm.Fields[0]
        assert str(field.TU) == "Signature 1 (assessor)"
        assert field.objgen in [annotation.objgen for annotation in pdf.pages[-1].obj.Annots]
        element = pikepdf.NumberTree(pdf.Root.StructTreeRoot.ParentTree)[int(field.StructParent)]
        assert element.S == "/Form"
        assert element.K.Obj.objgen == field.objgen
        assert element.objgen in [kid.objgen for kid in element.P.K]
        assert pdf.pages[-1].obj.Tabs == "/S"


def test_signing_leaves_the_document_metadata_alone(kit: Any) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as before, pikepdf.open(io.BytesIO(kit.signed_pdf)) as after:
        assert after.Root.Metadata.read_bytes() == before.Root.Metadata.read_bytes()
        assert dict(after.docinfo) == dict(before.docinfo)


def test_a_signature_states_reason_role_place_and_time(kit: Any, tmp_path: Path) -> None:
    path = tmp_path / "audit.pdf"
    path.write_bytes(
        sign_pdf(kit.pdf, kit.identity, reason="draft", role="Prüferin (2nd)", location="Köln", when=kit.when)
    )
    found = verify(path, trust=kit.pem, now=kit.now)
    (signature,) = found.signatures
    assert (signature.reason, signature.role, signature.location) == ("draft", "Prüferin (2nd)", "Köln")
    assert signature.time == kit.when
    assert found.document_status == "draft"


def test_a_detached_signature_states_reason_role_and_time(kit: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(kit.html)
    signature = sign_detached(kit.html, kit.identity, kit.when, reason="draft", role="lead / assessor")
    (tmp_path / "a.html.p7s").write_bytes(signature)
    found = verify(tmp_path / "a.html", trust=kit.pem, now=kit.now)
    assert (found.signatures[0].reason, found.signatures[0].role) == ("draft", "lead / assessor")
    assert found.signatures[0].time == kit.when
    assert found.document_status == "draft"


def test_three_people_sign_one_after_another_and_all_signatures_hold(
    kit: Any, tmp_path: Path, write_pem: Callable[..., Path]
) -> None:
    data = sign_pdf(kit.signed_pdf, kit.other, role="reviewer", when=kit.when + dt.timedelta(hours=1))
    data = sign_pdf(data, kit.identity, role="assessor", when=kit.when + dt.timedelta(hours=2))
    path = tmp_path / "audit.pdf"
    path.write_bytes(data)
    found = verify(path, trust=write_pem(tmp_path / "roots.pem", kit.identity, kit.other), now=kit.now)
    assert found.problems == ()
    assert found.exit_code == 0
    assert [s.role for s in found.signatures] == ["assessor", "reviewer", "assessor"]
    assert [s.covers_whole_file for s in found.signatures] == [False, False, True]
    assert "Total document signed" in run(tool("pdfsig"), "-nocert", path).stdout


def test_an_untagged_pdf_can_be_signed(kit: Any, tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.attachments["evidence.json"] = b"{}"
    plain = io.BytesIO()
    pdf.save(plain)
    (tmp_path / "a.pdf").write_bytes(sign_pdf(plain.getvalue(), kit.identity, when=kit.when))
    found = verify(tmp_path / "a.pdf", trust=kit.pem, now=kit.now)
    assert found.intact
    assert found.trusted


def test_signing_works_inside_a_running_event_loop_as_in_a_notebook(kit: Any) -> None:
    async def cell() -> bytes:
        return sign_pdf(kit.pdf, kit.identity, when=kit.when) + sign_detached(
            kit.html, kit.identity, kit.when
        )

    assert asyncio.run(cell()).startswith(b"%PDF-")


@pytest.mark.parametrize("year", [2020, 2040])
def test_nobody_signs_outside_the_validity_of_the_certificate(kit: Any, year: int) -> None:
    when = dt.datetime(year, 1, 1, tzinfo=dt.UTC)
    for call in (
        lambda: sign_pdf(kit.pdf, kit.identity, when=when),
        lambda: sign_detached(kit.html, kit.identity, when),
    ):
        with pytest.raises(FairnbError) as caught:
            call()
        assert caught.value.code == "expired-identity"


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"not a pdf", b"%PDF-1.7\n" + bytes(200)])
def test_what_is_no_pdf_is_not_signed(kit: Any, data: bytes) -> None:
    with pytest.raises(FairnbError) as caught:
        sign_pdf(data, kit.identity, when=kit.when)
    assert caught.value.code == "damaged-document"


def test_an_encrypted_pdf_is_not_signed(kit: Any) -> None:
    locked = io.BytesIO()
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="o", user=""))
    with pytest.raises(FairnbError) as caught:
        sign_pdf(locked.getvalue(), kit.identity, when=kit.when)
    assert caught.value.code == "encrypted-document"


def test_pyhanko_keeps_its_log_to_itself(kit: Any, caplog: pytest.LogCaptureFixture) -> None:
    sign_pdf(kit.pdf, kit.identity, when=kit.when)
    assert caplog.records == []


def with_hybrid_cross_references(data: bytes) -> bytes:
    """The same document with a cross-reference table that hides a cross-reference stream (PDF 1.5)."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        out = io.BytesIO()
        pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    old = out.getvalue()
    previous = int(old[old.rindex(b"startxref") + 9 :].split()[0])
    root = old[old.rindex(b"/Root") + 5 :].split(b" R")[0].strip()
    size = int(old[old.rindex(b"/Size") + 5 :].split()[0].strip(b"/>"))
    place = len(old)
    rows = b"\x01" + place.to_bytes(4, "big") + b"\x00"
    stream = (
        b"%d 0 obj\n<</Type /XRef /Size %d /W [1 4 1] /Index [%d 1] /Root %s R /Length %d>>\nstream\n%s"
        b"\nendstream\nendobj\n" % (size, size + 1, size, root, len(rows), rows)
    )
    table = b"xref\n0 0\ntrailer\n<</Size %d /Root %s R /Prev %d /XRefStm %d>>\nstartxref\n%d\n%%%%EOF\n"
    return old + stream + table % (size + 1, root, previous, place, place + len(stream))


def test_a_pdf_with_hybrid_cross_references_is_named_as_such(kit: Any, tmp_path: Path) -> None:
    hybrid = with_hybrid_cross_references(kit.pdf)
    assert run(tool("qpdf"), "--check", "--", write(tmp_path / "h.pdf", hybrid)).returncode == 0
    found = verify(tmp_path / "h.pdf", trust=kit.pem, now=kit.now)
    assert any("hybrid cross-references" in problem for problem in found.problems)
    # Saved anew when its first field is added, it has none any more.
    signed = write(tmp_path / "s.pdf", sign_pdf(hybrid, kit.identity, when=kit.when))
    assert verify(signed, trust=kit.pem, now=kit.now).exit_code == 0


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("key", ["Pages", "StructTreeRoot", "AcroForm"])
def test_a_pdf_whose_parts_are_of_the_wrong_kind_is_not_signed(kit: Any, key: str) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.Root[f"/{key}"] = 7
        out = io.BytesIO()
        pdf.save(out)
    with pytest.raises(FairnbError) as caught:
        sign_pdf(out.getvalue(), kit.identity, when=kit.when)
    assert caught.value.code in ("cannot-sign", "damaged-document")
    assert "\n" not in str(caught.value)
