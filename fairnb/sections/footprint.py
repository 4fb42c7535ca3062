"""Energy and emissions, estimated from declared values: ALTAI requirement 6, the paper's appendix I."""

from __future__ import annotations

import difflib
import math
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic import Field

from fairnb.errors import FairnbError
from fairnb.sections._contract import Altai, Section, SectionParams, View
from fairnb.sections._format import count, number
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Row, Table, one_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ESTIMATE = "an estimate from declared values"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the packaged table."""

    name: str
    value: float
    source: str
    year: int
    code: str = ""


class Footprint(Section):
    """Energy and CO2 equivalents from declared values. Source: paper, appendix I; Lacoste et al. (2019)."""

    id = "footprint"
    title = "Energy and emissions"
    requirement = Altai.SOCIETAL_AND_ENVIRONMENTAL_WELL_BEING
    per_target = False
    source = (
        "Paper, appendix I; Lacoste, Luccioni, Schmidt and Dandres, Quantifying the Carbon Emissions of Machine "
        "Learning (2019); Assessment List for Trustworthy AI (2020), requirement 6."
    )
    method = (
        "By the method of the Machine Learning Emissions Calculator: *energy* is the power of the hardware times "
        "the devices, the hours, and the *PUE* (power usage effectiveness: what the building draws over what the "
        "machines draw; 1.0 for a machine that stands in no data centre); *emissions* are the energy times the "
        "carbon intensity of the grid, in CO2 equivalents. All of it is declared, nothing is measured here: the "
        "result is an estimate. What is not declared is unknown, and unknown is not negligible."
    )

    class Params(SectionParams):
        """What is declared of the work whose footprint is estimated."""

        work: str = Field("training", description="What the energy was used for")
        hardware: str = Field("", description="Device, by its name in the packaged table or with own watts")
        watts: float | None = Field(
            None, gt=0.0, description="Power of one device in watts; else the table's"
        )
        count: int = Field(1, ge=1, description="Devices")
        hours: float | None = Field(None, ge=0.0, description="Hours that they ran, all runs together")
        pue: float | None = Field(
            None, ge=1.0, le=10.0, description="Power usage effectiveness; 1.0 outside a data centre"
        )
        region: str = Field("", description="Country of the grid, by name or three-letter code")
        intensity: float | None = Field(
            None, ge=0.0, description="Grams of CO2 equivalents per kWh; else the table's"
        )
        declared_by: str = Field("", description="Who declared these values")

    def run(self, view: View, params: Params) -> Result:
        """Multiply what is declared."""
        power, intensity = _power(params), _intensity(params)
        lacking = {
            "hardware or watts": power is None,
            "hours": params.hours is None,
            "pue": params.pue is None,
            "region or intensity": intensity is None,
        }
        missing = [name for name, unknown in lacking.items() if unknown]
        energy = emissions = None
        if power is not None and params.hours is not None and params.pue is not None:
            energy = power.value * params.count * params.hours * params.pue / 1000
            if intensity is not None:
                emissions = energy * intensity.value / 1000
        grid = "region or intensity"
        return Result(
            measures=(
                _measure(
                    "energy_kwh",
                    energy,
                    "watts * devices * hours * PUE / 1000",
                    [m for m in missing if m != grid],
                ),
                _measure("co2eq_kg", emissions, "energy_kwh * grams per kWh / 1000", missing),
            ),
            facts={
                "work": params.work,
                "declared_by": params.declared_by,
                "missing": missing,
                "count": params.count,
                "hours": params.hours,
                "pue": params.pue,
                "power": _plain(power),
                "intensity": _plain(intensity),
            },
            limits=tuple(_limits(power, intensity, missing)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The estimate, or that it is unknown."""
        energy, emissions = result.measure("energy_kwh"), result.measure("co2eq_kg")
        work, missing = result.facts["work"], _in_words(result.facts["missing"])
        if energy.value is None:
            return (
                f"The energy and emissions of {work} are unknown, because these were not declared: {missing}. Unknown is "
                "not negligible.",
            )
        said = f"From declared values it is estimated that {work} used {_amount(energy.value)} kWh of electricity"
        if emissions.value is None:
            return (f"{said}; its emissions are unknown, because these were not declared: {missing}.",)
        return (f"{said} and caused {_amount(emissions.value)} kg of CO2 equivalents.",)

    def tables(self, result: Result) -> Sequence[Table]:
        """The estimate, what was declared, and in the annex the packaged figures."""
        return (_estimates(result), _declared(result), *_packaged_tables())


def _plain(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {"name": figure.name, "value": figure.value, "source": figure.source, "year": figure.year}


@cache
def _table(name: str, value: str) -> tuple[Figure, ...]:
    text = files("fairnb.sections").joinpath("data", "footprint.toml").read_text(encoding="utf-8")
    return tuple(
        Figure(row["name"], float(row[value]), row["source"], row["year"], row.get("code", ""))
        for row in tomllib.loads(text)[name]
    )


def hardware() -> tuple[Figure, ...]:
    """Packaged powers of devices, in watts."""
    return _table("hardware", "watts")


def intensities() -> tuple[Figure, ...]:
    """Packaged carbon intensities of grids, in grams of CO2 equivalents per kWh."""
    return _table("intensity", "grams")


def _power(params: Footprint.Params) -> Figure | None:
    if params.watts is not None:
        return Figure(params.hardware, params.watts, "declared", 0)
    if not params.hardware:
        return None
    return _found(params.hardware, hardware(), "hardware", "watts")


def _intensity(params: Footprint.Params) -> Figure | None:
    if params.intensity is not None:
        return Figure(params.region, params.intensity, "declared", 0)
    if not params.region:
        return None
    return _found(params.region, intensities(), "region", "intensity")


def _found(name: str, table: Sequence[Figure], key: str, instead: str) -> Figure:
    wanted = " ".join(name.split()).casefold()
    names = {figure.name.casefold(): figure for figure in table}
    names |= {figure.code.casefold(): figure for figure in table if figure.code}
    if wanted not in names:
        close = difflib.get_close_matches(wanted, names, 1)
        hint = f"did you mean {names[close[0]].name!r}? " if close else ""
        raise FairnbError(
            f"unknown-{key}",
            f"the packaged table has no {key} {name!r}",
            f"{hint}give {instead} yourself, or a name of the table: {', '.join(one.name for one in table)}",
            where=f"sections.footprint.{key}",
        )
    return names[wanted]


def _measure(name: str, value: float | None, method: str, missing: Sequence[str]) -> Measure:
    return Measure(
        measure=name,
        value=value,
        family="D",
        method=method,
        status=Status.OK if value is not None else Status.NOT_MEASURED,
        note=_ESTIMATE if value is not None else f"not declared: {', '.join(missing)}",
    )


def _amount(value: float) -> str:
    """Three significant digits: declared values carry no more."""
    if not value:
        return "0"
    places = 2 - math.floor(math.log10(value))
    rounded = round(value, places)
    return count(int(rounded)) if places <= 0 else number(rounded, places)


def _exactly(value: float) -> str:
    """A declared value as it was declared."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def _estimates(result: Result) -> Table:
    rows = []
    for name, words, unit in (
        ("energy_kwh", "Electricity", "kWh"),
        ("co2eq_kg", "Emissions, CO2 equivalents", "kg"),
    ):
        found = result.measure(name)
        shown = "unknown" if found.value is None else f"{_amount(found.value)} {unit}"
        rows.append(Row((words, shown, found.note), (found.key,), quiet=found.value is None))
    columns = (Column("Estimate"), Column("Amount", "number"), Column("Note"))
    return Table(f"Energy and emissions of {result.facts['work']}", columns, tuple(rows))


def _declared(result: Result) -> Table:
    facts = result.facts
    by = facts["declared_by"] or "not stated by whom"
    rows = [
        ("Power of one device", *_of(facts["power"], "W", by)),
        ("Devices", count(facts["count"]), by if facts["power"] else "as preset"),
        ("Hours", *_given(facts["hours"], by)),
        ("PUE", *_given(facts["pue"], by)),
        ("Carbon intensity of the grid", *_of(facts["intensity"], "g per kWh", by)),
    ]
    return one_table("What the estimate rests on", ("Quantity", "Value", "From"), rows)


def _given(value: float | None, by: str) -> tuple[str, str]:
    return ("unknown", "not declared") if value is None else (_exactly(value), f"declared, {by}")


def _of(figure: Mapping[str, Any] | None, unit: str, by: str) -> tuple[str, str]:
    if figure is None:
        return "unknown", "not declared"
    name = f" ({figure['name']})" if figure["name"] else ""
    shown = f"{_exactly(figure['value'])} {unit}{name}"
    return shown, f"{figure['source']}, {figure['year']}" if figure["year"] else f"declared, {by}"


def _packaged_tables() -> Iterable[Table]:
    """One row for each source: most entries of a table share theirs."""
    for title, table, unit in (
        ("Packaged powers of devices", hardware(), "Watts"),
        ("Packaged carbon intensities of grids", intensities(), "g CO2 equivalents per kWh"),
    ):
        by_source: dict[tuple[str, int], list[str]] = {}
        for one in table:
            by_source.setdefault((one.source, one.year), []).append(f"{one.name}:\u00a0{_exactly(one.value)}")
        rows = [(source, str(year), "; ".join(entries)) for (source, year), entries in by_source.items()]
        yield replace(one_table(title, ("Source", "Year", unit), rows), annex=True)


def _in_words(missing: Sequence[str]) -> str:
    return ", ".join("PUE" if name == "pue" else name for name in missing)


def _limits(power: Figure | None, intensity: Figure | None, missing: Sequence[str]) -> Iterable[str]:
    if missing:
        yield f"Not declared, so unknown and not negligible: {', '.join(missing)}."
    yield "Declared values are not checked; nothing was measured."
    if power is not None and power.year:
        yield (
            "The power is that of the device at full load: less was drawn if it idled, and the rest of the machine "
            "comes on top."
        )
    if intensity is not None and intensity.year:
        yield (
            f"The carbon intensity is the mean of the country's electricity in {intensity.year}; the hour, the "
            "place and the contract may differ much."
        )
    yield "Making the hardware, storing and moving data, and answering requests are not counted unless declared."
