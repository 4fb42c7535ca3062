"""What controls ask for goes on whatever one piece of work does."""

from __future__ import annotations

import threading

import pytest

from fairnb.notebook._running import Worker


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
def test_work_that_ends_in_any_way_is_reported_and_the_next_is_done(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda said: reported.append(said.exc_type))
    worker, done = Worker(), threading.Event()

    def fails() -> None:
        raise error

    worker.ask("a", fails)
    assert worker.wait(10)
    worker.ask("b", done.set)
    assert done.wait(10)
    assert reported == [error]
