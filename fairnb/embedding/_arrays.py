"""Word vectors as an array beside a list of words, and the known GloVe package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairnb.embedding._damage import damaged
from fairnb.embedding._text import Block
from fairnb.errors import FairnbError

_ROWS = 16384


def vocabulary_of(path: Path, named: Path | None, shown: str) -> Path:
    """The file of words that belongs to an array.

    Raises
    ------
    FairnbError
        ``missing-file`` with the names that were looked for.
    """
    tried = [named] if named else [path.with_suffix(s) for s in (".vocab", ".txt")]
    for candidate in tried:
        if candidate.is_file():
            return candidate
    names = " or ".join(candidate.name for candidate in tried)
    raise FairnbError(
        "missing-file",
        f"the words of this array are looked for in {names}, which is not there",
        "put a file with one word per line there, or name it with vocabulary",
        where=shown,
    )


def read_array(path: Path, vocabulary: Path, shown: str) -> Iterator[Block]:
    """Read a .npy matrix of shape (words, dimension) and one word per line."""
    words = [
        line.decode("utf-8", "backslashreplace")
        for line in vocabulary.read_bytes().removesuffix(b"\n").replace(b"\r\n", b"\n").split(b"\n")
    ]
    return of_matrix(words, loaded(path, shown), shown)


def loaded(path: Path, shown: str) -> Any:
    """Memory-map a .npy matrix; no pickle is read.

    Raises
    ------
    FairnbError
        ``damaged-embeddings``.
    """
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise damaged(
            shown, "this is no whole .npy array of numbers", "save it again with numpy.save"
        ) from error
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise damaged(
            shown, "the array is not a matrix of floating-point numbers, one row per word", "save that matrix"
        )
    return matrix


def of_matrix(words: Sequence[str], matrix: Any, shown: str) -> Iterator[Block]:
    """Hand on a matrix in blocks of rows.

    Raises
    ------
    FairnbError
        ``damaged-embeddings`` if words and rows differ in number, or a value is not finite.
    """
    if len(words) != len(matrix):
        raise damaged(shown, f"{len(words)} words, but {len(matrix)} rows", "give one word per row, in order")
    for start in range(0, len(words), _ROWS):
        block = np.ascontiguousarray(matrix[start : start + _ROWS], np.float32)
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            raise damaged(
                f"{shown}, row {start + int(np.argmin(finite)) + 1}", "a value is not a finite number"
            )
        yield list(words[start : start + _ROWS]), block


def read_glove_package(matrix: Path, index: Path) -> Iterator[Block]:
    """Read the packaged GloVe vectors: a matrix in Fortran order and a Parquet file of words."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise FairnbError(
            "package-missing",
            "the words of these vectors are a Parquet file, and pyarrow is not installed",
            "install it with: pip install 'fairnb[embeddings]'",
        ) from error
    words = parquet.read_table(index, columns=["index"]).column(0).to_pylist()
    # Rows of a Fortran matrix lie scattered over the file: it is turned round in memory once.
    whole = np.ascontiguousarray(loaded(matrix, matrix.name))
    return of_matrix(words, whole, matrix.name)
