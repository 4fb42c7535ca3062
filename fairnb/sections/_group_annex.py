"""Tables of all metrics by group, for the annex."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairnb.sections._format import count, interval_of, level_of, number, signed, value_of
from fairnb.sections._group_bench import EVERYONE_ELSE, RATES, STANDARDISED
from fairnb.sections._group_measures import PARITY_PARTS
from fairnb.sections._group_questions import words
from fairnb.sections._group_shown import SILENT, Shown, in_points
from fairnb.sections._measure import Measure, Status
from fairnb.sections._shown import Column, Row, Table

_NAMES = {
    "mean_score": "Mean score",
    "false_positive_rate": "Negative texts flagged (FPR)",
    "equal_opportunity": "Positive texts flagged (TPR)",
    "false_negative_rate": "Positive texts missed (FNR)",
    "equalized_odds": "Equalized odds",
    "overall_accuracy_equality": "Overall accuracy",
    "positive_predictive_value": "Positive predictive value",
    "positive_class_balance": "Positive class balance",
    "positive_class_balance_actual": "The same, of positive texts",
    "statistical_parity": "Statistical parity",
    "normalised_treatment_equality": "Normalised treatment equality",
    "fn_fp_ratio": "FN/FP",
    "gini_equality": "Gini equality",
    "gini_equality_favourable": "The same, favourable class",
    "generalised_entropy": "Generalised entropy GE(2)",
    "base_rate": "Base rate",
    "impact_ratio": "Impact ratio of shares flagged",
}


def parity(shown: Shown) -> Table:
    parts = ("composition", "TPR", "FPR")
    columns = (
        Column("Group"),
        Column("Compared with"),
        Column("Difference in share flagged", "number"),
        *(Column(f"from {part}", "number") for part in parts),
    )
    rows = []
    for attribute in shown.attributes:
        for group in shown.groups(attribute):
            for reference in filter(None, (EVERYONE_ELSE, group["reference"])):
                place = ("statistical_parity", attribute, group["subgroup"], "all", reference)
                found = [
                    shown.get(*place, variant) for variant in ("", *(f"part={one}" for one in PARITY_PARTS))
                ]
                measures = [measure for measure in found if measure is not None]
                if len(measures) < len(found) or any(measure.value is None for measure in measures):
                    continue
                rows.append(
                    Row(
                        (
                            f"{words(attribute)}: {group['subgroup']}",
                            _whom(reference),
                            *(in_points(measure) for measure in measures),
                        ),
                        tuple(measure.key for measure in measures),
                        quiet=measures[0].status in SILENT,
                    )
                )
    note = (
        "In points. Composition: the groups' base rates differ, which says nothing of the system. TPR and FPR: the "
        "system flags texts of one label differently. The parts add up to the difference."
    )
    return Table("What statistical parity is made of", columns, tuple(rows), note, annex=True)


_OWN_ORDER: tuple[tuple[str, str], ...] = (
    *((spec.name, spec.label) for spec in RATES),
    ("gini_equality", "all"),
    ("gini_equality_favourable", "all"),
    ("generalised_entropy", "all"),
    ("fn_fp_ratio", "all"),
    ("positive_class_balance", "all"),
    ("positive_class_balance_actual", "positive"),
    ("mean_score", "all"),
)


def own(shown: Shown) -> Iterator[Table]:
    """Every metric's own value by group, one table per attribute."""
    level = level_of(shown.facts["level"])
    columns = (
        Column("Group"),
        Column("Metric"),
        Column("Value", "number"),
        Column(level, "number"),
        Column("Standardised", "number"),
        Column(level, "number"),
        Column("Denominator", "number"),
    )
    for attribute in shown.attributes:
        rows = []
        names = [group["subgroup"] for group in shown.groups(attribute)]
        for name in (*names, EVERYONE_ELSE) if names else ():
            for metric, label in _OWN_ORDER:
                raw = shown.get(metric, attribute, name, label)
                if raw is not None:
                    standard = shown.get(metric, attribute, name, label, "", STANDARDISED)
                    rows.append(_metric_row(name, metric, (raw, standard), count(raw.denominator or 0)))
        note = f"Standardised: weighted to the base rate of all texts, {number(shown.facts['base_rate'], 3)}."
        yield Table(f"All metrics by {shown.heading(attribute)}", columns, tuple(rows), note, annex=True)


_DIFFERENCE_ORDER: tuple[tuple[str, str], ...] = (
    ("mean_score", "negative"),
    ("mean_score", "positive"),
    *((spec.name, spec.label) for spec in RATES),
    ("equalized_odds", "all"),
    ("impact_ratio", "all"),
    ("gini_equality", "all"),
    ("gini_equality_favourable", "all"),
    ("generalised_entropy", "all"),
    ("positive_class_balance", "all"),
    ("positive_class_balance_actual", "positive"),
)


def differences(shown: Shown) -> Iterator[Table]:
    """Every metric's signed difference, one table per attribute and reference."""
    level = level_of(shown.facts["level"])
    columns = (
        Column("Group"),
        Column("Metric"),
        Column("Difference", "number"),
        Column(level, "number"),
        Column("Standardised", "number"),
        Column(level, "number"),
        Column("n", "number"),
    )
    for attribute in shown.attributes:
        groups = shown.groups(attribute)
        for reference in dict.fromkeys((EVERYONE_ELSE, *(g["reference"] for g in groups if g["reference"]))):
            rows = []
            for group in groups:
                for metric, label in _DIFFERENCE_ORDER:
                    place = (metric, attribute, group["subgroup"], label, reference)
                    raw = shown.get(*place)
                    if raw is not None:
                        name = f"{metric}:{label}" if metric == "mean_score" else metric
                        n = f"{count(raw.n or 0)} / {count(raw.n_reference or 0)}"
                        pair = (raw, shown.get(*place, STANDARDISED))
                        rows.append(_metric_row(group["subgroup"], name, pair, n))
            note = (
                "Group minus other, positive: larger for the group. Several raw differences are not zero where only "
                "base rates differ; the standardised ones are."
            )
            title = f"All differences by {shown.heading(attribute)}, against {_whom(reference)}"
            yield Table(title, columns, tuple(rows), note, annex=True)


def _metric_row(group: str, metric: str, pair: Sequence[Measure | None], n: str) -> Row:
    name, _, label = metric.partition(":")
    found = [measure for measure in pair if measure is not None]
    cells = []
    for measure in pair:
        cells += ["–", "–"] if measure is None else [_value(measure), interval_of(measure)]
    title = _NAMES[name] + (f", {label} texts" if label else "")
    return Row(
        (_whom(group), title, *cells, n),
        tuple(measure.key for measure in found),
        quiet=all(measure.status in SILENT for measure in found),
    )


def _whom(group: str) -> str:
    return "everyone else" if group == EVERYONE_ELSE else group


def _value(measure: Measure) -> str:
    if measure.value is None or not measure.reference or measure.measure == "impact_ratio":
        return value_of(measure)
    text = signed(measure.value)
    return f"({text})" if measure.status is Status.TOO_FEW else text
