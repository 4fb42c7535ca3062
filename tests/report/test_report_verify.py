"""What verification says of sound, unsigned, untrusted and damaged files."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from fairnb.errors import FairnbError
from fairnb.report import _inside
from fairnb.report._sign import sign_detached, sign_pdf
from fairnb.report._status import SignatureStatus, VerificationStatus
from fairnb.report._verify import check_evidence, verify


@pytest.fixture
def pdf(kit: Any, tmp_path: Path) -> Path:
    path = tmp_path / "audit.pdf"
    path.write_bytes(kit.signed_pdf)
    return path


@pytest.fixture
def html(kit: Any, tmp_path: Path) -> Path:
    path = tmp_path / "audit.html"
    path.write_bytes(kit.html)
    (tmp_path / "audit.html.p7s").write_bytes(kit.signature)
    return path


def signed_as(kit: Any, folder: Path, data: bytes, **options: Any) -> Path:
    """An HTML file and its signature by the assessor."""
    path = folder / "signed.html"
    path.write_bytes(data)
    identity = options.pop("identity", kit.identity)
    path.with_name("signed.html.p7s").write_bytes(
        sign_detached(data, identity, options.pop("when", kit.when))
    )
    return path


def test_a_signed_pdf_is_intact_and_trusted(kit: Any, pdf: Path) -> None:
    found = verify(pdf, trust=kit.pem, now=kit.now)
    assert found.intact
    assert found.trusted
    assert found.covers_whole_file
    assert found.evidence_intact
    assert found.problems == ()
    assert (found.kind, found.level, found.document_status) == ("pdf", 0, "final")
    assert found.exit_code == 0
    (signature,) = found.signatures
    assert (signature.signer, signature.organisation) == ("Ada Assessor", "Example")
    assert signature.fingerprint == kit.identity.fingerprint
    assert signature.time == kit.when


def test_a_signed_html_is_intact_and_trusted(kit: Any, html: Path) -> None:
    found = verify(html, trust=kit.pem, now=kit.now)
    assert found.problems == ()
    assert (found.kind, found.exit_code, found.level) == ("html", 0, 0)


def test_an_evidence_file_with_a_signature_beside_it_verifies(kit: Any, tmp_path: Path) -> None:
    data = json.dumps(kit.evidence).encode()
    (tmp_path / "evidence.json").write_bytes(data)
    (tmp_path / "e.p7s").write_bytes(sign_detached(data, kit.identity, kit.when))
    found = verify(tmp_path / "evidence.json", trust=kit.pem, p7s=tmp_path / "e.p7s", now=kit.now)
    assert (found.kind, found.exit_code) == ("evidence", 0)
    assert verify(tmp_path / "evidence.json", trust=kit.pem, now=kit.now).exit_code == 1


@pytest.mark.parametrize("which", ["pdf", "html"])
def test_an_untrusted_signer_is_told_apart_from_a_changed_file(
    kit: Any, which: str, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(which)
    for trust in (None, kit.other_pem):
        found = verify(path, trust=trust, now=kit.now)
        assert found.intact
        assert not found.trusted
        assert found.exit_code == 4
        assert any("not trusted" in problem for problem in found.problems)
    path.write_bytes(path.read_bytes().replace(b"Assessment", b"Assassment", 1) + b"\n")
    found = verify(path, trust=kit.pem, now=kit.now)
    assert not found.intact
    assert not found.trusted
    assert found.exit_code == 1


def test_integrity_only_does_not_ask_for_trust(kit: Any, pdf: Path) -> None:
    found = verify(pdf, integrity_only=True, now=kit.now)
    assert not found.trusted
    assert found.exit_code == 0
    assert "was not checked" in found.summary


@pytest.mark.parametrize("integrity_only", [True, False])
def test_an_unsigned_file_is_a_failure(kit: Any, tmp_path: Path, integrity_only: bool) -> None:
    for name, data in (("a.pdf", kit.pdf), ("a.html", kit.html)):
        (tmp_path / name).write_bytes(data)
        found = verify(tmp_path / name, trust=kit.pem, integrity_only=integrity_only, now=kit.now)
        assert found.exit_code == 1
        assert found.signatures == ()
        assert found.document_status == "unknown"
        assert "not signed" in found.problems[0]


def test_trust_may_be_one_of_several_certificates_in_a_file(
    kit: Any, pdf: Path, tmp_path: Path, write_pem: Callable[..., Path]
) -> None:
    roots = write_pem(tmp_path / "roots.pem", kit.other, kit.identity)
    assert verify(pdf, trust=roots, now=kit.now).exit_code == 0


def test_a_signer_certified_by_a_trusted_root_is_trusted(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    root = make_identity("Root", ca=True)
    middle = make_identity("Middle", issuer=root, ca=True)
    signer = make_identity("Ada", issuer=middle, chain=(middle.certificate, root.certificate))
    path = signed_as(kit, tmp_path, kit.html, identity=signer)
    assert verify(path, trust=write_pem(tmp_path / "root.pem", root), now=kit.now).exit_code == 0
    assert verify(path, trust=write_pem(tmp_path / "ada.pem", signer), now=kit.now).exit_code == 0
    # A root inside the signature proves nothing.
    assert verify(path, trust=kit.other_pem, now=kit.now).exit_code == 4
    (tmp_path / "a.pdf").write_bytes(sign_pdf(kit.pdf, signer, when=kit.when))
    assert verify(tmp_path / "a.pdf", trust=tmp_path / "root.pem", now=kit.now).exit_code == 0


def test_a_certificate_of_the_same_name_with_another_key_is_not_trusted(
    kit: Any, pdf: Path, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    namesake = make_identity("Ada Assessor")
    assert verify(pdf, trust=write_pem(tmp_path / "n.pem", namesake), now=kit.now).exit_code == 4


def test_a_certificate_that_is_not_for_signing_is_not_trusted(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    identity = make_identity(signing=False)
    path = signed_as(kit, tmp_path, kit.html, identity=identity)
    assert verify(path, trust=write_pem(tmp_path / "i.pem", identity), now=kit.now).exit_code == 4


@pytest.mark.parametrize(("seconds", "code"), [(0, 0), (1, 4)])
def test_the_certificate_is_judged_at_the_second_of_signing(
    kit: Any,
    tmp_path: Path,
    make_identity: Callable[..., Any],
    write_pem: Callable[..., Path],
    seconds: int,
    code: int,
) -> None:
    end = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
    identity = dataclasses.replace(make_identity(end=end), not_after=dt.datetime(2030, 1, 1, tzinfo=dt.UTC))
    roots = write_pem(tmp_path / "i.pem", identity)
    when = end + dt.timedelta(seconds=seconds)
    now = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
    path = signed_as(kit, tmp_path, kit.html, identity=identity, when=when)
    found = verify(path, trust=roots, now=now)
    assert found.intact
    assert found.exit_code == code
    (tmp_path / "a.pdf").write_bytes(sign_pdf(kit.pdf, identity, when=when))
    assert verify(tmp_path / "a.pdf", trust=roots, now=now).exit_code == code
    if code == 0:
        assert "ran out on 01 June 2026" in found.what_is_not_shown
    else:
        assert any("had run out" in problem for problem in found.problems)


def test_a_signature_before_its_certificate_or_from_the_future_is_not_trusted(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    early = dataclasses.replace(make_identity(), not_before=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    roots = write_pem(tmp_path / "i.pem", early)
    path = signed_as(kit, tmp_path, kit.html, identity=early, when=dt.datetime(2025, 12, 31, tzinfo=dt.UTC))
    assert verify(path, trust=roots, now=kit.now).exit_code == 4
    path = signed_as(kit, tmp_path, kit.html, identity=early, when=kit.now + dt.timedelta(days=3))
    found = verify(path, trust=roots, now=kit.now)
    assert found.exit_code == 4
    assert any("still to come" in problem for problem in found.problems)


def test_a_weak_key_binds_nobody(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any], write_pem: Callable[..., Path]
) -> None:
    identity = make_identity(rsa_bits=1024)
    path = signed_as(kit, tmp_path, kit.html, identity=identity)
    found = verify(path, trust=write_pem(tmp_path / "i.pem", identity), now=kit.now)
    assert found.exit_code == 1
    assert any("1024 bits" in problem for problem in found.problems)


def test_evidence_whose_digest_is_wrong_is_found_though_the_signature_holds(
    kit: Any, tmp_path: Path, make_html: Callable[..., bytes]
) -> None:
    wrong = json.loads(json.dumps(kit.evidence))
    wrong["payloads"][0]["content"]["result"]["measures"][0]["value"] = 0.11
    path = signed_as(kit, tmp_path, make_html(wrong))
    found = verify(path, trust=kit.pem, now=kit.now)
    assert found.intact
    assert not found.evidence_intact
    assert (found.exit_code, found.level) == (1, None)
    assert [problem for problem in found.problems if "result 1 (data_bias)" in problem]


def test_a_document_without_evidence_is_no_audit_document(kit: Any, tmp_path: Path) -> None:
    found = verify(signed_as(kit, tmp_path, b"<html></html>"), trust=kit.pem, now=kit.now)
    assert found.intact
    assert not found.evidence_intact
    assert found.exit_code == 1


def test_an_attached_case_file_must_be_the_one_the_evidence_names(
    kit: Any,
    tmp_path: Path,
    make_pdf: Callable[..., bytes],
    make_evidence: Callable[..., dict[str, Any]],
) -> None:
    import hashlib

    toml = b"[engagement]\n"
    case = {"title": "", "digest": "", "files": {"assessment.toml": hashlib.sha256(toml).hexdigest()}}
    evidence = json.dumps(make_evidence(case=case)).encode()
    for attached, code in ((toml, 0), (b"[engagement]\ntitle = 'x'\n", 1)):
        pdf = make_pdf({"evidence.json": evidence, "assessment.toml": attached})
        (tmp_path / "a.pdf").write_bytes(sign_pdf(pdf, kit.identity, when=kit.when))
        assert verify(tmp_path / "a.pdf", trust=kit.pem, now=kit.now).exit_code == code


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"content_sha256": "0" * 64}, "does not have the digest"),
        ({"payloads": [1]}, "another shape"),
        ({"payloads": [{}]}, "another shape"),
        ({"tallies": {"ab" * 32: "AAAA"}}, "the counts abababababab of the evidence"),
        ({"tallies": {"../x": "AAAA"}}, "another shape"),
        ({"tallies": [1]}, "another shape"),
        ({"log": [1]}, "does not have the digest"),
        ({"redaction": "\ud800"}, "does not have the digest"),
    ],
)
def test_evidence_of_any_shape_is_judged_without_a_traceback(
    kit: Any, change: dict[str, Any], words: str
) -> None:
    assert words in " ".join(check_evidence({**kit.evidence, **change}))


def test_evidence_that_says_what_is_missing_makes_a_draft_of_a_final_signature(
    kit: Any,
    tmp_path: Path,
    make_evidence: Callable[..., dict[str, Any]],
    make_html: Callable[..., bytes],
) -> None:
    draft = make_html(make_evidence(draft=["no conclusion has been written"]))
    found = verify(signed_as(kit, tmp_path, draft), trust=kit.pem, now=kit.now)
    assert found.exit_code == 0
    assert found.signatures[0].reason == "final"
    assert found.document_status == "draft"


def test_sound_evidence_has_no_problems(kit: Any) -> None:
    assert check_evidence(kit.evidence) == []


def test_wrong_use_is_an_error_of_its_own(kit: Any, pdf: Path, tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n")
    (tmp_path / "n.ipynb").write_text('{"nbformat": 4, "cells": []}')
    for call, code in (
        (lambda: verify(tmp_path / "absent.pdf"), "no-such-file"),
        (lambda: verify(tmp_path), "no-such-file"),
        (lambda: verify(Path("a\0b")), "no-such-file"),
        (lambda: verify(pdf, trust=tmp_path / "absent.pem"), "no-such-file"),
        (lambda: verify(pdf, trust=tmp_path / "no.pem"), "no-certificate"),
        (lambda: verify(pdf, trust=pdf), "no-certificate"),
        (lambda: verify(tmp_path / "n.ipynb"), "not-a-document"),
    ):
        with pytest.raises(FairnbError) as caught:
            call()
        assert caught.value.code == code
        assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"%PDF-",
        b"%PDF-1.7\n%%EOF",
        b"%PDF-1.7\nxref\n0 1\ntrailer<</Root 1 0 R/Size 1>>\nstartxref\n9\n%%EOF",
        b"{",
        b"{}",
        b'{"schema": "fairnb.evidence/2", "payloads": []}',
        b'{"schema": "fairnb.evidence/1", "payloads": []}',
        b"[" * 50_000,
        b"{" * 50_000,
        b'{"a":' * 50_000,
        b"<html" * 1000,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b'<a id="fairnb-evidence" download="evidence.json" href="data:,%7B%7D">',
        b'<a id="fairnb-evidence" download="evidence.json" href="data:application/json;base64,!!!">',
        b'<a id="fairnb-evidence" download="../x" href="data:,x">',
    ],
)
def test_whatever_the_file_holds_there_is_an_answer_and_it_is_no(
    kit: Any, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    for signature in (None, b"", kit.signature, b"0\x80" * 40, b"\x30\x03\x02\x01\x01", bytes(50)):
        if signature is not None:
            (tmp_path / "file.p7s").write_bytes(signature)
        found = verify(path, trust=kit.pem, now=kit.now)
        assert found.exit_code == 1
        assert found.problems
        assert not found.trusted
        json.loads(found.to_json())
        assert found.describe()


def test_a_file_that_is_too_large_is_not_read(kit: Any, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_inside, "LARGEST", 1000)
    # The certificate fits, the document does not.
    found = verify(pdf, now=kit.now)
    assert found.exit_code == 1
    assert "larger than" in found.problems[0]


def test_an_encrypted_pdf_is_refused_with_its_reason(kit: Any, tmp_path: Path) -> None:
    for user in ("", "secret"):
        with pikepdf.open(io.BytesIO(kit.pdf)) as document:
            document.save(tmp_path / "a.pdf", encryption=pikepdf.Encryption(owner="o", user=user))
        found = verify(tmp_path / "a.pdf", trust=kit.pem, now=kit.now)
        assert found.exit_code == 1
        assert any("encrypted" in problem for problem in found.problems)


def test_every_field_of_a_status_says_what_it_asserts() -> None:
    import ast
    import inspect

    from fairnb.report import _status

    tree = ast.parse(inspect.getsource(_status))
    for known in (SignatureStatus, VerificationStatus):
        body = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == known.__name__).body
        documented = {
            node.target.id
            for node, after in itertools.pairwise(body)
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        }
        assert documented == {field.name for field in dataclasses.fields(known)}


def test_a_status_cannot_be_changed(kit: Any, pdf: Path) -> None:
    found = verify(pdf, trust=kit.other_pem, now=kit.now)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.trusted = True  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.signatures[0].trusted = True  # type: ignore[misc]
    assert isinstance(found.signatures, tuple)
    assert isinstance(found.problems, tuple)


def test_the_status_as_json_has_what_scripts_rely_on(kit: Any, pdf: Path) -> None:
    shown = json.loads(verify(pdf, trust=kit.pem, now=kit.now).to_json())
    assert shown["intact"] is shown["trusted"] is shown["covers_whole_file"] is True
    assert (shown["level"], shown["document_status"], shown["exit_code"]) == (0, "final", 0)
    assert shown["signatures"][0]["signer"] == "Ada Assessor"
    assert shown["signatures"][0]["time"] == "2026-03-01T12:00:00+00:00"


def test_the_status_says_what_is_not_shown(kit: Any, pdf: Path) -> None:
    shown = verify(pdf, trust=kit.pem, now=kit.now).describe()
    assert "Reached level 0 of 3" in shown
    assert "level 3, that the system scored the texts again" in shown
    assert "signer's own clock" in shown


def test_a_hostile_name_cannot_move_the_cursor(
    kit: Any, tmp_path: Path, make_identity: Callable[..., Any]
) -> None:
    identity = make_identity("Ada\x1b[2J\u202egro.elpmaxe")
    shown = verify(signed_as(kit, tmp_path, kit.html, identity=identity), now=kit.now).describe()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\u202e" in shown


def test_verification_works_inside_a_running_event_loop(kit: Any, pdf: Path, html: Path) -> None:
    async def cell() -> list[int]:
        return [int(verify(path, trust=kit.pem, now=kit.now).exit_code) for path in (pdf, html)]

    assert asyncio.run(cell()) == [0, 0]


def test_verification_asks_nothing_of_the_network_and_says_nothing_in_the_log(
    kit: Any, pdf: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("verification opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for trust in (kit.pem, kit.other_pem, None):
        verify(pdf, trust=trust, now=kit.now)
    pdf.write_bytes(pdf.read_bytes()[:-300])
    verify(pdf, trust=kit.pem, now=kit.now)
    assert caplog.records == []
