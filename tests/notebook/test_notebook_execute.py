from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.case import BUNDLE, faithful, load_case
from fairnb.errors import ExitCode, FairnbError, FairnbErrors
from fairnb.notebook import execute

OPEN = 'import fairnb\ncase = fairnb.open(".")'
SCORER = "def score(texts):\n    {body}\n    return [0.9 if 'silly' in text else 0.1 for text in texts]\n"
LIVE = 'python = "scorer:score"\nversion = "1"'


def read(folder: Path) -> Any:
    notebook = json.loads((folder / "assessment.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(notebook)
    return notebook


def outputs(folder: Path) -> list[list[Any]]:
    return [cell["outputs"] for cell in read(folder)["cells"] if cell["cell_type"] == "code"]


def outcomes(report: Any) -> dict[str, str]:
    return {run.section: run.outcome for run in report.sections}


def test_the_template_runs_to_a_faithful_record_and_again_to_the_same_bytes(small: Any) -> None:
    folder = small()
    told: list[tuple[int, int, str]] = []
    report = execute(folder, progress=lambda *step: told.append(step))
    assert report.exit_code is ExitCode.DONE
    assert (
        outcomes(report).items()
        >= {
            "engagement": "done",
            "system": "done",
            "technical_performance": "done",
            "data_bias": "not applicable",
            "conclusion": "done",
        }.items()
    )
    assert "no training corpus" in "\n".join(report.lines())
    assert report.to_json()["exit_code"] == 0
    assert faithful(folder / "assessment.ipynb", load_case(folder)) == []
    # What JupyterLab would write otherwise when it only opens the notebook.
    assert read(folder)["metadata"]["language_info"]["file_extension"] == ".py"
    for shown in outputs(folder)[1:]:
        (output,) = shown
        assert {"text/html", "text/plain", BUNDLE} <= set(output["data"])
    sections = len(load_case(folder).sections)
    assert told[0] == (0, sections, "Engagement")
    assert told[-1] == (sections, sections, "Conclusion: done")
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)

    before = (folder / "assessment.ipynb").read_bytes()
    again = execute(folder)
    assert (folder / "assessment.ipynb").read_bytes() == before
    assert set(outcomes(again).values()) == {"replayed", "not applicable"}
    assert {run["outcome"] for run in again.to_json()["sections"]} == {"replayed", "not applicable"}
    assert sum(entry["event"] == "run" for entry in load_case(folder).log) == sections


def test_the_kernel_is_this_interpreter_in_the_case_folder_without_passphrases(
    small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRNB_PASSPHRASE", "secret")
    names = ("FAIRNB_PASSPHRASE", "TF_ENABLE_ONEDNN_OPTS", "IPYTHONDIR", "MPLCONFIGDIR", "JUPYTER_DATA_DIR")
    folder = small(f"import os, sys\nprint(sys.executable, os.getcwd(), *map(os.environ.get, {names!r}))")
    assert execute(folder).exit_code is ExitCode.DONE
    ((printed,),) = outputs(folder)
    executable, cwd, passphrase, onednn, *folders = "".join(printed["text"]).split()
    assert (executable, cwd) == (sys.executable, str(folder.resolve()))
    assert (passphrase, onednn) == ("None", "0")
    home = os.environ["FAIRNB_HOME"]
    assert all(place.startswith(home) for place in folders)
    # Nothing of the kernel is left but what matplotlib keeps.
    assert [path.name for path in (Path(home) / "cache").iterdir() if path.is_dir()] == ["matplotlib"]


def test_a_failing_section_is_named_and_the_rest_can_go_on_later(small: Any) -> None:
    folder = small(system=LIVE)
    scorer = folder / "scorer.py"
    scorer.write_text(SCORER.format(body="raise ValueError('out of geese')"))
    report = execute(folder)
    assert report.exit_code is ExitCode.FAILED
    assert report.failed == ("technical_performance",)
    assert "section technical_performance failed" in report.reason
    assert "out of geese" in report.reason
    assert outcomes(report)["system"] == "done"
    assert outcomes(report)["conclusion"] == "not run"
    (error,) = outputs(folder)[3]
    assert error["output_type"] == "error"
    # One sentence, no traceback.
    assert "out of geese" in error["traceback"][0]
    assert not any("File" in line or "---" in line for line in error["traceback"])
    assert BUNDLE in outputs(folder)[2][0]["data"]

    scorer.write_text(SCORER.format(body="pass"))
    assert execute(folder).exit_code is ExitCode.DONE
    assert faithful(folder / "assessment.ipynb", load_case(folder)) == []


def test_a_function_without_a_version_is_scored_anew_and_the_report_says_why(small: Any) -> None:
    cells = (OPEN, 'case.section("engagement")', 'case.section("technical_performance")')
    folder = small(*cells, system='python = "scorer:score"')
    (folder / "scorer.py").write_text(SCORER.format(body="pass"))
    execute(folder)
    report = execute(folder)
    assert outcomes(report) == {"engagement": "replayed", "technical_performance": "done"}
    assert "declare version" in report.hint
    assert report.hint in report.lines()

    small(*cells, system=LIVE)
    execute(folder)
    report = execute(folder)
    assert set(outcomes(report).values()) == {"replayed"}
    assert report.hint == ""


def test_an_own_cell_that_fails_is_named(small: Any) -> None:
    folder = small(OPEN, "1 / 0", 'case.section("engagement")')
    report = execute(folder)
    assert (report.exit_code, report.cell) == (ExitCode.FAILED, 2)
    assert report.reason == "cell 2, “1 / 0” failed: division by zero"
    assert outcomes(report) == {"engagement": "not run"}


def test_a_kernel_that_dies_is_told(small: Any) -> None:
    report = execute(small(OPEN, "import os; os._exit(1)"))
    assert report.exit_code is ExitCode.FAILED
    assert "the kernel died, for want of memory" in report.reason
    if sys.platform == "linux":
        assert re.search(r"\(\d+\.\d GB are granted here\)", report.reason)


def test_a_cell_over_the_time_limit_is_told(small: Any, capfd: pytest.CaptureFixture[str]) -> None:
    report = execute(small(OPEN, "import time; time.sleep(60)"), timeout=2)
    assert "Traceback" not in "".join(capfd.readouterr())
    assert report.exit_code is ExitCode.FAILED
    assert "longer than 2 s" in report.reason


def test_only_named_sections_run_and_the_others_are_shown_if_fresh(small: Any) -> None:
    folder = small()
    report = execute(folder, only=["system"])
    assert outcomes(report)["system"] == "done"
    assert outcomes(report)["technical_performance"] == "not run"
    assert outputs(folder)[1][0]["data"]["text/plain"] == ["Engagement: not run"]
    report = execute(folder, only=["engagement"])
    assert outcomes(report)["system"] == "replayed"
    assert outcomes(report)["engagement"] == "done"
    with pytest.raises(FairnbError, match="did you mean 'system'"):
        execute(folder, only=["sytem"])


def test_a_wrong_case_file_is_refused_before_anything_is_touched(small: Any) -> None:
    folder = small(extra="[run]\nsed = 1\n[corpus.train]\npath = 'gone.csv'\n")
    before = (folder / "assessment.ipynb").read_bytes()
    with pytest.raises(FairnbErrors) as caught:
        execute(folder)
    assert [error.code for error in caught.value.errors] == ["unknown-key", "file-missing"]
    assert (folder / "assessment.ipynb").read_bytes() == before
    assert not (folder / ".fairnb").exists()


def test_a_damaged_log_is_told_before_the_notebook_is_touched(small: Any) -> None:
    folder = small(OPEN, 'case.section("engagement")')
    assert execute(folder).exit_code is ExitCode.DONE
    log = folder / ".fairnb" / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    before = (folder / "assessment.ipynb").read_bytes()
    with pytest.raises(FairnbErrors) as caught:
        execute(folder)
    assert [error.code for error in caught.value.errors] == ["damaged-log"]
    assert caught.value.exit_code is ExitCode.UNFAITHFUL
    assert (folder / "assessment.ipynb").read_bytes() == before


def test_a_function_that_changes_the_folder_does_not_move_the_case(small: Any) -> None:
    folder = small(OPEN, 'case.section("technical_performance")', 'case.section("mining")', system=LIVE)
    (folder / "scorer.py").write_text(SCORER.format(body="import os; os.chdir('/')"))
    report = execute(folder)
    assert outcomes(report) == {"technical_performance": "done", "mining": "done"}


def test_progress_within_a_section_is_told_and_left_out_of_the_notebook(small: Any) -> None:
    folder = small(OPEN, 'case.section("technical_performance")', system=LIVE + "\nbatch_size = 2")
    (folder / "scorer.py").write_text(SCORER.format(body="import time; time.sleep(0.05)"))
    told: list[str] = []
    report = execute(folder, progress=lambda done, total, what: told.append(what))
    assert report.exit_code is ExitCode.DONE
    assert any(what.startswith("Technical performance: ") and " of 60" in what for what in told)
    assert [set(output["data"]) & {BUNDLE} for output in outputs(folder)[1]] == [{BUNDLE}]


def test_each_target_is_in_the_one_output_of_its_section(small: Any) -> None:
    targets = "[targets.silly]\npositive = [1]\n[targets.kind]\npositive = [0]\n"
    folder = small(OPEN, 'case.section("technical_performance")', extra=targets)
    assert execute(folder).exit_code is ExitCode.DONE
    (output,) = outputs(folder)[1]
    assert [item["content"]["target"] for item in output["data"][BUNDLE]] == ["silly", "kind"]
    assert faithful(folder / "assessment.ipynb", load_case(folder)) == []


def test_it_runs_from_within_a_running_event_loop(small: Any) -> None:
    import asyncio

    async def inside() -> Any:
        return execute(small(OPEN))

    assert asyncio.run(inside()).exit_code is ExitCode.DONE


RUN = """
import sys
from fairnb.notebook import execute
report = execute(sys.argv[1], progress=lambda *step: print(*step, flush=True))
print("ENDED", report.reason, flush=True)
sys.exit(int(report.exit_code))
"""


@pytest.mark.parametrize("stubborn", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_a_partial_notebook_and_the_next_run_goes_on(small: Any, stubborn: bool) -> None:
    folder = small(system=LIVE)
    sleep = "import time; open('started', 'w').close(); time.sleep(120)"
    if stubborn:
        sleep = (
            "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); "
            + sleep[len("import time; ") :]
        )
    (folder / "scorer.py").write_text(SCORER.format(body=sleep))
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 90
    while not (folder / "started").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "ENDED interrupted at section technical_performance" in said
    shown = outputs(folder)
    assert BUNDLE in shown[2][0]["data"]
    assert shown[4] == []

    (folder / "scorer.py").write_text(SCORER.format(body="pass"))
    assert execute(folder).exit_code is ExitCode.DONE
