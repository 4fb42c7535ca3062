"""Which sections a notebook's cells ask for."""

from __future__ import annotations

import ast
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairnb.errors import FairnbError
from fairnb.sections import section, section_ids

_CALL = re.compile(r"""^[^#\n]*\.section\(\s*["'](\w+)["']""", re.MULTILINE)
_LOOKS = 5
"""How often a notebook that is no JSON is read before that is believed."""
_PAUSE = 0.2
"""Seconds between two looks."""
_NAME = 60
"""Letters of a cell's name."""


@dataclass(frozen=True)
class SectionCell:
    """A code cell that shows sections."""

    index: int
    """Place in the notebook, from 0."""
    sections: tuple[str, ...]


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook as plain JSON.

    Raises
    ------
    FairnbError
        ``no-notebook`` if it is missing, ``not-a-notebook`` if it cannot be read as one.
    """
    try:
        data = _parsed(path)
    except FileNotFoundError:
        raise FairnbError(
            "no-notebook",
            "there is no such notebook",
            "make the case with `fairnb new`, or copy its notebook back",
            where=str(path),
        ) from None
    except (OSError, ValueError) as error:
        raise _not_a_notebook(path, str(error)) from error
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise _not_a_notebook(path, "it has no cells")
    if data.get("nbformat") != 4:
        raise _not_a_notebook(path, f"its format is {data.get('nbformat')}, not 4")
    for number, cell in enumerate(data["cells"], 1):
        if not _is_cell(cell):
            raise _not_a_notebook(path, f"cell {number} has another shape than notebooks have")
    return data


def _parsed(path: Path) -> Any:
    """The JSON of a file; a front end that is just saving it leaves it empty or cut short for a moment."""
    for _ in range(_LOOKS - 1):
        try:
            return json.loads(path.read_bytes())
        except ValueError:
            time.sleep(_PAUSE)
    return json.loads(path.read_bytes())


def _is_cell(cell: Any) -> bool:
    """Whether a cell has the shape that everyone who reads notebooks relies on."""
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        return False
    source = cell.get("source", "")
    if not (
        isinstance(source, str) or (isinstance(source, list) and all(isinstance(s, str) for s in source))
    ):
        return False
    is_code = cell["cell_type"] == "code"
    outputs = cell.get("outputs", None if is_code else [])
    return (
        isinstance(cell.get("metadata"), dict)
        and ("execution_count" in cell or not is_code)
        and isinstance(outputs, list)
        and all(isinstance(one, dict) and isinstance(one.get("data", {}), dict) for one in outputs)
    )


def source_of(cell: Mapping[str, Any]) -> str:
    """A cell's source as one text."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def cell_place(number: int, cell: Mapping[str, Any]) -> str:
    r"""A cell as a person finds it: its number, from 1, and its sections' titles or else its first line.

    The number counts cells of text, too, and stands nowhere in a notebook; programs go there by it.

    >>> cell_place(3, {"cell_type": "code", "source": "rows = read()\nrows.head()"})
    'cell 3, “rows = read()”'
    """
    source = source_of(cell)
    asked = sections_of(source) if cell.get("cell_type") == "code" else ()
    known = section_ids()
    named = ", ".join(section(one).title if one in known else one for one in asked)
    if not named:
        named = next((" ".join(line.split()) for line in source.splitlines() if line.strip()), "")
    if len(named) > _NAME:
        named = named[: _NAME - 1].rstrip() + "…"
    # The first closing quotation mark ends the name for whoever takes the number out.
    named = named.replace("”", '"')
    return f"cell {number}, “{named}”" if named else f"cell {number}"


def section_cells(notebook: Mapping[str, Any]) -> tuple[SectionCell, ...]:
    """The code cells that call `.section("ID")`, in order; other cells are left out."""
    found = []
    for index, cell in enumerate(notebook["cells"]):
        if cell.get("cell_type") == "code" and (sections := sections_of(source_of(cell))):
            found.append(SectionCell(index, sections))
    return tuple(found)


def sections_of(source: str) -> tuple[str, ...]:
    """Ids of the sections a cell's source asks for, in order."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        # IPython's own syntax (%magic, !shell) is not Python.
        return tuple(_CALL.findall(source))
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "section"
    ]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    named = (node.args[0] for node in calls if node.args)
    return tuple(arg.value for arg in named if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def _not_a_notebook(path: Path, reason: str) -> FairnbError:
    return FairnbError(
        "not-a-notebook",
        f"the notebook cannot be read ({reason})",
        "save it again in JupyterLab, or copy the template's",
        where=str(path),
    )
