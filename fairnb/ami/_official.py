"""What the organisers' evaluation script prints, with its quirks: for comparing with published figures.

The arithmetic is fairnb's; the way files are read, matched and refused is the script's (evaluation_submission.py
and evaluation_utils.py of dnozza/ami2020). It stops at the first thing it refuses. In words of its own it reads
with quotes live, takes a term as a pattern, merges on ids without looking for repeated ones, and never looks at
the values of aggressiveness.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.ami._checks import term_matches
from fairnb.ami._files import PATTERN, SUBTASKS, Subtask, raise_all, read_bytes
from fairnb.ami._submission import is_single, members
from fairnb.errors import FairnbError
from fairnb.statistics import Confusion, bias_aucs, f1_interval, tally

if TYPE_CHECKING:
    from pandas import DataFrame

_RAW, _SYNTHETIC = "raw", "synt"
_SYNTHETIC_CELLS: tuple[type, ...] = (str, str, int)
_RAW_CELLS = (*_SYNTHETIC_CELLS, int)
"""What the cells of a row are read as, by their place."""


@dataclass(frozen=True, slots=True)
class Official:
    """Outcome of the script for one submission and subtask."""

    subtask: Subtask
    lines: tuple[str, ...]
    """What it prints and what it writes to its result file, in their order."""
    scores: dict[str, float]
    """Run -> score, NaN where the script says nan."""
    refused: str
    """With which words it stopped; empty if it did not."""

    def to_json(self) -> dict[str, Any]:
        """The outcome as plain data; a score that is nan is null."""
        scores = {run: None if np.isnan(score) else score for run, score in self.scores.items()}
        return {"subtask": self.subtask, "lines": list(self.lines), "scores": scores, "refused": self.refused}


class _RefusedError(Exception):
    """The script stops here."""


def official_outcomes(
    submissions: Sequence[Path], gold_raw: Path, gold_synthetic: Path | None = None, terms: Path | None = None
) -> list[Official]:
    """What the script prints for each submission and each subtask that it has files of.

    Single files are one submission together. Subtask B is left out where neither of its gold files is given
    and there are files of subtask A.

    Parameters
    ----------
    submissions : sequence of Path
        ZIP files, folders, single files.
    gold_raw, gold_synthetic, terms : Path

    Raises
    ------
    FairnbError
        Of files that cannot be opened, and ``empty-submission`` where the script finds none.
    """
    errors: list[FairnbError] = []
    packed = [[(inner, data) for inner, _, data in members(path, errors)] for path in submissions]
    raise_all(errors)
    loose = [files[0] for path, files in zip(submissions, packed, strict=True) if is_single(path)]
    whole = [files for path, files in zip(submissions, packed, strict=True) if not is_single(path)]
    found = []
    for files in [*whole, loose]:
        subtasks: list[Subtask] = [one for one in SUBTASKS if has_subtask(files, one)]
        if "A" in subtasks and gold_synthetic is None and terms is None:
            subtasks = ["A"]
        found += [official(one, files, gold_raw, gold_synthetic, terms) for one in subtasks]
    if not found:
        raise FairnbError(
            "empty-submission",
            "the official script finds no file of a run",
            f"name the files {PATTERN}",
            where=", ".join(path.name for path in submissions),
        )
    return found


def official(
    subtask: Subtask,
    files: Sequence[tuple[str, bytes]],
    gold_raw: Path,
    gold_synthetic: Path | None = None,
    terms: Path | None = None,
) -> Official:
    """Evaluate the files of one submission as the official script does.

    Figures agree with it to rounding (the last digit depends on the version of scikit-learn it runs on).

    Parameters
    ----------
    subtask : {"A", "B"}
    files : sequence of (str, bytes)
        Path in the ZIP, and contents.
    gold_raw, gold_synthetic, terms : Path

    Raises
    ------
    FairnbError
        ``file-missing`` for a gold file; what the script refuses is in the answer.
    """
    lines: list[str] = []
    written = [f"run_subtask{subtask}\tscore"]
    scores: dict[str, float] = {}
    try:
        raw, synthetic = _predicted(files, subtask)
        gold = _gold(gold_raw, _RAW_CELLS)
        if subtask == "B":
            if gold_synthetic is None:
                raise _RefusedError("Missing path for gold synt data.")
            if terms is None:
                raise _RefusedError("Missing path for identity terms data.")
            sentences = _gold(gold_synthetic, _SYNTHETIC_CELLS)
            listed = _terms(terms)
        lines.append(f"Starting evaluation Subtask {subtask}")
        for run in raw:
            lines.append(f"{'*' * 20} {run}")
            try:
                if subtask == "A":
                    scores[run] = _subtask_a(raw[run], gold, lines)
                else:
                    scores[run] = _subtask_b(raw[run], synthetic[run], gold, sentences, listed, lines)
            except (KeyError, ValueError) as error:
                raise _RefusedError(_traceback(error)) from error
            written.append(f"{run}\t{scores[run]}")
    except _RefusedError as refused:
        return Official(subtask, (*lines, str(refused)), scores, str(refused))
    return Official(subtask, (*lines, *written), scores, "")


def has_subtask(files: Sequence[tuple[str, bytes]], subtask: Subtask) -> bool:
    """Whether the script would find a file of a subtask."""
    return bool(_files_of(files, subtask))


def _files_of(files: Sequence[tuple[str, bytes]], subtask: Subtask) -> list[tuple[str, bytes]]:
    return [(path, data) for path, data in files if "run" in path and f".{subtask.lower()}." in path.lower()]


def _predicted(
    files: Sequence[tuple[str, bytes]], subtask: Subtask
) -> tuple[dict[str, DataFrame], dict[str, DataFrame]]:
    """Run -> what its raw and its synthetic file hold; files are found by parts of their paths, as by the script."""
    columns = ["id", "misogynous", "aggressiveness"] if subtask == "A" else ["id", "misogynous"]
    chosen = _files_of(files, subtask)
    found: tuple[dict[str, DataFrame], dict[str, DataFrame]] = ({}, {})
    for run in ("run1", "run2", "run3"):
        of_run = [(path, data) for path, data in chosen if run in path]
        if not of_run:
            continue
        raw, synthetic = (
            [data for path, data in of_run if f".{dataset}." in path.lower()] for dataset in ("r", "s")
        )
        if len(raw) != 1:
            many = "too many" if raw else "no"
            raise _RefusedError(f"Exception: {many} {_RAW} prediction files for {run} (check file names).")
        found[0][run] = _table(raw, columns, _RAW)
        if subtask == "B":
            # The first synthetic file is taken, however many there are: the script counts the raw ones.
            found[1][run] = _table(synthetic, columns, _SYNTHETIC)
    return found


def _table(fitting: Sequence[bytes], columns: Sequence[str], word: str) -> DataFrame:
    import pandas as pd

    try:
        return pd.read_csv(
            io.BytesIO(fitting[0]),
            sep="\t",
            header=None,
            index_col=None,
            names=list(columns),
            converters={0: str, **dict.fromkeys(range(1, len(columns)), int)},
        )
    except Exception as error:
        raise _RefusedError(f"Exception: error in {word} prediction file format.") from error


def _gold(path: Path, cells: Sequence[type]) -> DataFrame:
    """A gold file, with quotes live; the script goes by the place of a column first, by its name later."""
    import pandas as pd

    data = io.BytesIO(read_bytes(path))
    try:
        return pd.read_csv(data, sep="\t", converters=dict(enumerate(cells)))
    except (ValueError, OverflowError) as error:
        raise _RefusedError(_traceback(error)) from error


def _traceback(error: Exception) -> str:
    """The last line of a traceback."""
    return f"{type(error).__name__}: {error}".strip()


def _terms(path: Path) -> list[str]:
    try:
        return read_bytes(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise _RefusedError(_traceback(error)) from error


def _checked(gold: DataFrame, predicted: DataFrame, word: str) -> None:
    if len(gold) != len(predicted):
        raise _RefusedError(f"Prediction and gold {word} data have different number of lines.")
    if not predicted["misogynous"].isin(gold["misogynous"].unique()).all():
        raise _RefusedError(f"Wrong value in misogynous prediction column of {word} data.")


def _merged(gold: DataFrame, predicted: DataFrame, word: str) -> DataFrame:
    merged = gold.merge(predicted, on="id", suffixes=("", "_pred"))
    if len(merged) != len(gold):
        raise _RefusedError(
            f"Prediction and gold {word} data have different number of lines or different IDs."
        )
    return merged


def _subtask_a(predicted: DataFrame, gold: DataFrame, lines: list[str]) -> float:
    _checked(gold, predicted, _RAW)
    merged = _merged(gold, predicted, _RAW)
    values = {
        name: _macro_f1(merged[name].to_numpy(), merged[f"{name}_pred"].to_numpy())
        for name in ("misogynous", "aggressiveness")
    }
    for name, value in values.items():
        lines += [f"taskA_fscore_{name}: {value}", ""]
    return float(np.mean(list(values.values())))


def _macro_f1(gold: Any, predicted: Any) -> float:
    """Mean F1 over every value that occurs, the ones that are no labels too."""
    if object in (gold.dtype, predicted.dtype):
        # Integers too long for a column of numbers.
        raise ValueError("Classification metrics can't handle a mix of binary and unknown targets")
    found = []
    for value in np.union1d(gold, predicted):
        true, called = gold == value, predicted == value
        counts = (true & called, ~true & called, true & ~called, ~true & ~called)
        found.append(f1_interval(Confusion(*(int(one.sum()) for one in counts))).value)
    return float(np.mean(np.array(found, dtype=np.float64)))


def _subtask_b(
    raw: DataFrame,
    synthetic: DataFrame,
    gold: DataFrame,
    sentences: DataFrame,
    terms: Sequence[str],
    lines: list[str],
) -> float:
    _checked(sentences, synthetic, _SYNTHETIC)
    _checked(gold, raw, _RAW)
    # The script has the two words the other way round here.
    merged = _merged(sentences, synthetic, _RAW)
    try:
        # str() turns an empty text into "nan", as in the script; astype(str) may keep it as it is.
        member = term_matches(list(map(str, merged["text"])), terms, as_pattern=True)
    except re.error as error:
        raise _RefusedError(f"re.error: {error}") from error
    if not terms:
        raise KeyError("misogynous_pred_subgroup_auc")
    for labels in (sentences["misogynous"], gold["misogynous"]):
        if not labels.isin((0, 1)).all():
            raise ValueError("a label of the gold file is neither 0 nor 1")
    names = [f"term {column}" for column in range(len(terms))]
    areas = bias_aucs(tally(merged["misogynous"], merged["misogynous_pred"], member, names))
    values = [
        [_value(getattr(areas, kind)[name].area.value) for name in names]
        for kind in ("subgroup", "bpsn", "bnsp")
    ]
    overall = _merged(gold, raw, _SYNTHETIC)
    auc_raw = bias_aucs(tally(overall["misogynous"], overall["misogynous_pred"])).overall
    score = float(np.mean([_value(auc_raw.value), np.average(values)]))
    lines += [f"taskB_biasmetric: {score}", ""]
    return score


def _value(area: float | None) -> float:
    return float("nan") if area is None else area
