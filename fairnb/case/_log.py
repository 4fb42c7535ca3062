"""The run log: one line per event, each holding the digest of the line before it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import canonical_json, hold, sha256

START = "0" * 64
"""What the first line names as the line before it."""


@dataclass(frozen=True)
class RunLog:
    """Append-only log of a case. Events: `case_file`, `score`, `parameter`, `run`, `replay`, `failed`, `ignored`.

    Parameters
    ----------
    path : Path
        The JSON-lines file; made with its folder when first written.
    """

    path: Path

    def entries(self) -> tuple[dict[str, Any], ...]:
        """All events, oldest first, after checking that every line names the one before it.

        Raises
        ------
        FairnbError
            ``damaged-log`` with the line at which the chain breaks.
        """
        return tuple(_chained(_lines(self.path), self.path))

    def append(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Add events, each with at least the key `event`; number, time and chain are filled in.

        Raises
        ------
        FairnbError
            ``damaged-log`` if the file's end cannot be read, ``cannot-write``, ``locked``.
        """
        if not events:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with hold(self.path.with_suffix(".lock")):
                lines = _lines(self.path)
                number = len(lines)
                previous = sha256(lines[-1]) if lines else START
                added = b""
                for event in events:
                    number += 1
                    line = canonical_json({**event, "n": number, "time": _now(), "previous": previous})
                    previous = sha256(line)
                    added += line + b"\n"
                with self.path.open("ab") as stream:
                    stream.write(added)
                    stream.flush()
                    os.fsync(stream.fileno())
        except OSError as error:
            raise FairnbError(
                "cannot-write",
                f"the run log cannot be written ({error.strerror or error})",
                "make the case folder writable",
                where=str(self.path),
            ) from error


_RESULT: dict[str, type] = {"section": str, "target": str, "content_sha256": str}
_KEYS: dict[str, dict[str, type]] = {
    "run": _RESULT,
    "replay": _RESULT,
    "score": {"digest": str},
    "case_file": {"changes": dict},
    "parameter": {"section": str},
    "failed": {"section": str, "target": str, "code": str, "reason": str},
}
"""What is read of each kind of event."""


def latest_results(entries: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Digest of the content that the log names last for each (section, target)."""
    named: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry["event"] in ("run", "replay"):
            named[entry["section"], entry["target"]] = entry["content_sha256"]
    return named


def last_failures(entries: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The event `failed` for each (section, target) whose last run came to no result."""
    failures: dict[tuple[str, str], Mapping[str, Any]] = {}
    for entry in entries:
        if entry["event"] == "failed":
            failures[entry["section"], entry["target"]] = entry
        elif entry["event"] in ("run", "replay"):
            failures.pop((entry["section"], entry["target"]), None)
    return failures


def settings_of(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The case file's settings as the log knows them last, by dotted key; None before the first."""
    settings: dict[str, Any] | None = None
    for entry in entries:
        if entry["event"] == "case_file":
            settings = dict(settings or {})
            for key, (_, new) in entry["changes"].items():
                if new is None:
                    settings.pop(key, None)
                else:
                    settings[key] = new
    return settings


def changed_after_first_score(entries: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Events that changed a setting or a parameter after the first score was seen."""
    first = next((i for i, entry in enumerate(entries) if entry["event"] == "score"), len(entries))
    return tuple(entry for entry in entries[first:] if entry["event"] in ("case_file", "parameter"))


def _lines(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        raise _damaged(path, data.count(b"\n") + 1, "the line is not complete")
    return data.split(b"\n")[:-1]


def _chained(lines: Sequence[bytes], path: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    previous = START
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            sound = (
                isinstance(entry, dict)
                and isinstance(entry["event"], str)
                and entry["n"] == number
                and entry["previous"] == previous
            )
        except (ValueError, KeyError) as error:
            raise _damaged(path, number, "the line is not an event") from error
        if not sound:
            raise _damaged(path, number, "the line does not follow from the line before it")
        if not all(isinstance(entry.get(key), kind) for key, kind in _KEYS.get(entry["event"], {}).items()):
            raise _damaged(path, number, f"the event {entry['event']!r} lacks what such events say")
        entries.append(entry)
        previous = sha256(line)
    return entries


def _damaged(path: Path, line: int, reason: str) -> FairnbError:
    return FairnbError(
        "damaged-log",
        f"the run log was altered or is damaged: {reason}",
        "restore the file from a copy, or move it away and run the case again: a new log then begins",
        where=f"{path} line {line}",
        exit_code=ExitCode.UNFAITHFUL,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
