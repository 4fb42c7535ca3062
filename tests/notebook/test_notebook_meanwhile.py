"""What happens to a section's controls while they, or others, are at work."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.events import EventManager
from ipywidgets.widgets.widget import _instances

from fairnb.case import BUNDLE, CONTROLS, load_case
from fairnb.notebook import NotebookCase, _pace
from fairnb.notebook._controls import Controls
from fairnb.notebook._overview import Overview


def _settled(controls: Controls) -> None:
    assert controls._notebook.worker.wait(30)


def _threshold(bundle: dict[str, Any]) -> Any:
    return bundle[BUNDLE][0]["content"]["parameters"]["threshold"]


def test_a_result_is_told_with_the_parameters_it_was_computed_with(
    opened: Callable[..., Controls], output: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pace, "QUICK", -1.0)
    controls = opened()
    threshold = controls._controls["threshold"].input
    for _ in range(2):
        controls.run()
        _settled(controls)
    case = controls._notebook.case
    run = case.run_all

    def moved_meanwhile(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(case, "run_all", run)
        threshold.value = 0.9
        assert controls.state == "running"
        return run(*args, **options)

    monkeypatch.setattr(case, "run_all", moved_meanwhile)
    threshold.value = 0.6
    assert controls.state == "changed"
    controls.run()
    _settled(controls)
    assert _threshold(output.shown[-1]) == 0.6
    assert "threshold 0.6 (case file" in output.shown[-1]["text/plain"]
    assert "0.9" not in output.shown[-1]["text/plain"].partition("Changed in the notebook")[2]
    assert controls.state == "changed"


def test_a_change_while_the_cell_runs_is_not_told_as_a_stop(
    opened: Callable[..., Controls], output: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    before, told = Controls._progress, threading.Event()
    waits = threading.Event()
    turn = NotebookCase.turn

    def noted(self: NotebookCase, *args: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            waits.set()
        return turn(self, *args)

    def moving(self: Controls) -> Any:
        tell = before(self)

        def counted(done: int, total: int, what: str) -> None:
            tell(done, total, what)
            if done >= 10 and not told.is_set():
                told.set()
                self._controls["threshold"].input.value = 0.6
                # The next run asks for its turn while this one still has it.
                assert waits.wait(20)

        return counted

    monkeypatch.setattr(NotebookCase, "turn", noted)
    monkeypatch.setattr(Controls, "_progress", moving)
    controls = opened(system='python = "slow:score"\nversion = "1"\nbatch_size = 10')
    _settled(controls)
    assert output.shown[0][CONTROLS]["message"] == "It runs again with the changed parameters."
    assert _threshold(output.shown[-1]) == 0.6
    assert controls.state == "fresh"


def test_keep_is_done_although_a_control_is_moved_before_its_turn(
    opened: Callable[..., Controls], output: Any
) -> None:
    controls = opened()
    threshold = controls._controls["threshold"].input
    threshold.value = 0.6
    _settled(controls)
    with controls._notebook.turn():
        controls.keep()
        threshold.value = 0.7
    _settled(controls)
    assert "threshold = 0.6" in (controls._notebook.case.folder / "assessment.toml").read_text()
    assert _threshold(output.shown[-1]) == 0.7


def test_a_control_moved_while_others_are_set_is_heard(opened: Callable[..., Controls]) -> None:
    controls = opened()
    with controls._quietly():
        mover = threading.Thread(target=lambda: setattr(controls._controls["threshold"].input, "value", 0.7))
        mover.start()
        mover.join()
    _settled(controls)
    assert controls._values["threshold"] == 0.7


def test_a_case_that_is_opened_anew_leaves_nothing_of_the_one_before(
    small: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = SimpleNamespace(events=EventManager(None, {"post_run_cell": lambda result: None}))
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    notebook = NotebookCase(load_case(small()))
    notebook._follow_cells()
    assert len(shell.events.callbacks["post_run_cell"]) == 1
    gone = weakref.ref(notebook)
    del notebook
    gc.collect()
    assert gone() is None
    shell.events.trigger("post_run_cell", None)
    assert shell.events.callbacks["post_run_cell"] == []


def test_an_overview_shows_no_markup_of_a_case_file_that_is_wrong(small: Callable[..., Path]) -> None:
    folder = small()
    overview = Overview(NotebookCase(load_case(folder)))
    path = folder / "assessment.toml"
    path.write_text(path.read_text() + '"<img src=x onerror=alert(1)>" = 1\n')
    overview.refresh()
    assert "&lt;img" in overview._table.value
    assert "<img" not in overview._table.value


def test_a_cell_that_runs_again_leaves_no_widget_behind(opened: Callable[..., Controls]) -> None:
    opened()
    gc.collect()
    before = len(_instances)
    opened()
    gc.collect()
    assert len(_instances) == before
