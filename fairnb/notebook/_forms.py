"""Parts of forms that write into the case file: fields, sections that fold, and what changed.

This module imports ipywidgets, so it is itself imported only where controls are shown.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from fairnb.notebook._keep import set_value
from fairnb.notebook._widgets import LABEL, WIDE, help_line
from fairnb.registry import Kind, all_known
from fairnb.text import printable

NONE = "(none)"
PANEL_STYLE = f"<style>{Path(__file__).with_name('panel.css').read_text(encoding='utf-8')}</style>"
_DEEP = 3
"""Folders below each other in which files are looked for."""
_MOST_FILES = 200


class Fold:
    """A part of a form under a heading that folds it, which says what is inside.

    Parameters
    ----------
    title : str
    children : sequence of Widget
    opened : bool
    summary : str
        What the heading says beside the title.
    """

    def __init__(self, title: str, children: Sequence[Any], *, opened: bool, summary: str = "") -> None:
        self.title = title
        self._fault = widgets.HTML()
        self._fault.layout.display = "none"
        self.inside = widgets.VBox([self._fault, *children])
        self.inside.add_class("fairnb-inside")
        self._head = widgets.ToggleButton(value=opened, layout=widgets.Layout(width="100%"))
        self._head.add_class("fairnb-fold")
        self.box = widgets.VBox([self._head, self.inside])
        self.say(summary)
        self._head.observe(lambda change: self._shown(), "value")
        self._shown()

    @property
    def opened(self) -> bool:
        """Whether it is unfolded."""
        return bool(self._head.value)

    def open(self, opened: bool = True) -> None:
        """Unfold it."""
        self._head.value = opened

    def say(self, summary: str) -> None:
        """Say in the heading what is inside."""
        said = f"{self.title}: {summary}" if summary else self.title
        self._head.description = printable(said)
        self._head.tooltip = "Show or hide this part"

    def blame(self, words: str) -> None:
        """Show what is wrong inside; nothing takes it away."""
        self._fault.value = f"<div class='fairnb-fault'>{escape(words)}</div>" if words else ""
        self._fault.layout.display = "" if words else "none"
        if words:
            self.open()

    def _shown(self) -> None:
        self.inside.layout.display = "" if self._head.value else "none"
        self._head.icon = "caret-down" if self._head.value else "caret-right"


def text(label: str, value: str, hint: str = "") -> Any:
    """A field of one line."""
    return widgets.Text(
        value=value, description=label, placeholder=hint, style=LABEL, layout=WIDE, continuous_update=False
    )


def number(label: str, value: float, low: float = 0.0, high: float = 1.0) -> Any:
    """A field for a number between two bounds."""
    return widgets.BoundedFloatText(
        value=value, min=low, max=high, step=0.01, description=label, style=LABEL, layout=WIDE
    )


def combo(label: str, value: str, options: Sequence[str], hint: str = "") -> Any:
    """A field of one line that proposes what to write."""
    return widgets.Combobox(
        value=value,
        options=list(options),
        description=label,
        placeholder=hint,
        style=LABEL,
        layout=WIDE,
        continuous_update=False,
    )


def dropdown(label: str, options: Sequence[Any], value: Any) -> Any:
    """A choice; a value that is not among the options is added to them."""
    listed = [one if isinstance(one, tuple) else (printable(one), one) for one in options]
    if value not in [one[1] for one in listed]:
        listed.append((printable(str(value)), value))
    return widgets.Dropdown(options=listed, value=value, description=label, style=LABEL, layout=WIDE)


def explained(field: Any, words: str) -> Any:
    """A field with a line of explanation below."""
    box = widgets.VBox([field, help_line(words)])
    box.add_class("fairnb-field")
    return box


def shown(widget: Any, visible: bool) -> None:
    """Show a widget or take it out of sight."""
    widget.layout.display = "" if visible else "none"


def listed(written: str) -> list[str]:
    """Texts separated by commas; one that holds a comma stands in double quotes.

    >>> listed('a, "b, c",')
    ['a', 'b, c']
    """
    cells = next(csv.reader([" ".join(written.split())], skipinitialspace=True), [])
    return [cell.strip() for cell in cells if cell.strip()]


def labels(written: str) -> list[int | str]:
    """Labels as the readers of corpora take them: whole numbers as numbers."""
    return [int(one) if one.removeprefix("-").isdecimal() else one for one in listed(written)]


def joined(values: Iterable[Any]) -> str:
    """The text that `listed` reads as these values.

    >>> joined(["a", "b, c"])
    'a, "b, c"'
    """
    return ", ".join(
        '"{}"'.format(one.replace('"', '""')) if "," in one or '"' in one else one for one in map(str, values)
    )


def bring(table: Any, now: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Bring the keys of a table in line with what is wanted; returns the keys that changed.

    Only what differs between `now` and `wanted` is touched: what else the file says stays.
    """
    changed = []
    for key, value in wanted.items():
        if key not in now or now[key] != value:
            set_value(table, key, value)
            changed.append(key)
    for key in now:
        if key not in wanted:
            table.pop(key, None)
            changed.append(key)
    return changed


def known(kind: Kind) -> list[str]:
    """Names of the systems, corpora or embeddings that are known."""
    return [item.name for item in all_known(kind)]


def files(folder: Path, suffixes: Sequence[str]) -> list[str]:
    """Files of the case folder that end like this, as the case file names them; hidden ones are left out."""
    found: list[str] = []

    def look(place: Path, deep: int) -> None:
        for path in sorted(place.iterdir()):
            if path.name.startswith(".") or path.is_symlink() or len(found) >= _MOST_FILES:
                continue
            if path.is_dir() and deep < _DEEP:
                look(path, deep + 1)
            elif path.suffix.lower() in suffixes and path.is_file():
                found.append(path.relative_to(folder).as_posix())

    try:
        look(folder, 1)
    except OSError:
        # What cannot be looked into can still be named in the case file.
        return found
    return found
