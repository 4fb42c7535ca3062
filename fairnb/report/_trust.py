"""Whom the receiver trusts: pinned certificates, and what a signer's certificate must be."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairnb.errors import FairnbError
from fairnb.report._identity import fingerprint_of, name_in
from fairnb.report._inside import read_document

if TYPE_CHECKING:
    from cryptography import x509

_SLOW_CLOCK = dt.timedelta(hours=24)
"""How far a signer's clock may run ahead of the receiver's."""
_SMALLEST_RSA = 2048


@dataclass(frozen=True)
class Judgement:
    """What is found out about a signer's certificate."""

    name: str
    organisation: str
    fingerprint: str
    not_after: dt.datetime
    mistrust: str
    """Why the signer is not trusted, whatever the roots say; empty if there is no reason."""
    weak: str
    """Why a signature by this key binds nobody; empty if it does."""


def load_roots(path: Path) -> tuple[x509.Certificate, ...]:
    """Certificates of a PEM file, one or several; or of a DER file.

    Raises
    ------
    FairnbError
        ``no-such-file``, ``cannot-read``, ``no-certificate``.
    """
    from cryptography import x509

    data = read_document(path)
    try:
        if b"-----BEGIN" in data:
            return tuple(x509.load_pem_x509_certificates(data))
        return (x509.load_der_x509_certificate(data),)
    except ValueError as error:
        raise FairnbError(
            "no-certificate",
            "the file holds no certificate that can be read",
            "give a PEM file with the certificates you trust, such as the signer's .pem",
            where=str(path),
        ) from error


def context(roots: Sequence[x509.Certificate], moment: dt.datetime) -> Any:
    """What pyHanko needs to judge a certificate: these roots only, no network, at this moment."""
    from pyhanko_certvalidator import ValidationContext

    return ValidationContext(
        trust_roots=[_as_asn1(root) for root in roots],
        moment=moment,
        allow_fetching=False,
        time_tolerance=dt.timedelta(0),
    )


def key_usage() -> Any:
    """A signer's certificate must be for signatures."""
    from pyhanko.sign.validation.settings import KeyUsageConstraints

    return KeyUsageConstraints(key_usage={"digital_signature", "non_repudiation"})


def pinned(path: Any, roots: Sequence[x509.Certificate]) -> bool:
    """Whether a validation path starts at one of the roots, by fingerprint."""
    if path is None:
        return False
    anchor = path.trust_anchor.authority.certificate
    return anchor.sha256.hex() in {fingerprint_of(root) for root in roots}


def judge(certificate: Any, moment: dt.datetime | None, now: dt.datetime) -> Judgement:
    """What a signer's certificate says, and what speaks against it.

    Parameters
    ----------
    certificate : asn1crypto certificate
    moment : datetime, optional
        The time of signing that the signer claims.
    now : datetime
    """
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import rsa

    found = x509.load_der_x509_certificate(certificate.dump())
    key = found.public_key()
    weak = ""
    if isinstance(key, rsa.RSAPublicKey) and key.key_size < _SMALLEST_RSA:
        weak = f"the signer's RSA key has only {key.key_size} bits"
    mistrust = ""
    # certvalidator takes a pinned certificate at its word and looks at neither time nor use of it.
    if not _for_signing(found):
        mistrust = "the certificate is not for signing"
    elif moment is None:
        mistrust = "the signature states no time"
    elif moment < found.not_valid_before_utc:
        mistrust = f"the certificate was not valid before {found.not_valid_before_utc:%d %B %Y}"
    elif moment > found.not_valid_after_utc:
        mistrust = f"the certificate had run out on {found.not_valid_after_utc:%d %B %Y}"
    elif moment > now + _SLOW_CLOCK:
        mistrust = f"the signature is dated {moment:%d %B %Y}, which is still to come"
    return Judgement(
        name_in(found.subject, x509.NameOID.COMMON_NAME) or found.subject.rfc4514_string(),
        name_in(found.subject, x509.NameOID.ORGANIZATION_NAME),
        fingerprint_of(found),
        found.not_valid_after_utc,
        mistrust,
        weak,
    )


def _for_signing(certificate: x509.Certificate) -> bool:
    from cryptography import x509

    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return False
    return usage.digital_signature or usage.content_commitment


def _as_asn1(certificate: x509.Certificate) -> Any:
    from cryptography.hazmat.primitives import serialization
    from pyhanko.keys.pemder import load_certs_from_pemder_data

    return next(iter(load_certs_from_pemder_data(certificate.public_bytes(serialization.Encoding.DER))))
