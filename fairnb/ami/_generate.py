"""A synthetic set and a raw corpus as files of the task's form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fairnb.ami._raw import FEWEST, MOST, raw_set
from fairnb.ami._synth import PARTS, synthetic_set, synthetic_terms
from fairnb.errors import FairnbError
from fairnb.files import make_folder, write_all

_TEST_SHARE = 3
"""The raw test part has one text for so many of the training part."""


def generate(folder: Path, language: str, *, seed: int = 0, rows: int | None = None) -> dict[str, Path]:
    """Write a synthetic set, its identity terms and, if asked for, a raw corpus.

    Columns are the task's; synthetic files have one more, ``skeleton``, the template's id, which the task's
    own script does not read. The same seed gives the same bytes.

    Parameters
    ----------
    folder : Path
        Made if missing.
    language : {"it", "en"}
    seed : int
    rows : int, optional
        Texts of the raw training part, 720 to 60,000; the test part has a third as many. Left out: no raw corpus.

    Returns
    -------
    dict
        ``terms``, ``synthetic_train``, ``synthetic_test``, and ``raw_train``, ``raw_test`` with `rows` -> file.

    Raises
    ------
    FairnbError
        ``unknown-language``, ``bad-rows``; ``file-exists`` if a file of that name holds something else:
        nothing is overwritten; ``cannot-write``.
    """
    if rows is not None and not _TEST_SHARE * FEWEST <= rows <= MOST:
        raise FairnbError(
            "bad-rows",
            f"{rows} raw training texts were asked for",
            f"ask for {_TEST_SHARE * FEWEST} to {MOST:,}: with fewer the planted shares cannot hold",
        )
    contents = {"terms": "".join(f"{term}\n" for term in synthetic_terms(language))}
    synthetic = synthetic_set(language, seed)
    for part in PARTS:
        header = ("id", "text", "misogynous", "skeleton")
        contents[f"synthetic_{part}"] = _tsv(
            header, ((one.id, one.text, one.misogynous, one.skeleton) for one in synthetic[part])
        )
    for part, size in ((PARTS[0], rows), (PARTS[1], rows and rows // _TEST_SHARE)):
        if size is not None:
            header = ("id", "text", "misogynous", "aggressiveness")
            posts = raw_set(language, part, size, seed)
            contents[f"raw_{part}"] = _tsv(
                header, ((one.id, one.text, one.misogynous, one.aggressiveness) for one in posts)
            )
    paths = {name: folder / f"{name}.{'txt' if name == 'terms' else 'tsv'}" for name in contents}
    encoded = {paths[name]: text.encode("utf-8") for name, text in contents.items()}
    for path, data in encoded.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != data):
            raise FairnbError(
                "file-exists",
                "there is a file of this name with other contents",
                "name another folder, or move the file away",
                where=path.name,
            )
    make_folder(folder, "choose a folder you may write to")
    write_all(encoded)
    return paths


def _tsv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in (header, *rows))
