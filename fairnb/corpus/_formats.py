"""Which reader reads which file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from fairnb.corpus._csv import read_csv
from fairnb.corpus._decode import decode
from fairnb.corpus._jsonl import read_jsonl
from fairnb.corpus._table import Table
from fairnb.corpus._tsv import read_tsv
from fairnb.errors import FairnbError

_READERS: Mapping[str, Callable[[str, str, dict[str, object]], Table]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".tab": read_tsv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
}


def read_table(path: Path, data: bytes, encoding: str | None) -> Table:
    """Read a file's bytes by the format that its name says.

    Raises
    ------
    FairnbError
        ``unknown-format``, and those of the readers.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FairnbError(
            "unknown-format",
            f"files that end in {path.suffix or 'nothing'!r} cannot be read",
            f"save the corpus in one of the formats {', '.join(_READERS)}",
            where=path.name,
        )
    text, facts = decode(data, path.name, encoding)
    return reader(text, path.name, facts)
