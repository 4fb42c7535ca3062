"""The command: exit codes, one sentence per mistake, results on stdout and words on stderr."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from fairnb.cli import main
from fairnb.cli._app import Progress, say


@pytest.fixture
def comments(tmp_path: Path) -> Path:
    rows = [
        (f"The neighbour of {i} waters the garden", i % 2, 0.1 + 0.8 * ((i % 2) if i % 7 else 1 - i % 2))
        for i in range(80)
    ]
    lines = ["text,label,score", *(f"{text},{label},{score}" for text, label, score in rows)]
    path = tmp_path / "comments.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def case(tmp_path: Path, comments: Path) -> Path:
    folder = tmp_path / "case"
    assert main(["new", str(folder), "--system", "scores:score", "--test", str(comments)]) == 0
    return folder


def test_help_and_version_end_well(capsys):
    assert main(["--help"]) == 0
    assert "verify" in capsys.readouterr().out
    assert main(["--version"]) == 0


@pytest.mark.parametrize("verb", ["new", "run", "export", "verify", "extract", "measures"])
def test_every_option_says_what_it_means(verb, capsys):
    assert main([verb, "--help"]) == 0
    # A row of the table is border, name with type, meaning; a name alone leads to its default.
    bare = [
        line for line in capsys.readouterr().out.splitlines() if re.search(r"--[\w-]+ +\w* *\[default", line)
    ]
    assert bare == []


@pytest.mark.parametrize(
    "arguments",
    [["nosuchverb"], ["run"], ["measures", "x", "--format", "xml"], ["data", "show", "nosuchthing"]],
)
def test_wrong_use_is_one_sentence_and_code_2(arguments, capsys):
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("fairnb: ")
    assert "Traceback" not in told.err


def test_a_missing_file_is_named_with_its_code(tmp_path, capsys):
    assert main(["verify", str(tmp_path / "absent.pdf")]) in (1, 2)
    told = capsys.readouterr().err
    assert "absent.pdf" in told
    assert "Traceback" not in told


def test_check_tells_every_error_at_once_also_as_json(case, capsys):
    file = case / "assessment.toml"
    text = file.read_text(encoding="utf-8").replace("margin = 0.05", "margin = 5\nmargni = 1")
    file.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["check", str(case), "--json"]) == 2
    told = capsys.readouterr()
    errors = json.loads(told.out)
    assert len(errors) == 2
    assert all(error["where"] and error["remedy"] for error in errors)
    assert "2 to put right." in told.err
    assert "export" not in told.err


def test_check_of_a_whole_case_ends_with_0_and_says_what_an_export_would_ask_for(case, capsys):
    assert main(["check", str(case)]) == 0
    can, then, unrun, *drafts = capsys.readouterr().err.splitlines()
    assert can == "The case can be run."
    assert then == "An export would still ask for:"
    # All cells lack the same, which is one line.
    assert re.match(r"  cell \d+, “Engagement”, and \d+ more: the section has not been run; ", unrun)
    assert "  draft: engagement.addressee is empty" in drafts
    assert all(line.startswith("  draft: ") for line in drafts)


def test_from_case_to_verified_document(case, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("FAIRNB_PASSPHRASE", "a long passphrase")
    assert main(["run", str(case), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["exit_code"] == 0
    identity = tmp_path / "me.p12"
    assert main(["identity", "new", str(identity), "--name", "A. Example"]) == 0
    assert main(["export", str(case), "--to", "html,json", "--sign", str(identity), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["status"] == "draft"
    drafts = [line for line in told.err.splitlines() if line.startswith("draft: ")]
    assert drafts
    assert main(["check", str(case)]) == 0
    # What was run can be exported; the reasons for a draft are the export's own.
    asked = capsys.readouterr().err.splitlines()
    assert asked == [
        "The case can be run.",
        "An export would still ask for:",
        *(f"  {one}" for one in drafts),
    ]
    assert "[3/5] signing the HTML page\n" in told.err
    document = case / "audit.html"
    assert main(["verify", str(document), "--trust", str(identity.with_suffix(".pem")), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["intact"], status["trusted"], status["level"]) == (True, True, 0)
    assert main(["verify", str(document)]) == 4
    assert main(["verify", str(document), "--integrity-only"]) == 0
    capsys.readouterr()

    assert main(["measures", str(document), "--section", "technical_performance", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert "warning" not in told.err
    rows = {row["measure"]: row for row in json.loads(told.out)}
    # Every seventh text is scored on the wrong side: 12 of 80.
    assert rows["accuracy"]["value"] == pytest.approx(68 / 80)

    document.write_bytes(document.read_bytes().replace(b"</h1>", b" </h1>", 1))
    assert main(["verify", str(document), "--integrity-only"]) == 1
    capsys.readouterr()
    assert main(["measures", str(document), "--format", "json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)
    assert told.err.startswith(f"warning: {document}: Changed or damaged")
    assert main(["extract", str(document), str(tmp_path / "out")]) == 0
    assert f"warning: {document}: Changed or damaged" in capsys.readouterr().err
    assert (tmp_path / "out" / "evidence.json").is_file()
    assert main(["extract", str(document), str(tmp_path / "out")]) == 2
    assert main(["extract", str(document), str(tmp_path / "out"), "--force"]) == 0

    document.with_name("audit.html.p7s").unlink()
    capsys.readouterr()
    assert main(["measures", str(document)]) == 0
    assert "not signed" in capsys.readouterr().err
    for own in (case, case / "assessment.ipynb", case / "evidence.json"):
        assert main(["measures", str(own)]) == 0
        assert capsys.readouterr().err == ""


def test_what_is_said_takes_the_place_of_the_progress_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Progress()(0, 5, "checking the notebook")
    say("fairnb: cell 3: the cell failed; run it again [cell-failed]")
    say("second")
    told = capsys.readouterr().err
    assert told == (
        "\r\033[K[0/5] checking the notebook"
        "\r\033[Kfairnb: cell 3: the cell failed; run it again [cell-failed]\nsecond\n"
    )


def test_signing_without_terminal_or_passphrase_never_waits(case, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("FAIRNB_PASSPHRASE", raising=False)
    assert main(["identity", "new", str(tmp_path / "me.p12")]) == 2
    assert "[no-passphrase]" in capsys.readouterr().err


def test_data_is_listed_and_shown(capsys):
    assert main(["data", "list"]) == 0
    assert "paper-train" in capsys.readouterr().out
    assert main(["data", "show", "davidson"]) == 0
    shown = capsys.readouterr().out
    assert "MIT" in shown
    assert "fcb8bc7c68120ae4af04a5b9acd58585513ede11e1548ebf36a5c2040b6f6281" in shown


def test_a_function_that_lies_in_the_case_folder_already_is_found_there(tmp_path, comments, capsys):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mymodel.py").write_text(
        "def score(texts):\n    return [0.5 for _ in texts]\n", encoding="utf-8"
    )
    said = ["new", str(folder), "--system", "python:mymodel:score", "--test", str(comments)]
    assert main(said) == 0, capsys.readouterr().err
    assert main(["check", str(folder)]) == 0


def test_a_new_case_names_both_sides_so_that_an_unknown_label_is_an_error(tmp_path, comments, capsys):
    folder = tmp_path / "my case"
    assert main(["new", str(folder), "--system", "scores:score", "--test", str(comments)]) == 0
    # What is printed can be pasted.
    assert f"fairnb check '{folder}'" in capsys.readouterr().err
    copied = folder / comments.name
    copied.write_text(copied.read_text(encoding="utf-8") + "A new row,maybe,0.5\n", encoding="utf-8")
    assert main(["check", str(folder)]) == 2
    told = capsys.readouterr().err
    assert "'maybe' is neither positive nor negative" in told
    assert "line 82" in told


def test_a_failed_run_is_never_reported_as_one_with_findings(case, capsys, monkeypatch):
    import fairnb.notebook
    from fairnb.errors import ExitCode
    from fairnb.notebook import ExecutionReport

    failed = ExecutionReport(case, (), 1.0, "x", 1, ExitCode.FAILED, {"high": 1})
    monkeypatch.setattr(fairnb.notebook, "execute", lambda *args, **options: failed)
    assert main(["run", str(case), "--fail-on", "high"]) == 5
    found = ExecutionReport(case, (), 1.0, findings={"high": 1})
    monkeypatch.setattr(fairnb.notebook, "execute", lambda *args, **options: found)
    assert main(["run", str(case), "--fail-on", "high"]) == 1


def test_a_name_commands_no_terminal(tmp_path, capsys):
    assert main(["run", str(tmp_path / "case\x1b[2J\u202e")]) == 2
    told = capsys.readouterr().err
    assert "\\x1b[2J\\u202e" in told
    assert "\x1b" not in told


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("so much the worse"), "a fault of fairnb itself"),
        (OSError(28, "No space left"), "No space left"),
    ],
)
def test_what_nobody_foresaw_is_no_word_about_a_document(error, said, monkeypatch, capsys):
    def fails(*_args, **_options):
        raise error

    monkeypatch.setattr("fairnb.report.verify", fails)
    assert main(["verify", "audit.pdf"]) == 5
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--timeout", "0"], ["--timeout", "-1"], ["--only", ","]])
def test_options_that_ask_for_nothing_are_wrong_use(options, case, capsys):
    assert main(["run", str(case), *options]) == 2
    assert capsys.readouterr().err.startswith("fairnb: ")


def test_ctrl_c_is_told(monkeypatch, capsys):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fairnb.report.verify", interrupted)
    assert main(["verify", "audit.pdf"]) == 130
    assert "interrupted" in capsys.readouterr().err
