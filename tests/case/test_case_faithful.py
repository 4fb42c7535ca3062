from __future__ import annotations

import copy
import json
import threading
from typing import Any

import pytest

from fairnb.case import BUNDLE, CONTROLS, faithful, load_case, payloads_in, read_notebook
from fairnb.case._faithful import in_words
from fairnb.errors import ExitCode, FairnbError


def shown(payloads: Any) -> list[Any]:
    data = {BUNDLE: [payload.to_json() for payload in payloads], "text/plain": "shown"}
    return [{"output_type": "display_data", "metadata": {}, "data": data}]


def run(folder: Any, make_case: Any, **params: Any) -> dict[str, Any]:
    """The notebook after a run: cell 1 opens the case, cells 2 to 5 show the sections."""
    case = load_case(folder)
    sources = ["import fairnb"]
    outputs: dict[int, Any] = {}
    for index, identity in enumerate(case.sections, 1):
        sources.append(f'case.section("{identity}")')
        given = params if identity == "counting" else {}
        outputs[index] = shown(case.run_all(identity, params=given, origin="notebook"))
    notebook: dict[str, Any] = json.loads(json.dumps(make_case.notebook(*sources, outputs=outputs)))
    return notebook


def codes(notebook: Any, folder: Any) -> list[tuple[str, int]]:
    return [(problem.code, problem.cell) for problem in faithful(notebook, load_case(folder))]


@pytest.fixture
def folder(make_case: Any, tiny: list[str]) -> Any:
    return make_case()


@pytest.fixture
def notebook(folder: Any, make_case: Any) -> dict[str, Any]:
    return run(folder, make_case)


def test_a_notebook_as_it_was_run_is_faithful(notebook: Any, folder: Any) -> None:
    assert codes(notebook, folder) == []
    (folder / "assessment.ipynb").write_text(json.dumps(notebook))
    assert faithful(folder / "assessment.ipynb", load_case(folder)) == []
    assert [payload.section for payload in payloads_in(notebook)] == list(load_case(folder).sections)


def test_a_parameter_that_the_notebook_changed_is_allowed(folder: Any, make_case: Any) -> None:
    assert codes(run(folder, make_case, threshold=0.7), folder) == []


def test_several_targets_are_one_list(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(extra="[targets.a]\npositive = [1]\n[targets.b]\npositive = [0]\n")
    notebook = run(folder, make_case)
    assert codes(notebook, folder) == []
    del notebook["cells"][1]["outputs"][0]["data"][BUNDLE][1]
    (problem,) = faithful(notebook, load_case(folder))
    assert (problem.code, problem.cell) == ("no-result", 2)
    assert "target b" in problem.found


def test_an_edited_number_is_refused(notebook: Any, folder: Any) -> None:
    payload = notebook["cells"][1]["outputs"][0]["data"][BUNDLE][0]
    payload["content"]["result"]["measures"][0]["value"] = 2.0
    assert codes(notebook, folder) == [("altered-payload", 2)]


def test_an_edited_number_with_a_new_digest_is_refused(notebook: Any, folder: Any) -> None:
    from hashlib import sha256

    import rfc8785

    payload = notebook["cells"][1]["outputs"][0]["data"][BUNDLE][0]
    payload["content"]["result"]["measures"][0]["value"] = 2.0
    payload["content_sha256"] = sha256(rfc8785.dumps(payload["content"])).hexdigest()
    assert codes(notebook, folder) == [("foreign-result", 2)]


def test_pasted_evidence_of_another_case_is_refused(notebook: Any, folder: Any, make_case: Any) -> None:
    other = make_case("other", rows=[*make_case.rows, ("One more silly goose", 1, 0.7)])
    pasted = run(other, make_case)["cells"][1]["outputs"]
    notebook["cells"][1]["outputs"] = pasted
    assert codes(notebook, folder) == [("foreign-result", 2)]


def test_the_result_of_another_section_in_a_cell_is_refused(notebook: Any, folder: Any) -> None:
    cells = notebook["cells"]
    cells[1]["outputs"], cells[2]["outputs"] = cells[2]["outputs"], cells[1]["outputs"]
    assert ("pasted-result", 2) in codes(notebook, folder)
    assert ("pasted-result", 3) in codes(notebook, folder)


def test_a_failed_cell_is_refused(notebook: Any, folder: Any) -> None:
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
    notebook["cells"][0]["outputs"] = [error]
    assert codes(notebook, folder) == [("cell-failed", 1)]


def test_a_section_that_was_not_run_is_refused(notebook: Any, folder: Any) -> None:
    notebook["cells"][4]["outputs"] = []
    assert codes(notebook, folder) == [("no-result", 5)]


@pytest.mark.parametrize("state", ["stopped", "failed"])
def test_what_stands_in_place_of_a_result_is_no_result(notebook: Any, folder: Any, state: str) -> None:
    told = {CONTROLS: {"section": "conclusion", "state": state, "message": "why"}, "text/plain": "why"}
    notebook["cells"][4]["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": told}]
    assert codes(notebook, folder) == [("no-result", 5)]


def test_a_section_in_two_cells_is_refused(notebook: Any, folder: Any) -> None:
    notebook["cells"].append(copy.deepcopy(notebook["cells"][1]))
    assert codes(notebook, folder) == [("section-twice", 6)]


def test_a_notebook_of_fewer_sections_is_a_record_of_those(notebook: Any, folder: Any) -> None:
    del notebook["cells"][4]
    assert codes(notebook, folder) == []


def test_a_notebook_without_sections_is_refused(notebook: Any, folder: Any) -> None:
    del notebook["cells"][1:]
    assert codes(notebook, folder) == [("no-sections", 0)]


def test_an_older_result_is_refused_once_the_section_ran_again(notebook: Any, folder: Any) -> None:
    load_case(folder).run("counting", params={"threshold": 0.7}, origin="notebook")
    assert ("outdated-result", 2) in codes(notebook, folder)


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("[corpus.test]", "[targets.positive]\nthreshold = 0.7\n[corpus.test]", "changed-input", "target"),
        ("[corpus.test]", "[run]\nseed = 3\n[corpus.test]", "changed-settings", "seed"),
        (
            "[corpus.test]",
            "[sections.counting]\nthreshold = 0.7\n[corpus.test]",
            "changed-settings",
            "parameters",
        ),
        ('scores = "score"', 'scores = "score"\nversion = "2"', "changed-input", "scores"),
    ],
)
def test_settings_changed_since_are_refused(
    notebook: Any, folder: Any, make_case: Any, old: str, new: str, code: str, words: str
) -> None:
    make_case(toml=make_case.toml.replace(old, new))
    problem = next(p for p in faithful(notebook, load_case(folder)) if p.cell == 2)
    assert problem.code == code
    assert words in problem.found


def test_changed_texts_are_refused_and_named(notebook: Any, folder: Any, make_case: Any) -> None:
    (folder / "test.csv").write_text(make_case.csv(make_case.rows[:4]))
    problem = next(p for p in faithful(notebook, load_case(folder)) if p.cell == 2)
    assert "the test corpus" in problem.found
    assert str(problem).startswith("cell 2, “Counting”: the test corpus")
    assert problem.error().exit_code is ExitCode.UNFAITHFUL


def test_a_missing_corpus_is_told_for_each_section_that_read_it(notebook: Any, folder: Any) -> None:
    (folder / "test.csv").unlink()
    assert ("file-missing", 2) in codes(notebook, folder)


def test_a_lost_tally_is_told(notebook: Any, folder: Any) -> None:
    for path in (folder / ".fairnb" / "tallies").iterdir():
        path.unlink()
    assert ("missing-tally", 3) in codes(notebook, folder)


def test_a_damaged_log_is_told(notebook: Any, folder: Any) -> None:
    path = folder / ".fairnb" / "log.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"score"', b'"store"'))
    assert codes(notebook, folder) == [("damaged-log", 0)]


def test_sections_asked_for_in_a_loop_are_found_by_their_results(notebook: Any, folder: Any) -> None:
    cells = notebook["cells"]
    cells[1]["source"] = "for identity in names:\n    case.section(identity)"
    cells[1]["outputs"] += cells[2]["outputs"]
    del cells[2]
    assert codes(notebook, folder) == []


def test_a_call_in_a_comment_or_text_is_not_a_section(notebook: Any, folder: Any) -> None:
    notebook["cells"][0]["source"] = '# case.section("counting")\nprint("case.section(\'counting\')")'
    assert codes(notebook, folder) == []


def test_a_cell_with_magic_is_read_all_the_same(notebook: Any, folder: Any) -> None:
    notebook["cells"][1]["source"] = '%time case.section("counting")\n# case.section("tallying")'
    assert codes(notebook, folder) == []


def test_a_system_that_nothing_vouches_for_can_be_recorded(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(toml=make_case.toml.replace('scores = "score"', 'python = "scorer:score"'))
    (folder / "scorer.py").write_text("def score(texts):\n    return [0.5 for _ in texts]\n")
    assert codes(run(folder, make_case), folder) == []


@pytest.mark.parametrize(
    "data",
    [
        "[]",
        "{}",
        "not json",
        '{"nbformat": 3, "cells": []}',
        '{"nbformat": 4, "cells": [1]}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": {}}]}',
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "", "outputs": [{"data": []}]}]}',
    ],
)
def test_what_is_no_notebook_is_told(folder: Any, data: str) -> None:
    (folder / "assessment.ipynb").write_text(data)
    with pytest.raises(FairnbError) as caught:
        faithful(folder / "assessment.ipynb", load_case(folder))
    assert caught.value.code == "not-a-notebook"


def test_a_notebook_that_is_just_being_saved_is_read_once_it_is_whole(folder: Any) -> None:
    path = folder / "assessment.ipynb"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")
    saving = threading.Timer(0.1, path.write_text, (whole, "utf-8"))
    saving.start()
    assert read_notebook(path) == json.loads(whole)
    saving.join()


@pytest.mark.parametrize("bundle", [None, {}, "text", [], [None], [{"schema": "fairnb.result/1"}], [[]]])
def test_a_bundle_of_another_shape_is_refused(notebook: Any, folder: Any, bundle: Any) -> None:
    notebook["cells"][1]["outputs"][0]["data"][BUNDLE] = bundle
    assert {cell for _, cell in codes(notebook, folder)} == {2}


def test_a_result_that_another_rests_on_is_told_by_its_sections_title() -> None:
    assert in_words("result:group_bias:toxic") == "the result of Bias by mentioned group for the target toxic"
    assert in_words("result:group_bias") == "the result of Bias by mentioned group"
    assert in_words("result:not_installed") == "the result of not_installed"
