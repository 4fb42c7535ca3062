"""Signatures that stand beside a file: detached CMS."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairnb.report import _cms, _trust
from fairnb.report._findings import Findings, signature_status

if TYPE_CHECKING:
    from cryptography import x509


def check_detached(
    data: bytes, signature: bytes, roots: Sequence[x509.Certificate], now: dt.datetime
) -> Findings:
    """Check a detached signature over the bytes of a file.

    Parameters
    ----------
    data : bytes
        The whole file.
    signature : bytes
        CMS in DER, nothing after it.
    roots : sequence of certificates
    now : datetime
    """
    found = Findings()
    with _cms.quiet():
        try:
            _check(data, signature, roots, now, found)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in checking is a failed check
            found.problem(f"the signature cannot be checked ({_cms.reason_of(error)})")
    return found


def _check(
    data: bytes, signature: bytes, roots: Sequence[x509.Certificate], now: dt.datetime, found: Findings
) -> None:
    from pyhanko.sign.validation import async_validate_detached_cms

    loose = _cms.loose_ends(signature)
    signed, info, certificate = _cms.opened(signature)
    moment = _cms.signing_time(info)
    status = _cms.finish(
        async_validate_detached_cms(
            data,
            signed,
            signer_validation_context=_trust.context(roots, moment or now),
            key_usage_settings=_trust.key_usage(),
        )
    )
    judged = _trust.judge(certificate, moment, now)
    for problem in filter(None, (loose, judged.weak)):
        found.problem(problem)
    intact = status.intact and status.valid and not loose and not judged.weak
    if not (status.intact and status.valid):
        found.problem("the signature does not belong to these bytes: the file or its signature was changed")
    trusted = status.bottom_line and _trust.pinned(status.validation_path, roots)
    role, reason = _cms.claimed(info)
    found.add(
        signature_status(judged, moment, reason, role, "", intact=intact, trusted=trusted, whole=True),
        judged,
        roots_given=bool(roots),
    )
    found.covers = True
