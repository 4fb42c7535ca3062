"""Sections that print what was declared: engagement and system; and the registry of sections."""

from __future__ import annotations

import pytest

from fairnb.errors import FairnbError
from fairnb.sections import (
    Altai,
    Criteria,
    Result,
    Target,
    section,
    section_ids,
)


def run(identity, view, **params) -> Result:
    part = section(identity)
    return part.run(view, part.Params(**params))


def cells(identity, result):
    return [row.cells for table in section(identity).tables(result) for row in table.rows]


def test_sections_stand_in_the_order_of_the_assessment():
    assert section_ids()[0] == "engagement"
    assert section_ids()[-1] == "conclusion"
    assert section_ids().index("technical_performance") < section_ids().index("data_bias")


def test_an_unknown_section_names_the_nearest():
    with pytest.raises(FairnbError, match="did you mean 'data_bias'") as error:
        section("data_bais")
    assert error.value.code == "unknown-section"


@pytest.mark.parametrize("identity", section_ids())
def test_every_section_says_what_it_is(identity):
    part = section(identity)
    assert part.id == identity
    assert part.title
    assert part.method
    assert part.source
    assert isinstance(part.requirement, Altai)
    assert part.__doc__
    assert "Source:" in part.__doc__
    for name, field in part.Params.model_fields.items():
        assert field.description or part.Params.__doc__, name


def test_engagement_prints_what_is_stated_and_what_is_not(small_view):
    view = small_view(
        {},
        said={"engagement": {"title": "Harbour", "level": "first-party", "assessor": {"name": "A. Example"}}},
        criteria=Criteria(set_by="The board", margin=0.1),
    )
    result = run("engagement", view)
    rows = dict(cells("engagement", result))
    assert rows["Assessor"] == "A. Example"
    assert rows["Addressee"] == "not stated"
    assert rows["Set by"] == "The board"
    assert rows["Margin: a difference below it does not matter"] == "0.10"
    assert any("First-party" in limit for limit in result.limits)


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (
            "first-party",
            ("inside the organisation", "owns the system", "role in its development", "interest"),
        ),
        ("second-party", ("outside the organisation", "contract", "customer")),
        ("third-party", ("independent of the organisation and its customers", "conformity", "criteria")),
    ],
)
def test_levels_are_those_of_the_papers_appendix(small_view, level, told):
    result = run("engagement", small_view({}, said={"engagement": {"level": level}}))
    shown = dict(cells("engagement", result))["Level"]
    assert shown.startswith(f"{level}: ")
    assert [part for part in told if part not in shown] == []


def test_system_prints_label_balance_per_target(small_view):
    targets = (Target(name="hate", positive=(1,)), Target(name="any", positive=(1, 2), negative=(0,)))
    result = run("system", small_view({"test": [1, 1, 0, -1]}, targets=targets))
    rows = [row for row in cells("system", result) if row[0] == "test"]
    assert [row[2:7] for row in rows] == [("hate", "4", "2", "1", "1"), ("any", "4", "2", "1", "1")]
    assert rows[0][7] == "66.7 %"
    assert any("treated as independent" in limit for limit in result.limits)


def test_a_section_of_another_package_that_cannot_be_loaded_is_one_error(monkeypatch):
    from fairnb.sections import _registry

    monkeypatch.setitem(_registry._OWN, "broken", "fairnb.sections.engagement:NoSuchClass")
    with pytest.raises(FairnbError, match="NoSuchClass") as error:
        section("broken")
    assert error.value.code == "broken-section"
