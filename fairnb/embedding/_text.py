"""Word vectors as text: GloVe (no header) and word2vec (header with rows and dimension)."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fairnb.embedding._damage import damaged

Block = tuple[list[str], npt.NDArray[np.float32]]
"""Some words and their vectors, shape (len(words), dimension)."""
_LINES = 4096
_LOOK_AT = 200
_LONGEST = 1 << 20
"""Bytes of the longest line that a file of vectors can have."""


def read_text(path: Path, shown: str) -> Iterator[Block]:
    """Read vectors from text, some thousand lines at a time.

    A header is recognised by its two whole numbers, the second of which is the dimension of the lines
    below it. The word is what is left of the last `dimension` fields, so that it may hold spaces.

    Raises
    ------
    FairnbError
        ``damaged-embeddings`` with the line.
    """
    with path.open("rb") as stream:
        head = [_line(raw, number, shown) for number, raw in enumerate(_lines(stream, _LOOK_AT), start=1)]
        if not any(head):
            raise damaged(shown, "the file is empty")
        announced, dimension = _shape(head, shown)
        start = 0 if announced is None else 1
        rows = 0
        pending, first = head[start:], start + 1
        while pending:
            words, vectors = _parsed(pending, first, dimension, shown)
            rows += len(words)
            if words:
                yield words, vectors
            first += len(pending)
            pending = [
                _line(raw, number, shown) for number, raw in enumerate(_lines(stream, _LINES), start=first)
            ]
    if announced is not None and rows != announced:
        raise damaged(shown, f"the first line announces {announced} words, the file holds {rows}")


def _lines(stream: object, count: int) -> Iterator[bytes]:
    readline = stream.readline  # type: ignore[attr-defined]
    return islice(iter(lambda: readline(_LONGEST), b""), count)


def _line(raw: bytes, number: int, shown: str) -> bytes:
    if len(raw) >= _LONGEST:
        raise damaged(
            f"{shown}, line {number}", "the line is longer than a megabyte: this is no file of vectors"
        )
    return raw.rstrip(b"\r\n ").replace(b"\t", b" ")


def _shape(head: list[bytes], shown: str) -> tuple[int | None, int]:
    """Rows that a header announces, if there is one, and the dimension."""
    rest = [line for line in head[1:] if line]
    fields = head[0].split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        rows, dimension = int(fields[0]), int(fields[1])
        if not rest or (dimension > 1 and any(line.count(b" ") >= dimension for line in rest[:5])):
            return rows, dimension
    widths = Counter(_numbers_at_end(line) for line in head if line)
    widths.pop(0, None)
    if not widths:
        raise damaged(f"{shown}, line 1", "no line holds a word and numbers")
    most = max(widths.values())
    return None, min(width for width, times in widths.items() if times == most)


def _numbers_at_end(line: bytes) -> int:
    """How many of the last fields are numbers; the first field is the word's."""
    fields = line.split(b" ")
    count = 0
    for field in reversed(fields[1:]):
        if not _is_number(field):
            break
        count += 1
    return count


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parsed(lines: list[bytes], first: int, dimension: int, shown: str) -> Block:
    words: list[bytes] = []
    numbers: list[bytes] = []
    places: list[int] = []
    for number, line in enumerate(lines, start=first):
        if not line:
            continue
        spaces = line.count(b" ")
        if spaces == dimension:
            word, _, values = line.partition(b" ")
        elif spaces > dimension:
            word, *fields = line.rsplit(b" ", dimension)
            values = b" ".join(fields)
        else:
            raise damaged(
                f"{shown}, line {number}",
                f"{spaces} numbers stand after the word, {dimension} in other lines",
            )
        words.append(word)
        numbers.append(values)
        places.append(number)
    vectors = _floats(b" ".join(numbers), len(words) * dimension)
    if vectors is None:
        _find_damage(numbers, places, dimension, shown)
        raise damaged(shown, f"lines {first} to {first + len(lines) - 1} hold something that is not a number")
    return [word.decode("utf-8", "backslashreplace") for word in words], vectors.reshape(-1, dimension)


def _floats(text: bytes, count: int) -> npt.NDArray[np.float32] | None:
    """Numbers of a text; None if there are not `count` finite ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            values = np.fromstring(text.decode("ascii"), np.float32, sep=" ")
        except ValueError:
            return None
    return values if len(values) == count and bool(np.isfinite(values).all()) else None


def _find_damage(numbers: list[bytes], places: list[int], dimension: int, shown: str) -> None:
    for line, number in zip(numbers, places, strict=True):
        fields = line.split(b" ")
        for field in fields:
            if not _is_number(field) or not math.isfinite(float(field)) or abs(float(field)) > 3.4e38:
                told = field[:20].decode("utf-8", "backslashreplace")
                raise damaged(f"{shown}, line {number}", f"{told!r} stands where a number should be")
        if _floats(line, dimension) is None:
            raise damaged(f"{shown}, line {number}", f"there are not {dimension} numbers after the word")
