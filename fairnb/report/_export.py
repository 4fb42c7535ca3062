"""From a case or notebook to the files that are handed over: all of them, or none."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fairnb.errors import ExitCode, FairnbError, FairnbErrors
from fairnb.files import canonical_json, digest_of, sha256, write_all
from fairnb.report._document import build_document
from fairnb.report._kept import kept
from fairnb.report._notebook import payloads_of
from fairnb.report._page import Signer, render_document
from fairnb.report._pdf import Attached, write_pdf
from fairnb.report._redaction import narrowed, redacted_notebook, redacted_payloads
from fairnb.report._signatory import assessor_of, signed_by_another

if TYPE_CHECKING:
    from fairnb.report._document import Document
    from fairnb.report._identity import Identity

Format = Literal["html", "pdf", "json"]

FORMATS: tuple[Format, ...] = ("html", "pdf", "json")
_ALONE = "the case: the notebook was exported without it"


@dataclass(frozen=True)
class Material:
    """What a document is made from."""

    evidence: Mapping[str, Any]
    notebook: Mapping[str, Any] | None
    """As it is attached: already redacted."""
    draft: tuple[str, ...]
    """What keeps it a draft; empty for a final document."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Case file and what belongs to it."""


@dataclass(frozen=True)
class ExportReport:
    """What was written."""

    paths: tuple[Path, ...]
    """In the order html, its signature, pdf, evidence."""
    status: Literal["draft", "final"]
    draft_reasons: tuple[str, ...]
    evidence_sha256: str
    signed: bool
    warnings: tuple[str, ...]
    """What whoever exports should know: what was asked for and could not be made, such as the PDF without Pango, and
    that the signer is not the assessor whom the case file names, which is allowed."""


def export(
    source: Path | str,
    *,
    to: Sequence[str] = FORMATS,
    sign: Identity | None = None,
    redact: str | None = None,
    role: str = "assessor",
    progress: Callable[[int, int, str], None] | None = None,
) -> ExportReport:
    """Write the audit document of a case beside its notebook.

    Parameters
    ----------
    source : path
        Case folder, or a notebook.
    to : sequence of {'html', 'pdf', 'json'}
    sign : Identity, optional
        Signs PDF (PAdES) and HTML (detached CMS, ``audit.html.p7s``); a draft is signed as a draft.
    redact : {'mask', 'withhold', 'none'}, optional
        Stricter than the case's own setting; results are redacted as they are stored, so it can only be
        the same or narrower.
    role : str
        In what capacity the signer signs.
    progress : callable, optional
        Called with (stages done, stages in all, the stage that begins); pages that are kept from before are
        neither drawn nor written.

    Returns
    -------
    ExportReport

    Raises
    ------
    FairnbErrors
        With exit code 3 and one error per cell, if the notebook is not a faithful record of its case.
    FairnbError
        ``unknown-format``, ``no-notebook``, ``nothing-to-print``, ``cannot-write``; ``no-pango`` if only a
        PDF was asked for and none can be written.
    """
    formats = _formats(to)
    notebook_path = _notebook_of(Path(source))
    begin = _stages(formats, progress, signed=sign is not None)
    begin("checking the notebook")
    material = material_of(_read(notebook_path), notebook_path.parent, redact=redact)
    evidence = canonical_json(material.evidence)
    reason = "draft" if material.draft else "final"
    signer = None
    if sign is not None:
        signer = Signer(sign.name, sign.organisation, role, sign.fingerprint)
    folder = notebook_path.parent

    # Built once for both, and not at all where both pages are kept from before.
    @cache
    def document() -> Document:
        begin("drawing the figures")
        return _document_of(material)

    def screen() -> bytes:
        drawn = document()
        begin("writing the HTML page")
        return document_html(material, signer, drawn).encode("utf-8")

    def paper() -> bytes:
        drawn = document()
        begin("writing the PDF")
        return document_pdf(material, signer, drawn)

    source_of_pages = {
        "evidence": str(material.evidence["content_sha256"]),
        "notebook": digest_of(material.notebook),
        "draft": list(material.draft),
        "files": {name: sha256(data) for name, data in material.files},
        "signer": None if signer is None else asdict(signer),
    }
    pages = folder / ".fairnb" / "pages"
    contents: dict[Path, bytes] = {}
    warnings: list[str] = []
    if "html" in formats:
        html = kept(pages, {**source_of_pages, "medium": "screen"}, screen)
        contents[folder / "audit.html"] = html
        if sign is not None:
            from fairnb.report._sign import sign_detached

            begin("signing the HTML page")
            contents[folder / "audit.html.p7s"] = sign_detached(html, sign, reason=reason, role=role)
    if "pdf" in formats:
        try:
            pdf = kept(pages, {**source_of_pages, "medium": "paper"}, paper)
        except FairnbError as error:
            if error.code != "no-pango" or formats == ("pdf",):
                raise
            warnings.append(str(error))
        else:
            if sign is not None:
                from fairnb.report._sign import sign_pdf

                begin("signing the PDF")
                pdf = sign_pdf(pdf, sign, reason=reason, role=role)
            contents[folder / "audit.pdf"] = pdf
    if sign is not None:
        warnings += signed_by_another([(sign.name, role)], assessor_of(material.evidence))
    if "json" in formats:
        contents[folder / "evidence.json"] = evidence
    begin("saving the files")
    write_all(contents)
    _remove_stale_signature(folder, contents)
    begin("exported")
    return ExportReport(
        paths=tuple(contents),
        status="draft" if material.draft else "final",
        draft_reasons=material.draft,
        evidence_sha256=str(material.evidence["content_sha256"]),
        signed=sign is not None,
        warnings=tuple(warnings),
    )


def _stages(
    formats: Sequence[str], progress: Callable[[int, int, str], None] | None, *, signed: bool
) -> Callable[[str], None]:
    """What tells `progress` of each stage of an export as it begins."""
    stages = ["checking the notebook"]
    if {"html", "pdf"}.intersection(formats):
        stages.append("drawing the figures")
    for name, page in (("html", "HTML page"), ("pdf", "PDF")):
        if name in formats:
            stages += [f"writing the {page}", f"signing the {page}"][: 1 + signed]
    stages += ["saving the files", "exported"]
    return lambda stage: progress(stages.index(stage), len(stages) - 1, stage) if progress else None


def document_html(material: Material, signer: Signer | None = None, document: Document | None = None) -> str:
    """The page for the screen, evidence inside; `document` if it was built already."""
    return render_document(
        document or _document_of(material),
        medium="screen",
        evidence=canonical_json(material.evidence),
        signer=signer,
    )


def document_pdf(material: Material, signer: Signer | None = None, document: Document | None = None) -> bytes:
    """The PDF, with evidence, notebook and case file attached; `document` if it was built already."""
    attachments = [
        Attached(
            "evidence.json", canonical_json(material.evidence), "Evidence: all results and tallies", "Data"
        )
    ]
    if material.notebook is not None:
        attachments.append(
            Attached("assessment.ipynb", canonical_json(material.notebook), "The notebook", "Source")
        )
    attachments += [Attached(name, data, "File of the case") for name, data in material.files]
    document = document or _document_of(material)
    html = render_document(
        document, medium="paper", attached=[item.name for item in attachments], signer=signer
    )
    return write_pdf(
        html,
        moment=document.moment,
        identifier=document.evidence_sha256,
        attachments=tuple(attachments),
    )


def _document_of(material: Material) -> Document:
    return build_document(material.evidence, material.notebook, draft_reasons=material.draft)


def material_of(notebook: Mapping[str, Any], folder: Path | None, *, redact: str | None = None) -> Material:
    """What to print of a notebook: with its case if that lies in `folder`, else its own results alone.

    Raises
    ------
    FairnbErrors
        As `export`.
    """
    if folder is None or not (folder / "assessment.toml").is_file():
        return _alone(notebook, redact)
    from fairnb.case import evidence_digest, faithful, load_case, payloads_in, redaction_key

    case = load_case(folder)
    problems = faithful(notebook, case)
    if problems:
        raise FairnbErrors([problem.error() for problem in problems])
    stored = case.file.privacy.redact
    mode = narrowed(redact, stored)
    evidence = case.evidence(payloads_in(notebook))
    change = None
    if mode != stored:
        key = redaction_key(case.store.folder)
        change = partial(redacted_payloads, mode=mode, key=key)
        evidence = {**evidence, "payloads": change(evidence["payloads"]), "redaction": mode}
        evidence["content_sha256"] = evidence_digest(evidence)
    files = [("assessment.toml", case.reading.data)]
    files += [
        (name, (folder / name).read_bytes()) for name in sorted(case.files) if name != "assessment.toml"
    ]
    return Material(
        evidence=evidence,
        notebook=redacted_notebook(notebook, mode, change),
        draft=tuple(case.draft),
        files=tuple(files),
    )


def _alone(notebook: Mapping[str, Any], redact: str | None) -> Material:
    from fairnb.case import cell_place

    failed = [
        cell_place(number, cell)
        for number, cell in enumerate(notebook.get("cells", ()), 1)
        if any(output.get("output_type") == "error" for output in cell.get("outputs", ()))
    ]
    if failed:
        raise FairnbErrors(
            [
                FairnbError(
                    "cell-failed",
                    "the cell failed",
                    "put it right and run the notebook again",
                    where=place,
                    exit_code=ExitCode.UNFAITHFUL,
                )
                for place in failed
            ]
        )
    mode = narrowed(redact, "none")
    # Without a case there is no key that outlives the export; a fresh one shows no text again.
    change = partial(redacted_payloads, mode=mode, key=secrets.token_bytes(32)) if mode != "none" else None
    payloads = change(payloads_of(notebook)) if change else payloads_of(notebook)
    content: dict[str, Any] = {
        "schema": "fairnb.evidence/1",
        "case": {"title": "", "digest": "", "files": {}},
        "payloads": payloads,
        "tallies": {},
        "log": [],
        "redaction": redact or "",
        "draft": [_ALONE],
    }
    said = [
        str(reason)
        for payload in payloads
        if payload["content"]["section"] == "engagement"
        for reason in payload["content"]["result"].get("facts", {}).get("draft", ())
    ]
    return Material(
        evidence={**content, "content_sha256": digest_of(content)},
        notebook=redacted_notebook(notebook, mode, change),
        draft=(_ALONE, *said),
    )


def _formats(to: Sequence[str]) -> tuple[str, ...]:
    asked = tuple(dict.fromkeys([to] if isinstance(to, str) else to))
    unknown = [name for name in asked if name not in FORMATS]
    if unknown or not asked:
        raise FairnbError(
            "unknown-format",
            f"there is no format {unknown[0]!r}" if unknown else "no format is named",
            f"choose from {', '.join(FORMATS)}",
        )
    return asked


def _notebook_of(source: Path) -> Path:
    path = source / "assessment.ipynb" if source.is_dir() else source
    if not path.is_file():
        raise FairnbError(
            "no-notebook",
            "there is no such notebook",
            "name a case folder made with `fairnb new`, or a notebook",
            where=str(path),
        )
    return path


def _read(path: Path) -> dict[str, Any]:
    from fairnb.case import read_notebook

    return read_notebook(path)


def _remove_stale_signature(folder: Path, contents: Mapping[Path, bytes]) -> None:
    """A signature of an earlier page beside a new unsigned one would look like tampering."""
    page, signature = folder / "audit.html", folder / "audit.html.p7s"
    if page in contents and signature not in contents and signature.exists():
        try:
            signature.unlink()
        except OSError as error:
            raise FairnbError(
                "cannot-write",
                f"the old signature cannot be removed ({error.strerror or error})",
                "choose a folder that is writable",
                where=str(signature),
            ) from error
