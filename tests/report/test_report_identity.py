"""Making, opening and refusing identities, and where a passphrase comes from."""

from __future__ import annotations

import datetime as dt
import io
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import pkcs12

from fairnb.errors import FairnbError
from fairnb.report._identity import load_identity, new_identity, passphrase_from

PASSPHRASE = "a goose walks at noon"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("identity")
    return new_identity(
        folder / "ada.p12", name="Ada Müller", organisation="Example & Söhne", passphrase=PASSPHRASE
    )


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(FairnbError) as caught:
        call()
    assert PASSPHRASE not in str(caught.value)
    return caught.value.code


def test_a_new_identity_opens_with_its_passphrase_and_says_whose_it_is(files: Any) -> None:
    identity = load_identity(files.identity, PASSPHRASE)
    assert (identity.name, identity.organisation) == ("Ada Müller", "Example & Söhne")
    assert identity.self_signed
    assert (identity.not_after - identity.not_before).days == 1095


def test_only_the_owner_may_read_the_key_file(files: Any) -> None:
    assert stat.S_IMODE(files.identity.stat().st_mode) == 0o600


def test_the_certificate_is_for_signing_and_not_for_issuing(files: Any) -> None:
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.digital_signature
    assert usage.content_commitment
    assert not usage.key_cert_sign
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_the_pem_file_holds_no_key(files: Any) -> None:
    assert b"PRIVATE" not in files.certificate.read_bytes()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_reads_the_identity_and_shows_modern_encryption(files: Any) -> None:
    shown = subprocess.run(
        ["openssl", "pkcs12", "-in", files.identity, "-passin", f"pass:{PASSPHRASE}", "-info", "-noout"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "AES-256-CBC" in shown.stderr
    assert "hmacWithSHA256" in shown.stderr
    assert "MAC: sha256" in shown.stderr


def test_the_fingerprint_is_that_of_the_certificate_by_another_library(files: Any) -> None:
    import hashlib

    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    der = certificate.public_bytes(serialization.Encoding.DER)
    assert files.fingerprint == hashlib.sha256(der).hexdigest()


def test_an_identity_is_never_overwritten(files: Any) -> None:
    before = files.identity.read_bytes()
    call = lambda: new_identity(files.identity, name="X", passphrase=PASSPHRASE)  # noqa: E731
    assert code_of(call) == "file-exists"
    assert files.identity.read_bytes() == before


def test_a_passphrase_that_is_no_text_is_refused(tmp_path: Path) -> None:
    call = lambda: new_identity(tmp_path / "a.p12", name="X", passphrase="long enough \udcff")  # noqa: E731
    assert code_of(call) == "passphrase-not-text"
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_of_that_name_is_not_overwritten_either(tmp_path: Path) -> None:
    (tmp_path / "a.pem").write_text("mine")
    assert code_of(lambda: new_identity(tmp_path / "a.p12", name="X", passphrase=PASSPHRASE)) == "file-exists"
    assert not (tmp_path / "a.p12").exists()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"name": ""}, "bad-name"),
        ({"name": "x" * 65}, "bad-name"),
        ({"name": "Ada\nMüller"}, "bad-name"),
        ({"organisation": "x" * 65}, "bad-name"),
        ({"passphrase": "short"}, "weak-passphrase"),
        ({"days": 0}, "bad-days"),
        ({"days": 99999}, "bad-days"),
    ],
)
def test_a_bad_request_writes_nothing(tmp_path: Path, given: dict[str, Any], code: str) -> None:
    request: dict[str, Any] = {"name": "Ada", "passphrase": PASSPHRASE, **given}
    assert code_of(lambda: new_identity(tmp_path / "a.p12", **request)) == code
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    call = lambda: new_identity(tmp_path / "no" / "a.p12", name="Ada", passphrase=PASSPHRASE)  # noqa: E731
    assert code_of(call) == "cannot-write"


def test_a_wrong_passphrase_is_told_apart_from_a_wrong_file(files: Any) -> None:
    assert code_of(lambda: load_identity(files.identity, "not the passphrase")) == "wrong-passphrase"
    assert code_of(lambda: load_identity(files.identity, "")) == "wrong-passphrase"
    assert code_of(lambda: load_identity(files.certificate, PASSPHRASE)) == "not-an-identity"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert code_of(lambda: load_identity(tmp_path / "no.p12", PASSPHRASE)) == "no-such-file"


def test_a_folder_cannot_be_an_identity(tmp_path: Path) -> None:
    assert code_of(lambda: load_identity(tmp_path, PASSPHRASE)) == "cannot-read"


@pytest.mark.parametrize("data", [b"", b"0", b"PK\x03\x04", b"\x30\x82\xff\xff" + bytes(80)])
def test_bytes_that_are_no_identity_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.p12"
    path.write_bytes(data)
    assert code_of(lambda: load_identity(path, PASSPHRASE)) == "not-an-identity"


def test_a_file_with_a_certificate_alone_has_no_key(files: Any, tmp_path: Path) -> None:
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    path = tmp_path / "a.p12"
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(
            None, None, None, [certificate], serialization.BestAvailableEncryption(PASSPHRASE.encode())
        )
    )
    assert code_of(lambda: load_identity(path, PASSPHRASE)) == "no-key"


def test_a_key_that_cannot_sign_documents_here_is_refused(tmp_path: Path) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Ada")])
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 7, start, start + dt.timedelta(days=9000))
    ).sign(key, None)
    path = tmp_path / "a.p12"
    path.write_bytes(
        pkcs12.serialize_key_and_certificates(
            None, key, certificate, None, serialization.BestAvailableEncryption(PASSPHRASE.encode())
        )
    )
    assert code_of(lambda: load_identity(path, PASSPHRASE)) == "unsuitable-key"


@pytest.mark.parametrize("moment", ["2000-01-01", "2100-01-01"])
def test_an_identity_that_is_not_valid_now_is_refused(files: Any, moment: str) -> None:
    now = dt.datetime.fromisoformat(moment).replace(tzinfo=dt.UTC)
    assert code_of(lambda: load_identity(files.identity, PASSPHRASE, now=now)) == "expired-identity"


def test_key_and_passphrase_do_not_show_in_the_representation(files: Any) -> None:
    shown = repr(load_identity(files.identity, PASSPHRASE))
    assert "key=" not in shown
    assert PASSPHRASE not in shown


def test_a_passphrase_file_goes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRNB_PASSPHRASE", "from the environment")
    (tmp_path / "p").write_text("from the file\r\nsecond line\n")
    assert passphrase_from(tmp_path / "p") == "from the file"
    assert passphrase_from() == "from the environment"


def test_an_empty_passphrase_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("\n")
    assert code_of(lambda: passphrase_from(tmp_path / "p")) == "no-passphrase"


def test_without_a_terminal_there_is_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRNB_PASSPHRASE", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO("never read\n"))
    assert code_of(passphrase_from) == "no-passphrase"
    monkeypatch.setattr(sys, "stdin", None)
    assert code_of(passphrase_from) == "no-passphrase"


def test_a_prompt_is_asked_once_and_twice_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRNB_PASSPHRASE", raising=False)
    answers = iter(["one", "two", "two", "two", "three", ""])
    ask = lambda _: next(answers)  # noqa: E731
    assert passphrase_from(ask=ask) == "one"
    assert passphrase_from(ask=ask, confirm=True) == "two"
    assert code_of(lambda: passphrase_from(ask=ask, confirm=True)) == "passphrases-differ"
    assert code_of(lambda: passphrase_from(ask=ask)) == "no-passphrase"
