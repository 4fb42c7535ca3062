"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fairnb.errors import FairnbError


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files so that none is seen half-written.

    Every file goes to a temporary name beside its target; all are renamed only after the last one
    is on disk.

    Parameters
    ----------
    contents : mapping of Path to bytes

    Raises
    ------
    FairnbError
        ``cannot-write`` if a folder is missing, read-only or full; nothing is left behind.
    """
    staged: list[tuple[str, Path]] = []
    at = next(iter(contents), Path())
    try:
        for path, data in contents.items():
            at = path
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            staged.append((name, path))
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, _mode_of(path))
        for name, path in staged:
            at = path
            os.replace(name, path)
    except OSError as error:
        raise FairnbError(
            "cannot-write",
            f"the file cannot be written ({error.strerror or error})",
            "choose a folder that exists, is writable and has room",
            where=str(at),
        ) from error
    finally:
        for name, _ in staged:
            if os.path.exists(name):
                os.unlink(name)


def write_bytes(path: Path, data: bytes) -> None:
    """Write one file atomically; see `write_all`."""
    write_all({path: data})


def write_text(path: Path, text: str) -> None:
    """Write one UTF-8 text file atomically; see `write_all`."""
    write_all({path: text.encode("utf-8")})


def _mode_of(path: Path) -> int:
    """Keep an existing file's mode; a new one gets what the umask grants."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
