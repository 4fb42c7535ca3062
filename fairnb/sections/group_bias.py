"""Errors and scores by mentioned subgroup: Table 3, Figure 2 and the seven metrics of appendix F."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Plan, Section, SectionParams, View
from fairnb.sections._format import count, margin_points
from fairnb.sections._group_bench import Bench, Group
from fairnb.sections._group_census import as_census, by_template, census, template_measures, templates_of
from fairnb.sections._group_measures import BUDGET, measures_of
from fairnb.sections._group_questions import (
    SIMULTANEOUS,
    TERM,
    TESTED,
    at_neighbours,
    crossed_measures,
    neighbours,
    observed,
    questions,
    without_shared,
    words,
)
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._result import Result, Verdict
from fairnb.sections._variant import of_corpus
from fairnb.sections._verdicts import NO_ALPHA, RULES, VERDICT_FROM, Judged, Question, as_candidates, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.lexicon import Lexicon
    from fairnb.sections._shown import Plot, Table
    from fairnb.statistics import Estimate, Tally

_NEEDS = {"test": Need.TEST_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}


class GroupBias(Section):
    """Whether the system errs differently on texts that mention different groups. Source: paper, 6.2, appendix F."""

    id = "group_bias"
    title = "Bias by mentioned group"
    version = 9
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.SCORES, Need.MENTIONS)
    source = (
        "Paper, section 6.2, Table 3, Figure 2 and appendix F. Hardt, Price and Srebro (2016) for separation; "
        "Newcombe (1998) and Zou (2007) for the intervals; Holm (1979) for the adjustment."
    )
    method = (
        "Groups are those a text *mentions*, not its author. Each subgroup is compared with *everyone else*, the "
        "texts that mention no subgroup of the attribute, and with the reference subgroup that the lexicon "
        "declares; a difference is the subgroup's value minus the other's, in percentage points. Two rates decide: "
        "the share of negative texts that are wrongly flagged (FPR: who is silenced) and the share of positive "
        "texts that are flagged (TPR, the paper's *equal opportunity*: who is protected). The other metrics are in "
        "the annex; several of them differ between groups whenever the groups' base rates do, so that each also "
        "stands there *standardised*, with both groups weighted to the base rate of all texts. The difference in "
        "the share flagged (*statistical parity*) is split into what base rates, TPR and FPR contribute. Texts that "
        "mention both groups count in both; intervals allow for it. *Normalised treatment equality* is FN/(FN+FP), "
        "our reading of a metric that the paper does not define; *Gini equality* follows the paper's formula, in "
        "which a wrongly flagged text has the highest benefit, and the other way round beside it. "
        f"Verdicts: {RULES}"
    )

    class Params(SectionParams):
        """Corpus, threshold and groups."""

        corpus: Literal["test", "synthetic"] = Field("test", description="Corpus whose texts are compared")
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")
        by: Literal["subgroup", "identity_term"] = Field(
            "subgroup", description="Compare subgroups or single terms"
        )
        intersections: bool = Field(
            False, description="Also compare texts that mention subgroups of two attributes"
        )

    def confirmatory(self, plan: Plan, params: Params) -> int:
        """Two rates for each subgroup and each of its references; none over a set from templates, a census."""
        if not plan.has(_NEEDS[params.corpus]) or plan.templated(params.corpus):
            return 0
        return len(TESTED) * sum(len(group.references) for group in _groups(plan.lexicon, params.by))

    def run(self, view: View, params: Params) -> Result:
        """Measure every subgroup and put its two error rates to the test."""
        from fairnb.mining import counted_groups

        role = params.corpus
        if not view.has(_NEEDS[role]):
            return Result(status="not_applicable", reason=_NEEDS[role].value)
        threshold = view.target.threshold if params.threshold is None else params.threshold
        tally = view.tally(role, params.by, (threshold, *neighbours(threshold)))
        groups = [group for group in _groups(view.lexicon, params.by) if tally.has(group.name)]
        prefix = of_corpus(role)
        templates = templates_of(view.corpus(role), role)
        criteria = view.criteria
        bench = Bench(
            tally, threshold, view.confidence, criteria.min_support, view.seed, prefix, templates is not None
        )
        absent = {group.name for group in groups if not tally.n(group.name)}
        measures, cut = measures_of(bench, groups, BUDGET // len(view.targets))
        measures += without_shared(bench, groups)
        if templates is None:
            judged = judge(
                questions(bench, groups),
                alpha=view.alpha,
                margin=criteria.margin,
                min_support=criteria.min_support,
                confidence=view.confidence,
            )
        else:
            exact = by_template(
                bench,
                groups,
                counted_groups(view.mentions(role), params.by, view.lexicon.reference),
                view.labels(role),
                view.scores(role),
                templates,
            )
            judged = tuple(census(bench, groups, exact, criteria.margin))
            measures = [as_census(one) for one in measures]
            measures += template_measures(bench, judged, exact)
        tallies: dict[str, str] = {role: tally.digest}
        crossed: list[Group] = []
        crossed_questions: list[Question] = []
        if params.intersections:
            joint = view.tally(role, "intersection", (threshold, *neighbours(threshold)))
            tallies[f"{role}:intersection"] = joint.digest
            crossed = _crossed(joint)
            more, crossed_questions = crossed_measures(replace(bench, tally=joint), crossed)
            measures += more
        exploratory = judge(
            [
                *(
                    observed(one, bench.level)
                    for one in measures
                    if one.family == "E" and "+" not in one.attribute
                ),
                *crossed_questions,
            ],
            alpha=criteria.alpha,
            margin=criteria.margin,
            min_support=criteria.min_support,
            confidence=view.confidence,
        )
        measures = _answered(measures, [*judged, *exploratory])
        known = {one.key: one for one in measures}
        measures += [
            _simultaneous(bench, known[answer.question.key], answer.simultaneous)
            for answer in judged
            if answer.simultaneous is not None
        ]
        candidates, findings = as_candidates(judged, margin=criteria.margin, requirement=self.requirement)
        told = {_place(finding.measures[0]) for finding in findings}
        spoken = [
            answer
            for answer in exploratory
            if answer.question.key.variant in ("", prefix) and answer.question.key.measure in _SPOKEN
        ]
        more_candidates, observations = as_candidates(
            spoken, margin=criteria.margin, requirement=self.requirement
        )
        observations = tuple(one for one in observations if _place(one.measures[0]) not in told)
        near = at_neighbours(bench, groups, [finding.measures[0] for finding in findings])
        measures += [as_census(one) if bench.census else one for one in near]
        return Result(
            measures=tuple(measures),
            facts={
                "corpus": view.corpus(role).name,
                "role": role,
                "by": params.by,
                "prefix": prefix,
                "threshold": threshold,
                "neighbours": list(neighbours(threshold)),
                "level": view.confidence,
                "margin": criteria.margin,
                "alpha": view.alpha,
                "min_support": criteria.min_support,
                "templates": 0 if templates is None else len(set(templates)),
                "tested": sum(answer.p_adjusted is not None for answer in judged),
                "base_rate": bench.base_rate,
                "groups": [
                    {
                        "attribute": group.attribute,
                        "subgroup": group.subgroup,
                        "reference": group.reference,
                        "n": tally.n(group.name),
                        "unscored": tally.unscored(group.name),
                        "absent": group.name in absent,
                    }
                    for group in groups
                ],
                "everyone_else": {group.attribute: tally.n(f"~{group.union}") for group in groups},
                "intersections": [
                    {"attribute": group.attribute, "subgroup": group.subgroup} for group in crossed
                ],
            },
            tallies=tallies,
            candidates=(*candidates, *more_candidates),
            findings=(*findings, *observations),
            limits=tuple(_limits(tally, groups, bench, cut)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """Each finding, and how many differences are within the margin, inconclusive or not measured."""
        grave = [finding.statement for finding in result.findings if finding.severity != "observation"]
        said = grave[:MOST_SAID]
        if len(grave) > MOST_SAID:
            said.append(f"{len(grave) - MOST_SAID} more findings stand in the tables.")
        confirmatory = [candidate for candidate in result.candidates if candidate.family != "E"]
        if not confirmatory:
            return ["No subgroup is mentioned in the lexicon of this case: nothing was compared."]
        if any(candidate.reason == NO_ALPHA for candidate in confirmatory):
            return [f"No difference was put to the test: {NO_ALPHA}; the tables hold the values."]
        margin = margin_points(result.facts["margin"])
        if not said:
            said.append(
                f"No difference was shown to exceed the margin of {margin}; that is not fairness shown."
            )
        for attribute in dict.fromkeys(candidate.measures[0].attribute for candidate in confirmatory):
            own = [one.verdict for one in confirmatory if one.measures[0].attribute == attribute]
            named = words(attribute)
            if all(verdict is Verdict.NOT_MEASURED for verdict in own):
                said.append(
                    f"By {named} nothing could be measured: every subgroup has fewer than ten texts of a label."
                )
                continue
            said.append(
                f"By {named}, of {count(len(own))} differences: {own.count(Verdict.EXCEEDS)} beyond the margin of "
                f"{margin}, {own.count(Verdict.WITHIN)} within it, {own.count(Verdict.INCONCLUSIVE)} "
                f"inconclusive, {own.count(Verdict.NOT_MEASURED)} not measured."
            )
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Table 3, a verdict table per attribute, neighbouring thresholds; all metrics in the annex."""
        from fairnb.sections._group_tables import tables

        return tables(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Mean scores by subgroup, and the differences with their margin."""
        from fairnb.sections._group_figures import figures

        return figures(result)


MOST_SAID = 10
"""Findings told in sentences, gravest first; the tables hold all."""
_SPOKEN = ("mean_score", *(spec.name for spec in TESTED))


def _groups(lexicon: Lexicon, by: str) -> list[Group]:
    """Every group that the lexicon names, with its declared reference."""
    if by == TERM:
        terms = dict.fromkeys(entry.term for entry in lexicon.identity_terms)
        return [Group(TERM, term, term, TERM) for term in terms]
    named = set(lexicon.subgroups)
    groups = []
    for attribute, subgroup in lexicon.subgroups:
        reference = lexicon.reference.get(attribute, "")
        known = reference != subgroup and (attribute, reference) in named
        groups.append(
            Group(attribute, subgroup, f"{attribute}/{subgroup}", attribute, reference if known else "")
        )
    return groups


def _crossed(tally: Tally) -> list[Group]:
    groups = []
    for name in tally.groups:
        attribute, slash, subgroup = name.partition("/")
        if slash and "&" not in name:
            groups.append(Group(attribute, subgroup, name, attribute))
    return groups


def _place(key: MeasureKey) -> tuple[str, str, str, str]:
    return key.attribute, key.subgroup, key.reference, key.label


def _answered(measures: Iterable[Measure], judged: Iterable[Judged]) -> list[Measure]:
    """Measures with the p-values and the smallest difference to be seen of the questions about them."""
    answers = {answer.question.key: answer for answer in judged}
    found = []
    for measure in measures:
        answer = answers.get(measure.key)
        if answer is not None:
            tested = answer.p_adjusted is not None
            measure = measure.model_copy(
                update={
                    # What was not tested has no p: it would be read as one of the family.
                    "p": answer.question.p if tested else None,
                    "p_adjusted": answer.p_adjusted,
                    "detectable": answer.detectable,
                }
            )
        found.append(measure)
    return found


def _simultaneous(bench: Bench, own: Measure, interval: Estimate) -> Measure:
    """The interval that holds for all tested differences together."""
    return Measure(
        **own.key._replace(variant=bench.variants(SIMULTANEOUS))._asdict(),
        value=interval.value,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        interval=interval.method,
        n=own.n,
        denominator=own.denominator,
        n_reference=own.n_reference,
        n_overlap=own.n_overlap,
        threshold=bench.threshold,
        null=0.0,
        family="C",
        method="interval at the corrected level",
    )


def _limits(tally: Tally, groups: Sequence[Group], bench: Bench, cut: Sequence[Group]) -> Iterable[str]:
    if not groups:
        yield "The lexicon names no subgroup: nothing was compared."
    if not (tally.support(label=1) and tally.support(label=0)):
        yield "The corpus holds one class only: what compares classes is undefined."
    unscored = tally.unscored()
    if unscored:
        yield f"{count(unscored)} labelled texts have no score and are in no rate."
    if bench.census:
        yield (
            "The texts are a fixed set made from templates: values are exact for this set, without interval or test, and "
            "say nothing of other texts."
        )
    elif bench.clustered:
        yield (
            "Intervals of TPR, FPR, FNR, accuracy, the shares flagged and positive, and mean scores allow for texts of "
            "one cluster; those of the other metrics treat rows as independent and are not tested."
        )
    else:
        yield "Rows are treated as independent: the corpus names no author, thread or template of its texts."
    few = [group.subgroup for group in groups if 0 < tally.n(group.name) < VERDICT_FROM]
    if few:
        yield f"Fewer than ten texts, so that only mean scores, TPR and FPR are recorded: {', '.join(few)}."
    if cut:
        yield (
            "For these subgroups, the smallest of those with ten texts or more, only mean scores, TPR and FPR are "
            f"recorded: {', '.join(f'{group.subgroup} ({words(group.attribute)})' for group in cut)}. The other metrics "
            "would not fit into the record that a notebook keeps of a section; a case with fewer attributes records "
            "every metric. No verdict on TPR or FPR depends on them; observations are adjusted for what is recorded."
        )
    if not tally.exact_at(bench.threshold):
        yield "Counts at this threshold were taken from scores rounded by the tally."
    yield (
        "Groups are those that texts mention, found by look-up: missed and mistaken mentions blur differences and can "
        "make some. Labels are annotators' opinions, whose errors can depend on the group. A difference is no cause."
    )
