"""The converted form of word vectors: made once per source, then memory-mapped."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fairnb.embedding._damage import damaged
from fairnb.embedding._embedding import Embedding
from fairnb.embedding._text import Block
from fairnb.errors import FairnbError
from fairnb.files import cache_folder, hold

_VERSION = 1
"""Raised when the converted form changes."""
_HEADER = 128
_MATRIX, _WORDS, _ABOUT = "matrix.npy", "words.txt", "about.json"


def converted(
    name: str, digest: str, read: Callable[[], Iterator[Block]], facts: Mapping[str, Any]
) -> Embedding:
    """Open the converted form of a source, converting it first if it is not there yet.

    The form lies in the cache folder under the source's digest, so that it is made once for all cases.
    It appears whole or not at all.

    Parameters
    ----------
    name : str
        As the case names the vectors.
    digest : str
        Of the source's files.
    read : callable
        Gives the source's words and vectors block by block.
    facts : mapping
        What is known of the source.

    Raises
    ------
    FairnbError
        What `read` raises; ``cannot-write``.
    """
    parent = cache_folder() / "embeddings"
    folder = parent / f"{digest[:32]}-{_VERSION}"
    opened = _opened(name, digest, folder, facts)
    if opened is None:
        try:
            parent.mkdir(exist_ok=True)
            with hold(parent / f".{digest[:32]}.lock", timeout=600):
                opened = _opened(name, digest, folder, facts)
                if opened is None:
                    _convert(read, folder)
                    opened = _opened(name, digest, folder, facts)
        except OSError as error:
            raise FairnbError(
                "cannot-write",
                f"the converted vectors cannot be written ({error.strerror or error})",
                "make room, or set FAIRNB_HOME to a folder you may write to",
                where=str(parent),
            ) from error
    if opened is None:
        raise damaged(name, "the converted vectors cannot be read back", "try again")
    return opened


def _opened(name: str, digest: str, folder: Path, facts: Mapping[str, Any]) -> Embedding | None:
    """The converted form; None where there is none, or a damaged one."""
    try:
        about = json.loads((folder / _ABOUT).read_text("utf-8"))
        matrix = np.load(folder / _MATRIX, mmap_mode="r", allow_pickle=False)
        words = tuple((folder / _WORDS).read_bytes().decode("utf-8").split("\n"))
    except (OSError, ValueError, EOFError):
        return None
    if list(matrix.shape) != about.get("shape") or len(words) != len(matrix) or matrix.dtype != np.float32:
        return None
    counted = {key: about[key] for key in ("repeated", "unnamed", "zero")}
    return Embedding(name, words, matrix, digest, {**facts, **counted})


def _convert(read: Callable[[], Iterator[Block]], folder: Path) -> None:
    staged = Path(tempfile.mkdtemp(prefix=".converting-", dir=folder.parent))
    try:
        about = _written(read(), staged)
        (staged / _ABOUT).write_text(json.dumps(about), "utf-8")
        # Only a damaged form can lie there: a whole one would have been opened.
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(staged, folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _written(blocks: Iterator[Block], folder: Path) -> dict[str, Any]:
    """Write words and matrix; a word's first row counts, as gensim has it."""
    seen: set[str] = set()
    repeated = unnamed = zero = dimension = 0
    with (folder / _MATRIX).open("wb") as matrix, (folder / _WORDS).open("wb") as listed:
        matrix.write(bytes(_HEADER))
        for words, vectors in blocks:
            kept = []
            for row, word in enumerate(words):
                if not word or "\n" in word:
                    unnamed += 1
                elif word in seen:
                    repeated += 1
                else:
                    seen.add(word)
                    kept.append(row)
            chosen = vectors[: len(words)] if len(kept) == len(words) else vectors[kept]
            zero += int((~chosen.any(axis=1)).sum())
            dimension = vectors.shape[1]
            if kept:
                start = b"\n" if len(seen) > len(kept) else b""
                listed.write(
                    start + "\n".join(words[row] for row in kept).encode("utf-8", "backslashreplace")
                )
                matrix.write(np.ascontiguousarray(chosen, "<f4").tobytes())
        if not seen:
            raise damaged("vectors", "the source holds no word with a vector")
        shape = (len(seen), dimension)
        matrix.seek(0)
        matrix.write(_header(shape))
    return {"shape": list(shape), "repeated": repeated, "unnamed": unnamed, "zero": zero}


def _header(shape: tuple[int, int]) -> bytes:
    """The .npy header for a shape known only after the rows were written; numpy pads it to 128 bytes."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f4", "fortran_order": False, "shape": shape})
    header = buffer.getvalue()
    if len(header) != _HEADER:
        raise damaged("vectors", f"a matrix of shape {shape} is too large for the converted form")
    return header
