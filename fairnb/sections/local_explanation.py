"""Why the system gave single texts their scores: section 7 of the paper, Figure 3 (LIME)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from fairnb.errors import ExitCode, FairnbError
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import count, number
from fairnb.sections._local_chosen import Chosen, given, telling
from fairnb.sections._local_shown import FITS_FROM, figures_of, outstanding, readable, tables_of
from fairnb.sections._local_text import ShownText, shown_text
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Example, Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairnb.explanation import Explanation
    from fairnb.sections._shown import Plot, Table

_NEEDS = {"test": Need.TEST_CORPUS, "train": Need.TRAIN_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}
_SMALLEST = 0.005
"""Half a percentage point: what is less is no reason for a score, and an exact weight may be the penalty's."""


class LocalExplanation(Section):
    """Words that move the score of single texts, by LIME, with their spread. Source: paper, section 7, Figure 3."""

    id = "local_explanation"
    title = "Explanations of single texts"
    version = 2
    requirement = Altai.TRANSPARENCY
    needs = (Need.LIVE_SYSTEM, Need.SCORES)
    source = (
        "Paper, section 7, Figure 3. Ribeiro et al. (2016), lime 0.2.0.1: kernel, choice of features and ridge are "
        "reproduced; tokens, draws of short texts and the spread are fairnb's."
    )
    method = (
        "Words of a text are replaced at random, the masked texts are scored, and a linear model of which words were "
        "kept is fitted, near texts weighing more: the *weight* of a word is how much keeping it adds to P(positive). "
        "Draws are dealt to runs with generators of their own, and the interval tells how much of a weight is chance "
        "of the draws (Monte-Carlo), not how sure one can be of the system. A text of at most twelve tokens is "
        "explained from all its masked forms, without chance. *Local R²* is the share of what the masked scores vary "
        f"that the linear model catches: below {number(FITS_FROM, 1)} nothing is marked. *Overlap* is the mean share "
        "of the five largest words that two runs have in common. A word is marked where its weight is at least half "
        "a percentage point and beyond the chance of the draws at a level shared among the words of the text, and "
        "where removing it alone, or keeping it alone, moves the score the same way by as much: a linear model can "
        "give weight to a word that moves nothing."
    )

    class Params(SectionParams):
        """Which texts, and how often they are masked."""

        folded = ("most", "samples", "seeds", "features", "by_word", "stand_in")

        corpus: Literal["test", "train", "synthetic"] = Field(
            "test", description="Corpus from which texts are chosen"
        )
        texts: tuple[str, ...] = Field((), description="Texts to explain; empty: chosen from the corpus")
        per_kind: int = Field(2, ge=1, le=10, description="Texts for each reason to choose one")
        most: int = Field(20, ge=1, le=100, description="Texts in all")
        samples: int = Field(5000, ge=500, le=100_000, description="Masked texts for each text")
        seeds: int = Field(10, ge=10, le=100, description="Runs that the samples are dealt to")
        features: int = Field(10, ge=1, le=40, description="Words with a weight")
        by_word: bool = Field(False, description="One weight for all occurrences of a word")
        stand_in: str = Field("UNKWORDZ", description="What stands for a removed word; empty: nothing")
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")

    def run(self, view: View, params: Params) -> Result:
        """Choose texts and explain each."""
        threshold = view.target.threshold if params.threshold is None else params.threshold
        if params.texts:
            chosen = given(params.texts)[: params.most]
        elif not view.has(_NEEDS[params.corpus]):
            return Result(status="not_applicable", reason=_NEEDS[params.corpus].value)
        else:
            chosen = telling(view, params.corpus, threshold, per_kind=params.per_kind, most=params.most)
        measures: list[Measure] = []
        told: list[dict[str, Any]] = []
        examples: list[Example] = []
        for at, one in enumerate(chosen):
            found = self._explained(view, one, params, at, len(chosen))
            name = f"text {at + 1}"
            marked = _measured(name, found, view.confidence, measures) if found.surrogate else []
            wanted = found.surrogate.chosen.tolist() if found.surrogate else []
            shown = shown_text(one.text, found.units.members, wanted, view.redact)
            told.append(_told(one, found, shown, marked))
            examples.append(_example(name, one, found, shown))
        facts = {
            "threshold": threshold,
            "level": view.confidence,
            "samples": params.samples,
            "seeds": params.seeds,
            "by_word": params.by_word,
            "stand_in": params.stand_in,
            "explained": told,
        }
        return Result(
            measures=tuple(measures),
            facts=facts,
            examples=tuple(examples),
            limits=tuple(_limits(facts, given_texts=bool(params.texts))),
        )

    def _explained(self, view: View, one: Chosen, params: Params, at: int, of: int) -> Explanation:
        from fairnb.explanation import explain

        if view.cancelled():
            raise FairnbError(
                "cancelled",
                f"explaining was stopped after {at} of {of} texts",
                "run again",
                where=self.id,
                exit_code=ExitCode.INTERRUPTED,
            )
        view.progress(at, of, "explaining single texts")
        return explain(
            one.text,
            view.predict,
            predict_masked=view.predict_masked,
            samples=params.samples,
            seeds=params.seeds,
            seed=view.seed,
            features=params.features,
            by_word=params.by_word,
            stand_in=params.stand_in,
        )

    def statements(self, result: Result) -> Sequence[str]:
        """How many explanations are good enough to read, and the words that stand out in them."""
        told = result.facts["explained"]
        if not told:
            return ("There was no text to explain.",)
        return (f"{readable(result)} {outstanding(result)}".rstrip(),)

    def tables(self, result: Result) -> Sequence[Table]:
        """The texts with the words that stand out; in the annex every weight."""
        return tables_of(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Each text with its words marked and their weights as bars."""
        return figures_of(result)


def _measured(name: str, found: Explanation, level: float, measures: list[Measure]) -> list[int]:
    """Put down the weights of one text; returns the units that stand out."""
    from scipy.stats import t

    assert found.surrogate is not None
    chosen, weights = found.surrogate.chosen.tolist(), found.surrogate.weights.tolist()
    r2 = found.surrogate.r2
    fits = r2 is not None and r2 >= FITS_FROM
    reach = float(t.ppf((1 + level) / 2, found.seeds - 1)) if found.seeds else 0.0
    # Shared among the text's words: of twenty texts some word would stand out by chance.
    strict = float(t.ppf(1 - (1 - level) / (2 * len(chosen)), found.seeds - 1)) if found.seeds else 0.0
    method = f"LIME, {count(found.samples)} samples, " + (
        "all masked forms" if found.exact else f"{found.seeds} runs"
    )
    marked = []
    both = np.column_stack((found.removed, found.kept))
    for unit, weight, error, alone in zip(chosen, weights, found.error.tolist(), both, strict=True):
        moves = np.sign(weight) * np.nan_to_num(alone) >= _SMALLEST
        note = (
            "less than half a point"
            if abs(weight) < _SMALLEST
            else "within the chance of the draws"
            if abs(weight) <= strict * error
            else ""
            if moves.any()
            else "alone it moves nothing"
        )
        if fits and not note:
            marked.append(unit)
        status = Status.EXACT if found.exact else Status.OK
        if not fits:
            status, note = Status.INDICATIVE, "local R² is too low to lean on it"
        interval = (
            {}
            if found.exact
            else {"low": weight - reach * error, "high": weight + reach * error, "level": level}
        )
        measures.append(
            Measure(
                measure="weight",
                attribute=name,
                subgroup=f"token {unit + 1}",
                value=weight,
                **interval,
                interval="" if found.exact else "monte-carlo-t",
                n=found.samples,
                denominator=found.distinct,
                family="D",
                status=status,
                method=method,
                note=note,
            )
        )
    shared = {"attribute": name, "n": found.samples, "denominator": found.distinct, "family": "D"}
    measures.append(
        Measure(
            measure="local_r2",
            value=r2,
            status=Status.UNDEFINED if r2 is None else Status.EXACT if found.exact else Status.OK,
            method=method,
            note="the score does not change" if r2 is None else "",
            **shared,
        )
    )
    measures.append(
        Measure(
            measure="stability",
            value=found.stability,
            status=Status.UNDEFINED if found.stability is None else Status.OK,
            method="mean overlap of the five largest weights of two runs",
            note="all masked forms were scored: nothing is drawn" if found.exact else "",
            **shared,
        )
    )
    return marked


def _told(one: Chosen, found: Explanation, shown: ShownText, marked: list[int]) -> dict[str, Any]:
    r2 = found.surrogate.r2 if found.surrogate else None
    return {
        "why": one.why,
        "label": one.label,
        "score": found.score,
        "reason": found.reason,
        "fits": r2 is not None and r2 >= FITS_FROM,
        "marked": marked,
        "units": len(found.units),
        "at_a_time": found.units.at_a_time,
        "exact": found.exact,
        "distinct": found.distinct,
        "unscored": found.unscored,
        "removed": {
            str(unit): float(value)
            for unit, value in zip(found.surrogate.chosen, found.removed, strict=True)
            if value == value
        }
        if found.surrogate
        else {},
        "length": len(shown.text),
        "spans": {str(unit): places for unit, places in shown.spans.items()},
    }


def _example(name: str, one: Chosen, found: Explanation, shown: ShownText) -> Example:
    values: dict[str, float | str | None] = {"label": one.label} if one.label else {}
    if found.score is not None:
        values["score"] = round(found.score, 4)
    return Example(text=shown.text, note=f"{name}: {found.reason or one.why}", values=values)


def _limits(facts: Mapping[str, Any], *, given_texts: bool) -> Sequence[str]:
    told = facts["explained"]
    stand_in = (
        f"“{facts['stand_in']}” stands for a removed word"
        if facts["stand_in"]
        else "A removed word leaves a gap"
    )
    unit = (
        "all occurrences of a word share one weight" if facts["by_word"] else "each occurrence has its weight"
    )
    said = [
        f"{stand_in}; {unit}. Masked texts are no sentences: the system may never have seen their like.",
        "LIME's penalty pulls weights towards zero, most in texts of very few words.",
    ]
    if not given_texts:
        said.append(
            "Texts were chosen because they are telling: they are no sample, and nothing follows for others."
        )
    if any(one["at_a_time"] > 1 for one in told):
        said.append("In very long texts neighbouring words are taken together and share a weight.")
    unscored = sum(one["unscored"] for one in told)
    if unscored:
        said.append(f"{count(unscored)} masked texts got no score and were left out.")
    if any(not one["reason"] and not one["fits"] for one in told):
        said.append(
            f"Where local R² is below {number(FITS_FROM, 1)} single words do not explain the score, and none is marked."
        )
    return said
