"""Word vectors in word2vec's binary form."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fairnb.embedding._damage import damaged
from fairnb.embedding._text import Block

_FASTTEXT = 793712314
"""The number with which a fastText model begins."""
_HEADER = 100
_WORD = 4096
"""Bytes of the longest word."""
_ROWS = 8192


def read_binary(path: Path, shown: str) -> Iterator[Block]:
    """Read a word2vec file: a line with rows and dimension, then word, space and float32 values.

    Raises
    ------
    FairnbError
        ``damaged-embeddings`` with the row.
    """
    size = path.stat().st_size
    if not size:
        raise damaged(shown, "the file is empty")
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        rows, dimension, at = _header(data[:_HEADER], size, shown)
        width = 4 * dimension
        words: list[str] = []
        vectors = np.empty((min(_ROWS, rows), dimension), np.float32)
        for row in range(rows):
            space = data.find(b" ", at, at + _WORD)
            if space < 0 or space + 1 + width > size:
                raise damaged(
                    f"{shown}, word {row + 1} of {rows}", "the file ends early, or is no word2vec file"
                )
            words.append(data[at:space].lstrip(b"\r\n").decode("utf-8", "backslashreplace"))
            values = np.frombuffer(data[space + 1 : space + 1 + width], "<f4")
            if not np.isfinite(values).all():
                raise damaged(f"{shown}, word {row + 1} of {rows}", "a value is not a finite number")
            vectors[len(words) - 1] = values
            at = space + 1 + width
            if len(words) == len(vectors):
                yield words, vectors
                words = []
        if words:
            yield words, vectors[: len(words)]
        if data[at:].strip(b"\r\n "):
            raise damaged(
                shown, f"{size - at} bytes follow the last of the {rows} words the header announces"
            )


def _header(start: bytes, size: int, shown: str) -> tuple[int, int, int]:
    if start[:4] == struct.pack("<i", _FASTTEXT):
        raise damaged(shown, "this is a fastText model", "name its .vec file, which holds the words' vectors")
    line, newline, _ = start.partition(b"\n")
    fields = line.split()
    if not newline or len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise damaged(f"{shown}, line 1", "a word2vec file begins with its number of words and its dimension")
    rows, dimension = int(fields[0]), int(fields[1])
    if not rows or not dimension or rows * (4 * dimension + 1) > size:
        raise damaged(
            f"{shown}, line 1", f"{rows} words of {dimension} numbers do not fit into a file of {size} bytes"
        )
    return rows, dimension, len(line) + 1
