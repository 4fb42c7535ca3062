# mypy: disable-error-code="import-untyped"
"""The inside of a signature: what it states besides the digest, and that nothing in it is loose."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote, unquote

T = TypeVar("T")

_ROLE = "urn:fairnb:role:"
_REASON = "urn:fairnb:reason:"
HASHES = ("sha256", "sha384", "sha512")
"""Digests strong enough to bind a document."""


def signed_attributes(role: str, reason: str) -> Any:
    """CAdES claimed attributes: the role, and the reason where the document has no place for it."""
    from asn1crypto import cms, x509
    from pyhanko.sign.ades.api import CAdESSignedAttrSpec, SignerAttrSpec

    claimed = [_ROLE + quote(role, safe="")] if role else []
    claimed += [_REASON + quote(reason, safe="")] if reason else []
    if not claimed:
        return CAdESSignedAttrSpec()
    names = [
        {"role_name": x509.GeneralName("uniform_resource_identifier", x509.URI(text))} for text in claimed
    ]
    attribute = cms.AttCertAttribute({"type": "role", "values": names})
    return CAdESSignedAttrSpec(
        signer_attributes=SignerAttrSpec(claimed_attrs=[attribute], certified_attrs=[])
    )


def claimed(signer_info: Any) -> tuple[str, str]:
    """Role and reason among a signature's claimed attributes; empty where there are none."""
    role = reason = ""
    for statement in signer_info["signed_attrs"]:
        if statement["type"].native != "signer_attributes_v2":
            continue
        for attribute in statement["values"].native[0]["claimed_attributes"] or ():
            for value in attribute["values"] if attribute["type"] == "role" else ():
                text = str(value["role_name"])
                if text.startswith(_ROLE):
                    role = unquote(text.removeprefix(_ROLE))
                elif text.startswith(_REASON):
                    reason = unquote(text.removeprefix(_REASON))
    return role, reason


def loose_ends(der: bytes) -> str:
    """What in a CMS signature its own digest does not cover and is not as it must be; empty if nothing.

    A bit changed in such a place leaves the signature valid. So whatever stands outside the signed
    attributes must be exactly what those attributes imply.

    Parameters
    ----------
    der : bytes
        The signature without padding.
    """
    from asn1crypto import cms

    if not _is_der(der, 0, len(der)):
        return "the signature is not written in its canonical form"
    info = cms.ContentInfo.load(der, strict=True)
    if info["content_type"].native != "signed_data":
        return "the signature is not a CMS signature"
    signed = info["content"]
    signers = list(signed["signer_infos"])
    if len(signers) != 1:
        return f"the signature names {len(signers)} signers instead of one"
    signer = signers[0]
    digest = signer["digest_algorithm"]["algorithm"].native
    if digest not in HASHES:
        return f"the digest {digest} is too weak"
    if not _same_algorithms(signed, signer, digest):
        return "the signature names its algorithms in an unusual way"
    if signed["version"].native != "v1" or signer["version"].native != "v1":
        return "the signature is of an unusual version"
    content = signed["encap_content_info"]
    if content["content_type"].native != "data" or content["content"].native is not None:
        return "the signature carries other content"
    if signed["crls"].native is not None:
        return "the signature carries revocation lists"
    if signer["unsigned_attrs"].native is not None:
        return "the signature carries statements that are not signed"
    signed_types = [attribute["type"].native for attribute in signer["signed_attrs"]]
    if signed_types.count("signing_certificate_v2") != 1 or len(set(signed_types)) != len(signed_types):
        return "the signature does not say with which certificate it was made"
    if not _names_its_signer(der):
        return "the signature names its signer in an unusual way"
    return _stray_certificates(signed)


def _names_its_signer(der: bytes) -> bool:
    """Whether issuer and number are those of the certificate to the byte: names compare without case."""
    _, signer, certificate = opened(der)
    sid = signer["sid"]
    if sid.name == "subject_key_identifier":
        return bool(sid.native == certificate.key_identifier)
    return bool(
        sid.chosen["issuer"].dump() == certificate.issuer.dump()
        and sid.chosen["serial_number"].dump() == certificate["tbs_certificate"]["serial_number"].dump()
    )


def _same_algorithms(signed: Any, signer: Any, digest: str) -> bool:
    from asn1crypto import cms, core

    def written(kind: Any, name: str) -> set[bytes]:
        # RFC 5754 wants the parameters absent, and says that NULL must be read too.
        return {kind({"algorithm": name, **extra}).dump() for extra in ({}, {"parameters": core.Null()})}

    digests = written(cms.DigestAlgorithm, digest)
    listed = [item.dump() for item in signed["digest_algorithms"]]
    name = signer["signature_algorithm"]["algorithm"].native
    signature = signer["signature_algorithm"].dump()
    return (
        len(listed) == 1
        and listed[0] in digests
        and signer["digest_algorithm"].dump() in digests
        and name in (f"{digest}_ecdsa", f"{digest}_rsa", "rsassa_pkcs1v15", "rsassa_pss")
        and (name == "rsassa_pss" or signature in written(cms.SignedDigestAlgorithm, name))
    )


def _stray_certificates(signed: Any) -> str:
    """Every certificate beside the signer's must have issued another one there."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature

    certificates = [x509.load_der_x509_certificate(item.chosen.dump()) for item in signed["certificates"]]
    if len(certificates) == 1:
        return ""
    issuers = 0
    for issuer in certificates:
        for certificate in certificates:
            if certificate == issuer:
                continue
            try:
                certificate.verify_directly_issued_by(issuer)
            except (InvalidSignature, ValueError, TypeError):
                continue
            issuers += 1
            break
    return "" if issuers == len(certificates) - 1 else "the signature carries certificates it does not need"


def _is_der(data: bytes, start: int, end: int, depth: int = 0) -> bool:
    """Whether the bytes are DER values one after another: lengths definite, shortest, and exact."""
    if depth > 40:
        return False
    while start < end:
        constructed = data[start] & 0x20
        if data[start] & 0x1F == 0x1F or start + 2 > end:
            return False
        size = data[start + 1]
        body = start + 2
        if size == 0x80 or size > 0x84:
            return False
        if size > 0x80:
            count = size & 0x7F
            digits = data[body : body + count]
            size = int.from_bytes(digits, "big")
            body += count
            if len(digits) < count or size < 0x80 or digits[0] == 0:
                return False
        if body + size > end or (constructed and not _is_der(data, body, body + size, depth + 1)):
            return False
        start = body + size
    return start == end


def opened(der: bytes) -> tuple[Any, Any, Any]:
    """Signed data, signer's info and signer's certificate of a CMS signature."""
    from asn1crypto import cms
    from pyhanko.sign.general import extract_certificate_info, extract_signer_info

    signed = cms.ContentInfo.load(der, strict=True)["content"]
    return signed, extract_signer_info(signed), extract_certificate_info(signed).signer_cert


def signing_time(signer_info: Any) -> dt.datetime | None:
    """The time a signer claims, if exactly one is claimed."""
    times = [
        attribute["values"].native[0]
        for attribute in signer_info["signed_attrs"]
        if attribute["type"].native == "signing_time"
    ]
    return times[0] if len(times) == 1 and isinstance(times[0], dt.datetime) else None


def der_length(data: bytes) -> int:
    """Length of the DER value at the start of some bytes."""
    from asn1crypto import parser

    return int(parser.peek(data))


def reason_of(error: Exception) -> str:
    """An error of a library in a few words; its own may be long or empty."""
    text = " ".join(str(error).split())
    return text[:120] if text else type(error).__name__


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine; in a notebook a loop is running already, so it gets a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep pyHanko's log still: what it would say is in the status or in an error."""
    loggers = [logging.getLogger(name) for name in ("pyhanko", "pyhanko_certvalidator")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
