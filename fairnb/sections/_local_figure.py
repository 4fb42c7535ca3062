"""A text with its words marked, and their weights as bars: readable in print and without colour."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fairnb.sections._any_script import FAMILIES, in_letters, put_words
from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, new_figure
from fairnb.sections._format import signed
from fairnb.sections._measure import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 150.0
_MARGIN = 1.6
_LINE = 4.5
_BAR = 3.3
_MOST_LINES = 8
_TALLEST = 226.0
_OTHERS = 3
_SIZE = 8.0
_MM = 25.4 / 72
_GAP = 1.1
_ZERO, _REACH = 88.0, 38.0
_LEAST = 0.02
"""The scale of bars is never finer: weights of next to nothing shall look it."""


@dataclass(frozen=True)
class Bar:
    """A word with its weight."""

    word: str
    weight: Measure
    marked: bool
    spans: tuple[tuple[int, int], ...]
    """Where it stands in the shown text."""
    removed: float | None
    """Score of the text minus that without the word alone."""

    @property
    def value(self) -> float:
        """The weight."""
        return self.weight.value or 0.0


@dataclass(frozen=True)
class _Piece:
    """Words in a row that are marked alike."""

    text: str
    sign: int
    """1 raises the score, -1 lowers it, 0 is not marked."""


@dataclass(frozen=True)
class Panel:
    """One explained text as it is drawn."""

    title: str
    text: str
    """As it is shown."""
    bars: tuple[Bar, ...]
    """Largest weight first."""
    foot: str
    withheld: bool
    """Whether the text was redacted after the words were found: then nothing in it is marked."""

    @property
    def drawn(self) -> list[Bar]:
        """Bars of the words that stand out, and of some that do not, for comparison."""
        others = [bar for bar in self.bars if not bar.marked][:_OTHERS]
        return [bar for bar in self.bars if bar.marked or bar in others]


def draw_panels(panels: Sequence[Panel]) -> list[tuple[list[Panel], Figure]]:
    """Draw explained texts, as many in one picture as a page holds.

    Each picture of an HTML document carries its letters: one for each text would be large.
    """
    # Made first, for it makes the font known by which words are measured.
    new_figure(_WIDTH)
    laid = [(panel, _lines(_pieces(panel.text, () if panel.withheld else panel.bars))) for panel in panels]
    pages: list[list[tuple[Panel, list[list[_Piece]]]]] = []
    used = _TALLEST
    for panel, lines in laid:
        height = _height(panel, lines)
        if used + height > _TALLEST:
            pages.append([])
            used = 0.0
        pages[-1].append((panel, lines))
        used += height
    return [([panel for panel, _ in page], _page(page)) for page in pages]


def _height(panel: Panel, lines: Sequence[object]) -> float:
    return 2 * _MARGIN + _LINE * (len(lines) + 2) + _BAR * len(panel.drawn) + 2


def _page(page: Sequence[tuple[Panel, list[list[_Piece]]]]) -> Figure:
    top = sum(_height(panel, lines) for panel, lines in page)
    figure, (axis,) = new_figure(_WIDTH, top)
    figure.set_layout_engine("none")
    axis.set_position((0, 0, 1, 1))
    axis.set_axis_off()
    axis.set_xlim(0, _WIDTH)
    axis.set_ylim(0, top)
    for place, (panel, lines) in enumerate(page):
        if place:
            axis.plot((_MARGIN, _WIDTH - _MARGIN), (top, top), color=RULE, linewidth=0.6, clip_on=False)
        _draw_panel(axis, top, panel, lines)
        top -= _height(panel, lines)
    return figure


def _draw_panel(axis: Axes, top: float, panel: Panel, lines: Sequence[Sequence[_Piece]]) -> None:
    y = top - _MARGIN - _LINE / 2
    put_words(axis, _MARGIN, y, panel.title, color=ACCENT)
    leftwards = _reads_leftwards(panel.text)
    for line in lines:
        y -= _LINE
        _draw_line(axis, y, line, leftwards=leftwards)
    y -= _LINE / 2 + 1.5
    _draw_bars(axis, y, panel.drawn)
    y -= _BAR * len(panel.drawn)
    put_words(axis, _MARGIN, y - _LINE / 2, panel.foot, color=MUTE, fontsize=7)


def _pieces(text: str, bars: Sequence[Bar]) -> list[list[_Piece]]:
    """The text as words between white space, each as pieces that are marked or not."""
    sign = [0] * len(text)
    for bar in bars:
        for start, end in bar.spans if bar.marked else ():
            sign[start:end] = [1 if bar.value > 0 else -1] * (end - start)
    words: list[list[_Piece]] = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        pieces = []
        start = at
        for place in range(at + 1, at + len(word) + 1):
            if place == at + len(word) or sign[place] != sign[start]:
                pieces.append(_Piece(in_letters(text[start:place]), sign[start]))
                start = place
        words.append(pieces)
        at += len(word)
    return words


def _lines(words: Sequence[Sequence[_Piece]]) -> list[list[_Piece]]:
    """Lines of pieces; words that are not marked are joined, so that a picture stays small."""
    room = _WIDTH - 2 * _MARGIN
    lines: list[list[_Piece]] = [[]]
    used = 0.0
    for word in words:
        cut = [_cut(piece, room) for piece in word]
        width = sum(map(_width, cut))
        if used and used + width > room:
            if len(lines) == _MOST_LINES:
                lines[-1].append(_Piece(" …", 0))
                break
            lines.append([])
            used = 0.0
        space = _Piece(" ", 0) if lines[-1] else _Piece("", 0)
        for piece in (space, *cut):
            last = lines[-1][-1] if lines[-1] else None
            if last is not None and last.sign == piece.sign == 0:
                lines[-1][-1] = _Piece(last.text + piece.text, 0)
            elif piece.text:
                lines[-1].append(piece)
        used += width + _width(space)
    return [line for line in lines if line]


def _cut(piece: _Piece, room: float) -> _Piece:
    """A word that no line would hold ends in dots."""
    most = int(room / 2)
    return piece if len(piece.text) <= most else _Piece(piece.text[: most - 1] + "…", piece.sign)


def _width(piece: _Piece) -> float:
    """Millimetres that a piece takes, with the room around a marked one."""
    # Between two letters white space at the ends counts, too.
    width = _letters(f"n{piece.text}n") - _letters("nn") if piece.text else 0.0
    return width + (2 * _GAP if piece.sign else 0.0)


@lru_cache(maxsize=4096)
def _letters(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(FAMILIES), size=_SIZE)
    with warnings.catch_warnings():
        # Letters that the font lacks are drawn by whoever shows the picture.
        warnings.simplefilter("ignore")
        width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) * _MM


def _draw_line(axis: Axes, y: float, line: Sequence[_Piece], *, leftwards: bool) -> None:
    from matplotlib.patches import Rectangle

    widths = [_width(piece) for piece in line]
    x = _WIDTH - _MARGIN if leftwards else _MARGIN
    for piece, width in zip(line, widths, strict=True):
        x -= width if leftwards else 0.0
        if piece.sign:
            axis.add_patch(
                Rectangle(
                    (x + 0.2, y - _LINE * 0.40),
                    width - 0.4,
                    _LINE * 0.80,
                    facecolor=ACCENT if piece.sign > 0 else "white",
                    edgecolor=ACCENT if piece.sign > 0 else INK,
                    linewidth=0.7,
                    linestyle="solid" if piece.sign > 0 else (0, (3, 2)),
                    clip_on=False,
                )
            )
        shown = piece.text if piece.sign else piece.text.rstrip() if leftwards else piece.text
        indent = len(shown) - len(shown.lstrip())
        put_words(
            axis,
            x + (_GAP if piece.sign else indent * _width(_Piece(" ", 0))),
            y,
            shown.strip(),
            color="white" if piece.sign > 0 else INK,
        )
        x += 0.0 if leftwards else width


def _draw_bars(axis: Axes, top: float, bars: Sequence[Bar]) -> None:
    ends = [
        abs(end) for bar in bars for end in (bar.value, bar.weight.low, bar.weight.high) if end is not None
    ]
    scale = _REACH / max(*ends, _LEAST)
    axis.plot((_ZERO, _ZERO), (top, top - _BAR * len(bars)), color=MUTE, linewidth=0.6, clip_on=False)
    for place, bar in enumerate(bars):
        y = top - _BAR * (place + 0.5)
        solid = bar.marked and bar.value > 0
        axis.barh(
            y,
            scale * bar.value,
            left=_ZERO,
            height=_BAR * 0.6,
            facecolor=ACCENT if solid else "white",
            edgecolor=(ACCENT if solid else INK) if bar.marked else RULE,
            linewidth=0.7,
            linestyle=(0, (3, 2)) if bar.marked and not solid else "solid",
            clip_on=False,
        )
        if bar.weight.low is not None and bar.weight.high is not None:
            ends_at = (_ZERO + scale * bar.weight.low, _ZERO + scale * bar.weight.high)
            axis.plot(ends_at, (y, y), color=MUTE, linewidth=0.9, clip_on=False)
        color = INK if bar.marked else MUTE
        put_words(axis, _ZERO - _REACH - 3, y, bar.word, ha="right", color=color)
        put_words(axis, _ZERO + _REACH + 3, y, signed(bar.value), color=color)


def _reads_leftwards(text: str) -> bool:
    """Whether most letters are of a script that runs from right to left."""
    sides = [unicodedata.bidirectional(character) for character in text]
    return sum(side in ("R", "AL") for side in sides) > sum(side == "L" for side in sides)
