"""From what a case names to word vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from fairnb import registry
from fairnb.embedding._arrays import read_array, read_glove_package, vocabulary_of
from fairnb.embedding._binary import read_binary
from fairnb.embedding._embedding import Embedding
from fairnb.embedding._gensim import beside, read_gensim
from fairnb.embedding._layers import PACKAGED, no_layer, read_keras_layer, read_packaged_layer
from fairnb.embedding._spec import SUFFIXES, SYSTEM, EmbeddingSpec, Relation
from fairnb.embedding._store import converted
from fairnb.embedding._text import Block, read_text
from fairnb.errors import FairnbError
from fairnb.files import digest_of, inside, sha256_file

_FORMATS = {
    ".txt": "text",
    ".vec": "text",
    ".bin": "word2vec binary",
    ".kv": "gensim KeyedVectors",
    ".npy": "array and list of words",
    ".keras": "embedding layer of a Keras model",
}


@dataclass(frozen=True)
class OwnLayer:
    """Where the system under assessment keeps its own embedding layer: one of the two, or neither."""

    use: str = ""
    """Name of a packaged system."""
    keras: str = ""
    """A .keras file in the case folder."""


@dataclass(frozen=True)
class _Source:
    name: str
    files: Mapping[str, str]
    """Digest of each file that is read."""
    read: Callable[[], Iterator[Block]]
    facts: Mapping[str, Any]

    @property
    def digest(self) -> str:
        return digest_of({"files": self.files, "format": self.facts["format"]})


def load_embeddings(
    spec: EmbeddingSpec, folder: Path, *, own: OwnLayer | None = None
) -> tuple[tuple[Embedding, Relation], ...]:
    """Open the embeddings of a case: the default first, then those to compare with.

    What is compared is context only, unless it is the system's own layer.

    Parameters
    ----------
    spec : EmbeddingSpec
    folder : Path
        The case folder.
    own : OwnLayer, optional
        Where the system keeps its layer, for the name ``system``.

    Returns
    -------
    tuple of (Embedding, str)
        Each with its relation to the system.

    Raises
    ------
    FairnbError
        ``missing-file``, ``path-outside``, ``unknown-name``, ``not-embeddings``, ``no-own-layer``,
        ``package-missing``, ``damaged-embeddings``, ``not-trusted``.
    """
    return tuple((_open(source), relation) for source, relation in _sources(spec, folder, own))


def embeddings_digest(spec: EmbeddingSpec, folder: Path, *, own: OwnLayer | None = None) -> str:
    """Digest over names, relations and files of a case's embeddings, without reading them; see `load_embeddings`."""
    return digest_of([[s.name, relation, s.digest] for s, relation in _sources(spec, folder, own)])


def open_embedding(
    name: str, folder: Path = Path(), *, vocabulary: str = "", own: OwnLayer | None = None
) -> Embedding:
    """Open one embedding: a known name, ``system``, or a file; see `load_embeddings`."""
    return _open(_source(name, folder, vocabulary, own))


def _open(source: _Source) -> Embedding:
    return converted(source.name, source.digest, source.read, source.facts)


def _sources(spec: EmbeddingSpec, folder: Path, own: OwnLayer | None) -> list[tuple[_Source, Relation]]:
    found = [
        (_source(spec.use or spec.path, folder, spec.vocabulary, own, file=bool(spec.path)), spec.relation)
    ]
    for name in spec.compare:
        relation: Relation = "used by the system" if name == SYSTEM else "context only"
        found.append((_source(name, folder, "", own), relation))
    return found


def _source(
    name: str, folder: Path, vocabulary: str, own: OwnLayer | None, *, file: bool | None = None
) -> _Source:
    is_file = PurePosixPath(name).suffix.lower() in SUFFIXES if file is None else file
    if is_file:
        return _of_file(name, folder, vocabulary)
    if name == SYSTEM:
        return _of_system(own, folder)
    return _known(name)


def _of_file(name: str, folder: Path, vocabulary: str = "") -> _Source:
    path = inside(folder, name)
    if not path.is_file():
        raise FairnbError(
            "missing-file", "there is no such file of vectors", "put it into the case folder", where=name
        )
    suffix = path.suffix.lower()
    readers: dict[str, Callable[[], Iterator[Block]]] = {
        ".txt": lambda: read_text(path, name),
        ".vec": lambda: read_text(path, name),
        ".bin": lambda: read_binary(path, name),
        ".kv": lambda: read_gensim(path, name),
        ".npy": lambda: read_array(path, words, name),
        ".keras": lambda: read_keras_layer(path, name),
    }
    files = [path]
    if suffix == ".npy":
        words = vocabulary_of(path, inside(folder, vocabulary) if vocabulary else None, name)
        files.append(words)
    if suffix == ".kv":
        files += beside(path)
    digests = {file.name: sha256_file(file) for file in files}
    return _Source(name, digests, readers[suffix], {"format": _FORMATS[suffix], "files": digests})


def _of_system(own: OwnLayer | None, folder: Path) -> _Source:
    if own is not None and own.use:
        if own.use not in PACKAGED:
            raise no_layer(f"the system {own.use}")
        known = registry.known(own.use)
        pins = {file.path: file.sha256 for file in known.files}
        use = own.use
        return _Source(
            SYSTEM,
            pins,
            lambda: read_packaged_layer(use),
            {"format": "embedding layer of a packaged system", "system": use, "files": pins},
        )
    if own is not None and own.keras:
        if not own.keras.endswith(".keras"):
            raise no_layer(own.keras, "keeps its words where they cannot be read: only .keras files do")
        source = _of_file(own.keras, folder)
        return _Source(SYSTEM, source.files, source.read, source.facts)
    raise no_layer("this kind of system")


def _known(name: str) -> _Source:
    known = registry.known(name)
    if known.kind != "embeddings":
        others = ", ".join(thing.name for thing in registry.all_known("embeddings"))
        raise FairnbError(
            "not-embeddings",
            f"{name} is a known {known.kind}, not word vectors",
            f"known embeddings: {others}",
            where="[embeddings] use",
        )
    pins = {file.path: file.sha256 for file in known.files}

    def read() -> Iterator[Block]:
        files = registry.check_package(known)
        matrix = next(path for name, path in files.items() if name.endswith(".npy"))
        index = next(path for name, path in files.items() if name.endswith(".parquet"))
        return read_glove_package(matrix, index)

    facts = {"format": "packaged array", "title": known.title, "licence": known.licence, "files": pins}
    return _Source(name, pins, read, facts)


def embeddings_touched(spec: EmbeddingSpec, folder: Path, *, own: OwnLayer | None = None) -> tuple[Any, ...]:
    """Size and time of each file that a case's embeddings are read from: as long as they stay, so does the digest.

    Packaged vectors are held to digests that come with fairnb and need no look. A missing file is None.
    """
    names = [spec.use or spec.path, *spec.compare, spec.vocabulary, own.keras if own is not None else ""]
    touched: list[Any] = []
    for name in names:
        if PurePosixPath(name).suffix.lower() not in SUFFIXES and name != spec.vocabulary:
            continue
        try:
            path = inside(folder, name)
            files = (
                [path, *beside(path), path.with_suffix(".vocab"), path.with_suffix(".txt")] if name else []
            )
            touched += [
                (f.name, f.stat().st_mtime_ns, f.stat().st_size) if f.is_file() else None for f in files
            ]
        except OSError:
            touched.append(None)
    return tuple(touched)
