"""What controls ask for, one thing after another, away from the threads that serve the front end."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

_IDLE = 60.0
"""Seconds after which a thread without work ends."""


class Worker:
    """One thread that does what was asked last under each key, once the asking has paused.

    Callbacks of a front end only ask: whether the kernel runs them on its own thread or, as ipykernel 7
    does, on another while a cell runs, they never wait, so that a Stop is always heard.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._asked: dict[str, tuple[float, Callable[[], None]]] = {}
        self._busy = False
        self._thread: threading.Thread | None = None

    def ask(self, key: str, work: Callable[[], None], *, pause: float = 0.0) -> None:
        """Do some work when `pause` seconds have passed without another request of this key.

        `work` tells its own failures; one that it lets out is reported as a thread's, and what else is asked
        goes on.
        """
        with self._changed:
            self._asked[key] = (time.monotonic() + pause, work)
            if self._thread is None:
                # A daemon: the kernel can be shut down while a system is being asked.
                self._thread = threading.Thread(target=self._serve, name="fairnb-controls", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def busy(self) -> bool:
        """Whether something is being done: what is asked now waits for it."""
        with self._changed:
            return self._busy

    def drop(self, key: str) -> bool:
        """Forget what was asked under a key and has not begun; say whether there was anything."""
        with self._changed:
            dropped = self._asked.pop(key, None) is not None
            self._changed.notify_all()
            return dropped

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything asked is done; False if it is not after `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._asked and not self._busy, timeout)

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except BaseException:  # noqa: BLE001 - an interrupt, too, that a system raised of itself
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self._thread)))
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            idle = time.monotonic() + _IDLE
            while True:
                now = time.monotonic()
                due = min(self._asked.items(), key=lambda item: item[1][0], default=None)
                if due is not None and due[1][0] <= now:
                    del self._asked[due[0]]
                    self._busy = True
                    return due[1][1]
                if due is None and now >= idle:
                    self._thread = None
                    return None
                self._changed.wait((idle if due is None else due[1][0]) - now)
