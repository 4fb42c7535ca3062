"""Jobs: the `fairnb` command in processes of their own, a few at a time, each of which can be stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fairnb.errors import FairnbError

State = Literal["running", "done", "failed", "cancelled"]

RUNNING = 4
"""Jobs that may run at once."""
KEPT = 20
"""Ended jobs whose answer is kept."""
_LARGEST = 8 << 20
"""Bytes of output that are read of a job."""
_LINES = 200
"""Lines for people that are kept of a job."""
_PATIENCE = 5.0
"""Seconds a job has to end in order when it is stopped."""

# What the server knows and a job need not.
_SECRETS = ("JUPYTER_TOKEN", "JUPYTERHUB_API_TOKEN", "JPY_API_TOKEN", "FAIRNB_PASSPHRASE")

# The command's last words: `fairnb: WHERE: FOUND; REMEDY [CODE]`.
_PROBLEM = re.compile(r"^fairnb: (?P<said>.*) \[(?P<code>[a-z][a-z0-9-]*)\]$")
_CELL = re.compile(r"^cell (?P<cell>\d+)(?:, “[^”]*”)?: ")
# The command's progress where there is no terminal: `[DONE/TOTAL] STAGE`.
_STAGE = re.compile(r"^\[\d+/\d+\] (?P<stage>.{1,100})$")


@dataclass
class Job:
    """One run of the command."""

    id: str
    state: State = "running"
    exit_code: int | None = None
    result: Any = None
    """What it put on stdout, parsed; None if that was no JSON."""
    said: list[str] = field(default_factory=list)
    """Lines for people, those of its progress left out."""
    stage: str = ""
    """What it is at, as it says itself; empty if it says nothing."""

    def to_json(self) -> dict[str, Any]:
        """The job for the browser."""
        return {
            "id": self.id,
            "state": self.state,
            "exit_code": self.exit_code,
            "result": self.result,
            "said": self.said,
            "stage": self.stage,
            "problems": problems(self.said),
        }


def problems(said: Sequence[str]) -> list[dict[str, Any]]:
    """The command's errors among its lines, with the number of the cell each concerns (0: none)."""
    found = []
    for line in said:
        problem = _PROBLEM.match(line)
        if problem:
            cell = _CELL.match(problem["said"])
            message = problem["said"][cell.end() :] if cell else problem["said"]
            number = int(cell["cell"]) if cell else 0
            found.append({"code": problem["code"], "message": message, "cell": number})
    return found


class Jobs:
    """All jobs of a server.

    Parameters
    ----------
    environment : mapping
        The server's own, from which secrets are taken out.
    root : Path
        Top folder of the file browser: what is said names paths from there.
    """

    def __init__(self, environment: Mapping[str, str], root: Path) -> None:
        self._top = f"{root.resolve()}{os.sep}"
        kept = {name: value for name, value in environment.items() if name not in _SECRETS}
        self._environment = {**kept, "PYTHONIOENCODING": "utf-8", "TF_CPP_MIN_LOG_LEVEL": "3"}
        self._jobs: dict[str, Job] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    def start(
        self, python: str, arguments: Sequence[str], folder: Path, *, seconds: float, passphrase: str = ""
    ) -> Job:
        """Start the command.

        Parameters
        ----------
        python : str
            Interpreter.
        arguments : sequence of str
            Those of `fairnb`.
        folder : Path
            Working folder.
        seconds : float
            After which it is stopped.
        passphrase : str
            Goes through the environment of that one process, never through its arguments.

        Raises
        ------
        FairnbError
            ``too-many-jobs``.
        """
        if len(self._tasks) >= RUNNING:
            raise FairnbError(
                "too-many-jobs", f"{RUNNING} jobs of fairnb are running", "wait for one to end, or cancel it"
            )
        ended = [identity for identity in self._jobs if identity not in self._tasks]
        for identity in ended[: max(0, len(ended) - KEPT + 1)]:
            del self._jobs[identity]
        job = Job(secrets.token_urlsafe(12))
        self._jobs[job.id] = job
        environment = dict(self._environment)
        if passphrase:
            environment["FAIRNB_PASSPHRASE"] = passphrase
        # -P: a file in the case folder never stands in for a module.
        command = [python, "-P", "-m", "fairnb", *arguments]
        task = asyncio.get_running_loop().create_task(self._run(job, command, folder, environment, seconds))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    def get(self, identity: str) -> Job | None:
        """The job with an id, if it is still kept."""
        return self._jobs.get(identity)

    async def cancel(self, identity: str) -> Job | None:
        """Stop a job and wait until it has ended; one that has ended stays as it is."""
        job = self._jobs.get(identity)
        task = self._tasks.get(identity)
        if job is not None and task is not None:
            job.state = "cancelled"
            process = self._processes.get(identity)
            if process is None:
                task.cancel()
            else:
                await _end(process)
            await asyncio.wait([task])
        return job

    def kill(self) -> None:
        """End all processes at once: the server stops."""
        for process in self._processes.values():
            _signal(process, force=True)

    async def _run(
        self, job: Job, command: Sequence[str], folder: Path, environment: dict[str, str], seconds: float
    ) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                # Its own group: what it starts is stopped with it.
                start_new_session=True,
            )
        except OSError as error:
            job.said.append(
                f"fairnb: {command[0]}: {error.strerror or error}; choose another kernel [no-python]"
            )
            job.state = "failed"
            return
        self._processes[job.id] = process
        try:
            out, err = await asyncio.wait_for(_outputs(process, job), seconds)
        except (TimeoutError, _TooMuchError):
            await _end(process)
            # What is still in the pipes goes unread, so that they are closed.
            await process.communicate()
            job.said.append(
                f"fairnb: stopped after {seconds:g} s or {_LARGEST:,} bytes; run it in a terminal [stopped]"
            )
            out, err = b"", b""
        finally:
            del self._processes[job.id]
        job.exit_code = await process.wait()
        lines = err.decode("utf-8", "replace").replace(self._top, "").splitlines()
        job.said = [*[line for line in lines if not _STAGE.match(line)][-_LINES:], *job.said]
        with contextlib.suppress(ValueError):
            job.result = json.loads(out)
        if job.state == "running":
            job.state = "done" if job.exit_code == 0 else "failed"


class _TooMuchError(Exception):
    """A job puts out more than is read."""


async def _outputs(process: asyncio.subprocess.Process, job: Job) -> tuple[bytes, bytes]:
    """All that a process puts out until it ends; meanwhile the job learns what it is at."""

    async def read(stream: asyncio.StreamReader | None, told: Callable[[bytes], None]) -> bytes:
        parts: list[bytes] = []
        size = 0
        while stream is not None and (part := await stream.read(1 << 16)):
            size += len(part)
            if size > _LARGEST:
                raise _TooMuchError
            parts.append(part)
            told(part)
        return b"".join(parts)

    rest = b""

    def look(part: bytes) -> None:
        nonlocal rest
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            stage = _STAGE.match(line.decode("utf-8", "replace").rstrip())
            if stage:
                job.stage = stage["stage"]

    out, err = await asyncio.gather(read(process.stdout, lambda _: None), read(process.stderr, look))
    return out, err


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a process to end in order, then end whatever is left of it and of what it started."""
    _signal(process, force=False)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _PATIENCE)
    _signal(process, force=True)


def _signal(process: asyncio.subprocess.Process, *, force: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            # The group outlives its first process as long as anything in it runs.
            os.killpg(process.pid, signal.SIGKILL if force else signal.SIGINT)
