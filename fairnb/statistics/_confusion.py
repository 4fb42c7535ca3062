"""Counts of decisions against labels."""

from __future__ import annotations

from typing import NamedTuple


class Confusion(NamedTuple):
    """Confusion counts: rows flagged (positive) or not, by label."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        """All rows."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def positive(self) -> int:
        """Rows whose label is positive."""
        return self.tp + self.fn

    @property
    def negative(self) -> int:
        """Rows whose label is negative."""
        return self.fp + self.tn

    @property
    def flagged(self) -> int:
        """Rows the system calls positive."""
        return self.tp + self.fp

    @property
    def correct(self) -> int:
        """Rows where decision and label agree."""
        return self.tp + self.tn

    @property
    def errors(self) -> int:
        """Rows where decision and label differ."""
        return self.fp + self.fn

    def mirrored(self) -> Confusion:
        """The same counts with the negative class taken as positive."""
        return Confusion(self.tn, self.fn, self.fp, self.tp)
