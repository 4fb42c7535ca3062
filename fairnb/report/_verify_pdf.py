"""Signatures inside a PDF. What a library calls valid is not enough: see each check's comment."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairnb.report import _cms, _trust
from fairnb.report._findings import Findings, signature_status
from fairnb.report._inside import open_pdf

if TYPE_CHECKING:
    from cryptography import x509

# Letters of one case only: the other case reads the same, and would be a change nobody notices.
_CONTENTS = re.compile(rb"<((?:[0-9a-f]{2})+|(?:[0-9A-F]{2})+)>")


def check_pdf(data: bytes, roots: Sequence[x509.Certificate], now: dt.datetime) -> Findings:
    """Check every signature of a PDF and that nothing in the file lies outside them.

    Parameters
    ----------
    data : bytes
    roots : sequence of certificates
    now : datetime
    """
    found = Findings()
    with _cms.quiet():
        try:
            _check(data, roots, now, found)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in checking is a failed check
            found.problem(f"the PDF is damaged or not one that fairnb signs ({_cms.reason_of(error)})")
    return found


def _check(data: bytes, roots: Sequence[x509.Certificate], now: dt.datetime, found: Findings) -> None:
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.fields import enumerate_sig_fields

    reader = PdfFileReader(io.BytesIO(data), strict=True)
    if reader.encrypted:
        found.problem("the PDF is encrypted; audit documents never are")
        return
    if reader.xrefs.hybrid_xrefs_present:
        found.problem("the PDF has hybrid cross-references, in which two readers see two documents")
        return
    embedded = list(reader.embedded_signatures)
    filled = [name for name, value, _ in enumerate_sig_fields(reader) if value is not None]
    if not embedded and not filled and b"/ByteRange" not in data:
        return
    # A signature that is in the file but in no field, or in a field but of a kind unknown here, is one
    # that some other reader would show.
    if not len(embedded) == len(filled) == data.count(b"/ByteRange") == _signature_objects(data):
        found.problem("the number of signatures differs from the number of signature fields")
    allowed = {signature.fq_name for signature in embedded}
    for number, signature in reversed(list(enumerate(embedded, 1))):
        _check_signature(data, signature, number, number == len(embedded), allowed, roots, now, found)
    found.signatures.reverse()
    found.covers = found.signatures[-1].covers_whole_file if found.signatures else False


def _check_signature(
    data: bytes,
    signature: Any,
    number: int,
    last: bool,
    allowed: set[str],
    roots: Sequence[x509.Certificate],
    now: dt.datetime,
    found: Findings,
) -> None:
    from pyhanko.sign.validation import SignatureCoverageLevel, async_validate_pdf_signature

    problems: list[str] = []
    der, loose = _contents(data, signature)
    moment = signature.self_reported_timestamp
    if moment is not None:
        moment = moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    status = _cms.finish(
        async_validate_pdf_signature(
            signature,
            _trust.context(roots, moment or now),
            key_usage_settings=_trust.key_usage(),
            skip_diff=True,
        )
    )
    judged = _trust.judge(signature.signer_cert, moment, now)
    problems += filter(None, (loose or _cms.loose_ends(der), judged.weak))
    if not (status.intact and status.valid):
        problems.append(f"the bytes under signature {number} were changed after it was made")
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE
    if last and not whole:
        problems.append("something was added to the file after the last signature")
    # Comparing two states of a long document takes seconds: only where all else holds.
    compared = not last and found.sound and not problems
    if compared and not _only_signatures_followed(signature, allowed):
        problems.append(f"something other than a signature was added after signature {number}")
    if number > 1 and _visible(signature.sig_field):
        problems.append(f"signature {number} draws over a page that was signed before")
    if not status.seed_value_ok:
        problems.append(f"signature {number} is not of the kind that its field asks for")
    for problem in problems:
        found.problem(problem)
    role, _ = _cms.claimed(signature.signer_info)
    stated = signature.sig_object
    found.add(
        signature_status(
            judged,
            moment,
            str(stated.get("/Reason", "")),
            role,
            str(stated.get("/Location", "")),
            intact=not problems and (last or compared),
            trusted=status.bottom_line and _trust.pinned(status.validation_path, roots),
            whole=whole,
        ),
        judged,
        roots_given=bool(roots),
    )


def _contents(data: bytes, signature: Any) -> tuple[bytes, str]:
    """The CMS signature as it stands in the file, and what is wrong with the gap it stands in.

    The gap is the one place that no signature covers: it must hold the signature, zeros, and nothing
    else.
    """
    start, first, second, length = (int(number) for number in signature.byte_range)
    if start != 0 or not 0 < first < second <= second + length <= len(data):
        return b"", "the signature does not say which bytes it covers"
    match = _CONTENTS.fullmatch(data, first, second)
    if match is None:
        return b"", "the gap for the signature holds something else"
    raw = bytes.fromhex(match[1].decode("ascii"))
    if raw != signature.pkcs7_content:
        return b"", "the signature that is read is not the one in its gap"
    size = _cms.der_length(raw)
    if any(raw[size:]):
        return raw[:size], "the padding of the signature was changed"
    return raw[:size], ""


def _only_signatures_followed(signature: Any, allowed: set[str]) -> bool:
    from pyhanko.sign.diff_analysis import DEFAULT_DIFF_POLICY, DiffResult, ModificationLevel
    from pyhanko.sign.validation import SignatureCoverageLevel

    if signature.coverage != SignatureCoverageLevel.ENTIRE_REVISION:
        return False
    change = signature.evaluate_modifications(DEFAULT_DIFF_POLICY)
    limit = ModificationLevel.FORM_FILLING.value
    if signature.docmdp_level is not None:
        limit = min(limit, signature.docmdp_level.value)
    return (
        isinstance(change, DiffResult)
        and change.modification_level.value <= limit
        and set(change.changed_form_fields) <= allowed
    )


def _visible(field: Any) -> bool:
    widgets = [kid.get_object() for kid in field.get("/Kids", ())] or [field]
    for widget in widgets:
        left, bottom, right, top = (float(number) for number in widget["/Rect"])
        if left != right and bottom != top:
            return True
    return False


def _signature_objects(data: bytes) -> int:
    import pikepdf

    with open_pdf(data, "") as pdf:
        return sum(
            1 for found in pdf.objects if isinstance(found, pikepdf.Dictionary) and "/ByteRange" in found
        )
