from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import pytest
from scipy.stats import norm

from fairnb.sections import Altai, MeasureKey, Severity, Verdict
from fairnb.sections._verdicts import Question, as_candidates, census_severity, judge, judge_census
from fairnb.statistics import Estimate


def question(value, spread=0.01, *, p=None, support=500, family="C", name="x") -> Question:
    """A difference with a normal law."""

    def at(level: float) -> Estimate:
        reach = NormalDist().inv_cdf((1 + level) / 2) * spread
        return Estimate(value, value - reach, value + reach, level, "wald")

    two_sided = 2 * norm.sf(abs(value) / spread) if p is None else p
    return Question(name, f"{name}.", MeasureKey(name), at, two_sided, support, spread, family)


def answers(*questions, alpha=0.05, margin=0.05):
    return judge(questions, alpha=alpha, margin=margin, min_support=20, confidence=0.95)


def test_four_verdicts():
    exceeds, within, inconclusive, missing = answers(
        question(0.10), question(0.00), question(0.06, 0.05), question(0.3, support=9)
    )
    assert exceeds.verdict is Verdict.EXCEEDS
    assert within.verdict is Verdict.WITHIN
    assert inconclusive.verdict is Verdict.INCONCLUSIVE
    assert missing.verdict is Verdict.NOT_MEASURED
    assert missing.reason == "9 rows: too few to say"


def test_below_five_rows_no_value_is_recorded():
    shown, withheld = answers(question(0.3, support=5), question(0.3, support=4, name="y"))
    candidates, _ = as_candidates(
        [shown, withheld], margin=0.05, requirement=Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    )
    assert [candidate.effect for candidate in candidates] == [0.3, None]
    assert candidates[1].reason == "4 rows: no value"


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        (0.06, Severity.LOW),
        (0.119, Severity.LOW),
        (0.13, Severity.MEDIUM),
        (-0.13, Severity.MEDIUM),
        (0.1197, Severity.MEDIUM),
        (0.219, Severity.MEDIUM),
        (0.2197, Severity.HIGH),
        (0.23, Severity.HIGH),
    ],
)
def test_severity_follows_the_nearer_end_of_the_simultaneous_interval(value, severity):
    # One question at alpha 0.05: the interval reaches 1.96 x 0.01 to each side.
    (answer,) = answers(question(value))
    assert answer.severity is severity


def test_without_a_part_of_alpha_nothing_is_tested_and_values_stay():
    large, small, few, undecided = judge(
        [
            question(0.4),
            question(0.0),
            question(0.3, support=9),
            replace(question(0.3), p=None, untested="4 clusters: tested from 10"),
        ],
        alpha=0.0,
        margin=0.05,
        min_support=20,
        confidence=0.95,
    )
    for answer, value in ((large, 0.4), (small, 0.0)):
        assert answer.verdict is Verdict.NOT_MEASURED
        assert answer.reason == "no part of alpha is given to this section"
        assert (answer.p_adjusted, answer.simultaneous, answer.severity) == (None, None, None)
        assert answer.estimate.low == pytest.approx(value - norm.ppf(0.975) * 0.01)
    assert few.reason == "9 rows: too few to say"
    assert undecided.reason == "4 clusters: tested from 10"


def test_a_minute_part_of_alpha_has_an_interval():
    (answer,) = answers(question(0.4), alpha=1e-30)
    assert answer.simultaneous.level < 1


def test_the_simultaneous_interval_is_bonferronis():
    first, *_ = answers(question(0.3), question(0.0), question(0.0), question(0.0))
    reach = norm.ppf(1 - 0.05 / 4 / 2) * 0.01
    assert (first.simultaneous.low, first.simultaneous.high) == pytest.approx((0.3 - reach, 0.3 + reach))


def test_a_significant_difference_below_the_margin_is_no_finding():
    (answer,) = answers(question(0.045, 0.005))
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "may be smaller than the margin" in answer.reason
    (small,) = answers(question(0.02, 0.005))
    assert small.verdict is Verdict.WITHIN


def test_holm_decides_and_the_lost_single_interval_is_told():
    # p = 0.03 alone would reject; among four it does not.
    lost, *_ = answers(question(0.2, 0.2 / 2.17), question(0.0), question(0.0), question(0.0))
    assert lost.question.p == pytest.approx(0.03, abs=0.001)
    assert lost.p_adjusted == pytest.approx(4 * lost.question.p)
    assert lost.verdict is Verdict.INCONCLUSIVE
    assert "does not survive the correction" in lost.reason


def test_what_could_have_been_seen_has_eighty_percent_power():
    (answer,) = answers(question(0.01, 0.05), alpha=0.01)
    power = norm.sf(norm.ppf(1 - 0.005) - answer.detectable / 0.05)
    assert power == pytest.approx(0.80, abs=1e-3)
    assert f"differences below {answer.detectable:.2f} could not be seen" in answer.reason


def test_a_difference_told_in_points_has_its_reasons_in_points():
    told = (replace(one, points=True) for one in (question(0.01, 0.05), question(0.02, 0.004)))
    unseen, shown = answers(*told, margin=0.025)
    # 80 % power at half of 0.05, two-sided.
    reach = 0.05 * (norm.ppf(1 - 0.025 / 2) + norm.ppf(0.8))
    assert unseen.reason == f"differences below {100 * reach:.1f} points could not be seen"
    assert shown.reason == "a difference was shown, but it may be smaller than the margin of 2.5 points"
    (candidate, *_), _ = as_candidates([unseen], margin=0.025, requirement=Altai(5))
    assert candidate.points


def test_a_record_without_a_unit_is_written_as_before_there_was_one():
    (candidate,), (finding,) = as_candidates(answers(question(0.3)), margin=0.05, requirement=Altai(5))
    assert "points" not in candidate.model_dump(mode="json")
    assert "points" not in finding.model_dump(mode="json")


def test_between_ten_and_twenty_rows_nothing_is_tested_and_the_family_is_smaller():
    few, other = answers(question(0.4, 0.02, support=15), question(0.3))
    assert (few.verdict, few.p_adjusted) == (Verdict.INCONCLUSIVE, None)
    assert other.p_adjusted == pytest.approx(other.question.p)


def test_undefined_is_not_measured_with_its_reason():
    nothing = Question(
        "x",
        "x.",
        MeasureKey("x"),
        lambda level: Estimate(None, None, None, level, "mover", "no positive text"),
        None,
        100,
    )
    (answer,) = answers(nothing)
    assert (answer.verdict, answer.reason) == (Verdict.NOT_MEASURED, "no positive text")


def test_exploratory_differences_are_observations_by_benjamini_and_hochberg():
    judged = answers(*(question(0.3, p=p, family="E", name=f"q{i}") for i, p in enumerate((0.01, 0.02, 0.9))))
    assert [answer.p_adjusted for answer in judged] == pytest.approx([0.03, 0.03, 0.9])
    _, findings = as_candidates(judged, margin=0.05, requirement=Altai(5))
    assert [finding.severity for finding in findings] == [Severity.OBSERVATION] * 2


def test_a_measure_may_be_tested_and_settled_from_a_support_of_its_own():
    few = replace(question(0.4, family="E", support=12), tested_from=10, settled_from=50)
    enough = replace(question(0.4, family="E", support=50), tested_from=10, settled_from=50)
    judged = answers(few, enough)
    assert [answer.verdict for answer in judged] == [Verdict.INCONCLUSIVE, Verdict.EXCEEDS]
    assert all(answer.p_adjusted is not None for answer in judged)
    assert judged[0].reason == "12 rows: indicative, a verdict from 50"


def test_findings_come_gravest_first_and_every_question_stays_on_record():
    judged = answers(
        question(0.06, 0.001, name="low"),
        question(0.4, name="high"),
        question(0.0, name="none"),
        question(-0.7, name="higher"),
    )
    candidates, findings = as_candidates(judged, margin=0.05, requirement=Altai(5))
    assert [candidate.criterion for candidate in candidates] == ["low", "high", "none", "higher"]
    assert [finding.criterion for finding in findings] == ["higher", "high", "low"]
    assert all(math.isfinite(candidate.effect) for candidate in candidates)


@pytest.mark.parametrize(
    ("value", "by_template", "verdict", "severity"),
    [
        (0.9, (0.8, 1.0), Verdict.EXCEEDS, Severity.HIGH),
        (-0.12, (-0.1, -0.14), Verdict.EXCEEDS, Severity.MEDIUM),
        (0.06, (0.01, 0.2), Verdict.EXCEEDS, Severity.LOW),
        (0.9, (1.0, 0.0), Verdict.INCONCLUSIVE, None),
        (0.04, (0.04,), Verdict.WITHIN, None),
        (0.9, (0.9,), Verdict.INCONCLUSIVE, None),
        (0.9, (), Verdict.NOT_MEASURED, None),
    ],
)
def test_a_census_needs_the_same_sign_in_every_template(value, by_template, verdict, severity):
    answer = judge_census(question(value, family="census"), by_template, margin=0.05, confidence=0.95)
    assert (answer.verdict, answer.severity) == (verdict, severity)
    assert answer.p_adjusted is None
    candidates, findings = as_candidates([answer], margin=0.05, requirement=Altai(5))
    assert candidates[0].family == "census"
    assert [one.severity for one in findings] == [severity] * (severity is not None)


def test_one_template_makes_no_census_finding():
    answer = judge_census(question(0.9, family="census"), (0.9,), margin=0.05, confidence=0.95)
    assert answer.reason == "only one template has both groups: a finding needs 2 or more"
    assert census_severity(0.9, (0.9,), 0.05) is None
    assert census_severity(-0.9, (-0.9, -0.8), 0.05) is Severity.HIGH


def test_a_census_of_too_few_rows_is_not_judged():
    answer = judge_census(question(0.9, support=9, family="census"), (0.9,), margin=0.05, confidence=0.95)
    assert answer.verdict is Verdict.NOT_MEASURED
