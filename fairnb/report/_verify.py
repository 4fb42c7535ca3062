"""Verification: is this the file that was signed, by whom, and does the evidence in it hold?"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, Literal

from fairnb.errors import FairnbError
from fairnb.files import digest_of, sha256
from fairnb.report._extract import parse_evidence, read_tallies
from fairnb.report._findings import Findings
from fairnb.report._inside import EVIDENCE, kind_of, read_document, unpack
from fairnb.report._sign import DRAFT
from fairnb.report._signatory import assessor_of, signed_by_another
from fairnb.report._status import VerificationStatus, not_shown
from fairnb.report._trust import load_roots
from fairnb.report._verify_html import check_detached
from fairnb.report._verify_pdf import check_pdf


def verify(
    path: Path,
    *,
    trust: Path | None = None,
    integrity_only: bool = False,
    p7s: Path | None = None,
    now: dt.datetime | None = None,
) -> VerificationStatus:
    """Check a document's signatures and its evidence.

    Parameters
    ----------
    path : Path
        PDF, HTML or evidence file.
    trust : Path, optional
        PEM file with the certificates that the receiver trusts. Without it nobody is trusted.
    integrity_only : bool
        Only whether the file is as it was signed.
    p7s : Path, optional
        Signature of an HTML or evidence file; ``FILE.p7s`` beside it by default.
    now : datetime, optional
        The receiver's time.

    Returns
    -------
    VerificationStatus
        Also for damaged, unsigned and hostile files: whatever goes wrong in checking is a failed check.

    Raises
    ------
    FairnbError
        ``no-such-file``, ``cannot-read``, ``no-certificate``, ``not-a-document``: wrong use only.
    """
    roots = load_roots(trust) if trust is not None else ()
    moment = now or dt.datetime.now(dt.UTC)
    try:
        data = read_document(path)
    except FairnbError as error:
        if error.code != "too-large":
            raise
        found = Findings()
        found.problem(error.found)
        return _status(path, "pdf", found, evidence=[error.found], integrity_only=integrity_only, now=moment)
    content = kind_of(data)
    if content == "notebook":
        raise FairnbError(
            "not-a-document",
            "a notebook carries no signature",
            "verify audit.pdf or audit.html",
            where=str(path),
        )
    if not data:
        found = Findings()
        found.problem("the file is empty")
    elif content == "pdf":
        found = check_pdf(data, roots, moment)
    else:
        signature = _beside(path, p7s)
        found = Findings() if signature is None else check_detached(data, signature, roots, moment)
        if signature is None:
            found.problem(f"the document is not signed: there is no {path.name}.p7s beside it")
    if content == "pdf" and not found.signatures and found.sound:
        found.problem("the document is not signed")
    evidence, problems = _evidence_in(data, content, path) if data else ({}, ["the file is empty"])
    return _status(
        path,
        content,
        found,
        evidence=problems,
        draft=bool(evidence.get("draft")),
        assessor=assessor_of(evidence),
        integrity_only=integrity_only,
        now=moment,
    )


def check_evidence(evidence: dict[str, Any]) -> list[str]:
    """What does not hold in evidence: its own digest, its payloads' and its tallies', computed again."""
    problems = []
    try:
        rest = {key: value for key, value in evidence.items() if key != "content_sha256"}
        if evidence.get("content_sha256") != digest_of(rest):
            problems.append("the evidence does not have the digest it states")
        for number, payload in enumerate(evidence["payloads"], 1):
            content = payload["content"]
            name = f"result {number} ({content['section']})"
            if payload.get("schema") != "fairnb.result/1":
                problems.append(f"{name} of the evidence is of another version than this fairnb reads")
            if payload.get("content_sha256") != digest_of(content):
                problems.append(f"{name} of the evidence does not have the digest it states")
        problems += _altered_tallies(evidence)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, FairnbError) as error:
        problems.append(f"the evidence has another shape than fairnb writes ({type(error).__name__})")
    return problems


def _altered_tallies(evidence: dict[str, Any]) -> list[str]:
    tallies = read_tallies(evidence, EVIDENCE)
    if not tallies:
        return []
    from fairnb.statistics import Tally

    problems = []
    for digest, data in tallies.items():
        try:
            sound = Tally.from_bytes(data).digest == digest
        except FairnbError:
            sound = False
        if not sound:
            problems.append(f"the counts {digest[:12]} of the evidence are not those it names")
    return problems


def _evidence_in(data: bytes, kind: str, path: Path) -> tuple[dict[str, Any], list[str]]:
    """Evidence of a document, empty if it cannot be read, and what does not hold in it."""
    try:
        files = {EVIDENCE: data} if kind == "evidence" else unpack(data, path)
        if EVIDENCE not in files:
            return {}, ["the document carries no evidence.json"]
        evidence = parse_evidence(files[EVIDENCE], EVIDENCE)
    except FairnbError as error:
        return {}, [error.found]
    problems = check_evidence(evidence)
    # The case's files are named in the evidence with their digests: those attached must be the same.
    case = evidence.get("case")
    stated = case.get("files") if isinstance(case, dict) else None
    for name, digest in (stated if isinstance(stated, dict) else {}).items():
        if name in files and sha256(files[name]) != digest:
            problems.append(f"the attached {name} is not the one the evidence was made from")
    return evidence, problems


def _beside(path: Path, p7s: Path | None) -> bytes | None:
    if p7s is not None:
        return read_document(p7s)
    place = path.with_name(path.name + ".p7s")
    return read_document(place) if place.is_file() else None


def _status(
    path: Path,
    kind: Literal["pdf", "html", "evidence"],
    found: Findings,
    *,
    evidence: list[str],
    integrity_only: bool,
    draft: bool = False,
    assessor: str = "",
    now: dt.datetime,
) -> VerificationStatus:
    signatures = tuple(found.signatures)
    intact = found.sound and bool(signatures) and all(s.intact for s in signatures) and found.covers
    level = 0 if intact and not evidence else None
    expired = min((moment for moment in found.expires if moment < now), default=None)
    document: Literal["draft", "final", "unknown"] = "unknown"
    if intact:
        document = "draft" if draft or any(s.reason == DRAFT for s in signatures) else "final"
    return VerificationStatus(
        path=str(path),
        kind=kind,
        intact=intact,
        trusted=intact and all(s.trusted for s in signatures),
        covers_whole_file=found.covers,
        level=level,
        signatures=signatures,
        document_status=document,
        evidence_intact=not evidence,
        problems=(*found.problems, *evidence),
        notes=tuple(signed_by_another([(s.signer, s.role) for s in signatures], assessor))
        if level == 0
        else (),
        what_is_not_shown=not_shown(level, expired),
        integrity_only=integrity_only,
    )
