from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fairnb.case import RunLog, changed_after_first_score
from fairnb.errors import ExitCode, FairnbError

WRITER = """
import sys
from pathlib import Path
from fairnb.case import RunLog
log = RunLog(Path(sys.argv[1]))
for i in range(20):
    log.append([{"event": "noted", "by": sys.argv[2], "i": i}])
"""


@pytest.fixture
def log(tmp_path: Path) -> RunLog:
    return RunLog(tmp_path / ".fairnb" / "log.jsonl")


def test_every_line_holds_the_digest_of_the_line_before(log: RunLog) -> None:
    log.append([{"event": "noted"}, {"event": "noted again"}])
    log.append([{"event": "third"}])
    lines = log.path.read_bytes().splitlines()
    assert [json.loads(line)["n"] for line in lines] == [1, 2, 3]
    assert json.loads(lines[0])["previous"] == "0" * 64
    for before, line in itertools.pairwise(lines):
        assert json.loads(line)["previous"] == hashlib.sha256(before).hexdigest()


def test_no_file_is_an_empty_log(log: RunLog) -> None:
    assert log.entries() == ()


def test_nothing_to_add_writes_nothing(log: RunLog) -> None:
    log.append([])
    assert not log.path.exists()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: [lines[0].replace(b"noted", b"known"), *lines[1:]], 2),
        (lambda lines: [lines[0], lines[2]], 2),
        (lambda lines: [lines[1], lines[0], lines[2]], 1),
        (lambda lines: [*lines[:2], b"{}"], 3),
        (lambda lines: [b"not json", *lines[1:]], 1),
        (lambda lines: lines[1:], 1),
    ],
)
def test_a_changed_log_is_refused_with_the_line(log: RunLog, change: object, line: int) -> None:
    log.append([{"event": "noted"}, {"event": "noted again"}, {"event": "third"}])
    lines = log.path.read_bytes().splitlines()
    log.path.write_bytes(b"\n".join(change(lines)) + b"\n")  # type: ignore[operator]
    with pytest.raises(FairnbError) as caught:
        log.entries()
    assert caught.value.code == "damaged-log"
    assert caught.value.exit_code is ExitCode.UNFAITHFUL
    assert f"line {line}" in caught.value.where


def test_an_incomplete_last_line_is_neither_read_nor_written_after(log: RunLog) -> None:
    log.append([{"event": "noted"}])
    log.path.write_bytes(log.path.read_bytes()[:-5])
    for use in (log.entries, lambda: log.append([{"event": "noted"}])):
        with pytest.raises(FairnbError, match="not complete"):
            use()


def test_two_processes_write_one_unbroken_log(log: RunLog) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(log.path), name]) for name in ("first", "second")
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    entries = log.entries()
    assert len(entries) == 40
    for name in ("first", "second"):
        assert [entry["i"] for entry in entries if entry["by"] == name] == list(range(20))


def test_only_changes_after_the_first_score_are_named() -> None:
    entries = [
        {"event": "case_file", "n": 1},
        {"event": "parameter", "n": 2},
        {"event": "score", "n": 3},
        {"event": "run", "n": 4},
        {"event": "parameter", "n": 5},
        {"event": "score", "n": 6},
        {"event": "case_file", "n": 7},
    ]
    assert [entry["n"] for entry in changed_after_first_score(entries)] == [5, 7]


def test_an_event_without_what_is_read_of_it_is_refused(log: RunLog) -> None:
    log.append([{"event": "run", "section": "system", "target": ""}])
    with pytest.raises(FairnbError, match="lacks what such events say"):
        log.entries()
