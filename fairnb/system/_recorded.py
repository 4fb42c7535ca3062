"""Recorded scores: a column of the corpora, and no model."""

from __future__ import annotations

from typing import Any

from fairnb.errors import FairnbError
from fairnb.files import digest_of
from fairnb.system._system import System


class RecordedSystem(System):
    """A system of which only recorded scores are at hand; equal texts may carry different ones."""

    adapter = "recorded scores"
    live = False

    @property
    def name(self) -> str:
        """What the document calls the system."""
        return self.spec.name or f"recorded scores (column {self.spec.scores})"

    @property
    def fingerprint(self) -> str:
        """Digest of column and version: the scores themselves are part of each corpus's digest."""
        return digest_of({"scores": self.spec.scores, "version": self.spec.version})

    @property
    def facts(self) -> dict[str, Any]:
        """The column, beside what every system says."""
        return {**super().facts, "column": self.spec.scores}

    def raw(self, texts: list[str]) -> Any:
        """Refuse: there is no model."""
        raise FairnbError(
            "not-live",
            "recorded scores cannot score new texts",
            "name a live system in the table [system] of the case file",
            where=self.label,
        )
