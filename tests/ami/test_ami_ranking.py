"""Runs set against each other: the same texts for all, ranks with what speaks against them."""

from __future__ import annotations

import numpy as np
import pytest

from fairnb.ami import Competitor, ranking, score_submissions
from fairnb.ami._ranking import resampled_score_a
from fairnb.statistics import holm


def competitor(name: str, value: float, law, team: str = "") -> Competitor:
    return Competitor(name, team or name, value, np.asarray(law, float))


def test_ranks_follow_the_corrected_differences():
    rng = np.random.default_rng(1)
    shared = rng.normal(0, 0.05, 4000)
    laws = {
        name: value + shared + rng.normal(0, 0.01, 4000)
        for name, value in (("a", 0.8), ("b", 0.79), ("c", 0.6))
    }
    competitors = [
        competitor(name, value, laws[name]) for name, value in (("c", 0.6), ("a", 0.8), ("b", 0.79))
    ]
    for correction in ("holm", "max"):
        found = ranking("A", competitors, correction=correction)
        assert [(place.run, place.rank, place.best, place.worst) for place in found.places] == [
            ("a", 1, 1, 2),
            ("b", 2, 1, 2),
            ("c", 3, 3, 3),
        ]


def test_adjusted_values_are_holms_of_normal_ones():
    from scipy.stats import norm

    rng = np.random.default_rng(2)
    competitors = [
        competitor(name, value, value + rng.normal(0, 0.02, 500))
        for name, value in zip("abc", (0.7, 0.72, 0.8), strict=True)
    ]
    found = ranking("B", competitors)
    plain = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        spread = np.std(competitors[one].law - competitors[other].law, ddof=1)
        plain.append(2 * norm.sf(abs(competitors[one].value - competitors[other].value) / spread))
    assert [one.p for one in found.differences] == pytest.approx(holm(plain), rel=1e-9)


def test_a_difference_is_held_to_the_level_on_both_sides():
    # 2.1 standard errors: a two-sided normal p of 0.036.
    law = np.random.default_rng(12).normal(0, 1, 400)
    law = 0.1 * (law - law.mean()) / law.std(ddof=1)
    both = [competitor("a", 0.71, law), competitor("b", 0.5, np.zeros(400))]
    for level, ranks in ((0.95, [(1, 1), (2, 2)]), (0.97, [(1, 2), (1, 2)])):
        found = ranking("A", both, level=level)
        assert [(place.best, place.worst) for place in found.places] == ranks


def test_equal_runs_share_a_rank_and_have_no_difference():
    law = np.random.default_rng(3).normal(0.7, 0.1, 100)
    for correction in ("holm", "max"):
        found = ranking("A", [competitor("a", 0.7, law), competitor("b", 0.7, law)], correction=correction)
        assert [(place.rank, place.best, place.worst) for place in found.places] == [(1, 1, 2), (1, 1, 2)]
        assert found.differences[0].p is None


def test_the_best_of_several_runs_of_a_team_is_flagged():
    law = np.random.default_rng(4).normal(0, 0.1, (3, 100))
    found = ranking(
        "A",
        [
            competitor("x1", 0.7, law[0], "x"),
            competitor("x2", 0.75, law[1], "x"),
            competitor("y1", 0.8, law[2], "y"),
        ],
    )
    assert {place.run: place.selected_of for place in found.places} == {"x1": 0, "x2": 2, "y1": 0}


def test_resamples_without_a_value_are_left_out():
    rng = np.random.default_rng(5)
    laws = 0.7 + rng.normal(0, 0.02, (2, 300))
    laws[0, :5] = np.nan
    for correction in ("holm", "max"):
        found = ranking(
            "B", [competitor("a", 0.7, laws[0]), competitor("b", 0.9, laws[1] + 0.2)], correction=correction
        )
        assert found.differences[0].p < 0.05


def test_every_run_sees_the_same_rows():
    cells = np.random.default_rng(6).integers(0, 16, 200)
    one, again = (resampled_score_a(cells, resamples=20, seed=9) for _ in range(2))
    assert (one == again).all()
    assert (resampled_score_a(cells, resamples=20, seed=8) != one).any()


def test_the_same_answers_under_two_names_are_level(task):
    guessed = task.guessed(1)
    paths = [task.zipped(task.files(guessed, team=team), f"{team}.zip") for team in ("uno", "due")]
    found = score_submissions(paths, **task.golds(), resamples=50)
    assert [one.subtask for one in found.rankings] == ["A", "B"]
    for one in found.rankings:
        assert {place.rank for place in one.places} == {1}
        assert one.differences[0].value == 0
        assert one.differences[0].p is None


def test_a_better_team_is_found_ahead(task):
    paths = [
        task.zipped(task.files(task.guessed(seed, wrong), team=team), f"{team}.zip")
        for seed, (team, wrong) in enumerate((("bene", 0.02), ("male", 0.45)))
    ]
    found = score_submissions(paths, **task.golds(), resamples=200)
    for one in found.rankings:
        assert [(place.team, place.best, place.worst) for place in one.places] == [
            ("bene", 1, 1),
            ("male", 2, 2),
        ]


def test_an_undefined_score_is_not_ranked(task):
    task.terms.write_text("donne\nnessuna\n", "utf-8")
    paths = [task.zipped(task.files(task.guessed(1), team=team), f"{team}.zip") for team in ("uno", "due")]
    found = score_submissions(paths, **task.golds(), resamples=20)
    assert [one.subtask for one in found.rankings] == ["A"]


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["holm", "max"])
def test_runs_that_are_alike_are_rarely_set_apart(correction):
    # Six equally good systems with shared texts; the chance that any pair is set apart is held at 5 %.
    rng = np.random.default_rng(11)
    apart, audits = 0, 400
    for audit in range(audits):
        gold = rng.integers(0, 2, (2, 300))
        competitors = []
        hard = rng.random(300) < 0.3
        for system in range(6):
            wrong = rng.random((2, 300)) < np.where(hard, 0.5, 0.1)
            called = gold ^ wrong
            side = [np.where(called[q], np.where(gold[q], 0, 1), np.where(gold[q], 2, 3)) for q in (0, 1)]
            cells = 4 * side[0] + side[1]
            law = resampled_score_a(cells, resamples=200, seed=audit)
            competitors.append(competitor(f"s{system}", _score_a(cells), law))
        found = ranking("A", competitors, correction=correction)
        apart += any(place.worst < 6 or place.best > 1 for place in found.places)
    assert apart / audits <= 0.05 + 2.33 * (0.05 * 0.95 / audits) ** 0.5


def _score_a(cells) -> float:
    joint = np.bincount(cells, minlength=16).reshape(4, 4)
    f1 = []
    for tp, fp, fn, tn in (joint.sum(axis=1), joint.sum(axis=0)):
        f1 += [2 * tp / (2 * tp + fp + fn), 2 * tn / (2 * tn + fp + fn)]
    return float(np.mean(f1))
