"""Tables of the section on groups, made from its result alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairnb.sections._format import between, count, interval_of, level_of, number, percent, signed, value_of
from fairnb.sections._group_bench import EVERYONE_ELSE, RATES, STANDARDISED
from fairnb.sections._group_measures import PARITY_PARTS
from fairnb.sections._group_questions import APART, SIMULTANEOUS, TERM, TESTED, mention, words
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Result, Verdict
from fairnb.sections._shown import Column, Row, Table

if TYPE_CHECKING:
    from fairnb.sections._result import Candidate

NAMES = {
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
_VERDICTS = {Verdict.EXCEEDS: "▲ exceeds", Verdict.WITHIN: "● within", Verdict.INCONCLUSIVE: "○ inconclusive"}
_SILENT = (Status.TOO_FEW, Status.UNDEFINED, Status.NOT_MEASURED)


class Shown:
    """The measures of a result, found by their key."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.facts = result.facts
        self.prefix: str = result.facts["prefix"]
        self._by_key = {measure.key: measure for measure in result.measures}
        self.candidates: Mapping[MeasureKey, Candidate] = {
            candidate.measures[0]: candidate for candidate in result.candidates
        }

    def get(
        self, name: str, attribute: str, subgroup: str, label: str, reference: str = "", variant: str = ""
    ) -> Measure | None:
        """One measure; None if the result does not hold it."""
        joined = ",".join(part for part in (self.prefix, variant) if part)
        return self._by_key.get(MeasureKey(name, attribute, subgroup, reference, label, joined))

    @property
    def attributes(self) -> list[str]:
        """Attributes with groups, in order."""
        return list(dict.fromkeys(group["attribute"] for group in self.facts["groups"]))

    def groups(self, attribute: str, *, absent: bool = False) -> list[dict[str, str]]:
        """Groups of an attribute, those that nobody mentions included or not."""
        return [
            group
            for group in self.facts["groups"]
            if group["attribute"] == attribute and (absent or not group["absent"])
        ]

    def heading(self, attribute: str) -> str:
        """An attribute as a table names it."""
        return "identity terms" if attribute == TERM else words(attribute)


def tables(result: Result) -> list[Table]:
    """All tables of the section, those of the annex last."""
    shown = Shown(result)
    body = [_table_3(shown), *(_verdicts(shown, attribute) for attribute in shown.attributes)]
    found = [table for table in body if table.rows]
    found += [table for table in (_neighbours(shown), _apart(shown), _crossed(shown)) if table.rows]
    annex = [_parity(shown), *_own(shown), *_differences(shown)]
    return found + [table for table in annex if table.rows]


def _table_3(shown: Shown) -> Table:
    level = level_of(shown.facts["level"])
    columns = (
        Column("Texts that mention"),
        Column("Negative: mean score", "number"),
        Column(level, "number"),
        Column("n", "number"),
        Column("Positive: mean score", "number"),
        Column(level, "number"),
        Column("n", "number"),
    )
    rows = []
    for attribute in shown.attributes:
        names = [group["subgroup"] for group in shown.groups(attribute)]
        for name in (*names, EVERYONE_ELSE) if names else ():
            pair = [shown.get("mean_score", attribute, name, label) for label in ("negative", "positive")]
            found = [measure for measure in pair if measure is not None]
            cells = [
                text
                for measure in found
                for text in (_percent(measure), interval_of(measure, 1, scale=100), count(measure.n or 0))
            ]
            title = f"no {words(attribute)}" if name == EVERYONE_ELSE else f"{words(attribute)}: {name}"
            if attribute == TERM:
                title = "no listed term" if name == EVERYONE_ELSE else f"“{name}”"
            rows.append(
                Row(
                    (title, *cells),
                    tuple(measure.key for measure in found),
                    quiet=all(measure.status in _SILENT for measure in found),
                )
            )
    absent = [f"{g['subgroup']} ({words(g['attribute'])})" for g in shown.facts["groups"] if g["absent"]]
    note = f"The paper's Table 3, on {shown.facts['corpus']}; scores and intervals in percent."
    if absent:
        note += f" Never mentioned: {', '.join(absent)}."
    return Table("Mean predicted probability by label and group", columns, tuple(rows), note)


def _percent(measure: Measure) -> str:
    if measure.value is None:
        return value_of(measure)
    text = percent(measure.value)
    return f"({text})" if measure.status is Status.TOO_FEW else text


def _verdicts(shown: Shown, attribute: str) -> Table:
    columns = (
        Column("Group"),
        Column("Compared with"),
        Column("Measure"),
        Column("Group", "number"),
        Column("Other", "number"),
        Column("Difference", "number"),
        Column(level_of(shown.facts["level"]), "number"),
        Column("Adjusted interval", "number"),
        Column("n", "number"),
        Column("Verdict"),
    )
    rows = []
    for group in shown.groups(attribute, absent=True):
        for reference in (EVERYONE_ELSE, group["reference"]):
            for spec in TESTED if reference else ():
                name = group["subgroup"]
                made = shown.get(spec.name, attribute, name, spec.label, reference)
                if made is None:
                    continue
                own = shown.get(spec.name, attribute, name, spec.label)
                other = shown.get(spec.name, attribute, reference, spec.label)
                adjusted = shown.get(spec.name, attribute, name, spec.label, reference, SIMULTANEOUS)
                candidate = shown.candidates.get(made.key)
                printed = [measure for measure in (own, other, made, adjusted) if measure is not None]
                rows.append(
                    Row(
                        (
                            name,
                            "everyone else" if reference == EVERYONE_ELSE else reference,
                            "FPR" if spec.name == "false_positive_rate" else "TPR",
                            "–" if own is None else _percent(own),
                            "–" if other is None else _percent(other),
                            _points(made),
                            interval_of(made, 1, scale=100),
                            "–" if adjusted is None else interval_of(adjusted, 1, scale=100),
                            f"{count(made.denominator or 0)} / {count(made.n_reference or 0)}",
                            _verdict(candidate),
                        ),
                        tuple(measure.key for measure in printed),
                        quiet=made.status in _SILENT,
                        strong=candidate is not None and candidate.verdict is Verdict.EXCEEDS,
                    )
                )
    margin = number(100 * shown.facts["margin"], 0)
    note = (
        f"Threshold {number(shown.facts['threshold'], 2)}; rates in percent, differences in points (group minus "
        f"other); margin {margin} points. FPR: share of negative texts flagged; TPR: share of positive texts flagged. "
        f"Everyone else: texts that {mention(attribute, EVERYONE_ELSE)}. The adjusted intervals hold together for all "
        f"{shown.facts['tested']} tested differences of the section (alpha {number(shown.facts['alpha'], 4)})."
    )
    return Table(f"Errors by {shown.heading(attribute)}", columns, tuple(rows), note)


def _points(measure: Measure) -> str:
    if measure.value is None:
        return value_of(measure)
    text = signed(100 * measure.value, 1)
    return f"({text})" if measure.status is Status.TOO_FEW else text


def _verdict(candidate: Candidate | None) -> str:
    if candidate is None:
        return "–"
    word = _VERDICTS.get(candidate.verdict)
    if word is None:
        return f"not measured: {candidate.reason}"
    return f"{word}: {candidate.reason}" if candidate.reason else word


def _neighbours(shown: Shown) -> Table:
    steps = [f"threshold={near:g}" for near in shown.facts["neighbours"]]
    columns = (
        Column("Finding"),
        *(
            Column(f"at {number(near, 2)}", "number")
            for near in (*shown.facts["neighbours"], shown.facts["threshold"])
        ),
    )
    rows = []
    for finding in shown.result.findings:
        key = finding.measures[0]
        if finding.severity == "observation":
            continue
        place = (key.measure, key.attribute, key.subgroup, key.label, key.reference)
        found = [shown.get(*place, variant) for variant in (*steps, "")]
        measures = [measure for measure in found if measure is not None]
        cells = [
            "–" if one is None else f"{_points(one)} ({interval_of(one, 1, scale=100)})" for one in found
        ]
        rows.append(Row((finding.criterion, *cells), tuple(measure.key for measure in measures)))
    note = "Differences in points with their intervals; the last column is the threshold in use."
    return Table("Findings at neighbouring thresholds", columns, tuple(rows), note)


def _apart(shown: Shown) -> Table:
    columns = (
        Column("Pair"),
        Column("Measure"),
        Column("Difference", "number"),
        Column("Texts with both left out", "number"),
        Column(level_of(shown.facts["level"]), "number"),
        Column("n", "number"),
    )
    rows = []
    for measure in shown.result.measures:
        if not measure.variant.endswith(APART) or measure.status in _SILENT:
            continue
        whole = shown.get(
            measure.measure, measure.attribute, measure.subgroup, measure.label, measure.reference
        )
        rows.append(
            Row(
                (
                    f"{words(measure.attribute)}: {measure.subgroup} against {measure.reference}",
                    "FPR" if measure.measure == "false_positive_rate" else "TPR",
                    "–" if whole is None else _points(whole),
                    _points(measure),
                    interval_of(measure, 1, scale=100),
                    f"{count(measure.n or 0)} / {count(measure.n_reference or 0)}",
                ),
                (*(() if whole is None else (whole.key,)), measure.key),
            )
        )
    note = "In points. How far a difference between two subgroups hangs on texts that mention both."
    return Table("Pairs without texts that mention both", columns, tuple(rows), note)


def _crossed(shown: Shown) -> Table:
    columns = (
        Column("Texts that mention"),
        Column("Measure"),
        Column("Rate", "number"),
        Column("Difference", "number"),
        Column(level_of(shown.facts["level"]), "number"),
        Column("n", "number"),
    )
    rows, few = [], 0
    for group in shown.facts["intersections"]:
        for spec in TESTED:
            place = (spec.name, group["attribute"], group["subgroup"], spec.label)
            own, made = shown.get(*place), shown.get(*place, EVERYONE_ELSE)
            if own is None or made is None:
                continue
            if made.status in _SILENT:
                few += 1
                continue
            rows.append(
                Row(
                    (
                        group["subgroup"].replace("+", " and "),
                        "FPR" if spec.name == "false_positive_rate" else "TPR",
                        _percent(own),
                        _points(made),
                        interval_of(made, 1, scale=100),
                        f"{count(made.denominator or 0)} / {count(made.n_reference or 0)}",
                    ),
                    (own.key, made.key),
                )
            )
    note = (
        "Against texts that mention neither attribute; in points; exploratory. "
        f"{few} more rates have too few texts."
    )
    return Table("Texts that mention two groups", columns, tuple(rows), note)


def _parity(shown: Shown) -> Table:
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
                if any(measure.value is None for measure in measures):
                    continue
                rows.append(
                    Row(
                        (
                            f"{words(attribute)}: {group['subgroup']}",
                            "everyone else" if reference == EVERYONE_ELSE else reference,
                            *(_points(measure) for measure in measures),
                        ),
                        tuple(measure.key for measure in measures),
                        quiet=measures[0].status in _SILENT,
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


def _own(shown: Shown) -> Iterator[Table]:
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


def _differences(shown: Shown) -> Iterator[Table]:
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
            other = "everyone else" if reference == EVERYONE_ELSE else reference
            note = (
                "Group minus other, positive: larger for the group. Several raw differences are not zero where only "
                "base rates differ; the standardised ones are."
            )
            title = f"All differences by {shown.heading(attribute)}, against {other}"
            yield Table(title, columns, tuple(rows), note, annex=True)


def _metric_row(group: str, metric: str, pair: Sequence[Measure | None], n: str) -> Row:
    name, _, label = metric.partition(":")
    found = [measure for measure in pair if measure is not None]
    cells = []
    for measure in pair:
        cells += ["–", "–"] if measure is None else [_value(measure), interval_of(measure)]
    title = NAMES[name] + (f", {label} texts" if label else "")
    return Row(
        (group, title, *cells, n),
        tuple(measure.key for measure in found),
        quiet=all(measure.status in _SILENT for measure in found),
    )


def _value(measure: Measure) -> str:
    if measure.value is None or not measure.reference or measure.measure == "impact_ratio":
        return value_of(measure)
    text = signed(measure.value)
    return f"({text})" if measure.status is Status.TOO_FEW else text


__all__ = ["NAMES", "Shown", "between", "tables"]
