"""What a swap did to one text."""

from __future__ import annotations

from dataclasses import dataclass

MIXED = "mixed"
"""Stands for the subgroup of a text in which words of both groups were swapped."""


@dataclass(frozen=True, slots=True)
class Change:
    """One word that was replaced."""

    start: int
    end: int
    """Offsets into the original: ``original[start:end] == old``."""
    old: str
    new: str
    subgroup: str
    """Of the old word; empty for an article that follows its noun."""
    rule: str
    """How the counterpart was found: ``pair``, or the part of speech that decided."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """One word that speaks of a subgroup, or a name, and was left as it is."""

    start: int
    end: int
    word: str
    subgroup: str
    """Empty for a name."""
    reason: str


@dataclass(frozen=True, slots=True)
class Swapped:
    """One text after a swap; outside `changes` every character is the original's."""

    original: str
    text: str
    changes: tuple[Change, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    subgroup: str = ""
    """Subgroup whose words were replaced; ``mixed`` where both were; empty where nothing was."""
    to: str = ""
    """Subgroup that stands there now; ``mixed`` and empty as above."""

    @property
    def unchanged(self) -> bool:
        """Whether the swapper left the text alone: such a text is in no denominator."""
        return not self.changes

    @property
    def mixed(self) -> bool:
        """Whether words of both groups were swapped, simultaneously."""
        return self.subgroup == MIXED
