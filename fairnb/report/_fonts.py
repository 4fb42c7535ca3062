"""The document's letters: cut to the characters in use and carried inside the document."""

from __future__ import annotations

import base64
import io
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairnb.errors import FairnbError
from fairnb.files import cache_folder, digest_of, write_bytes

# Raised when the way fonts are cut changes, so that old cached cuts are not used.
_RECIPE = 2
_FEATURES = ["ccmp", "locl", "kern", "liga", "calt", "mark", "mkmk", "tnum", "lnum"]
# Cutting takes seconds: it is done for whole blocks, so that one cut serves all documents.
_SIGNS = (*range(0x2010, 0x2040), 0x2190, 0x2192, 0x2212, 0x2264, 0x2265)
_PLAIN = frozenset((*range(0x20, 0x7F), 0xA0, 0xB0, 0xB1, 0xB7, *_SIGNS))
_LATIN = frozenset((*range(0x20, 0x180), *_SIGNS))
_FURTHER = tuple(
    frozenset(range(start, end))
    for start, end in ((0x180, 0x370), (0x370, 0x400), (0x400, 0x530), (0x1E00, 0x2000))
)


@dataclass(frozen=True)
class Face:
    """One family in one weight and style, and the file it is cut from."""

    family: str
    weight: int
    style: str
    source: str
    """Slug of the font package; empty: the sans that matplotlib carries."""
    axes: tuple[tuple[str, float], ...] = ()


FACES = (
    Face("IBM Plex Sans", 400, "normal", "ibm-plex-sans", (("wght", 400), ("wdth", 100))),
    Face("IBM Plex Sans", 600, "normal", "ibm-plex-sans", (("wght", 600), ("wdth", 100))),
    Face("IBM Plex Sans", 400, "italic", "ibm-plex-sans", (("wght", 400), ("wdth", 100))),
    Face("Source Serif 4", 400, "normal", "source-serif-4", (("wght", 400), ("opsz", 20))),
    Face("Source Serif 4", 600, "normal", "source-serif-4", (("wght", 600), ("opsz", 20))),
    Face("Source Serif 4", 400, "italic", "source-serif-4", (("wght", 400), ("opsz", 20))),
    Face("IBM Plex Mono", 400, "normal", "ibm-plex-mono"),
)
# Asked only for characters that the families above lack.
_FALLBACKS = (
    Face("Noto Sans", 400, "normal", "noto-sans", (("wght", 400), ("wdth", 100))),
    Face("DejaVu Sans", 400, "normal", ""),
)


def font_faces(characters: Iterable[str]) -> str:
    """CSS `@font-face` rules with the letters for these characters inside.

    Parameters
    ----------
    characters : iterable of str
        Everything the document prints, in any order.

    Returns
    -------
    str
        The same characters always give the same rules.
    """
    wanted = _codes(characters)
    rules = [_rule(face, _cut(face, _blocks(face, wanted))) for face in FACES]
    missing = wanted - _covered(FACES[0])
    for face in _FALLBACKS:
        found = missing & _covered(face)
        if found:
            rules.append(_rule(face, _cut(face, found)))
            missing -= found
    return "\n".join(rules)


def carried(characters: Iterable[str]) -> bool:
    """Whether the document's fonts, those asked last included, have a letter for each of these."""
    return all(any(code in _covered(face) for face in (FACES[0], *_FALLBACKS)) for code in _codes(characters))


def figure_face(characters: str, *, heavy: bool = False) -> str:
    """The sans of figures as `@font-face` rules, for pictures that stand alone; `heavy` adds the bold."""
    wanted = _codes(characters) & _covered(FACES[0])
    faces = FACES[:2] if heavy else FACES[:1]
    return "".join(
        _rule(face, _cut(face, _PLAIN if wanted <= _PLAIN else _blocks(face, wanted))) for face in faces
    )


def _codes(characters: Iterable[str]) -> frozenset[int]:
    return frozenset(ord(character) for text in characters for character in text if ord(character) >= 0x20)


def _blocks(face: Face, wanted: frozenset[int]) -> frozenset[int]:
    """Whole blocks that hold what is wanted. Headings in other scripts take the fallback's letters."""
    blocks = [block for block in _FURTHER if wanted & block] if face.weight == 400 else []
    return _LATIN.union(*blocks)


def _rule(face: Face, data: bytes) -> str:
    coded = base64.b64encode(data).decode("ascii")
    kind = "woff2" if data[:4] == b"wOF2" else "woff"
    return (
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};font-style:{face.style};'
        f'src:url("data:font/{kind};base64,{coded}") format("{kind}")}}'
    )


@cache
def _file(face: Face) -> Path:
    if not face.source:
        import matplotlib as mpl

        return Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    import fontpkg  # type: ignore[import-untyped]

    return Path(fontpkg.path(face.source, weight=face.weight, style=face.style))


@cache
def _covered(face: Face) -> frozenset[int]:
    """Characters that a document takes from this face."""
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    with TTFont(_file(face), lazy=True) as font:
        covered = frozenset(font.getBestCmap())
    return covered if face in _FALLBACKS else covered & _LATIN.union(*_FURTHER)


@cache
def _cut(face: Face, codes: frozenset[int]) -> bytes:
    """A face with only these characters, packed for the web; kept on disk for the next document."""
    import fontTools  # type: ignore[import-untyped]

    source = _file(face)
    recipe = [
        _RECIPE,
        source.name,
        source.stat().st_size,
        face.axes,
        sorted(codes),
        fontTools.version,
        _brotli(),
    ]
    try:
        kept = cache_folder() / "fonts" / f"{digest_of(recipe)}.woff"
        if kept.is_file():
            return kept.read_bytes()
        kept.parent.mkdir(exist_ok=True)
    except (FairnbError, OSError):
        # A cache that cannot be used costs time, not the document.
        return _made(face, codes)
    data = _made(face, codes)
    try:
        write_bytes(kept, data)
    except FairnbError:
        logging.getLogger(__name__).debug("the font cache cannot be written")
    return data


def _made(face: Face, codes: frozenset[int]) -> bytes:
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer  # type: ignore[import-untyped]

    # fontTools tells every table it leaves out.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    font = TTFont(_file(face), recalcTimestamp=False)
    axes = dict(face.axes)
    if "fvar" in font and all(axes[axis.axisTag] == axis.defaultValue for axis in font["fvar"].axes):
        # The file's own weight needs none of what tells how the others differ from it.
        for table in ("gvar", "fvar", "avar", "HVAR", "VVAR", "MVAR", "cvar"):
            if table in font:
                del font[table]
    options = subset.Options()
    options.layout_features = _FEATURES
    options.notdef_outline = True
    options.hinting = False
    options.drop_tables += ["meta", "STAT", "MVAR"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=sorted(codes))
    cutter.subset(font)
    if "fvar" in font:
        font = instancer.instantiateVariableFont(font, axes)
    font.flavor = "woff2" if _brotli() else "woff"
    stream = io.BytesIO()
    font.save(stream)
    return stream.getvalue()


@cache
def _brotli() -> bool:
    from importlib.util import find_spec

    return find_spec("brotli") is not None or find_spec("brotlicffi") is not None
