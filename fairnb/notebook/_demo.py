"""The whole way on the embedded case: run, export, sign, verify."""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import templates, write_text
from fairnb.notebook._execute import execute

if TYPE_CHECKING:
    from fairnb.report import VerificationStatus

SYSTEM = "toxic-comment-classifier"
IDENTITY = "demo-identity.p12"


@dataclass(frozen=True)
class DemoReport:
    """What the demonstration left behind."""

    paths: tuple[Path, ...]
    """Case file, notebook, document, signatures, evidence, certificate."""
    lines: tuple[str, ...]
    """How the notebook's execution went."""
    verification: VerificationStatus | None
    """Of the PDF, or of the HTML where no PDF could be written; None if the run failed."""
    warnings: tuple[str, ...]
    exit_code: ExitCode


def demo(folder: str | Path, *, progress: Callable[[int, int, str], None] | None = None) -> DemoReport:
    """Assess a real classifier on the composed comments, sign the document and verify it.

    The identity is made for this document: its passphrase is random and thrown away, so that nobody can
    sign anything else with it.

    Parameters
    ----------
    folder : path
        Made if missing; a demonstration that is there already goes on.
    progress : callable, optional
        Called with (sections done, sections in all, what is being done).

    Returns
    -------
    DemoReport

    Raises
    ------
    FairnbError
        ``case-exists`` if the folder holds another case, and those of running and exporting a case.
    """
    from fairnb.report import export, load_identity, new_identity, verify

    place = Path(folder)
    case_file = _started(place)
    run = execute(place, progress=progress)
    if run.exit_code != ExitCode.DONE:
        return DemoReport((case_file, run.notebook), tuple(run.lines()), None, (), run.exit_code)
    if progress:
        sections = len(run.sections)
        progress(sections, sections, "writing and signing the document, a minute or more")
    file = place / IDENTITY
    for left in (file, file.with_suffix(".pem")):
        left.unlink(missing_ok=True)
    passphrase = secrets.token_urlsafe(24)
    identity = new_identity(
        file, name="A. Example", organisation="fairnb demonstration", passphrase=passphrase
    )
    made = export(place, sign=load_identity(file, passphrase))
    document = next((path for path in made.paths if path.suffix == ".pdf"), made.paths[0])
    status = verify(document, trust=identity.certificate)
    return DemoReport(
        (case_file, run.notebook, *made.paths, identity.certificate),
        tuple(run.lines()),
        status,
        made.warnings,
        status.exit_code,
    )


def _started(place: Path) -> Path:
    """The demonstration's case file; the folder is filled if it is new."""
    from fairnb.case import CASE_FILE, new_case

    text = (templates("notebooks") / "demo.toml").read_text(encoding="utf-8")
    case_file = place / CASE_FILE
    if not case_file.exists():
        title = tomllib.loads(text)["engagement"]["title"]
        new_case(place, system=SYSTEM, train="demo-train", test="demo-test", title=title)
        write_text(case_file, text)
    elif case_file.read_text(encoding="utf-8") != text:
        raise FairnbError(
            "case-exists",
            "the folder holds a case that is not the demonstration",
            "name another folder",
            where=str(place),
        )
    return case_file
