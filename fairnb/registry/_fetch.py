"""Fetching known files by digest from a folder tree of the user's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import data_folder, hold, inside, sha256, sha256_file, write_all
from fairnb.registry._known import Known, KnownFile, known
from fairnb.registry._packages import check_package

Status = Literal["ready", "not fetched", "not installed", "changed"]


def parts(name: str) -> tuple[Known, ...]:
    """List the known things with files that a known thing is made of: itself, or what it derives from."""
    thing = known(name)
    if not thing.derived_from:
        return () if thing.generated else (thing,)
    found = {part.name: part for source in thing.derived_from for part in parts(source)}
    return tuple(found.values())


def fetch(name: str, source: Path | None = None) -> Path:
    """Copy a known thing's files from a folder tree into the user's data folder.

    Files are recognised by digest, whatever they are called. A derived thing fetches what it derives
    from. What is already there is left alone, and a source is then not needed.

    Parameters
    ----------
    name : str
    source : Path, optional
        Folder that is searched with everything below it.

    Returns
    -------
    Path
        Folder of its files; for a package the site-packages folder; for derived and generated
        things the data folder, in which the parts have their folders.

    Raises
    ------
    FairnbError
        ``no-source`` without a folder (with the address to get it from), ``folder-missing``,
        ``not-found`` naming file, size and digest, ``package-missing``, ``cannot-write``.
    """
    thing = known(name)
    if thing.package:
        check_package(thing)
        return _site(thing)
    absent = [part for part in parts(name) if _state(part) != "ready"]
    if absent and source is None:
        raise FairnbErrors([_no_source(part, name) for part in absent])
    for part in absent:
        _copy(part, source or Path())
    return _folder(thing)


def fetched(name: str) -> Path:
    """Say where a known thing lies; see `fetch` for which folder that is.

    Raises
    ------
    FairnbError
        ``not-fetched`` with the line to type, ``package-missing``.
    """
    thing = known(name)
    if thing.package:
        check_package(thing)
        return _site(thing)
    for part in parts(name):
        if _state(part) != "ready":
            raise FairnbError(
                "not-fetched",
                f"{part.name} is not in the data folder"
                + ("" if part.name == name else f", and {name} is built from it"),
                f"type: fairnb data fetch {name} --from FOLDER, with a folder that holds your copy "
                f"({_address(part)})",
            )
    return _folder(thing)


def status(name: str) -> Status:
    """Tell whether a known thing can be used at once.

    ``changed`` means that a file has the right name and another content, or that the installed
    package differs from the known one.
    """
    thing = known(name)
    if not thing.package:
        states = {_state(part) for part in parts(name)}
        return "changed" if "changed" in states else "not fetched" if "not fetched" in states else "ready"
    try:
        check_package(thing)
    except FairnbError as error:
        return "not installed" if error.code == "package-missing" else "changed"
    return "ready"


def _state(thing: Known) -> Literal["ready", "not fetched", "changed"]:
    folder = data_folder() / thing.name
    for file in thing.files:
        path = inside(folder, file.path)
        if not path.is_file():
            return "not fetched"
        if path.stat().st_size != file.size or sha256_file(path) != file.sha256:
            return "changed"
    return "ready"


def _folder(thing: Known) -> Path:
    return data_folder() / thing.name if thing.files else data_folder()


def _site(thing: Known) -> Path:
    first = thing.files[0].path
    return Path(str(metadata.distribution(thing.package.partition("==")[0]).locate_file(first))).parents[
        first.count("/")
    ]


def _address(thing: Known) -> str:
    return f"{thing.address}, commit {thing.commit[:12]}" if thing.commit else thing.address


def _no_source(part: Known, name: str) -> FairnbError:
    return FairnbError(
        "no-source",
        f"{part.name} is not in the data folder and no folder to take it from was given",
        f"get your copy from {_address(part)} (licence: {part.licence}), then type: "
        f"fairnb data fetch {name} --from FOLDER",
    )


def _copy(thing: Known, source: Path) -> None:
    """Copy all files of one thing or none."""
    if not source.is_dir():
        raise FairnbError(
            "folder-missing",
            "there is no such folder",
            "name a folder that holds the files",
            where=str(source),
        )
    folder = data_folder() / thing.name
    contents = {inside(folder, file.path): _found(thing, file, source) for file in thing.files}
    try:
        with hold(data_folder() / f".{thing.name}.lock"):
            for path in contents:
                path.parent.mkdir(parents=True, exist_ok=True)
            write_all(contents)
    except OSError as error:
        raise FairnbError(
            "cannot-write",
            f"the data folder cannot be written ({error.strerror or error})",
            "set FAIRNB_HOME to a folder you may write to",
            where=str(error.filename or folder),
        ) from error


def _found(thing: Known, file: KnownFile, source: Path) -> bytes:
    for path in _files_of_size(source, file.size):
        try:
            data = path.read_bytes()
        except OSError:
            continue  # An unreadable file is as good as none: another copy may be readable.
        if sha256(data) == file.sha256:
            return data
    raise FairnbError(
        "not-found",
        f"no file below it is {file.path} of {thing.name} ({file.size} bytes, SHA-256 {file.sha256})",
        f"get your copy from {_address(thing)} and do not edit it",
        where=str(source),
    )


def _files_of_size(source: Path, size: int) -> Iterator[Path]:
    """Walk a folder tree in name order; the size spares reading every file of it."""
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            try:
                fits = path.is_file() and path.stat().st_size == size
            except OSError:
                continue  # In a folder that may be listed but not entered.
            if fits:
                yield path
