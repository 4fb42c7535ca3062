"""The object a notebook holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

from fairnb.case import Case, Payload, load_case
from fairnb.errors import FairnbError
from fairnb.notebook._display import bundle_of, publish_progress, show, show_note, show_own
from fairnb.notebook._findings import Findings, findings_table
from fairnb.notebook._frontend import front_end
from fairnb.notebook._live import name_system, with_target
from fairnb.notebook._running import Worker
from fairnb.notebook._stopping import listen
from fairnb.notebook._tables import sections_at_a_glance, what_is_assessed
from fairnb.sections import Result, section

if TYPE_CHECKING:
    from fairnb.notebook._controls import Controls
    from fairnb.notebook._overview import Overview

ONLY = "FAIRNB_ONLY"
"""Environment variable: ids of the sections that may run, separated by commas; others are replayed."""
LISTENING = "FAIRNB_PROGRESS"
"""Environment variable: set by `fairnb run`, which takes progress messages out of the outputs."""
_EVERY = 0.2
"""Seconds between two progress messages."""
_LOOK = 0.1
"""Seconds between two looks, while waiting for a turn, at whether it is still wanted."""
_SOON = 0.3
"""Seconds after which controls look whether results are still fresh: a burst of changes is one look."""


class NotebookCase:
    """A case as its notebook holds it; made by `fairnb.open`.

    `case.section("ID")` runs a section, or replays its stored result, and displays it.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self._controls: dict[str, Controls] = {}
        self._overview: Overview | None = None
        self._noted = ""
        self._following = False
        self.worker = Worker()
        """Does what controls ask for."""

    @property
    def case(self) -> Case:
        """The headless case; read again if the case file was changed."""
        if self._case.changed:
            self._case = self._case.reloaded()
        return self._case

    @property
    def folder(self) -> Path:
        """The case folder."""
        return self._case.folder

    @contextmanager
    def turn(self, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Case]:
        """Hold the case while something runs and is shown: no other cell or control runs meanwhile.

        Parameters
        ----------
        cancelled : callable
            Looked at while waiting for the turn.

        Raises
        ------
        FairnbError
            ``cancelled``.
        """
        lock = self._case.turn
        while not lock.acquire(timeout=_LOOK):
            if cancelled():
                raise FairnbError("cancelled", "stopped before it began", "run it again")
        try:
            yield self.case
        finally:
            lock.release()

    def stop(self) -> bool:
        """Stop every section that runs or waits, and let go the cells that wait behind the one at hand.

        Returns
        -------
        bool
            Whether a cell of this case is at hand.
        """
        stopped = [controls.stop(run=True) for controls in tuple(self._controls.values())]
        return any(stopped)

    def section(self, section_id: str, **params: Any) -> None:
        """Show one section: run it for every target, or replay what is fresh.

        In a live front end its parameters stand above the result as controls. A change runs the section
        again and replaces the result; *Keep* writes the change into the case file.

        Parameters
        ----------
        section_id : str
            Such as ``"technical_performance"``.
        **params
            Parameters of the section that take the place of the case file's; the record says so.

        Raises
        ------
        FairnbError
            ``unknown-section``, ``unknown-key``, ``bad-value``, and what inputs or system give reason for.
        """
        front = front_end()
        if front.controls:
            from fairnb.notebook._controls import Controls

            self._follow_cells()
            listen(self)
            controls = self._controls[section_id] = Controls(self, section_id, params)
            controls.show()
            return
        self._note(front.note)
        with self.turn() as case:
            chosen = os.environ.get(ONLY)
            if chosen is not None and section_id not in chosen.split(","):
                payloads = _stored(case, section_id)
                if not payloads:
                    show(_not_run(section_id), section_id)
                    return
            else:
                payloads = case.run_all(section_id, params=params, origin="notebook", progress=_progress())
            show(bundle_of(payloads), section_id)

    def panel(self) -> None:
        """Show what is assessed on what: system, target, corpora and embeddings, to be chosen and written.

        A file's columns are shown with five masked rows and what strikes the eye. *Write* changes the case
        file by its keys, comments stay; what would be wrong is refused with one sentence. Without a front
        end for controls, the case is told as a table.
        """
        front = front_end()
        if front.controls:
            from fairnb.notebook._panel import CasePanel

            CasePanel(self).show()
            return
        self._note(front.note)
        html, text = what_is_assessed(self.case)
        show_own(html, text, "panel")

    def overview(self) -> None:
        """Show every section with its state and its findings; with controls it follows what is run."""
        front = front_end()
        if front.controls:
            from fairnb.notebook._overview import Overview

            self._overview = Overview(self)
            self._overview.show()
            return
        self._note(front.note)
        html, text = sections_at_a_glance(self.case)
        show_own(html, text, "overview")

    def refresh(self, *, but: str = "") -> None:
        """Have every section's controls say, soon, whether its result is still fresh."""
        shown = [one for identity, one in self._controls.items() if identity != but and not one.retired]

        def look() -> None:
            for controls in shown:
                controls.refresh()
            if self._overview is not None:
                self._overview.refresh()

        if shown or self._overview is not None:
            self.worker.ask("refresh", look, pause=_SOON)

    def _follow_cells(self) -> None:
        """Look at the results' freshness after every cell: it may have changed what they rest on."""
        from IPython.core.getipython import get_ipython

        shell = get_ipython()
        if shell is not None and not self._following:
            self._following = True
            # Held weakly: a case that is opened anew takes the place of this one, and of its texts in memory.
            held = WeakMethod(self.refresh)

            def look(*_: Any) -> None:
                refresh = held()
                if refresh is None:
                    shell.events.unregister("post_run_cell", look)
                else:
                    refresh()

            shell.events.register("post_run_cell", look)

    def _note(self, note: str) -> None:
        """Say once why there are no controls."""
        if note and note != self._noted:
            self._noted = note
            show_note(note)

    def result(self, section_id: str, target: str = "") -> Result:
        """The last result of a section, to compute with in a cell of one's own.

        Parameters
        ----------
        section_id : str
        target : str
            By default the first.

        Raises
        ------
        FairnbError
            ``no-result`` if the section has not been run.
        """
        for payload in self.case.payloads(section_id):
            if target in ("", payload.target):
                return payload.result
        raise FairnbError(
            "no-result", f"the section {section_id} has no result yet", f'run case.section("{section_id}")'
        )

    def measures(self) -> list[dict[str, Any]]:
        """Every measure of the last results, one row each, with the columns of `fairnb measures`."""
        from fairnb.report import measures_of

        return measures_of(self.case.folder)

    def findings(self) -> Findings:
        """Findings of the last results with their ids, and what `findings.toml` says of them, as a table.

        Raises
        ------
        FairnbError, FairnbErrors
            Every mistake in `findings.toml`.
        """
        return findings_table(self.case)

    def __repr__(self) -> str:
        case = self._case
        rows = [f"  {identity:<24} {case.state(identity)}" for identity in case.sections]
        return "\n".join([case.title or "Assessment without a title", *rows])

    def _repr_html_(self) -> str:
        case = self._case
        rows = "".join(
            f"<tr><th scope='row'>{escape(section(identity).title)}</th><td>{case.state(identity)}</td></tr>"
            for identity in case.sections
        )
        return f"<p>{escape(case.title or 'Assessment without a title')}</p><table>{rows}</table>"


def open(folder: str | Path = ".", *, system: Any = None) -> NotebookCase:
    """Open a case in a notebook.

    Parameters
    ----------
    folder : path
        The case folder; in the template the notebook's own.
    system : object, optional
        A live scikit-learn pipeline or Keras model, which is saved into the case, or a function that
        takes a list of texts, for a case file with ``python = "live"``. Where it has several classes and
        the case file names no target, one is guessed and written into it, to be confirmed.

    Raises
    ------
    FairnbError
        ``no-case``, ``not-toml``, ``other-system``, ``cannot-save-system``.
    FairnbErrors
        All errors of the case file.

    Examples
    --------
    >>> import fairnb
    >>> case = fairnb.open("my-case")  # doctest: +SKIP
    >>> case.section("technical_performance")  # doctest: +SKIP
    """
    place = Path(folder)
    live_object = name_system(place, system) if system is not None else None
    case = load_case(place, live_object=live_object)
    return NotebookCase(case if system is None else with_target(case))


def _stored(case: Case, section_id: str) -> Sequence[Payload]:
    found = [case.fresh(section_id, target) for target in case.target_names(section_id)]
    return [payload for payload in found if payload is not None] if all(found) else []


def _not_run(section_id: str) -> dict[str, Any]:
    said = f"{section(section_id).title}: not run"
    return {"text/plain": said, "text/html": f"<p>{escape(said)}</p>"}


def _progress() -> Any:
    """A callback that publishes at most five messages a second, or nothing where nobody listens."""
    if LISTENING not in os.environ:
        return None
    last = 0.0

    def tell(done: int, total: int, what: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _EVERY or done >= total:
            last = now
            publish_progress(done, total, what)

    return tell
