"""Verbs about the AMI shared task: score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

from fairnb.cli._app import Json, app, put, say
from fairnb.errors import ExitCode, FairnbError, FairnbErrors

ami_app = App(name="ami", help="The AMI shared task at Evalita 2020.", help_format="plaintext")
app.command(ami_app)

_Share = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]


@ami_app.command
def score(
    *submissions: Path,
    gold_raw: Path,
    gold_synthetic: Path | None = None,
    terms: Path | None = None,
    scores: Literal["hard", "prob"] = "hard",
    threshold: _Share = 0.5,
    correction: Literal["holm", "max"] = "holm",
    seed: int = 0,
    official: Annotated[bool, Parameter(negative=())] = False,
    as_json: Json = False,
) -> int:
    """Check and score submissions to the AMI task; several runs are ranked.

    Parameters
    ----------
    submissions : Path
        ZIP files, folders or single files, named team.{A|B}.{r|s}.{c|u}.run{1|2|3}.
    gold_raw : Path
        Raw gold file: id, text, misogynous, aggressiveness.
    gold_synthetic : Path
        Synthetic gold file: id, text, misogynous; for Score B.
    terms : Path
        Identity terms, one a line; for Score B.
    scores : str
        What the files hold: labels (hard), as the official script has it, or scores in [0, 1] (prob).
    threshold : float
        With prob, from which score a row counts as called positive in Score A.
    correction : str
        How the differences behind rank intervals are corrected: holm, or max (the largest difference).
    seed : int
        Seed of the resampled texts.
    official : bool
        Print what the official script prints, quirks included.
    as_json : bool
        Put the result on stdout as JSON.
    """
    if not submissions:
        raise FairnbError("no-submission", "no submission is named", "name a ZIP, a folder or files")
    if official and scores != "hard":
        raise FairnbError(
            "labels-only",
            "the official script reads labels only",
            "leave out --scores prob",
            where="--official",
        )
    from fairnb.ami import score_submissions

    try:
        report = score_submissions(
            submissions,
            gold_raw=gold_raw,
            gold_synthetic=gold_synthetic,
            terms=terms,
            scores=scores,
            threshold=threshold,
            correction=correction,
            seed=seed,
        )
    except FairnbError as error:
        if not official:
            raise
        for one in error.errors if isinstance(error, FairnbErrors) else (error,):
            say(f"warning: without --official refused: {one} [{one.code}]")
    else:
        for warning in report.warnings:
            say(f"warning: {warning}")
    if official:
        return _official(submissions, gold_raw, gold_synthetic, terms, as_json=as_json)
    if as_json:
        put(report.to_json())
    for line in report.lines():
        say(line)
    return int(ExitCode.DONE)


def _official(
    submissions: tuple[Path, ...],
    gold_raw: Path,
    gold_synthetic: Path | None,
    terms: Path | None,
    *,
    as_json: bool,
) -> int:
    from fairnb.ami import official_outcomes

    found = official_outcomes(submissions, gold_raw, gold_synthetic, terms)
    if as_json:
        put([one.to_json() for one in found])
    else:
        for one in found:
            for line in one.lines:
                sys.stdout.write(f"{line}\n")
    refused = any(one.refused for one in found)
    return int(ExitCode.BAD_INPUT if refused else ExitCode.DONE)
