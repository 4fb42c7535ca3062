"""Every error of a case at once: its file's shape, and what the file names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fairnb.case._answers import read_answers
from fairnb.case._cells import read_notebook
from fairnb.case._file import NOTEBOOK
from fairnb.case._log import RunLog
from fairnb.case._read import Reading, nearest, read_case_file
from fairnb.case._register import lost_entries, read_register
from fairnb.case._sources import read_with_scores
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import Role, Target


def check_case(
    folder: str | Path, *, live_object: Any = None, results: bool = True, data: bytes | None = None
) -> list[FairnbError]:
    """Find all that is wrong with a case before it is run.

    Beside the case file's shape: corpora can be read and hold the columns, labels and both classes;
    the system's files are there and its classes are those of the targets; the lexicon has the words; the
    answers on the seven requirements, the register of findings, the notebook and the log of earlier runs can
    be read. No text is scored.

    Parameters
    ----------
    folder : path
    live_object : object, optional
        System that the notebook holds.
    results : bool
        Also tell entries of the register whose finding the last results do not hold. Before a run that is
        no reason to stop: it may make the finding again, or show that it is gone.
    data : bytes, optional
        Taken for the case file's content, such as one that is about to be written.

    Returns
    -------
    list of FairnbError
        Empty if the case can be run.
    """
    place = Path(folder)
    try:
        reading = read_case_file(place, data)
    except FairnbError as error:
        return [error]
    errors = list(reading.errors)
    checks: list[tuple[tuple[str, ...], Callable[[], Any]]] = [
        *_system(reading, place, live_object),
        *_corpora(reading, place),
        (("lexicon",), lambda: _lexicon(reading, place)),
        (("embeddings",), lambda: _embeddings(reading, place)),
    ]
    for key, check in checks:
        errors += _errors(reading, key, check)
    errors += _errors(reading, (), lambda: read_answers(place))
    register = _errors(reading, (), lambda: read_register(place))
    errors += register
    errors += _errors(reading, (), lambda: read_notebook(place / NOTEBOOK))
    errors += _errors(reading, (), lambda: RunLog(place / ".fairnb" / "log.jsonl").entries())
    if results and reading.file is not None and not register:
        errors += _errors(reading, (), lambda: _refuse_lost(place, reading))
    return errors


def _refuse_lost(folder: Path, reading: Reading) -> None:
    from fairnb.case._case import Case

    lost = lost_entries(Case(folder, reading))
    if lost:
        raise FairnbErrors(lost)


def _errors(reading: Reading, key: tuple[str, ...], check: Callable[[], Any]) -> list[FairnbError]:
    """What one check finds, with the place in the case file before the place the check names."""
    try:
        check()
    except FairnbErrors as several:
        return list(several.errors)
    except FairnbError as error:
        place = reading.where(*key) if key else ""
        where = error.where if not place else f"{place}: {error.where}" if error.where else place
        return [FairnbError(error.code, error.found, error.remedy, where=where, exit_code=error.exit_code)]
    return []


def _embeddings(reading: Reading, folder: Path) -> None:
    from fairnb.case._sources import own_layer
    from fairnb.embedding import load_embeddings

    spec, system = reading.tables.get("embeddings"), reading.tables.get("system")
    if spec is not None and system is not None:
        load_embeddings(spec, folder, own=own_layer(system))


def _lexicon(reading: Reading, folder: Path) -> None:
    from fairnb.lexicon import load_lexicon

    if "lexicon" in reading.tables:
        load_lexicon(reading.tables["lexicon"], folder)


def _system(
    reading: Reading, folder: Path, live_object: Any
) -> Iterator[tuple[tuple[str, ...], Callable[[], Any]]]:
    from fairnb.system import open_system

    spec = reading.tables.get("system")
    if spec is None:
        return
    opened: list[Any] = []

    def open_it() -> None:
        try:
            opened.append(open_system(spec, folder, live_object=live_object))
        except FairnbError as error:
            if error.code != "no-live-object":
                raise
        for system in opened:
            # Opening is lazy; a fingerprint needs every file.
            _ = system.fingerprint

    yield ("system", spec.kind), open_it
    for target in reading.tables.get("targets", ()):

        def has_classes(target: Target = target) -> None:
            for system in opened:
                _refuse_unknown_classes(target, system.classes, bool(spec.scores))

        yield ("targets", target.name, "classes"), has_classes


def _refuse_unknown_classes(target: Target, classes: tuple[str, ...], recorded: bool) -> None:
    if recorded and target.classes:
        raise FairnbError(
            "unknown-class", "recorded scores are P(positive) itself", "leave classes out", where=""
        )
    for name in target.classes:
        if name not in classes:
            raise FairnbError("unknown-class", f"the system has no class {name!r}", nearest(name, classes))
    if not target.classes and len(classes) > 1:
        raise FairnbError(
            "several-classes",
            f"the target {target.name!r} names no class and the system has several",
            f"write classes = [...] with those that mean positive, out of {', '.join(classes)}",
        )


def _corpora(reading: Reading, folder: Path) -> Iterator[tuple[tuple[str, ...], Callable[[], Any]]]:
    system = reading.tables.get("system")
    column = system.scores if system is not None else ""
    for role, spec in reading.tables.get("corpus", {}).items():
        read: list[Any] = []

        def read_it(role: Role = role, spec: Any = spec, read: list[Any] = read) -> None:
            read.append(read_with_scores(spec, folder, role, column))

        yield ("corpus", role), read_it
        if column:

            def recorded(read: list[Any] = read) -> None:
                from fairnb.system import recorded_scores

                for corpus in read:
                    recorded_scores(corpus.recorded.get(column, ()), column=column, place=corpus.where)

            yield ("system", "scores"), recorded
        for target in reading.tables.get("targets", ()):

            def answered(
                role: Role = role, spec: Any = spec, read: list[Any] = read, target: Target = target
            ) -> None:
                for corpus in read:
                    _refuse_labels(corpus, spec, target, role)

            place = ("corpus", role) if spec.positive is not None else ("targets", target.name)
            yield (*place, "positive"), answered


def _refuse_labels(corpus: Any, spec: Any, target: Target, role: Role) -> None:
    from fairnb.corpus import answers

    own = spec.positive is not None
    labels = answers(
        corpus, spec.positive if own else target.positive, spec.negative if own else target.negative
    )
    if role != "test":
        return
    for value, name in ((1, "positive"), (0, "negative")):
        if not (labels == value).any():
            raise FairnbError(
                "one-class-corpus",
                f"no row of the test corpus is {name} for the target {target.name!r}: nothing can be compared",
                "correct positive and negative, or take a test corpus with both",
                where=corpus.name,
            )
