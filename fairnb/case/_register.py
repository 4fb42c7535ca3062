"""Reading the register of findings, with every mistake at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from fairnb.case._file import FINDINGS
from fairnb.case._lines import key_lines
from fairnb.case._read import explained, is_branch, nearest, parsed, place, shown
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import Register, findings_by_id, section_ids

if TYPE_CHECKING:
    from fairnb.case._case import Case

_GONE = "If it was found before and is gone, give the entry the status resolved"


def read_register(folder: Path) -> Register:
    """What a case's `findings.toml` says; without the file nothing is said.

    Whether the findings that it names were made, `lost_entries` tells.

    Raises
    ------
    FairnbError
        ``not-toml``, also for a finding that has two tables.
    FairnbErrors
        ``unknown-key``, ``missing-key``, ``bad-value``, ``unknown-section``, ``no-reason``,
        ``no-severity``, ``same-id``: every mistake, with file, line and key.
    """
    path = folder / FINDINGS
    if not path.is_file():
        return Register()
    text, raw = parsed(path.read_bytes(), FINDINGS)
    lines = key_lines(text)
    errors = [_at(lines, key, error) for key, error in _mistakes(raw)]
    try:
        register = Register.model_validate(raw)
    except ValidationError as error:
        for item in error.errors():
            key = tuple(str(part) for part in item["loc"] if not _is_mark(part))
            found = explained(item, Register, place(lines, key, FINDINGS))
            errors.append(FairnbError(found.code, found.found, found.remedy, where=found.where[:300]))
        raise FairnbErrors(errors) from error
    if errors:
        raise FairnbErrors(errors)
    return register


def lost_entries(case: Case) -> list[FairnbError]:
    """Entries that name a finding which the last results do not hold.

    An entry of a section without results is none of them: whether its finding is made is not known yet.
    Nor is one with the status ``resolved``: that its finding is gone is what was wanted.

    Returns
    -------
    list of FairnbError
        ``unknown-finding``, with the nearest id there is.
    """
    register = read_register(case.folder)
    if not register.findings:
        return []
    lines = key_lines((case.folder / FINDINGS).read_text(encoding="utf-8-sig"))
    errors = []
    for name, entry in register.findings.items():
        if entry.status == "resolved":
            continue
        section = name.partition("/")[0]
        results = {(section, one.target): one.result for one in case.payloads(section)}
        if len(results) == len(case.target_names(section)) and name not in (ids := findings_by_id(results)):
            error = FairnbError(
                "unknown-finding",
                f"the last results hold no finding {shown(name)}",
                f"{_nearest(name, list(ids))}: the document prints the entry as no longer found",
            )
            errors.append(_at(lines, ("findings", name), error))
    return errors


def _nearest(name: str, ids: list[str]) -> str:
    close = difflib.get_close_matches(name, ids, 1, cutoff=0.8)
    if close:
        return f"did you mean {close[0]!r}? {_GONE}"
    return f"case.findings() lists the ids there are. {_GONE}"


def _mistakes(raw: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], FairnbError]]:
    """What no single value shows."""
    entries = raw.get("findings", {})
    for name, entry in entries.items() if isinstance(entries, Mapping) else ():
        section = name.partition("/")[0]
        if section not in section_ids():
            remedy = f"an id begins with a section; {nearest(section, section_ids())}"
            error = FairnbError("unknown-section", f"there is no section {shown(section)}", remedy)
            yield ("findings", name), error
        if not isinstance(entry, Mapping):
            continue
        reason = str(entry.get("reason", "")).strip()
        if "severity" in entry and not reason:
            error = FairnbError(
                "no-reason", "nothing says why the severity is another", "give the reason in reason"
            )
            yield ("findings", name, "severity"), error
        if reason and "severity" not in entry:
            error = FairnbError(
                "no-severity", "there is a reason and no severity", "add severity = ..., or take reason out"
            )
            yield ("findings", name, "reason"), error
    added = raw.get("added", [])
    ids = [one.get("id") for one in added if isinstance(one, Mapping)] if isinstance(added, list) else []
    for row, identity in enumerate(ids):
        if identity is not None and identity in ids[:row]:
            error = FairnbError(
                "same-id", f"the id {shown(identity)} stands there twice", "give each finding its own"
            )
            yield ("added", str(row), "id"), error


def _is_mark(part: Any) -> bool:
    return is_branch(part) or part == "[key]"


def _at(lines: Mapping[tuple[str, ...], int], key: tuple[str, ...], error: FairnbError) -> FairnbError:
    where = place(lines, key, FINDINGS)
    # A name may be of any length.
    return FairnbError(error.code, error.found, error.remedy, where=where[:300])
