"""`fairnb ami score`: results on stdout, tables on stderr, one sentence per mistake."""

from __future__ import annotations

import json
import re

import pytest

from fairnb.cli import main


@pytest.fixture
def archive(task):
    return task.zipped(task.files(task.guessed(1)))


def test_json_has_the_figures_at_the_top(task, archive, arithmetic, capsys):
    assert main(["ami", "score", str(archive), *task.options(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    files = task.files(task.guessed(1))
    a = arithmetic.score_a(task.raw, files["coro.A.r.c.run1"])
    b = arithmetic.score_b(
        task.raw,
        task.synthetic,
        task.terms.read_text("utf-8").splitlines(),
        files["coro.B.r.c.run1.tsv"],
        files["coro.B.s.c.run1.tsv"],
    )
    assert found["scores"] == "hard"
    assert found["score_a"] == pytest.approx(a["score_a"], abs=1e-12)
    assert found["f1_misogynous"] == pytest.approx(a["misogynous"], abs=1e-12)
    assert found["f1_aggressiveness"] == pytest.approx(a["aggressiveness"], abs=1e-12)
    assert found["score_b"] == pytest.approx(b["score_b"], abs=1e-12)
    assert found["auc_raw"] == pytest.approx(b["auc_raw"], abs=1e-12)
    assert [term["term"] for term in found["terms"]] == ["donne", "ragazze", "zie", "prime cugine"]
    assert found["terms"][0]["subgroup_auc"] == pytest.approx(b["terms"][0]["subgroup"], abs=1e-12)
    low, high = (found["intervals"]["score_b"][end] for end in ("low", "high"))
    assert low < found["score_b"] < high


def test_several_runs_have_their_figures_in_a_list_and_a_ranking(task, archive, capsys):
    other = task.zipped(task.files(task.guessed(2), team="banda"), "banda.zip")
    assert main(["ami", "score", str(archive), str(other), *task.options(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["score_a"] is None
    assert [run["run"] for run in found["runs"]] == ["banda.c.run1", "coro.c.run1"]
    assert [one["subtask"] for one in found["rankings"]] == ["A", "B"]


def test_tables_for_a_person_go_to_stderr_aligned(task, archive, capsys):
    assert main(["ami", "score", str(archive), *task.options()]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith("term "))
    table = lines[start : start + 6]
    assert {line.index("[") for line in table[1:5]} == {table[1].index("[")}
    assert table[5].startswith("mean")
    assert "labels (hard)" in told.err


def test_the_same_seed_gives_the_same_figures(task, archive, capsys):
    def told(*more: str) -> str:
        assert main(["ami", "score", str(archive), *task.options(), "--json", *more]) == 0
        return capsys.readouterr().out

    assert told() == told()
    assert told("--seed", "3") != told()


def test_official_prints_the_scripts_lines_and_warns_of_what_it_misses(task, capsys):
    files = task.files(task.guessed(1))
    lines = files["coro.A.r.c.run1"].split("\n")
    lines[5] = lines[4]
    archive = task.zipped(files | {"coro.A.r.c.run1": "\n".join(lines)})
    assert main(["ami", "score", str(archive), *task.options(), "--official"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Starting evaluation Subtask A\n******************** run1\n")
    assert "taskB_biasmetric: 0." in told.out
    assert "stands in line 5 already" in told.err
    assert main(["ami", "score", str(archive), *task.options(), "--official", "--json"]) == 0
    assert [one["subtask"] for one in json.loads(capsys.readouterr().out)] == ["A", "B"]


def test_what_the_script_refuses_is_code_2(task, capsys):
    files = {name: data for name, data in task.files(task.guessed(1)).items() if ".B.s" not in name}
    assert main(["ami", "score", str(task.zipped(files)), *task.options(), "--official"]) == 2
    assert "error in synt prediction file format" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--official", "--scores", "prob"], "labels-"),
        (["--threshold", "2"], "threshold"),
        (["--correction", "x"], ""),
    ],
)
def test_wrong_use_is_one_sentence(task, archive, more, code, capsys):
    assert main(["ami", "score", str(archive), *task.options(), *more]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("fairnb: ")
    assert code in told.err
    assert "Traceback" not in told.err


def test_no_submission_is_one_sentence(task, capsys):
    assert main(["ami", "score", *task.options()]) == 2
    assert "no submission is named" in capsys.readouterr().err


def test_names_command_no_terminal(task, capsys):
    folder = task.folder / "in"
    folder.mkdir()
    (folder / "co\x1b[31mro.A.r.c.run1").write_text(task.files(task.guessed(1))["coro.A.r.c.run1"], "utf-8")
    assert main(["ami", "score", str(folder), "--gold-raw", str(task.raw)]) == 0
    assert "\x1b" not in capsys.readouterr().err


def test_tables_stay_aligned_whatever_a_team_is_called(task, capsys):
    folder = task.folder / "in"
    folder.mkdir()
    answers = task.files(task.guessed(1))["coro.A.r.c.run1"]
    # A line break, letters that take two columns, an accent that takes none.
    for team in ("a\nb", "\u5408\u5531", "cafe\u0301", "coro"):
        (folder / f"{team}.A.r.c.run1").write_text(answers, "utf-8")
    assert main(["ami", "score", str(folder), "--gold-raw", str(task.raw)]) == 0
    lines = capsys.readouterr().err.split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith("run "))
    table = [line.partition("[")[0] for line in lines[start + 1 : start + 5]]
    assert len({len(line) for line in table if line.isascii()}) == 1
    wide = next(line for line in table if "\u5408" in line)
    accent = next(line for line in table if "\u0301" in line)
    plain = next(line for line in table if line.startswith("coro"))
    assert (len(wide), len(accent)) == (len(plain) - 2, len(plain) + 1)


def test_differences_of_a_few_runs_are_shown_with_their_p(task, capsys):
    files = {**task.files(task.guessed(1)), **task.files(task.guessed(2, 0.2), team="banda")}
    assert main(["ami", "score", str(task.zipped(files)), *task.options(), "--json"]) == 0
    told = capsys.readouterr()
    one = json.loads(told.out)["rankings"][1]["differences"][0]
    shown = f"banda.c.run1 minus coro.c.run1  {one['difference']:+.4f}  {one['p_adjusted']:.3f}"
    assert shown in re.sub(" {3,}", "  ", told.err)


def test_what_the_heading_of_a_column_stands_for_is_said(task, archive, capsys):
    assert main(["ami", "score", str(archive), *task.options()]) == 0
    assert "1/0: misogynous and other rows" in capsys.readouterr().err
