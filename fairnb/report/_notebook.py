"""What a notebook contributes to its document: order, the assessor's remarks, foreign outputs."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairnb.case import CONTROLS, is_template_text
from fairnb.report._extract import BUNDLE
from fairnb.report._figures import safe_png

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LONGEST = 20_000
"""Characters of one foreign output that are printed."""
_PICTURES = ("image/png", "image/jpeg", "image/gif")


@dataclass(frozen=True)
class Remark:
    """A Markdown cell."""

    text: str


@dataclass(frozen=True)
class SectionPlace:
    """Where a section's output stands."""

    section: str


@dataclass(frozen=True)
class Output:
    """Outputs of a cell that is not fairnb's."""

    cell: int
    """Number of the cell, from 1."""
    source: str
    text: str
    pictures: tuple[str, ...]
    """PNG written anew, as `data:` addresses."""


Place = Remark | SectionPlace | Output


def walk(notebook: Mapping[str, Any]) -> Iterator[Place]:
    """What the notebook's cells contribute, in their order."""
    for number, cell in enumerate(notebook.get("cells", ()), 1):
        source = _joined(cell.get("source", ""))
        if cell.get("cell_type") == "markdown":
            if source.strip() and not is_template_text(cell):
                yield Remark(source)
        elif cell.get("cell_type") == "code":
            yield from _of_code(number, source, cell.get("outputs", ()))


def payloads_of(notebook: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All payloads in a notebook's outputs, in order."""
    return [
        payload
        for cell in notebook.get("cells", ())
        for output in cell.get("outputs", ())
        for payload in output.get("data", {}).get(BUNDLE, ())
    ]


def _of_code(number: int, source: str, outputs: Any) -> Iterator[Place]:
    texts: list[str] = []
    pictures: list[str] = []
    for output in outputs:
        data = output.get("data", {})
        if BUNDLE in data:
            for name in dict.fromkeys(str(item["content"]["section"]) for item in data[BUNDLE]):
                yield SectionPlace(name)
            continue
        if CONTROLS in data:
            continue
        kind = output.get("output_type")
        if kind == "stream":
            texts.append(_joined(output.get("text", "")))
        elif kind == "error":
            texts.append(f"{output.get('ename', '')}: {output.get('evalue', '')}")
        else:
            drawn = [address for mime in _PICTURES if (address := _picture(data.get(mime)))]
            pictures += drawn[:1]
            if not drawn:
                texts.append(_joined(data.get("text/plain", "")))
    text = _ESCAPES.sub("", "\n".join(part.rstrip("\n") for part in texts if part.strip()))
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + f"\n… ({len(text) - _LONGEST:,} further characters are in the notebook)"
    if text or pictures:
        yield Output(number, source, text, tuple(pictures))


def _picture(value: Any) -> str:
    if not value:
        return ""
    try:
        return safe_png(base64.b64decode(_joined(value)))
    except (binascii.Error, ValueError):
        return ""


def _joined(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else str(value)
