"""What a case puts down in its run log beside the runs themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.case._file import flattened
from fairnb.case._log import settings_of
from fairnb.case._payload import Payload
from fairnb.case._request import Request
from fairnb.files import plain

if TYPE_CHECKING:
    from fairnb.case._case import Case


def note_case_file(case: Case) -> None:
    """Put down what in the case file changed since the log last saw it."""
    now = flattened(plain(case.file.model_dump(mode="json", exclude_none=True)))
    before = settings_of(case.log)
    old = before or {}
    changes = {
        key: [old.get(key), now.get(key)] for key in sorted({*old, *now}) if old.get(key) != now.get(key)
    }
    if changes:
        case.run_log.append(
            [{"event": "case_file", "digest": case.digest, "first": before is None, "changes": changes}]
        )


def note_parameters(case: Case, request: Request) -> None:
    """Put down each parameter that the notebook sets to another value than was used before."""
    before = case.latest(request.section, request.target)
    old = request.expected if before is None else {**request.expected, **before.content.parameters}
    origins = {} if before is None else before.content.origins
    case.run_log.append(
        [
            {
                "event": "parameter",
                "section": request.section,
                "target": request.target,
                "parameter": key,
                "before": old[key],
                "after": value,
                "case_file": request.expected[key],
            }
            for key, value in request.parameters.items()
            if old[key] != value and "notebook" in (request.origins[key], origins.get(key))
        ]
    )


def note_replay(case: Case, payload: Payload) -> None:
    """Put down that a stored result is the section's again."""
    content = payload.content
    case.run_log.append(
        [
            {
                "event": "replay",
                "section": content.section,
                "target": content.target,
                "request": content.request,
                "content_sha256": payload.content_sha256,
            }
        ]
    )
