"""JSON lines: one object per line."""

from __future__ import annotations

import json

from fairnb.corpus._table import Table
from fairnb.errors import FairnbError


def read_jsonl(text: str, name: str, facts: dict[str, object]) -> Table:
    """Read one JSON object per line; the columns are the keys of all, a key left out is an empty cell.

    Raises
    ------
    FairnbError
        ``bad-json`` with line and column, ``empty-file``.
    """
    objects: list[dict[str, object]] = []
    lines: list[int] = []
    blank = 0
    # Only "\n" ends a line: JSON strings may hold Unicode line separators.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        if not line.strip():
            blank += 1
            continue
        objects.append(_object(line, f"{name}, line {number}"))
        lines.append(number)
    if not objects:
        raise FairnbError(
            "empty-file", "the file is empty", "name a file with one object per line", where=name
        )
    columns = tuple(dict.fromkeys(key for row in objects for key in row))
    data = tuple([row.get(column) for row in objects] for column in columns)
    return Table(name, columns, data, lines, facts | {"format": "jsonl", "blank_lines": blank})


def _object(line: str, where: str) -> dict[str, object]:
    try:
        value = json.loads(line, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise FairnbError(
            "bad-json", f"this is not JSON: {error.msg}", _REMEDY, where=f"{where}, character {error.colno}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise FairnbError("bad-json", f"this is not JSON: {error}", _REMEDY, where=where) from error
    if not isinstance(value, dict):
        kind = "an array" if isinstance(value, list) else f"the value {line.strip()[:20]}"
        raise FairnbError("bad-json", f"this is {kind}, not an object", _REMEDY, where=where)
    return value


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


_REMEDY = 'write one object per line, such as {"text": "...", "label": 1}'
