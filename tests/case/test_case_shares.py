"""How alpha is divided among sections and targets, before any score is seen."""

from __future__ import annotations

from typing import Any

import pytest

from fairnb.case import load_case
from fairnb.errors import FairnbErrors
from fairnb.sections import Altai, Need, Plan, Result, Section, SectionParams, View, _registry


class Asking(Section):
    """Puts ten differences to the test."""

    id = "asking"
    title = "Asking"
    requirement = Altai.TRANSPARENCY
    needs = (Need.TEST_CORPUS,)
    asks = 10

    def confirmatory(self, plan: Plan, params: SectionParams) -> int:
        return self.asks

    def run(self, view: View, params: SectionParams) -> Result:
        return Result(facts={"alpha": view.alpha})


class AskingMore(Asking):
    id = "asking_more"
    asks = 30


class AskingInVain(Asking):
    id = "asking_in_vain"
    needs = (Need.SYNTHETIC_CORPUS,)
    asks = 1000


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: dict[str, Any] = {
        kind.id: f"{__name__}:{kind.__name__}" for kind in (Asking, AskingMore, AskingInVain)
    }
    monkeypatch.setattr(
        _registry,
        "_OWN",
        {"engagement": _registry._OWN["engagement"], **kinds, "conclusion": _registry._OWN["conclusion"]},
    )
    loaded = {f"{__name__}:{kind.__name__}": kind() for kind in (Asking, AskingMore, AskingInVain)}
    original = _registry._loaded
    monkeypatch.setattr(_registry, "_loaded", lambda home: loaded.get(home) or original(home))


def alphas(case: Any) -> dict[str, float]:
    shares: dict[str, float] = case.facts()["shares"]()
    return shares


@pytest.mark.usefixtures("asking")
def test_sections_share_alpha_by_what_they_ask(make_case: Any) -> None:
    case = load_case(make_case())
    assert alphas(case) == pytest.approx({"asking": 0.05 / 4, "asking_more": 0.05 * 3 / 4})
    assert case.run("asking").result.facts["alpha"] == pytest.approx(0.0125)


@pytest.mark.usefixtures("asking")
def test_targets_divide_a_sections_part(make_case: Any) -> None:
    targets = "\n[targets.one]\npositive = [1]\n[targets.two]\npositive = [0]\n"
    case = load_case(make_case(extra=targets))
    assert alphas(case)["asking"] == pytest.approx(0.05 / 4 / 2)
    assert sum(2 * part for part in alphas(case).values()) == pytest.approx(0.05)


@pytest.mark.usefixtures("asking")
def test_the_case_file_may_declare_parts(make_case: Any) -> None:
    case = load_case(make_case(extra="\n[findings]\nalpha = 0.1\nshares = { asking = 0.8 }\n"))
    assert alphas(case) == pytest.approx({"asking": 0.08, "asking_more": 0.02})


@pytest.mark.usefixtures("asking")
def test_a_changed_part_makes_the_result_stale_and_is_printed(make_case: Any) -> None:
    case = load_case(make_case())
    first = case.run("asking")
    assert case.state("asking") == "fresh"
    case = load_case(make_case(extra="\n[findings]\nshares = { asking = 0.5 }\n"))
    assert case.state("asking") == "stale"
    assert case.run("asking").content_sha256 != first.content_sha256
    assert case.run("engagement").result.facts["shares"]["asking"] == pytest.approx(0.025)


@pytest.mark.usefixtures("asking")
@pytest.mark.parametrize(
    ("shares", "found"),
    [
        ("{ asking = 0.8, asking_more = 0.3 }", "add up to 1.1"),
        ("{ asking = -0.1 }", "parts of one"),
        ("{ asking = nan }", "parts of one"),
        ("{ askin = 0.1 }", "did you mean 'asking'"),
    ],
)
def test_impossible_parts_are_refused_with_their_place(make_case: Any, shares: str, found: str) -> None:
    with pytest.raises(FairnbErrors) as error:
        load_case(make_case(extra=f"\n[findings]\nshares = {shares}\n"))
    assert found in str(error.value)
    assert "findings" in str(error.value)


SYNTHETIC = """
[corpus.synthetic]
path = "test.csv"
[sections.group_bias]
corpus = "synthetic"
"""


def test_a_census_has_no_part_of_alpha(make_case: Any) -> None:
    """Sentences from templates are counted, not tested; without a column of clusters nothing says so."""
    assert alphas(load_case(make_case(extra=SYNTHETIC))) == pytest.approx({"group_bias": 0.05})
    clustered = SYNTHETIC.replace('"test.csv"', '"test.csv"\ncluster = "label"')
    assert alphas(load_case(make_case(extra=clustered))) == {}


def test_a_section_without_a_part_of_alpha_runs_and_tests_nothing(make_case: Any) -> None:
    rows = [(f"the woman next door, number {n}", n % 2, 0.1 + n % 3 / 3) for n in range(90)]
    rows += [(f"it rained on day {n}", n % 2, 0.2) for n in range(90)]
    case = load_case(make_case(extra="\n[findings]\nshares = { group_bias = 0.0 }\n", rows=rows))
    result = case.run("group_bias", target="positive").result
    reasons = {one.reason for one in result.candidates if one.family == "C" and one.effect is not None}
    assert "no part of alpha is given to this section" in reasons
    assert all(one.p_adjusted is None for one in result.measures if one.family == "C")


def test_recorded_scores_leave_alpha_to_what_can_run(make_case: Any) -> None:
    """Neither swaps nor templates can be scored again."""
    assert set(alphas(load_case(make_case()))) == {"group_bias"}
