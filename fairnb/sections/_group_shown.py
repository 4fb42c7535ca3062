"""The measures of the section on groups, found by their key; what tables and figures are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairnb.sections._format import percent, signed, value_of
from fairnb.sections._group_questions import TERM, words
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Result, Verdict
from fairnb.sections._variant import joined
from fairnb.sections._verdicts import NO_ALPHA

if TYPE_CHECKING:
    from fairnb.sections._result import Candidate

SILENT = (Status.TOO_FEW, Status.UNDEFINED, Status.NOT_MEASURED)
"""Statuses of values that support no statement."""


class Shown:
    """The measures of a result, found by their key."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.facts = result.facts
        self.prefix: str = result.facts["prefix"]
        self._by_key = {measure.key: measure for measure in result.measures}
        self.candidates: Mapping[MeasureKey, Candidate] = {
            candidate.measures[0]: candidate for candidate in result.candidates
        }

    def get(
        self, name: str, attribute: str, subgroup: str, label: str, reference: str = "", variant: str = ""
    ) -> Measure | None:
        """One measure; None if the result does not hold it."""
        key = MeasureKey(name, attribute, subgroup, reference, label, joined(self.prefix, variant))
        return self._by_key.get(key)

    @property
    def attributes(self) -> list[str]:
        """Attributes with groups, in order."""
        return list(dict.fromkeys(group["attribute"] for group in self.facts["groups"]))

    def groups(self, attribute: str, *, absent: bool = False) -> list[dict[str, Any]]:
        """Groups of an attribute, those that nobody mentions included or not."""
        return [
            group
            for group in self.facts["groups"]
            if group["attribute"] == attribute and (absent or not group["absent"])
        ]

    def heading(self, attribute: str) -> str:
        """An attribute as a table names it."""
        return "identity terms" if attribute == TERM else words(attribute)


def is_measured(candidate: Candidate | None) -> bool:
    """Whether there are values to read, though they may not have been put to the test."""
    return candidate is not None and (
        candidate.verdict is not Verdict.NOT_MEASURED or candidate.reason == NO_ALPHA
    )


def in_percent(measure: Measure) -> str:
    """A share's cell."""
    if measure.value is None:
        return value_of(measure)
    text = percent(measure.value)
    return f"({text})" if measure.status is Status.TOO_FEW else text


def in_points(measure: Measure) -> str:
    """A difference's cell, in percentage points."""
    if measure.value is None:
        return value_of(measure)
    text = signed(100 * measure.value, 1)
    return f"({text})" if measure.status is Status.TOO_FEW else text
