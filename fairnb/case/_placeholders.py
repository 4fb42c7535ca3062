"""What stands in a notebook where controls were, until a kernel makes them anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

STATE = "application/vnd.jupyter.widget-state+json"
PANELS = ("panel", "overview")
"""Controls of the whole case, beside those of its sections."""
_MODULE = {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0"}
CONTROLS_CLASS = "fairnb-controls"
_CLASS = "fairnb-placeholder"
# ipywidgets marks what no kernel holds with a red broken chain: here nothing is broken.
_WORDS = (
    f"<style>.{_CLASS}.jupyter-widgets-disconnected::before{{content:none}}</style>"
    "<span style='opacity:.75;font-size:11px'>Run this cell to change its parameters.</span>"
)


def controls_id(name: str) -> str:
    """Id of the widget that holds a section's controls: the same each time, so that a notebook can name it."""
    return f"fairnb-controls-{name}"


def add_placeholders(notebook: dict[str, Any], names: Iterable[str]) -> None:
    """Give a notebook a word in place of each of its controls.

    A front end that opens it without the kernel that made the controls would say "model not found"; it takes
    these instead, as it would take a widget that was saved. The word carries no script and no value.

    Parameters
    ----------
    notebook : dict
        Parsed JSON, changed in place; widgets of others that are saved in it stay.
    names : iterable of str
        Sections and panels.
    """
    saved = notebook.setdefault("metadata", {}).setdefault("widgets", {}).setdefault(STATE, {})
    saved.setdefault("version_major", 2)
    saved.setdefault("version_minor", 0)
    state = saved.setdefault("state", {})
    for name in names:
        state[controls_id(name)] = {
            **_MODULE,
            "model_name": "HTMLModel",
            "state": {
                # The controls' own class, too: whoever runs a cell while the notebook is still opening has
                # these words set upon the live controls.
                "_dom_classes": [CONTROLS_CLASS, _CLASS],
                "layout": f"IPY_MODEL_{controls_id('layout')}",
                "value": _WORDS,
            },
        }
    state[controls_id("layout")] = {
        "model_module": "@jupyter-widgets/base",
        "model_module_version": "2.0.0",
        "model_name": "LayoutModel",
        "state": {},
    }
