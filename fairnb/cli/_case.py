"""Verbs about a case: demo, new, check, run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from fairnb.cli._app import Json, Progress, app, put, say
from fairnb.errors import ExitCode, FairnbError

Severity = Literal["high", "medium", "low", "observation"]


@app.command
def demo(folder: Path = Path("fairnb-demo"), /) -> int:
    """Go the whole way on the embedded case: run, export, sign, verify.

    Parameters
    ----------
    folder : Path
        Where to put it; made if missing.
    """
    from fairnb.notebook import demo as run_demo

    made = run_demo(folder, progress=Progress())
    for line in (*made.lines, *made.warnings):
        say(line)
    for path in made.paths:
        say(f"  {path}")
    if made.verification is not None:
        say(made.verification.describe())
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
    level: Literal["", "first-party", "second-party", "third-party"] = "",
) -> None:
    """Start a case: a case file with comments and its notebook.

    Parameters
    ----------
    folder : Path
        The case folder; made if missing.
    system : str
        A known system, or KIND:VALUE such as python:module:function, sklearn:model.skops,
        keras:model.keras, scores:column.
    train : str
        Corpus the system was trained on: a known corpus, or a file (CSV, TSV, JSON lines) whose
        columns are guessed; each guess is a comment to confirm.
    test : str
        Corpus to assess the system on: a known corpus or a file, likewise.
    synthetic : str
        Sentences made from templates, if you have some: a known corpus or a file, likewise.
    title : str
        Title of the assessment.
    level : str
        Who assesses: first-party, second-party or third-party.
    """
    from fairnb.case import new_case

    made = new_case(
        folder, system=system, train=train, test=test, synthetic=synthetic, title=title, level=level
    )
    for path in made:
        say(f"wrote {path}")
    named = shlex.quote(str(folder))
    say(f"Next: read the case file, then `fairnb check {named}` and `fairnb run {named}`.")


@app.command
def check(folder: Path, /, *, as_json: Json = False) -> int:
    """Report every error of a case file at once; without one, what an export would still ask for.

    Parameters
    ----------
    folder : Path
        The case folder.
    as_json : bool
        Put the list on stdout as JSON.
    """
    from fairnb.case import check_case, export_asks, load_case

    errors = check_case(folder)
    if as_json:
        put(
            [
                {"code": error.code, "where": error.where, "found": error.found, "remedy": error.remedy}
                for error in errors
            ]
        )
    for error in errors:
        say(f"{error} [{error.code}]")
    if errors:
        say(f"{len(errors)} to put right.")
        return int(ExitCode.BAD_INPUT)
    say("The case can be run.")
    asks = export_asks(load_case(folder))
    say("An export would still ask for:" if asks else "It can be exported as the final document.")
    for ask in asks:
        say(f"  {ask}")
    return int(ExitCode.DONE)


@app.command
def run(
    folder: Path,
    /,
    *,
    only: str = "",
    plan: Annotated[bool, Parameter(negative=())] = False,
    fail_on: Severity | None = None,
    timeout: Annotated[float | None, Parameter(validator=validators.Number(gt=0))] = None,
    as_json: Json = False,
) -> int:
    """Execute the case's notebook in a fresh kernel; finished sections are replayed.

    Parameters
    ----------
    folder : Path
        The case folder.
    only : str
        Section ids, separated by commas; the others are shown if fresh.
    plan : bool
        Run nothing: say of each section whether its result still holds.
    fail_on : str
        Exit code 1 if a finding is at least this severe.
    timeout : float
        Seconds one cell may take; without it, as long as it needs.
    as_json : bool
        Put the outcome on stdout as JSON.
    """
    from fairnb.notebook import execute

    chosen = tuple(part.strip() for part in only.split(",") if part.strip())
    if only and not chosen:
        raise FairnbError(
            "no-section", f"{only!r} names no section", "write ids, separated by commas", where="--only"
        )
    if plan:
        return _plan(folder, chosen, as_json)
    report = execute(folder, only=chosen or None, timeout=timeout, progress=Progress())
    if as_json:
        put(report.to_json())
    for line in report.lines():
        say(line)
    if report.exit_code == ExitCode.DONE and fail_on is not None and report.findings_at_least(fail_on):
        say(f"There are findings of severity {fail_on} or above.")
        return int(ExitCode.NOT_INTACT)
    return int(report.exit_code)


def _plan(folder: Path, chosen: tuple[str, ...], as_json: bool) -> int:
    """Say what a run would compute, and what it would replay."""
    from fairnb.case import load_case

    case = load_case(folder)
    states = {identity: case.state(identity) for identity in chosen or case.sections}
    if as_json:
        put({"sections": [{"section": name, "state": state} for name, state in states.items()]})
    width = max(map(len, states), default=0)
    for name, state in states.items():
        say(f"{name:<{width}}  {state}")
    return int(ExitCode.DONE)
