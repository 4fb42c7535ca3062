"""Verbs about a document: export, verify, extract, measures."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from fairnb.cli._app import Json, Progress, app, put, say
from fairnb.errors import FairnbError
from fairnb.files import plain


@app.command
def export(
    source: Path,
    /,
    *,
    to: str = "html,pdf,json",
    sign: Path | None = None,
    redact: Literal["mask", "withhold", "none"] | None = None,
    role: str = "assessor",
    passphrase_file: Path | None = None,
    as_json: Json = False,
) -> None:
    """Make the audit document of an executed case.

    Parameters
    ----------
    source : Path
        The case folder or its notebook.
    to : str
        Formats, separated by commas: html, pdf, json.
    sign : Path
        Identity file (.p12) to sign with.
    redact : str
        How texts are shown; export can only redact further than the case did.
    role : str
        In which role you sign.
    passphrase_file : Path
        File whose first line is the passphrase of the identity.
    as_json : bool
        Put the paths on stdout as JSON.
    """
    from fairnb.report import export as export_document
    from fairnb.report import load_identity, passphrase_from

    identity = None
    if sign is not None:
        identity = load_identity(sign, passphrase_from(passphrase_file))
    formats = tuple(part.strip() for part in to.split(",") if part.strip())
    report = export_document(source, to=formats, sign=identity, role=role, redact=redact, progress=Progress())
    if as_json:
        put(plain(asdict(report)))
    for path in report.paths:
        say(f"wrote {path}")
    for warning in report.warnings:
        say(f"warning: {warning}")
    for reason in report.draft_reasons:
        say(f"draft: {reason}")


@app.command
def verify(
    file: Path,
    /,
    *,
    trust: Path | None = None,
    integrity_only: Annotated[bool, Parameter(negative=())] = False,
    as_json: Json = False,
) -> int:
    """Say whether a document is intact, by whom it is signed, and which level of checking was reached.

    Parameters
    ----------
    file : Path
        The PDF, or the HTML with its .p7s beside it.
    trust : Path
        Certificates you trust (PEM).
    integrity_only : bool
        Exit code 0 for an intact document even if the signer is not trusted.
    as_json : bool
        Put the status on stdout as JSON.
    """
    from fairnb.report import verify as verify_document

    status = verify_document(file, trust=trust, integrity_only=integrity_only)
    if as_json:
        put(status.to_dict())
    say(status.describe())
    return int(status.exit_code)


@app.command
def extract(file: Path, folder: Path, /, *, force: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Take evidence, tallies, notebook and case file out of a document.

    Parameters
    ----------
    file : Path
        The PDF or HTML.
    folder : Path
        Where to put them; made if missing. Tallies, the counts behind the figures, go to tallies/.
    force : bool
        Overwrite files that are there.
    """
    from fairnb.report import extract as extract_files

    for path in extract_files(file, folder, force=force):
        say(f"wrote {path}")
    _warn_unless_intact(file)


@app.command
def measures(
    source: Path,
    /,
    *,
    section: str = "",
    as_format: Annotated[Literal["table", "csv", "json"], Parameter(name="--format")] = "table",
) -> None:
    """Print every measure of a case, notebook, evidence file or document.

    Parameters
    ----------
    source : Path
        Case folder, notebook, evidence.json, HTML or PDF.
    section : str
        Only this section.
    as_format : str
        table, csv or json.
    """
    from fairnb.report import format_measures, measures_of

    rows = measures_of(source, section=section)
    sys.stdout.write(format_measures(rows, as_format))
    _warn_unless_intact(source)


def _warn_unless_intact(path: Path) -> None:
    """Say that what was taken from a document is not what was signed; a case of one's own is not asked."""
    from fairnb.report import verify as verify_document

    if path.is_dir():
        return
    try:
        status = verify_document(path, integrity_only=True)
    except FairnbError as error:
        if error.code != "not-a-document":
            raise
        return
    # Evidence by itself is signed by nobody; only its own digests can speak for it.
    whole = status.kind == "evidence" and status.evidence_intact and not status.signatures
    if status.exit_code and not whole:
        say(f"warning: {path}: {status.summary}; see `fairnb verify`")
