"""Figures as SVG: the same figure gives the same bytes, its words stay words."""

from __future__ import annotations

import base64
import io
import logging
import re
import threading
from typing import TYPE_CHECKING

from fairnb.files import sha256

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# rcParams are the process's: a control's callback may draw while a cell does.
_LOCK = threading.Lock()
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_PREAMBLE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_WORDS = re.compile(r"<text[^>]*>([^<]*)<")
_ROOT = re.compile(r"<svg[^>]*>")


def draw_svg(figure: Figure, name: str) -> str:
    """One SVG element of a figure, without letters of its own: WeasyPrint gives it those of the page.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    name : str
        Seeds the ids inside, so that they do not change from run to run.
    """
    try:
        drawn = _saved(figure, name)
    except ValueError:
        # A name out of somebody's data can look like a formula ("$x^$") and not be one.
        _without_formulas(figure)
        drawn = _saved(figure, name)
    return _PREAMBLE.sub("", drawn, count=1)


def with_letters(svg: str) -> str:
    """A drawn figure that carries the letters it uses, for where it cannot reach those of a page."""
    from fairnb.report._fonts import figure_face

    words = "".join(sorted(set("".join(_WORDS.findall(svg)))))
    face = f"<style>{figure_face(words, heavy='font-weight: 600' in svg)}</style>"
    return _ROOT.sub(lambda root: root.group(0) + face, svg, count=1)


def data_address(svg: str) -> str:
    """A picture as a `data:` address."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")


def safe_png(data: bytes) -> str:
    """A picture out of a notebook, decoded and written anew as PNG, as a `data:` address.

    Returns
    -------
    str
        Empty if it is not a picture or larger than 40 million pixels: nothing foreign is passed on.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["PNG", "JPEG", "GIF"]) as picture:
            if picture.width * picture.height > 40_000_000:
                return ""
            plain = picture.convert("RGBA" if "A" in picture.getbands() else "RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return ""
    # A new picture has no metadata of the old one.
    fresh = Image.new(plain.mode, plain.size)
    fresh.paste(plain)
    stream = io.BytesIO()
    fresh.save(stream, format="PNG", optimize=False)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def _saved(figure: Figure, name: str) -> str:
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    # Where a weight is missing here, the page that shows the picture has it.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    stream = io.StringIO()
    with _LOCK, rc_context({"svg.fonttype": "none", "svg.hashsalt": sha256(name.encode())[:16]}):
        # What `savefig` does, without its first drawing, which is for the layout alone: the bytes are the same.
        _lay_out(figure)
        FigureCanvasSVG(figure).print_svg(stream, metadata=_NO_METADATA)  # type: ignore[no-untyped-call]
    return stream.getvalue()


def _lay_out(figure: Figure) -> None:
    """Give every part its place, once, at the 72 dots an inch of SVG."""
    engine = figure.get_layout_engine()
    if engine is None:
        return
    dots = figure.dpi
    figure.dpi = 72
    engine.execute(figure)
    figure.set_layout_engine("none")
    figure.dpi = dots


def _without_formulas(figure: Figure) -> None:
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)
