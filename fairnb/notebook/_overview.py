"""The sections of a case at a glance, following what is run."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets as widgets

from fairnb.errors import FairnbError
from fairnb.notebook._tables import sections_at_a_glance
from fairnb.notebook._widgets import STYLE, Panel
from fairnb.text import printable

if TYPE_CHECKING:
    from fairnb.notebook._notebook import NotebookCase


class Overview:
    """A table of the sections with state and findings; made anew after every run.

    Parameters
    ----------
    notebook : NotebookCase
    """

    def __init__(self, notebook: NotebookCase) -> None:
        self._notebook = notebook
        self._live = True
        self._table = widgets.HTML()
        self._last = ("", "")
        self.refresh()
        self.panel = Panel(
            [widgets.HTML(STYLE), self._table],
            name="overview",
            folder=notebook.folder,
            told=lambda: self._last,
            retired=self._retire,
        )

    def show(self) -> None:
        """Display it."""
        from IPython.display import display

        display(self.panel)  # type: ignore[no-untyped-call]

    def refresh(self) -> None:
        """Look at the case again."""
        if not self._live:
            return
        try:
            with self._notebook.turn() as case:
                self._last = sections_at_a_glance(case)
        except FairnbError as error:
            said = str(error)
            html = "".join(f"<p>{escape(printable(line))}</p>" for line in said.splitlines())
            self._last = (html, said)
        self._table.value = self._last[0]

    def _retire(self) -> None:
        self._live = False
