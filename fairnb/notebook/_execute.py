"""Executing a case's notebook in a fresh kernel."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from fairnb.case import (
    BUNDLE,
    NOTEBOOK,
    PANELS,
    RunLog,
    add_placeholders,
    cell_place,
    check_case,
    load_case,
    payloads_in,
    read_notebook,
    section_cells,
)
from fairnb.errors import ExitCode, FairnbError, FairnbErrors
from fairnb.files import cache_folder, granted_memory, write_bytes
from fairnb.notebook._display import PROGRESS
from fairnb.notebook._kernel import kernel_environment, kernel_manager
from fairnb.notebook._notebook import LISTENING, ONLY
from fairnb.sections import Severity, section, section_ids

Progress = Callable[[int, int, str], None]
Outcome = Literal["done", "replayed", "not applicable", "not run", "failed", "interrupted"]
_UNKEPT = (
    "The system is a Python function without version or files, so its scores are not kept: "
    "declare version in the table [system] to have the next run replay them."
)
_PATIENCE = 10.0
"""Seconds a kernel has to stop after it was interrupted."""


@dataclass(frozen=True)
class SectionRun:
    """How one section of the notebook went."""

    section: str
    outcome: Outcome
    """`replayed`: every result was stored before this execution."""
    seconds: float = 0.0
    reason: str = ""
    """Why it is not applicable or failed."""


@dataclass(frozen=True)
class ExecutionReport:
    """How the execution of a notebook went."""

    notebook: Path
    sections: tuple[SectionRun, ...]
    seconds: float
    reason: str = ""
    """Why the execution stopped before its end; empty if it did not."""
    cell: int = 0
    """Number of the cell that failed, from 1; 0 if none did."""
    exit_code: ExitCode = ExitCode.DONE
    findings: dict[str, int] = field(default_factory=dict)
    """Severity -> number of findings of the sections that ran."""
    hint: str = ""
    """What would make the next execution quicker."""

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of the sections that failed."""
        return tuple(run.section for run in self.sections if run.outcome == "failed")

    def findings_at_least(self, severity: str) -> int:
        """How many findings are at least this severe."""
        order = [str(level) for level in Severity]
        return sum(self.findings.get(level, 0) for level in order[: order.index(severity) + 1])

    def lines(self) -> list[str]:
        """The report for a terminal."""
        width = max((len(run.section) for run in self.sections), default=0)
        told = [
            f"{run.section:<{width}}  {run.outcome:<14} {run.seconds:6.1f} s"
            + (f"  {run.reason}" if run.reason else "")
            for run in self.sections
        ]
        told += [line for line in (self.reason, self.hint) if line]
        return [*told, f"{self.notebook}  ({self.seconds:.1f} s)"]

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "notebook": str(self.notebook),
            "sections": [
                {
                    "section": run.section,
                    "outcome": run.outcome,
                    "seconds": round(run.seconds, 3),
                    "reason": run.reason,
                }
                for run in self.sections
            ],
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
            "cell": self.cell,
            "findings": self.findings,
            "hint": self.hint,
            "exit_code": int(self.exit_code),
        }


def execute(
    folder: str | Path,
    *,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
    timeout: float | None = None,
) -> ExecutionReport:
    """Execute the whole notebook of a case in a fresh kernel; fresh results are replayed.

    The notebook is saved after every cell. If a cell fails or the user interrupts, what was finished
    stays, and the next execution goes on from there.

    Parameters
    ----------
    folder : path
    only : sequence of str, optional
        Sections that may run; the others are shown if they are fresh, else as "not run".
    progress : callable, optional
        Called with (sections done, sections in all, what is being done).
    timeout : float, optional
        Seconds that one cell may take.

    Returns
    -------
    ExecutionReport
        With exit code 5 if a cell failed, 130 if it was interrupted.

    Raises
    ------
    FairnbErrors
        All that `check_case` finds; nothing is executed then.
    FairnbError
        ``unknown-section`` for a wrong name in `only`; ``no-notebook``, ``cannot-write``.
    """
    place = Path(folder)
    for name in only or ():
        section(name)
    errors = check_case(place, results=False)
    if find_spec("ipykernel") is None:
        remedy = "install it with: pip install 'fairnb[lab]'"
        errors.append(FairnbError("package-missing", "the package ipykernel is not installed", remedy))
    if errors:
        raise FairnbErrors(errors)
    path = place / NOTEBOOK
    run = _Run(place, path, progress, timeout)
    extra = {LISTENING: "1"} | ({ONLY: ",".join(only)} if only else {})
    started = time.monotonic()
    with _scratch() as scratch:
        environment = kernel_environment(scratch, extra)
        _in_own_loop(lambda: run.all_cells(scratch, environment))
    return run.report(time.monotonic() - started)


class _Run:
    """One execution: the notebook as it fills, and how each section goes."""

    def __init__(self, folder: Path, path: Path, progress: Progress | None, timeout: float | None) -> None:
        import nbformat

        self.folder = folder
        self.path = path
        self.progress = progress or _silent
        self.timeout = timeout
        self.cells = {cell.index: cell.sections for cell in section_cells(read_notebook(path))}
        self.notebook: Any = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]
        add_placeholders(self.notebook, (*(name for names in self.cells.values() for name in names), *PANELS))
        self.total = sum(len(names) for names in self.cells.values())
        self.runs: list[SectionRun] = []
        self.reason = ""
        self.cell = 0
        self.exit_code = ExitCode.DONE
        self.interrupted = False
        self.began = False
        self.log = RunLog(folder / ".fairnb" / "log.jsonl")
        self.logged = len(self.log.entries())
        system = load_case(folder).file.system
        self.unkept = system.kind == "python" and not (system.version or system.files)

    async def all_cells(self, scratch: Path, environment: dict[str, str]) -> None:
        client = _client(self, scratch)
        for cell in self.notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
                cell.execution_count = None
        try:
            # What the kernel says outside of cells, such as why it ends, is no word to the person who runs it.
            with (scratch / "kernel.log").open("wb") as said:
                start = {"env": environment, "cwd": str(self.folder), "stdout": said, "stderr": said}
                async with client.async_setup_kernel(**start, cleanup_kc=True):
                    await self._each_cell(client)
        except RuntimeError as error:
            if self.began:
                raise
            # nbclient has no error of its own for a kernel that does not start.
            self._stop(0, f"the kernel did not start ({error})", ExitCode.FAILED)
        self._rest()
        self._save()

    async def _each_cell(self, client: Any) -> None:
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

        about = await client.async_wait_for_reply(client.kc.kernel_info())
        if about:
            # As JupyterLab writes it: a notebook that is only opened needs no saving.
            self.notebook.metadata["language_info"] = about["content"]["language_info"]
        self.began = True
        for index, cell in enumerate(self.notebook.cells):
            if self.interrupted:
                self._stop(index, "interrupted", ExitCode.INTERRUPTED)
                break
            started = time.monotonic()
            try:
                await self._one(client, index, cell)
            except CellTimeoutError:
                self._stop(index, f"the cell took longer than {self.timeout:g} s", ExitCode.FAILED, started)
            except DeadKernelError:
                self._stop(index, _died(), ExitCode.FAILED, started)
            except CellExecutionError as error:
                said = f"{error.evalue or error.ename}"
                self._stop(index, said, ExitCode.FAILED, started)
            self._save()
            if self.reason:
                break
            self._note(index, cell, time.monotonic() - started)

    async def _one(self, client: Any, index: int, cell: Any) -> None:
        names = self.cells.get(index, ())
        if names:
            self.progress(len(self.runs), self.total, section_title(names[0]))
        await client.async_execute_cell(cell, index)
        # When it ran says nothing about the record and would change the file each time.
        cell.metadata.pop("execution", None)

    def listen(self, client: Any) -> None:
        """Ctrl-C interrupts the kernel, so that the section can stop in order."""
        if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
            return
        loop = asyncio.get_running_loop()
        pending: set[asyncio.Task[None]] = set()

        async def stop() -> None:
            await client.km.interrupt_kernel()
            await asyncio.sleep(_PATIENCE)
            # Code that does not listen is ended; what it stored is kept.
            await client.km.shutdown_kernel(now=True)

        def on_signal() -> None:
            self.interrupted = True
            if not pending:
                pending.add(loop.create_task(stop()))

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, on_signal)

    def _note(self, index: int, cell: Any, seconds: float) -> None:
        names = self.cells.get(index, ())
        computed = self._computed() if names else set()
        for name in names:
            shown = [
                item
                for output in cell.get("outputs", ())
                for item in output.get("data", {}).get(BUNDLE, ())
                if item["content"]["section"] == name
            ]
            missing = [item["content"]["result"] for item in shown]
            outcome: Outcome = "not run" if not shown else "done" if name in computed else "replayed"
            reason = ""
            if shown and all(result["status"] == "not_applicable" for result in missing):
                outcome, reason = "not applicable", str(missing[0]["reason"])
            self.runs.append(SectionRun(name, outcome, seconds / len(names), reason))
            self.progress(len(self.runs), self.total, f"{section_title(name)}: {outcome}")

    def _computed(self) -> set[str]:
        """Sections of which this execution computed a result; whatever else is shown was stored before."""
        return {entry["section"] for entry in self.log.entries()[self.logged :] if entry["event"] == "run"}

    def _stop(self, index: int, reason: str, code: ExitCode, started: float | None = None) -> None:
        """Put down why the execution ends here."""
        names = self.cells.get(index, ())
        if self.interrupted:
            reason, code = "interrupted", ExitCode.INTERRUPTED
        seconds = 0.0 if started is None else time.monotonic() - started
        outcome: Outcome = "interrupted" if self.interrupted else "failed"
        if started is not None:
            self.runs += [SectionRun(name, outcome, seconds, reason) for name in names]
        cell = cell_place(index + 1, self.notebook["cells"][index])
        place = f"section {', '.join(names)}" if names else cell
        self.reason = (
            f"interrupted at {place}; what was finished is kept, the same command goes on from there"
            if self.interrupted
            else f"{place} failed: {reason}"
        )
        self.cell = index + 1
        self.exit_code = code

    def _rest(self) -> None:
        told = {run.section for run in self.runs}
        self.runs += [
            SectionRun(name, "not run") for names in self.cells.values() for name in names if name not in told
        ]

    def _save(self) -> None:
        import nbformat

        text = nbformat.writes(self.notebook, version=4)  # type: ignore[no-untyped-call]
        write_bytes(self.path, text.encode("utf-8") + b"\n")

    def report(self, seconds: float) -> ExecutionReport:
        findings: dict[str, int] = {}
        for payload in payloads_in(self.notebook):
            if payload.section != "conclusion":
                for finding in payload.result.findings:
                    findings[str(finding.severity)] = findings.get(str(finding.severity), 0) + 1
        return ExecutionReport(
            self.path,
            tuple(self.runs),
            seconds,
            self.reason,
            self.cell,
            self.exit_code,
            findings,
            _UNKEPT if self.unkept else "",
        )


def section_title(name: str) -> str:
    """Title of a section, or its id if it is not installed."""
    return section(name).title if name in section_ids() else name


def _died() -> str:
    """Why a kernel may have died: whoever ended it left no word."""
    granted = granted_memory()
    want = (
        f"for want of memory ({granted / 1e9:.1f} GB are granted here)" if granted else "for want of memory"
    )
    return f"the kernel died, {want} or because the assessed system ended it"


def _client(run: _Run, scratch: Path) -> Any:
    """An nbclient that passes progress messages on and keeps them out of the notebook."""
    from nbclient import NotebookClient

    class Client(NotebookClient):
        async def async_start_new_kernel(self, **options: Any) -> None:
            # nbclient's own handlers, set just before, would kill the kernel at once.
            run.listen(self)
            await super().async_start_new_kernel(**options)

        def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
            data = msg["content"].get("data") or {}
            if msg["msg_type"] == "display_data" and PROGRESS in data:
                step = data[PROGRESS]
                name = section_title(run.cells.get(cell_index, ("",))[0])
                told = f"{name}: {step['what']} {step['done']:,} of {step['total']:,}"
                run.progress(len(run.runs), run.total, told)
                return None
            return super().process_message(msg, cell, cell_index)

    return Client(
        run.notebook,
        km=kernel_manager(scratch),
        timeout=run.timeout,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(run.folder)}},
    )


@contextmanager
def _scratch() -> Iterator[Path]:
    """Folder for the kernel's connection file and settings: below FAIRNB_HOME if that is set."""
    below = cache_folder() if os.environ.get("FAIRNB_HOME") else None
    with tempfile.TemporaryDirectory(prefix="fairnb-", dir=below, ignore_cleanup_errors=True) as name:
        yield Path(name)


def _in_own_loop(work: Callable[[], Any]) -> None:
    """Run a coroutine, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    failure: list[BaseException] = []

    def body() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            failure.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


def _silent(done: int, total: int, what: str) -> None:
    pass
