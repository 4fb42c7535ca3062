"""One writer at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from fairnb.errors import FairnbError


@contextmanager
def hold(path: Path, timeout: float = 30.0) -> Iterator[None]:
    """Hold the lock file `path` while the block runs; a process that dies lets go of it.

    Parameters
    ----------
    path : Path
        The lock file itself, made if missing.
    timeout : float
        Seconds to wait.

    Raises
    ------
    FairnbError
        ``locked`` if another process holds it longer than that.
    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise FairnbError(
            "locked",
            "another fairnb process is writing here",
            "wait until it has ended",
            where=str(path.parent),
        ) from error
    try:
        yield
    finally:
        lock.release()
