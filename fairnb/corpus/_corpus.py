"""Labelled texts in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fairnb.corpus._table import place

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Role = Literal["train", "test", "synthetic"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Labelled texts; every sequence has one entry per row, in the order of the file."""

    name: str
    role: Role
    texts: tuple[str, ...]
    """As stored: nothing stripped, unescaped or normalised."""
    labels: tuple[int | str | None, ...]
    """Whole numbers as int, other labels as text, None where missing."""
    ids: tuple[str, ...]
    """Unique."""
    languages: tuple[str, ...] | None = None
    """Lower-case codes, empty where unknown; None if nothing says."""
    clusters: tuple[str, ...] | None = None
    """Rows of one name depend on each other; None if nothing says."""
    templates: tuple[str, ...] | None = None
    """Template that each text was made from: the set is fixed, nothing was drawn. None if nothing says."""
    recorded: Mapping[str, tuple[str | float | None, ...]] = field(default_factory=dict)
    """Columns of recorded scores: None for an empty cell, the text itself where it is no finite number."""
    annotators: tuple[tuple[int | str | None, ...], ...] = ()
    """Labels that single annotators gave, one sequence for each; None where one gave none."""
    annotated: Mapping[tuple[str, str], npt.NDArray[np.int8]] = field(default_factory=dict)
    """By (attribute, subgroup): 1 mentioned, 0 not mentioned, -1 not annotated; shape (n,)."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What a report says of it; plain values. Always: ``source``, ``files`` (name to SHA-256), ``rows``,
    ``labels`` (label to rows), ``missing_labels``, ``empty_texts`` (blank ones included),
    ``duplicate_texts`` (rows that repeat an earlier text), ``conflicting_texts`` (texts with more than one
    label), ``format``. Known ones also: ``licence``, ``address``, ``positive_means``, ``notes``."""
    digest: str = ""
    """SHA-256 over the files' digests and the specification."""
    lines: Sequence[int] = ()
    """Line of the file on which each row starts; empty where there is no single file."""

    def __len__(self) -> int:
        return len(self.texts)

    def where(self, row: int) -> str:
        """Name the place of a row (counted from 0) as errors do: file and line, or corpus and row."""
        return place(str(self.facts.get("source", self.name)), self.lines, row)
