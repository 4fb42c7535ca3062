"""What can be computed again is kept by key: a sqlite file that several processes may use at once."""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from fairnb.errors import FairnbError
from fairnb.files._folders import cache_folder
from fairnb.files._locks import hold

_AT_ONCE = 500
"""Keys per query: below every limit of sqlite on parameters."""
_PATIENCE = 30.0
"""Seconds to wait for another process's transaction."""

_Answer = TypeVar("_Answer")
_Row = tuple[bytes, str, bytes, str, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept under a key: bytes, what they are, and a word on them."""

    kind: str
    """Such as the dtype of the array whose bytes these are."""
    data: bytes
    note: str = ""


class Cache:
    """Entries by key, on disk. Nothing in the file is ever run.

    Never the reason that work fails: where the file cannot be opened or written, work goes on without
    it and `notes` says so. A damaged file is set aside and a new one begun; an entry of which a bit has
    changed is as good as missing.

    Parameters
    ----------
    place : Path or str
        The sqlite file; a str names a file in the user's cache folder.
    table : str
        Name of the table; it ends in a number that is raised when the meaning of entries changes.
    name : str
        What `notes` call the cache, such as ``score cache``.
    """

    def __init__(self, place: Path | str, table: str, name: str) -> None:
        if not table.isidentifier():
            raise FairnbError("bad-value", f"{table!r} cannot name a table", "use letters, digits and _")
        self._table = table
        self._name = name
        self._notes: list[str] = []
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._path: Path | None = None
        try:
            self._path = place if isinstance(place, Path) else cache_folder() / place
            self._open(self._path)
        except FairnbError as error:
            self._give_up(error.found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What befell the cache, in sentences."""
        return tuple(self._notes)

    @property
    def usable(self) -> bool:
        """False once work goes on without the cache."""
        return self._db is not None

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """Entries by key; keys that are not in the cache are left out."""
        found: dict[bytes, Entry] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, dtype, value, reason, crc FROM {self._table} WHERE key IN ({marks})"  # noqa: S608
            rows: list[_Row] = self._attempt(lambda db, q=query, p=part: db.execute(q, p).fetchall()) or []  # type: ignore[misc]
            for key, kind, data, note, crc in rows:
                entry = Entry(kind, data, note)
                if _checksum(key, entry) == crc:
                    found[key] = entry
        return found

    def write(self, entries: Mapping[bytes, Entry]) -> None:
        """Keep some entries, all in one transaction."""
        rows: list[_Row] = [
            (key, entry.kind, entry.data, entry.note, _checksum(key, entry)) for key, entry in entries.items()
        ]

        def stored(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                db.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?, ?, ?)", rows)  # noqa: S608
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
            self._db = _connected(path, self._table)
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
                    self._db = _connected(path, self._table, thorough=True)
                except sqlite3.DatabaseError:
                    aside = next(_free_names(path))
                    path.rename(aside)
                    for suffix in ("-wal", "-shm"):
                        path.with_name(path.name + suffix).unlink(missing_ok=True)
                    self._db = _connected(path, self._table)
                    self._notes.append(
                        f"The {self._name} was damaged: it was set aside as {aside.name}, and a new one begun"
                    )
        except (OSError, FairnbError, sqlite3.DatabaseError) as error:
            self._give_up(str(error))

    def _give_up(self, reason: str) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        self._notes.append(
            f"The {self._name} cannot be used ({reason}): what is computed from here on is not kept"
        )


def _connected(path: Path, table: str, *, thorough: bool = False) -> sqlite3.Connection:
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
        db.execute(
            f"CREATE TABLE IF NOT EXISTS {table} (key BLOB PRIMARY KEY, dtype TEXT NOT NULL, value BLOB NOT NULL, "
            "reason TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID"
        )
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


def _checksum(key: bytes, entry: Entry) -> int:
    note = entry.note.encode("utf-8", "surrogatepass")
    return zlib.crc32(b"\0".join((key, entry.kind.encode(), entry.data, note)))
