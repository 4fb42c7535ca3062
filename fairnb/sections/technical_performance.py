"""How well the system answers its target on the test corpus: Table 1, ROC and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.corpus import NOT_DECLARED
from fairnb.sections._by_language import ALL_NOT_DECLARED, by_language, language_table, languages
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, label_axes, new_figure, write
from fairnb.sections._format import between, count, interval_of, level_of, number, percent, value_of
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Result, Series
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._support import supported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairnb.statistics import Confusion, Tally

CURVE_POINTS = 200
"""Points kept of a curve: more cannot be seen in print."""


_AVERAGES: tuple[Literal["macro", "weighted"], ...] = ("macro", "weighted")
_SHARES: tuple[Literal["precision", "recall", "f1"], ...] = ("precision", "recall", "f1")


class TechnicalPerformance(Section):
    """Precision, recall, F1, accuracy, AUC and calibration with intervals. Source: paper, section 3, Table 1."""

    id = "technical_performance"
    title = "Technical performance"
    version = 7
    requirement = Altai.TECHNICAL_ROBUSTNESS_AND_SAFETY
    needs = (Need.TEST_CORPUS, Need.SCORES)
    source = "Paper, section 3, Table 1; DeLong et al. (1988) for the AUC; Wilson (1927) for shares."
    method = (
        "Each text of the test corpus is scored and counted as flagged if its score reaches the threshold. "
        "*Precision* is the share of flagged texts that annotators labelled so, *recall* the share of labelled "
        "texts that were flagged, *F1* their harmonic mean; *macro* averages the two classes, *weighted* weighs "
        "them by their texts. *AUC* is the chance that a positive text scores above a negative one, ties half. "
        "The *Brier score* is the mean squared distance of score and label, 0 at best. The *expected "
        "calibration error* averages the distance of mean score and observed share over ten bins; it is "
        "above zero by chance alone, so what a perfectly calibrated system would show on these scores on average "
        "(half-normal approximation in each bin, no permutation) stands beside it. The *error rate* is one minus "
        "accuracy; it and both kinds of error are told for each language that the corpus declares."
    )

    class Params(SectionParams):
        """Threshold and bins."""

        folded = ("bins",)

        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")
        bins: int = Field(10, ge=2, le=50, description="Bins of the calibration curve")

    def run(self, view: View, params: Params) -> Result:
        """Measure on the test corpus at one threshold."""
        threshold = view.target.threshold if params.threshold is None else params.threshold
        tally = view.tally("test", thresholds=(threshold,))
        confusion = tally.confusion(threshold)
        level = view.confidence
        by_code, by_code_tallies = languages(view, tally, threshold)
        measures = [
            *_overall(tally, threshold, level, params.bins, view.seed),
            *_classes(tally, threshold, level),
            *by_language(by_code, threshold, level),
        ]
        limits = [] if set(by_code) - {NOT_DECLARED} else [ALL_NOT_DECLARED]
        unscored = tally.unscored()
        if unscored:
            limits.append(
                f"{count(unscored)} labelled texts have no score and are in no measure but the share unscored."
            )
        if not (tally.support(label=1) and tally.support(label=0)):
            limits.append("The test corpus holds one class only: what compares classes is undefined.")
        if tally.clusters is not None:
            limits.append(
                "Intervals of accuracy, recall and error rates allow for texts of one cluster; those of precision, F1, "
                "the averages, the area, Brier score and calibration error treat rows as independent and are too narrow "
                "by what the texts of a cluster have in common."
            )
        else:
            limits.append(
                "Rows are treated as independent: the corpus names no author, thread or template of its texts."
            )
        return Result(
            measures=tuple(measures),
            facts={
                "threshold": threshold,
                "threshold_source": view.target.threshold_source if params.threshold is None else "parameter",
                "level": level,
                "confusion": {"tp": confusion.tp, "fp": confusion.fp, "fn": confusion.fn, "tn": confusion.tn},
                "unscored": unscored,
                "languages": {code: own.confusion(threshold)._asdict() for code, own in by_code.items()},
            },
            tallies={"test": tally.digest, **by_code_tallies},
            series=_curves(tally, params.bins, level),
            limits=tuple(limits),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """Accuracy, what is missed and what is wrongly flagged."""
        accuracy = result.measure("accuracy", label="all")
        if accuracy.value is None:
            return ("No statement on accuracy: " + (accuracy.note or "it is undefined") + ".",)
        counts = result.facts["confusion"]
        said = [
            f"At threshold {number(result.facts['threshold'], 2)} the system agreed with the annotators on "
            f"{percent(accuracy.value)} of {count(accuracy.denominator or 0)}"
            f" texts ({level_of(result.facts['level'])} {between(accuracy.low, accuracy.high, 1, scale=100)} %)."
        ]
        positives, negatives = counts["tp"] + counts["fn"], counts["tn"] + counts["fp"]
        if positives and negatives:
            said.append(
                f"It missed {count(counts['fn'])} of {count(positives)} positive texts and wrongly flagged "
                f"{count(counts['fp'])} of {count(negatives)} negative ones."
            )
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Table 1, the measures over all texts, and errors by language."""
        return (
            _table_1(result),
            _confusion_table(result),
            _overall_table(result),
            language_table(result),
        )

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """ROC and calibration."""
        figures = {}
        if "roc" in result.series:
            figures["roc"] = _roc(result)
        if "calibration" in result.series:
            figures["calibration"] = _calibration(result)
        return figures


def _overall(tally: Tally, threshold: float, level: float, bins: int, seed: int) -> list[Measure]:
    from fairnb.statistics import ece_null, outcome_share, wilson

    scored = tally.n()
    unscored = tally.unscored()
    smaller = min(tally.support(label=1), tally.support(label=0))
    right = outcome_share(tally, "correct", threshold=threshold, level=level)
    everyone: dict[str, Any] = {"label": "all", "n": scored, "denominator": scored, "family": "D"}
    return [
        supported(
            right,
            support=scored,
            measure="accuracy",
            threshold=threshold,
            clusters=tally.clusters_of(),
            method="(TP+TN)/n",
            **everyone,
        ),
        supported(
            tally.auc(level=level),
            support=smaller,
            minimum=10,
            tested=20,
            measure="roc_auc",
            method="Mann-Whitney, ties 1/2",
            null=0.5,
            **everyone,
        ),
        supported(tally.brier(level=level), support=scored, minimum=50, measure="brier", **everyone),
        supported(
            tally.ece(bins=bins, level=level, seed=seed),
            support=scored,
            minimum=50,
            measure="ece",
            method=f"{bins} bins of equal width; null by the half-normal approximation",
            null=ece_null(tally, bins=bins),
            **everyone,
        ),
        supported(
            wilson(unscored, scored + unscored, level),
            support=scored + unscored,
            measure="unscored_rate",
            **{**everyone, "n": scored + unscored, "denominator": scored + unscored},
        ),
    ]


def _classes(tally: Tally, threshold: float, level: float) -> list[Measure]:
    """Table 1: both classes, macro and weighted averages."""
    from fairnb.statistics import averaged_share, f1_interval, outcome_share, wilson

    confusion = tally.confusion(threshold)
    n = confusion.n
    columns: dict[str, Any] = {"attribute": "class", "label": "all", "threshold": threshold, "family": "D"}
    smaller = min(confusion.positive, confusion.negative)
    measures = []
    classes: tuple[tuple[str, Confusion, int], ...] = (
        ("positive", confusion, 1),
        ("negative", confusion.mirrored(), 0),
    )
    for name, counts, label in classes:
        actual, flagged = counts.positive, counts.flagged
        own = {**columns, "subgroup": name, "n": n}
        measures += [
            supported(
                wilson(counts.tp, flagged, level),
                support=flagged,
                measure="precision",
                **{**own, "n": flagged, "denominator": flagged, "method": "TP/(TP+FP)"},
            ),
            supported(
                outcome_share(tally, "correct", "", label, threshold=threshold, level=level),
                support=actual,
                measure="recall",
                clusters=tally.clusters_of("", label),
                **{**own, "n": actual, "denominator": actual, "method": "TP/(TP+FN)"},
            ),
            supported(
                f1_interval(counts, "positive", level),
                support=smaller,
                minimum=10,
                measure="f1",
                **{**own, "denominator": 2 * counts.tp + counts.fp + counts.fn, "method": "2TP/(2TP+FP+FN)"},
            ),
        ]
    for average in _AVERAGES:
        for measure in _SHARES:
            estimate = (
                f1_interval(confusion, average, level)
                if measure == "f1"
                else averaged_share(confusion, measure, average, level)
            )
            measures.append(
                supported(
                    estimate,
                    support=smaller,
                    minimum=10,
                    measure=measure,
                    **{
                        **columns,
                        "subgroup": average,
                        "n": n,
                        "denominator": n,
                        "method": f"{average} average",
                    },
                )
            )
    return measures


def _curves(tally: Tally, bins: int, level: float) -> dict[str, Series]:
    """ROC and calibration, as far as both classes have texts."""
    curves = {}
    if tally.support(label=1) and tally.support(label=0):
        roc = tally.roc(points=CURVE_POINTS)
        curves["roc"] = Series(columns={"fpr": roc.fpr, "tpr": roc.tpr})
    if tally.n():
        rows = tally.calibration(bins=bins, level=level)
        curves["calibration"] = Series(
            columns={
                "mean_score": tuple(row.mean_score for row in rows),
                "share": tuple(row.observed.value for row in rows),
                "low": tuple(row.observed.low for row in rows),
                "high": tuple(row.observed.high for row in rows),
                "n": tuple(float(row.n) for row in rows),
            }
        )
    return curves


def _cells(result: Result, measure: str, subgroup: str) -> tuple[Measure, MeasureKey]:
    found = result.measure(measure, attribute="class", subgroup=subgroup, label="all")
    return found, found.key


def _table_1(result: Result) -> Table:
    level = level_of(result.facts["level"])
    columns = (
        Column("Class"),
        Column("Precision", "number"),
        Column(level, "number"),
        Column("Recall", "number"),
        Column(level, "number"),
        Column("F1", "number"),
        Column(level, "number"),
        Column("Texts", "number"),
    )
    rows = []
    for name in ("negative", "positive", "macro", "weighted"):
        three = [_cells(result, measure, name) for measure in ("precision", "recall", "f1")]
        cells = [text for found, _ in three for text in (value_of(found), interval_of(found))]
        rows.append(
            Row(
                (name.capitalize(), *cells, count(three[1][0].n or 0)),
                tuple(key for _, key in three),
                quiet=all(found.status in (Status.TOO_FEW, Status.UNDEFINED) for found, _ in three),
                strong=name in ("macro", "weighted"),
            )
        )
    return Table("Performance per class", columns, tuple(rows), note="The paper's Table 1, with intervals.")


def _confusion_table(result: Result) -> Table:
    counts = result.facts["confusion"]
    columns = (Column("Annotators said"), Column("Flagged", "number"), Column("Not flagged", "number"))
    rows = (
        Row(("Positive", count(counts["tp"]), count(counts["fn"]))),
        Row(("Negative", count(counts["fp"]), count(counts["tn"]))),
    )
    return Table(f"Counts at threshold {number(result.facts['threshold'], 2)}", columns, rows)


_OVERALL = (
    ("accuracy", "Accuracy"),
    ("roc_auc", "Area under the ROC curve"),
    ("brier", "Brier score"),
    ("ece", "Expected calibration error"),
    ("unscored_rate", "Share of texts without a score"),
)


def _overall_table(result: Result) -> Table:
    columns = (
        Column("Measure"),
        Column("Value", "number"),
        Column(level_of(result.facts["level"]), "number"),
        Column("By chance alone", "number"),
        Column("Texts", "number"),
    )
    rows = []
    for name, words in _OVERALL:
        found = result.measure(name, label="all")
        null = "–" if found.null is None else number(found.null)
        cells = (words, value_of(found), interval_of(found), null, count(found.denominator or 0))
        rows.append(Row(cells, (found.key,), quiet=found.value is None))
    return Table("Measures over all texts", columns, tuple(rows))


def _roc(result: Result) -> Plot:
    import numpy as np

    curve = result.series["roc"].columns
    figure, (axis,) = new_figure(88, 78)
    axis.plot([0, 1], [0, 1], color=RULE, linewidth=0.8, linestyle=(0, (4, 3)))
    axis.plot(*(np.asarray(curve[name], float) for name in ("fpr", "tpr")), color=ACCENT, linewidth=1.6)
    counts = result.facts["confusion"]
    fpr = counts["fp"] / (counts["fp"] + counts["tn"])
    tpr = counts["tp"] / (counts["tp"] + counts["fn"])
    axis.plot([fpr], [tpr], "o", color=INK, markersize=5)
    threshold = number(result.facts["threshold"], 2)
    write(axis, fpr + 0.03, tpr - 0.06, f"threshold {threshold}", color=INK)
    axis.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    label_axes(axis, "false-positive rate", "true-positive rate")
    auc = result.measure("roc_auc", label="all")
    said = f"area {value_of(auc)} ({level_of(result.facts['level'])} {interval_of(auc)}, DeLong)"
    return Plot(
        figure,
        f"ROC curve on the test corpus, {said}; the point is the threshold in use.",
        f"ROC curve, {said}. At threshold {threshold} the true-positive rate is {number(tpr)} "
        f"and the false-positive rate {number(fpr)}.",
    )


def _calibration(result: Result) -> Plot:
    curve = result.series["calibration"].columns
    bins = zip(*(curve[name] for name in ("mean_score", "share", "low", "high", "n")), strict=True)
    shown = [row for row in bins if row[0] is not None and row[1] is not None and (row[4] or 0) >= 5]
    figure, (axis,) = new_figure(88, 78)
    axis.plot([0, 1], [0, 1], color=RULE, linewidth=0.8, linestyle=(0, (4, 3)))
    for mean, share, low, high, _ in shown:
        axis.plot([mean, mean], [low, high], color=ACCENT, linewidth=1.1)
        axis.plot([mean], [share], "o", color=ACCENT, markersize=4)
    for mean, _, _, high, n in shown:
        write(axis, mean or 0.0, min(1.0, (high or 0.0) + 0.015), f"{int(n or 0)}", ha="center", fontsize=6.5)
    axis.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.06), aspect="equal")
    label_axes(axis, "mean score in the bin", "share labelled positive")
    axis.tick_params(colors=MUTE)
    ece = result.measure("ece", label="all")
    words = "; ".join(f"score {number(m or 0, 2)}: share {number(s or 0, 2)}" for m, s, *_ in shown)
    return Plot(
        figure,
        f"Calibration: observed share of positive labels against mean score, {level_of(result.facts['level'])}s "
        f"(Wilson), number of texts above each point; bins of fewer than five texts are left out. "
        f"Expected calibration error {value_of(ece)}.",
        f"Calibration by bin: {words}.",
    )
