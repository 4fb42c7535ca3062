"""Submissions as they arrive, and what a hostile one does not get past."""

from __future__ import annotations

import contextlib
import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairnb.ami import _submission as module
from fairnb.ami import official_outcomes, read_submission, score_submissions
from fairnb.errors import FairnbError, FairnbErrors

PARTS = ("coro.A.r.c.run1", "coro.B.r.c.run1.tsv", "coro.B.s.c.run1")


def codes(error: FairnbError) -> list[str]:
    return [one.code for one in error.errors] if isinstance(error, FairnbErrors) else [error.code]


@pytest.fixture
def packed(tmp_path: Path):
    def pack(members: dict[str | zipfile.ZipInfo, bytes], name: str = "coro.zip") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        return path

    return pack


def test_zip_folder_and_single_files_are_one_submission(tmp_path, packed):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    for number, part in enumerate(PARTS):
        (folder / ("deep" if number else ".") / part).write_bytes(b"1\t0\n")
    archive = packed({f"coro/{part}": b"1\t0\n" for part in PARTS})
    loose = [path for path in folder.rglob("coro*") if path.is_file()]
    found = [read_submission(paths) for paths in ([folder], [archive], loose)]
    for one in found:
        (run,) = one.runs
        assert (run.team, run.mode, run.number, run.name) == ("coro", "c", 1, "coro.c.run1")
        assert run.file("A", "r").data == run.file("B", "s").data == b"1\t0\n"
        assert run.has("A")
        assert run.has("B")


def test_what_file_managers_leave_behind_is_passed_over(packed):
    archive = packed(
        {
            PARTS[0]: b"x",
            "__MACOSX/coro.A.r.c.run1": b"x",
            ".DS_Store": b"x",
            "._coro.A.r.c.run1": b"x",
            "note.txt": b"x",
        }
    )
    found = read_submission([archive])
    assert len(found.runs[0].files) == 1
    assert found.ignored == ("coro.zip/note.txt",)


def test_names_are_put_right_all_at_once(packed):
    archive = packed(
        {
            "coro.A.r.c.run4": b"x",
            "coro.A.s.c.run1": b"x",
            "coro.B.r.c.run2": b"x",
            "coro.A.r.c.run3": b"x",
            "coro.A.r.u.run3": b"x",
            "again/coro.A.r.c.run3": b"x",
        }
    )
    with pytest.raises(FairnbErrors) as caught:
        read_submission([archive])
    assert sorted(codes(caught.value)) == [
        "bad-submission-name",
        "file-twice",
        "missing-file",
        "no-synthetic-in-a",
        "run-twice",
    ]
    told = str(caught.value)
    assert "coro.zip/coro.B.r.c.run2: its synthetic file coro.B.s.c.run2 is missing" in told
    assert "team.{A|B}.{r|s}.{c|u}.run{1|2|3}" in told


def test_names_and_contents_are_put_right_in_one_pass(task, packed):
    archive = packed({"coro.A.r.c.run9": b"x", "coro.A.r.c.run1": b"100\t7\t0\n"})
    with pytest.raises(FairnbErrors) as caught:
        score_submissions([archive], **task.golds())
    assert {"bad-submission-name", "row-count", "bad-label"} <= set(codes(caught.value))


def test_an_empty_submission_is_one(tmp_path, packed):
    with pytest.raises(FairnbError) as caught:
        read_submission([packed({})])
    assert caught.value.code == "empty-submission"
    (tmp_path / "empty").mkdir()
    with pytest.raises(FairnbError) as caught:
        read_submission([tmp_path / "empty"])
    assert caught.value.code == "empty-submission"
    with pytest.raises(FairnbError) as caught:
        read_submission([tmp_path / "none.zip"])
    assert caught.value.code == "file-missing"
    with pytest.raises(FairnbError) as caught:
        read_submission([tmp_path / "coro.A.r.c.run1"])
    assert caught.value.code == "file-missing"


@pytest.mark.attack
@pytest.mark.parametrize(
    "path",
    [
        "../coro.A.r.c.run1",
        "/etc/coro.A.r.c.run1",
        "a/../../coro.A.r.c.run1",
        "..\\coro.A.r.c.run1",
        "__MACOSX/../../coro.A.r.c.run1",
        "C:/coro.A.r.c.run1",
    ],
)
def test_a_path_out_of_the_archive_is_refused_and_nothing_is_written(tmp_path, packed, path):
    archive = packed({path: b"1\t0\t0\n"})
    before = sorted(tmp_path.parent.rglob("*"))
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code == "path-outside"
    assert sorted(tmp_path.parent.rglob("*")) == before


@pytest.mark.attack
def test_a_link_in_an_archive_is_refused(packed):
    link = zipfile.ZipInfo("coro.A.r.c.run1")
    link.create_system = 3
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(FairnbError) as caught:
        read_submission([packed({link: b"/etc/hostname"})])
    assert caught.value.code == "link-in-archive"


@pytest.mark.attack
def test_a_link_out_of_a_folder_is_refused(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret").write_text("1\t0\t0\n", "utf-8")
    (folder / "coro.A.r.c.run1").symlink_to(tmp_path / "secret")
    with pytest.raises(FairnbError) as caught:
        read_submission([folder])
    assert caught.value.code == "path-outside"


@pytest.mark.attack
def test_a_bomb_is_not_unpacked(packed, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1 << 20)
    archive = packed({"coro.A.r.c.run1": b"0" * (8 << 20)})
    assert archive.stat().st_size < 1 << 16
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code == "too-large"


@pytest.mark.attack
def test_a_size_that_is_declared_wrongly_is_no_way_round(packed, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 1 << 20)
    archive = packed({"coro.A.r.c.run1": b"0" * (8 << 20)})
    data = bytearray(archive.read_bytes())
    # Uncompressed size in the central directory and in the local header.
    for mark, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.index(mark) + offset
        data[at : at + 4] = (10).to_bytes(4, "little")
    archive.write_bytes(bytes(data))
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code in {"too-large", "damaged-file"}


@pytest.mark.attack
def test_thousands_of_files_are_refused(packed, monkeypatch):
    monkeypatch.setattr(module, "MOST", 20)
    with pytest.raises(FairnbError) as caught:
        read_submission([packed({f"{number}.txt": b"" for number in range(21)})])
    assert caught.value.code == "too-many-files"


@pytest.mark.attack
def test_an_encrypted_member_is_refused(packed):
    archive = packed({"coro.A.r.c.run1": b"1\t0\t0\n"})
    data = bytearray(archive.read_bytes())
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(mark) + offset] |= 1
    archive.write_bytes(bytes(data))
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code == "encrypted-file"


@pytest.mark.attack
@pytest.mark.parametrize("cut", [10, 60, -5])
def test_a_damaged_archive_is_one_sentence(packed, cut):
    archive = packed({"coro.A.r.c.run1": b"1\t0\t0\n" * 1000})
    data = bytearray(archive.read_bytes())
    archive.write_bytes(bytes(data[:cut]))
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code == "damaged-file"


@pytest.mark.attack
def test_a_flipped_byte_is_found(packed):
    archive = packed({"coro.A.r.c.run1": bytes(range(256)) * 40})
    data = bytearray(archive.read_bytes())
    data[80] ^= 0xFF
    archive.write_bytes(bytes(data))
    with pytest.raises(FairnbError) as caught:
        read_submission([archive])
    assert caught.value.code == "damaged-file"


@pytest.mark.attack
def test_a_zip_in_a_zip_is_not_opened(packed):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("coro.A.r.c.run1", b"1\t0\t0\n")
    with pytest.raises(FairnbError) as caught:
        read_submission([packed({"inner.zip": inner.getvalue()})])
    assert caught.value.code == "empty-submission"


_PIECES = st.sampled_from(
    [
        b"100",
        b"101",
        b"\t",
        b"\n",
        b"\r",
        b"1",
        b"0",
        b'"',
        b"0.5",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b" ",
        b"nan",
    ]
)
_BYTES = st.one_of(st.lists(_PIECES, max_size=40).map(b"".join), st.binary(max_size=200))


@pytest.mark.attack
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(part=st.sampled_from(PARTS), data=_BYTES, scores=st.sampled_from(["hard", "prob"]))
def test_no_contents_get_past_the_checks(task, part, data, scores):
    folder = task.folder / "handed-in"
    folder.mkdir(exist_ok=True)
    for name, text in task.files(task.guessed(1)).items():
        (folder / name).write_text(text, "utf-8")
    (
        folder
        / next(name for name in task.files(task.guessed(1)) if name.startswith(part.removesuffix(".tsv")))
    ).write_bytes(data)
    with pytest.raises(FairnbError):
        score_submissions([folder], **task.golds(), scores=scores, resamples=2)
    # The official script's reading may take it, and never ends in anything but its own words.
    for one in official_outcomes([folder], task.raw, task.synthetic, task.terms):
        assert one.refused or one.scores


@pytest.mark.attack
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(data=st.binary(max_size=400), at=st.integers(0, 400))
def test_no_archive_ends_in_a_traceback(packed, data, at):
    archive = packed({"coro.A.r.c.run1": b"100\t0\t0\n" * 20})
    whole = archive.read_bytes()
    archive.write_bytes(whole[:at] + data + whole[at + len(data) :])
    with contextlib.suppress(FairnbError):
        read_submission([archive])


@pytest.mark.attack
@pytest.mark.parametrize("which", ["raw", "synthetic", "terms"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=_BYTES)
def test_no_gold_file_ends_in_a_traceback(task, which, data):
    archive = task.zipped(task.files(task.guessed(1)))
    task.write()
    getattr(task, which).write_bytes(data)
    with contextlib.suppress(FairnbError):
        score_submissions([archive], **task.golds(), resamples=2)
    with contextlib.suppress(FairnbError):
        official_outcomes([archive], task.raw, task.synthetic, task.terms)
