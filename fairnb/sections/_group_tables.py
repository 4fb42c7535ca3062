"""Tables of the section on groups, made from its result alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.sections._format import count, interval_of, level_of, margin_points, number
from fairnb.sections._group_annex import differences, own, parity
from fairnb.sections._group_bench import EVERYONE_ELSE
from fairnb.sections._group_census import ACROSS
from fairnb.sections._group_questions import APART, SIMULTANEOUS, TERM, TESTED, mention, words
from fairnb.sections._group_shown import SILENT, Shown, in_percent, in_points, is_measured
from fairnb.sections._result import Result, Verdict
from fairnb.sections._shown import Column, Row, Table
from fairnb.sections._variant import without
from fairnb.sections._verdicts import NO_ALPHA

if TYPE_CHECKING:
    from fairnb.sections._result import Candidate

_VERDICTS = {Verdict.EXCEEDS: "▲ exceeds", Verdict.WITHIN: "● within", Verdict.INCONCLUSIVE: "◆ inconclusive"}


BODY_ROWS = 30
"""Rows up to which the table of templates stands in the body."""


def tables(result: Result) -> list[Table]:
    """All tables of the section, those of the annex last."""
    shown = Shown(result)
    body = [_table_3(shown), *(_verdicts(shown, attribute, measured=True) for attribute in shown.attributes)]
    found = [table for table in body if table.rows]
    found += [
        table
        for table in (_templates(shown), _neighbours(shown), _apart(shown), _crossed(shown))
        if table.rows
    ]
    annex = [
        *(_verdicts(shown, attribute, measured=False) for attribute in shown.attributes),
        parity(shown),
        *own(shown),
        *differences(shown),
    ]
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
    rows, unseen = [], []
    for attribute in shown.attributes:
        names = [group["subgroup"] for group in shown.groups(attribute)]
        for name in (*names, EVERYONE_ELSE) if names else ():
            pair = [shown.get("mean_score", attribute, name, label) for label in ("negative", "positive")]
            found = [measure for measure in pair if measure is not None]
            if all(measure.value is None for measure in found):
                unseen.append(f"{name} ({words(attribute)})")
                continue
            cells = [
                text
                for measure in found
                for text in (in_percent(measure), interval_of(measure, 1, scale=100), count(measure.n or 0))
            ]
            title = f"no {words(attribute)}" if name == EVERYONE_ELSE else f"{words(attribute)}: {name}"
            if attribute == TERM:
                title = "no listed term" if name == EVERYONE_ELSE else f"“{name}”"
            rows.append(
                Row(
                    (title, *cells),
                    tuple(measure.key for measure in found),
                    quiet=all(measure.status in SILENT for measure in found),
                )
            )
    absent = [f"{g['subgroup']} ({words(g['attribute'])})" for g in shown.facts["groups"] if g["absent"]]
    note = f"The paper's Table 3, on {shown.facts['corpus']}; scores and intervals in percent."
    if unseen:
        note += f" Fewer than five texts of either label: {', '.join(unseen)}."
    if absent:
        note += f" Never mentioned: {', '.join(absent)}."
    return Table("Mean predicted probability by label and group", columns, tuple(rows), note)


def _verdicts(shown: Shown, attribute: str, *, measured: bool) -> Table:
    """Differences with a verdict, for the body; or those that could not be measured, for the annex."""
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
    rows, missing = [], dict[str, None]()
    for group in shown.groups(attribute, absent=True):
        for reference in (EVERYONE_ELSE, group["reference"]):
            for spec in TESTED if reference else ():
                name = group["subgroup"]
                made = shown.get(spec.name, attribute, name, spec.label, reference)
                candidate = None if made is None else shown.candidates.get(made.key)
                if made is None or (is_measured(candidate) is not measured):
                    missing.update({name: None} if made is not None else {})
                    continue
                own = shown.get(spec.name, attribute, name, spec.label)
                other = shown.get(spec.name, attribute, reference, spec.label)
                adjusted = shown.get(spec.name, attribute, name, spec.label, reference, SIMULTANEOUS)
                printed = [measure for measure in (own, other, made, adjusted) if measure is not None]
                rows.append(
                    Row(
                        (
                            name,
                            "everyone else" if reference == EVERYONE_ELSE else reference,
                            "FPR" if spec.name == "false_positive_rate" else "TPR",
                            "–" if own is None else in_percent(own),
                            "–" if other is None else in_percent(other),
                            in_points(made),
                            interval_of(made, 1, scale=100),
                            "–" if adjusted is None else interval_of(adjusted, 1, scale=100),
                            f"{count(made.denominator or 0)} / {count(made.n_reference or 0)}",
                            _verdict(candidate),
                        ),
                        tuple(measure.key for measure in printed),
                        quiet=made.status in SILENT,
                        strong=candidate is not None and candidate.verdict is Verdict.EXCEEDS,
                    )
                )
    margin = margin_points(shown.facts["margin"])
    note = (
        f"Threshold {number(shown.facts['threshold'], 2)}; rates in percent, differences in points (group minus "
        f"other); margin {margin}. FPR: share of negative texts flagged; TPR: share of positive texts flagged. "
        f"Everyone else: texts that {mention(attribute, EVERYONE_ELSE)}. "
    )
    if shown.facts["templates"]:
        note += f"Exact for this set of sentences from {count(shown.facts['templates'])} templates; nothing is tested."
    elif not shown.facts["alpha"]:
        note += f"Nothing is tested: {NO_ALPHA}."
    else:
        note += (
            f"The adjusted intervals hold together for all {shown.facts['tested']} tested differences of the section "
            f"(alpha {number(shown.facts['alpha'], 4)})."
        )
    if not measured:
        title = f"Errors by {shown.heading(attribute)}: differences that could not be measured"
        note = (
            "Fewer than ten texts of the label in one of the groups; values in brackets support no statement."
        )
        return Table(title, columns, tuple(rows), note, annex=True)
    if missing:
        note += f" Not or only partly measured, see the annex: {', '.join(missing)}."
    return Table(f"Errors by {shown.heading(attribute)}", columns, tuple(rows), note)


def _verdict(candidate: Candidate | None) -> str:
    if candidate is None:
        return "–"
    word = _VERDICTS.get(candidate.verdict)
    if word is None:
        return f"not measured: {candidate.reason}"
    return f"{word}: {candidate.reason}" if candidate.reason else word


def _templates(shown: Shown) -> Table:
    """Differences found over a fixed set, in each template."""
    columns = (Column("Finding"), Column("Template"), Column("Difference", "number"), Column("n", "number"))
    named = [(without(measure.variant, shown.prefix), measure) for measure in shown.result.measures]
    parts = [(name, measure) for name, measure in named if name == ACROSS or name.startswith("template=")]
    rows = []
    for finding in shown.result.findings:
        key = finding.measures[0]
        for name, measure in parts:
            if measure.key._replace(variant="") != key._replace(variant="") or measure.key == key:
                continue
            n = f"{count(measure.n or 0)} / {count(measure.n_reference or 0)}"
            if name == ACROSS:
                interval = interval_of(measure, 1, scale=100)
                cell = f"{in_points(measure)} ({level_of(shown.facts['level'])} {interval})"
                title = f"other templates, from these {measure.clusters}"
                rows.append(
                    Row((finding.criterion, title, cell, count(measure.n or 0)), (measure.key,), strong=True)
                )
            else:
                title = name.removeprefix("template=")
                rows.append(Row((finding.criterion, title, in_points(measure), n), (measure.key,)))
    note = (
        "In points; exact within each template. The last row of each finding is the mean over templates, with the "
        "interval that lets one expect of other templates what these show."
    )
    # A few findings belong beside their verdicts; a set with many has a page of them.
    return Table("Findings in each template", columns, tuple(rows), note, annex=len(rows) > BODY_ROWS)


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
            "–" if one is None else f"{in_points(one)} ({interval_of(one, 1, scale=100)})" for one in found
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
        if without(measure.variant, shown.prefix) != APART or measure.status in SILENT:
            continue
        whole = shown.get(
            measure.measure, measure.attribute, measure.subgroup, measure.label, measure.reference
        )
        rows.append(
            Row(
                (
                    f"{words(measure.attribute)}: {measure.subgroup} against {measure.reference}",
                    "FPR" if measure.measure == "false_positive_rate" else "TPR",
                    "–" if whole is None else in_points(whole),
                    in_points(measure),
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
            if made.status in SILENT:
                few += 1
                continue
            rows.append(
                Row(
                    (
                        group["subgroup"].replace("+", " and "),
                        "FPR" if spec.name == "false_positive_rate" else "TPR",
                        in_percent(own),
                        in_points(made),
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
