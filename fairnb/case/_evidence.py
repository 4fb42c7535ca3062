"""The evidence: everything a receiver needs to check the document without the case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.case._payload import Payload
from fairnb.case._store import as_base64
from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, plain

if TYPE_CHECKING:
    from fairnb.case._case import Case

SCHEMA = "fairnb.evidence/1"


def make_evidence(case: Case, payloads: Sequence[Payload]) -> dict[str, Any]:
    """Evidence of a case with these results, as plain values.

    Returns
    -------
    dict
        ``schema``; ``case`` with title, digest, and name -> SHA-256 of its files; ``payloads``;
        ``tallies`` (digest -> base64); ``log``; ``redaction``; ``draft`` (what keeps it a draft);
        ``content_sha256``, see `evidence_digest`.

    Raises
    ------
    FairnbError
        ``missing-tally`` if counts that a result rests on are gone from the case.
    """
    tallies: dict[str, str] = {}
    for payload in payloads:
        for digest in payload.result.tallies.values():
            data = case.store.tally(digest)
            if data is None:
                raise FairnbError(
                    "missing-tally",
                    f"the counts behind the section {payload.section} are missing or damaged",
                    "run the case again",
                    where=f".fairnb/tallies/{digest}.tally",
                    exit_code=ExitCode.UNFAITHFUL,
                )
            tallies[digest] = as_base64(data)
    evidence: dict[str, Any] = {
        "schema": SCHEMA,
        "case": {"title": case.title, "digest": case.digest, "files": case.files},
        "payloads": [payload.to_json() for payload in payloads],
        "tallies": dict(sorted(tallies.items())),
        "log": [plain(entry) for entry in case.log],
        "redaction": case.file.privacy.redact,
        "draft": case.draft,
    }
    return {**evidence, "content_sha256": evidence_digest(evidence)}


def evidence_digest(evidence: Mapping[str, Any]) -> str:
    """Digest over all of an evidence but `content_sha256` itself."""
    return digest_of({key: value for key, value in evidence.items() if key != "content_sha256"})
