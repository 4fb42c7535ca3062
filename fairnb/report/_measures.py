"""Measures by number: the id each printed figure carries, and the table `fairnb measures` prints."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairnb.errors import FairnbError
from fairnb.report._extract import read_evidence
from fairnb.sections import Measure, MeasureKey
from fairnb.text import printable

COLUMNS = (
    "id", "section", "target", "measure", "attribute", "subgroup", "reference", "label", "variant", "value",
    "low", "high", "level", "interval", "n", "denominator", "n_reference", "n_overlap", "clusters",
    "threshold", "null", "p", "p_adjusted", "family", "detectable", "status", "method", "note",
)  # fmt: skip
"""Columns of a row of measures, in order."""

_FORMULA = ("=", "+", "-", "@")
_SHOWN = ("id", "section", "target", "measure", "attribute", "subgroup", "reference", "label", "variant",
          "value", "low", "high", "n", "status")  # fmt: skip


def number_measures(payloads: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, MeasureKey], str]:
    """Ids of all measures, in the order of the payloads and of the measures in each result.

    Parameters
    ----------
    payloads : sequence of mapping
        Payloads as the evidence holds them.

    Returns
    -------
    dict
        ``(section, target, key) -> "M-0001"``.

    Raises
    ------
    FairnbError
        ``not-evidence`` if a payload has another shape.
    """
    ids: dict[tuple[str, str, MeasureKey], str] = {}
    for section, target, measure in _walk(payloads):
        ids.setdefault((section, target, measure.key), f"M-{len(ids) + 1:04d}")
    return ids


def measures_of(path: Path, *, section: str = "") -> list[dict[str, Any]]:
    """Rows of `COLUMNS` for a case folder, notebook, evidence file, HTML or PDF document.

    Parameters
    ----------
    path : Path
    section : str
        Only this section; empty means all. Ids do not depend on it.

    Raises
    ------
    FairnbError
        As `read_evidence`; ``unknown-section`` if the section has no result there.
    """
    payloads = read_evidence(path)["payloads"]
    ids = number_measures(payloads)
    rows = [
        {"id": ids[name, target, measure.key], "section": name, "target": target, **measure.row}
        for name, target, measure in _walk(payloads)
        if section in ("", name)
    ]
    sections = {str(payload["content"]["section"]) for payload in payloads}
    if section and section not in sections:
        raise FairnbError(
            "unknown-section",
            f"there is no result of a section {section!r}",
            "choose one of " + (", ".join(sorted(sections)) or "none: nothing has been run"),
            where=str(path),
        )
    return rows


def format_measures(rows: Sequence[Mapping[str, Any]], layout: str) -> str:
    """Rows of measures as text: `table`, `csv` or `json`.

    Raises
    ------
    FairnbError
        ``unknown-format`` for anything else.
    """
    layouts = {"table": as_table, "csv": as_csv, "json": as_json}
    if layout not in layouts:
        raise FairnbError(
            "unknown-format", f"there is no format {layout!r}", "choose one of " + ", ".join(layouts)
        )
    return layouts[layout](rows)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """All columns as CSV, one line per measure.

    A text that a spreadsheet would run as a formula gets a leading apostrophe; control characters are
    shown as escapes.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_csv_cell(row[column]) for column in COLUMNS] for row in rows)
    return stream.getvalue()


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """All columns as a JSON list of objects, undefined numbers as null."""
    return json.dumps(
        [{column: row[column] for column in COLUMNS} for row in rows], indent=1, allow_nan=False
    )


def as_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The columns that tell measures apart and their values, aligned for a terminal.

    Columns in which every row is empty are left out.
    """
    shown = [c for c in _SHOWN if c == "id" or any(row[c] not in (None, "") for row in rows)]
    lines = [list(shown), *([_table_cell(row[column]) for column in shown] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(shown))]
    numeric = [column in ("value", "low", "high", "n") for column in shown]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _walk(payloads: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, Measure]]:
    try:
        return [
            (
                str(payload["content"]["section"]),
                str(payload["content"]["target"] or ""),
                measure if isinstance(measure, Measure) else Measure.model_validate(measure),
            )
            for payload in payloads
            for measure in payload["content"]["result"]["measures"]
        ]
    except (KeyError, TypeError, ValidationError) as error:
        raise FairnbError(
            "not-evidence",
            f"a result has another shape than this version of fairnb reads ({_first_line(error)})",
            "check that the file is whole and was written by this version or an earlier one",
        ) from error


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return f"{type(error).__name__} {error}"


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        text = printable(value)
        return "'" + text if text.startswith(_FORMULA) else text
    return "" if value is None else value


def _table_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return printable(str(value))
