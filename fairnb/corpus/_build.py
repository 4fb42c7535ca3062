"""Giving the columns of a table their meaning, and counting what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.corpus import _cells
from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._spec import CorpusSpec, SubgroupColumns
from fairnb.corpus._table import Table
from fairnb.errors import FairnbError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def corpus_of(
    table: Table,
    spec: CorpusSpec,
    role: Role,
    columns: Sequence[str],
    name: str,
    facts: Mapping[str, Any],
    digest: str,
) -> Corpus:
    """Give the columns of a table their meaning; see `read_corpus` for the errors."""
    if not len(table):
        raise FairnbError(
            "empty-corpus",
            "there is a header but no row",
            "name a file with labelled texts",
            where=table.name,
        )
    texts = _cells.texts_of(table, spec.text or "text")
    labels = tuple(map(_cells.label_of, table.column(spec.label or "label", "label")))
    languages = _cells.names_of(table, spec.language, "language")
    clusters = _cells.names_of(table, spec.cluster, "cluster")
    named = {"text": spec.text or "text", "label": spec.label or "label", "id": spec.id or ""}
    return Corpus(
        name=name,
        role=role,
        texts=texts,
        labels=labels,
        ids=_cells.ids_of(table, spec.id),
        languages=languages and tuple(code.lower() for code in languages),
        # A row without a cluster depends on no other: it is a cluster of its own.
        clusters=clusters and tuple(one or f"(row {row + 1})" for row, one in enumerate(clusters)),
        recorded={column: _cells.recorded_of(table, column) for column in columns},
        annotators=tuple(
            tuple(map(_cells.label_of, table.column(column, "annotators"))) for column in spec.annotators
        ),
        annotated=annotated_mentions(table, spec.subgroups),
        facts={**facts, **table.facts, **content_facts(texts, labels), "columns": named},
        digest=digest,
        lines=table.lines,
    )


def content_facts(texts: Sequence[str], labels: Sequence[int | str | None]) -> dict[str, Any]:
    """Count rows, labels, empty, repeated and contradicting texts."""
    first: dict[str, int | str | None] = {}
    conflicting: set[str] = set()
    for text, label in zip(texts, labels, strict=True):
        if first.setdefault(text, label) != label:
            conflicting.add(text)
    return {
        "rows": len(texts),
        "labels": _cells.counted(labels),
        "missing_labels": sum(label is None for label in labels),
        "empty_texts": sum(not text.strip() for text in texts),
        "duplicate_texts": len(texts) - len(first),
        "conflicting_texts": len(conflicting),
    }


def annotated_mentions(
    table: Table, subgroups: Mapping[str, SubgroupColumns]
) -> dict[tuple[str, str], npt.NDArray[np.int8]]:
    """Read annotated mentions; see `Corpus.annotated`."""
    import numpy as np

    found: dict[tuple[str, str], npt.NDArray[np.int8]] = {}
    for attribute, chosen in subgroups.items():
        for subgroup, column in chosen.columns.items():
            numbers = _cells.numbers_of(table, column, f"subgroups.{attribute}.{subgroup}")
            found[attribute, subgroup] = np.array(
                [-1 if number is None else number >= chosen.at_least for number in numbers], dtype=np.int8
            )
    return found
