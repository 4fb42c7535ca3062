"""The measure: one number with its interval, support, method and null. The atom of every table and figure."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, model_serializer


class Status(StrEnum):
    """How far a value can be leaned on."""

    OK = "ok"
    INDICATIVE = "indicative"
    TOO_FEW = "too_few"
    UNDEFINED = "undefined"
    NOT_MEASURED = "not_measured"
    EXACT = "exact"
    CENSUS = "census"


class MeasureKey(NamedTuple):
    """What names a measure within one section's result for one target."""

    measure: str
    attribute: str = ""
    subgroup: str = ""
    reference: str = ""
    label: str = ""
    variant: str = ""


class Measure(BaseModel):
    """One number and all that is needed to judge it. Columns are those of `fairnb measures`.

    `value`, `low` and `high` are None where undefined; `note` then says why. `reference` empty means
    the subgroup's own value; filled, the difference subgroup minus reference.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    measure: str
    attribute: str = ""
    subgroup: str = ""
    reference: str = ""
    label: Literal["", "positive", "negative", "all", "stereo", "antistereo"] = ""
    variant: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    """Confidence level of the interval, such as 0.95."""
    interval: str = ""
    """Method of the interval, such as `wilson`."""
    n: int | None = None
    """Rows the measure looks at, never those that were hit: of a share those of its denominator."""
    denominator: int | None = None
    """Rows by which is divided, or that decide how much can be said."""
    n_reference: int | None = None
    n_overlap: int | None = None
    clusters: int | None = None
    threshold: float | None = None
    null: float | None = None
    """Value expected where there is nothing to find."""
    p: float | None = None
    p_adjusted: float | None = None
    family: Literal["", "C", "E", "D"] = ""
    """Confirmatory, exploratory or descriptive."""
    detectable: float | None = None
    """Smallest difference that would have been found with 80 % power."""
    status: Status = Status.OK
    method: str = ""
    note: str = ""

    @model_serializer
    def _without_defaults(self) -> dict[str, Any]:
        """Empty columns are left out: a section has hundreds of measures and a notebook little room."""
        written = vars(self)
        return {name: written[name] for name, default in _DEFAULTS if written[name] != default}

    @property
    def row(self) -> dict[str, Any]:
        """Every column as a plain value, the empty ones too."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {**values, "status": self.status.value}

    @property
    def key(self) -> MeasureKey:
        """What names this measure within its result."""
        return MeasureKey(
            self.measure, self.attribute, self.subgroup, self.reference, self.label, self.variant
        )


_DEFAULTS = tuple((name, field.default) for name, field in Measure.model_fields.items())
