"""Verbs that make files for the AMI shared task: a synthetic set, and the baseline's submission."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from fairnb.cli._ami import ami_app
from fairnb.cli._app import Json, put, say
from fairnb.errors import FairnbError


@ami_app.command(name="synth")
def ami_synth(
    folder: Path,
    /,
    *,
    language: Literal["it", "en"] = "it",
    seed: int = 0,
    rows: int | None = None,
    as_json: Json = False,
) -> None:
    """Make a synthetic set after the task's, balanced by construction, from fairnb's own templates.

    Parameters
    ----------
    folder : Path
        Where the files go; made if missing.
    language : str
        it or en.
    seed : int
        Deals templates to the training and the test part, and shuffles rows.
    rows : int
        Also compose a raw corpus with so many training texts, and a third as many test texts.
    as_json : bool
        Put the files' paths on stdout as JSON.
    """
    from fairnb.ami import generate

    written = generate(folder, language, seed=seed, rows=rows)
    if as_json:
        put({name: str(path) for name, path in written.items()})
    for path in written.values():
        say(f"wrote {path}")
    if rows is not None:
        say("The raw corpus is composed, with a planted term bias: nothing about anyone follows from it.")


@ami_app.command(name="baseline")
def ami_baseline(
    train: Path,
    test: Path,
    /,
    *,
    synthetic_train: Path | None = None,
    synthetic_test: Path | None = None,
    to: Path = Path("baseline"),
    team: str = "baseline",
    run: int = 1,
    scores: Path | None = None,
    debias: Annotated[bool, Parameter(negative=())] = False,
    terms: Path | None = None,
    neutral: Path | None = None,
    language: Literal["it", "en"] = "it",
    seed: int = 0,
    model: Path | None = None,
    as_json: Json = False,
) -> None:
    """Train the organisers' baseline and write its submission.

    Parameters
    ----------
    train : Path
        Raw training set.
    test : Path
        Raw test set; its labels are not read.
    synthetic_train : Path
        Synthetic training set, learnt from for subtask B.
    synthetic_test : Path
        Synthetic test set; with it, the files of subtask B are written.
    to : Path
        Folder of the submission.
    team : str
        Team in the files' names.
    run : int
        Run in the files' names: 1, 2 or 3.
    scores : Path
        Second folder, for the same files with scores from 0 to 1 in place of labels.
    debias : bool
        Add neutral sentences of the identity terms to the training texts.
    terms : Path
        Identity terms, one a line; needed to debias.
    neutral : Path
        Own neutral sentences, one a line, in place of fairnb's.
    language : str
        Language of fairnb's neutral sentences: it or en.
    seed : int
        Seed by which neutral sentences are drawn.
    model : Path
        File for the models of subtask A, as JSON.
    as_json : bool
        Put files and added sentences on stdout as JSON.
    """
    from fairnb.ami import Debias, enter_baseline

    if debias and terms is None:
        raise FairnbError("missing-terms", "debiasing needs the identity terms", "add --terms FILE")
    for option, given in (("--neutral", neutral), ("--terms", terms)):
        if not debias and given is not None:
            raise FairnbError(
                "not-used", f"{option} is given without --debias", "add --debias, or leave it out"
            )
    entered = enter_baseline(
        train,
        test,
        to,
        synthetic_train=synthetic_train,
        synthetic_test=synthetic_test,
        debias=Debias(terms, language, neutral, seed) if debias and terms is not None else None,
        team=team,
        run=run,
        scores=scores,
        model=model,
    )
    augmented = entered.augmented
    if as_json:
        put(
            {
                "files": [str(path) for path in entered.files],
                "raw": entered.raw,
                "synthetic": entered.synthetic,
                "neutral": 0 if augmented is None else len(augmented.texts),
                "balance": [] if augmented is None else [asdict(one) for one in augmented.balance],
            }
        )
    say(
        f"trained on {entered.raw:,} raw texts"
        + (f", for subtask B also on {entered.synthetic:,} synthetic sentences" if entered.synthetic else "")
    )
    if augmented is not None:
        say(
            f"added {len(augmented.texts):,} neutral sentences; share of misogynous texts {augmented.overall:.1%}"
        )
        for one in augmented.balance:
            if one.wanted:
                short = "" if one.added == one.wanted else f", {one.wanted - one.added} too few"
                say(f"  {one.term}: misogynous {one.misogynous} of {one.texts}, {one.added} added{short}")
    for path in entered.files:
        say(f"wrote {path}")
    if model is not None:
        say(f"wrote {model}")
