"""Reading a corpus of a case: a file and its columns, a frame, or a known corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairnb.corpus import _known
from fairnb.corpus._build import corpus_of
from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._formats import read_table
from fairnb.corpus._frame import read_frame
from fairnb.corpus._spec import CorpusSpec, SubgroupColumns
from fairnb.errors import FairnbError
from fairnb.files import digest_of, inside, sha256, sha256_file


def read_corpus(spec: CorpusSpec, folder: Path, role: Role, *, columns: Sequence[str] = ()) -> Corpus:
    """Read one corpus of a case.

    No row is dropped. A missing label is None and counted; an empty text stays and is counted; texts
    are kept byte for byte.

    Parameters
    ----------
    spec : CorpusSpec
    folder : Path
        The case folder: `spec.path` must lie inside it.
    role : {"train", "test", "synthetic"}
    columns : sequence of str
        Columns of recorded scores to keep beside those the specification names.

    Raises
    ------
    FairnbError
        Of files ``file-missing``, ``path-outside``, ``unknown-format``, ``wrong-encoding``, ``nul-byte``,
        ``bad-quotes``, ``ragged-row``, ``bad-json``, ``empty-file``; of contents ``missing-column``,
        ``column-twice``, ``not-a-text``, ``bad-character``, ``duplicate-id``, ``missing-id``,
        ``not-a-number``, ``empty-corpus``; of known corpora ``unknown-name``, ``not-fetched``,
        ``not-a-corpus``. Each names file, line and column where there are any.
    """
    wanted = tuple(dict.fromkeys((*spec.scores, *columns)))
    if spec.use is not None:
        return _known.read_known(spec.use, role, wanted, digest=corpus_digest(spec, folder))
    path = _file(spec, folder)
    data = _bytes(path, spec)
    table = read_table(path, data, spec.encoding)
    facts = {"source": path.name, "files": {path.name: sha256(data)}, "bytes": len(data)}
    return corpus_of(table, spec, role, wanted, path.stem, facts, _digest(spec, {"file": sha256(data)}))


def corpus_digest(spec: CorpusSpec, folder: Path) -> str:
    """Digest of a corpus without parsing it: equal to `Corpus.digest` of the corpus read.

    Taken over the digests of its files and the specification; not over where the file lies.
    """
    if spec.use is not None:
        return _digest(spec, _known.known_digests(spec.use))
    return _digest(spec, {"file": _sha256(_file(spec, folder), spec)})


def has_templates(spec: CorpusSpec) -> bool:
    """Whether a corpus will name the template of each text; told without reading it."""
    return spec.use is not None and _known.is_templated(spec.use)


def from_frame(
    frame: object,
    role: Role = "test",
    *,
    text: str = "text",
    label: str = "label",
    id: str | None = None,  # noqa: A002 - the case file's word
    language: str | None = None,
    cluster: str | None = None,
    subgroups: Mapping[str, SubgroupColumns] | None = None,
    columns: Sequence[str] = (),
    name: str = "frame",
) -> Corpus:
    """Take a corpus from a pandas, Polars or PyArrow frame; the parameters are `CorpusSpec`'s keys.

    Raises
    ------
    FairnbError
        ``not-a-frame``, and those of `read_corpus` about contents.
    """
    table = read_frame(frame, name)
    spec = CorpusSpec(
        path=name,
        text=text,
        label=label,
        id=id,
        language=language,
        cluster=cluster,
        subgroups=dict(subgroups or {}),
        score=tuple(columns),
    )
    cells = {
        column: [str(cell) for cell in cells] for column, cells in zip(table.columns, table.data, strict=True)
    }
    return corpus_of(
        table,
        spec,
        role,
        columns,
        name,
        {"source": name, "files": {}},
        _digest(spec, {"cells": digest_of(cells)}),
    )


def _file(spec: CorpusSpec, folder: Path) -> Path:
    return inside(folder, spec.path or "")


def _bytes(path: Path, spec: CorpusSpec) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(spec, error) from error


def _sha256(path: Path, spec: CorpusSpec) -> str:
    try:
        return sha256_file(path)
    except OSError as error:
        raise _unreadable(spec, error) from error


def _unreadable(spec: CorpusSpec, error: OSError) -> FairnbError:
    return FairnbError(
        "file-missing",
        f"the file cannot be read ({error.strerror or error})",
        "check the path: it is relative to the case folder",
        where=spec.path or "",
    )


def _digest(spec: CorpusSpec, contents: Mapping[str, object]) -> str:
    suffix = Path(spec.path or "").suffix.lower()
    said = spec.model_dump(mode="json", exclude={"path"})
    return digest_of({"schema": "fairnb.corpus/1", "spec": said, "format": suffix, **contents})
