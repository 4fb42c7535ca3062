"""Whether scores rank texts of every mentioned group as well as others: subgroup, BPSN and BNSP areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fairnb.sections._auc_measures import (
    KINDS,
    NULL,
    OVERALL,
    SUMMARIES,
    TERM,
    Bench,
    Named,
    area_measures,
    gap_measures,
    overall_measure,
    summary_measures,
)
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import between, count, interval_of, level_of, number, signed, value_of
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._verdicts import Question, as_candidates, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fairnb.statistics import Tally

_NEEDS = {"test": Need.TEST_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}
_HEADS = {"subgroup": "Subgroup", "bpsn": "BPSN", "bnsp": "BNSP"}
_SILENT = (Status.TOO_FEW, Status.UNDEFINED, Status.NOT_MEASURED)
_SETS = {"": "subgroups", TERM: "identity terms"}
_NAMES = {
    "bias_auc_subgroup": "Subgroup areas, power mean",
    "bias_auc_bpsn": "BPSN areas, power mean",
    "bias_auc_bnsp": "BNSP areas, power mean",
    "bias_auc": "Mean of these and the overall area",
    "ami_score_b": "Score B: half overall, half mean of all areas",
}


class AucBias(Section):
    """Subgroup, BPSN and BNSP areas under the curve, without a threshold. Source: Borkan et al. (2019)."""

    id = "auc_bias"
    title = "Bias of the ranking"
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.SCORES, Need.MENTIONS)
    source = (
        "Borkan et al., Nuanced Metrics for Measuring Unintended Bias (2019), sections 3 and 4; Dixon et al. (2018); "
        "Score B of the AMI task at EVALITA (2020); DeLong et al. (1988) for the variances."
    )
    method = (
        "No threshold is needed: an area is the chance that a positive text scores above a negative one, ties half. "
        "*Subgroup*: both texts mention the group. *BPSN*: a positive text from outside against a negative text of "
        "the group; it is low where the group's negative texts are scored too high. *BNSP*: a positive text of the "
        "group against a negative one from outside; it is low where the group's positive texts are scored too low. "
        "Each is compared with the area of all texts. *AEG* tells the direction within one label: above zero, the "
        "group's texts are scored higher than others'. The power mean (p = -5) leans towards the worst groups and so "
        "falls below the overall area by chance alone, the more the smaller the groups are: beside it stands what it "
        "would be if who is mentioned were dealt out at random within each label (groups of the same sizes drawn from "
        "the scores of each label). Differences are exploratory (Benjamini and Hochberg within the section): "
        "observations at most."
    )

    class Params(SectionParams):
        """Corpus and draws."""

        corpus: Literal["test", "synthetic"] = Field("test", description="Corpus whose texts are ranked")
        draws: int = Field(200, ge=20, le=5000, description="Draws behind each value by chance alone")

    def run(self, view: View, params: Params) -> Result:
        """Measure the areas of every subgroup and every identity term."""
        role = params.corpus
        if not view.has(_NEEDS[role]):
            return Result(status="not_applicable", reason=_NEEDS[role].value)
        prefix = "" if role == "test" else f"corpus={role}"
        measures: list[Measure] = []
        tallies: dict[str, str] = {}
        facts: list[dict[str, object]] = []
        clustered = False
        for by in ("subgroup", TERM):
            tally = view.tally(role, by)
            tallies[role if by == "subgroup" else f"{role}:{by}"] = tally.digest
            clustered = tally.clusters is not None
            bench = Bench(tally, view.confidence, view.criteria.min_support, view.seed, params.draws, prefix)
            groups = _named(tally, by)
            made, present = _measured(bench, groups, "" if by == "subgroup" else TERM)
            # The area of all texts is the same in both tallies.
            measures += made if by == "subgroup" else made[1:]
            facts += [
                {
                    "attribute": group.attribute,
                    "subgroup": group.subgroup,
                    "n": tally.n(group.name),
                    "absent": group not in present,
                }
                for group in groups
            ]
        judged = judge(
            [_question(one, measures, view.confidence, prefix) for one in measures if one.family == "E"],
            alpha=view.criteria.alpha,
            margin=view.criteria.margin,
            min_support=view.criteria.min_support,
            confidence=view.confidence,
        )
        adjusted = {answer.question.key: answer.p_adjusted for answer in judged}
        spoken = [
            answer for answer in judged if answer.question.key.reference and answer.p_adjusted is not None
        ]
        candidates, findings = as_candidates(
            spoken, margin=view.criteria.margin, requirement=self.requirement
        )
        return Result(
            measures=tuple(
                one.model_copy(update={"p_adjusted": adjusted[one.key]}) if one.key in adjusted else one
                for one in measures
            ),
            facts={
                "corpus": view.corpus(role).name,
                "prefix": prefix,
                "level": view.confidence,
                "margin": view.criteria.margin,
                "groups": facts,
            },
            tallies=tallies,
            candidates=candidates,
            findings=findings,
            limits=tuple(_limits(tally, clustered, facts)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The overall area, the lowest area of each kind, and what stands out."""
        overall = result.measure("overall_auc", label="all", variant=result.facts["prefix"])
        if overall.value is None:
            return ("No statement on the ranking: " + (overall.note or "it is undefined") + ".",)
        level = level_of(result.facts["level"])
        said = [
            f"A positive text scored above a negative one in {number(100 * overall.value, 1)} of 100 pairs ({level} "
            f"{between(overall.low, overall.high, 1, scale=100)}; n = {count(overall.n or 0)})."
        ]
        said += [finding.statement for finding in result.findings]
        if not result.findings:
            said.append("No group's area was shown to differ from that of all texts by the margin or more.")
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Areas by group and what they average to; differences and gaps in the annex."""
        found = [
            *(_areas(result, attribute) for attribute in _SETS),
            _summaries(result),
            *(_differences(result, attribute) for attribute in _SETS),
        ]
        return [table for table in found if table.rows]

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """A heat map of the areas."""
        plot = _heat_map(result)
        return {} if plot is None else {"areas": plot}


def _named(tally: Tally, by: str) -> list[Named]:
    """Groups of a tally that are subgroups or terms, not what they are compared with."""
    if by == TERM:
        return [Named(TERM, name, name) for name in tally.groups if name != TERM and "&" not in name]
    parts = [(name, name.partition("/")) for name in tally.groups if "/" in name and "&" not in name]
    return [Named(attribute, subgroup, name) for name, (attribute, _, subgroup) in parts]


def _measured(bench: Bench, groups: list[Named], attribute: str) -> tuple[list[Measure], list[Named]]:
    from fairnb.statistics import bias_aucs

    present = [group for group in groups if bench.tally.n(group.name)]
    areas = bias_aucs(bench.tally, [group.name for group in groups], bench.level)
    made = [
        overall_measure(bench, areas),
        *area_measures(bench, areas, present),
        *gap_measures(bench, present),
        *summary_measures(bench, areas, groups, attribute),
    ]
    return made, present


def _question(measure: Measure, measures: Iterable[Measure], level: float, prefix: str) -> Question:
    """An exploratory difference as a question."""
    from fairnb.statistics import Estimate

    estimate = Estimate(measure.value, measure.low, measure.high, level, measure.interval, measure.note)
    group = f"“{measure.subgroup}”"
    if measure.attribute != TERM:
        group += f" ({measure.attribute.replace('_', ' ')})"
    kind = measure.measure.removesuffix("_auc")
    statement = ""
    if kind in KINDS and measure.value is not None and measure.p is not None:
        key = MeasureKey(measure.measure, measure.attribute, measure.subgroup, "", "all", prefix)
        own = next(one for one in measures if one.key == key)
        about = (
            f"area {value_of(own)}, {signed(measure.value)} from that of all texts, "
            f"{level * 100:g} % interval {between(measure.low, measure.high)}; "
            f"n = {count(measure.denominator or 0)} in the smaller class"
        )
        worse = measure.value < 0
        how = "worse" if worse else "better"
        statement = {
            "subgroup": f"Among texts that mention {group}, positive and negative ones are told apart {how} ({about}).",
            "bpsn": f"Negative texts that mention {group} are told {how} from positive texts without it ({about}).",
            "bnsp": f"Positive texts that mention {group} are told {how} from negative texts without it ({about}).",
        }[kind]
    return Question(
        criterion=f"{_HEADS.get(kind, kind)} area, {measure.attribute.replace('_', ' ')}: {measure.subgroup}",
        statement=statement,
        key=measure.key,
        at=lambda _: estimate,
        p=measure.p,
        support=measure.denominator or 0,
        family="E",
    )


def _limits(tally: Tally, clustered: bool, groups: Sequence[Mapping[str, object]]) -> Iterator[str]:
    if not groups:
        yield "The lexicon names no group: only the area of all texts was measured."
    if not (tally.support(label=1) and tally.support(label=0)):
        yield "The corpus holds one class only: no area is defined."
    if clustered:
        yield "Areas treat rows as independent, although texts of one cluster depend on each other."
    else:
        yield "Rows are treated as independent: the corpus names no author, thread or template of its texts."
    yield (
        "A term's texts may also hold other terms. The averages have no interval; their value by chance alone, with "
        "its range, says how far they fall without any bias."
    )


def _groups(result: Result, attribute: str) -> list[dict[str, str]]:
    """Groups of a set that somebody mentions."""
    return [
        group
        for group in result.facts["groups"]
        if not group["absent"] and (group["attribute"] == TERM) == (attribute == TERM)
    ]


def _get(result: Result, name: str, group: Mapping[str, str], **key: str) -> Measure:
    return result.measure(
        name, attribute=group["attribute"], subgroup=group["subgroup"], variant=result.facts["prefix"], **key
    )


def _title(group: Mapping[str, str]) -> str:
    if group["attribute"] == TERM:
        return f"“{group['subgroup']}”"
    return f"{group['attribute'].replace('_', ' ')}: {group['subgroup']}"


def _three(result: Result, group: Mapping[str, str]) -> list[Measure]:
    return [_get(result, f"{kind}_auc", group, label="all") for kind in KINDS]


def _areas(result: Result, attribute: str) -> Table:
    level = level_of(result.facts["level"])
    columns = [Column("Term" if attribute == TERM else "Group"), Column("Texts", "number")]
    for kind in KINDS:
        columns += [Column(_HEADS[kind], "number"), Column(level, "number")]
    marked = {finding.measures[0]._replace(reference="") for finding in result.findings}
    rows, few = [], []
    for group in _groups(result, attribute):
        three = _three(result, group)
        if all(measure.status in _SILENT for measure in three):
            few.append(group["subgroup"])
            continue
        cells = [
            text
            for measure in three
            for text in (value_of(measure) + (" ▲" if measure.key in marked else ""), interval_of(measure))
        ]
        rows.append(
            Row((_title(group), count(int(group["n"])), *cells), tuple(measure.key for measure in three))
        )
    overall = result.measure("overall_auc", label="all", variant=result.facts["prefix"])
    if rows:
        cells = [value_of(overall), interval_of(overall), "–", "–", "–", "–"]
        rows.append(Row(("All texts", count(overall.n or 0), *cells), (overall.key,), strong=True))
    absent = [
        group["subgroup"]
        for group in result.facts["groups"]
        if group["absent"] and (group["attribute"] == TERM) == (attribute == TERM)
    ]
    note = (
        f"On {result.facts['corpus']}. ▲ differs from the area of all texts after adjustment, by "
        f"{number(result.facts['margin'], 2)} or more."
    )
    if few:
        note += f" Fewer than ten texts of a class: {', '.join(few)}."
    if absent:
        note += f" Never mentioned: {', '.join(absent)}."
    return Table(f"Areas under the curve by {_SETS[attribute][:-1]}", tuple(columns), tuple(rows), note)


def _summaries(result: Result) -> Table:
    columns = (
        Column("Average"),
        Column("Over"),
        Column("Value", "number"),
        Column("By chance alone", "number"),
        Column("Its middle 95 %", "number"),
        Column("Groups", "number"),
    )
    prefix = result.facts["prefix"]
    rows, notes = [], []
    for attribute, named in _SETS.items():
        for name in SUMMARIES:
            found = result.measure(name, attribute=attribute, label="all", variant=prefix)
            variant = ",".join(part for part in (prefix, NULL) if part)
            law = next(
                (one for one in result.measures if one.key == found.key._replace(variant=variant)), None
            )
            total = sum(
                (group["attribute"] == TERM) == (attribute == TERM) for group in result.facts["groups"]
            )
            if not total:
                continue
            rows.append(
                Row(
                    (
                        _NAMES[name],
                        named,
                        value_of(found),
                        "–" if law is None else value_of(law),
                        "–" if law is None else interval_of(law),
                        f"{found.denominator} of {total}",
                    ),
                    (found.key,) if law is None else (found.key, law.key),
                    quiet=found.value is None,
                )
            )
            if found.note and found.note not in notes:
                notes.append(f"{named.capitalize()}: {found.note}.")
    note = "Groups with fewer than ten texts of a class are in no average. " + " ".join(dict.fromkeys(notes))
    return Table("What the areas average to", columns, tuple(rows), note)


def _differences(result: Result, attribute: str) -> Table:
    level = level_of(result.facts["level"])
    columns = [Column("Term" if attribute == TERM else "Group")]
    for head in (*(f"{_HEADS[kind]} minus overall" for kind in KINDS), "AEG negative", "AEG positive"):
        columns += [Column(head, "number"), Column(level, "number")]
    rows = []
    for group in _groups(result, attribute):
        found = [_get(result, f"{kind}_auc", group, label="all", reference=OVERALL) for kind in KINDS]
        found += [_get(result, f"aeg_{name}", group, label=name) for name in ("negative", "positive")]
        cells = [
            text
            for measure in found
            for text in (
                value_of(measure)
                if measure.value is None or measure.status is Status.TOO_FEW
                else signed(measure.value),
                interval_of(measure),
            )
        ]
        rows.append(
            Row(
                (_title(group), *cells),
                tuple(measure.key for measure in found),
                quiet=all(measure.status in _SILENT for measure in found),
            )
        )
    note = "AEG above zero: the group's texts of that label are scored higher than the others'."
    title = f"Differences of areas and equality gaps by {_SETS[attribute][:-1]}"
    return Table(title, tuple(columns), tuple(rows), note, annex=True)


def _heat_map(result: Result) -> Plot | None:
    """Areas as cells with their values, dark where low; rows in the order of the lexicon."""
    from matplotlib.patches import Rectangle

    from fairnb.sections._drawing import INK, MUTE, new_figure, write

    rows = []
    for attribute in _SETS:
        block = [(_title(group), _three(result, group)) for group in _groups(result, attribute)]
        rows += [row for row in block if any(one.status not in _SILENT for one in row[1])]
    if not rows:
        return None
    values = [
        one.value for _, three in rows for one in three if one.value is not None and one.status not in _SILENT
    ]
    lowest = min(0.5, *values)
    figure, (axis,) = new_figure(110, 18 + 5.6 * len(rows))
    for place, (_, three) in enumerate(rows):
        for column, measure in enumerate(three):
            known = measure.value is not None and measure.status not in _SILENT
            share = ((measure.value or 0.0) - lowest) / (1 - lowest) if known else 1.0
            shade = _shade(share) if known else (1.0, 1.0, 1.0)
            axis.add_patch(
                Rectangle(
                    (column, place), 1, 1, facecolor=shade, edgecolor="white", hatch=None if known else "..."
                )
            )
            text = number(measure.value or 0.0, 2) if known else "–"
            color = "white" if known and share < 0.55 else INK if known else MUTE
            write(axis, column + 0.5, place + 0.52, text, ha="center", va="center", color=color)
    axis.set(xlim=(0, len(KINDS)), ylim=(len(rows), 0))
    axis.set_yticks([place + 0.5 for place in range(len(rows))], [title for title, _ in rows])
    axis.set_xticks([0.5, 1.5, 2.5], [_HEADS[kind] for kind in KINDS])
    axis.xaxis.tick_top()
    axis.tick_params(length=0, labelcolor=INK)
    for side in axis.spines.values():
        side.set_visible(False)
    overall = result.measure("overall_auc", label="all", variant=result.facts["prefix"])
    return Plot(
        figure,
        f"Areas under the curve by group; the darker, the lower. All texts: {value_of(overall)}. A dash: fewer than "
        "ten texts of a class.",
        "; ".join(
            f"{title}: {', '.join(f'{_HEADS[kind]} {value_of(one, 2)}' for kind, one in zip(KINDS, three, strict=True))}"
            for title, three in rows
        )
        + ".",
    )


def _shade(share: float) -> tuple[float, float, float]:
    """From the accent, dark, to near white; even steps in grey, too."""
    dark, light = (0.07, 0.20, 0.34), (0.95, 0.97, 0.99)
    return (
        dark[0] + share * (light[0] - dark[0]),
        dark[1] + share * (light[1] - dark[1]),
        dark[2] + share * (light[2] - dark[2]),
    )
