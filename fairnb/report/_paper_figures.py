"""What the assessment-process paper prints, figure by figure, with the measure of ours that stands beside each."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from fairnb.sections import MeasureKey


class Cell(BaseModel):
    """One figure of the paper and the measure that stands beside it; keys are told in `paper.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: str
    column: str
    value: str
    unit: Literal["", "%", "points"] = ""
    derived: bool = False
    sign_only: bool = False
    section: str = ""
    measure: str = ""
    attribute: str = ""
    subgroup: str = ""
    reference: str = ""
    label: str = ""
    variant: str = ""
    field: Literal["value", "n"] = "value"
    basis: Literal["", "data"] = ""
    corrected: str = ""
    why: str = ""

    @property
    def key(self) -> MeasureKey:
        """The measure that stands beside it."""
        return MeasureKey(
            self.measure, self.attribute, self.subgroup, self.reference, self.label, self.variant
        )

    @property
    def printed(self) -> Decimal:
        """The figure as a number, in its unit."""
        return Decimal(self.value.replace(",", ""))

    @property
    def digits(self) -> int:
        """Decimals printed."""
        return len(self.value.partition(".")[2])


class PaperTable(BaseModel):
    """One table, or the figures of one section, of the paper."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    heads: tuple[str, str]
    part: Literal["", "train", "test"] = ""
    notes: tuple[str, ...] = ()
    cells: tuple[Cell, ...]


@cache
def paper_tables() -> tuple[PaperTable, ...]:
    """The paper's figures, from `paper.toml`."""
    raw = tomllib.loads(Path(__file__).with_name("paper.toml").read_text("utf-8"))
    tables = []
    for one in raw["tables"]:
        shared = {**one.pop("key"), "unit": one.pop("unit", "")}
        cells = [{**shared, **cell} for cell in one.pop("cells")]
        tables.append(PaperTable(**one, cells=cells))
    return tuple(tables)
