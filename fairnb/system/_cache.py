"""Scores once given are kept: a sqlite file that several processes may use at once.

Keys are SHA-256 over system and text, so neither texts nor their scores can be listed by text. Values are
the bytes of float arrays with their dtype and a checksum; nothing in the file is ever run.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from fairnb.errors import FairnbError
from fairnb.files import cache_folder, hold
from fairnb.system._scores import FloatArray, Scores

_TABLE = """CREATE TABLE IF NOT EXISTS scores_1 (
    key BLOB PRIMARY KEY, dtype TEXT NOT NULL, value BLOB NOT NULL, reason TEXT NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID"""
_DTYPES = ("float16", "float32", "float64")
_AT_ONCE = 500
"""Keys per query: below every limit of sqlite on parameters."""
_PATIENCE = 30.0
"""Seconds to wait for another process's transaction."""

_Answer = TypeVar("_Answer")
_Row = tuple[bytes, str, bytes, str, int]


@dataclass(frozen=True)
class Kept:
    """What the cache holds of one text: its scores, or why there are none."""

    values: FloatArray
    """Shape (k,); NaN if unscored."""
    reason: str
    """Empty if scored."""


class ScoreCache:
    """Scores of texts by system, on disk.

    Never the reason that scoring fails: where the file cannot be opened or written, scoring goes on
    without it and `notes` says so. A damaged file is set aside and a new one begun.

    Parameters
    ----------
    path : Path, optional
        The sqlite file; by default in the user's cache folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._notes: list[str] = []
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._path = path
        try:
            self._path = path or cache_folder() / "scores.sqlite3"
            self._open(self._path)
        except FairnbError as error:
            self._give_up(error.found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What befell the cache, in sentences."""
        return tuple(self._notes)

    @property
    def usable(self) -> bool:
        """False once scoring goes on without the cache."""
        return self._db is not None

    def read(self, fingerprint: str, texts: Sequence[str]) -> dict[int, Kept]:
        """Index -> what is kept of that text; texts not in the cache are left out."""
        keys = [_key(fingerprint, text) for text in texts]
        found: dict[bytes, Kept] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, dtype, value, reason, crc FROM scores_1 WHERE key IN ({marks})"  # noqa: S608
            rows: list[_Row] = self._attempt(lambda db, q=query, p=part: db.execute(q, p).fetchall()) or []  # type: ignore[misc]
            for row in rows:
                kept = _unpacked(row)
                if kept is not None:
                    found[row[0]] = kept
        return {index: found[key] for index, key in enumerate(keys) if key in found}

    def write(self, fingerprint: str, texts: Sequence[str], scores: Scores) -> None:
        """Keep the scores of some texts, all in one transaction."""
        rows = [_packed(_key(fingerprint, text), scores, index) for index, text in enumerate(texts)]

        def stored(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                db.executemany("INSERT OR REPLACE INTO scores_1 VALUES (?, ?, ?, ?, ?)", rows)
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

        self._attempt(stored)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], _Answer]) -> _Answer | None:
        """Do some work on the file; None where that is not possible."""
        with self._lock:
            rebuilt = False
            while self._db is not None and self._path is not None:
                try:
                    return work(self._db)
                except sqlite3.DatabaseError as error:
                    if rebuilt or isinstance(error, sqlite3.OperationalError):
                        self._give_up(str(error))
                    else:
                        self._set_aside(self._path)
                        rebuilt = True
            return None

    def _open(self, path: Path) -> None:
        try:
            self._db = _connected(path)
        except sqlite3.OperationalError as error:
            self._give_up(str(error))
        except sqlite3.DatabaseError:
            self._set_aside(path)

    def _set_aside(self, path: Path) -> None:
        """Rename a damaged file and begin a new one; only one process does, the others find it done."""
        if self._db is not None:
            self._db.close()
            self._db = None
        try:
            with hold(path.with_name(f"{path.name}.lock")):
                try:
                    self._db = _connected(path, thorough=True)
                except sqlite3.DatabaseError:
                    aside = next(_free_names(path))
                    path.rename(aside)
                    for suffix in ("-wal", "-shm"):
                        path.with_name(path.name + suffix).unlink(missing_ok=True)
                    self._db = _connected(path)
                    self._notes.append(
                        f"The score cache was damaged: it was set aside as {aside.name}, and a new one begun"
                    )
        except (OSError, FairnbError, sqlite3.DatabaseError) as error:
            self._give_up(str(error))

    def _give_up(self, reason: str) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        self._notes.append(f"Scores are not kept from here on: the score cache cannot be used ({reason})")


def _connected(path: Path, *, thorough: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        # Two processes that switch a new file to WAL at once get "locked" without being made to wait.
        for attempt in range(100):
            try:
                db.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or attempt == 99:
                    raise
                time.sleep(0.05)
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(_TABLE)
        if thorough and db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("damaged")
    except BaseException:
        db.close()
        raise
    return db


def _free_names(path: Path) -> Iterator[Path]:
    number = 1
    while True:
        name = path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")
        if not name.exists():
            yield name
        number += 1


def _key(fingerprint: str, text: str) -> bytes:
    # surrogatepass: a lone surrogate is a text like any other here.
    return hashlib.sha256(fingerprint.encode() + b"\0" + text.encode("utf-8", "surrogatepass")).digest()


def _packed(key: bytes, scores: Scores, row: int) -> _Row:
    value = scores.values[row]
    data = value.tobytes()
    reason = scores.unscored.get(row, "")
    return key, value.dtype.name, data, reason, _checksum(key, value.dtype.name, data, reason)


def _unpacked(row: _Row) -> Kept | None:
    """Read one row back; None if a bit of it has changed on disk."""
    key, dtype, data, reason, crc = row
    if dtype not in _DTYPES or _checksum(key, dtype, data, reason) != crc:
        return None
    return Kept(np.frombuffer(data, dtype=dtype), reason)


def _checksum(key: bytes, dtype: str, data: bytes, reason: str) -> int:
    return zlib.crc32(b"\0".join((key, dtype.encode(), data, reason.encode("utf-8", "surrogatepass"))))
