"""Whether scores rank texts of every mentioned group as well as others: subgroup, BPSN and BNSP areas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from pydantic import Field

from fairnb.sections._auc_measures import (
    KINDS,
    TERM,
    Bench,
    Named,
    Resampled,
    area_measures,
    averaged_groups,
    gap_measures,
    overall_measure,
    summary_measures,
)
from fairnb.sections._auc_shown import HEADS, heat_map, tables
from fairnb.sections._contract import Altai, Need, Role, Section, SectionParams, View
from fairnb.sections._format import between, count, level_of, number, signed, value_of
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._result import Result
from fairnb.sections._shown import Plot, Table
from fairnb.sections._variant import of_corpus
from fairnb.sections._verdicts import Question, as_candidates, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fairnb.statistics import BiasAucs, Tally

_NEEDS = {"test": Need.TEST_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}


class AucBias(Section):
    """Subgroup, BPSN and BNSP areas under the curve, without a threshold. Source: Borkan et al. (2019)."""

    id = "auc_bias"
    title = "Bias of the ranking"
    version = 3
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
        "the scores of each label). Intervals of averages are bias-corrected ones of 1,000 "
        "resamples of texts, or of clusters of texts where the corpus names them. "
        "Differences are exploratory (Benjamini and Hochberg within the section): observations at most."
    )

    class Params(SectionParams):
        """Corpus and draws."""

        folded = ("draws",)

        corpus: Literal["test", "synthetic"] = Field("test", description="Corpus whose texts are ranked")
        draws: int = Field(200, ge=20, le=5000, description="Draws behind each value by chance alone")

    def run(self, view: View, params: Params) -> Result:
        """Measure the areas of every subgroup and every identity term."""
        from fairnb.statistics import bias_aucs

        role = params.corpus
        if not view.has(_NEEDS[role]):
            return Result(status="not_applicable", reason=_NEEDS[role].value)
        prefix = of_corpus(role)
        measures: list[Measure] = []
        tallies: dict[str, str] = {}
        facts: list[dict[str, object]] = []
        clustered = False
        runs: dict[str, _Run] = {}
        for by in ("subgroup", TERM):
            tally = view.tally(role, by)
            tallies[role if by == "subgroup" else f"{role}:{by}"] = tally.digest
            clustered = tally.clusters is not None
            bench = Bench(tally, view.confidence, view.criteria.min_support, view.seed, params.draws, prefix)
            groups = _named(tally, by)
            present = [group for group in groups if tally.n(group.name)]
            areas = bias_aucs(tally, [group.name for group in groups], bench.level)
            runs[by] = _Run(bench, groups, areas)
            if by == "subgroup":
                # The area of all texts is the same in both tallies.
                measures.append(overall_measure(bench, areas))
            measures += [*area_measures(bench, areas, present), *gap_measures(bench, present)]
            facts += [
                {
                    "attribute": group.attribute,
                    "subgroup": group.subgroup,
                    "n": tally.n(group.name),
                    "absent": group not in present,
                }
                for group in groups
            ]
        resampled = _resampled(view, role, runs)
        for by, one in runs.items():
            attribute = "" if by == "subgroup" else TERM
            measures += summary_measures(one.bench, one.areas, one.groups, attribute, resampled[by])
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
        return tables(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """A heat map of the areas."""
        plot = heat_map(result)
        return {} if plot is None else {"areas": plot}


def _named(tally: Tally, by: str) -> list[Named]:
    """Groups of a tally that are subgroups or terms, not what they are compared with."""
    if by == TERM:
        return [Named(TERM, name, name) for name in tally.groups if name != TERM and "&" not in name]
    parts = [(name, name.partition("/")) for name in tally.groups if "/" in name and "&" not in name]
    return [Named(attribute, subgroup, name) for name, (attribute, _, subgroup) in parts]


@dataclass(frozen=True)
class _Run:
    """Everything that was measured of subgroups, or of terms."""

    bench: Bench
    groups: list[Named]
    areas: BiasAucs


def _resampled(view: View, role: Role, runs: Mapping[str, _Run]) -> dict[str, Resampled]:
    """Areas over resamples of clusters, else of texts: subgroups and terms from the same ones."""
    import numpy as np

    from fairnb.mining import CountedBy, counted_groups
    from fairnb.statistics import ranked_rows, resampled_areas

    kept = {by: averaged_groups(one.areas, one.groups) for by, one in runs.items()}
    clusters = view.corpus(role).clusters
    of = "texts" if clusters is None else "clusters of texts"
    members = []
    for by, groups in kept.items():
        if groups:
            counted = counted_groups(view.mentions(role), cast("CountedBy", by), view.lexicon.reference)
            columns = [counted.names.index(group.name) for group in groups]
            members.append(counted.membership.tocsc()[:, columns].toarray())
    if not members:
        return dict.fromkeys(kept, Resampled({}, of))
    rows = ranked_rows(view.labels(role), view.scores(role), np.hstack(members), clusters)
    drawn = resampled_areas(rows, seed=view.seed)
    found, start = {}, 0
    for by, groups in kept.items():
        end = start + len(groups)
        own = {kind: drawn[kind][:, start:end] for kind in KINDS}
        found[by] = Resampled({"overall": drawn["overall"], **own}, of)
        start = end
    return found


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
        criterion=f"{HEADS.get(kind, kind)} area, {measure.attribute.replace('_', ' ')}: {measure.subgroup}",
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
        yield (
            "Areas of groups treat rows as independent, although texts of one cluster depend on each other; the "
            "intervals of the averages allow for it."
        )
    else:
        yield "Rows are treated as independent: the corpus names no author, thread or template of its texts."
    yield (
        "A term's texts may also hold other terms. The interval of an average tells how it varies from sample to "
        "sample; how far it falls without any bias tells its value by chance alone, with its range."
    )
