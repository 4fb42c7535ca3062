"""The `fairnb` command. Thin: every verb is a call of the public API; human words go to stderr."""

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

from fairnb import __version__
from fairnb.errors import ExitCode, FairnbError, FairnbErrors
from fairnb.files import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="fairnb",
    version=__version__,
    help="Assess a text classifier you did not build, and hand over a signed audit document.",
    help_format="plaintext",
)
data_app = App(name="data", help="Known corpora, systems and embeddings.", help_format="plaintext")
identity_app = App(name="identity", help="The key and certificate you sign with.", help_format="plaintext")
app.command(data_app)
app.command(identity_app)

Json = Annotated[bool, Parameter(name="--json", negative=(), help="Put the result on stdout as JSON.")]
_Severity = Literal["high", "medium", "low", "observation"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of the process.

    Returns
    -------
    int
        One of `fairnb.errors.ExitCode`.
    """
    try:
        answer = app(arguments, exit_on_error=False, print_error=False)
    except FairnbErrors as errors:
        for error in errors.errors:
            _say(f"fairnb: {error} [{error.code}]")
        return int(errors.exit_code)
    except FairnbError as error:
        _say(f"fairnb: {error} [{error.code}]")
        return int(error.exit_code)
    except CycloptsError as error:
        _say(f"fairnb: {error} See `fairnb --help`.")
        return int(ExitCode.BAD_INPUT)
    except KeyboardInterrupt:
        _say("fairnb: interrupted; what was finished is kept, the same command goes on from there")
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return int(ExitCode.DONE)
    return answer if isinstance(answer, int) else int(ExitCode.DONE)


def entry() -> None:
    """Entry point of the console script."""
    sys.exit(main())


@app.command
def demo(folder: Path = Path("fairnb-demo"), /) -> int:
    """Go the whole way on the embedded case: run, export, sign, verify.

    Parameters
    ----------
    folder : Path
        Where to put it; made if missing.
    """
    from fairnb.notebook import demo as run_demo

    made = run_demo(folder, progress=_Progress())
    for line in (*made.lines, *made.warnings):
        _say(line)
    for path in made.paths:
        _say(f"  {path}")
    if made.verification is not None:
        _say(made.verification.describe())
    return int(made.exit_code)


@app.command
def new(
    folder: Path,
    /,
    *,
    system: str = "",
    train: str = "",
    test: str = "",
    synthetic: str = "",
    title: str = "",
) -> None:
    """Start a case: a case file with comments and its notebook.

    Parameters
    ----------
    folder : Path
        The case folder; made if missing.
    system : str
        A known system, or KIND:VALUE such as python:module:function, sklearn:model.skops,
        keras:model.keras, scores:column.
    train, test, synthetic : str
        A known corpus or a file (CSV, TSV, JSON lines); a file's columns are guessed, each guess
        is a comment to confirm.
    title : str
        Title of the assessment.
    """
    from fairnb.case import new_case

    made = new_case(folder, system=system, train=train, test=test, synthetic=synthetic, title=title)
    for path in made:
        _say(f"wrote {path}")
    _say(f"Next: read the case file, then `fairnb check {folder}` and `fairnb run {folder}`.")


@app.command
def check(folder: Path, /, *, as_json: Json = False) -> int:
    """Report every error of a case file at once.

    Parameters
    ----------
    folder : Path
        The case folder.
    as_json : bool
        Put the list on stdout as JSON.
    """
    from fairnb.case import check_case

    errors = check_case(folder)
    if as_json:
        _put(
            [
                {"code": error.code, "where": error.where, "found": error.found, "remedy": error.remedy}
                for error in errors
            ]
        )
    for error in errors:
        _say(f"{error} [{error.code}]")
    _say("The case can be run." if not errors else f"{len(errors)} to put right.")
    return int(ExitCode.BAD_INPUT if errors else ExitCode.DONE)


@app.command
def run(
    folder: Path,
    /,
    *,
    only: str = "",
    fail_on: _Severity | None = None,
    timeout: float | None = None,
    as_json: Json = False,
) -> int:
    """Execute the case's notebook in a fresh kernel; finished sections are replayed.

    Parameters
    ----------
    folder : Path
        The case folder.
    only : str
        Section ids, separated by commas; the others are shown if fresh.
    fail_on : str
        Exit code 1 if a finding is at least this severe.
    timeout : float
        Seconds one cell may take; without it, as long as it needs.
    as_json : bool
        Put the outcome on stdout as JSON.
    """
    from fairnb.notebook import execute

    chosen = tuple(part.strip() for part in only.split(",") if part.strip())
    report = execute(folder, only=chosen or None, timeout=timeout, progress=_Progress())
    if as_json:
        _put(report.to_json())
    for line in report.lines():
        _say(line)
    if fail_on is not None and report.findings_at_least(fail_on):
        _say(f"There are findings of severity {fail_on} or above.")
        return int(ExitCode.NOT_INTACT)
    return int(report.exit_code)


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
    report = export_document(source, to=formats, sign=identity, role=role, redact=redact)
    if as_json:
        _put(plain(asdict(report)))
    for path in report.paths:
        _say(f"wrote {path}")
    for warning in report.warnings:
        _say(f"warning: {warning}")
    for reason in report.draft_reasons:
        _say(f"draft: {reason}")


@app.command
def verify(
    file: Path,
    /,
    *,
    trust: Path | None = None,
    integrity_only: bool = False,
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
        _put(status.to_dict())
    _say(status.describe())
    return int(status.exit_code)


@app.command
def extract(file: Path, folder: Path, /) -> None:
    """Take notebook, evidence and case file out of a document.

    Parameters
    ----------
    file : Path
        The PDF or HTML.
    folder : Path
        Where to put them; made if missing.
    """
    from fairnb.report import extract as extract_files

    for path in extract_files(file, folder):
        _say(f"wrote {path}")


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


@data_app.command(name="list")
def data_list() -> None:
    """List what fairnb knows by name."""
    from fairnb.registry import all_known, status

    for item in all_known():
        sys.stdout.write(f"{item.name:<26} {item.kind:<11} {status(item.name):<14} {item.licence}\n")


@data_app.command(name="show")
def data_show(name: str, /) -> None:
    """Show licence, size, address and digests of a known thing.

    Parameters
    ----------
    name : str
        As `fairnb data list` prints it.
    """
    from fairnb.registry import known, status

    item = known(name)
    rows = {
        "name": item.name,
        "kind": item.kind,
        "title": item.title,
        "state": status(name),
        "licence": item.licence,
        "size": f"{item.size:,} bytes" if item.size else "",
        "address": item.address,
        "package": item.package,
        "derived from": ", ".join(item.derived_from),
        "about": item.description,
        "note": item.notes,
    }
    for heading, value in rows.items():
        if value:
            sys.stdout.write(f"{heading:<13} {value}\n")
    for file in item.files:
        sys.stdout.write(f"{'sha256':<13} {file.sha256}  {file.path}\n")


@data_app.command(name="fetch")
def data_fetch(name: str, /, *, source: Annotated[Path | None, Parameter(name="--from")] = None) -> None:
    """Copy a known corpus from your own copy into fairnb's data folder, checked by digest.

    Parameters
    ----------
    name : str
        As `fairnb data list` prints it.
    source : Path
        Folder that holds your copy; searched for files by digest.
    """
    from fairnb.registry import fetch

    _say(f"{name} is ready in {fetch(name, source)}")


@identity_app.command(name="new")
def identity_new(
    file: Path,
    /,
    *,
    name: str = "",
    organisation: str = "",
    passphrase_file: Path | None = None,
) -> None:
    """Make a key and a self-signed certificate to sign with.

    Parameters
    ----------
    file : Path
        Identity file (.p12) to write; the certificate for receivers goes beside it (.pem).
    name : str
        Name on the certificate; by default your user name.
    organisation : str
        Organisation on the certificate.
    passphrase_file : Path
        File whose first line is the passphrase.
    """
    from fairnb.report import new_identity, passphrase_from

    passphrase = passphrase_from(passphrase_file, confirm=True)
    made = new_identity(
        file, name=name or getpass.getuser(), organisation=organisation, passphrase=passphrase
    )
    _say(f"wrote {made.identity} and {made.certificate}")
    _say(f"Give receivers the certificate, and its SHA-256 over another channel: {made.fingerprint}")


class _Progress:
    """Progress on a terminal as one line that is overwritten; elsewhere a line per section."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()

    def __call__(self, done: int, total: int, what: str) -> None:
        if self._terminal:
            sys.stderr.write(f"\r\033[K[{done}/{total}] {what}" + ("\n" if done == total else ""))
            sys.stderr.flush()
        else:
            _say(f"[{done}/{total}] {what}")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _put(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
