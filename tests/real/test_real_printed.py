"""What the document of the real case prints, held to scikit-learn, SciPy, statsmodels and plain Python."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import classification_report, confusion_matrix
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fairnb.report import number_measures

pytestmark = pytest.mark.slow

TERMS = "Identity terms by label"
SUBGROUPS = "Subgroups by label"
TOLD = ("Compared with", "Groups", "Measure", "Metric", "Result in one sentence", "Verdict", "Why")
"""Columns of words."""
PAPERS = ("Paper", "Ours − paper")
"""Columns that hold the paper's figures; `test_report_paper` checks them."""
FACTS = ("Flagged", "Highest", "In another case", "Lowest", "Mixed", "To flagged", "To not flagged")
"""Columns of counts and values that are no measures; the tests of their sections check them."""
SHARES = ("coverage", "favour", "flip_rate", "frequency")
"""Measures beside which the count of hits is printed."""


@pytest.fixture(scope="module")
def counted(split, rows_of):
    """(positive, negative) texts of the train part by term and by subgroup; hits lost."""
    by_term, by_group, lost = rows_of([row[2] for row in split[0]])
    answers = np.array([row[3] for row in split[0]])

    def both(rows: set[int]) -> tuple[int, int]:
        positive = int(answers[list(rows)].sum()) if rows else 0
        return positive, len(rows) - positive

    return (
        {name: both(rows) for name, rows in by_term.items()},
        {name: both(rows) for name, rows in by_group.items()},
        lost,
    )


def test_scores_are_those_of_the_packages_own_interface(case, classifier):
    _, corpora, scores, _ = case
    for row in random.Random(7).sample(range(len(scores)), 40):
        own = classifier.classify(corpora["test"].texts[row])["toxic"]
        assert own == pytest.approx(scores[row], abs=1e-5)


def test_table_1_is_printed_as_scikit_learn_counts_it(case, printed):
    _, corpora, scores, _ = case
    labels = np.array([int(label) for label in corpora["test"].labels])
    report = classification_report(labels, scores >= 0.5, output_dict=True)
    names = {"Negative": "0", "Positive": "1", "Macro": "macro avg", "Weighted": "weighted avg"}
    for ours, theirs in names.items():
        cells = printed["Performance per class"][ours]
        shown = [cells[place] for place in (1, 3, 5, 7)]
        expected = [f"{report[theirs][column]:.3f}" for column in ("precision", "recall", "f1-score")]
        assert shown == [*expected, f"{report[theirs]['support']:,.0f}"]
    (tn, fp), (fn, tp) = confusion_matrix(labels, scores >= 0.5).tolist()
    counts = printed["Counts at threshold 0.50"]
    assert [counts["Positive"][1:3], counts["Negative"][1:3]] == [
        [f"{tp:,}", f"{fn:,}"],
        [f"{fp:,}", f"{tn:,}"],
    ]
    low, high = proportion_confint(tp, tp + fn, method="wilson")
    assert printed["Performance per class"]["Positive"][4] == f"{low:.3f} to {high:.3f}"


def test_the_area_has_delongs_interval(case, printed):
    _, corpora, scores, _ = case
    labels = np.array([int(label) for label in corpora["test"].labels])
    positive, negative = (scores[labels == answer].astype(float) for answer in (1, 0))
    wins = np.greater.outer(positive, negative) + np.equal.outer(positive, negative) / 2
    area, parts = wins.mean(), [wins.mean(axis=1), wins.mean(axis=0)]
    error = np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts))
    reach = stats.norm.ppf(0.975) * error / (area * (1 - area))
    ends = stats.logistic.cdf(stats.logistic.ppf(area) + np.array([-reach, reach]))
    cells = printed["Measures over all texts"]["Area under the ROC curve"]
    assert cells[1:3] == [f"{area:.3f}", f"{ends[0]:.3f} to {ends[1]:.3f}"]


@pytest.mark.parametrize(("title", "place", "digits"), [(TERMS, 0, 4), (SUBGROUPS, 1, 2)])
def test_mentions_are_printed_as_regular_expressions_count_them(
    counted, printed, split, title, place, digits
):
    totals = [sum(row[3] == answer for row in split[0]) for answer in (1, 0)]
    for name, hits in counted[place].items():
        if name not in printed[title]:
            assert hits == (0, 0)
            continue
        cells = printed[title][name]
        assert (cells[2], cells[4]) == tuple(f"{number:,}" for number in hits), name
        shares = [100 * hit / total for hit, total in zip(hits, totals, strict=True)]
        shares.append(100 * sum(hits) / sum(totals))
        assert [cells[1], cells[3], cells[5]] == [f"{share:.{digits}f} %" for share in shares], name
        if not hits[1] or sum(hits) < 5:
            assert cells[7] == "–"
            continue
        ratio = stats.contingency.relative_risk(hits[0], totals[0], hits[1], totals[1])
        low, high = ratio.confidence_interval(0.95)
        if min(hits) < 5:
            low, high = confint_proportions_2indep(
                hits[0], totals[0], hits[1], totals[1], method="score", compare="ratio", correction=False
            )
        assert cells[6:8] == [f"{ratio.relative_risk:.2f}", f"{low:.2f} to {high:.2f}"], name


def test_what_stands_out_passes_an_adjusted_exact_test(counted, tables, split):
    totals = [sum(row[3] == answer for row in split[0]) for answer in (1, 0)]
    names, p_values, ratios = [], [], []
    for place in (0, 1):
        for name, (x, y) in counted[place].items():
            if x + y >= 5:
                law = stats.hypergeom(sum(totals), x + y, totals[0])
                likely = law.pmf(np.arange(x + y + 1))
                names.append(name)
                p_values.append(likely[likely <= likely[x] * (1 + 1e-7)].sum() - likely[x] / 2)
                ratios.append((x / totals[0]) / (y / totals[1]))
    adjusted = multipletests(p_values, method="fdr_bh")[1]
    expected = {
        name
        for name, p, ratio in zip(names, adjusted, ratios, strict=True)
        if p < 0.05 and not 0.8 < ratio < 1.25
    }
    marked = {
        row[0].removesuffix(" ▲")
        for title, rows in tables
        if title in (TERMS, SUBGROUPS)
        for row in rows
        if row[0].endswith(" ▲")
    }
    assert marked == expected
    assert expected


def test_hits_left_out_are_told_apart(counted, page):
    phrases, places = counted[2]
    assert f"{phrases} hits were left out because a fixed phrase" in page
    assert f"{places} hits were left out because they stand inside a handle" in page


def test_every_number_beside_an_id_is_that_measures(case, tables):
    """A row shows values, ends and counts of the measures it names, as they are or in percent; no others.

    The count behind a share is the share times its denominator.
    """
    evidence = case[3]
    by_id = {}
    for (section, target, key), name in number_measures(evidence["payloads"]).items():
        by_id[name] = next(
            measure
            for payload in evidence["payloads"]
            if (payload["content"]["section"], payload["content"]["target"] or "") == (section, target)
            for measure in payload["content"]["result"]["measures"]
            if all((measure.get(field) or "") == value for field, value in key._asdict().items())
        )
    checked = 0
    for title, rows in tables:
        if title.startswith(("Texts that mention a subgroup", "Findings register")) or not rows:
            continue
        for row in rows[1:]:
            ids = re.findall(r"M-(\d{4})(?:\s+to\s+M-(\d{4}))?", row[-1])
            measures = [
                by_id[f"M-{number:04d}"]
                for first, last in ids
                for number in range(int(first), int(last or first) + 1)
            ]
            if not measures:
                continue
            fields = (
                "value",
                "low",
                "high",
                "null",
                "n",
                "denominator",
                "n_reference",
                "threshold",
                "p_adjusted",
            )
            known = [
                measure[field] for measure in measures for field in fields if measure.get(field) is not None
            ]
            known += [
                round(measure["value"] * measure["denominator"])
                for measure in measures
                if measure["measure"] in SHARES and measure.get("value") is not None
            ]
            for cell, head in zip(row[1:-1], rows[0][1:-1], strict=True):
                if head in (*TOLD, *PAPERS, *FACTS):
                    continue
                for text in re.findall(r"−?\d[\d,]*(?:\.\d+)?", cell):
                    value = float(text.replace(",", "").replace("−", "-"))
                    half = 0.5 * 10.0 ** -len(text.partition(".")[2]) + 1e-9
                    near = any(abs(value - scale * one) <= half for one in known for scale in (1, 100))
                    assert near, (title, head, row)
                    checked += 1
    assert checked > 3000


def test_no_value_is_printed_of_fewer_than_five_rows(tables):
    few = [
        row
        for _, rows in tables
        if rows and rows[0][:2] == ["Criterion", "Estimate"]
        for row in rows[1:]
        if "no value" in row[4]
    ]
    assert few
    assert all(row[1:3] == ["–", "–"] for row in few)
