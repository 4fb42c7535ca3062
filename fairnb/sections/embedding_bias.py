"""How differently trait words lie towards the words of subgroups in word vectors: Figure 1, appendix E."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._embedding_measures import Policies, measured
from fairnb.sections._embedding_shown import (
    capital,
    coverage_of_lists,
    disparities,
    drawable,
    pairs_of_subgroups,
    plot,
    side_by_side,
    single_words,
)
from fairnb.sections._format import between, count, level_of, number, percent
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Candidate, Finding, Result, Verdict
from fairnb.sections._shown import Plot, Table
from fairnb.sections._verdicts import observed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.embedding import NeutralWords

_CONTEXT = "context only"
_PER_ROW = 3
"""Most embeddings in one figure."""


class EmbeddingBias(Section):
    """AMAE and ARMSE of word vectors between subgroups. Source: paper, section 5, Figure 1, appendices D and E."""

    id = "embedding_bias"
    title = "Embedding bias"
    version = 2
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.EMBEDDINGS,)
    per_target = False
    source = (
        "Paper, section 5, Figure 1, appendices D and E, equations (2) to (6); WEAT: Caliskan, Bryson and "
        "Narayanan (2017)."
    )
    method = (
        "For each trait word, such as *admirable* or *miserable*, the mean cosine similarity to the words of "
        "each subgroup is taken. *AMAE* is the mean absolute difference of these similarities between two "
        "subgroups, averaged over all pairs; *ARMSE* squares the differences first. Neither can be zero by "
        "chance: *by chance* is their mean when the same words are shuffled among the subgroups (for gender: "
        "when counterparts such as uncle and aunt change sides), and the excess is what lies above it. The "
        "interval answers for other trait words given these word lists; it does not test zero. The "
        "*association test* (WEAT) asks a second question: whether one subgroup lies nearer to favourable traits "
        "than another. All this describes vectors. Whether a classifier that reads them treats people "
        "differently is measured in other sections."
    )

    class Params(SectionParams):
        """Which words, how they are looked up, and from which excess on one is reported."""

        folded = ("duplicates", "case", "neutral", "coverage", "permutations")

        attributes: tuple[str, ...] = Field(
            (), description="Attributes to look at; empty: all that have words"
        )
        words: Literal["corrected", "as printed", "lexicon"] = Field(
            "corrected",
            description="Word groups: those of the paper's appendix D, corrected or as printed, or the case's lexicon",
        )
        duplicates: Literal["merged", "as printed"] = Field(
            "merged", description="A word that a list names twice counts once, or twice as in the paper"
        )
        case: Literal["fallback", "exact"] = Field(
            "fallback", description="fallback: as written, else in lower case, else with a capital"
        )
        neutral: str = Field(
            "", description="Own list of trait words in the case folder; empty: fairnb's list"
        )
        coverage: float = Field(
            0.5, ge=0.5, le=1.0, description="Smallest share of each list that must have vectors"
        )
        permutations: int = Field(10_000, ge=1_000, le=100_000, description="Permutations of words")
        margin: float = Field(
            0.02, gt=0.0, lt=1.0, description="Smallest excess of AMAE over chance that is reported"
        )

    def run(self, view: View, params: Params) -> Result:
        """Measure every embedding of the case."""
        if params.words != "lexicon" and "en" not in view.lexicon.languages:
            return Result(
                status="not_applicable",
                reason='the word groups of appendix D are English; with words = "lexicon" the case\'s own are used',
            )
        groups, pairs = _word_groups(view, params)
        neutral = _neutral_words(view, params)
        policies = Policies(
            params.case, params.duplicates, params.coverage, params.permutations, view.confidence, view.seed
        )
        measures: list[Measure] = []
        facts: list[dict[str, Any]] = []
        embeddings = view.embeddings()
        for position, (embedding, relation) in enumerate(embeddings):
            view.progress(position, len(embeddings), "embeddings")
            variant = f"embedding={embedding.name}" if position else ""
            found = measured(embedding, variant, groups, pairs, view.lexicon.reference, neutral, policies)
            measures += found.measures
            facts.append(
                {
                    "name": embedding.name,
                    "variant": variant,
                    "relation": relation,
                    "digest": embedding.digest,
                    "words": len(embedding.words),
                    "dimension": embedding.dimension,
                    "source": dict(embedding.facts),
                    "missing": found.missing,
                    "without_one": found.without_one,
                }
            )
        measures = _adjusted(measures)
        candidates, findings = _judged(measures, facts, view.criteria.alpha, params.margin)
        return Result(
            measures=tuple(measures),
            facts={
                "embeddings": facts,
                "attributes": {attribute: list(subgroups) for attribute, subgroups in groups.items()},
                "neutral": {"name": neutral.name, "words": len(neutral.words), "digest": neutral.digest},
                "words": params.words,
                "duplicates": params.duplicates,
                "permutations": params.permutations,
                "margin": params.margin,
                "coverage": params.coverage,
                "level": view.confidence,
            },
            candidates=candidates,
            findings=findings,
            limits=tuple(_limits(facts, measures, params)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """One sentence per attribute of the first embedding."""
        first = result.facts["embeddings"][0]
        return [
            _sentence(m, first, result)
            if m.value is not None
            else f"{capital(m.attribute)}: not measured in {first['name']}; {m.note}."
            for m in result.measures
            if m.measure == "excess_amae" and not m.variant
        ]

    def tables(self, result: Result) -> Sequence[Table]:
        """Disparities by attribute; in the annex pairs, coverage and single words."""
        embeddings = result.facts["embeddings"]
        tables = [disparities(result, embeddings[0], annex=False)]
        if len(embeddings) > 1:
            tables.append(side_by_side(result))
            tables += [disparities(result, facts, annex=True) for facts in embeddings[1:]]
        for facts in embeddings:
            tables += [
                pairs_of_subgroups(result, facts),
                coverage_of_lists(result, facts),
                single_words(result, facts),
            ]
        return [table for table in tables if table.rows]

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """AMAE and ARMSE by attribute, the paper's Figure 1, with what chance gives."""
        embeddings = [facts for facts in result.facts["embeddings"] if drawable(result, facts)]
        parts = [embeddings[start : start + _PER_ROW] for start in range(0, len(embeddings), _PER_ROW)]
        return {
            f"disparities_{part}" if part else "disparities": plot(result, shown)
            for part, shown in enumerate(parts)
        }


def _word_groups(
    view: View, params: EmbeddingBias.Params
) -> tuple[dict[str, Mapping[str, tuple[str, ...]]], dict[str, list[tuple[str, str]]]]:
    """Word groups by attribute, and counterparts by attribute."""
    from pathlib import Path

    from fairnb.errors import FairnbError
    from fairnb.lexicon import LexiconSpec, load_lexicon, word_groups

    if params.words == "lexicon":
        lexicon, groups = view.lexicon, view.lexicon.attributes
    else:
        # Appendix D and its counterparts come with the package and do not hang on the case's lexicon.
        lexicon = load_lexicon(LexiconSpec(edition=params.words), Path())
        groups = word_groups(params.words)
    unknown = [name for name in params.attributes if name not in groups]
    if unknown:
        raise FairnbError(
            "unknown-attribute",
            f"there are no words for the attribute {unknown[0]!r}",
            f"choose among {', '.join(groups)}",
            where="[sections.embedding_bias] attributes",
        )
    pairs: dict[str, list[tuple[str, str]]] = {}
    for pair in lexicon.pairs:
        pairs.setdefault(pair.attribute, []).append((pair.first, pair.second))
    return {name: groups[name] for name in params.attributes or groups}, pairs


def _neutral_words(view: View, params: EmbeddingBias.Params) -> NeutralWords:
    from fairnb.embedding import own_neutral_words, read_neutral_words

    if not params.neutral:
        return own_neutral_words()
    return read_neutral_words(view.file(params.neutral), params.neutral)


def _adjusted(measures: list[Measure]) -> list[Measure]:
    from fairnb.statistics import benjamini_hochberg

    adjusted = benjamini_hochberg([measure.p for measure in measures])
    return [
        measure if p is None else measure.model_copy(update={"p_adjusted": p})
        for measure, p in zip(measures, adjusted, strict=True)
    ]


def _judged(
    measures: Sequence[Measure], facts: Sequence[dict[str, Any]], alpha: float, margin: float
) -> tuple[tuple[Candidate, ...], tuple[Finding, ...]]:
    """Excesses put to the test; those that pass are observations, never more (family E)."""
    candidates, findings = [], []
    by_variant = {fact["variant"]: fact for fact in facts}
    for measure in measures:
        if measure.measure != "excess_amae":
            continue
        fact = by_variant[measure.variant]
        statement = _sentence(measure, fact, measures) if measure.value is not None else measure.note
        if measure.value is None:
            verdict, reason = Verdict.NOT_MEASURED, measure.note
        elif measure.p_adjusted is None:
            verdict, reason = Verdict.INCONCLUSIVE, measure.note
        elif measure.p_adjusted < alpha and measure.value >= margin:
            verdict, reason = Verdict.EXCEEDS, ""
        else:
            # No interval of the excess exists that could lie within the margin.
            reason = (
                "not above chance" if measure.p_adjusted >= alpha else "above chance, but below the margin"
            )
            verdict = Verdict.INCONCLUSIVE
        criterion = f"Embedding bias, {measure.attribute}, {fact['name']} ({fact['relation']})"
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
    return tuple(candidates), tuple(findings)


def _sentence(excess: Measure, fact: Mapping[str, Any], among: Result | Sequence[Measure]) -> str:
    measures = among.measures if isinstance(among, Result) else among
    amae = next(
        m
        for m in measures
        if (m.measure, m.attribute, m.variant) == ("amae", excess.attribute, excess.variant)
    )
    names = [m.subgroup for m in measures if m.measure == "coverage" and _same(m, excess)]
    who = f"{', '.join(names[:-1])} and {names[-1]} words"
    tested = f"p = {number(excess.p, 4)}" if excess.p is not None else excess.note
    context = "; context only: this says nothing of the system" if fact["relation"] == _CONTEXT else ""
    return (
        f"{capital(excess.attribute)}: trait words lie {number(amae.value or 0)} apart between {who} in "
        f"{fact['name']} (AMAE; {number(amae.null or 0)} by chance, {tested}; {level_of(amae.level or 0)} "
        f"{between(amae.low, amae.high)} given these lists, n = {count(amae.n or 0)} trait words{context})."
    )


def _same(measure: Measure, other: Measure) -> bool:
    return (measure.attribute, measure.variant) == (other.attribute, other.variant)


def _limits(
    facts: Sequence[dict[str, Any]], measures: Sequence[Measure], params: EmbeddingBias.Params
) -> Iterable[str]:
    for fact in facts:
        if fact["relation"] == _CONTEXT:
            yield f"{fact['name']} is shown for context only: nothing about the system follows from it."
        elif fact["relation"] == "declared by the developer":
            yield f"That the system uses {fact['name']} is the developer's statement; it was not checked."
    short = [m for m in measures if m.measure == "coverage" and m.status is Status.NOT_MEASURED]
    if short:
        yield (
            f"Lists of which less than {percent(params.coverage, 0)} have a vector are not measured: "
            + ", ".join(f"{m.subgroup or 'trait words'}{_of(m)}" for m in short)
            + "."
        )
    yield "Each word has one vector: senses such as “mean” or “witch” are mixed, and surnames are also other words."
    yield (
        "The value depends on the word lists: their length, their frequency in the source and who chose them. "
        "Values of embeddings with other dimensions are compared by their excess over chance, not as they stand."
    )
    if params.words == "corrected":
        yield "Word groups are the paper's with spelling corrected and each word once; the paper counts repetitions."


def _of(measure: Measure) -> str:
    return f" ({measure.variant.removeprefix('embedding=')})" if measure.variant else ""
