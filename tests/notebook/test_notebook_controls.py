"""A section's controls: what a change does, what Stop keeps, what is said of the state."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import BUNDLE, CONTROLS
from fairnb.notebook._controls import Controls
from fairnb.notebook._stopping import RunStopped


def _settled(controls: Controls) -> None:
    assert controls._notebook.worker.wait(30)


def _said(controls: Controls) -> str:
    return str(controls._line.text.value)


def _threshold(bundle: dict[str, Any]) -> Any:
    return bundle[BUNDLE][0]["content"]["parameters"]["threshold"]


def _log(controls: Controls) -> list[dict[str, Any]]:
    path = controls._notebook.case.folder / ".fairnb" / "log.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_moved_threshold_replaces_the_same_output_and_is_logged(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    slider = controls._controls["threshold"].input
    assert slider.value == 0.5
    slider.value = 0.9
    _settled(controls)
    assert [_threshold(bundle) for bundle in output.shown] == [None, 0.9]
    assert "At threshold 0.90" in output.shown[-1]["text/plain"]
    # Of the 60 texts none scores 0.9 or more: all 20 positive ones are missed.
    assert "missed 20 of 20 positive texts" in output.shown[-1]["text/plain"]
    assert "threshold 0.9 (case file: the target" in output.shown[-1]["text/html"]
    changes = [entry for entry in _log(controls) if entry["event"] == "parameter"]
    assert [(c["parameter"], c["before"], c["after"]) for c in changes] == [("threshold", None, 0.9)]
    assert controls.state == "fresh"


def test_the_front_end_is_told_of_each_state_of_a_run_that_the_cell_does_not_show(
    opened: Callable[..., Controls], monkeypatch: pytest.MonkeyPatch
) -> None:
    controls = opened()
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(controls.panel, "send", told.append)
    controls._controls["threshold"].input.value = 0.6
    _settled(controls)
    assert [one["fairnb"] for one in told] == [
        {"section": "technical_performance", "state": state} for state in ("running", "fresh")
    ]


def test_steps_of_a_slider_are_one_run(opened: Callable[..., Controls], output: Any) -> None:
    controls = opened()
    for step in range(51, 71):
        controls._controls["threshold"].input.value = step / 100
    _settled(controls)
    assert [_threshold(bundle) for bundle in output.shown] == [None, 0.7]


def test_the_slider_moves_the_field_and_the_field_the_slider(opened: Callable[..., Controls]) -> None:
    control = opened()._controls["threshold"]
    slider, field = control._slider, control.input
    slider.value = 0.62
    assert (field.value, control.value) == (0.62, 0.62)
    field.value = 0.3
    assert slider.value == 0.3


def test_a_value_between_the_sliders_steps_stays_as_it_was_typed(opened: Callable[..., Controls]) -> None:
    control = opened()._controls["threshold"]
    slider, field = control._slider, control.input
    field.value = 0.505
    # The front end puts the handle onto the nearest step and reports it.
    slider.value = 0.51
    assert (field.value, control.value) == (0.505, 0.505)
    # A person moves it from there, back to the other neighbour.
    slider.value = 0.5
    assert control.value == 0.5


def test_reset_replays_the_case_files_result(opened: Callable[..., Controls], output: Any) -> None:
    controls = opened()
    controls._controls["threshold"].input.value = 0.6
    _settled(controls)
    controls.reset()
    _settled(controls)
    assert controls._controls["threshold"].value is None
    assert output.shown[2][BUNDLE] == output.shown[0][BUNDLE]
    assert [entry["event"] for entry in _log(controls)][-1] == "replay"


def test_keep_writes_the_case_file_and_its_value_is_then_the_case_files(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    controls._controls["threshold"].input.value = 0.6
    _settled(controls)
    controls.keep()
    _settled(controls)
    content = output.shown[-1][BUNDLE][0]["content"]
    assert (content["parameters"]["threshold"], content["origins"]["threshold"]) == (0.6, "case file")
    assert "threshold = 0.6" in (controls._notebook.case.folder / "assessment.toml").read_text()
    assert "written into assessment.toml" in _said(controls)
    assert controls._line.keep.layout.display == "none"


def test_an_edited_case_file_moves_the_controls_that_nobody_moved(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    controls._controls["threshold"].input.value = 0.6
    _settled(controls)
    path = controls._notebook.case.folder / "assessment.toml"
    path.write_text(path.read_text() + "[sections.technical_performance]\nbins = 20\nthreshold = 0.3\n")
    controls.run()
    _settled(controls)
    parameters = output.shown[-1][BUNDLE][0]["content"]["parameters"]
    assert parameters == {"threshold": 0.6, "bins": 20}
    assert controls._controls["bins"].value == 20


def test_a_changed_corpus_makes_the_result_stale_and_run_makes_it_fresh(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    path = controls._notebook.case.folder / "test.csv"
    path.write_text(path.read_text() + '"A woman baked bread again",0,0.2\n')
    controls.refresh()
    assert controls.state == "stale"
    assert "Stale" in _said(controls)
    controls.run()
    _settled(controls)
    assert controls.state == "fresh"
    assert "61 texts" in output.shown[-1]["text/plain"]


def test_a_failure_is_told_where_the_controls_are_and_the_last_result_stays(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    path = controls._notebook.case.folder / "test.csv"
    path.write_text("text,label\nbread,0\n")
    controls.run()
    _settled(controls)
    assert controls.state == "failed"
    assert "score" in _said(controls)
    assert len(output.shown) == 1


def test_a_first_run_that_fails_shows_no_result_and_no_traceback(
    opened: Callable[..., Controls], output: Any, small: Callable[..., Path]
) -> None:
    controls = opened(system='scores = "nothing"')
    assert controls.state == "failed"
    assert BUNDLE not in output.shown[0]
    assert "failed" in output.shown[0]["text/plain"]
    said = output.shown[0][CONTROLS]
    assert (said["section"], said["state"]) == ("technical_performance", "failed")
    assert "nothing" in said["message"]


def test_a_first_run_that_failed_gives_way_to_the_result(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened(system='scores = "nothing"')
    path = controls._notebook.case.folder / "assessment.toml"
    path.write_text(path.read_text().replace('scores = "nothing"', 'scores = "score"'))
    controls.run()
    _settled(controls)
    assert [BUNDLE in bundle for bundle in output.shown] == [False, True]
    assert CONTROLS not in output.shown[-1]


def test_what_waits_for_another_section_is_queued_and_stop_takes_it_out(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    worker = controls._notebook.worker
    going, may_end = threading.Event(), threading.Event()

    def other() -> None:
        going.set()
        may_end.wait(20)

    worker.ask("another section", other)
    assert going.wait(20)
    controls._controls["threshold"].input.value = 0.6
    assert controls.state == "queued"
    assert "Queued" in _said(controls)
    assert controls._line.stop.layout.display == ""
    controls.stop()
    assert controls.state == "changed"
    controls.reset()
    controls.run()
    assert controls.state == "queued"
    controls.stop()
    assert controls.state == "fresh"
    may_end.set()
    _settled(controls)
    assert len(output.shown) == 1


def test_stop_while_another_thread_has_the_turn_leaves_what_was(opened: Callable[..., Controls]) -> None:
    controls = opened()
    with controls._notebook.turn():
        controls.run()
        assert not controls._notebook.worker.wait(0.3)
        assert controls.state == "queued"
        controls.stop()
        _settled(controls)
        assert controls.state == "fresh"
    assert [entry["event"] for entry in _log(controls)].count("replay") == 0


def test_a_stopped_run_ends_the_cell_and_lets_go_what_waits_behind_it(
    opened: Callable[..., Controls], output: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    before = Controls._progress

    def stopping(self: Controls) -> Any:
        tell = before(self)

        def counted(done: int, total: int, what: str) -> None:
            tell(done, total, what)
            if done >= 10:
                assert self._notebook.stop()

        return counted

    monkeypatch.setattr(Controls, "_progress", stopping)
    with pytest.raises(RunStopped):
        opened(system='python = "slow:score"\nversion = "1"\nbatch_size = 10')
    said = output.shown[-1][CONTROLS]
    assert (said["state"], said["message"]) == ("stopped", "10 of 60 scored; Run continues")


def test_messages_are_escaped(opened: Callable[..., Controls]) -> None:
    controls = opened()
    controls._say("failed", "Failed", "<img src=x onerror=alert(1)>")
    assert "<img" not in _said(controls)


def test_stop_keeps_what_is_scored_and_run_goes_on_from_there(
    opened: Callable[..., Controls],
    output: Any,
    monkeypatch: pytest.MonkeyPatch,
    small: Callable[..., Path],
) -> None:
    folder = small(system='python = "slow:score"\nversion = "1"\nbatch_size = 10')
    monkeypatch.chdir(folder)
    stopping: list[Controls] = []
    before = Controls._progress

    def after_two_batches(self: Controls) -> Any:
        tell = before(self)

        def counted(done: int, total: int, what: str) -> None:
            tell(done, total, what)
            if done >= 20 and not stopping:
                stopping.append(self)
                self.stop()

        return counted

    monkeypatch.setattr(Controls, "_progress", after_two_batches)
    controls = opened(system='python = "slow:score"\nversion = "1"\nbatch_size = 10')
    assert controls.state == "stopped"
    assert "20 of 60 scored; Run continues" in _said(controls)
    assert BUNDLE not in output.shown[-1]
    controls.run()
    _settled(controls)
    assert controls.state == "fresh"
    assert BUNDLE in output.shown[-1]
    asked = list(map(int, (folder / "asked.txt").read_text().split()))
    assert sum(asked) == 60


def test_a_cell_that_runs_again_takes_the_place_of_its_controls(opened: Callable[..., Controls]) -> None:
    first = opened()
    second = opened()
    assert first.retired
    assert first.panel.comm is None
    assert second.panel.model_id == "fairnb-controls-technical_performance"


def test_the_saved_form_has_text_and_html_beside_the_widget(opened: Callable[..., Controls]) -> None:
    bundle = opened(params={"threshold": 0.6}).panel._repr_mimebundle_()
    assert bundle["application/vnd.fairnb.controls+json"] == {"panel": "technical_performance"}
    assert "0.6" in bundle["text/html"]
    assert "threshold = 0.6" in bundle["text/plain"]


def test_a_wrong_name_is_refused_before_anything_is_shown(
    opened: Callable[..., Controls], output: Any
) -> None:
    with pytest.raises(Exception, match="there is no key 'thresold'"):
        opened(params={"thresold": 0.6})
    assert output.shown == []


def test_what_a_threshold_does_is_said_at_once_from_the_counts_alone(
    opened: Callable[..., Controls], monkeypatch: pytest.MonkeyPatch
) -> None:
    controls = opened()
    monkeypatch.setattr(controls._notebook.worker, "ask", lambda *args, **options: None)
    controls._controls["threshold"].input.value = 0.9
    # By hand: 15 texts score 0.8, the others 0.1; 20 of 60 are positive.
    said = controls._answer.line.value
    assert (
        "At 0.90 (rounded scores): 0.0% of 60 texts flagged, 20 of 20 positive ones missed, 0 of 40" in said
    )
    controls._controls["threshold"].input.value = 0.5
    assert "At 0.50: 25.0% of 60 texts flagged, 5 of 20" in controls._answer.line.value


def test_the_sentence_on_a_threshold_is_quick_on_a_million_rows() -> None:
    import time

    import numpy as np

    from fairnb.notebook._threshold import at_threshold
    from fairnb.statistics import Counting

    drawn = np.random.default_rng(0)
    labels = (drawn.random(1_000_000) < 0.3).astype(int)
    counted = Counting(labels, drawn.random(1_000_000).astype(np.float32)).tally(())
    at_threshold(counted, 0.5)
    started = time.process_time()
    for step in range(10):
        assert "of 1,000,000 texts flagged" in at_threshold(counted, 0.3 + step / 100)
    assert (time.process_time() - started) / 10 < 0.2
