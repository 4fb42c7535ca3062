"""Files appear whole or not at all; digests and JSON have one form; paths stay inside."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from fairnb import files
from fairnb.errors import FairnbError

NOBODY = 65534


@contextmanager
def without_rights():
    """Root may write anywhere: give its rights up for the block."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that any user reaches."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def test_a_read_only_folder_is_one_error_and_leaves_nothing(open_folder):
    target = open_folder / "audit.html"
    with without_rights():
        files.write_bytes(target, b"before")
    open_folder.chmod(0o555)
    with without_rights(), pytest.raises(FairnbError) as caught:
        files.write_all({target: b"after", open_folder / "audit.pdf": b"after"})
    assert caught.value.code == "cannot-write"
    assert str(open_folder) in caught.value.where
    assert target.read_bytes() == b"before"
    assert [path.name for path in open_folder.iterdir()] == ["audit.html"]


def test_of_several_files_none_appears_if_one_cannot(tmp_path):
    with pytest.raises(FairnbError, match="cannot be written"):
        files.write_all({tmp_path / "a": b"1", tmp_path / "absent" / "b": b"2"})
    assert list(tmp_path.iterdir()) == []


def test_a_file_keeps_its_mode(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(b"old")
    path.chmod(0o600)
    files.write_bytes(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def test_canonical_json_sorts_keys_and_writes_numbers_as_rfc_8785_does():
    # The example of RFC 8785, section 3.2.2, in the parts that Python can hold.
    value = {"numbers": [333333333.33333329, 1e30, 4.5, 0.002, 1e-27], "literals": [None, True, False]}
    expected = b'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}'
    assert files.canonical_json(value) == expected
    assert files.digest_of(value) == hashlib.sha256(expected).hexdigest()


def test_plain_turns_numpy_and_paths_into_what_json_knows():
    value = {"n": np.int64(3), "x": np.array([1.5, 2.5]), "p": Path("a/b"), "s": {"b", "a"}, "t": (1, 2)}
    assert files.plain(value) == {"n": 3, "x": [1.5, 2.5], "p": "a/b", "s": ["a", "b"], "t": [1, 2]}
    assert json.dumps(files.plain("\ud800"))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan"), object()])
def test_what_json_cannot_hold_is_an_error(value):
    with pytest.raises(FairnbError) as caught:
        files.plain({"value": value})
    assert caught.value.code == "not-json"


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../outside", "link/outside"])
def test_paths_that_lead_out_are_refused(tmp_path, path):
    root = tmp_path / "case"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    with pytest.raises(FairnbError) as caught:
        files.inside(root, path)
    assert caught.value.code == "path-outside"
    assert files.inside(root, "a/../b") == (root / "b").resolve()


def _hold(path: Path, ready, done) -> None:
    with files.hold(path):
        ready.set()
        done.wait(30)


def test_a_lock_of_another_process_is_waited_for_and_then_told(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "lock", ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(FairnbError) as caught, files.hold(tmp_path / "lock", timeout=0.1):
            pass
        assert caught.value.code == "locked"
    finally:
        done.set()
        other.join()
    with files.hold(tmp_path / "lock", timeout=1):
        pass
