"""Neutral words: adjectives for traits that could be said of anybody."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from fairnb.errors import FairnbError
from fairnb.files import digest_of

Valence = Literal["favourable", "unfavourable", ""]


@dataclass(frozen=True)
class NeutralWords:
    """A list of trait adjectives, some of them marked as favourable or unfavourable."""

    name: str
    words: tuple[str, ...]
    valence: tuple[Valence, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over words and marks."""
        return digest_of([self.words, self.valence])

    def marked(self, valence: Valence) -> tuple[str, ...]:
        """The words with a mark."""
        return tuple(w for w, v in zip(self.words, self.valence, strict=True) if v == valence)


def own_neutral_words() -> NeutralWords:
    """The packaged list: more than 500 English trait adjectives, composed for fairnb."""
    text = files("fairnb.embedding").joinpath("data", "traits.csv").read_text("utf-8")
    return _read(text, "fairnb's trait adjectives", "traits.csv")


def read_neutral_words(path: Path, shown: str = "") -> NeutralWords:
    """Read a list of one's own.

    One word per line, or a CSV file with the columns `word` and `valence` (favourable, unfavourable or
    empty). A word that stands there twice counts once.

    Raises
    ------
    FairnbError
        ``missing-file``, ``damaged-file`` with the line.
    """
    place = shown or path.name
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FairnbError(
            "damaged-file", "the file is not UTF-8 text", "save it as UTF-8", where=place
        ) from error
    except OSError as error:
        raise FairnbError(
            "missing-file",
            "the list of neutral words cannot be read",
            "put it into the case folder",
            where=place,
        ) from error
    return _read(text, place, place)


def _read(text: str, name: str, place: str) -> NeutralWords:
    rows = list(csv.reader(io.StringIO(text)))
    headed = bool(rows) and [cell.strip().lower() for cell in rows[0][:2]] in (["word"], ["word", "valence"])
    found: dict[str, Valence] = {}
    for number, cells in enumerate(rows, start=1):
        if (headed and number == 1) or not any(cell.strip() for cell in cells):
            continue
        word, mark = cells[0].strip(), cells[1].strip() if len(cells) > 1 else ""
        if not word or len(cells) > 2 or mark not in ("favourable", "unfavourable", ""):
            raise FairnbError(
                "damaged-file",
                f"{', '.join(cells)[:60]!r} is not a word and its valence",
                "write one word per line, or word,favourable or word,unfavourable",
                where=f"{place}, line {number}",
            )
        found.setdefault(word, mark)  # type: ignore[arg-type]
    if not found:
        raise FairnbError("damaged-file", "the list holds no word", "write one word per line", where=place)
    return NeutralWords(name, tuple(found), tuple(found.values()))
