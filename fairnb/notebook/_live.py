"""Live objects: a system that the notebook made, saved into the case and named in its file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fairnb.case import CASE_FILE, Case, missing_target
from fairnb.errors import FairnbError
from fairnb.files import write_text

_TABLE = re.compile(r"^\[system\][^\n]*\n(?:(?!^\[)[^\n]*\n?)*", re.MULTILINE)
_NAME = "system"
_FILES = {"sklearn": f"{_NAME}.skops", "keras": f"{_NAME}.keras"}
"""Where `fairnb.system.save_object` puts what the notebook holds, by kind."""


def name_system(folder: Path, live_object: Any) -> Any:
    """Make the case file name a live system.

    A scikit-learn pipeline or Keras model is saved as `system.skops` or `system.keras`; a function needs
    ``python = "live"``, since it cannot be saved.

    Returns
    -------
    object or None
        What has to be passed on because no file holds it.

    Raises
    ------
    FairnbError
        ``no-case``; ``other-system`` if the case file names another system; ``cannot-save-system``.
    """
    path = folder / CASE_FILE
    text = _read(path)
    given = _said(text)
    if callable(live_object) and not hasattr(live_object, "predict"):
        if given.get("python") != "live":
            _refuse_other(given, path)
            _write(path, text, {"python": "live"})
        return live_object
    from fairnb.system import save_object

    if not any(given.get(kind) == file for kind, file in _FILES.items()):
        _refuse_other(given, path)
    spec = save_object(live_object, folder, name=_NAME)
    wanted = spec.model_dump(mode="json", exclude_defaults=True)
    if {key: given.get(key) for key in wanted} != wanted:
        if given.get(spec.kind) != spec.value:
            _refuse_other(given, path)
        _write(path, text, {**given, **wanted})
    return None


def with_target(case: Case) -> Case:
    """Give a case that names no target the one that its live system's classes and its labels suggest.

    Raises
    ------
    FairnbError
        Those of opening the system; ``cannot-write``.
    """
    block = missing_target(case)
    if not block:
        return case
    path = case.folder / CASE_FILE
    write_text(path, f"{_read(path).rstrip()}\n\n{block}")
    return case.reloaded()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FairnbError(
            "no-case",
            f"the folder holds no readable {CASE_FILE}",
            "make a case with `fairnb new DIR`",
            where=str(path.parent),
        ) from error


def _said(text: str) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(text).get("system", {})
    except tomllib.TOMLDecodeError:
        # Opening the case says what is wrong with the file.
        return {}
    return dict(table) if isinstance(table, dict) else {}


def _refuse_other(given: dict[str, Any], path: Path) -> None:
    if given:
        raise FairnbError(
            "other-system",
            f"the case file names another system ({', '.join(f'{k} = {v!r}' for k, v in given.items())})",
            "remove its table [system], or open the case without system=",
            where=str(path),
        )


def _write(path: Path, text: str, table: dict[str, Any]) -> None:
    """Replace the table [system], or add it; the rest of the file stays as it is.

    Raises
    ------
    FairnbError
        ``cannot-edit`` if the file is written in a way that this does not understand.
    """
    lines = "".join(f"{key} = {_value(value)}\n" for key, value in table.items())
    block = f"[system]\n{lines}\n"
    if _TABLE.search(text):
        edited = _TABLE.sub(lambda _: block, text, count=1)
    else:
        edited = f"{text.rstrip()}\n\n{block}"
    if _said(edited) != table:
        raise FairnbError(
            "cannot-edit",
            "the table [system] cannot be filled in without touching the rest of the file",
            f"write into it: {', '.join(lines.splitlines())}",
            where=str(path),
        )
    write_text(path, edited)


def _value(value: Any) -> str:
    """A value as TOML; JSON differs only in tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
