"""Signatures: PAdES B-B inside a PDF, a detached CMS file beside an HTML document."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING, Any

from fairnb.errors import FairnbError
from fairnb.report._cms import finish, quiet, reason_of, signed_attributes
from fairnb.report._inside import open_pdf

if TYPE_CHECKING:
    import pikepdf

    from fairnb.report._identity import Identity

DRAFT = "draft"
"""The reason under which a draft is signed; anything else signs a final document."""
FINAL = "final"


def sign_pdf(
    data: bytes,
    identity: Identity,
    *,
    reason: str = FINAL,
    role: str = "assessor",
    location: str = "",
    when: dt.datetime | None = None,
) -> bytes:
    """Sign a PDF (PAdES B-B); earlier signatures stay valid.

    The signature is invisible: what a reader should see of it is for the page to say.

    Parameters
    ----------
    data : bytes
    identity : Identity
    reason : str
        ``draft`` for a draft.
    role : str
        In what capacity, such as ``assessor`` or ``reviewer``.
    location : str
        Place; may be empty.
    when : datetime, optional
        The time claimed, with a time zone; the clock's by default. Nobody vouches for it.

    Raises
    ------
    FairnbError
        ``expired-identity``; ``damaged-document``, ``encrypted-document``; ``cannot-sign`` for a PDF
        whose build does not allow a safe signature, such as one with hybrid cross-references.
    """
    moment = _moment(when, identity)
    try:
        with quiet():
            return _signed(data, identity, moment, reason, role, location)
    except FairnbError:
        raise
    except Exception as error:
        raise FairnbError(
            "cannot-sign",
            f"the PDF cannot be signed ({reason_of(error)})",
            "export it again with fairnb, or have its maker save it without hybrid cross-references",
        ) from error


def sign_detached(
    data: bytes,
    identity: Identity,
    when: dt.datetime | None = None,
    *,
    reason: str = FINAL,
    role: str = "assessor",
) -> bytes:
    """Signature (CMS, DER) that stands in a file of its own, ``FILE.p7s``.

    ``openssl cms -verify -binary -content FILE -inform DER -in FILE.p7s -CAfile ROOT.pem -purpose any``
    verifies it too.

    Parameters
    ----------
    data : bytes
        The file as it is on the disk.
    identity : Identity
    when : datetime, optional
        The time claimed, with a time zone.
    reason, role : str
        As for `sign_pdf`.

    Raises
    ------
    FairnbError
        ``expired-identity``.
    """
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    settings = PdfCMSSignedAttributes(
        signing_time=_moment(when, identity), cades_signed_attrs=signed_attributes(role, reason)
    )
    with quiet():
        signature = finish(
            _signer(identity).async_sign_general_data(
                data, "sha256", detached=True, use_cades=True, signed_attr_settings=settings
            )
        )
    return bytes(signature.dump())


def _moment(when: dt.datetime | None, identity: Identity) -> dt.datetime:
    moment = (when or dt.datetime.now(dt.UTC)).astimezone(dt.UTC).replace(microsecond=0)
    if not identity.not_before <= moment <= identity.not_after:
        raise FairnbError(
            "expired-identity",
            f"the certificate is valid from {identity.not_before:%d %B %Y} to "
            f"{identity.not_after:%d %B %Y} only, not on {moment:%d %B %Y}",
            "make a new identity with 'fairnb identity new'",
        )
    return moment


def _signer(identity: Identity) -> Any:
    from cryptography.hazmat.primitives import serialization
    from pyhanko.keys.pemder import load_certs_from_pemder_data, load_private_key_from_pemder_data
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    certificates = [
        next(iter(load_certs_from_pemder_data(certificate.public_bytes(serialization.Encoding.DER))))
        for certificate in (identity.certificate, *identity.chain)
    ]
    key = identity.key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    store = SimpleCertificateStore()  # type: ignore[no-untyped-call]
    store.register_multiple(certificates[1:])
    return SimpleSigner(
        signing_cert=certificates[0],
        signing_key=load_private_key_from_pemder_data(key, passphrase=None),
        cert_registry=store,
        # A root inside the document proves nothing; who trusts it has it already.
        embed_roots=False,
    )


def _signed(
    data: bytes, identity: Identity, moment: dt.datetime, reason: str, role: str, location: str
) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner

    prepared, name, count = _prepared(data, role)
    later = fields.SigFieldSpec(
        sig_field_name=name,
        readable_field_name=f"Signature {count} ({role})",
        # A field outside the page needs no place in the structure tree, which a signature may have sealed.
        invis_sig_settings=fields.InvisSigSettings(box_out_of_bounds=True),
    )
    metadata = PdfSignatureMetadata(
        field_name=name,
        md_algorithm="sha256",
        subfilter=fields.SigSeedSubFilter.PADES,
        reason=reason or None,
        location=location or None,
        name=identity.name,
        cades_signed_attr_spec=signed_attributes(role, ""),
    )
    writer = IncrementalPdfFileWriter(io.BytesIO(prepared), strict=True)
    # Otherwise pyHanko names itself in one of two places that PDF/A wants equal.
    writer._update_meta = _leave_metadata  # type: ignore[method-assign]
    signer = PdfSigner(metadata, _signer(identity), new_field_spec=later)
    session = signer.init_signing_session(writer, existing_fields_only=count == 1)
    session.system_time = moment
    return finish(_sign_session(session, moment, metadata.cades_signed_attr_spec))


def _leave_metadata() -> None:
    """What a signature must not do is change the document's own words."""


async def _sign_session(session: Any, moment: dt.datetime, attributes: Any) -> bytes:
    """What `PdfSigner.async_sign_pdf` does, with the time that was claimed."""
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    validation = await session.perform_presign_validation(session.pdf_out)
    size = await session.estimate_signature_container_size(validation, tight=False)
    to_sign = session.prepare_tbs_document(validation_info=validation, bytes_reserved=size)
    prepared, output = to_sign.digest_tbs_document()
    done = await to_sign.perform_signature(
        document_digest=prepared.document_digest,
        pdf_cms_signed_attrs=PdfCMSSignedAttributes(signing_time=moment, cades_signed_attrs=attributes),
    )
    await done.post_signature_processing(output)
    return bytes(output.getvalue())


def _prepared(data: bytes, role: str) -> tuple[bytes, str, int]:
    """The PDF with an empty field for the first signature; with earlier signatures, unchanged.

    Returns the bytes, the field's name and how many signatures there will be.
    """
    pdf = open_pdf(data, "")
    if pdf.is_encrypted:
        raise FairnbError("encrypted-document", "the PDF is encrypted", "sign a copy that is not")
    form = pdf.Root.get("/AcroForm")
    fields = list(form.get("/Fields", [])) if form is not None else []
    signed = sum(1 for found in fields if found.get("/FT") == "/Sig" and "/V" in found)
    names = {str(found.get("/T", "")) for found in fields}
    count = signed + 1
    name = f"Signature{count}"
    while name in names:
        name += "x"
    if signed:
        return data, name, count
    _add_field(pdf, name, f"Signature 1 ({role})")
    output = io.BytesIO()
    pdf.save(output, deterministic_id=True, fix_metadata_version=False)
    return output.getvalue(), name, count


def _add_field(pdf: pikepdf.Pdf, name: str, label: str) -> None:
    """An invisible signature field on the last page, with its place in the structure tree (PDF/UA-1)."""
    from pikepdf import Array, Dictionary, Name, NumberTree, String

    page = pdf.pages[-1].obj
    field = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Sig,
            T=String(name),
            TU=String(label),
            Rect=Array([0, 0, 0, 0]),
            F=132,  # print and locked, as PDF/A asks
            P=page,
        )
    )
    if "/Annots" not in page:
        page.Annots = Array()
    page.Annots.append(field)
    page.Tabs = Name.S
    if "/AcroForm" not in pdf.Root:
        pdf.Root.AcroForm = pdf.make_indirect(Dictionary(Fields=Array()))
    form = pdf.Root.AcroForm
    if "/Fields" not in form:
        form.Fields = Array()
    form.Fields.append(field)
    form.SigFlags = 3
    tree = pdf.Root.get("/StructTreeRoot")
    if tree is None:
        return
    if "/ParentTree" not in tree:
        tree.ParentTree = pdf.make_indirect(Dictionary(Nums=Array()))
    parents = NumberTree(tree.ParentTree)
    number = max((int(key) for key in parents), default=-1) + 1
    kids = tree.get("/K")
    # One element under the root is the document's own; the form belongs inside it.
    single = kids[0] if isinstance(kids, Array) and len(kids) == 1 else kids
    parent = single if isinstance(single, Dictionary) else tree
    element = pdf.make_indirect(
        Dictionary(
            Type=Name.StructElem,
            S=Name.Form,
            P=parent,
            Pg=page,
            Alt=String(label),
            K=Dictionary(Type=Name.OBJR, Obj=field, Pg=page),
        )
    )
    inside = parent.get("/K")
    if isinstance(inside, Array):
        inside.append(element)
    else:
        parent.K = Array([element] if inside is None else [inside, element])
    field.StructParent = number
    parents[number] = element
    tree.ParentTreeNextKey = number + 1
