"""Whether a change is run at once or waits for Run, by a clock that the tests set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairnb.notebook import _controls
from fairnb.notebook._controls import Controls
from fairnb.notebook._pace import Pace


def _pace(*seconds: float) -> Pace:
    pace = Pace()
    for one in seconds:
        pace = pace.after(one)
    return pace


@pytest.mark.parametrize(
    ("seconds", "waits"),
    [
        ((), False),
        ((60.0,), False),
        ((0.1, 7.3), False),
        ((60.0, 7.3), False),
        ((0.1, 7.3, 0.9), False),
        ((0.1, 7.3, 0.9, 7.3), False),
        ((0.1, 7.3, 6.1), True),
        ((0.1, 5.0, 5.0, 5.0), False),
        ((0.1, 7.3, 6.1, 5.0), False),
        ((0.1, 7.3, 6.1, 8.0), True),
    ],
)
def test_only_slow_runs_in_a_row_after_the_first_have_a_change_wait(
    seconds: tuple[float, ...], waits: bool
) -> None:
    assert _pace(*seconds).waits is waits


def test_where_each_change_has_texts_scored_the_first_slow_run_tells() -> None:
    assert Pace().after(60.0, scored=True).waits
    assert not Pace().after(4.0, scored=True).waits
    assert not Pace().after(60.0, scored=True).after(0.2).waits


def test_one_cold_run_leaves_the_slider_live_and_a_quick_run_makes_it_live_again(
    opened: Callable[..., Controls], monkeypatch: pytest.MonkeyPatch
) -> None:
    takes: dict[str, float] = {"run": 0.1}
    now = [0.0]

    def clock() -> float:
        # It is read as a run begins and as it ends.
        now[0] += takes["run"] / 2
        return now[0]

    monkeypatch.setattr(_controls, "perf_counter", clock)
    controls = opened()
    threshold = controls._controls["threshold"].input

    def moved(value: float, seconds: float) -> Any:
        takes["run"] = 2 * seconds
        threshold.value = value
        assert controls._notebook.worker.wait(30)
        return controls.state

    assert moved(0.60, 7.3) == "fresh"
    assert moved(0.61, 0.9) == "fresh"
    assert moved(0.62, 7.3) == "fresh"
    assert moved(0.63, 6.0) == "fresh"
    assert moved(0.64, 0.2) == "changed"
    assert "a run took 6 s: press Run" in str(controls._line.text.value)
    controls.run()
    assert controls._notebook.worker.wait(30)
    assert moved(0.65, 0.2) == "fresh"
