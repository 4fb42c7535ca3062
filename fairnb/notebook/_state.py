"""The line that says where a section stands, with the buttons that make sense there."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, Literal

import ipywidgets as widgets

from fairnb.notebook._widgets import button
from fairnb.text import printable

State = Literal["fresh", "stale", "changed", "queued", "running", "stopped", "failed"]


class StateLine:
    """State, progress and buttons of one section.

    Parameters
    ----------
    title : str
        Of the section.
    run, stop, keep, reset : callable
        What the buttons do.
    """

    def __init__(
        self,
        title: str,
        *,
        run: Callable[[], object],
        stop: Callable[[], object],
        keep: Callable[[], object],
        reset: Callable[[], object],
    ) -> None:
        self.text = widgets.HTML(layout=widgets.Layout(flex="1 1 20em", min_width="12em"))
        self.bar = widgets.FloatProgress(
            value=0.0, max=1.0, layout=widgets.Layout(width="8em", height="14px", display="none")
        )
        self.run = button("Run", "play", f"Run {title} now", run)
        self.stop = button("Stop", "stop", "Stop after the batch at hand; what is scored is kept", stop)
        self.keep = button("Keep", "save", "Keep: write the changed parameters into assessment.toml", keep)
        self.reset = button("Reset", "undo", "Reset: set the parameters to those of the case file", reset)
        self.box: Any = widgets.HBox(
            [self.text, self.bar, self.run, self.stop, self.keep, self.reset],
            layout=widgets.Layout(flex_flow="row wrap"),
        )
        self.box.add_class("fairnb-bar")

    def say(self, state: State, words: str, more: str, *, differs: bool) -> None:
        """Tell a state and offer the buttons that make sense.

        Parameters
        ----------
        state : str
        words, more : str
            As plain text.
        differs : bool
            Whether parameters are not the case file's.
        """
        kind = {"changed": "stale"}.get(state, state)
        tail = f" <span class='more'>{escape(printable('; '.join(more.splitlines())))}</span>" if more else ""
        self.text.value = (
            f"<div class='fairnb-state fairnb-{kind}' role='status'><span class='fairnb-dot' aria-hidden='true'>"
            f"</span><b>{escape(words)}</b>{tail}</div>"
        )
        waits = state in ("queued", "running")
        self.run.disabled = waits
        self.run.button_style = "primary" if state in ("stale", "changed", "stopped", "failed") else ""
        _show(self.stop, waits)
        _show(self.bar, state == "running")
        _show(self.keep, differs and not waits)
        _show(self.reset, differs and not waits)


def _show(widget: Any, shown: bool) -> None:
    widget.layout.display = "" if shown else "none"
