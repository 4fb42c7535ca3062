"""Known corpora: read from fetched files, derived from others, or generated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairnb.corpus import _demo, _madlibs, _paper
from fairnb.corpus._build import content_facts, corpus_of
from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._formats import read_table
from fairnb.corpus._spec import CorpusSpec
from fairnb.errors import FairnbError
from fairnb.files import sha256
from fairnb.registry import Known, fetched, known, parts

_RECIPE = 1
"""Raised when a known corpus comes out differently from the same files: makes stored results stale."""

_TEMPLATED = "jigsaw-madlibs"
"""The known corpus whose sentences are made from templates."""

_COLUMNS = {
    "davidson": CorpusSpec(path="labeled_data.csv", text="tweet", label="class", id=""),
    "olid": CorpusSpec(path="olid-training-v1.0.tsv", text="tweet", label="subtask_a", id="id"),
    _TEMPLATED: CorpusSpec(path="bias_madlibs_77k.csv", text="Text", label="Label"),
}


def is_templated(name: str) -> bool:
    """Whether the sentences of a known corpus are made from templates, which it names."""
    return name == _TEMPLATED


def read_known(name: str, role: Role, columns: Sequence[str] = (), *, digest: str = "") -> Corpus:
    """Read or build a known corpus.

    Parameters
    ----------
    name : str
    role : {"train", "test", "synthetic"}
    columns : sequence of str
        Columns of the file to keep as recorded scores; derived and generated corpora have none.
    digest : str
        What the corpus is to carry as its digest.

    Raises
    ------
    FairnbError
        ``unknown-name``, ``not-a-corpus``, ``not-fetched``, ``file-changed``, ``missing-column``.
    """
    thing = _labelled(name)
    if thing.name in _COLUMNS:
        corpus = _from_file(thing, role, columns)
    elif columns:
        raise FairnbError(
            "missing-column",
            f"the known corpus {name} has no column {columns[0]!r}",
            "put texts and scores into a file of the case folder and name it with path =",
        )
    elif thing.generated:
        corpus = _demo.corpus(name, role)
    else:
        halves = tuple(read_known(part.name, role) for part in parts(name))
        corpus = _paper.corpus(name, role, halves)
    facts = {**corpus.facts, **content_facts(corpus.texts, corpus.labels), **_said_of(thing)}
    return replace(corpus, name=name, languages=("en",) * len(corpus), facts=facts, digest=digest)


def known_digests(name: str) -> dict[str, object]:
    """Give what a known corpus depends on: its recipe and the digests of its files.

    Raises
    ------
    FairnbError
        ``unknown-name``, ``not-a-corpus``, ``not-fetched``.
    """
    thing = _labelled(name)
    fetched(name)
    made: dict[str, object] = {"generator": _demo.generator_digest()} if thing.generated else {}
    return {"recipe": _RECIPE, "files": _file_digests(name), **made}


def _labelled(name: str) -> Known:
    thing = known(name)
    if thing.kind != "corpus" or not thing.positive:
        what = (
            "holds sentence pairs without labels"
            if thing.kind == "corpus"
            else f"is of the kind {thing.kind}"
        )
        raise FairnbError(
            "not-a-corpus",
            f"{name} {what}, so it cannot be a corpus of a case",
            "use a corpus of labelled texts, such as demo-test",
        )
    return thing


def _from_file(thing: Known, role: Role, columns: Sequence[str]) -> Corpus:
    spec = _COLUMNS[thing.name]
    path = fetched(thing.name) / Path(spec.path or "")
    data = path.read_bytes()
    if sha256(data) != thing.files[0].sha256:
        raise FairnbError(
            "file-changed",
            "the file changed while it was read",
            f"type: fairnb data fetch {thing.name} --from FOLDER",
            where=str(path),
        )
    templated = is_templated(thing.name)
    read = (*columns, _madlibs.TEMPLATE) if templated else columns
    corpus = corpus_of(read_table(path, data, None), spec, role, read, thing.name, {"source": path.name}, "")
    return _madlibs.with_clusters(corpus) if templated else corpus


def _file_digests(name: str) -> dict[str, str]:
    return {f"{part.name}/{file.path}": file.sha256 for part in parts(name) for file in part.files}


def _said_of(thing: Known) -> Mapping[str, Any]:
    return {
        "title": thing.title,
        "description": thing.description,
        "licence": thing.licence,
        "address": thing.address,
        "commit": thing.commit,
        "positive_means": thing.positive_means,
        "positive_labels": list(thing.positive),
        "notes": thing.notes,
        "files": _file_digests(thing.name),
    }
