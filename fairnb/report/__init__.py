"""The audit document: sections as pages, HTML and PDF, signatures, and what a receiver can check."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairnb.report._document import Document as Document
    from fairnb.report._document import build_document as build_document
    from fairnb.report._export import ExportReport as ExportReport
    from fairnb.report._export import export as export
    from fairnb.report._exporters import AuditHTMLExporter as AuditHTMLExporter
    from fairnb.report._exporters import AuditPDFExporter as AuditPDFExporter
    from fairnb.report._extract import extract as extract
    from fairnb.report._extract import read_evidence as read_evidence
    from fairnb.report._identity import Identity as Identity
    from fairnb.report._identity import load_identity as load_identity
    from fairnb.report._identity import new_identity as new_identity
    from fairnb.report._identity import passphrase_from as passphrase_from
    from fairnb.report._measures import format_measures as format_measures
    from fairnb.report._measures import measures_of as measures_of
    from fairnb.report._measures import number_measures as number_measures
    from fairnb.report._register import RegisterView as RegisterView
    from fairnb.report._register import register_of as register_of
    from fairnb.report._register import register_text as register_text
    from fairnb.report._register import render_register as render_register
    from fairnb.report._render import render_section as render_section
    from fairnb.report._render import render_text as render_text
    from fairnb.report._section_page import SectionPage as SectionPage
    from fairnb.report._sign import sign_detached as sign_detached
    from fairnb.report._sign import sign_pdf as sign_pdf
    from fairnb.report._status import SignatureStatus as SignatureStatus
    from fairnb.report._status import VerificationStatus as VerificationStatus
    from fairnb.report._verify import verify as verify

# Names are loaded when first used (PEP 562): nbconvert, WeasyPrint and pyHanko take seconds.
_HOMES = {
    "AuditHTMLExporter": "_exporters",
    "AuditPDFExporter": "_exporters",
    "Document": "_document",
    "ExportReport": "_export",
    "Identity": "_identity",
    "RegisterView": "_register",
    "SectionPage": "_section_page",
    "SignatureStatus": "_status",
    "VerificationStatus": "_status",
    "build_document": "_document",
    "export": "_export",
    "extract": "_extract",
    "format_measures": "_measures",
    "load_identity": "_identity",
    "measures_of": "_measures",
    "new_identity": "_identity",
    "number_measures": "_measures",
    "passphrase_from": "_identity",
    "read_evidence": "_extract",
    "register_of": "_register",
    "register_text": "_register",
    "render_register": "_register",
    "render_section": "_render",
    "render_text": "_render",
    "sign_detached": "_sign",
    "sign_pdf": "_sign",
    "verify": "_verify",
}

__all__ = [
    "AuditHTMLExporter",
    "AuditPDFExporter",
    "Document",
    "ExportReport",
    "Identity",
    "RegisterView",
    "SectionPage",
    "SignatureStatus",
    "VerificationStatus",
    "build_document",
    "export",
    "extract",
    "format_measures",
    "load_identity",
    "measures_of",
    "new_identity",
    "number_measures",
    "passphrase_from",
    "read_evidence",
    "register_of",
    "register_text",
    "render_register",
    "render_section",
    "render_text",
    "sign_detached",
    "sign_pdf",
    "verify",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fairnb.report' has no attribute {name!r}")
    return getattr(importlib.import_module(f"fairnb.report.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
