"""The baseline's submission: trained on the task's files, written as the task's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fairnb.ami._augment import Augmented, neutral_sentences
from fairnb.ami._baseline import LABELS, Baseline, encoded_baseline, train_baseline
from fairnb.ami._files import (
    Dataset,
    Mode,
    RawSet,
    Subtask,
    SyntheticSet,
    decoded,
    encoded_submission,
    read_bytes,
    read_raw,
    read_synthetic,
    read_terms,
)
from fairnb.errors import FairnbError
from fairnb.files import make_folder, write_all


@dataclass(frozen=True, slots=True)
class Debias:
    """What debiasing by augmentation needs."""

    terms: Path
    """File of identity terms."""
    language: str = "it"
    neutral: Path | None = None
    """Own neutral sentences, one a line, in place of fairnb's."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Entered:
    """What was trained and written."""

    files: tuple[Path, ...]
    baseline: Baseline
    raw: int
    """Raw training texts."""
    synthetic: int
    """Synthetic training sentences."""
    augmented: Augmented | None
    """Neutral sentences, with debiasing."""


def enter_baseline(
    train: Path,
    test: Path,
    folder: Path,
    *,
    synthetic_train: Path | None = None,
    synthetic_test: Path | None = None,
    debias: Debias | None = None,
    team: str = "baseline",
    run: int = 1,
    scores: Path | None = None,
    model: Path | None = None,
) -> Entered:
    """Train the organisers' baseline on the task's files and write its submission.

    Files of subtask A come from the raw set alone. The misogyny model of subtask B also learns from
    synthetic training sentences, where given; with `debias`, neutral sentences of the identity terms are
    added to both subtasks' models, and the run counts as unconstrained.

    Parameters
    ----------
    train, test : Path
        Raw sets; labels of the test set are not read.
    folder : Path
        Where the submission goes; made if missing.
    synthetic_train, synthetic_test : Path, optional
        Synthetic sets. With the test set the submission has the two files of subtask B.
    debias : Debias, optional
    team : str
    run : int
        1, 2 or 3.
    scores : Path, optional
        Second folder, for the same files with scores in place of labels (``fairnb ami score --scores prob``).
    model : Path, optional
        File for the models of subtask A, as JSON.

    Returns
    -------
    Entered

    Raises
    ------
    FairnbError
        As `read_raw`, `read_synthetic`, `read_terms`, `write_submission`, `neutral_sentences` and
        `train_baseline`; ``same-folder`` for labels and scores. All files are written, or none.
    """
    if scores is not None and scores.resolve() == folder.resolve():
        raise FairnbError(
            "same-folder",
            "labels and scores would go to one folder, under the same names",
            "name another folder for the scores",
            where=str(scores),
        )
    raw, asked = read_raw(train), read_raw(test, labelled=False)
    sentences = None if synthetic_test is None else read_synthetic(synthetic_test, labelled=False)
    extra = None if synthetic_train is None else read_synthetic(synthetic_train)
    if extra is not None and sentences is None:
        raise FairnbError(
            "missing-synthetic",
            "synthetic sentences to train on are given, and none to predict",
            "add --synthetic-test FILE: only subtask B learns from synthetic sentences",
        )
    augmented = None if debias is None else _balanced(raw, debias)
    added = () if augmented is None else augmented.texts
    labels = dict(zip(LABELS, (raw.misogynous, raw.aggressiveness), strict=True))
    own = {label: _joined((raw.texts, given), (added, None)) for label, given in labels.items()}
    baseline = train_baseline(own)
    mode: Mode = "c" if debias is None else "u"
    answering = baseline
    if extra is not None:
        label = LABELS[0]
        more = _joined((raw.texts, labels[label]), (added, None), (extra.texts, extra.misogynous))
        answering = train_baseline({label: more})
    parts: list[tuple[Subtask, Dataset, Baseline, RawSet | SyntheticSet]] = [("A", "r", baseline, asked)]
    if sentences is not None:
        parts += [("B", "r", answering, asked), ("B", "s", answering, sentences)]
    files: dict[Path, bytes] = {}
    for place, as_scores in ((folder, False), (scores, True)):
        if place is None:
            continue
        for subtask, dataset, machine, part in parts:
            answers = machine.scores(part.texts) if as_scores else machine.predict(part.texts)
            columns = list(answers.T) if subtask == "A" else [answers[:, 0]]
            path, data = encoded_submission(place, team, subtask, dataset, mode, run, part.ids, columns)
            files[path] = data
    for path in files:
        make_folder(path.parent, "choose a folder you may write to")
    # All files or none, the model among them.
    write_all(files if model is None else files | {model: encoded_baseline(baseline)})
    return Entered(tuple(files), baseline, len(raw.ids), 0 if extra is None else len(extra.ids), augmented)


def _balanced(raw: RawSet, debias: Debias) -> Augmented:
    own = None
    if debias.neutral is not None:
        text = decoded(read_bytes(debias.neutral), debias.neutral.name)
        own = [line for line in text.splitlines() if line.strip()]
    labels = np.zeros(len(raw.ids), np.int8) if raw.misogynous is None else raw.misogynous
    terms = read_terms(debias.terms)
    return neutral_sentences(raw.texts, labels, terms, debias.language, own=own, seed=debias.seed)


def _joined(
    *sets: tuple[Sequence[str], npt.NDArray[np.int8] | None],
) -> tuple[list[str], npt.NDArray[np.int8]]:
    """Texts of several sets with their labels; 0 for a set without."""
    texts = [text for given, _ in sets for text in given]
    labels = [np.zeros(len(given), np.int8) if one is None else one for given, one in sets]
    return texts, np.concatenate(labels)
