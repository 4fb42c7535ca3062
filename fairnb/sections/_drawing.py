"""One look for every figure: the document's own sans, hairlines, one accent, readable in grey."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1c2430"
MUTE = "#5b6675"
RULE = "#c9d0d9"
WASH = "#eef1f5"
ACCENT = "#1f4e79"
SECOND = "#b5651d"
FAMILY = "IBM Plex Sans"
_MM = 1 / 25.4


@cache
def _font() -> str:
    """Register the packaged sans with matplotlib once; without it matplotlib's own sans serves."""
    from matplotlib import font_manager

    try:
        import fontpkg_ibm_plex_sans as package
    except ImportError:
        return "DejaVu Sans"
    for file in sorted((package.ROOT / "files").glob("*.ttf")):
        font_manager.fontManager.addfont(file)
    return FAMILY


def new_figure(width: float = 150.0, height: float = 70.0, *, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """An empty figure in the document's look.

    Parameters
    ----------
    width, height : float
        Millimetres on the page.
    columns : int
        Axes side by side.

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : list of Axes
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"font.family": [_font(), "DejaVu Sans"]}):
        figure = Figure(figsize=(width * _MM, height * _MM), layout="constrained")
        axes = [figure.add_subplot(1, columns, position + 1) for position in range(columns)]
        for axis in axes:
            plain_axes(axis)
    return figure, axes


def plain_axes(axis: Axes) -> None:
    """Left and bottom hairlines, small quiet ticks."""
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axis.spines[side].set_color(RULE)
        axis.spines[side].set_linewidth(0.8)
    axis.tick_params(colors=MUTE, labelsize=7.5, length=2.5, width=0.6, labelfontfamily=_font())
    axis.set_axisbelow(True)


def label_axes(axis: Axes, x: str, y: str, title: str = "") -> None:
    """Name an axis pair."""
    axis.set_xlabel(x, fontsize=8, color=INK, fontfamily=_font())
    axis.set_ylabel(y, fontsize=8, color=INK, fontfamily=_font())
    if title:
        axis.set_title(title, fontsize=9, color=INK, loc="left", fontweight="semibold", fontfamily=_font())


def write(axis: Axes, x: float, y: float, text: str, **style: object) -> None:
    """Put words on a figure in its own font."""
    axis.text(x, y, text, **{"fontsize": 7.5, "color": MUTE, "fontfamily": _font(), **style})  # type: ignore[arg-type]
