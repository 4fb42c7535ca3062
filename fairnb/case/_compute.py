"""One run of one section: from inputs to a stored and logged result."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fairnb.case._payload import Content, Payload, context_now, seal
from fairnb.case._request import Request
from fairnb.case._sources import Progress
from fairnb.case._view import CaseView
from fairnb.errors import ExitCode, FairnbError
from fairnb.sections import Result, Section

if TYPE_CHECKING:
    from fairnb.case._case import Case


def compute(
    case: Case,
    chosen: Section,
    request: Request,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
) -> Payload:
    """Run a section, store its result and tallies, and put the run down in the log.

    A section whose needs the case cannot meet gets the result "not applicable" with the reason.

    Raises
    ------
    FairnbError
        What the section's inputs or the system give reason for, after the failure was logged.
    """
    started = time.perf_counter()
    view = CaseView(case, chosen.id, request.target, progress=progress, cancelled=cancelled)
    try:
        result = _result(chosen, view, request)
    except FairnbError as error:
        _note_failure(case, request, error.code, str(error))
        raise
    except KeyboardInterrupt:
        _note_failure(case, request, "interrupted", "stopped by the user")
        raise
    except Exception as error:
        _note_failure(case, request, "section-failed", f"{type(error).__name__}: {error}")
        raise
    payload = seal(
        Content(
            section=chosen.id,
            section_version=chosen.version,
            title=chosen.title,
            target=request.target,
            parameters=request.parameters,
            origins=request.origins,
            declared=request.declared,
            seed=case.file.run.seed,
            confidence=case.file.run.confidence,
            inputs=dict(sorted(view.inputs.items())),
            request=request.digest,
            result=result,
        ),
        context_now(time.perf_counter() - started),
    )
    for digest in result.tallies.values():
        case.store.save_tally(view.tallies[digest])
    case.store.save(payload)
    case.run_log.append([_run_event(payload)])
    return payload


def _result(chosen: Section, view: CaseView, request: Request) -> Result:
    for need in chosen.needs:
        if not view.has(need):
            return Result(status="not_applicable", reason=need.value)
    result = chosen.run(view, request.params)
    unknown = [role for role, digest in result.tallies.items() if digest not in view.tallies]
    if unknown:
        raise FairnbError(
            "unknown-tally",
            f"the section {chosen.id} names a tally that it did not ask for ({', '.join(unknown)})",
            "let the section take its tallies from view.tally",
            exit_code=ExitCode.FAILED,
        )
    return result


def _run_event(payload: Payload) -> dict[str, Any]:
    content = payload.content
    return {
        "event": "run",
        "section": content.section,
        "target": content.target,
        "request": content.request,
        "content_sha256": payload.content_sha256,
        "inputs": content.inputs,
        "parameters": content.parameters,
    }


def _note_failure(case: Case, request: Request, code: str, reason: str) -> None:
    case.run_log.append(
        [
            {
                "event": "failed",
                "section": request.section,
                "target": request.target,
                "request": request.digest,
                "code": code,
                "reason": reason[:1000],
            }
        ]
    )
