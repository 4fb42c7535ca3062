"""Whether the one who runs a cell can use controls."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

CONTROLS = "FAIRNB_CONTROLS"
"""Environment variable: ``off`` shows results only, ``on`` shows controls wherever there is a kernel."""
_PAIRS = {"8": "3", "7": "1"}
"""Major version of ipywidgets -> that of jupyterlab_widgets, its half in JupyterLab."""


@dataclass(frozen=True)
class FrontEnd:
    """Who runs the cell at hand."""

    controls: bool
    """Whether controls are shown."""
    note: str = ""
    """Why not, where a person should know; empty for a run without a person."""


def front_end() -> FrontEnd:
    """Decide for the cell that runs now whether it shows controls or the result alone.

    Controls need a kernel, ipywidgets and a person. A front end that can ask its user for input says so in
    every request to execute a cell (`allow_stdin`); nbclient, nbconvert and papermill say that they cannot.
    """
    said = os.environ.get(CONTROLS, "").strip().lower()
    kernel = _kernel()
    if kernel is None or said == "off" or (said != "on" and not _can_ask(kernel)):
        return FrontEnd(controls=False)
    note = _mismatch()
    return FrontEnd(controls=not note, note=note)


def _kernel() -> Any:
    from IPython.core.getipython import get_ipython

    return getattr(get_ipython(), "kernel", None)


def _can_ask(kernel: Any) -> bool:
    try:
        request = kernel.get_parent("shell")
    except (AttributeError, TypeError):
        # Kernels other than ipykernel do not say who asks.
        return False
    return bool(((request or {}).get("content") or {}).get("allow_stdin"))


def _mismatch() -> str:
    """Why controls cannot be shown by the packages that are installed; empty if they can."""
    try:
        widgets = version("ipywidgets")
    except PackageNotFoundError:
        return "Parameters cannot be changed here: the package ipywidgets is not installed (pip install 'fairnb[lab]')."
    try:
        manager = version("jupyterlab_widgets")
    except PackageNotFoundError:
        # The other half may be in the environment of JupyterLab itself.
        return ""
    wanted = _PAIRS.get(widgets.partition(".")[0])
    if wanted is None or manager.partition(".")[0] == wanted:
        return ""
    return (
        f"Parameters cannot be changed here: ipywidgets {widgets} and jupyterlab_widgets {manager} do not fit "
        f"each other (pip install --upgrade ipywidgets jupyterlab_widgets)."
    )
