"""Stopping a whole run: what is at hand ends as by Stop, and the cells that wait behind it do not begin."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakSet

TARGET = "fairnb"
"""Name under which the front end speaks to the cases of a kernel."""


class RunStopped(KeyboardInterrupt):
    """Ends a cell without a word of its own: the section's output says that it was stopped.

    The kernel answers as to any cell that does not end well, so that the cells waiting behind it are let
    go; no front end needs to know of it.
    """


class Stoppable(Protocol):
    """What holds sections that run."""

    def stop(self) -> bool:
        """Stop what runs; say whether a cell is at hand."""
        ...


_CASES: WeakSet[Stoppable] = WeakSet()


def listen(case: Stoppable) -> None:
    """Have a case hear of it, in the kernel of the cell at hand; elsewhere nothing happens.

    Parameters
    ----------
    case : Stoppable
        Heard as long as somebody holds it.
    """
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
    if manager is not None:
        _CASES.add(case)
        manager.register_target(TARGET, _asked)
        _keep_quiet(shell)


def _asked(comm: Any, message: Any) -> None:
    """Stop every case; answer whether a cell of theirs is at hand (else the front end interrupts)."""
    if message["content"]["data"].get("ask") == "stop":
        stopped = [one.stop() for one in tuple(_CASES)]
        comm.send({"cell": any(stopped)})


def _keep_quiet(shell: Any) -> None:
    """Have no traceback printed for `RunStopped`; other exceptions that somebody handles stay theirs."""
    before, handler = shell.custom_exceptions, shell.CustomTB
    if RunStopped in before:
        return

    def handle(_: Any, kind: type[BaseException], value: Any, trace: Any, tb_offset: Any = None) -> Any:
        return None if issubclass(kind, RunStopped) else handler(kind, value, trace, tb_offset=tb_offset)

    shell.set_custom_exc((*before, RunStopped), handle)
