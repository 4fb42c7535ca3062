"""Pages that were laid out before: an export of what has not changed takes them from the user's cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fairnb
from fairnb.errors import FairnbError
from fairnb.files import cache_folder, digest_of, make_folder, sha256, sha256_file, templates, write_bytes

_MOST = 12
"""Files kept, the newest: a case has two, and one more for each signer."""
_DRAWN_BY = ("fonttools", "matplotlib", "pikepdf", "weasyprint")


def kept(made_from: Any, make: Callable[[], bytes]) -> bytes:
    """Bytes made from something, taken from the cache if the same was made before by the same code.

    Parameters
    ----------
    made_from : JSON value
        Everything that the bytes depend on, beside the code and the libraries that make them.
    make : callable
        Makes the bytes.

    Returns
    -------
    bytes
        A file in the cache that is damaged is made again; a cache that cannot be written is done without.
    """
    place = cache_folder() / "pages" / digest_of({"from": made_from, "by": _code()})
    try:
        digest, _, data = place.read_bytes().partition(b"\n")
        if digest.decode("ascii", "replace") == sha256(data):
            return data
    except OSError:
        pass
    data = make()
    try:
        make_folder(place.parent, "")
        write_bytes(place, sha256(data).encode("ascii") + b"\n" + data)
        _prune(place.parent)
    except (FairnbError, OSError):
        return data
    return data


def _prune(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in files[_MOST:]:
        path.unlink(missing_ok=True)


@cache
def _code() -> dict[str, str]:
    """Digests of our own code, data and templates, and the versions of what draws and lays out."""
    folders = {"package": Path(fairnb.__file__).parent, "templates": templates("report_templates")}
    versions = {name: _version(name) for name in _DRAWN_BY}
    return {**{name: digest_of(_files(folder)) for name, folder in folders.items()}, **versions}


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256_file(path)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
