from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from fairnb import statistics
from fairnb.case import Case, load_case
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import sha256
from fairnb.sections import Result

TWO_TARGETS = (
    "[targets.silly]\npositive = [1]\nthreshold = 0.5\n[targets.kind]\npositive = [0]\nthreshold = 0.3\n"
)


def events(case: Case) -> list[str]:
    return [entry["event"] for entry in case.log]


def test_numbers_are_those_of_the_rows(make_case: Any, tiny: list[str]) -> None:
    result = load_case(make_case()).run("counting").result
    assert result.measure("flagged", label="all").value == 3.0
    assert result.measure("positives", label="positive").value == 3.0


def test_a_fresh_result_is_replayed_not_computed(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    first = load_case(folder).run("counting")
    again = load_case(folder).run("counting")
    assert tiny == ["counting:positive"]
    assert again == first
    assert events(load_case(folder)) == ["case_file", "score", "run"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('scores = "score"', 'scores = "score"\nversion = "2"'),
        ('path = "test.csv"', 'path = "test.csv"\npositive = [0]'),
        ("[corpus.test]", "[run]\nseed = 1\n[corpus.test]"),
        ("[corpus.test]", "[targets.positive]\nthreshold = 0.7\n[corpus.test]"),
        ("[corpus.test]", "[sections.counting]\nthreshold = 0.7\n[corpus.test]"),
    ],
)
def test_a_changed_setting_that_it_rests_on_makes_it_stale(
    make_case: Any, tiny: list[str], old: str, new: str
) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    make_case(toml=make_case.toml.replace(old, new))
    case = load_case(folder)
    assert case.state("counting") == "stale"
    case.run("counting")
    assert len(tiny) == 2
    assert case.state("counting") == "fresh"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A small assessment", "Another title"),
        ("[corpus.test]", "[criteria]\nmargin = 0.1\n[corpus.test]"),
        ("[corpus.test]", "[run]\nconfidence = 0.9\n[corpus.test]"),
        ("[corpus.test]", "[sections.closing]\n[corpus.test]"),
    ],
)
def test_a_changed_setting_that_it_does_not_rest_on_leaves_it_fresh(
    make_case: Any, tiny: list[str], old: str, new: str
) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    make_case(toml=make_case.toml.replace(old, new))
    assert load_case(folder).state("counting") == "fresh"


def test_changed_texts_make_it_stale_also_while_the_case_is_open(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    case = load_case(folder)
    case.run("counting")
    (folder / "test.csv").write_text(
        make_case.csv((*make_case.rows, ("One more silly goose", 1, 0.7))), encoding="utf-8"
    )
    assert case.state("counting") == "stale"
    assert case.run("counting").result.measure("flagged", label="all").value == 4.0


def test_a_raised_version_of_the_section_makes_it_stale(
    make_case: Any, tiny: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import tiny_sections

    folder = make_case()
    load_case(folder).run("counting")
    monkeypatch.setattr(tiny_sections.Counting, "version", 2)
    assert load_case(folder).state("counting") == "stale"


def test_a_result_that_rests_on_others_is_stale_when_they_change(make_case: Any, tiny: list[str]) -> None:
    case = load_case(make_case())
    assert case.run("closing").result.facts["seen"] == {}
    case.run("counting")
    assert case.state("closing") == "stale"
    assert case.run("closing").result.facts["seen"] == {"counting/positive": 2}
    case.run("counting", params={"threshold": 0.7}, origin="notebook")
    assert case.state("closing") == "stale"


def test_stale_results_are_not_shown_to_other_sections(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    make_case(toml=make_case.toml.replace("[corpus.test]", "[run]\nseed = 1\n[corpus.test]"))
    assert load_case(folder).run("closing").result.facts["seen"] == {}


def test_going_back_to_an_earlier_parameter_replays_and_the_log_says_so(
    make_case: Any, tiny: list[str]
) -> None:
    case = load_case(make_case())
    first = case.run("counting")
    other = case.run("counting", params={"threshold": 0.7}, origin="notebook")
    assert case.payloads("counting") == (other,)
    assert case.run("counting") == first
    assert case.payloads("counting") == (first,)
    assert len(tiny) == 2
    assert events(case) == ["case_file", "score", "run", "parameter", "run", "parameter", "replay"]


def test_a_parameter_set_in_the_notebook_is_recorded_with_the_case_files_value(
    make_case: Any, tiny: list[str]
) -> None:
    case = load_case(make_case(extra="[sections.counting]\nthreshold = 0.5\n"))
    case.run("counting")
    content = case.run("counting", params={"threshold": 0.7}, origin="notebook").content
    assert content.parameters == {"threshold": 0.7, "note": ""}
    assert content.origins == {"threshold": "notebook", "note": "default"}
    assert content.declared == {"threshold": 0.5}
    event = next(entry for entry in case.log if entry["event"] == "parameter")
    assert (event["before"], event["after"], event["case_file"]) == (0.5, 0.7, 0.5)


def test_a_changed_case_file_is_put_down_key_by_key(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    make_case(extra="[criteria]\nmargin = 0.1\n")
    case = load_case(folder)
    case.run("counting")
    first, second = (entry for entry in case.log if entry["event"] == "case_file")
    assert first["first"] is True
    assert second["changes"] == {"criteria.margin": [0.05, 0.1]}


def test_each_target_has_its_own_result(make_case: Any, tiny: list[str]) -> None:
    case = load_case(make_case(extra=TWO_TARGETS))
    silly, kind = case.run_all("counting")
    assert (silly.target, kind.target) == ("silly", "kind")
    assert silly.result.measure("flagged", label="all").value == 3.0
    assert kind.result.measure("flagged", label="all").value == 4.0
    (closing,) = case.run_all("closing")
    assert closing.target == ""
    assert closing.result.facts["seen"] == {"counting/silly": 2, "counting/kind": 2}
    assert case.run("counting", target="kind") == kind


def test_changing_one_target_leaves_the_other_fresh(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(extra=TWO_TARGETS)
    load_case(folder).run_all("counting")
    make_case(extra=TWO_TARGETS.replace("0.3", "0.35"))
    load_case(folder).run_all("counting")
    assert tiny == ["counting:silly", "counting:kind", "counting:kind"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"section_id": "countin"}, "did you mean 'counting'"),
        ({"section_id": "counting", "target": "postive"}, "did you mean 'positive'"),
        ({"section_id": "counting", "params": {"treshold": 0.5}}, "did you mean 'threshold'"),
        ({"section_id": "counting", "params": {"threshold": 7}}, "less than or equal to 1"),
    ],
)
def test_a_wrong_name_or_value_is_told(make_case: Any, tiny: list[str], arguments: Any, words: str) -> None:
    with pytest.raises(FairnbError, match=words):
        load_case(make_case()).run(**arguments)


def test_every_wrong_parameter_is_told_at_once(make_case: Any, tiny: list[str]) -> None:
    with pytest.raises(FairnbErrors) as caught:
        load_case(make_case()).run("counting", params={"threshold": 7, "not": "x"}, origin="notebook")
    assert len(caught.value.errors) == 2


def test_a_section_whose_needs_are_not_met_says_why(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    result = load_case(folder).run("training").result
    assert (result.status, result.reason) == ("not_applicable", "no training corpus")
    assert tiny == []
    make_case(extra='[corpus.train]\npath = "test.csv"\n')
    assert load_case(folder).run("training").result.facts == {"rows": 6}


def test_a_failing_section_is_logged_and_leaves_no_result(make_case: Any, failing: Any) -> None:
    case = load_case(make_case())
    with pytest.raises(FairnbError, match="broken"):
        case.run("failing")
    assert case.log[-1]["event"] == "failed"
    assert case.log[-1]["code"] == "broken"
    assert case.state("failing") == "not run"


def test_an_unexpected_error_is_logged_and_passed_on(
    make_case: Any, failing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failing, "error", ZeroDivisionError("by zero"))
    case = load_case(make_case())
    with pytest.raises(ZeroDivisionError):
        case.run("failing")
    assert case.log[-1]["reason"] == "ZeroDivisionError: by zero"


def test_a_damaged_result_is_noted_and_computed_again(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    (stored,) = (folder / ".fairnb" / "results").glob("*.json")
    data = json.loads(stored.read_text())
    data["content"]["result"]["measures"][0]["value"] = 99.0
    stored.write_text(json.dumps(data))
    case = load_case(folder)
    assert case.run("counting").result.measure("flagged", label="all").value == 3.0
    assert len(tiny) == 2
    (noted,) = (entry for entry in case.log if entry["event"] == "ignored")
    assert stored.name in noted["file"]


@pytest.mark.parametrize("damage", ["remove", "overwrite"])
def test_a_lost_tally_is_counted_again(make_case: Any, tiny: list[str], damage: str) -> None:
    folder = make_case()
    digest = load_case(folder).run("tallying").result.tallies["test"]
    path = folder / ".fairnb" / "tallies" / f"{digest}.tally"
    before = path.read_bytes()
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(before[:-3])
    load_case(folder).run("tallying")
    assert tiny == ["tallying", "tallying"]
    assert path.read_bytes() == before


def test_a_tally_that_was_not_asked_for_is_refused(
    make_case: Any, tiny: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import tiny_sections

    monkeypatch.setattr(tiny_sections.Tallying, "run", lambda *_: Result(tallies={"test": "0" * 64}))
    with pytest.raises(FairnbError, match=r"view\.tally"):
        load_case(make_case()).run("tallying")


def test_nothing_can_be_run_on_top_of_a_damaged_log(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    load_case(folder).run("counting")
    path = folder / ".fairnb" / "log.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"score"', b'"store"'))
    with pytest.raises(FairnbError) as caught:
        load_case(folder).run("counting")
    assert caught.value.code == "damaged-log"


def test_without_its_log_a_result_is_replayed_and_put_down_anew(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    first = load_case(folder).run("counting")
    (folder / ".fairnb" / "log.jsonl").unlink()
    case = load_case(folder)
    assert case.state("counting") == "not run"
    assert case.run("counting") == first
    assert tiny == ["counting:positive"]


def test_a_system_without_version_is_scored_again_by_each_session(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(toml=make_case.toml.replace('scores = "score"', 'python = "scorer:score"'))
    (folder / "scorer.py").write_text(
        "def score(texts):\n    return [0.9 if 'silly' in t else 0.1 for t in texts]\n"
    )
    case = load_case(folder)
    case.run("counting")
    case.run("counting")
    assert tiny == ["counting:positive"]
    load_case(folder).run("counting")
    assert tiny == ["counting:positive"] * 2


def test_a_declared_version_lets_its_results_be_replayed(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(
        toml=make_case.toml.replace('scores = "score"', 'python = "scorer:score"\nversion = "1"')
    )
    (folder / "scorer.py").write_text(
        "def score(texts):\n    return [0.9 if 'silly' in t else 0.1 for t in texts]\n"
    )
    load_case(folder).run("counting")
    load_case(folder).run("counting")
    assert tiny == ["counting:positive"]
    (folder / "scorer.py").write_text("def score(texts):\n    return [0.5 for t in texts]\n")
    assert load_case(folder).run("counting").result.measure("flagged", label="all").value == 6.0


def test_two_threads_compute_a_section_once(make_case: Any, tiny: list[str]) -> None:
    case = load_case(make_case())
    threads = [threading.Thread(target=case.run, args=("counting",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tiny == ["counting:positive"]


def test_stopping_a_section_stores_nothing(make_case: Any, tiny: list[str]) -> None:
    folder = make_case(toml=make_case.toml.replace('scores = "score"', 'python = "scorer:score"'))
    (folder / "scorer.py").write_text("def score(texts):\n    return [0.5 for t in texts]\n")
    case = load_case(folder)
    with pytest.raises(FairnbError) as caught:
        case.run("counting", cancelled=lambda: True)
    assert int(caught.value.exit_code) == 130
    assert case.state("counting") == "not run"


def test_a_read_only_folder_is_told_before_anything_is_computed(
    make_case: Any, tiny: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_case()
    (folder / ".fairnb").write_text("not a folder")
    with pytest.raises(FairnbError) as caught:
        load_case(folder).run("counting")
    assert caught.value.code == "cannot-write"
    assert tiny == []


def test_inputs_are_named_as_they_were_read(make_case: Any, tiny: list[str]) -> None:
    inputs = load_case(make_case()).run("counting").content.inputs
    assert set(inputs) == {"corpus:test", "has:scores", "has:test_corpus", "scores:test", "target:positive"}


def test_sections_are_in_the_order_of_the_notebook(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    notebook = json.loads((folder / "assessment.ipynb").read_text())
    notebook["cells"].reverse()
    (folder / "assessment.ipynb").write_text(json.dumps(notebook))
    assert load_case(folder).sections == ("closing", "training", "tallying", "counting")
    (folder / "assessment.ipynb").unlink()
    assert load_case(folder).sections == ("counting", "tallying", "training", "closing")


def test_the_case_file_is_read_again_without_loading_inputs_again(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    case = load_case(folder)
    case.run("counting")
    assert not case.changed
    make_case(extra="[criteria]\nmargin = 0.1\n")
    assert case.changed
    again = case.reloaded()
    assert again.file.criteria.margin == 0.1
    assert again.sources.corpus("test") is case.sources.corpus("test")


def test_the_draft_names_what_is_empty(make_case: Any) -> None:
    folder = make_case()
    assert load_case(folder).draft == [
        "engagement.addressee is empty",
        "criteria.set_by is empty",
        "sections.conclusion.text is empty",
    ]
    done = make_case.toml.replace("[system]", 'addressee = "Board"\n[system]')
    done += '[criteria]\nset_by = "Board"\n[sections.conclusion]\ntext = "It will do."\n'
    make_case(toml=done)
    assert load_case(folder).draft == []


def test_inputs_outside_the_case_folder_are_refused(make_case: Any, tmp_path: Path, tiny: list[str]) -> None:
    (tmp_path / "other.csv").write_text(make_case.csv())
    folder = make_case(toml=make_case.toml.replace("test.csv", "../other.csv"))
    with pytest.raises(FairnbError, match="leads out"):
        load_case(folder).run("counting")


RUNNER = """
import sys
from fairnb.case import load_case
case = load_case(sys.argv[1])
for identity in case.sections:
    case.run_all(identity)
"""


def test_two_processes_may_run_one_case_at_the_same_time(make_case: Any) -> None:
    folder = make_case()
    runners = [subprocess.Popen([sys.executable, "-c", RUNNER, str(folder)]) for _ in range(2)]
    assert [runner.wait(timeout=120) for runner in runners] == [0, 0]
    case = load_case(folder)
    assert len(case.log) >= 6
    assert {case.state(identity) for identity in case.sections} == {"fresh"}


def test_a_moved_threshold_gives_what_a_run_from_nothing_gives(make_case: Any) -> None:
    whom = ("The woman next door", "A man", "The choir")
    rows = [(f"{whom[i % 3]} came on day {i}", int(i % 7 < 3), (i * 37 % 101) / 100) for i in range(400)]
    kept = load_case(make_case("kept", rows=rows))
    for threshold in (0.5, 0.6, 0.3, 0.6):
        moved = kept.run("group_bias", params={"threshold": threshold}, origin="notebook")
    fresh = load_case(make_case("fresh", rows=rows))
    alone = fresh.run("group_bias", params={"threshold": 0.6}, origin="notebook")
    assert any(measure.p is not None for measure in alone.result.measures)
    assert moved.result.measures == alone.result.measures
    assert moved.content_sha256 == alone.content_sha256


@pytest.mark.parametrize("section", ["technical_performance", "group_bias"])
@pytest.mark.parametrize("cluster", ["", 'cluster = "author"'])
def test_a_moved_threshold_gives_the_same_bytes_with_authors_and_without(
    make_case: Any, section: str, cluster: str
) -> None:
    whom = ("The woman next door", "A man", "The choir", "The gay couple")
    lines = [
        f"{whom[i % 4]} came on day {i},{int(i % 7 < 3)},{(i * 37 % 101) / 100},a{i % 23}" for i in range(300)
    ]
    digests = []
    for name, thresholds in (("kept", (0.5, 0.31, 0.6, 0.31)), ("fresh", (0.31,))):
        folder = make_case(name, toml=make_case.toml + cluster)
        (folder / "test.csv").write_text("text,label,score,author\n" + "\n".join(lines) + "\n")
        # Authors are named by digests with the case's own key.
        (folder / ".fairnb").mkdir()
        (folder / ".fairnb" / "redaction.key").write_bytes(bytes(32))
        case = load_case(folder)
        for threshold in thresholds:
            payload = case.run(section, params={"threshold": threshold}, origin="notebook")
        again = load_case(folder).latest(section, payload.target)
        assert again is not None
        assert again.to_bytes() == payload.to_bytes()
        digests.append((payload.content_sha256, sha256(payload.canonical)))
    assert digests[0] == digests[1]
    assert digests[0][0] == digests[0][1]


def test_a_threshold_that_is_kept_counts_no_row_again(
    make_case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    class Watched(statistics.Counting):
        def __init__(self, labels: Any, *args: Any, **options: Any) -> None:
            counted.append(len(labels))
            super().__init__(labels, *args, **options)

    monkeypatch.setattr(statistics, "Counting", Watched)
    case = load_case(make_case())
    case.run("group_bias", params={"threshold": 0.7}, origin="notebook")
    for extra in ("[sections.group_bias]\nthreshold = 0.7\n", "[targets.positive]\nthreshold = 0.8\n"):
        make_case(extra=extra)
        case = case.reloaded()
        payload = case.run("group_bias")
        assert case.state("group_bias") == "fresh"
    assert counted == [6]
    # Another question is another count.
    make_case(extra="[targets.positive]\npositive = [0]\n")
    other = case.reloaded().run("group_bias")
    assert counted == [6, 6]
    assert payload.result.tallies != other.result.tallies
