"""The section on energy: products that can be made by hand, and unknown where something is not declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from fairnb.errors import FairnbError
from fairnb.sections import Altai, Result, Status
from fairnb.sections.footprint import Footprint, hardware, intensities

OWN = {"watts": 250.0, "count": 2, "hours": 10.0, "pue": 1.5, "intensity": 400.0}


def _run(small_view: Callable[..., Any], **params: Any) -> Result:
    return Footprint().run(small_view({}), Footprint.Params(**params))


def test_power_times_devices_hours_pue_and_intensity(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, **OWN)
    # 250 W * 2 * 10 h * 1.5 = 7.5 kWh; * 400 g = 3 kg.
    assert result.measure("energy_kwh").value == pytest.approx(7.5)
    assert result.measure("co2eq_kg").value == pytest.approx(3.0)
    assert result.measure("co2eq_kg").note == "an estimate from declared values"
    assert Footprint().statements(result) == (
        "From declared values it is estimated that training used 7.50 kWh of electricity and caused 3.00 kg of CO2 "
        "equivalents.",
    )


@pytest.mark.parametrize(
    ("region", "device"),
    [("France", "NVIDIA T4"), ("fra", "nvidia  t4")],
)
def test_figures_of_the_table_are_found_by_name_and_code(
    small_view: Callable[..., Any], region: str, device: str
) -> None:
    result = _run(small_view, hardware=device, region=region, hours=100.0, pue=1.0)
    # The data sheet says 70 W; the year's mean in France was 56.039 g.
    assert result.measure("energy_kwh").value == pytest.approx(7.0)
    assert result.measure("co2eq_kg").value == pytest.approx(7.0 * 0.056039)
    assert result.facts["intensity"]["year"] == 2023
    assert any("2023" in limit for limit in result.limits)


def test_declared_figures_go_before_those_of_the_table(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, **OWN, hardware="NVIDIA T4", region="France", declared_by="the provider")
    assert result.measure("co2eq_kg").value == pytest.approx(3.0)
    cells = [row.cells for row in Footprint().tables(result)[1].rows]
    assert cells[0] == ("Power of one device", "250 W (NVIDIA T4)", "declared, the provider")


@pytest.mark.parametrize("left_out", ["watts", "hours", "pue"])
def test_what_is_not_declared_is_unknown(small_view: Callable[..., Any], left_out: str) -> None:
    result = _run(small_view, **{key: value for key, value in OWN.items() if key != left_out})
    for name in ("energy_kwh", "co2eq_kg"):
        found = result.measure(name)
        assert (found.value, found.status) == (None, Status.NOT_MEASURED)
        assert left_out in found.note
    (said,) = Footprint().statements(result)
    assert "are unknown" in said
    assert "Unknown is not negligible" in said


def test_declared_values_are_printed_as_they_were_declared(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, watts=12.5, hours=1234567.0, pue=1.12)
    values = [row.cells[1] for row in Footprint().tables(result)[1].rows]
    assert values == ["12.5 W", "1", "1,234,567", "1.12", "unknown"]


def test_without_the_grid_the_energy_is_still_told(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, **{**OWN, "intensity": None})
    assert result.measure("energy_kwh").value == pytest.approx(7.5)
    assert result.measure("co2eq_kg").value is None
    assert (
        "its emissions are unknown, because these were not declared: region or intensity"
        in Footprint().statements(result)[0]
    )


def test_nothing_declared_is_done_and_unknown(small_view: Callable[..., Any]) -> None:
    result = _run(small_view)
    assert result.status == "done"
    assert result.facts["missing"] == ["hardware or watts", "hours", "pue", "region or intensity"]
    shown = repr(Footprint().tables(result)[:2])
    assert shown.count("'unknown'") == 6
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_an_unknown_name_suggests_the_nearest_and_the_way_around(small_view: Callable[..., Any]) -> None:
    with pytest.raises(FairnbError, match=r"did you mean 'Germany'.*give intensity yourself") as error:
        _run(small_view, region="Germoney")
    assert error.value.code == "unknown-region"
    with pytest.raises(FairnbError, match="give watts yourself") as error:
        _run(small_view, hardware="abacus")
    assert error.value.where == "sections.footprint.hardware"


@pytest.mark.parametrize(
    ("key", "value"), [("watts", 0.0), ("hours", -1.0), ("pue", 0.9), ("intensity", -1.0), ("count", 0)]
)
def test_impossible_values_are_refused(key: str, value: float) -> None:
    with pytest.raises(ValidationError):
        Footprint.Params(**{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hours", "shown"),
    [
        (0.0, "0 kWh"),
        (0.00123, "0.00123 kWh"),
        (1.0, "1.00 kWh"),
        (12.345, "12.3 kWh"),
        (1234567.0, "1,230,000 kWh"),
    ],
)
def test_amounts_have_three_significant_digits(
    small_view: Callable[..., Any], hours: float, shown: str
) -> None:
    result = _run(small_view, watts=1000.0, hours=hours, pue=1.0)
    assert Footprint().tables(result)[0].rows[0].cells[1] == shown


def test_every_packaged_figure_names_source_and_year() -> None:
    for table, low, high in ((hardware(), 10, 1_000), (intensities(), 10, 1_000)):
        assert len({figure.name for figure in table}) == len(table)
        for figure in table:
            assert low < figure.value < high
            assert figure.source
            assert 2019 <= figure.year <= 2026
    assert all(len(figure.code) == 3 for figure in intensities())


def test_tables_in_the_annex_hold_every_packaged_figure(small_view: Callable[..., Any]) -> None:
    tables = Footprint().tables(_run(small_view))
    assert [table.annex for table in tables] == [False, False, True, True]
    for table, packaged in zip(tables[2:], (hardware(), intensities()), strict=True):
        printed = {
            (source, year): entries.split("; ") for source, year, entries in (r.cells for r in table.rows)
        }
        assert sum(map(len, printed.values())) == len(packaged)
        for one in packaged:
            assert any(entry.startswith(f"{one.name}:") for entry in printed[one.source, str(one.year)])
    assert Footprint.requirement is Altai.SOCIETAL_AND_ENVIRONMENTAL_WELL_BEING
    assert not Footprint.per_target


def test_what_the_energy_lacks_does_not_name_the_grid(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, watts=100.0, pue=1.0)
    assert result.measure("energy_kwh").note == "not declared: hours"
    assert result.measure("co2eq_kg").note == "not declared: hours, region or intensity"
