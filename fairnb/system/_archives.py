"""Digests of model archives by what they hold: saving the same model twice gives the same digest.

A zip keeps the time of writing, skops numbers its objects by memory address, and Keras notes the date.
None of that is the model.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import IO, Any

from fairnb.errors import FairnbError
from fairnb.files import digest_of

_SCHEMA = "schema.json"
_DATES = "metadata.json"
_ADDRESS = "_stop_words_id"
"""An attribute in which scikit-learn's vectorisers remember a memory address."""


def skops_digest(source: Path | IO[bytes], shown: str) -> str:
    """Digest of a skops file: its schema with objects numbered as they come, and its members' contents.

    Raises
    ------
    FairnbError
        ``damaged-file`` if it is no such archive.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            members = _members(archive, leave_out=_SCHEMA)
            schema = json.loads(archive.read(_SCHEMA))
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise _damaged(shown, "skops") from error
    numbers: dict[Any, int] = {}
    return digest_of(_numbered(schema, members, numbers))


def keras_digest(path: Path, shown: str) -> str:
    """Digest of a `.keras` file: configuration, weights and assets, without the date of saving."""
    try:
        with zipfile.ZipFile(path) as archive:
            return digest_of(_members(archive, leave_out=_DATES))
    except zipfile.BadZipFile as error:
        raise _damaged(shown, "Keras") from error


def _members(archive: zipfile.ZipFile, leave_out: str) -> dict[str, str]:
    digests = {}
    for name in archive.namelist():
        if name != leave_out:
            with archive.open(name) as stream:
                digests[name] = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
    return digests


def _numbered(node: Any, members: dict[str, str], numbers: dict[Any, int]) -> Any:
    """Replace memory addresses by order of appearance, and member names by their digests."""
    if isinstance(node, dict):
        return {
            key: numbers.setdefault(value, len(numbers))
            if key == "__id__"
            else _numbered(value, members, numbers)
            for key, value in node.items()
            if key != _ADDRESS
        }
    if isinstance(node, list):
        return [_numbered(item, members, numbers) for item in node]
    if isinstance(node, str):
        return members.get(node, node)
    return repr(node) if isinstance(node, (int, float)) and not isinstance(node, bool) else node


def _damaged(shown: str, kind: str) -> FairnbError:
    return FairnbError(
        "damaged-file", f"{shown} is not a whole {kind} file", "save the model again", where=shown
    )
