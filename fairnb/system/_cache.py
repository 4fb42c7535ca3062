"""Scores once given are kept.

Keys are SHA-256 over system and text, so neither texts nor their scores can be listed by text. Values are
the bytes of float arrays with their dtype and a checksum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from fairnb.files import Cache, Entry
from fairnb.system._scores import FloatArray, Scores

_DTYPES = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Kept:
    """What the cache holds of one text: its scores, or why there are none."""

    values: FloatArray
    """Shape (k,); NaN if unscored."""
    reason: str
    """Empty if scored."""


class ScoreCache:
    """Scores of texts by system, on disk; see `fairnb.files.Cache`.

    Parameters
    ----------
    path : Path, optional
        The sqlite file; by default in the user's cache folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._cache = Cache(path or "scores.sqlite3", "scores_1", "score cache")

    @property
    def notes(self) -> tuple[str, ...]:
        """What befell the cache, in sentences."""
        return self._cache.notes

    @property
    def usable(self) -> bool:
        """False once scoring goes on without the cache."""
        return self._cache.usable

    def read(self, fingerprint: str, texts: Sequence[str]) -> dict[int, Kept]:
        """Index -> what is kept of that text; texts not in the cache are left out."""
        keys = [_key(fingerprint, text) for text in texts]
        found = {
            key: Kept(np.frombuffer(entry.data, dtype=entry.kind), entry.note)
            for key, entry in self._cache.read(keys).items()
            if entry.kind in _DTYPES
        }
        return {index: found[key] for index, key in enumerate(keys) if key in found}

    def write(self, fingerprint: str, texts: Sequence[str], scores: Scores) -> None:
        """Keep the scores of some texts, all in one transaction."""
        kind = scores.values.dtype.name
        self._cache.write(
            {
                _key(fingerprint, text): Entry(
                    kind, scores.values[row].tobytes(), scores.unscored.get(row, "")
                )
                for row, text in enumerate(texts)
            }
        )

    def close(self) -> None:
        """Close the file."""
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _key(fingerprint: str, text: str) -> bytes:
    # surrogatepass: a lone surrogate is a text like any other here.
    return hashlib.sha256(fingerprint.encode() + b"\0" + text.encode("utf-8", "surrogatepass")).digest()
