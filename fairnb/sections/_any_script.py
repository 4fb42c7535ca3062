"""Words of other people on a figure: any script, no formula, no warning for letters the font lacks."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

from fairnb.sections._drawing import FAMILY
from fairnb.text import name_pictographs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

FAMILIES = (FAMILY, "DejaVu Sans")


def put_words(axis: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Put words of a text on a figure, at a place of the data unless a `transform` is given."""
    if text:
        # A dollar sign in somebody's text opens no formula.
        plain = {"fontsize": 8.0, "va": "center", "fontfamily": list(FAMILIES), "parse_math": False}
        given = {"transform": axis.transData, "clip_on": False, **plain, **style}
        axis.add_artist(_quiet()(x, y, in_letters(text), **given))


def name_rows(axis: Axes, names: list[str], **style: Any) -> None:
    """Names left of rows 0, 1, 2 and so on, from below."""
    axis.set_yticks(range(len(names)), [""] * len(names))
    axis.tick_params(axis="y", length=0)
    for place, name in enumerate(names):
        put_words(axis, -0.012, place, name, ha="right", transform=axis.get_yaxis_transform(), **style)


def in_letters(text: str) -> str:
    """A text whose pictographs are named where a figure's fonts lack them: they would be empty boxes."""
    return name_pictographs(text, _drawable)


def _drawable(signs: Sequence[str]) -> bool:
    return all(ord(sign) in _codes() for sign in signs)


@cache
def _codes() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(code for family in FAMILIES for code in get_font(findfont(family)).get_charmap())


@cache
def _quiet() -> Any:
    """A text that leaves letters its font lacks to whoever shows the picture."""
    from matplotlib.text import Text

    class Quiet(Text):
        def draw(self, renderer: Any) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                super().draw(renderer)

        def get_window_extent(self, *given: Any, **named: Any) -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return super().get_window_extent(*given, **named)

    return Quiet
