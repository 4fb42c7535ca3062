"""Sections that print what was declared: engagement, system, conclusion; and the registry of sections."""

from __future__ import annotations

import pytest

from fairnb.errors import FairnbError
from fairnb.sections import (
    Altai,
    Criteria,
    Finding,
    Measure,
    MeasureKey,
    Result,
    Severity,
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


def test_conclusion_is_never_generated(small_view):
    result = run("conclusion", small_view({}, said={"sections": ["engagement", "data_bias", "conclusion"]}))
    assert section("conclusion").statements(result) == ["No conclusion has been written yet."]
    own = run("conclusion", small_view({}), text="First.\n\nSecond.")
    assert section("conclusion").statements(own) == ["First.", "Second."]


def test_conclusion_tells_what_was_not_assessed_and_gathers_findings(small_view):
    finding = Finding(
        criterion="c",
        severity=Severity.OBSERVATION,
        statement="s",
        measures=(MeasureKey("frequency_ratio"),),
        requirement=5,
    )
    done = {
        ("data_bias", "a"): Result(
            findings=(finding,),
            limits=("One limit.",),
            measures=(Measure(measure="base_rate"), Measure(measure="frequency")),
        ),
        ("data_bias", "b"): Result(findings=(finding,), limits=("One limit.",)),
        ("technical_performance", "a"): Result(status="not_applicable", reason="no test corpus"),
    }
    planned = ["system", "technical_performance", "data_bias", "conclusion"]
    result = run("conclusion", small_view({}, done=done, said={"sections": planned}))
    states = {row[0]: row[1] for row in cells("conclusion", result)}
    assert states["Data bias"] == "assessed"
    assert states["Technical performance"] == "not applicable: no test corpus"
    assert states["System and data"] == "not run"
    assert states["5. Diversity, non-discrimination and fairness"] == "Data bias"
    assert states["1. Human agency and oversight"] == "not assessed"
    assert [row[2] for row in cells("conclusion", result) if row[0] in ("Data bias", "System and data")] == [
        "–",
        "2",
    ]
    assert len(result.findings) == 2
    assert result.facts["limits"] == ["One limit."]


def test_a_section_of_another_package_that_cannot_be_loaded_is_one_error(monkeypatch):
    from fairnb.sections import _registry

    monkeypatch.setitem(_registry._OWN, "broken", "fairnb.sections.engagement:NoSuchClass")
    with pytest.raises(FairnbError, match="NoSuchClass") as error:
        section("broken")
    assert error.value.code == "broken-section"
