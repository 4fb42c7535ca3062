"""Whether decisions hold when a text is written another way: ALTAI requirement 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import count, level_of, margin_points, number, percent
from fairnb.sections._measure import Measure
from fairnb.sections._result import Example, Result
from fairnb.sections._robustness_made import Made, Text, perturb, sampled, texts_of
from fairnb.sections._robustness_measures import Outcome, measured, question, variant_of
from fairnb.sections._robustness_shown import figures_of, tables_of
from fairnb.sections._shift import answered
from fairnb.sections._support import NEVER_BELOW
from fairnb.sections._verdicts import RULES, as_candidates, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.sections._contract import Role
    from fairnb.sections._shown import Plot, Table
    from fairnb.variants import Perturbation

_NEEDS = {"test": Need.TEST_CORPUS, "train": Need.TRAIN_CORPUS}
_SHOWN = 280
"""Characters of an example."""
_TOLD = 6
"""Observations that stand as sentences; the tables hold all."""


class Robustness(Section):
    """Decisions and accuracy when texts are written another way. Source: ALTAI 2; AMI 2020, section 6."""

    id = "robustness"
    title = "Robustness to spelling and disguise"
    version = 2
    requirement = Altai.TECHNICAL_ROBUSTNESS_AND_SAFETY
    needs = (Need.LIVE_SYSTEM, Need.SCORES)
    source = (
        "Assessment List for Trustworthy AI (2020), requirement 2; error patterns of Fersini et al., AMI at EVALITA "
        "2020, section 6; Gröndahl et al., All You Need is “Love” (2018), for what evaders do; McNemar (1947) with "
        "Fagerland et al. (2013) for the mid-p; Bonett and Price (2012) for differences of paired shares."
    )
    method = (
        "A sample of labelled texts, drawn at random within label and decision, is written in other ways: with "
        "typing errors, missing spaces, look-alike letters and so on, as hasty writers and evaders do. Each new text "
        "is scored. The *flip rate* is the share of texts whose decision changes, apart for those flagged and those "
        "not flagged before: a flag that is lost is a way around the system, a flag that is gained wrongs a writer. "
        "*Accuracy* is compared with that on the same texts as they stand. Both rest on the assumption that the "
        "label stays; each perturbation states why and when not, and examples stand beside for a person to check. "
        "Texts that a perturbation cannot change are in no denominator. All of this is exploratory: differences "
        f"are observations at most, and groups are shown without a test. Verdicts: {RULES}"
    )

    class Params(SectionParams):
        """How many texts are perturbed, and how."""

        folded = ("perturbations", "examples")

        corpus: Literal["test", "train"] = Field("test", description="Corpus whose texts are perturbed")
        sample: int = Field(500, ge=20, le=100_000, description="Most texts that are perturbed")
        perturbations: tuple[str, ...] = Field((), description="Names of perturbations; empty: all")
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")
        examples: int = Field(1, ge=0, le=10, description="Texts shown for each perturbation")

    def run(self, view: View, params: Params) -> Result:
        """Sample, perturb, score once, compare."""
        if not view.has(_NEEDS[params.corpus]):
            return Result(status="not_applicable", reason=_NEEDS[params.corpus].value)
        chosen = _chosen(params.perturbations)
        threshold = view.target.threshold if params.threshold is None else params.threshold
        texts, facts = texts_of(view, params.corpus)
        drawn = sampled(texts, params.sample, threshold, view.seed)
        made = perturb(drawn, chosen, view.predict, view.seed)
        level, criteria = view.confidence, view.criteria
        groups = _groups(view, params.corpus, drawn)
        outcomes, few = _outcomes(made, groups, threshold)
        measures = [measure for outcome in outcomes for measure in measured(outcome, level)]
        judged = judge(
            [question(outcome, level) for outcome in outcomes if not outcome.subgroup],
            alpha=criteria.alpha,
            margin=criteria.margin,
            min_support=criteria.min_support,
            confidence=level,
        )
        candidates, findings = as_candidates(judged, margin=criteria.margin, requirement=self.requirement)
        return Result(
            measures=tuple(answered(measures, judged)),
            facts={
                **facts,
                "sampled": len(drawn),
                "threshold": threshold,
                "level": level,
                "margin": criteria.margin,
                "perturbations": [_counts(outcome) for outcome in outcomes if not outcome.subgroup],
            },
            candidates=candidates,
            findings=findings,
            examples=tuple(_examples(view, made, params.examples)),
            limits=tuple(_limits(facts, len(drawn), made, few)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """What flips most decisions, then where accuracy moved."""
        worst = _worst(result)
        if worst is None:
            return ("No text could be perturbed: nothing was compared.",)
        said = [worst]
        said += [finding.statement for finding in result.findings[:_TOLD]]
        rest = len(result.findings) - _TOLD
        if rest > 0:
            said.append(
                f"{rest} further differences of accuracy reach the margin; the tables mark all of them."
            )
        if not result.findings:
            said.append(
                "No perturbation was shown to move accuracy by as much as the margin of "
                f"{margin_points(result.facts['margin'])}; that is not robustness shown."
            )
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Flips and accuracy; in the annex subgroups and what each perturbation assumes."""
        return tables_of(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Flips by direction, and accuracy against the margin."""
        return figures_of(result)


def _chosen(names: Sequence[str]) -> Sequence[Perturbation]:
    from fairnb.variants import find_perturbation, perturbations

    return [find_perturbation(name) for name in dict.fromkeys(names)] or perturbations()


def _groups(view: View, role: Role, drawn: Sequence[Text]) -> dict[tuple[str, str], set[int]]:
    """(attribute, subgroup) -> rows of the sample that mention it."""
    if not view.has(Need.MENTIONS):
        return {}
    names, matrix = view.mentions(role).groups("subgroup")
    rows = [one.row for one in drawn]
    groups = {}
    for place, name in enumerate(names):
        attribute, _, subgroup = name.partition("/")
        own = set(matrix[:, [place]].nonzero()[0].tolist()).intersection(rows)
        if own:
            groups[attribute, subgroup] = own
    return groups


def _outcomes(
    made: Sequence[Made], groups: Mapping[tuple[str, str], set[int]], threshold: float
) -> tuple[list[Outcome], list[str]]:
    """All texts and each subgroup under each perturbation; subgroups under which too few texts changed."""
    outcomes, few = [], []
    for one in made:
        outcomes.append(Outcome(one, "", "", one.rows, threshold))
        for (attribute, subgroup), rows in groups.items():
            own = [row for row in one.rows if row.of.row in rows]
            if len(own) >= NEVER_BELOW:
                outcomes.append(Outcome(one, attribute, subgroup, own, threshold))
            else:
                few.append(subgroup)
    return outcomes, list(dict.fromkeys(few))


def _counts(outcome: Outcome) -> dict[str, Any]:
    made, one = outcome.made, outcome.made.perturbation
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "assumption": one.assumption,
        "texts": len(made.rows),
        "unchanged": made.unchanged,
        "unscored": made.unscored,
        "flags_lost": outcome.flips((True,)),
        "flags_gained": outcome.flips((False,)),
        "right_before": outcome.right_before(),
        "right_after": outcome.right_after(),
    }


def _worst(result: Result) -> str | None:
    """The perturbation with the highest flip rate."""
    rates: list[tuple[Measure, Mapping[str, Any]]] = []
    for one in result.facts["perturbations"]:
        rate = result.measure("flip_rate", label="all", variant=variant_of(one["name"]))
        if rate.value is not None:
            rates.append((rate, one))
    if not rates:
        return None
    rate, one = max(rates, key=lambda pair: pair[0].value or 0.0)
    if not rate.value:
        return f"No decision changed under any of {len(rates)} perturbations of {count(result.facts['sampled'])} texts."
    low, high = rate.low, rate.high
    interval = (
        ""
        if low is None or high is None
        else (f" ({level_of(result.facts['level'])} {number(100 * low, 1)} to {number(100 * high, 1)} %)")
    )
    return (
        f"Most decisions changed under “{one['title']}”: {percent(rate.value)} of {count(one['texts'])} texts"
        f"{interval}; {count(one['flags_lost'])} lost their flag and {count(one['flags_gained'])} gained one."
    )


def _examples(view: View, made: Sequence[Made], wanted: int) -> Iterable[Example]:
    """Each text as it stands and perturbed: apart, so that an export can withhold both."""
    for one in made:
        # The sample's order is random: these are not chosen by what the system made of them.
        for row in one.rows[:wanted]:
            values: dict[str, float | str | None] = {"label": "positive" if row.of.label else "negative"}
            yield Example(
                text=_cut(view.redact(row.of.text)),
                note="as it stands",
                values={**values, "score": round(row.of.score, 4)},
            )
            yield Example(
                text=_cut(view.redact(row.new)),
                note=f"{one.perturbation.title}: is the label still right?",
                values={**values, "score": round(row.after, 4)},
            )


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _limits(facts: Mapping[str, Any], drawn: int, made: Sequence[Made], few: Sequence[str]) -> Iterable[str]:
    yield "That the label stays is assumed; nobody has labelled the perturbed texts anew."
    yield "Each perturbation is drawn once for each text, blindly: who seeks a way around a system will find better."
    if drawn < facts["texts"]:
        yield (
            f"{count(drawn)} of {count(facts['texts'])} different texts were perturbed, drawn at random within "
            "label and decision; intervals are for more such texts."
        )
    if facts["repeated"]:
        yield f"{count(facts['repeated'])} texts that repeat an earlier one were left out."
    if not facts["clustered"]:
        yield "Texts are treated as independent; authors are not known."
    unscored = sum(one.unscored for one in made)
    if unscored:
        yield f"{count(unscored)} perturbed texts got no score and are in no measure."
    if few:
        yield (
            f"Under some perturbation fewer than {NEVER_BELOW} texts that mention {', '.join(few)} changed: "
            "such rows are left out."
        )
