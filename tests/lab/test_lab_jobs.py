"""Jobs: limits, cancelling, and where a passphrase may be seen."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from fairnb.case import cell_place
from fairnb.errors import FairnbError
from fairnb.lab._jobs import KEPT, RUNNING, Job, Jobs, problems

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """A stand-in for an interpreter: a shell script."""

    def make(script: str) -> str:
        path = tmp_path / "python"
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
        return str(path)

    return make


def during(work: Callable[[Jobs], Awaitable[None]], folder: Path, **environment: str) -> None:
    asyncio.run(work(Jobs({**os.environ, **environment}, folder)))  # type: ignore[arg-type]


async def ended(job: Job) -> Job:
    end = time.monotonic() + 20
    while job.state == "running" and time.monotonic() < end:
        await asyncio.sleep(0.02)
    return job


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_job_hands_back_json_lines_and_exit_code(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("""echo "fairnb: cell 3, “rows = read(): (1)”: the cell failed; run it again [cell-failed]" >&2
echo "fairnb: cell 4: the cell failed; run it again [cell-failed]" >&2
echo '{"intact": false}'; exit 3""")

    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(python, ["verify", "x"], tmp_path, seconds=10))
        assert (job.state, job.exit_code, job.result) == ("failed", 3, {"intact": False})
        assert job.to_json()["problems"] == [
            {"code": "cell-failed", "message": "the cell failed; run it again", "cell": cell}
            for cell in (3, 4)
        ]

    during(work, tmp_path)


@pytest.mark.parametrize(
    "source", ['case.section("swap")', 'rows = read("a”: b")  # cell 9: c', "\n", "f(" + 200 * "x" + ")"]
)
def test_the_number_of_a_cell_is_read_from_whatever_the_command_calls_it(source: str) -> None:
    place = cell_place(36, {"cell_type": "code", "source": source})
    error = FairnbError("no-result", "it was not run", "run it", where=place)
    (problem,) = problems([f"fairnb: {error} [{error.code}]"])
    assert problem == {"code": "no-result", "message": "it was not run; run it", "cell": 36}


def test_a_job_tells_its_stage_while_it_runs(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("""echo "[0/3] checking the notebook" >&2
printf "[1/3] writing " >&2; sleep 0.2; echo "the PDF" >&2
while [ ! -e go ]; do sleep 0.02; done
echo "[3/3] exported" >&2; echo "wrote audit.pdf" >&2""")

    async def work(jobs: Jobs) -> None:
        job = jobs.start(python, ["export", "x"], tmp_path, seconds=20)
        assert job.to_json()["stage"] == ""
        end = time.monotonic() + 10
        while job.stage != "writing the PDF" and time.monotonic() < end:
            await asyncio.sleep(0.02)
        assert (job.state, job.to_json()["stage"]) == ("running", "writing the PDF")
        (tmp_path / "go").touch()
        await ended(job)
        assert job.said == ["wrote audit.pdf"]

    during(work, tmp_path)


def test_lines_that_are_no_error_are_no_problem() -> None:
    assert problems(["wrote audit.pdf", "fairnb: a sentence without a code", "x [code]"]) == []


def test_a_passphrase_is_in_the_environment_of_its_process_and_nowhere_else(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    python = program("""tr '\\0' ' ' < /proc/self/cmdline >&2
printf '{"passphrase": "%s", "line": "%s"}' "$FAIRNB_PASSPHRASE" "$*" """)
    secret = "correct horse"

    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(python, ["export", "x"], tmp_path, seconds=10, passphrase=secret))
        assert job.result["passphrase"] == secret
        assert secret not in job.result["line"]
        assert not [line for line in job.said if secret in line]
        other = await ended(jobs.start(python, ["verify", "x"], tmp_path, seconds=10))
        assert other.result["passphrase"] == ""

    during(work, tmp_path, FAIRNB_PASSPHRASE="of the server")


def test_a_job_learns_no_token_of_the_server(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("""printf '["%s", "%s"]' "$JUPYTER_TOKEN" "$JUPYTERHUB_API_TOKEN" """)

    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(python, [], tmp_path, seconds=10))
        assert job.result == ["", ""]

    during(work, tmp_path, JUPYTER_TOKEN="one", JUPYTERHUB_API_TOKEN="two")


def test_no_more_jobs_run_at_once_than_allowed(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("exec sleep 60")

    async def work(jobs: Jobs) -> None:
        running = [jobs.start(python, [], tmp_path, seconds=60) for _ in range(RUNNING)]
        with pytest.raises(FairnbError) as refused:
            jobs.start(python, [], tmp_path, seconds=60)
        assert refused.value.code == "too-many-jobs"
        for job in running:
            await jobs.cancel(job.id)
        assert {job.state for job in running} == {"cancelled"}
        await jobs.cancel(jobs.start(python, [], tmp_path, seconds=60).id)

    during(work, tmp_path)


def test_cancelling_ends_what_the_job_started_too(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("(trap '' INT; sleep 60) & echo $! > child; echo $$ > own; wait")

    async def work(jobs: Jobs) -> None:
        job = jobs.start(python, [], tmp_path, seconds=60)
        end = time.monotonic() + 10
        while not (tmp_path / "own").exists() and time.monotonic() < end:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        await jobs.cancel(job.id)
        assert job.state == "cancelled"

    during(work, tmp_path)
    pids = [int((tmp_path / name).read_text("utf-8")) for name in ("own", "child")]
    end = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    assert [pid for pid in pids if alive(pid)] == []


def test_a_job_that_takes_too_long_or_says_too_much_is_stopped(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    async def slow(jobs: Jobs) -> None:
        job = await ended(jobs.start(program("exec sleep 60"), [], tmp_path, seconds=0.2))
        assert job.state == "failed"
        assert job.to_json()["problems"][0]["code"] == "stopped"

    async def loud(jobs: Jobs) -> None:
        job = await ended(jobs.start(program("exec yes"), [], tmp_path, seconds=60))
        assert job.to_json()["problems"][0]["code"] == "stopped"

    during(slow, tmp_path)
    during(loud, tmp_path)


def test_an_interpreter_that_is_not_there_fails_the_job_in_a_sentence(tmp_path: Path) -> None:
    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(str(tmp_path / "none"), [], tmp_path, seconds=10))
        assert job.state == "failed"
        assert job.to_json()["problems"][0]["code"] == "no-python"

    during(work, tmp_path)


def test_what_is_said_names_no_folder_above_the_root(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program(f'echo "wrote {tmp_path.resolve()}/case/audit.pdf" >&2')

    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(python, [], tmp_path, seconds=10))
        assert job.said == ["wrote case/audit.pdf"]

    during(work, tmp_path)


def test_answers_of_old_jobs_are_let_go(program: Callable[[str], str], tmp_path: Path) -> None:
    python = program("true")

    async def work(jobs: Jobs) -> None:
        made = [await ended(jobs.start(python, [], tmp_path, seconds=10)) for _ in range(KEPT + 3)]
        await asyncio.sleep(0)
        assert jobs.get(made[0].id) is None
        assert jobs.get(made[-1].id) is made[-1]

    during(work, tmp_path)


def test_a_file_beside_the_case_does_not_stand_in_for_fairnb(tmp_path: Path) -> None:
    (tmp_path / "fairnb.py").write_text("raise SystemExit(99)", "utf-8")

    async def work(jobs: Jobs) -> None:
        job = await ended(jobs.start(sys.executable, ["--version"], tmp_path, seconds=120))
        assert job.exit_code == 0, job.said

    during(work, tmp_path)
