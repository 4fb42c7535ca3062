"""Where things lie: the user's folders, the package's own data, and what is inside a folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from fairnb.errors import FairnbError

_HOME = "set FAIRNB_HOME to a folder you may write to"
_PACKAGE = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """Folder of fetched data: below `FAIRNB_HOME` if that is set, else the platform's place."""
    home = os.environ.get("FAIRNB_HOME")
    folder = Path(home) / "data" if home else Path(platformdirs.user_data_dir("fairnb", False))
    return make_folder(folder, _HOME)


def cache_folder() -> Path:
    """Folder of what can be computed again, such as scores: see `data_folder`."""
    home = os.environ.get("FAIRNB_HOME")
    folder = Path(home) / "cache" if home else Path(platformdirs.user_cache_dir("fairnb", False))
    return make_folder(folder, _HOME)


def templates(name: str) -> Path:
    """Folder of files that stand beside the package: `notebooks` or `report_templates`.

    A wheel carries them inside the package; a checkout has them at its top.
    """
    for folder in (_PACKAGE / "_shared" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FairnbError(
        "incomplete-installation",
        f"the folder {name} is missing from the installed package",
        "install fairnb again",
    )


def inside(root: Path, path: str | Path) -> Path:
    """Resolve a path below a folder and refuse any that leaves it.

    Raises
    ------
    FairnbError
        ``path-outside`` for absolute paths elsewhere, ``..`` and links that lead out; ``bad-path`` for
        what no file can be called.
    """
    base = root.resolve()
    try:
        full = (base / path).resolve()
    except (ValueError, RuntimeError, OSError) as error:
        # RuntimeError: links that lead in a circle, in Python before 3.13.
        raise FairnbError(
            "bad-path", f"{str(path)!r} is no name of a file ({error})", "correct the path"
        ) from error
    if not full.is_relative_to(base):
        raise FairnbError(
            "path-outside",
            f"the path {str(path)!r} leads out of the folder {base.name}",
            "put the file into that folder and name it from there",
        )
    return full


def make_folder(folder: Path, remedy: str) -> Path:
    """Make a folder and those above it, unless they are there.

    Raises
    ------
    FairnbError
        ``cannot-write`` with the remedy given.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FairnbError(
            "cannot-write",
            f"the folder cannot be made ({error.strerror or error})",
            remedy,
            where=str(folder),
        ) from error
    return folder
