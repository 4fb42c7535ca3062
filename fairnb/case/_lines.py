"""At which line of a TOML file a key stands; tomllib does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_TABLE = re.compile(r"^\s*\[\[?\s*(?P<path>[^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*(?P<path>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_LONG_QUOTES = ('"""', "'''")


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Line, from 1, of every table heading and key; keys inside inline tables stand at their table's.

    Rows of a list of tables are counted from 0: ``("stakeholders", "0", "name")``.
    """
    lines: dict[tuple[str, ...], int] = {}
    rows: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        heading = _TABLE.match(line)
        key = _KEY.match(line)
        if key:
            path = (*table, *_parts(key["path"]))
            for depth in range(len(table) + 1, len(path) + 1):
                lines.setdefault(path[:depth], number)
            closing = _opened(line[key.end() :])
        elif heading:
            table = _parts(heading["path"])
            if line.lstrip().startswith("[["):
                rows[table] = rows.get(table, -1) + 1
                table = (*table, str(rows[table]))
            for depth in range(1, len(table) + 1):
                lines.setdefault(table[:depth], number)
    return lines


def line_of(lines: Mapping[tuple[str, ...], int], path: Sequence[str]) -> int | None:
    """Line of a key, or of the nearest table that holds it."""
    for depth in range(len(path), 0, -1):
        if (line := lines.get(tuple(path[:depth]))) is not None:
            return line
    return None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(path))


def _opened(rest: str) -> str:
    """The quotes of a text that goes on in the next line, or nothing."""
    for quotes in _LONG_QUOTES:
        if rest.lstrip().startswith(quotes) and rest.count(quotes) == 1:
            return quotes
    return ""
