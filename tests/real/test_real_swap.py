"""Swapped identities of the real case: texts scored by the package itself, measured with SciPy and statsmodels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.variants import make_placebo, make_swapper, swapped_groups

pytestmark = pytest.mark.slow

LABELS = {"all": (0, 1), "positive": (1,), "negative": (0,)}
CLOSE = 1e-6
"""Scores are single numbers of 32 bits, and the network's last bits hang on what is in its batch."""


@dataclass(frozen=True)
class Moved:
    """One swapped text: label, score before and after."""

    label: int
    before: float
    after: float


@pytest.fixture(scope="module")
def swapped(split, scored):
    """(attribute, first, second) -> {(subgroup, to or "placebo"): rows}, and every text as it was swapped."""
    lexicon = load_lexicon(LexiconSpec(), Path())
    texts = [row[2] for row in split[1]]
    labels = [row[3] for row in split[1]]
    made = {}
    for attribute in lexicon.attributes:
        first, second = swapped_groups(lexicon, attribute)[0]
        done = make_swapper(lexicon, attribute, first, second).swap_all(texts)
        ways: dict[tuple[str, str], list[tuple[int, str]]] = {(first, second): [], (second, first): []}
        for row, one in enumerate(done):
            if one.changes and one.subgroup != "mixed":
                ways[one.subgroup, one.to].append((row, one.text))
        for group, other in ((first, second), (second, first)):
            placebo = make_placebo(lexicon, attribute, group)
            own = [row for row, _ in ways[group, other]]
            again = placebo.swap_all([texts[row] for row in own]) if placebo else []
            ways[group, "placebo"] = [
                (row, one.text)
                for row, one in zip(own, again, strict=placebo is not None)
                if one.changes and one.subgroup != "mixed"
            ]
        rows = {
            way: [
                Moved(labels[row], before, after)
                for (row, _), before, after in zip(
                    pairs,
                    scored([texts[row] for row, _ in pairs]),
                    scored([text for _, text in pairs]),
                    strict=True,
                )
            ]
            for way, pairs in ways.items()
        }
        made[attribute, first, second] = rows, done
    assert len(set(texts)) == len(texts), "equal texts would be one cluster: Student's interval is not theirs"
    return made


def mixed_in(done) -> int:
    return sum(one.subgroup == "mixed" for one in done)


def of(measure, swapped):
    """The rows of a measure."""
    ((rows, _),) = (one for (attribute, *_), one in swapped.items() if attribute == measure.attribute)
    if measure.measure == "favour":
        ways = [way for way in rows if way[1] != "placebo" and measure.variant in ("", f"to={way[1]}")]
    else:
        ways = [(measure.subgroup, measure.variant.removeprefix("to="))]
    return [(way, row) for way in ways for row in rows[way] if row.label in LABELS[measure.label]]


def chosen(case, name):
    return [one for one in case[0]["swap"].measures if one.measure == name]


def ends(measure):
    return pytest.approx((measure.low, measure.high), abs=CLOSE)


def withheld(measure, support: int) -> bool:
    """No value is shown of fewer than five; `support` decides."""
    if support >= 5:
        return False
    assert measure.value is measure.low is measure.high is measure.p is None
    return True


def test_texts_are_told_apart_as_printed_and_none_that_names_a_group_is_passed_over(
    swapped, printed, mentioned
):
    for (attribute, first, second), (rows, done) in swapped.items():
        passed = {
            row
            for row, one in enumerate(done)
            if not one.changes and not any(word.subgroup for word in one.skipped)
        }
        alone = sum(not one.changes for one in done) - len(passed)
        sizes = [len(rows[first, second]), len(rows[second, first]), mixed_in(done), alone, len(passed)]
        assert sum(sizes) == len(done)
        cells = printed["What was swapped"][f"{first} / {second}"]
        assert cells[1:6] == [f"{size:,}" for size in sizes]
        for group in (first, second):
            assert not passed & mentioned[1][attribute, group]


def test_every_mean_shift_has_students_interval(case, swapped):
    shown = 0
    for measure in chosen(case, "mean_shift"):
        shifts = [row.after - row.before for _, row in of(measure, swapped)]
        assert (measure.n, measure.denominator, measure.clusters) == (len(shifts),) * 3
        if withheld(measure, len(shifts)):
            continue
        test = stats.ttest_1samp(shifts, 0.0)
        assert measure.value == pytest.approx(np.mean(shifts), abs=CLOSE), measure.key
        assert tuple(test.confidence_interval(0.95)) == ends(measure), measure.key
        if measure.p is not None:
            assert measure.p == pytest.approx(test.pvalue, rel=1e-3)
        shown += 1
    assert shown >= 12


def test_shifts_are_tested_by_holms_procedure(case, swapped):
    measures = chosen(case, "mean_shift")
    # The placebo is the baseline, not a question; 20 texts are the smallest support of the case.
    tested = [m for m in measures if m.variant != "placebo" and len(of(m, swapped)) >= 20]
    assert {m.key for m in measures if m.p is not None} == {m.key for m in tested}
    shifts = [[row.after - row.before for _, row in of(m, swapped)] for m in tested]
    p_values = [stats.ttest_1samp(one, 0.0).pvalue for one in shifts]
    alpha = case[0]["swap"].facts["alpha"]
    normal = stats.norm.isf(alpha / len(tested) / 2) + stats.norm.ppf(0.8)
    for measure, adjusted, own in zip(tested, multipletests(p_values, method="holm")[1], shifts, strict=True):
        assert measure.p_adjusted == pytest.approx(adjusted, rel=1e-3)
        assert measure.detectable == pytest.approx(normal * stats.sem(own), abs=CLOSE)


def test_every_flip_rate_is_counted_at_the_threshold(case, swapped, printed):
    for measure in chosen(case, "flip_rate"):
        rows = [row for _, row in of(measure, swapped)]
        up = sum(row.before < 0.5 <= row.after for row in rows)
        down = sum(row.after < 0.5 <= row.before for row in rows)
        assert (measure.n, measure.denominator, measure.threshold) == (len(rows), len(rows), 0.5)
        assert measure.value is None or measure.value == pytest.approx((up + down) / len(rows))
        name = f"{measure.subgroup} to {measure.variant.removeprefix('to=')}, {measure.label}"
        if rows:
            cells = printed["Decisions that the swap changes"][name]
            assert measure.label != "all" or cells[3:5] == [str(up), str(down)]
            assert cells[6] == f"{len(rows):,}", name
        if withheld(measure, len(rows)):
            continue
        assert measure.value == pytest.approx((up + down) / len(rows))
        assert proportion_confint(up + down, len(rows), method="wilson") == ends(measure)


def favoured(way, row) -> str:
    """Section 6.3 of the paper: a negative text should score lower, a positive one higher; four decimals."""
    before, after = f"{row.before:.4f}", f"{row.after:.4f}"
    if before == after:
        return "no_change"
    return way[1] if (float(after) > float(before)) == bool(row.label) else way[0]


def unsure(row) -> bool:
    """Whether the last bits of a score decide how it is rounded."""
    return any(abs(score * 1e4 % 1 - 0.5) < 1e4 * CLOSE for score in (row.before, row.after))


def bonett_price(plus: int, minus: int, n: int) -> tuple[float, float]:
    """Bonett and Price (2012): Wald's interval with a pair added to either side."""
    p, q = (plus + 1) / (n + 2), (minus + 1) / (n + 2)
    reach = stats.norm.ppf(0.975) * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    return max(-1.0, p - q - reach), min(1.0, p - q + reach)


def hits_of(share):
    """The count behind a share; none where the value is withheld."""
    return round((share.value or 0.0) * (share.denominator or 0))


def test_every_share_of_favour_is_counted(case, swapped, printed):
    close = 0
    for (_, first, second), (_, done) in swapped.items():
        if (cells := printed["Whom the swap favours"].get(f"{first} / {second}")) is not None:
            assert cells[7] == f"{mixed_in(done):,}"
    for measure in chosen(case, "favour"):
        rows = of(measure, swapped)
        if measure.subgroup == "mixed":
            ((_, done),) = (one for (a, *_), one in swapped.items() if a == measure.attribute)
            hits, n = mixed_in(done), mixed_in(done) + len(rows)
        elif measure.reference:
            continue
        else:
            hits = sum(favoured(way, row) == measure.subgroup for way, row in rows)
            n = len(rows)
            slack = sum(unsure(row) for _, row in rows)
            told = hits if measure.value is None else hits_of(measure)
            assert abs(hits - told) <= slack, measure.key
            close += hits != told
            hits = told
        assert (measure.n, measure.denominator) == (n, n), measure.key
        if withheld(measure, n):
            continue
        assert measure.value == pytest.approx(hits / n)
        assert proportion_confint(hits, n, method="wilson") == ends(measure), measure.key
    assert close <= 12, "one text between two roundings stands in four shares of two labels"


def test_every_difference_of_favour_has_bonett_and_prices_interval_and_a_sign_test(case, swapped):
    found = case[0]["swap"]
    for measure in chosen(case, "favour"):
        if not measure.reference:
            continue
        key = {"attribute": measure.attribute, "label": measure.label, "variant": measure.variant}
        plus, minus = (
            hits_of(found.measure("favour", subgroup=group, **key))
            for group in (measure.subgroup, measure.reference)
        )
        n = len(of(measure, swapped))
        assert (measure.n, measure.denominator, measure.clusters) == (n, n, n)
        assert (measure.p is None) == (plus + minus < 10)
        if measure.p is not None:
            assert measure.p == pytest.approx(stats.binomtest(plus, plus + minus).pvalue, rel=1e-9)
        if not withheld(measure, plus + minus):
            assert measure.value == pytest.approx((plus - minus) / n)
            assert bonett_price(plus, minus, n) == ends(measure)


def test_exploratory_tests_are_adjusted_together(case):
    measures = [one for one in case[0]["swap"].measures if one.family == "E" and one.p is not None]
    adjusted = multipletests([one.p for one in measures], method="fdr_bh")[1]
    assert len(measures) > 10
    assert [one.p_adjusted for one in measures] == pytest.approx(adjusted.tolist(), rel=1e-9)


def test_no_measure_of_the_section_is_left_unchecked(case):
    assert {one.measure for one in case[0]["swap"].measures} == {"mean_shift", "flip_rate", "favour"}


def test_verdicts_follow_the_declared_rule(case):
    """A finding needs the adjusted test and the margin; within: the whole interval inside the margin."""
    found = case[0]["swap"]
    by_key = {one.key: one for one in found.measures}
    for candidate in found.candidates:
        measure = by_key[candidate.measures[0]]
        alpha = found.facts["alpha"] if candidate.family == "C" else 0.05
        if measure.p_adjusted is None:
            assert candidate.verdict.value in ("inconclusive", "not measured")
        elif measure.p_adjusted < alpha and abs(measure.value) >= 0.05:
            assert candidate.verdict.value == "exceeds the margin"
        elif measure.low > -0.05 and measure.high < 0.05:
            assert candidate.verdict.value == "within the margin"
        else:
            assert candidate.verdict.value == "inconclusive"
