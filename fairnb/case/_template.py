"""Which texts of a notebook are the template's own, and which a person wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from fairnb.case._cells import source_of
from fairnb.case._file import NOTEBOOK
from fairnb.errors import FairnbError
from fairnb.files import sha256, templates

TAG = "fairnb"
"""Tag of a cell that came with the notebook, and key of what its metadata tell."""
_MARK = "template"
_TITLE = re.compile(r"\A# [^\n]*")
_EARLIER = frozenset(
    {
        "4bb68e1f479c4b336a8e15e9691f603da4cf6c4006e3834ff174f6548f9ca702",
        "ef66c674020eea45025cdb07c4e4b7175b0cb8d1157bd2b6cb7a0e042c45d51a",
    }
)
"""Texts that a template had before its cells were marked, and has no longer."""


def marked(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell of the template with the digest of its text, by which any later version knows it again.

    Cells that are no tagged text come back as they are.
    """
    if not _tagged(cell):
        return dict(cell)
    metadata = {**cell["metadata"], TAG: {_MARK: _digest(cell)}}
    return {**cell, "metadata": metadata}


def is_template_text(cell: Mapping[str, Any]) -> bool:
    """Whether a Markdown cell still says what the template of some version said.

    The notebook's title is left out of the comparison: it is the case's. A text that was changed is the
    assessor's. Cells without a mark were made before there were marks, and are compared with what templates said
    up to then.
    """
    if not _tagged(cell):
        return False
    kept = cell["metadata"].get(TAG)
    mark = kept.get(_MARK) if isinstance(kept, Mapping) else None
    return _digest(cell) == mark if mark else _digest(cell) in _known()


def _tagged(cell: Mapping[str, Any]) -> bool:
    return cell.get("cell_type") == "markdown" and TAG in (cell.get("metadata", {}).get("tags") or ())


def _digest(cell: Mapping[str, Any]) -> str:
    return sha256(_TITLE.sub("", source_of(cell)).strip().encode("utf-8"))


@cache
def _known() -> frozenset[str]:
    try:
        cells = json.loads((templates("notebooks") / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    except (FairnbError, OSError, ValueError):
        return _EARLIER
    # A title alone says nothing beside the case's own.
    return _EARLIER | {sha256(b""), *(_digest(cell) for cell in cells if _tagged(cell))}
