"""Whose controls take whose place in one kernel."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets as widgets
import pytest

from fairnb.notebook._widgets import Panel


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the kernel say which cell it runs, and in which request."""

    def begin(identity: str | None, request: str, session: str = "tab") -> None:
        metadata = {} if identity is None else {"cellId": identity}
        parent = {"header": {"msg_id": request, "session": session}, "metadata": metadata}
        shell = SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda channel: parent))
        monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)

    return begin


def _panel(folder: Path, name: str = "mining", retired: Callable[[], None] = lambda: None) -> Panel:
    return Panel([widgets.HTML("")], name=name, folder=folder, told=lambda: ("", ""), retired=retired)


def _live(*panels: Panel) -> list[bool]:
    return [panel.comm is not None for panel in panels]


def test_two_cases_in_two_cells_keep_their_controls(cell: Callable[..., None], tmp_path: Path) -> None:
    cell("one", "1")
    first = _panel(tmp_path / "a")
    cell("two", "2")
    second = _panel(tmp_path / "b")
    assert _live(first, second) == [True, True]
    assert first.model_id == "fairnb-controls-mining"
    assert second.model_id != first.model_id


def test_two_cases_in_one_cell_keep_their_controls_until_it_runs_again(
    cell: Callable[..., None], tmp_path: Path
) -> None:
    cell("one", "1")
    before = [_panel(tmp_path / name) for name in "ab"]
    assert _live(*before) == [True, True]
    cell("one", "2")
    after = _panel(tmp_path / "a")
    assert _live(*before, after) == [False, False, True]
    assert after.model_id == "fairnb-controls-mining"


def test_one_case_has_one_set_of_controls_of_a_section_in_whatever_cell(
    cell: Callable[..., None], tmp_path: Path
) -> None:
    for identity, request in (("one", "1"), (None, "2")):
        cell("other", "0")
        first = _panel(tmp_path)
        cell(identity, request)
        second = _panel(tmp_path / "." / "x" / "..")
        assert _live(first, second) == [False, True]


def test_notebooks_of_one_template_that_share_a_kernel_keep_their_controls(
    cell: Callable[..., None], tmp_path: Path
) -> None:
    cell("mining", "1", session="one tab")
    first = _panel(tmp_path / "a")
    cell("mining", "2", session="another tab")
    second = _panel(tmp_path / "b")
    assert _live(first, second) == [True, True]


def test_a_cell_that_makes_a_new_case_each_time_holds_on_to_none(
    cell: Callable[..., None], tmp_path: Path
) -> None:
    class Case:
        def retire(self) -> None:
            """Called when others take its place."""

    held: list[Any] = []
    for run in range(5):
        cell("walk", str(run))
        case = Case()
        held.append(weakref.ref(case))
        _panel(tmp_path / str(run), retired=case.retire)
    del case
    gc.collect()
    assert [one() is not None for one in held] == [False, False, False, False, True]
