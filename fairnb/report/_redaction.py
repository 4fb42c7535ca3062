"""Showing less than the case stored: texts in results, and outputs that no section redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairnb.errors import FairnbError
from fairnb.files import digest_of
from fairnb.report._extract import BUNDLE
from fairnb.text import RedactMode, redact

MODES: tuple[RedactMode, ...] = ("none", "mask", "withhold")
"""From what shows all to what shows least."""


def narrowed(asked: str | None, stored: RedactMode) -> RedactMode:
    """The redaction of an export: the case's, or a stricter one that was asked for.

    Raises
    ------
    FairnbError
        ``unknown-redaction``; ``redaction-only-narrows`` for one that would show more.
    """
    if asked is None:
        return stored
    mode = next((known for known in MODES if known == asked), None)
    if mode is None:
        raise FairnbError(
            "unknown-redaction", f"there is no redaction {asked!r}", f"choose one of {', '.join(MODES)}"
        )
    if MODES.index(mode) < MODES.index(stored):
        raise FairnbError(
            "redaction-only-narrows",
            f"the results are stored with redaction {stored!r}, which {mode!r} would loosen",
            f'set redact = "{mode}" in the table [privacy] of assessment.toml and run the case again',
        )
    return mode


def redacted_payloads(
    payloads: Sequence[Mapping[str, Any]], mode: RedactMode, key: bytes
) -> list[dict[str, Any]]:
    """Payloads whose examples show what `mode` allows; digests are those of the new content."""
    return [_redacted_payload(payload, mode, key) for payload in payloads]


def redacted_notebook(
    notebook: Mapping[str, Any], mode: RedactMode, change: Callable[[list[Any]], list[Any]] | None = None
) -> dict[str, Any]:
    """The notebook as it is attached.

    Parameters
    ----------
    notebook : mapping
    mode : {'none', 'mask', 'withhold'}
        But for `none`, outputs of foreign cells, which no one redacted, are left out; source and remarks
        are the assessor's own words and stay.
    change : callable, optional
        Applied to each list of payloads; what a reader sees of them is then rendered anew.
    """
    if mode == "none" and change is None:
        return dict(notebook)
    cells = []
    for cell in notebook.get("cells", ()):
        if cell.get("cell_type") != "code":
            cells.append(dict(cell))
            continue
        kept = [
            _rendered_anew(output, change) if change else output
            for output in cell.get("outputs", ())
            if BUNDLE in output.get("data", {})
        ]
        cells.append({**cell, "outputs": kept})
    return {**notebook, "cells": cells}


def _rendered_anew(output: Mapping[str, Any], change: Callable[[list[Any]], list[Any]]) -> dict[str, Any]:
    from fairnb.report._render import render_section, render_text

    payloads = change(output["data"][BUNDLE])
    shown = {BUNDLE: payloads, "text/html": render_section(payloads), "text/plain": render_text(payloads)}
    return {**output, "data": {**output["data"], **shown}}


def _redacted_payload(payload: Mapping[str, Any], mode: RedactMode, key: bytes) -> dict[str, Any]:
    content = payload["content"]
    examples = content["result"].get("examples", ())
    if not examples:
        return dict(payload)
    shown = [
        {**example, "text": redact(str(example["text"]), mode, key=key, escaped=False)}
        for example in examples
    ]
    changed = {**content, "result": {**content["result"], "examples": shown}}
    return {**payload, "content": changed, "content_sha256": digest_of(changed)}
