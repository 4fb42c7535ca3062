"""How often identity terms and subgroups occur in positive and negative texts: Tables 4 and 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._data_bias_figure import ratio_plot
from fairnb.sections._format import between, count, interval_of, level_of, number, percent, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Candidate, Finding, Result, Verdict
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._support import NEVER_BELOW, supported
from fairnb.sections._verdicts import observed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.mining import Mentions

TERM = "identity_term"
_LABELS = (("positive", 1), ("negative", 0))
_BY: tuple[Literal["identity_term", "subgroup"], ...] = ("identity_term", "subgroup")


class DataBias(Section):
    """Frequencies of identity terms and mined subgroups by label. Source: paper, section 4, Tables 2 and 4."""

    id = "data_bias"
    title = "Data bias"
    version = 3
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.MENTIONS,)
    source = "Paper, section 4, Tables 2 and 4; Katz et al. (1978) and Koopman (1984) for ratios."
    method = (
        "For every identity term and every subgroup the share of positive and of negative texts that mention "
        "it is counted; a text counts once however often it mentions the term. The *ratio* divides the two "
        "shares: above one, the term occurs more often in positive texts. A ratio away from one is a trait of "
        "the collected texts and labels; a system trained on them can learn it, but this section does not show "
        "that it did. Where a term is itself used as an insult, mention and label are confounded. Groups are "
        "those mentioned, not authors."
    )

    class Params(SectionParams):
        """Which corpus, and from which ratio on one is reported."""

        corpus: Literal["train", "test", "synthetic"] = Field("train", description="Corpus to look at")
        source: Literal["lookup", "ner", "both"] = Field("lookup", description="What finds mentions")
        ratio_margin: float = Field(
            1.25, gt=1.0, le=10.0, description="Ratios between its inverse and this are not reported"
        )

    def run(self, view: View, params: Params) -> Result:
        """Count mentions by label."""
        need = {"train": Need.TRAIN_CORPUS, "test": Need.TEST_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}
        if not view.has(need[params.corpus]):
            return Result(status="not_applicable", reason=need[params.corpus].value)
        labels = view.labels(params.corpus)
        mentions = view.mentions(params.corpus, params.source)
        variant = "" if params.source == "lookup" else f"source={params.source}"
        totals = {name: int((labels == value).sum()) for name, value in _LABELS}
        measures: list[Measure] = []
        for by in _BY:
            names, matrix = mentions.groups(by)
            counted = {name: _column_sums(matrix, labels == value) for name, value in _LABELS}
            for position, name in enumerate(names):
                attribute, subgroup = (TERM, name) if by == TERM else tuple(name.split("/", 1))
                hits = {label: int(counted[label][position]) for label, _ in _LABELS}
                measures += _of_one((attribute, subgroup, variant), hits, totals, view.confidence)
        measures = _tested(measures)
        candidates, findings = _judged(measures, totals, view.criteria.alpha, params.ratio_margin)
        return Result(
            measures=tuple(measures),
            facts={
                "corpus": params.corpus,
                "found_by": {"lookup": "", "ner": "recognition", "both": "look-up or recognition"}[
                    params.source
                ],
                "corpus_name": view.corpus(params.corpus).name,
                "totals": totals,
                "level": view.confidence,
                "rule": view.lexicon.rule,
                "ratio_margin": params.ratio_margin,
                "suppressed": dict(mentions.suppressed),
            },
            candidates=tuple(candidates),
            findings=tuple(findings),
            limits=tuple(_limits(view, mentions, totals)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The subgroups and terms whose ratio stands out."""
        said = [finding.statement for finding in result.findings[:6]]
        rest = len(result.findings) - len(said)
        if rest > 0:
            stand = "term or subgroup stands" if rest == 1 else "terms or subgroups stand"
            said.append(f"{rest} further {stand} out; the tables mark all of them.")
        if not said:
            return (
                "No identity term or subgroup was shown to occur more often in positive or in negative texts; "
                "for rare ones this says little.",
            )
        return said

    def tables(self, result: Result) -> Sequence[Table]:
        """Subgroups (Table 2) and terms (Table 4)."""
        attributes = list(dict.fromkeys(m.attribute for m in result.measures if m.attribute != TERM))
        tables = []
        if attributes:
            tables.append(
                _table(result, "Subgroups by label", attributes, "The paper's Table 2, with intervals.", 2)
            )
        if any(m.attribute == TERM for m in result.measures):
            tables.append(
                _table(result, "Identity terms by label", [TERM], "The paper's Table 4, with intervals.", 4)
            )
        return tables

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Ratios of subgroups and of terms on a logarithmic axis."""
        figures = {}
        for name, chosen in (
            ("subgroups", [m for m in _ratios(result) if m.attribute != TERM]),
            ("terms", [m for m in _ratios(result) if m.attribute == TERM]),
        ):
            shown = [m for m in chosen if m.value and m.low and m.high and m.status is not Status.TOO_FEW]
            if shown:
                figures[name] = ratio_plot(
                    result, name, sorted(shown, key=lambda m: m.value or 0), len(chosen)
                )
        return figures


def _column_sums(matrix: Any, rows: Any) -> Any:
    import numpy as np

    return np.asarray(matrix[rows].sum(axis=0)).ravel()


def _of_one(
    key: tuple[str, str, str], hits: dict[str, int], totals: dict[str, int], level: float
) -> Iterable[Measure]:
    """Frequencies per label, their ratio, and the base rate among the texts that mention the group."""
    from fairnb.statistics import ratio_interval, wilson

    mentioned = sum(hits.values())
    named: dict[str, Any] = dict(zip(("attribute", "subgroup", "variant"), key, strict=True))
    counts = {**hits, "all": mentioned}
    for label, rows in {**totals, "all": sum(totals.values())}.items():
        yield supported(
            wilson(counts[label], rows, level),
            support=rows,
            measure="frequency",
            label=label,
            n=rows,
            denominator=rows,
            family="D",
            method="texts that mention it / texts",
            **named,
        )
    ratio = ratio_interval(hits["positive"], totals["positive"], hits["negative"], totals["negative"], level)
    yield supported(
        ratio,
        support=mentioned,
        measure="frequency_ratio",
        label="all",
        n=sum(totals.values()),
        denominator=mentioned,
        null=1.0,
        family="E",
        p=_p(hits, totals) if mentioned >= NEVER_BELOW and all(totals.values()) else None,
        method="frequency in positive / frequency in negative texts",
        **named,
    )
    yield supported(
        wilson(hits["positive"], mentioned, level),
        support=mentioned,
        measure="base_rate",
        label="all",
        n=mentioned,
        denominator=mentioned,
        family="D",
        method="positive texts / texts that mention it",
        **named,
    )


def _p(hits: dict[str, int], totals: dict[str, int]) -> float | None:
    from fairnb.statistics import fisher_mid_p

    return fisher_mid_p(hits["positive"], totals["positive"], hits["negative"], totals["negative"])


def _tested(measures: list[Measure]) -> list[Measure]:
    """Adjust the exploratory tests within the section (Benjamini and Hochberg)."""
    from fairnb.statistics import benjamini_hochberg

    adjusted = benjamini_hochberg([measure.p for measure in measures])
    return [
        measure if p is None else measure.model_copy(update={"p_adjusted": p})
        for measure, p in zip(measures, adjusted, strict=True)
    ]


def _judged(
    measures: list[Measure], totals: dict[str, int], alpha: float, margin: float
) -> tuple[list[Candidate], list[Finding]]:
    """Ratios put to the test; those that pass are observations, never more (family E)."""
    candidates, findings = [], []
    for measure in measures:
        if measure.measure != "frequency_ratio" or measure.p_adjusted is None:
            continue
        # A ratio without a value here has no negative text that mentions the group: it is above any margin.
        outside = measure.value is None or not 1 / margin < measure.value < margin
        inside = measure.low is not None and measure.high is not None
        if measure.p_adjusted < alpha and outside:
            verdict, reason = Verdict.EXCEEDS, ""
        elif inside and measure.low >= 1 / margin and measure.high <= margin:  # type: ignore[operator]
            verdict, reason = Verdict.WITHIN, ""
        else:
            verdict, reason = Verdict.INCONCLUSIVE, f"interval {between(measure.low, measure.high, 2)}"
        statement = _sentence(measure, totals)
        criterion = f"frequency ratio, {_name(measure)}"
        candidate, finding = observed(
            measure,
            criterion=criterion,
            statement=statement,
            margin=margin,
            verdict=verdict,
            reason=reason,
        )
        candidates.append(candidate)
        if finding is not None:
            findings.append(finding)
    strength = {c.criterion: max(c.effect, 1 / c.effect) if c.effect else math.inf for c in candidates}
    # Subgroups first, then terms; the strongest first in each.
    findings.sort(key=lambda f: (f.measures[0].attribute == TERM, -strength[f.criterion]))
    return candidates, findings


def _name(measure: Measure) -> str:
    return (
        f"“{measure.subgroup}”" if measure.attribute == TERM else f"{measure.subgroup} ({measure.attribute})"
    )


def _sentence(measure: Measure, totals: dict[str, int]) -> str:
    subject = f"{_name(measure)[0].upper()}{_name(measure)[1:]}"
    if not measure.value:
        where = "negative" if measure.value == 0 else "positive"
        return (
            f"{subject} is mentioned in {where} texts only ({count(measure.denominator or 0)} of {count(totals[where])}, "
            f"and none of {count(sum(totals.values()) - totals[where])})."
        )
    value = measure.value
    where = "positive" if value >= 1 else "negative"
    times = value if value >= 1 else 1 / value
    ends = (measure.low, measure.high)
    if value < 1 and measure.low and measure.high:
        ends = (1 / measure.high, 1 / measure.low)
    interval = f", interval {between(*ends, 1)}" if None not in ends else ""
    return (
        f"{subject} is mentioned {number(times, 1)} times as often in "
        f"{where} texts as in the others{interval} (n = {count(measure.denominator or 0)})."
    )


def _limits(view: View, mentions: Mentions, totals: Mapping[str, int]) -> Iterable[str]:
    if view.lexicon.rule == "paper":
        yield (
            "Terms were matched as the paper did: exact case, split at white space, no plurals. Matching without "
            "regard to case changes the picture; “Muslim” with a capital is not counted here."
        )
    # The matcher names places "inside a link", the recogniser its own reason; phrases are quoted.
    phrases = sum(hits for reason, hits in mentions.suppressed.items() if reason.startswith("in “"))
    elsewhere = sum(mentions.suppressed.values()) - phrases
    if phrases:
        yield f"{_hits(phrases)} left out because a fixed phrase such as “White House” holds them."
    if elsewhere:
        yield f"{_hits(elsewhere)} left out because they stand inside a handle, an address, a link or a longer term."
    if not all(totals.values()):
        yield "The corpus holds one class only: ratios are undefined."
    if mentions.source != "ner":
        yield "The look-up misses words outside its lists, and counts other senses of those in them."
    if mentions.pipeline:
        yield f"Recognition by {mentions.pipeline} misses groups in short and informal texts."


def _hits(number_of: int) -> str:
    return "1 hit was" if number_of == 1 else f"{count(number_of)} hits were"


def _ratios(result: Result) -> list[Measure]:
    return [measure for measure in result.measures if measure.measure == "frequency_ratio"]


def _table(result: Result, title: str, attributes: Sequence[str], note: str, digits: int) -> Table:
    level = level_of(result.facts["level"])
    is_term = attributes == [TERM]
    columns = (
        Column("Term" if is_term else "Subgroup"),
        Column("Positive", "number"),
        Column("n", "number"),
        Column("Negative", "number"),
        Column("n", "number"),
        Column("Overall", "number"),
        Column("Ratio", "number"),
        Column(level, "number"),
    )
    standing_out = {finding.measures[0] for finding in result.findings}
    rows = []
    absent = []
    for ratio in _ratios(result):
        if ratio.attribute not in attributes:
            continue
        if not ratio.denominator and not is_term:
            absent.append(f"{ratio.subgroup} ({ratio.attribute})")
            continue
        name = ratio.subgroup if is_term else f"{ratio.attribute}: {ratio.subgroup}"
        shares = {label: _frequency(result, ratio, label) for label in ("positive", "negative", "all")}
        mark = " ▲" if ratio.key in standing_out else ""
        rows.append(
            Row(
                (
                    name + mark,
                    _share(shares["positive"], digits),
                    _mentioned(shares["positive"]),
                    _share(shares["negative"], digits),
                    _mentioned(shares["negative"]),
                    _share(shares["all"], digits),
                    value_of(ratio, 2),
                    interval_of(ratio, 2),
                ),
                (*(share.key for share in shares.values()), ratio.key),
                quiet=ratio.value is None or ratio.status is Status.TOO_FEW,
            )
        )
    totals = result.facts["totals"]
    about = (
        f"{note} {count(totals['positive'])} positive and {count(totals['negative'])} negative texts of "
        f"{result.facts['corpus_name']}. ▲ differs from one after adjustment and lies outside "
        f"{number(1 / result.facts['ratio_margin'], 2)} to {number(result.facts['ratio_margin'], 2)}."
    )
    if result.facts["found_by"]:
        about += f" Mentions found by {result.facts['found_by']}."
    if absent:
        about += f" Never mentioned: {', '.join(absent)}."
    return Table(title, columns, tuple(rows), note=about)


def _frequency(result: Result, ratio: Measure, label: str) -> Measure:
    key = {"attribute": ratio.attribute, "subgroup": ratio.subgroup, "variant": ratio.variant}
    return result.measure("frequency", label=label, **key)


def _mentioned(frequency: Measure) -> str:
    """Texts that mention it, of those a frequency is over."""
    if frequency.value is None or frequency.denominator is None:
        return "–"
    return count(round(frequency.value * frequency.denominator))


def _share(measure: Measure, digits: int) -> str:
    return value_of(measure) if measure.value is None else percent(measure.value, digits)
