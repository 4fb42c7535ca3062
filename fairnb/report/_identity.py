"""Who signs: a key with its certificate in a PKCS#12 file."""

from __future__ import annotations

import datetime as dt
import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fairnb.errors import FairnbError
from fairnb.files import sha256, write_all

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import KeySerializationEncryption

PASSPHRASE = "FAIRNB_PASSPHRASE"  # noqa: S105 - the variable's name, not a passphrase
_SHORTEST = 8
_PKCS7_DATA = bytes.fromhex("06092a864886f70d010701")
"""Object identifier near the start of every PKCS#12 file that a passphrase protects."""
_ROUNDS = 600_000
"""PBKDF2 rounds for the key file (OWASP's figure of 2023 for HMAC-SHA-256)."""


@dataclass(frozen=True)
class IdentityFiles:
    """What `new_identity` wrote."""

    identity: Path
    """PKCS#12 file with key and certificate: stays with its owner."""
    certificate: Path
    """PEM file with the certificate: goes to whoever verifies, by a way they trust."""
    fingerprint: str
    """SHA-256 of the certificate, to compare over another channel."""


@dataclass(frozen=True)
class Identity:
    """A signer's key and certificate, ready to sign."""

    name: str
    """Common name in the certificate: what the certificate says, not who holds the key."""
    organisation: str
    """Organisation in the certificate; may be empty."""
    not_before: dt.datetime
    not_after: dt.datetime
    """End of validity, UTC. A signature dated later is not trusted."""
    fingerprint: str
    """SHA-256 of the certificate."""
    self_signed: bool
    """True: trusted only by those who were given this very certificate."""
    certificate: x509.Certificate = field(repr=False)
    chain: tuple[x509.Certificate, ...] = field(repr=False)
    """Certificates between the signer's and a root, put into each signature."""
    key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey = field(repr=False)


def new_identity(
    path: Path,
    *,
    name: str,
    organisation: str = "",
    passphrase: str,
    days: int = 1095,
    now: dt.datetime | None = None,
) -> IdentityFiles:
    """Make a key (EC P-256) with a self-signed certificate for signing.

    Nothing vouches for the name in it but whoever hands the certificate over.

    Parameters
    ----------
    path : Path
        PKCS#12 file to write, mode 0600; the certificate goes beside it as ``.pem``. Neither is overwritten.
    name, organisation : str
        At most 64 characters each (the limit of X.520).
    passphrase : str
        At least 8 characters.
    days : int
        Days of validity, 1 to 3650.
    now : datetime, optional
        Start of validity; the clock's time by default.

    Raises
    ------
    FairnbError
        ``file-exists``, ``bad-name``, ``bad-days``, ``weak-passphrase``, ``cannot-write``.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.serialization import pkcs12

    pem = path.with_suffix(".pem")
    _check_request(path, pem, name, organisation, passphrase, days)
    key, certificate = _self_signed(name, organisation, days, now or _clock())
    container = pkcs12.serialize_key_and_certificates(
        name.encode(), key, certificate, None, _encryption(passphrase)
    )
    # An empty file made with the mode first: the key is never readable by others, not for a moment.
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise FairnbError(
            "cannot-write",
            f"the file cannot be written ({error.strerror or error})",
            "choose a folder that exists and that you may write to",
            where=str(path),
        ) from error
    try:
        write_all({path: container, pem: certificate.public_bytes(serialization.Encoding.PEM)})
    except FairnbError:
        path.unlink(missing_ok=True)
        raise
    return IdentityFiles(path, pem, fingerprint_of(certificate))


def load_identity(path: Path, passphrase: str, *, now: dt.datetime | None = None) -> Identity:
    """Key and certificate of a PKCS#12 file.

    Parameters
    ----------
    path : Path
    passphrase : str
        Never appears in messages.
    now : datetime, optional
        The time the certificate must be valid at; the clock's time by default.

    Raises
    ------
    FairnbError
        ``no-such-file``, ``cannot-read``, ``wrong-passphrase``, ``not-an-identity``, ``no-key``,
        ``unsuitable-key``, ``expired-identity``.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import pkcs12

    data = _read(path)
    try:
        key, certificate, chain = pkcs12.load_key_and_certificates(data, passphrase.encode())
    except (ValueError, TypeError) as error:
        raise _unreadable(path, data) from error
    if key is None or certificate is None:
        raise FairnbError(
            "no-key",
            f"the file holds no {'key' if key is None else 'certificate'}",
            "export key and certificate together into one PKCS#12 file",
            where=str(path),
        )
    if not isinstance(key, (ec.EllipticCurvePrivateKey, rsa.RSAPrivateKey)) or (
        isinstance(key, rsa.RSAPrivateKey) and key.key_size < 2048
    ):
        raise FairnbError(
            "unsuitable-key",
            "the key is neither RSA of 2048 bits or more nor on an elliptic curve",
            "make an identity with 'fairnb identity new'",
            where=str(path),
        )
    moment = now or _clock()
    if not certificate.not_valid_before_utc <= moment <= certificate.not_valid_after_utc:
        raise FairnbError(
            "expired-identity",
            f"the certificate is valid from {certificate.not_valid_before_utc:%d %B %Y} to "
            f"{certificate.not_valid_after_utc:%d %B %Y} only",
            "make a new identity with 'fairnb identity new'",
            where=str(path),
        )
    return Identity(
        name=name_in(certificate.subject, x509.NameOID.COMMON_NAME) or certificate.subject.rfc4514_string(),
        organisation=name_in(certificate.subject, x509.NameOID.ORGANIZATION_NAME),
        not_before=certificate.not_valid_before_utc,
        not_after=certificate.not_valid_after_utc,
        fingerprint=fingerprint_of(certificate),
        self_signed=certificate.subject == certificate.issuer,
        certificate=certificate,
        chain=tuple(chain),
        key=key,
    )


def passphrase_from(
    file: Path | None = None, *, confirm: bool = False, ask: Callable[[str], str] | None = None
) -> str:
    """Passphrase from a file, `FAIRNB_PASSPHRASE` or a prompt, in this order.

    Parameters
    ----------
    file : Path, optional
        Its first line, without the line end.
    confirm : bool
        Ask twice, for a new identity.
    ask : callable, optional
        What shows the prompt and reads without echo; `getpass.getpass` on a terminal by default.

    Raises
    ------
    FairnbError
        ``no-passphrase`` without a terminal and without one given: never a wait; ``passphrases-differ``.
    """
    if file is not None:
        lines = _read(file).decode("utf-8", "replace").splitlines()
        if not lines or not lines[0]:
            raise FairnbError(
                "no-passphrase",
                "the file's first line is empty",
                "write the passphrase into its first line",
                where=str(file),
            )
        return lines[0]
    if given := os.environ.get(PASSPHRASE):
        return given
    if ask is None:
        if sys.stdin is None or not sys.stdin.isatty():
            raise FairnbError(
                "no-passphrase",
                "there is no terminal to ask for the passphrase",
                f"set {PASSPHRASE} or give --passphrase-file",
            )
        ask = getpass.getpass
    passphrase = ask("Passphrase of the identity: ")
    if confirm and ask("The same again: ") != passphrase:
        raise FairnbError("passphrases-differ", "the two passphrases differ", "type the same one twice")
    if not passphrase:
        raise FairnbError("no-passphrase", "the passphrase is empty", f"type one, or set {PASSPHRASE}")
    return passphrase


def fingerprint_of(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate, lower-case hexadecimal."""
    from cryptography.hazmat.primitives import serialization

    return sha256(certificate.public_bytes(serialization.Encoding.DER))


def name_in(name: x509.Name, kind: x509.ObjectIdentifier) -> str:
    """First value of one kind in a name, or an empty string."""
    values = name.get_attributes_for_oid(kind)
    return str(values[0].value) if values else ""


def _self_signed(
    name: str, organisation: str, days: int, start: dt.datetime
) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    parts = [x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]
    if organisation:
        parts.append(x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, organisation))
    subject = x509.Name(parts)
    usage = dict.fromkeys(
        ("key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign",
         "encipher_only", "decipher_only"), False
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=True, content_commitment=True, **usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def _encryption(passphrase: str) -> KeySerializationEncryption:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12

    return (
        PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(_ROUNDS)
        .key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC)
        .hmac_hash(hashes.SHA256())
        .build(passphrase.encode())
    )


def _check_request(path: Path, pem: Path, name: str, organisation: str, passphrase: str, days: int) -> None:
    try:
        passphrase.encode()
    except UnicodeEncodeError:
        raise FairnbError(
            "passphrase-not-text",
            "the passphrase is not valid UTF-8",
            "choose one that a keyboard can type",
            where="FAIRNB_PASSPHRASE",
        ) from None
    for target in (path, pem):
        if target.exists() or target.is_symlink():
            raise FairnbError(
                "file-exists",
                "there is a file of this name already, and an identity is never overwritten",
                "choose another name",
                where=str(target),
            )
    if path.suffix == ".pem":
        raise FairnbError(
            "bad-name", "the identity would have the name of its certificate", "choose a name ending in .p12"
        )
    for what, text in (("name", name), ("organisation", organisation)):
        if len(text) > 64 or not text.isprintable() or (what == "name" and not text.strip()):
            raise FairnbError(
                "bad-name", f"the {what} {text[:80]!r} cannot stand in a certificate", "give 1 to 64 letters"
            )
    if len(passphrase) < _SHORTEST:
        raise FairnbError(
            "weak-passphrase",
            f"the passphrase has {len(passphrase)} characters",
            f"choose one of {_SHORTEST} or more",
        )
    if not 1 <= days <= 3650:
        raise FairnbError("bad-days", f"the identity cannot be valid for {days} days", "give 1 to 3650")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise FairnbError(
            "no-such-file", "there is no such file", "check the name and the folder", where=str(path)
        ) from error
    except OSError as error:
        raise FairnbError(
            "cannot-read",
            f"the file cannot be read ({error.strerror or error})",
            "check the name and your rights",
            where=str(path),
        ) from error


def _unreadable(path: Path, data: bytes) -> FairnbError:
    if not data.startswith(b"0") or _PKCS7_DATA not in data[:64]:
        return FairnbError(
            "not-an-identity",
            "the file is not a PKCS#12 file",
            "give the .p12 file that 'fairnb identity new' wrote",
            where=str(path),
        )
    return FairnbError(
        "wrong-passphrase",
        "the passphrase does not open the identity",
        "check it; a lost passphrase cannot be recovered",
        where=str(path),
    )


def _clock() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(microsecond=0)
