"""Controls out of ipywidgets' own parts: no script of ours, so that every front end with widgets shows them.

This module imports ipywidgets, so it is itself imported only where controls are shown.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from fairnb.case import CONTROLS, CONTROLS_CLASS, controls_id
from fairnb.notebook._fields import ParamField

LABEL = {"description_width": "9.5em"}
SLIDER_CLASS = "fairnb-slider"
"""Class of sliders; the JupyterLab extension names their handles by the tooltip."""
_STEPS = 100
WIDE: dict[str, str] = {"width": "min(100%, 34em)"}
STYLE = f"<style>{Path(__file__).with_name('controls.css').read_text(encoding='utf-8')}</style>"


_OPEN: list[Panel] = []
"""The panels of this kernel that are shown."""


class Panel(widgets.VBox):  # type: ignore[misc]
    """A box of widgets that also tells, without any widget, what they are set to.

    It takes the place of the panel of this name of the same case, and of all that its cell showed when it ran
    before: a case that is made anew each time has another folder, and its earlier controls are gone from view.

    Parameters
    ----------
    children : sequence of Widget
    name : str
        Section or panel; decides the widget's id, which is the same in every kernel as long as no other case
        shows a panel of this name.
    folder : path
        Of the case.
    told : callable
        Gives HTML and text for where there is no widget.
    retired : callable
        Called when another panel of this name takes its place.
    """

    def __init__(
        self,
        children: Sequence[Any],
        *,
        name: str,
        folder: Path,
        told: Callable[[], tuple[str, str]],
        retired: Callable[[], None],
    ) -> None:
        case = folder.resolve()
        cell, execution = _cell_at_hand()
        for other in tuple(_OPEN):
            again = cell is not None and other._cell == cell and other._execution != execution
            if again or (other._panel, other._case) == (name, case):
                other.retire()
        identity = controls_id(name)
        if any(other.comm is not None and other.model_id == identity for other in _OPEN):
            identity = f"{identity}-{secrets.token_hex(4)}"
        super().__init__(children, model_id=identity, _dom_classes=(CONTROLS_CLASS,))
        self._told = told
        self._retired = retired
        self._panel: str = name
        self._case: Path = case
        self._cell: tuple[str, str] | None = cell
        self._execution: str = execution
        self._state: str = ""
        _OPEN.append(self)

    def say(self, state: str) -> None:
        """Tell the front end where the section stands, whose cell need not run for it; see `labextension`."""
        if state != self._state:
            self._state = state
            self.send({"fairnb": {"section": self._panel, "state": state}})

    def retire(self) -> None:
        """Take it away with everything in it."""
        _OPEN.remove(self)
        self._retired()
        close(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        html, text = self._told()
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        return {
            "application/vnd.jupyter.widget-view+json": view,
            CONTROLS: {"panel": self._panel},
            "text/html": html,
            "text/plain": text,
        }


def _cell_at_hand() -> tuple[tuple[str, str] | None, str]:
    """The cell that runs now, None if the front end does not say, and its execution.

    Cases made from the template have the same ids of cells: the front end's session tells their notebooks
    apart where they share a kernel.
    """
    from IPython.core.getipython import get_ipython

    kernel = getattr(get_ipython(), "kernel", None)
    request = {} if kernel is None else kernel.get_parent("shell") or {}
    header = request.get("header") or {}
    cell = (request.get("metadata") or {}).get("cellId")
    return (None if cell is None else (str(header.get("session")), str(cell))), str(header.get("msg_id", ""))


def close(widget: Any) -> None:
    """Take a widget away with everything in it."""
    for part in _within(widget):
        _end(part)


def put(box: Any, children: Sequence[Any], *, keep: Sequence[Any] = ()) -> None:
    """Put other children into a box; what is no longer in it is taken away, but for what is kept for later."""
    before = list(_within(box))
    box.children = children
    stays = {id(part) for one in (box, *keep) for part in _within(one)}
    for part in before:
        if id(part) not in stays:
            _end(part)


def _within(widget: Any) -> Iterator[Any]:
    """A widget and all that is in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _within(child)


def _end(widget: Any) -> None:
    """Close one widget, and its layout and style, which are widgets, too."""
    for part in (widget.layout, getattr(widget, "style", None), widget):
        if part is not None:
            part.close()


class Control:
    """One parameter's widget.

    Parameters
    ----------
    field : ParamField
    value : object
        What it is set to at first.
    stands_for : object
        What being left open comes to, such as the target's threshold; None if nothing does.
    """

    def __init__(self, field: ParamField, value: Any, stands_for: Any = None) -> None:
        self.field = field
        self._open: Any = None
        self._stands_for = stands_for
        self._slider: Any = None
        self.input = self._made(value)
        beside = [part for part in (self._slider, self._open) if part is not None]
        parts = [self.input]
        if beside:
            parts = [widgets.HBox([self.input, *beside], layout=widgets.Layout(flex_flow="row wrap"))]
        if field.help:
            parts.append(help_line(field.help))
        self.box = widgets.VBox(parts)
        self.box.add_class("fairnb-field")

    @property
    def value(self) -> Any:
        """The parameter's value as its model takes it."""
        if self._open is not None and self._open.value:
            return None
        raw = self.input.value
        if self.field.kind == "list":
            return tuple(line.strip() for line in raw.splitlines() if line.strip())
        if self.field.kind == "number":
            return self._number(raw)
        if self.field.kind == "share":
            # Steps of a hundredth add up to binary fractions; what was meant has fewer digits.
            return round(float(raw), 6)
        return raw

    def set(self, value: Any) -> None:
        """Show another value."""
        if self._open is not None:
            self._open.value = value is None
            if value is None:
                value = self._stands_for
        if self.field.kind == "list":
            value = "\n".join(map(str, value))
        elif self.field.kind == "number":
            value = "" if value is None else f"{value:g}"
        if value is not None:
            self.input.value = value

    def watch(self, changed: Callable[[], None]) -> None:
        """Call something whenever the value was changed by hand."""

        def on_input(_: Any) -> None:
            if self._open is not None and self._open.value:
                # Whoever moves it means its value.
                self._open.value = False
            else:
                changed()

        def on_open(change: Any) -> None:
            if change["new"] and self._stands_for is not None and self.input.value != self._stands_for:
                self.input.unobserve(on_input, "value")
                self.input.value = self._stands_for
                self.input.observe(on_input, "value")
            changed()

        self.input.observe(on_input, "value")
        if self._open is not None:
            self._open.observe(on_open, "value")

    def _number(self, raw: str) -> Any:
        text = str(raw).strip().replace(",", ".")
        if not text:
            return None if self.field.optional else text
        try:
            number = float(text)
        except ValueError:
            # The model says what is wrong with it.
            return text
        return number if math.isfinite(number) else text

    def _made(self, value: Any) -> Any:
        field = self.field
        common: dict[str, Any] = {
            "description": field.label,
            "tooltip": field.help or field.label,
            "style": LABEL,
            "layout": WIDE,
        }
        if field.kind == "choice":
            return widgets.Dropdown(options=list(field.choices), value=value, **common)
        if field.kind == "flag":
            return widgets.Checkbox(value=value, indent=True, **common)
        if field.kind == "whole":
            low = -(2**53) if field.low is None else int(field.low)
            high = 2**53 if field.high is None else int(field.high)
            return widgets.BoundedIntText(value=value, min=low, max=high, **common)
        if field.kind == "share":
            return self._bounded(value, common)
        if field.kind in ("list", "long text"):
            shown = "\n".join(map(str, value)) if field.kind == "list" else value
            rows = 2 if field.kind == "list" else 6
            hint = "one a line" if field.kind == "list" else ""
            return widgets.Textarea(value=shown, rows=rows, placeholder=hint, **common)
        if field.kind == "number":
            shown = "" if value is None else f"{value:g}"
            hint = field.absent if field.optional else ""
            return widgets.Text(value=shown, placeholder=hint, continuous_update=False, **common)
        return widgets.Text(value=value, continuous_update=False, **common)

    def _bounded(self, value: Any, common: dict[str, Any]) -> Any:
        low, high = float(self.field.low or 0.0), float(self.field.high or 1.0)
        if self.field.optional:
            stands = "" if self._stands_for is None else f" ({self.field.words(float(self._stands_for))})"
            self._open = widgets.Checkbox(
                value=value is None,
                description=f"{self.field.absent}{stands}",
                indent=False,
                layout=widgets.Layout(width="auto"),
            )
            if value is None:
                value = self._stands_for if self._stands_for is not None else low
        common["layout"] = {"width": "16em"}
        step = (high - low) / _STEPS
        number = widgets.BoundedFloatText(value=value, min=low, max=high, step=step, **common)
        self._slider = _slider(number, step)
        return number


def _slider(number: Any, step: float) -> Any:
    """A slider that follows a field for numbers, and is followed by it.

    The field stays the parameter's value: it takes values between the slider's steps, and it has a label for
    those who do not see where a slider stands.
    """
    made = widgets.FloatSlider(
        value=number.value,
        min=number.min,
        max=number.max,
        step=step,
        readout=False,
        tooltip=number.description,
        layout=widgets.Layout(flex="1 1 7em", width="auto", min_width="7em", max_width="17em"),
    )
    made.add_class(SLIDER_CLASS)
    placed = True

    def to_number(change: Any) -> None:
        # A front end sets a slider that was placed between two steps onto the nearer one, and reports that as
        # if a person had moved it.
        nonlocal placed
        reported = placed and abs(change["new"] - number.value) <= step * 0.500001
        placed = False
        if not reported:
            number.value = round(change["new"], 6)

    def to_slider(change: Any) -> None:
        nonlocal placed
        # What came from the slider is not sent back: it would pull at the handle while it is moved.
        if abs(change["new"] - made.value) > step * 1e-6:
            made.unobserve(to_number, "value")
            made.value = change["new"]
            made.observe(to_number, "value")
            placed = True

    made.observe(to_number, "value")
    number.observe(to_slider, "value")
    return made


def help_html(text: str) -> str:
    """What `help_line` shows."""
    return f"<span class='fairnb-help'>{escape(text)}</span>"


def help_line(text: str) -> Any:
    """A line of explanation below a control."""
    line = widgets.HTML(help_html(text))
    line.add_class("fairnb-helpline")
    return line


def folding(label: str, tip: str, children: Sequence[Any]) -> list[Any]:
    """A button that shows and hides what is inside, which is hidden at first, and that."""
    inside = widgets.VBox(list(children), layout=widgets.Layout(display="none"))
    head = widgets.ToggleButton(
        description=label, icon="caret-right", layout=widgets.Layout(width="auto"), tooltip=tip
    )

    def unfold(change: Any) -> None:
        inside.layout.display = "" if change["new"] else "none"
        head.icon = "caret-down" if change["new"] else "caret-right"

    head.observe(unfold, "value")
    return [widgets.HBox([head]), inside]


def button(label: str, icon: str, tip: str, pressed: Callable[[], object], *, primary: bool = False) -> Any:
    """A button that calls something."""
    made = widgets.Button(
        description=label,
        icon=icon,
        tooltip=tip,
        button_style="primary" if primary else "",
        layout=widgets.Layout(width="auto"),
    )
    made.on_click(lambda _: pressed())
    return made


def hear_meanwhile(widget: Any) -> None:
    """Have a widget's messages heard while a cell runs, where the kernel has subshells.

    ipykernel from 7.4 on hands a comm's messages to the shell that wrote to the comm last. A widget that a
    cell made would so be heard only when the cell has ended; without that note, the front end decides, and
    JupyterLab sends them to a subshell. Call it after whatever was last written to the widget.
    """
    comm = widget.comm
    if comm is not None:
        vars(comm).pop("_reply_subshell_id", None)
