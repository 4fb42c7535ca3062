"""Whether sentences that differ in the group alone are scored alike: section 6.4, Tables 7 to 9, equation 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from fairnb.errors import FairnbError
from fairnb.sections._contract import Altai, Need, Plan, Section, SectionParams, View
from fairnb.sections._counterfactual_made import Group, Sentence, from_corpus, from_templates, template_sets
from fairnb.sections._counterfactual_measures import (
    Compared,
    bias_measures,
    compare,
    mean_scores,
    shift_measures,
)
from fairnb.sections._counterfactual_shown import figures_of, tables_of
from fairnb.sections._format import margin_points
from fairnb.sections._measure import Measure, MeasureKey
from fairnb.sections._result import Example, Finding, Result, Severity
from fairnb.sections._shift import FEWEST_CLUSTERS, WORDS, answered
from fairnb.sections._verdicts import NO_ALPHA, RULES, Question, as_candidates, census_severity, judge

if TYPE_CHECKING:
    from fairnb.lexicon import Lexicon
    from fairnb.sections._shown import Plot, Table
    from fairnb.variants import TemplateSet

_SPOKEN = 6
_FOREIGN = (
    "the packaged templates are English, and the lexicon of the case is not: name an own file of templates"
)


class Counterfactual(Section):
    """Scores of sentences that differ in the group alone. Source: paper, section 6.4, Tables 7-9, equation (1)."""

    id = "counterfactual"
    title = "Synthetic counterfactuals"
    version = 5
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.SCORES,)
    source = "Paper, section 6.4, Tables 7, 8 and 9, equation (1); Student's t on templates for mean shifts."
    method = (
        "Each template is filled with terms for one group after the other, so that sentences differ in the group "
        "alone. The *mean shift* is the subgroup's mean score minus the reference's over sentences of one skeleton, "
        "in percentage points, apart for negative and positive sentences. It answers two questions: what holds in "
        "*this set* (a census: exact, no interval) and what would hold for *further templates* like these (an "
        "interval over templates, tested). *CB* is the paper's equation (1): reference minus mean counterfactual, "
        "its sign turned for negative sentences; positive means that the system is more often confidently right "
        "about the reference. **CB can cancel**: a group that scores higher in negative *and* positive sentences "
        "alike gets a CB near zero, although all talk of it is treated as worse. Read both components and the mean "
        "shift beside it. The paper prints the sum (*cb_sum*), which grows with the number of sentences; *cb_mean* "
        "can be compared. "
        f"Verdicts: {RULES} A census finding needs no test: the difference has the same sign in every template, two "
        "or more, and the pooled one reaches the margin; it holds of this set only and lies outside the family."
    )

    class Params(SectionParams):
        """Which sentences."""

        folded = ("file",)

        attributes: tuple[str, ...] = Field(
            (), description="Attributes of the packaged templates; empty: all"
        )
        file: str = Field("", description="Own template file (TOML) in the case folder")
        templates: bool = Field(True, description="Score the templates")
        synthetic: bool = Field(True, description="Compare the sentences of the synthetic corpus")
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")

    def confirmatory(self, plan: Plan, params: Params) -> int:
        """Each subgroup but the reference, for each label that has templates enough; none without a system."""
        if not params.templates or not plan.has(Need.LIVE_SYSTEM):
            return 0
        try:
            sets = template_sets(plan.file, _packaged(plan.lexicon, params), params.file)
        except FairnbError:
            # The section says what is wrong with the file when it runs; until then it tests nothing.
            return 0
        return sum(_testable(one, plan.criteria.min_support) for one, _ in sets)

    def run(self, view: View, params: Params) -> Result:
        """Score what is new in one go, compare within skeletons."""
        live = view.has(Need.LIVE_SYSTEM)
        packaged = _packaged(view.lexicon, params)
        groups = from_templates(view, packaged, params.file) if live and params.templates else []
        synthetic, note = from_corpus(view) if params.synthetic else ([], "")
        if not groups and not synthetic:
            without = Need.LIVE_SYSTEM.value if not live else Need.SYNTHETIC_CORPUS.value
            reason = note or (_FOREIGN if live and params.templates else without)
            return Result(status="not_applicable", reason=reason.rstrip("."))
        threshold = view.target.threshold if params.threshold is None else params.threshold
        level, margin = view.confidence, view.criteria.margin
        measures: list[Measure] = []
        asked: list[Question] = []
        compared: list[Compared] = []
        flagged: list[dict[str, Any]] = []
        for group in (*groups, *synthetic):
            measures += mean_scores(group, level)
            for one in compare(group, threshold):
                compared.append(one)
                tested = one.shift.mean(level).clusters >= FEWEST_CLUSTERS and not group.prefix
                measures += shift_measures(one, level, tested=tested)
                if not group.prefix:
                    asked.append(
                        one.shift.question(f"Mean shift, {one.words}", one.statement(level, tested), level)
                    )
            measures += bias_measures(group)
            flagged += _flagged(group, threshold)
        judged = judge(
            asked,
            alpha=view.alpha,
            margin=margin,
            min_support=view.criteria.min_support,
            confidence=level,
        )
        candidates, findings = as_candidates(judged, margin=margin, requirement=self.requirement)
        census = _census_findings(compared, findings, margin, level, int(self.requirement))
        sizes = {one.shift.key: abs(one.shift.mean(level).estimate.value or 0.0) for one in compared}
        told = {finding.measures[0] for finding in (*findings, *census)}
        return Result(
            measures=tuple(answered(measures, judged)),
            facts={
                "level": level,
                "margin": margin,
                "alpha": view.alpha,
                "threshold": threshold,
                "groups": [_described(group) for group in (*groups, *synthetic)],
                # Per template only what a reader looks for there: a fixed corpus, and what stands out.
                "templates": [
                    row
                    for one in compared
                    if one.group.prefix or one.shift.key in told
                    for row in one.per_template()
                ],
                "terms": flagged,
            },
            candidates=candidates,
            findings=_in_order([*findings, *census], sizes),
            examples=tuple(_examples(view, groups)),
            limits=tuple(_limits(view, groups, synthetic, note, params)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """Findings, gravest first, and what was not shown."""
        said = [one.statement for one in result.findings[:_SPOKEN]]
        rest = len(result.findings) - len(said)
        if rest > 0:
            stand = "difference stands" if rest == 1 else "differences stand"
            said.append(f"{rest} further {stand} out; the tables mark all of them.")
        if any(one.reason == NO_ALPHA for one in result.candidates):
            said.append(f"No shift was put to the test: {NO_ALPHA}; the tables hold the values.")
        elif not said:
            said.append(
                f"No group was shown to be scored differently by {margin_points(result.facts['margin'])} "
                "or more; that is not fairness shown."
            )
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Mean scores and shifts; CB; in the annex each template and each term."""
        return tables_of(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Mean scores by subgroup and label, shifts, shifts per template."""
        return figures_of(result)


def _testable(one: TemplateSet, min_support: int) -> int:
    """Mean shifts with templates and sentences enough to be generalised over templates."""
    labels = 0
    for label in WORDS:
        pairs = {(own.template, own.place) for own in one.sentences if own.label == label}
        templates = {template for template, _ in pairs}
        labels += len(templates) >= FEWEST_CLUSTERS and len(pairs) >= min_support
    return labels * (len(one.subgroups) - 1)


def _packaged(lexicon: Lexicon, params: Counterfactual.Params) -> tuple[str, ...]:
    """Attributes whose packaged templates are scored: none where the case is not in their language."""
    from fairnb.variants import PACKAGED

    return (params.attributes or PACKAGED) if params.templates and "en" in lexicon.languages else ()


def _flagged(group: Group, threshold: float) -> list[dict[str, Any]]:
    """How many sentences of each label are flagged: per term in a corpus, per subgroup in templates."""
    terms: dict[tuple[str, str], list[Sentence]] = {}
    for one in group.sentences:
        term = one.term if group.prefix else ""
        terms.setdefault((one.subgroup, term), []).append(one)
    rows = []
    for (subgroup, term), sentences in terms.items():
        row: dict[str, Any] = {
            "attribute": group.attribute,
            "subgroup": subgroup,
            "term": term,
            "prefix": group.prefix,
        }
        for label, word in WORDS.items():
            scores = [one.score for one in sentences if one.label == label]
            row[f"{word}_n"] = len(scores)
            row[f"{word}_flagged"] = sum(score >= threshold for score in scores)
            row[f"{word}_mean"] = sum(scores) / len(scores) if scores else None
        rows.append(row)
    return rows


def _census_findings(
    compared: Sequence[Compared], tested: Sequence[Finding], margin: float, level: float, requirement: int
) -> list[Finding]:
    """What holds in every template of this set; not where the tested finding says so already."""
    said = {finding.measures[0] for finding in tested}
    findings = []
    for one in compared:
        size = one.shift.mean(level).estimate.value
        if size is None or one.shift.key in said:
            continue
        severity = census_severity(size, [shift for shift, _ in one.by_template().values()], margin)
        if severity is None:
            continue
        findings.append(
            Finding(
                criterion=f"Mean shift of this set (census), {one.words}",
                severity=severity,
                statement=one.statement(level, tested=False),
                measures=(one.shift.key,),
                requirement=requirement,
                points=True,
            )
        )
    return findings


def _in_order(findings: Sequence[Finding], sizes: Mapping[MeasureKey, float]) -> tuple[Finding, ...]:
    """Gravest first; of one severity negative sentences (who is silenced), then the largest."""
    order = list(Severity)

    def place(finding: Finding) -> tuple[int, bool, float]:
        key = finding.measures[0]
        return order.index(finding.severity), key.label != "negative", -sizes[key]

    return tuple(sorted(findings, key=place))


def _described(group: Group) -> dict[str, Any]:
    return {
        "attribute": group.attribute,
        "reference": group.reference,
        "subgroups": list(group.subgroups),
        "prefix": group.prefix,
        "source": group.source,
        "sentences": len(group.sentences),
        "templates": len({one.template for one in group.sentences}),
    }


def _examples(view: View, groups: Sequence[Group]) -> Iterable[Example]:
    """One negative and one positive skeleton of each attribute, for two subgroups (the paper's Table 7)."""
    for group in groups:
        other = next(name for name in group.subgroups if name != group.reference)
        for label, word in WORDS.items():
            own = next((one for one in group.sentences if one.subgroup == other and one.label == label), None)
            twin = own and next(
                (
                    one
                    for one in group.sentences
                    if one.subgroup == group.reference and one.skeleton == own.skeleton
                ),
                None,
            )
            if own is None or twin is None:
                continue
            yield Example(
                text=view.redact(own.text),
                beside=view.redact(twin.text),
                values={
                    "label": word,
                    f"score, {other}": round(own.score, 4),
                    f"score, {group.reference}": round(twin.score, 4),
                },
            )


def _limits(
    view: View, groups: Sequence[Group], synthetic: Sequence[Group], note: str, params: Counterfactual.Params
) -> Iterable[str]:
    yield "Templates are not the texts that the system meets; what holds for them need not hold there."
    if groups:
        yield "That a sentence is positive or negative whichever group it names is an assumption of its author."
    if params.templates and not groups:
        yield f"Templates were not scored: {Need.LIVE_SYSTEM.value if not view.has(Need.LIVE_SYSTEM) else _FOREIGN}."
    if note:
        yield note
    if synthetic:
        few = min(len({one.template for one in group.sentences}) for group in synthetic)
        yield (
            f"The sentences of {view.corpus('synthetic').name} are made from few templates (from {few} on): what is "
            "found there is said of that set, and templates weigh by the number of their sentences."
        )
