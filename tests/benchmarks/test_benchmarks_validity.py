"""The program that checks verdicts and intervals: what it takes for true is true, and its gates can fail."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import f1_score, precision_score, roc_auc_score


class _Programs(NamedTuple):
    simulated: Any
    scenarios: Any
    audits: Any
    validity: Any


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> _Programs:
    """The modules of `benchmarks/`, which are no package."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    import audits
    import scenarios
    import simulated
    import validity

    return _Programs(simulated, scenarios, audits, validity)


def test_a_population_has_the_rates_and_areas_of_its_normal_laws(programs: _Programs) -> None:
    known = programs.scenarios.scenario_of("biased").population
    centre = norm.ppf(0.85)
    assert known.value("equal_opportunity", "~orientation") < 0.85  # Islam is wronged there, too
    alone = programs.scenarios.scenario_of("equal").population
    assert alone.value("equal_opportunity", "religion/Islam") == pytest.approx(0.85)
    assert alone.value("false_positive_rate", "gender/female") == pytest.approx(0.15)
    assert alone.value("overall_accuracy_equality", "") == pytest.approx(0.85)
    precision = 0.4 * 0.85 / (0.4 * 0.85 + 0.6 * 0.15)
    assert alone.value("positive_predictive_value", "~gender") == pytest.approx(precision)
    # Two normal laws of spread 1, 2 centre apart; scores are rounded to a thousandth.
    assert alone.value("subgroup_auc", "") == pytest.approx(norm.cdf(2 * centre / math.sqrt(2)), abs=1e-5)


def test_many_rows_show_what_the_population_says(programs: _Programs) -> None:
    known = programs.scenarios.scenario_of("biased").population
    rows = programs.simulated.drawn(known, 400_000, np.random.default_rng(7))
    inside = rows.members[:, known.subgroups.index(("religion", "Islam"))]
    labels, scores = rows.labels[inside], rows.scores[inside]
    flagged = scores >= 0.5
    seen = {
        "equal_opportunity": flagged[labels == 1].mean(),
        "false_positive_rate": flagged[labels == 0].mean(),
        "statistical_parity": flagged.mean(),
        "positive_predictive_value": precision_score(labels, flagged),
        "f1 (macro)": f1_score(labels, flagged, average="macro"),
        "f1 (weighted)": f1_score(labels, flagged, average="weighted"),
        "f1 (negative)": f1_score(labels, flagged, pos_label=0),
        "mean_score": scores.mean(),
        "subgroup_auc": roc_auc_score(labels, scores),
    }
    for kind, label in (("bpsn", 0), ("bnsp", 1)):
        kept = np.where(inside, rows.labels == label, rows.labels != label)
        seen[f"{kind}_auc"] = roc_auc_score(rows.labels[kept], rows.scores[kept])
    # 24,000 rows of the group: four standard errors of a share are below 0.016.
    assert {name: known.value(name, "religion/Islam") for name in seen} == pytest.approx(seen, abs=0.016)


def test_scores_are_calibrated_in_every_group_under_sufficiency(programs: _Programs) -> None:
    known = programs.scenarios.scenario_of("sufficiency").population
    rows = programs.simulated.drawn(known, 400_000, np.random.default_rng(8))
    for column in (0, 3, 6):
        inside = rows.members[:, column]
        for low in (0.1, 0.4, 0.7):
            kept = inside & (rows.scores >= low) & (rows.scores < low + 0.2)
            assert rows.labels[kept].mean() == pytest.approx(rows.scores[kept].mean(), abs=0.05)


def test_authors_leave_every_group_its_rates(programs: _Programs) -> None:
    known = programs.scenarios.scenario_of("clusters").population
    rows = programs.simulated.drawn(known, 400_000, np.random.default_rng(9), authors=100_000)
    inside = rows.members[:, known.subgroups.index(("gender", "female"))]
    assert rows.labels[inside].mean() == pytest.approx(known.side("gender/female").base_rate, abs=0.01)
    flagged = rows.scores >= 0.5
    kept = flagged[inside & (rows.labels == 1)]
    assert kept.mean() == pytest.approx(known.value("equal_opportunity", "gender/female"), abs=0.02)


def test_the_limit_is_the_binomial_quantile(programs: _Programs) -> None:
    assert programs.validity.allowed(2000) == 116
    assert binom.cdf(115, 2000, 0.05) < 0.95 <= binom.cdf(116, 2000, 0.05)


def test_parts_add_up_to_the_same_audits(programs: _Programs) -> None:
    scenario = programs.scenarios.scenario_of("unequal")
    whole = programs.audits.simulate(scenario, range(6), (3, 1), 1)
    parts = programs.audits.simulate(scenario, range(4), (3, 1), 1)
    parts.add(programs.audits.simulate(scenario, range(4, 6), (3, 1), 0))
    assert parts == whole
    assert whole.counts["audits"] == 6
    assert programs.audits.simulate(scenario, range(6), (4, 1), 1) != whole


def test_the_program_prints_its_tables_and_writes_its_counts(
    programs: _Programs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--audits", "25", "--scenario", "overlap", "--whole", "1", "--json", str(tmp_path / "out.json")]
    assert programs.validity.main(chosen) == 0
    printed = capsys.readouterr().out
    assert "Every gate holds." in printed
    assert "| overlap: 33 to 55 % of the smaller group shared | 22, 22 |" in printed
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert written["scenarios"]["overlap"]["audits"] == 25
    assert written["scenarios"]["overlap"]["whole"] == 1


def test_bias_that_is_taken_for_none_fails_the_gate(
    programs: _Programs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    biased, equal = (programs.scenarios.scenario_of(name) for name in ("biased", "equal"))
    planted = replace(biased, truth=equal.population)
    monkeypatch.setattr(programs.validity, "scenario_of", lambda _: planted)
    assert programs.validity.main(["--audits", "25", "--scenario", "equal", "--whole", "0"]) == 1
    assert "MISSED equal: 25 audits with a false finding, 3 allowed" in capsys.readouterr().out


def test_intervals_that_are_too_narrow_or_too_wide_fail_the_gate(programs: _Programs) -> None:
    found = programs.audits.Counted()
    cells = [
        programs.audits.Cell("equal_opportunity", "difference", band, "gender/female", "gender/male")
        for band in programs.audits.BANDS
    ]
    for cell, covered in zip(cells, (92, 98), strict=True):
        found.intervals[cell] = 100
        found.covered[cell] = covered
    others = {
        name: programs.audits.Counted(Counter({"audits: sought": 2000}))
        for name in programs.scenarios.SCENARIOS
    }
    assert programs.validity.failures({"equal": found}, 2000) == []  # one scenario is not the grid
    missed = programs.validity.failures({**others, "equal": found}, 2000)
    assert sorted(line.rpartition(": ")[2] for line in missed) == [
        "92.00 % covered, 93 to 100 wanted",
        "98.00 % covered, 93 to 97 wanted",
    ]


def test_a_difference_that_is_seldom_found_fails_the_gate(programs: _Programs) -> None:
    found = programs.audits.Counted()
    found.counts["audits: sought"] = 1799
    assert programs.validity.failures({"power-lower": found}, 2000) == [
        "power-lower: found in 1799 of 2000 audits"
    ]
    found.counts["audits: sought"] = 1800
    assert programs.validity.failures({"power-lower": found}, 2000) == []


@pytest.mark.slow
def test_unequal_base_rates_give_few_false_findings_and_right_coverage(programs: _Programs) -> None:
    scenario = programs.scenarios.scenario_of("unequal")
    seen = programs.audits.simulate(scenario, range(400), (11, 1), 2)
    assert seen.counts["audits: false"] <= programs.validity.allowed(400)
    means = {
        one.measure: one.mean
        for one in programs.validity.coverages({"unequal": seen}, 400)
        if one.kind == "difference" and one.band == "50 and more"
    }
    for measure in ("equal_opportunity", "false_positive_rate", "bpsn_auc"):
        assert 0.93 <= means[measure] <= 0.97
