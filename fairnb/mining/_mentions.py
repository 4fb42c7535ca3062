"""Who is mentioned where, whatever found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairnb.errors import FairnbError
from fairnb.lexicon import Hits

if TYPE_CHECKING:
    import numpy.typing as npt
    from scipy import sparse

Grouping = Literal["subgroup", "identity_term"]
Source = Literal["lookup", "ner", "both"]


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A named group that stands for no subgroup."""

    text: str
    """In the form in which terms are looked up."""
    count: int
    kind: str = ""
    """What it names, such as ``ethnic group``; empty if nothing is known of it."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Which of n texts refers to which subgroup and holds which identity term."""

    subgroups: tuple[tuple[str, str], ...]
    """(attribute, subgroup), in the lexicon's order."""
    terms: tuple[str, ...]
    """Identity terms (paper, Table 4), in the lexicon's order."""
    by_subgroup: sparse.csr_array[np.bool_, tuple[int, int]]
    """Shape (n, subgroups)."""
    by_term: sparse.csr_array[np.bool_, tuple[int, int]]
    """Shape (n, terms)."""
    vocabulary: tuple[str, ...]
    """What ``hits.term`` counts through."""
    hits: Hits
    """Each hit with its offsets into the raw text, the suppressed ones included."""
    suppressed: Mapping[str, int]
    """reason -> number of hits that it keeps from counting; only reasons that occurred."""
    source: Source
    digest: str
    """SHA-256 over names, matrices and hits."""
    sources: tuple[str, ...]
    """What `found_by` counts through: ``lookup``, ``ner``."""
    found_by: npt.NDArray[np.int64]
    """Shape (hits,): what found each hit. A span that both found is two hits."""
    unmapped: tuple[Unmapped, ...] = ()
    """Named groups that are no mention, most frequent first; empty without recognition."""
    pipeline: str = ""
    """What recognised them, with its version."""

    def __len__(self) -> int:
        return int(self.by_subgroup.shape[0])

    def groups(self, by: Grouping) -> tuple[tuple[str, ...], sparse.csr_array[np.bool_, tuple[int, int]]]:
        """Names and membership of the groups a tally counts.

        Parameters
        ----------
        by : {"subgroup", "identity_term"}

        Returns
        -------
        names : tuple of str
            ``attribute/subgroup``, or the terms.
        membership : csr_array of bool, shape (n, names)

        Raises
        ------
        FairnbError
            ``unknown-grouping``.
        """
        if by == "subgroup":
            return tuple(
                f"{attribute}/{subgroup}" for attribute, subgroup in self.subgroups
            ), self.by_subgroup
        if by == "identity_term":
            return self.terms, self.by_term
        raise FairnbError(
            "unknown-grouping", f"texts cannot be grouped by {by!r}", "choose subgroup or identity_term"
        )
