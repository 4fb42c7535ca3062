"""A change shows its numbers first and its figures after: what stands at the end is whole, and what was saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairnb.case import BUNDLE, load_case
from fairnb.notebook import NotebookCase, _controls
from fairnb.notebook._controls import Controls
from fairnb.notebook._display import bundle_of
from fairnb.notebook._fields import changed_in_words
from fairnb.report import _render

FADED = '<figure class="faded">'


class Output:
    """Stands for an output that can be replaced; holds all that stood there, in order."""

    def __init__(self) -> None:
        self.shown: list[dict[str, Any]] = []

    def update(self, bundle: dict[str, Any]) -> None:
        self.shown.append(bundle)

    @property
    def thresholds(self) -> list[Any]:
        return [bundle[BUNDLE][0]["content"]["parameters"]["threshold"] for bundle in self.shown]

    @property
    def faded(self) -> list[bool]:
        return [FADED in bundle["text/html"] for bundle in self.shown]


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Output:
    made = Output()

    def show(bundle: dict[str, Any], name: str) -> Output:
        made.update(bundle)
        return made

    monkeypatch.setattr(_controls, "show_live", show)
    monkeypatch.setattr("IPython.display.display", lambda *args, **kwargs: None)
    return made


@pytest.fixture
def controls(small: Callable[..., Path], output: Output) -> Iterator[Controls]:
    notebook = NotebookCase(load_case(small()))
    made = Controls(notebook, "technical_performance", {})
    notebook._controls["technical_performance"] = made
    made.show()
    yield made
    assert notebook.worker.wait(60)


def _move(controls: Controls, threshold: float) -> None:
    controls._controls["threshold"].input.value = threshold


def _runs(controls: Controls) -> list[Any]:
    path = controls._notebook.case.folder / ".fairnb" / "log.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    return [event["parameters"]["threshold"] for event in events if event["event"] == "run"]


def _is_what_was_saved(controls: Controls, bundle: dict[str, Any]) -> bool:
    saved = load_case(controls._notebook.case.folder).payloads("technical_performance")
    moved = changed_in_words(controls._values, controls._declared, controls._fields)
    return bool(bundle == bundle_of(saved, changed=moved))


def test_numbers_stand_beside_the_figures_of_before_until_their_own_are_drawn(
    controls: Controls, output: Output
) -> None:
    _move(controls, 0.9)
    assert controls._notebook.worker.wait(60)
    assert output.thresholds == [None, 0.9, 0.9]
    assert output.faded == [False, True, False]
    first, early, whole = output.shown
    assert early["text/plain"] == whole["text/plain"]
    assert early["image/svg+xml"] == first["image/svg+xml"] != whole["image/svg+xml"]
    assert early["text/html"].count("<figure") == whole["text/html"].count("<figure")
    assert _is_what_was_saved(controls, whole)
    assert _runs(controls) == [None, 0.9]
    # Saved in between and read where no style sheet fades anything, they still say whose they are.
    number = early["text/html"].count("<figcaption>")
    assert early["text/html"].count("<figcaption><b>Of the result before.</b> ") == number > 0
    assert "result before" not in whole["text/html"].lower()


@pytest.fixture
def moved_while_drawing(monkeypatch: pytest.MonkeyPatch, controls: Controls) -> list[float]:
    """Thresholds that are set, one each time a figure of the threshold before is drawn."""
    waiting: list[float] = []
    draw = _render.draw_svg

    def drawn(*args: Any) -> str:
        if waiting:
            _move(controls, waiting.pop())
        return draw(*args)

    monkeypatch.setattr(_render, "draw_svg", drawn)
    return waiting


def test_figures_of_a_superseded_change_are_not_shown(
    controls: Controls, output: Output, moved_while_drawing: list[float]
) -> None:
    moved_while_drawing.append(0.7)
    _move(controls, 0.6)
    assert controls._notebook.worker.wait(60)
    assert output.thresholds == [None, 0.6, 0.7, 0.7]
    assert output.faded == [False, True, True, False]
    assert _is_what_was_saved(controls, output.shown[-1])
    assert _runs(controls) == [None, 0.6, 0.7]
    assert controls.state == "fresh"


def test_figures_come_when_the_change_that_superseded_them_is_taken_back(
    controls: Controls, output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, pending = _render.draw_svg, ["a change, and Stop before it has begun"]

    def drawn(*args: Any) -> str:
        if pending:
            pending.clear()
            _move(controls, 0.7)
            controls.stop()
        return draw(*args)

    monkeypatch.setattr(_render, "draw_svg", drawn)
    _move(controls, 0.6)
    assert controls._notebook.worker.wait(60)
    assert output.thresholds == [None, 0.6, 0.6]
    assert output.faded == [False, True, False]
    assert _runs(controls) == [None, 0.6]


def test_figures_come_although_the_change_after_them_fails(
    controls: Controls, output: Output, moved_while_drawing: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = controls._notebook.case
    run = case.run_all

    def fails(*args: Any, **options: Any) -> Any:
        if options["params"].get("threshold") == 0.7:
            raise RuntimeError("no room left")
        return run(*args, **options)

    monkeypatch.setattr(case, "run_all", fails)
    moved_while_drawing.append(0.7)
    _move(controls, 0.6)
    assert controls._notebook.worker.wait(60)
    assert output.thresholds == [None, 0.6, 0.6]
    assert output.faded == [False, True, False]
    assert controls.state == "failed"
