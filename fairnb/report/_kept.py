"""Pages that were laid out before: an export of what has not changed takes them from the case folder."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fairnb
from fairnb.errors import FairnbError
from fairnb.files import cache_folder, digest_of, sha256_file, templates, write_bytes

_MOST = 4
"""Files kept, the newest: a page and a PDF, and those of the export before."""
_DRAWN_BY = ("fonttools", "matplotlib", "pikepdf", "weasyprint")


def kept(folder: Path, made_from: Any, make: Callable[[], bytes]) -> bytes:
    """Bytes made from something, taken from a folder if the same was made before by the same code.

    Parameters
    ----------
    folder : path
        Of a case: pages hold its texts and must go where it goes. Made if what it lies in is there.
    made_from : JSON value
        Everything that the bytes depend on, beside the code and the libraries that make them.
    make : callable
        Makes the bytes.

    Returns
    -------
    bytes
        A file that is damaged or of another user is made again; a folder that cannot be written is done without.
    """
    name = digest_of({"from": made_from, "by": _code()})
    try:
        mark, _, data = (folder / name).read_bytes().partition(b"\n")
        if hmac.compare_digest(mark, _mark(name, data)):
            return data
    except (FairnbError, OSError):
        pass
    data = make()
    try:
        folder.mkdir(exist_ok=True)
        write_bytes(folder / name, _mark(name, data) + b"\n" + data)
        _prune(folder)
    except (FairnbError, OSError):
        return data
    return data


def _mark(name: str, data: bytes) -> bytes:
    """What only this user can have written: else a case from elsewhere could bring a page to be signed."""
    return hmac.new(_secret(), name.encode("ascii") + data, "sha256").hexdigest().encode("ascii")


def _secret() -> bytes:
    place = cache_folder() / "pages.key"
    if not place.exists():
        write_bytes(place, secrets.token_bytes(32))
        place.chmod(0o600)
    return place.read_bytes()


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
