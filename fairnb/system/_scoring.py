"""Scoring many texts: each once, in batches of like length, kept as they come."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairnb.errors import ExitCode, FairnbError
from fairnb.system._cache import Kept, ScoreCache
from fairnb.system._masked import Tokens, unique_rows
from fairnb.system._scores import FloatArray, Scores
from fairnb.system._system import System

if TYPE_CHECKING:
    import numpy.typing as npt

Progress = Callable[[int, int, str], None]


def score_texts(
    system: System,
    texts: Sequence[str],
    *,
    cache: ScoreCache | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Scores:
    """Score texts with a live system.

    Equal texts are scored once. Batches hold texts of like length and are of like size, so that none is
    a leftover of one text. What is scored when the run stops is in the cache, if the system has a
    fingerprint.

    Parameters
    ----------
    system : System
    texts : sequence of str, length n
    cache : ScoreCache, optional
    progress : callable, optional
        Called with different texts done, different texts in all, and what is done.
    cancelled : callable, optional
        Asked before each batch.

    Returns
    -------
    Scores
        Shape (n, k), in the system's own precision.

    Raises
    ------
    FairnbError
        ``not-live`` for recorded scores; ``cancelled`` (exit code 130); those of `System.score`, whose
        rows count from 1 among `texts`.
    """
    if not system.live:
        system.raw([])
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text, row)
    distinct = list(first)
    fingerprint = system.fingerprint if cache is not None else ""
    known: dict[int, Kept] = {}
    if cache is not None and fingerprint:
        width = len(system.classes)
        known = {
            at: kept for at, kept in cache.read(fingerprint, distinct).items() if len(kept.values) == width
        }
    told = f"scoring texts with {system.name}"
    if progress is not None:
        progress(len(known), len(distinct), told)
    for batch in _batches(distinct, known, system.batch_size):
        if cancelled is not None and cancelled():
            raise _stopped(system, len(known), len(distinct), kept=cache is not None and bool(fingerprint))
        asked = [distinct[at] for at in batch]
        scores = system.score(asked, rows=[first[text] for text in asked])
        if cache is not None and fingerprint:
            cache.write(fingerprint, asked, scores)
        for row, at in enumerate(batch):
            known[at] = Kept(scores.values[row], scores.unscored.get(row, ""))
        if progress is not None:
            progress(len(known), len(distinct), told)
    return _assembled([known[at] for at in range(len(distinct))], first, texts, system.classes)


def score_masked(
    system: System,
    tokens: Tokens,
    masks: npt.NDArray[np.bool_],
    *,
    cache: ScoreCache | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Scores:
    """Score the forms of one text with tokens taken out.

    A system that can be given what it makes of a text itself is: each stretch between spaces is looked at
    once, and forms that come to the same are scored once. Any other is asked for the texts.

    Parameters
    ----------
    system : System
    tokens : Tokens
    masks : array of bool, shape (m, k)
        True where a token is kept.
    cache : ScoreCache, optional
        For systems that are slow or dear to ask; a quick one is asked without it.
    cancelled : callable, optional
        Asked before each batch.

    Returns
    -------
    Scores
        Shape (m, c): to the bit those of `score_texts` for ``tokens.texts(masks)``.

    Raises
    ------
    FairnbError
        Those of `score_texts`.
    """
    if not system.live:
        system.raw([])
    rows = system.encoded(tokens, masks)
    if rows is None:
        kept = None if system.quick else cache
        return score_texts(system, tokens.texts(masks), cache=kept, cancelled=cancelled)
    different, _, which = unique_rows(rows)
    parts: list[FloatArray] = []
    for start in range(0, len(different), system.batch_size):
        if cancelled is not None and cancelled():
            raise _stopped(system, start, len(different), kept=False)
        parts.append(system.score_encoded(different[start : start + system.batch_size]).values)
    values = np.concatenate(parts) if parts else np.empty((0, len(system.classes)), np.float32)
    return Scores(system.classes, values[which])


def _stopped(system: System, done: int, total: int, *, kept: bool) -> FairnbError:
    return FairnbError(
        "cancelled",
        f"scoring was stopped after {done} of {total} different texts",
        "run again: what is scored is kept" if kept else "run again",
        where=system.name,
        exit_code=ExitCode.INTERRUPTED,
    )


def _batches(texts: list[str], known: dict[int, Kept], size: int) -> list[list[int]]:
    """Indices of the texts still to score, by length, in the fewest batches of like size."""
    left = sorted((at for at in range(len(texts)) if at not in known), key=lambda at: (len(texts[at]), at))
    if not left:
        return []
    count = -(-len(left) // size)
    edges = [len(left) * part // count for part in range(count + 1)]
    return [left[start:end] for start, end in itertools.pairwise(edges)]


def _assembled(
    kept: list[Kept], first: dict[str, int], texts: Sequence[str], classes: tuple[str, ...]
) -> Scores:
    # The dtype of rows without a score says nothing; numpy's common type loses no digit of the others.
    types = {entry.values.dtype for entry in kept if not entry.reason} or {np.dtype(np.float64)}
    values = np.full((len(kept), len(classes)), np.nan, dtype=np.result_type(*types))
    for at, entry in enumerate(kept):
        values[at] = entry.values
    order = {text: at for at, text in enumerate(first)}
    rows = np.fromiter((order[text] for text in texts), dtype=np.intp, count=len(texts))
    unscored = {row: kept[at].reason for row, at in enumerate(rows.tolist()) if kept[at].reason}
    return Scores(classes, values[rows], unscored)
