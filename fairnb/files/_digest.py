"""Digests, and the one JSON form they are taken over (RFC 8785)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from datetime import date, datetime
from enum import Enum
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
    return rfc8785.dumps(plain(value))


def digest_of(value: Any) -> str:
    """SHA-256 of a value's canonical JSON."""
    return sha256(canonical_json(value))
