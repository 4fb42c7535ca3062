"""Groups named in texts, by named-entity recognition: each text read once, and kept."""

from __future__ import annotations

import hashlib
import os
import queue
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import Cache, Entry
from fairnb.mining._helper import Helper
from fairnb.mining._pipeline import Pipeline, Spans, find_pipeline, groups_named, load
from fairnb.text import visible

Numbers = npt.NDArray[np.int64]
Progress = Callable[[int, int, str], None]

READING = 1
"""Raised when texts are handed to the pipeline in another form: makes what was kept stale."""

_BATCH = 256
_BATCH_CHARACTERS = 200_000
_WORTH_A_HELPER = 2_500
"""Texts from which on a second process gains more than its start costs."""
_PATIENCE = 60.0
"""Seconds to wait for a helper's last batch before doing it here."""
_TOLD = "finding named groups"


@dataclass(frozen=True, eq=False)
class Entities:
    """Entities of the kind NORP. All arrays have shape (entities,) and are sorted by row and start."""

    row: Numbers
    start: Numbers
    end: Numbers
    """Offsets into the raw text."""
    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class Readable:
    """A raw text as the pipeline reads it, each character knowing where it came from."""

    text: str
    starts: Numbers
    ends: Numbers


def find_entities(
    texts: Sequence[str],
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Entities:
    """Find nationalities, religious and political groups named in texts.

    Texts are read with their HTML entities unescaped and without characters that cannot be seen. Equal
    texts are read once; what was read before is in the cache. Many texts are shared with a second process.

    Parameters
    ----------
    texts : sequence of str
        Raw texts.
    progress : callable, optional
        Called with different texts done, different texts in all, and what is done.
    cancelled : callable, optional
        Asked between batches.

    Returns
    -------
    Entities

    Raises
    ------
    FairnbError
        ``package-missing``; ``cancelled`` (exit code 130).
    """
    pipeline = find_pipeline()
    forms = [readable(text) for text in texts]
    distinct = list(dict.fromkeys(form.text for form in forms))
    keys = {text: _key(pipeline, text) for text in distinct}
    with Cache("entities.sqlite3", "entities_1", "cache of named entities") as cache:
        kept = cache.read(list(keys.values()))
        known = {text: _unpacked(kept[key]) for text, key in keys.items() if key in kept}
        left = [text for text in distinct if text not in known]
        if progress is not None and left:
            progress(len(known), len(distinct), _TOLD)
        for batch, spans in _tagged(left, pipeline, cancelled) if left else ():
            cache.write({keys[text]: _packed(found) for text, found in zip(batch, spans, strict=True)})
            known.update(zip(batch, spans, strict=True))
            if progress is not None:
                progress(len(known), len(distinct), _TOLD)
    table = [
        (row, int(form.starts[start]), int(form.ends[end - 1]))
        for row, form in enumerate(forms)
        for start, end in known[form.text]
    ]
    row, start, end = np.array(table, dtype=np.int64).reshape(-1, 3).T
    return Entities(row, start, end, pipeline)


def _tagged(
    texts: Sequence[str], pipeline: Pipeline, cancelled: Callable[[], bool] | None
) -> Iterator[tuple[list[str], list[Spans]]]:
    """Batches with what is in them, in the order in which they are done."""
    todo: deque[list[str]] = deque(_batches(texts))
    done: queue.SimpleQueue[tuple[list[str], list[Spans]]] = queue.SimpleQueue()
    helper = Helper(pipeline) if len(texts) >= _WORTH_A_HELPER and _processors() > 1 else None
    thread = threading.Thread(target=_assist, args=(helper, todo, done), daemon=True)
    if helper is not None:
        thread.start()
    try:
        nlp = load(pipeline.folder, pipeline.excluded)
        deadline = 0.0
        # The thread first: once it is dead, what it put back or handed over is there to be seen.
        while thread.is_alive() or todo or not done.empty():
            if cancelled is not None and cancelled():
                raise FairnbError(
                    "cancelled",
                    "finding named groups was stopped",
                    "run again: what is found is kept",
                    exit_code=ExitCode.INTERRUPTED,
                )
            try:
                batch = todo.popleft()
            except IndexError:
                deadline = deadline or time.monotonic() + _PATIENCE
                if helper is not None and time.monotonic() > deadline:
                    # Its thread then puts the batch back, and it is done here.
                    helper.stop()
            else:
                yield batch, groups_named(nlp, batch)
            try:
                yield done.get(timeout=0.0 if todo else 0.1)
            except queue.Empty:
                continue
    finally:
        if helper is not None:
            helper.stop()
            thread.join()
            helper.close()


def _assist(
    helper: Helper,
    todo: deque[list[str]],
    done: queue.SimpleQueue[tuple[list[str], list[Spans]]],
) -> None:
    """Hand batches to the second process; one that it fails on goes back, and no more are handed over."""
    while True:
        try:
            batch = todo.popleft()
        except IndexError:
            return
        spans = helper.tag(batch)
        if spans is None:
            todo.append(batch)
            return
        done.put((batch, spans))


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if len(batch) == _BATCH or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def readable(raw: str) -> Readable:
    """A raw text in the form in which the pipeline reads it."""
    form = visible(raw)
    text = form.text
    if text.isascii() and text.isprintable():
        return Readable(text, form.starts, form.ends)
    shown = ["" if _unseen(character) else _encodable(character) for character in text]
    kept = np.fromiter((bool(character) for character in shown), dtype=np.bool_, count=len(shown))
    return Readable("".join(shown), form.starts[:-1][kept], form.ends[:-1][kept])


def _unseen(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f"


def _encodable(character: str) -> str:
    """Control characters become spaces, and half surrogate pairs the sign for what cannot be shown."""
    category = unicodedata.category(character)
    return " " if category == "Cc" else "\ufffd" if category == "Cs" else character


def _key(pipeline: Pipeline, text: str) -> bytes:
    about = f"{READING}\0{pipeline.digest}\0{pipeline.spacy}\0"
    return hashlib.sha256(about.encode() + text.encode("utf-8")).digest()


def _packed(spans: Spans) -> Entry:
    return Entry("int32", np.array(spans, dtype="<i4").tobytes())


def _unpacked(entry: Entry) -> Spans:
    pairs = np.frombuffer(entry.data, dtype="<i4").reshape(-1, 2).tolist()
    return [(start, end) for start, end in pairs]
