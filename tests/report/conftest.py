"""A small signed document, a small certificate authority, and what is needed to attack both."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PASSPHRASE = "a goose walks at noon"
SIGNED_AT = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Kit:
    """What tests about signatures start from; every value is made once and never changed."""

    identity: Any
    """The assessor's identity, valid from 2026 to 2028."""
    pem: Path
    """Its certificate."""
    other: Any
    other_pem: Path
    evidence: dict[str, Any]
    pdf: bytes
    """Unsigned, tagged, with the evidence attached."""
    html: bytes
    signed_pdf: bytes
    signature: bytes
    """Detached signature of `html`."""
    when: dt.datetime
    now: dt.datetime


def evidence_of(*payloads: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """Evidence with right digests, by the rule of the format: content_sha256 is over all the rest."""
    from fairnb.files import digest_of
    from fairnb.statistics import tally

    counts = tally([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.1])
    evidence = {
        "schema": "fairnb.evidence/1",
        "case": {"title": "Assessment of an example", "digest": "0" * 64, "files": {}},
        "payloads": list(payloads),
        "tallies": {counts.digest: base64.b64encode(counts.to_bytes()).decode()},
        "log": [],
        "redaction": "mask",
        **changed,
    }
    return {**evidence, "content_sha256": digest_of(evidence)}


def payload_of(section: str, target: str, *measures: dict[str, Any]) -> dict[str, Any]:
    """A payload as a case stores it, reduced to what readers of evidence look at."""
    from fairnb.files import digest_of
    from fairnb.sections import Measure, Result

    result = Result(measures=tuple(Measure(**measure) for measure in measures))
    content = {
        "section": section,
        "section_version": 1,
        "title": section,
        "target": target,
        "parameters": {},
        "result": result.model_dump(mode="json"),
    }
    return {
        "schema": "fairnb.result/1",
        "content": content,
        "context": {},
        "content_sha256": digest_of(content),
    }


def html_with(evidence: dict[str, Any], *, more: str = "") -> bytes:
    """A document as the exporter writes it, reduced to its link to the evidence."""
    data = base64.b64encode(json.dumps(evidence).encode()).decode()
    return (
        "<!doctype html><html lang='en'><head><title>Assessment</title></head><body><h1>Assessment</h1>"
        "<p>The rate is 12 %.</p>"
        f'<a id="fairnb-evidence" download="evidence.json" href="data:application/json;base64,{data}">'
        f"Evidence</a>{more}</body></html>"
    ).encode()


def pdf_with(attached: dict[str, bytes], text: str = "The rate is 12 %.") -> bytes:
    """A tagged PDF/A-3 with attachments."""
    import weasyprint

    moment = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    attachments = [
        weasyprint.Attachment(string=content, name=name, relationship="Data", created=moment, modified=moment)
        for name, content in attached.items()
    ]
    html = f"<html lang='en'><head><title>Assessment</title></head><body><h1>Assessment</h1><p>{text}</p>"
    pdf: bytes = weasyprint.HTML(string=html).write_pdf(pdf_variant="pdf/a-3a", attachments=attachments)
    return pdf


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    return pdf_with


@pytest.fixture(scope="session")
def make_html() -> Callable[..., bytes]:
    return html_with


@pytest.fixture(scope="session")
def make_evidence() -> Callable[..., dict[str, Any]]:
    return evidence_of


@pytest.fixture(scope="session")
def make_payload() -> Callable[..., dict[str, Any]]:
    return payload_of


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    from fairnb.report._identity import load_identity, new_identity
    from fairnb.report._sign import sign_detached, sign_pdf

    folder = tmp_path_factory.mktemp("identities")
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    identities, pems = [], []
    for name in ("Ada Assessor", "Otto Other"):
        files = new_identity(
            folder / f"{name[:3]}.p12", name=name, organisation="Example", passphrase=PASSPHRASE, now=start
        )
        identities.append(load_identity(files.identity, PASSPHRASE, now=SIGNED_AT))
        pems.append(files.certificate)
    evidence = evidence_of(
        payload_of("data_bias", "toxic", {"measure": "base_rate", "label": "all", "value": 0.12, "n": 100})
    )
    pdf = pdf_with({"evidence.json": json.dumps(evidence).encode()})
    html = html_with(evidence)
    return Kit(
        identity=identities[0],
        pem=pems[0],
        other=identities[1],
        other_pem=pems[1],
        evidence=evidence,
        pdf=pdf,
        html=html,
        signed_pdf=sign_pdf(pdf, identities[0], when=SIGNED_AT, location="Bern"),
        signature=sign_detached(html, identities[0], SIGNED_AT),
        when=SIGNED_AT,
        now=SIGNED_AT + dt.timedelta(days=30),
    )


@pytest.fixture(scope="session")
def make_identity() -> Callable[..., Any]:
    """Identities of unusual kinds: issued by another, expired, for another use, with a weak key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    from fairnb.report._identity import Identity, fingerprint_of

    def make(
        name: str = "Ada Assessor",
        *,
        issuer: Any = None,
        chain: tuple[Any, ...] = (),
        start: dt.datetime = dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        end: dt.datetime = dt.datetime(2028, 1, 1, tzinfo=dt.UTC),
        ca: bool = False,
        signing: bool = True,
        rsa_bits: int = 0,
    ) -> Identity:
        key: Any = (
            rsa.generate_private_key(65537, rsa_bits) if rsa_bits else ec.generate_private_key(ec.SECP256R1())
        )
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        usage = x509.KeyUsage(
            digital_signature=signing and not ca,
            content_commitment=signing and not ca,
            key_encipherment=not signing,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=ca,
            crl_sign=ca,
            encipher_only=False,
            decipher_only=False,
        )
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer.certificate.subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        certificate = builder.sign(issuer.key if issuer else key, hashes.SHA256())
        return Identity(
            name=name,
            organisation="",
            not_before=start,
            not_after=end,
            fingerprint=fingerprint_of(certificate),
            self_signed=issuer is None,
            certificate=certificate,
            chain=chain,
            key=key,
        )

    return make


@pytest.fixture(scope="session")
def write_pem() -> Callable[..., Path]:
    from cryptography.hazmat.primitives import serialization

    def write(path: Path, *identities: Any) -> Path:
        path.write_bytes(b"".join(i.certificate.public_bytes(serialization.Encoding.PEM) for i in identities))
        return path

    return write
