"""Digests, and the one JSON form they are taken over (RFC 8785)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import Enum
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

import rfc8785

from fairnb.errors import FairnbError


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Lower-case hexadecimal SHA-256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def plain(value: Any) -> Any:
    """Turn a value into what JSON knows.

    Numpy scalars and arrays, dates, paths, enumerations, tuples, sets and pydantic models become
    plain values. Sets are sorted.

    Raises
    ------
    FairnbError
        ``not-json`` for NaN, infinities and types JSON cannot hold: an undefined number is None.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        # Lone surrogates cannot be encoded; they are shown as their escape.
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FairnbError("not-json", f"the number {value} has no JSON form", "use None for undefined")
        return float(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Path):
        return value.as_posix()
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json"))
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise FairnbError("not-json", f"a {type(value).__name__} has no JSON form", "convert it first")


def canonical_json(value: Any) -> bytes:
    """Canonical JSON (RFC 8785) of `plain(value)`: the same value always gives the same bytes."""
    parts: list[str] = []
    _write(value, parts.append)
    return "".join(parts).encode("utf-8")


def digest_of(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return sha256(canonical_json(value))


_EXACT = 2**53
"""Whole numbers up to here are what a JSON number can hold."""


def _write(value: Any, add: Callable[[str], None]) -> None:
    """Write a value in one pass; what is not of the plainest types is made plain first.

    A result holds tens of thousands of values, and is written on every run.
    """
    kind = type(value)
    if kind is str:
        add(encode_basestring(value if value.isascii() else plain(value)))
    elif kind is float:
        add(_number(value))
    elif value is None:
        add("null")
    elif kind is dict:
        _write_object(value, add)
    elif kind is list or kind is tuple:
        add("[")
        for place, item in enumerate(value):
            if place:
                add(",")
            _write(item, add)
        add("]")
    elif kind is bool:
        add("true" if value else "false")
    elif kind is int and -_EXACT < value < _EXACT:
        add(str(value))
    elif kind is int:
        add(rfc8785.dumps(value).decode())
    else:
        _write(plain(value), add)


def _write_object(value: dict[Any, Any], add: Callable[[str], None]) -> None:
    keys = tuple(value)
    form = _FORMS.get(keys)
    if form is None:
        if not all(type(key) is str and key.isascii() for key in keys):
            value = {str(plain(key)): item for key, item in value.items()}
            # Keys are ordered by their UTF-16 code units; among ASCII that is the order of the letters.
            ordered = sorted(value, key=lambda key: key.encode("utf-16be"))
            form = _form_of(ordered)
        else:
            form = _form_of(sorted(keys))
            if len(_FORMS) < _FORMS_KEPT:
                _FORMS[keys] = form
    for key, written in form:
        add(written)
        item = value[key]
        kind = type(item)
        if kind is float:
            add(_number(item))
        elif kind is str and item.isascii():
            add(encode_basestring(item))
        else:
            _write(item, add)
    add("}" if form else "{}")


_FORMS: dict[tuple[Any, ...], list[tuple[str, str]]] = {}
"""Keys of objects -> in order, each with what stands before its value: measures by the thousand are alike."""
_FORMS_KEPT = 1000


def _form_of(keys: list[str]) -> list[tuple[str, str]]:
    return [(key, f"{',' if place else '{'}{encode_basestring(key)}:") for place, key in enumerate(keys)]


def _number(value: float) -> str:
    """A number as ECMAScript writes it: as Python does between 0.0001 and 1e16, but for a whole one's `.0`."""
    text = repr(value)
    # Infinite numbers and NaN have an "n" in them; `plain` refuses them.
    if "e" in text or "n" in text or not value:
        return rfc8785.dumps(plain(value)).decode()
    return text.removesuffix(".0")
