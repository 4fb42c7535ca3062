"""The controls of one section in a live notebook: its parameters, its state, Run, Stop and Keep."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from fairnb.errors import FairnbError
from fairnb.notebook._display import Shape, Shown, show_live, told
from fairnb.notebook._fields import (
    changed_in_words,
    changed_values,
    differing,
    fields_of,
    static_html,
    static_text,
)
from fairnb.notebook._keep import keep_parameters
from fairnb.notebook._pace import Pace
from fairnb.notebook._state import State, StateLine
from fairnb.notebook._stopping import RunStopped
from fairnb.notebook._threshold import ThresholdAnswer
from fairnb.notebook._widgets import STYLE, Control, Panel, folding, hear_meanwhile
from fairnb.sections import Need, section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairnb.case import Case, Payload
    from fairnb.notebook._notebook import NotebookCase

PAUSE = 0.1
"""Seconds without a further change after which a change is run."""
_EVERY = 0.2
"""Seconds between two signs of progress."""


class Controls:
    """Controls of one section; `show` displays them and, as an output of its own, the result.

    Parameters
    ----------
    notebook : NotebookCase
    section_id : str
    given : mapping
        Parameters that the cell sets.
    """

    def __init__(self, notebook: NotebookCase, section_id: str, given: Mapping[str, Any]) -> None:
        self._notebook = notebook
        self._section = section(section_id)
        self._fields = fields_of(self._section)
        request = notebook.case.request(section_id, given)
        self._declared: dict[str, Any] = dict(request.expected)
        self._values: dict[str, Any] = dict(request.parameters)
        self._handle: Shown | None = None
        self._shape: Shape | None = None
        """What was last shown whole."""
        self._early: Shape | None = None
        """What is shown with the figures of what was there before."""
        self._stop = threading.Event()
        self._superseded = False
        self._in_cell = False
        self._ends = False
        self._ran_with: dict[str, Any] = {}
        self._pace = Pace()
        self._ran = False
        self.retired = False
        """Whether another run of the cell has taken the place of these controls."""
        self._done = (0, 0, "")
        self._quiet: set[int] = set()
        """Threads that set controls, which is no change by a person."""
        self.state: State = "queued"
        self._settled: tuple[State, str, str] = ("stopped", "Stopped", "")
        self._build()

    # ---- what is seen

    def _build(self) -> None:
        thresholds = [target.threshold for target in self._notebook.case.targets]
        alone = thresholds[0] if len(set(thresholds)) == 1 else None
        self._thresholds = ", ".join(f"{one:g}" for one in dict.fromkeys(thresholds))
        shown = [field for field in self._fields if field.kind != "table"]
        self._controls = {
            field.name: Control(field, self._values[field.name], alone if field.name == "threshold" else None)
            for field in shown
        }
        for control in self._controls.values():
            control.watch(self._changed)
        self._answer = ThresholdAnswer(self._controls["threshold"]) if "threshold" in self._controls else None
        self._line = StateLine(
            self._section.title, run=self.run, stop=self.stop, keep=self.keep, reset=self.reset
        )
        main = [self._controls[field.name].box for field in shown if not field.folded]
        folded = [self._controls[field.name].box for field in shown if field.folded]
        fields = widgets.VBox(main)
        fields.add_class("fairnb-fields")
        parts = [widgets.HTML(STYLE), self._line.box, fields]
        if folded:
            parts += folding(
                f"More parameters ({len(folded)})", "Parameters that most people leave as they are", folded
            )
        name, folder = self._section.id, self._notebook.folder
        self.panel = Panel(parts, name=name, folder=folder, told=self._told, retired=self._retire)

    def _told(self) -> tuple[str, str]:
        """HTML and text of the controls for where there is no widget."""
        html = static_html(
            self._section.title, self._values, self._declared, self._fields, thresholds=self._thresholds
        )
        return html, static_text(self._section.title, self._values, self._fields)

    def _say(self, state: State, words: str, more: str = "") -> None:
        """Set the state line."""
        self.state = state
        if state not in ("changed", "queued", "running"):
            self._settled = (state, words, more)
        if not self.retired:
            differs = any(differing(self._values, self._declared, self._fields))
            self._line.say(state, words, more, differs=differs)
            self.panel.say(state)

    # ---- running

    def show(self) -> None:
        """Display the controls, run the section in this thread, and display its result.

        Raises
        ------
        RunStopped
            The whole run was stopped, or the kernel interrupted: what waits in it does not begin.
        """
        from IPython.display import display

        self._say("queued", "Queued")
        display(self.panel)  # type: ignore[no-untyped-call]
        hear_meanwhile(self._line.stop)
        self._in_cell = True
        try:
            self._work(first=True)
        except KeyboardInterrupt:
            self._ends = True
        finally:
            self._in_cell = False
        if self._ends:
            raise RunStopped

    def run(self) -> None:
        """Run with the parameters as they stand, as soon as nothing else runs."""
        self._read()
        self._say("queued", "Queued")
        self._ask()

    def _ask(self, *, pause: float = 0.0) -> None:
        """Have the worker run the section in its turn."""
        self._stop = threading.Event()
        self._notebook.worker.ask(self._section.id, self._work, pause=pause)

    def stop(self, *, run: bool = False) -> bool:
        """Stop after the batch at hand; what waits its turn is taken out of the queue.

        Parameters
        ----------
        run : bool
            Whether the cells that wait behind this one shall not begin either.

        Returns
        -------
        bool
            Whether it is a cell that runs.
        """
        self._superseded = False
        self._ends = self._ends or (run and self._in_cell)
        self._stop.set()
        dropped = self._notebook.worker.drop(self._section.id)
        if self.state == "queued" and dropped:
            self._unqueued()
        elif self.state in ("queued", "running"):
            self._say(self.state, "Stopping")
        return self._in_cell

    def _unqueued(self) -> None:
        """Go back to the state of before the queue."""
        self._draw_later()
        if not self._say_changed():
            self._say(*self._settled)

    def _say_changed(self) -> bool:
        """Say that the result is not that of the parameters as they stand, if it is not."""
        changed = self._ran and any(differing(self._values, self._ran_with, self._fields))
        if changed:
            self._say("changed", "Changed", "press Run")
        return changed

    def _changed(self) -> None:
        """What happens when a control was moved: run soon, or say that Run is needed."""
        if threading.get_ident() in self._quiet:
            return
        self._read()
        if self._answer is not None:
            self._answer.say(self._values["threshold"])
        if self._pace.waits:
            if self.state not in ("queued", "running"):
                self._say("changed", "Changed", f"a run took {self._pace.last:.0f} s: press Run")
            return
        if self.state == "running":
            self._superseded = True
            self._stop.set()
        elif self._notebook.worker.busy:
            self._say("queued", "Queued")
        self._ask(pause=PAUSE)

    def _read(self) -> None:
        self._values.update({name: control.value for name, control in self._controls.items()})

    def _work(self, *, first: bool = False) -> None:
        """Run the section and show what it gives; only in a cell's own thread may an error leave it."""
        stop = self._stop
        began = False
        try:
            with self._notebook.turn(stop.is_set) as case:
                # Not before its turn: until then they are those of a run that is at hand.
                self._superseded, self._done = False, (0, 0, "")
                began = True
                self._say("running", "Running")
                self._follow(case)
                values = dict(self._values)
                moved = changed_in_words(values, self._declared, self._fields)
                started = perf_counter()
                payloads = case.run_all(
                    self._section.id,
                    params=changed_values(values, self._declared, self._fields),
                    origin="notebook",
                    progress=self._progress(),
                    cancelled=stop.is_set,
                )
                # Numbers at once; figures, which take longer to draw, when they are there.
                shape = Shape(payloads, changed=moved, before=self._shape)
                self._show(shape.bundle(), first=first)
                self._shape, self._early = (self._shape, shape) if shape.fades else (shape, None)
                self._ran = True
                self._ran_with = values
                if self._answer is not None:
                    self._answer.take(case, payloads)
                self._draw()
                scored = Need.LIVE_SYSTEM in self._section.needs and self._done[2].startswith("scoring")
                self._pace = self._pace.after(perf_counter() - started, scored=scored)
                self._say("fresh", "Fresh", self._how(payloads, moved))
                if not self._superseded:
                    self._say_changed()
        except KeyboardInterrupt:
            self._stopped(first=first)
            raise
        except Exception as error:  # noqa: BLE001 - told to the person; the log has it already
            if not isinstance(error, FairnbError) or error.code != "cancelled":
                self._failed(_said(error), first=first)
            elif began or first:
                self._stopped(first=first)
            elif not self._superseded:
                self._unqueued()
        self._draw_later()
        self._notebook.refresh(but=self._section.id)

    def _draw(self) -> None:
        """Put the figures of the numbers that are shown into the output, unless other numbers will come."""
        drawn = None if self._early is None else self._early.drawn(lambda: not self._superseded)
        if drawn is not None and not self.retired:
            self._show(drawn.bundle(), first=False)
            self._shape, self._early = drawn, None

    def _draw_later(self) -> None:
        """Have figures drawn that were left to a run which did not come to an end."""
        if self._early is None or self._superseded or self.retired:
            return

        def work() -> None:
            try:
                self._draw()
            except Exception as error:  # noqa: BLE001 - told to the person
                self._failed(_said(error), first=False)

        # Not in place of a change that waits.
        self._notebook.worker.ask(f"{self._section.id} figures", work)

    def _follow(self, case: Case) -> None:
        """Take over what the case file says now, where the control was not moved away from it."""
        before, self._declared = self._declared, dict(case.request(self._section.id).expected)
        moved = {field.name for field, _, _ in differing(self._values, before, self._fields)}
        with self._quietly():
            for field, _, _ in differing(before, self._declared, self._fields):
                if field.name not in moved:
                    self._values[field.name] = self._declared[field.name]
                    if field.name in self._controls:
                        self._controls[field.name].set(self._declared[field.name])

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Set controls; what a person changes meanwhile, on another thread, is heard."""
        self._quiet.add(threading.get_ident())
        try:
            yield
        finally:
            self._quiet.discard(threading.get_ident())

    def _show(self, bundle: dict[str, Any], *, first: bool) -> None:
        """Put a result into the section's output, which takes the place of what is there."""
        if first or self._handle is None:
            self._handle = show_live(bundle, self._section.id)
        else:
            self._handle.update(bundle)

    def _how(self, payloads: Sequence[Payload], moved: Sequence[str]) -> str:
        if all(payload.result.status == "not_applicable" for payload in payloads):
            return f"not applicable: {payloads[0].result.reason}"
        return "; ".join([f"{self._pace.last:.1f} s", *moved])

    def _stopped(self, *, first: bool) -> None:
        if self.retired:
            return
        if self._superseded:
            if first:
                # The cell ends here: the output that the next run fills must be the cell's.
                self._tell("stopped", "It runs again with the changed parameters.", first=True)
            return
        done, total, what = self._done
        how_far = (
            f"{done:,} of {total:,} scored; Run continues"
            if what.startswith("scoring")
            else "Run begins again"
        )
        self._say("stopped", "Stopped", how_far)
        self._tell("stopped", how_far, first=first)

    def _failed(self, reason: str, *, first: bool) -> None:
        self._superseded = False
        self._say("failed", "Failed", reason)
        self._tell("failed", reason, first=first)

    def _tell(self, state: str, message: str, *, first: bool) -> None:
        """Say in the output, too, why there is no result; a result that is there stays."""
        if not self._ran:
            self._show(told(self._section.id, state, message), first=first)

    def _progress(self) -> Any:
        last = 0.0

        def tell(done: int, total: int, what: str) -> None:
            nonlocal last
            self._done = (done, total, what)
            now = monotonic()
            if now - last >= _EVERY or done >= total:
                last = now
                self._line.bar.value = done / total if total else 0.0
                words = "Stopping" if self._stop.is_set() else "Running"
                self._say("running", words, f"{what}: {done:,} of {total:,}")

        return tell

    # ---- the case file

    def keep(self) -> None:
        """Write the changed parameters into the case file and run with them as the case file's."""
        values = dict(self._values)

        def work() -> None:
            try:
                with self._notebook.turn() as case:
                    kept = keep_parameters(case.folder, self._section.id, values, self._declared)
            except Exception as error:  # noqa: BLE001 - told to the person
                self._say("failed", "Not kept", _said(error))
                return
            if self.retired:
                return
            self._work()
            if kept and self.state == "fresh":
                self._say("fresh", "Fresh", f"{', '.join(kept)} written into assessment.toml")

        self._stop = threading.Event()
        # Not under the section's own key: a change meanwhile does not take its place.
        self._notebook.worker.ask(f"{self._section.id} keep", work)

    def reset(self) -> None:
        """Set every parameter to the case file's."""
        with self._quietly():
            for name, control in self._controls.items():
                control.set(self._declared[name])
        self._changed()

    def refresh(self) -> None:
        """Say whether the result is still fresh: an input or the case file may have changed."""
        if self.state not in ("fresh", "stale"):
            return
        try:
            with self._notebook.turn() as case:
                fresh = case.state(self._section.id) == "fresh"
        except FairnbError as error:
            self._say("stale", "Stale", str(error))
            return
        if fresh and self.state == "stale":
            self._say("fresh", "Fresh")
        elif not fresh and self.state == "fresh":
            self._say("stale", "Stale", "an input, the case file or another section changed: press Run")

    def _retire(self) -> None:
        """Another run of the cell has taken the place of these controls."""
        self.retired = True
        self._stop.set()
        self._notebook.worker.drop(self._section.id)


def _said(error: Exception) -> str:
    """Why something failed, in words."""
    return str(error) if isinstance(error, FairnbError) else f"{type(error).__name__}: {error}"
