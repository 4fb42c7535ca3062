"""What a section hands back: numbers and facts, frozen, the same after a round trip through JSON."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from fairnb.files import plain
from fairnb.sections._measure import Measure, MeasureKey


class Severity(StrEnum):
    """How grave a finding is, gravest first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    OBSERVATION = "observation"


class Verdict(StrEnum):
    """The four answers to a criterion. A missing finding is never fairness."""

    EXCEEDS = "exceeds the margin"
    WITHIN = "within the margin"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not measured"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Told(_Frozen):
    """What a reader is told of a difference."""

    points: bool = False
    """Whether its size is told in percentage points: a difference of shares or of probabilities."""

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without the unit where it is none, as before there was one: stored results keep their digest."""
        written: dict[str, Any] = handler(self)
        return {name: value for name, value in written.items() if name != "points" or value}


class Candidate(_Told):
    """A difference that a section puts to the test."""

    criterion: str
    statement: str
    """One plain sentence with the difference, its interval and n."""
    measures: tuple[MeasureKey, ...]
    family: Literal["C", "E", "census"]
    """Confirmatory, exploratory, or a census of a fixed set, which needs no test."""
    effect: float | None = None
    margin: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    verdict: Verdict
    reason: str = ""
    """Why it is inconclusive or not measured."""


class Finding(_Told):
    """A candidate that passed test and margin, or an observation worth a reader's time."""

    criterion: str
    severity: Severity
    statement: str
    measures: tuple[MeasureKey, ...]
    requirement: int
    """ALTAI requirement, 1 to 7."""


class Series(_Frozen):
    """A curve for a figure: named columns of equal length."""

    columns: dict[str, tuple[float | None, ...]]


class Example(_Frozen):
    """A text shown to the reader, already redacted; `beside` is one made from it, redacted as well."""

    text: str
    beside: str = ""
    note: str = ""
    values: dict[str, float | str | None] = {}

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without a second text as it was written before there was one: stored results keep their digest."""
        written: dict[str, Any] = handler(self)
        return {name: value for name, value in written.items() if name != "beside" or value}


class Result(_Frozen):
    """One section's answer for one target.

    `tallies` maps a role such as ``test`` to the digest of the tally the measures rest on.
    """

    status: Literal["done", "not_applicable"] = "done"
    reason: str = ""
    """Why the section is not applicable."""
    measures: tuple[Measure, ...] = ()
    facts: dict[str, Any] = {}
    tallies: dict[str, str] = {}
    series: dict[str, Series] = {}
    examples: tuple[Example, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    findings: tuple[Finding, ...] = ()
    limits: tuple[str, ...] = ()
    """What a reader must know before leaning on the numbers, one sentence each."""

    @field_validator("facts", mode="before")
    @classmethod
    def _plain_facts(cls, facts: Any) -> Any:
        return plain(facts)

    def measure(self, measure: str, **key: str) -> Measure:
        """The one measure with this name and key; parts of the key not given are empty.

        Raises
        ------
        KeyError
            If there is none.
        """
        wanted = MeasureKey(measure, **key)
        for candidate in self.measures:
            if candidate.key == wanted:
                return candidate
        raise KeyError(wanted)
