"""The task's files: read as they are, refused with line and value, written under the task's names."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from fairnb.ami import read_raw, read_synthetic, read_terms, write_submission
from fairnb.ami._files import parse_name
from fairnb.errors import FairnbError, FairnbErrors

HEADER = "id\ttext\tmisogynous\taggressiveness\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "set.tsv"


def codes(error: FairnbError) -> list[str]:
    return [one.code for one in error.errors] if isinstance(error, FairnbErrors) else [error.code]


def test_a_lone_quote_swallows_no_row(file):
    file.write_text(HEADER + '1\t"ciao\t0\t0\n2\tbella"\t1\t1\n3\tx\t0\t0\n', "utf-8")
    found = read_raw(file)
    assert found.ids == ("1", "2", "3")
    assert found.texts == ('"ciao', 'bella"', "x")
    assert found.misogynous.tolist() == [0, 1, 0]
    assert found.aggressiveness.tolist() == [0, 1, 0]


def test_a_set_without_labels_is_read_without_them(file):
    file.write_text("id\ttext\n1\tciao\n", "utf-8")
    assert read_raw(file, labelled=False).misogynous is None
    assert read_synthetic(file, labelled=False).misogynous is None
    with pytest.raises(FairnbError, match=r"line 1.*'misogynous'") as caught:
        read_raw(file)
    assert caught.value.code == "missing-column"


def test_skeletons_are_kept_where_a_column_names_them(file):
    file.write_text("id\ttext\tmisogynous\tskeleton\n1\tciao\t0\tk1\n", "utf-8")
    assert read_synthetic(file).skeletons == ("k1",)
    file.write_text("id\ttext\tmisogynous\n1\tciao\t0\n", "utf-8")
    assert read_synthetic(file).skeletons is None
    file.write_text("id\ttext\tmisogynous\tskeleton\n1\tciao\t0\t\n", "utf-8")
    with pytest.raises(FairnbError) as caught:
        read_synthetic(file)
    assert (caught.value.code, caught.value.where) == (
        "missing-skeleton",
        "set.tsv, line 2, column 'skeleton'",
    )


def test_everything_wrong_with_a_gold_file_is_told_at_once(file):
    file.write_text(HEADER + "1\tciao\t2\t0\n1\tciao\t1\tx\n\tciao\t0\t0\n", "utf-8")
    with pytest.raises(FairnbErrors) as caught:
        read_raw(file)
    assert codes(caught.value) == ["duplicate-id", "missing-id", "bad-label", "bad-label"]
    told = str(caught.value)
    assert "set.tsv, line 3: the id '1' stands in line 2 already" in told
    assert "line 2, column 'misogynous': the label is '2'" in told
    assert "line 3, column 'aggressiveness': the label is 'x'" in told


def test_many_mistakes_of_one_kind_are_counted(file):
    file.write_text(HEADER + "".join(f"{row}\tciao\t7\t0\n" for row in range(30)), "utf-8")
    with pytest.raises(FairnbErrors) as caught:
        read_raw(file)
    assert len(caught.value.errors) == 6
    assert "25 more of this kind" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (HEADER.encode(), "empty-file"),
        (HEADER.encode() + b"1\tcia\xff\t0\t0\n", "wrong-encoding"),
        (HEADER.encode() + b"1\tciao\t0\n", "ragged-row"),
        (b"id\tid\ttext\tmisogynous\taggressiveness\n1\t1\tx\t0\t0\n", "column-twice"),
    ],
)
def test_a_file_that_is_none_is_refused(file, data, code):
    file.write_bytes(data)
    with pytest.raises(FairnbError) as caught:
        read_raw(file)
    assert caught.value.code == code


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FairnbError, match=r"none\.tsv.*check the path"):
        read_raw(tmp_path / "none.tsv")


def test_terms_are_kept_as_they_stand_and_a_blank_line_is_refused(file):
    file.write_text("donne\nprime cugine\nzie \n", "utf-8")
    assert read_terms(file) == ("donne", "prime cugine", "zie ")
    file.write_text("donne\n\nzie\n \n", "utf-8")
    with pytest.raises(FairnbErrors) as caught:
        read_terms(file)
    assert [one.where for one in caught.value.errors] == ["set.tsv, line 2", "set.tsv, line 4"]
    file.write_text("\n", "utf-8")
    with pytest.raises(FairnbError, match="empty"):
        read_terms(file)


@pytest.mark.parametrize(
    ("name", "team"),
    [
        ("coro.A.r.c.run1", "coro"),
        ("coro.B.s.u.run3.tsv", "coro"),
        ("il.coro.B.r.u.run2.TSV", "il.coro"),
        ("coro.a.R.C.run1", "coro"),
    ],
)
def test_names_of_the_task_are_understood(name, team):
    assert parse_name(name).team == team


@pytest.mark.parametrize(
    "name", ["coro.A.r.c.run4", "coro.C.r.c.run1", "A.r.c.run1", "coro.A.r.run1", "coro.A.r.c.run1.txt", ""]
)
def test_other_names_are_not(name):
    assert parse_name(name) is None


def test_a_submission_is_written_as_the_task_wants_it(tmp_path):
    ids, columns = ["1", "2"], [np.array([0, 1], np.int8), [1, 0]]
    path = write_submission(tmp_path / "out", "coro", "A", "r", "c", 1, ids, columns)
    assert path.name == "coro.A.r.c.run1.tsv"
    assert path.read_text("utf-8") == "1\t0\t1\n2\t1\t0\n"
    path = write_submission(tmp_path / "out", "coro", "B", "s", "u", 2, ids, [np.array([0.25, 1.0])])
    assert path.read_text("utf-8") == "1\t0.25\n2\t1.0\n"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"team": "../coro"}, "bad-submission-name"),
        ({"team": ""}, "bad-submission-name"),
        ({"run": 4}, "bad-submission-name"),
        ({"columns": [[0, 1], [1, 0]]}, "missing-column"),
        ({"columns": [[0]]}, "lengths-differ"),
        ({"columns": [[0, 2]]}, "bad-label"),
        ({"columns": [[0.5, float("nan")]]}, "bad-score"),
        ({"ids": ["1", "1"]}, "duplicate-id"),
        ({"ids": ["1", "a\tb"]}, "missing-id"),
        ({"subtask": "A", "dataset": "s"}, "missing-column"),
    ],
)
def test_nothing_is_written_that_could_not_be_handed_in(tmp_path, changed, code):
    arguments = {
        "folder": tmp_path / "out",
        "team": "coro",
        "subtask": "B",
        "dataset": "r",
        "mode": "c",
        "run": 1,
        "ids": ["1", "2"],
        "columns": [[0, 1]],
    }
    with pytest.raises(FairnbError) as caught:
        write_submission(**(arguments | changed))
    assert caught.value.code == code
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("data", ["id\ttext".encode("utf-16"), "id\ttext\n".encode("utf-16-le"), b"\xe8"])
def test_no_remedy_is_told_that_the_task_has_no_place_for(file, data):
    for read in (read_raw, read_terms):
        file.write_bytes(data)
        with pytest.raises(FairnbError, match=r"as UTF-8") as caught:
            read(file)
        assert "declare" not in str(caught.value)


def test_what_is_no_plain_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "gold.tsv")
    with pytest.raises(FairnbError) as caught:
        read_raw(tmp_path / "gold.tsv")
    assert (caught.value.code, caught.value.where) == ("file-missing", "gold.tsv")
