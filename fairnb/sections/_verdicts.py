"""From differences to verdicts: one rule for every criterion, declared beforehand and printed.

Confirmatory candidates (family C) of a section share its part of the audit's alpha; Holm's procedure on
mid-p values holds the error within the part, so that a finding is final when its cell has run. A finding
needs the adjusted test **and** an estimate that reaches the margin. Its severity follows from the lower end
of the simultaneous interval (Bonferroni): 0.20 is high, 0.10 medium, else low. A missing finding is never
fairness: what is not a finding is *within the margin* only if its interval lies inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

from fairnb.sections._contract import Altai
from fairnb.sections._format import count, margin_points, number
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._result import Candidate, Finding, Severity, Verdict
from fairnb.sections._support import NEVER_BELOW

if TYPE_CHECKING:
    from fairnb.statistics import Estimate

HIGH = 0.20
MEDIUM = 0.10
VERDICT_FROM = 10
"""Under this support there is no verdict at all."""
CENSUS_TEMPLATES = 2
"""Templates with both groups from which a difference over a fixed set can be a finding."""
POWER = 0.80
NO_ALPHA = "no part of alpha is given to this section"
"""Why nothing is tested where the case file gives the section none, or its candidates were not declared."""
_SMALLEST = 2.0**-50
"""Smallest alpha of a simultaneous interval: nearer to 1, a level could not be told from 1."""

RULES = (
    "A difference is a finding if its test, adjusted by Holm's procedure within the section's part of alpha, "
    "rejects equality and the estimate reaches the margin. Severity: high if the lower end of the simultaneous "
    "interval reaches 0.20, medium if 0.10, else low. Exploratory differences (Benjamini and Hochberg within "
    "the section) are observations at most. Within the margin: the whole interval lies inside it. Inconclusive: "
    "neither. Not measured: fewer than ten rows, undefined, or no part of alpha."
)


@dataclass(frozen=True)
class Question:
    """A difference put to the test."""

    criterion: str
    """Short name, such as `Wrongly flagged, orientation: gay`."""
    statement: str
    """One plain sentence with the difference, its interval and n."""
    key: MeasureKey
    at: Callable[[float], Estimate]
    """The difference with its interval at a confidence level."""
    p: float | None
    """Two-sided mid-p of equality; None where not computable."""
    support: int
    """The smaller of the two denominators."""
    spread: float | None = None
    """Standard error under equality: from it the smallest difference that could have been seen."""
    family: Literal["C", "E", "census"] = "C"
    untested: str = ""
    """Why it is not tested although there are rows enough, such as too few clusters."""
    tested_from: int | None = None
    """Support from which it is tested; None: the case's smallest."""
    settled_from: int = VERDICT_FROM
    """Support from which it has a verdict; below, value and test are indicative."""
    points: bool = False
    """Whether readers are told it in percentage points: a difference of shares or of probabilities."""

    def size(self, value: float) -> str:
        """A size without sign in the unit of the question's sentence."""
        return f"{number(100 * value, 1)} points" if self.points else number(value, 2)


@dataclass(frozen=True)
class Judged:
    """A question with its answer."""

    question: Question
    verdict: Verdict
    reason: str
    estimate: Estimate
    simultaneous: Estimate | None
    """Interval at the corrected level; None where nothing was tested."""
    p_adjusted: float | None
    detectable: float | None
    severity: Severity | None


def judge(
    questions: Sequence[Question],
    *,
    alpha: float,
    margin: float,
    min_support: int,
    confidence: float,
) -> tuple[Judged, ...]:
    """Answer the questions of one family.

    Parameters
    ----------
    questions : sequence of Question
        All of one family.
    alpha : float
        The part of the audit's alpha that these questions share; with none of it nothing is tested.
    margin : float
        Smallest difference that matters.
    min_support : int
        Smallest support at which a difference is tested that names none of its own; at least 20.
    confidence : float
        Level of the printed intervals.

    Returns
    -------
    tuple of Judged
        In the order of the questions.
    """
    from fairnb.statistics import benjamini_hochberg, holm

    least = [min_support if one.tested_from is None else one.tested_from for one in questions]
    tested = [
        alpha > 0 and one.p is not None and one.support >= minimum
        for one, minimum in zip(questions, least, strict=True)
    ]
    p_values = [question.p if test else None for question, test in zip(questions, tested, strict=True)]
    exploratory = any(question.family == "E" for question in questions)
    adjusted = (benjamini_hochberg if exploratory else holm)(p_values)
    corrected = max(_SMALLEST, alpha / max(1, sum(tested)))
    return tuple(
        _answer(question, p, corrected, alpha, margin, minimum, confidence)
        for question, p, minimum in zip(questions, adjusted, least, strict=True)
    )


def _answer(
    question: Question,
    p: float | None,
    corrected: float,
    alpha: float,
    margin: float,
    minimum: int,
    confidence: float,
) -> Judged:
    estimate = question.at(confidence)
    if estimate.value is None:
        return _without(question, estimate, Verdict.NOT_MEASURED, estimate.note or "undefined")
    if question.support < VERDICT_FROM:
        few = "no value" if question.support < NEVER_BELOW else "too few to say"
        return _without(question, estimate, Verdict.NOT_MEASURED, f"{_rows(question.support)}: {few}")
    enough = question.support >= minimum
    if not alpha > 0 and enough and question.p is not None:
        return _without(question, estimate, Verdict.NOT_MEASURED, NO_ALPHA)
    if p is None:
        few = f"{_rows(question.support)}: tested from {count(minimum)}"
        reason = question.untested if enough and question.untested else few
        return _without(question, estimate, Verdict.INCONCLUSIVE, reason)
    simultaneous = question.at(1 - corrected)
    detectable = _detectable(question.spread, corrected)
    nearest = _nearest(simultaneous)
    if question.support < question.settled_from:
        reason = f"{_rows(question.support)}: indicative, a verdict from {count(question.settled_from)}"
        return Judged(question, Verdict.INCONCLUSIVE, reason, estimate, simultaneous, p, detectable, None)
    if p < alpha and abs(estimate.value) >= margin:
        severity = (
            Severity.OBSERVATION
            if question.family == "E"
            else Severity.HIGH
            if nearest >= HIGH
            else Severity.MEDIUM
            if nearest >= MEDIUM
            else Severity.LOW
        )
        return Judged(question, Verdict.EXCEEDS, "", estimate, simultaneous, p, detectable, severity)
    if estimate.low is not None and estimate.high is not None:
        if -margin < estimate.low and estimate.high < margin:
            return Judged(question, Verdict.WITHIN, "", estimate, simultaneous, p, detectable, None)
        excludes_zero = estimate.low > 0 or estimate.high < 0
    else:
        excludes_zero = False
    if p < alpha:
        limit = margin_points(margin) if question.points else f"{margin:g}"
        reason = f"a difference was shown, but it may be smaller than the margin of {limit}"
    elif excludes_zero:
        reason = "the single interval excludes zero, but the test does not survive the correction"
    elif detectable is not None:
        reason = f"differences below {question.size(detectable)} could not be seen"
    else:
        reason = "the interval reaches beyond the margin"
    return Judged(question, Verdict.INCONCLUSIVE, reason, estimate, simultaneous, p, detectable, None)


def census_severity(pooled: float, by_template: Sequence[float], margin: float) -> Severity | None:
    """How grave a difference over a fixed set from templates is; None if it is no finding.

    It is one if two templates or more have both groups, each shows the sign of the pooled difference, and
    that reaches the margin: high from 0.20, medium from 0.10.

    Parameters
    ----------
    pooled : float
        The exact difference over the whole set.
    by_template : sequence of float
        The exact difference within each template that has both groups.
    margin : float
    """
    size = abs(pooled)
    one_sign = all(one * pooled > 0 for one in by_template)
    if size < margin or len(by_template) < CENSUS_TEMPLATES or not one_sign:
        return None
    return Severity.HIGH if size >= HIGH else Severity.MEDIUM if size >= MEDIUM else Severity.LOW


def judge_census(
    question: Question, by_template: Sequence[float], *, margin: float, confidence: float
) -> Judged:
    """Answer a question about a fixed set of texts made from templates: exact, without a test.

    A finding is one "of this set", by `census_severity`. It says nothing of other texts.

    Parameters
    ----------
    question : Question
        Of the family ``census``.
    by_template : sequence of float
        The exact difference within each template that has both groups.
    margin, confidence : float
    """
    estimate = question.at(confidence)
    if estimate.value is None or not by_template:
        return _without(
            question, estimate, Verdict.NOT_MEASURED, estimate.note or "no template has both groups"
        )
    if question.support < VERDICT_FROM:
        few = "no value" if question.support < NEVER_BELOW else "too few to say"
        return _without(question, estimate, Verdict.NOT_MEASURED, f"{_rows(question.support)}: {few}")
    size = abs(estimate.value)
    if size < margin:
        return _without(question, estimate, Verdict.WITHIN, "")
    severity = census_severity(estimate.value, by_template, margin)
    if severity is None:
        few = f"only one template has both groups: a finding needs {CENSUS_TEMPLATES} or more"
        reason = few if len(by_template) < CENSUS_TEMPLATES else "not the same sign in every template"
        return _without(question, estimate, Verdict.INCONCLUSIVE, reason)
    return Judged(question, Verdict.EXCEEDS, "of this set", estimate, None, None, None, severity)


def _rows(number_of: int) -> str:
    return "1 row" if number_of == 1 else f"{count(number_of)} rows"


def _without(question: Question, estimate: Estimate, verdict: Verdict, reason: str) -> Judged:
    if question.support < NEVER_BELOW:
        # The measure behind it withholds its value, too.
        estimate = replace(estimate, value=None, low=None, high=None)
    return Judged(question, verdict, reason, estimate, None, None, None, None)


def _nearest(interval: Estimate) -> float:
    """Distance from zero of the nearer end of an interval; 0 if it holds zero."""
    if interval.low is None or interval.high is None:
        return 0.0
    return max(0.0, interval.low, -interval.high)


def _detectable(spread: float | None, corrected: float) -> float | None:
    """Smallest difference found with 80 % power at the corrected alpha, by the normal approximation."""
    if spread is None:
        return None
    law = NormalDist()
    return (law.inv_cdf(1 - corrected / 2) + law.inv_cdf(POWER)) * spread


def observed(
    measure: Measure,
    *,
    criterion: str,
    statement: str,
    margin: float,
    verdict: Verdict,
    reason: str,
    points: bool = False,
) -> tuple[Candidate, Finding | None]:
    """An exploratory measure as a candidate, and as an observation if it exceeds the margin."""
    candidate = Candidate(
        criterion=criterion,
        statement=statement,
        measures=(measure.key,),
        family="E",
        effect=measure.value,
        margin=margin,
        p=measure.p,
        p_adjusted=measure.p_adjusted,
        verdict=verdict,
        reason=reason,
        points=points,
    )
    if verdict is not Verdict.EXCEEDS:
        return candidate, None
    finding = Finding(
        criterion=criterion,
        severity=Severity.OBSERVATION,
        statement=statement,
        measures=candidate.measures,
        requirement=Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS,
        points=points,
    )
    return candidate, finding


def as_candidates(
    judged: Sequence[Judged], *, margin: float, requirement: Altai
) -> tuple[tuple[Candidate, ...], tuple[Finding, ...]]:
    """Candidates for the record, and the findings among them: gravest first, then largest."""
    candidates, findings = [], []
    for answer in judged:
        question = answer.question
        candidates.append(
            Candidate(
                criterion=question.criterion,
                statement=question.statement,
                measures=(question.key,),
                family=question.family,
                effect=answer.estimate.value,
                margin=margin,
                p=question.p,
                p_adjusted=answer.p_adjusted,
                verdict=answer.verdict,
                reason=answer.reason,
                points=question.points,
            )
        )
        if answer.severity is not None:
            findings.append(
                Finding(
                    criterion=question.criterion,
                    severity=answer.severity,
                    statement=question.statement,
                    measures=(question.key,),
                    requirement=int(requirement),
                    points=question.points,
                )
            )
    order = list(Severity)
    size = {candidate.measures[0]: abs(candidate.effect or 0.0) for candidate in candidates}
    findings.sort(key=lambda finding: (order.index(finding.severity), -size[finding.measures[0]]))
    return tuple(candidates), tuple(findings)
