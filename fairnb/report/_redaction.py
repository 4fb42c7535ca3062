"""Showing less than the case stored: texts in results, and outputs that no section redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairnb.errors import FairnbError
from fairnb.files import digest_of
from fairnb.report._extract import BUNDLE
from fairnb.sections import Result, section, section_ids
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


_LEFT_OUT = {
    "output_type": "stream",
    "name": "stdout",
    "text": "Left out: the texts of this case are withheld, and no section redacted this output.",
}


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
        Outputs of foreign cells, which no section redacted: `mask` keeps their text, masked, and their
        pictures; `withhold` puts a sentence in their place. Source and remarks are the assessor's own
        words and stay.
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
        own, foreign = [], []
        for output in cell.get("outputs", ()):
            if BUNDLE in output.get("data", {}):
                own.append(_rendered_anew(output, change) if change else output)
            elif mode == "mask":
                foreign.append(_masked(output))
            elif mode == "none":
                foreign.append(output)
            else:
                foreign = [_LEFT_OUT]
        cells.append({**cell, "outputs": [*own, *foreign]})
    return {**notebook, "cells": cells}


def _masked(output: Mapping[str, Any]) -> dict[str, Any]:
    """An output of the assessor's own code with its text masked; what is neither text nor PNG is dropped."""

    def hidden(value: Any) -> str:
        text = "".join(value) if isinstance(value, (list, tuple)) else str(value)
        # Masking needs no key: it keeps no digest.
        return redact(text, "mask", key=b"unused", escaped=False)

    changed = dict(output)
    for name in ("text", "evalue"):
        if name in changed:
            changed[name] = hidden(changed[name])
    if "traceback" in changed:
        changed["traceback"] = [hidden(line) for line in changed["traceback"]]
    if "data" in changed:
        data = changed["data"]
        changed["data"] = {
            **({"text/plain": hidden(data["text/plain"])} if "text/plain" in data else {}),
            **({"image/png": data["image/png"]} if "image/png" in data else {}),
        }
    return changed


def _rendered_anew(output: Mapping[str, Any], change: Callable[[list[Any]], list[Any]]) -> dict[str, Any]:
    from fairnb.report._render import render_section, render_text

    payloads = change(output["data"][BUNDLE])
    shown = {BUNDLE: payloads, "text/html": render_section(payloads), "text/plain": render_text(payloads)}
    return {**output, "data": {**output["data"], **shown}}


def _redacted_payload(payload: Mapping[str, Any], mode: RedactMode, key: bytes) -> dict[str, Any]:
    content = payload["content"]
    result = _without_words(content) if mode == "withhold" else content["result"]
    examples = result.get("examples", ())
    shown = [
        {
            **example,
            **{
                name: redact(str(example[name]), mode, key=key, escaped=False)
                for name in ("text", "beside")
                if name in example
            },
        }
        for example in examples
    ]
    if not examples and result is content["result"]:
        return dict(payload)
    changed = {**content, "result": {**result, **({"examples": shown} if examples else {})}}
    return {**payload, "content": changed, "content_sha256": digest_of(changed)}


def _without_words(content: Mapping[str, Any]) -> Any:
    """A result as its section leaves it where texts are withheld; of sections not installed, as it is."""
    if content.get("section") not in section_ids():
        return content["result"]
    result = Result.model_validate(content["result"])
    changed = section(content["section"]).withheld(result)
    return content["result"] if changed is result else changed.model_dump(mode="json")
