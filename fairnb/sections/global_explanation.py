"""Which words drive the scores of a corpus: appendix H of the paper, Figure 6 (SHAP)."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from fairnb.errors import ExitCode, FairnbError
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import count, margin_points, percent
from fairnb.sections._global_sample import Drawn, drawn_of
from fairnb.sections._global_shown import (
    figures_of,
    mean_of,
    nothing_moves,
    rare_said,
    tables_of,
    without_words,
)
from fairnb.sections._global_swap import Contrast, contrasts, measured_contrasts
from fairnb.sections._global_words import (
    MOVES,
    TERM,
    Explained,
    Word,
    by_group,
    key_of,
    measured,
    strength,
    swarm,
    terms_of,
    word_in,
    words_of,
)
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Candidate, Example, Finding, Result, Verdict
from fairnb.sections._shift import interval_points, points
from fairnb.sections._support import NEVER_BELOW
from fairnb.sections._verdicts import observed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from fairnb.explanation import Attribution
    from fairnb.mining import Mentions
    from fairnb.sections._shown import Plot, Table

_NEEDS = {"test": Need.TEST_CORPUS, "train": Need.TRAIN_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}
_FAILED_SHOWN = 20
_SHOWN_LETTERS = 200
_COMPLETE = 1e-6
_FEW_WORDS = 5
"""Fewer words than this that move the score: those in too few texts are named, too."""
_TOGETHER = 25
"""Texts whose masked forms are scored in one go."""


class GlobalExplanation(Section):
    """Words that drive scores over a sample of texts, by SHAP. Source: paper, appendix H, Figure 6."""

    id = "global_explanation"
    title = "Words that drive the scores"
    version = 4
    requirement = Altai.TRANSPARENCY
    needs = (Need.LIVE_SYSTEM, Need.SCORES)
    source = (
        "Paper, section 7 and appendix H, Figure 6. Lundberg and Lee (2017); shap's partition explainer with its "
        "text masker."
    )
    method = (
        "A sample of texts, the same number of each label that hold an identity term, name a group by other words, or "
        "name none, and of each of these that score high or low, is explained with "
        "SHAP: the score of a text is made up of what each token adds when it is put back among its masked "
        "neighbours. With the text masker these are *Owen values*: neighbouring tokens share what they do together. "
        "For each word, *mean |SHAP|* is how much of P(positive) it moves in texts where it occurs, either way, and "
        "*mean SHAP* which way; occurrences within a text are added up, and texts weigh as many as they stand for in "
        "the corpus. A value belongs to the word in its texts: whether the word itself moves scores, the section on "
        "swapped identities shows. Identity terms are tested (t test of a mean SHAP of zero, adjusted by Benjamini "
        "and Hochberg) and are an observation if they also reach the margin. Mean |SHAP| is never zero, even of a "
        "word that does nothing."
    )

    class Params(SectionParams):
        """Which texts, and how long each is looked at."""

        folded = ("min_texts", "evaluations", "stand_in")

        corpus: Literal["test", "train", "synthetic"] = Field(
            "test", description="Corpus from which texts are drawn"
        )
        texts: int = Field(200, ge=20, le=5000, description="Texts in the sample")
        min_texts: int = Field(10, ge=10, le=1000, description="Texts in which a word must occur")
        words: int = Field(20, ge=5, le=60, description="Words in tables and figures")
        evaluations: int = Field(
            500, ge=50, le=10_000, description="Evaluations that shap may spend on each text"
        )
        stand_in: str = Field("...", min_length=1, description="What stands for masked words")

    def run(self, view: View, params: Params) -> Result:
        """Draw, explain, sum up by word."""
        for need in (_NEEDS[params.corpus], Need.SHAP):
            if not view.has(need):
                return Result(status="not_applicable", reason=need.value)
        mentions = view.mentions(params.corpus) if view.has(Need.MENTIONS) else None
        drawn, sample = drawn_of(view, params.corpus, params.texts, mentions)
        explained, failed = self._explained(view, params, drawn)
        shown = _shown_names(view, explained)
        every = words_of(explained, shown)
        words = [word for word in every if len(word.texts) >= params.min_texts]
        words.sort(key=lambda word: (-strength(word, explained), word.name))
        terms = terms_of(explained, mentions) if mentions is not None else []
        terms.sort(key=lambda word: (-strength(word, explained), word.name))
        enough = [term for term in terms if len(term.texts) >= params.min_texts]
        given: dict[str, Any] = {"level": view.confidence, "minimum": params.min_texts}
        moving = [word for word in words if strength(word, explained) >= MOVES]
        listed = moving[: params.words]
        rare = _rare(every, explained, params.min_texts) if len(listed) < _FEW_WORDS else []
        swapped = (
            contrasts(view.lexicon, enough, explained, mentions, view.predict) if mentions is not None else []
        )
        measures = [
            *measured([*listed, *rare], explained, tested=False, **given),
            *_adjusted(
                [
                    *measured(enough, explained, tested=True, **given),
                    *measured_contrasts(swapped, explained, **given),
                ]
            ),
            *by_group(moving, explained, _groups(mentions, explained), **given),
        ]
        candidates, findings = _judged(view, words, enough, swapped, measures, explained)
        gaps = [abs(one.base + float(one.values.sum()) - one.score) for one in explained.found]
        facts: dict[str, Any] = {
            "corpus": view.corpus(params.corpus).name,
            "level": view.confidence,
            "margin": view.criteria.margin,
            "min_texts": params.min_texts,
            "stand_in": params.stand_in,
            "evaluations": params.evaluations,
            "strata": [{"stratum": str(s), "texts": of, "drawn": n} for s, of, n in sample.strata],
            "sampled": len(drawn.texts),
            "explained": len(explained.texts),
            "failed": dict(Counter(reason for _, reason in failed)),
            "words": [word.name for word in listed],
            "rare_words": [word.name for word in rare],
            "of_lexicon": _of_lexicon(view, shown),
            "counted": len(words),
            "terms": [term.name for term in enough],
            "rare_terms": len(terms) - len(enough),
            "gap": max(gaps, default=0.0),
        }
        return Result(
            measures=tuple(measures),
            facts=facts,
            series={"swarm": swarm(listed)} if listed else {},
            candidates=tuple(candidates),
            findings=tuple(findings),
            examples=tuple(
                Example(text=_short(view.redact(text)), note=f"not explained: {reason}")
                for text, reason in failed[:_FAILED_SHOWN]
            ),
            limits=tuple(_limits(facts)),
        )

    def _explained(self, view: View, params: Params, drawn: Drawn) -> tuple[Explained, list[tuple[str, str]]]:
        """The sample's texts with their values, and those that could not be explained with the reason."""
        from fairnb.explanation import Attributor

        attributor = Attributor(
            partial(view.predict, keep=False), stand_in=params.stand_in, evaluations=params.evaluations
        )
        different = list(dict.fromkeys(drawn.texts))
        known: dict[str, Attribution] = {}
        for first in range(0, len(different), _TOGETHER):
            if view.cancelled():
                raise FairnbError(
                    "cancelled",
                    f"explaining was stopped after {first} of {len(different)} texts",
                    "run again",
                    where=self.id,
                    exit_code=ExitCode.INTERRUPTED,
                )
            view.progress(first, len(different), "explaining a sample of texts")
            chunk = different[first : first + _TOGETHER]
            known.update(zip(chunk, attributor.attribute(chunk), strict=True))
        kept = [at for at, text in enumerate(drawn.texts) if not known[text].reason]
        failed = [(text, known[text].reason) for text in drawn.texts if known[text].reason]
        return (
            Explained(
                [drawn.texts[at] for at in kept],
                [known[drawn.texts[at]] for at in kept],
                drawn.weights[kept],
                drawn.labels[kept],
                drawn.rows[kept],
            ),
            failed,
        )

    def withheld(self, result: Result) -> Result:
        """Words that are not of the lexicon by their rank."""
        return without_words(result)

    def statements(self, result: Result) -> Sequence[str]:
        """The strongest words either way, then identity terms."""
        facts = result.facts
        if not facts["words"]:
            return [nothing_moves(result), *rare_said(result), *(one.statement for one in result.findings)]
        found = {name: mean_of(result, "mean_shap", name) for name in facts["words"]}
        # A word is named with a direction only if its whole interval is on that side; equal values have none.
        means = {
            name: mean.value or 0.0
            for name, mean in found.items()
            if mean.low is None or mean.high is None or mean.low > 0 or mean.high < 0
        }
        said = []
        for way, sign in (("raise", 1), ("lower", -1)):
            strongest = sorted(
                (n for n in means if sign * means[n] >= MOVES), key=lambda n: -sign * means[n]
            )[:5]
            if strongest:
                named = ", ".join(f"“{name}” ({points(means[name])})" for name in strongest)
                said.append(f"Words that {way} the score most, on average in percentage points: {named}.")
        if not said:
            named = ", ".join(f"“{name}”" for name in facts["words"][:5])
            said.append(
                f"Words that move the score most, none of them up or down beyond the chance of the sample: {named}."
            )
        return [*said, *rare_said(result), *(finding.statement for finding in result.findings)]

    def tables(self, result: Result) -> Sequence[Table]:
        """Words and identity terms; in the annex words by subgroup, and the sample."""
        return tables_of(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Mean |SHAP| as bars, and the values text by text."""
        return figures_of(result)


def _rare(words: Sequence[Word], explained: Explained, minimum: int) -> list[Word]:
    """Words that move scores in texts too few to list them, but enough to show a value."""
    found = [
        word
        for word in words
        if NEVER_BELOW <= len(word.texts) < minimum and strength(word, explained) >= MOVES
    ]
    return sorted(found, key=lambda word: (-strength(word, explained), word.name))[:_FEW_WORDS]


def _shown_names(view: View, explained: Explained) -> dict[str, str]:
    """Each word as it may be printed: masked; where texts are withheld, words of the lexicon only."""
    words = dict.fromkeys(
        word_in(text[start:end])
        for text, found in zip(explained.texts, explained.found, strict=True)
        for start, end in found.spans
    )
    if view.redact("a") == "a":
        return {word: view.redact(word) for word in words}
    listed = set(_of_lexicon(view, words))
    return {word: word if word in listed else f"[word {place}]" for place, word in enumerate(words, 1)}


def _of_lexicon(view: View, words: Iterable[str]) -> list[str]:
    """Words that the lexicon has too: they give away nothing of a text."""
    listed = set(view.lexicon.vocabulary) if view.has(Need.MENTIONS) else set()
    return sorted(listed.intersection(words))


def _groups(mentions: Mentions | None, explained: Explained) -> dict[str, npt.NDArray[np.bool_]]:
    """Which of the explained texts mention each subgroup."""
    if mentions is None or not len(explained.rows):
        return {}
    names, membership = mentions.groups("subgroup")
    table = membership[explained.rows].toarray()
    return {name: table[:, at] for at, name in enumerate(names) if table[:, at].any()}


def _adjusted(measures: list[Measure]) -> list[Measure]:
    from fairnb.statistics import benjamini_hochberg

    adjusted = benjamini_hochberg([measure.p for measure in measures])
    return [
        measure.model_copy(update={"p_adjusted": p}) for measure, p in zip(measures, adjusted, strict=True)
    ]


def _judged(
    view: View,
    words: Sequence[Word],
    terms: Sequence[Word],
    swapped: Sequence[Contrast],
    measures: Sequence[Measure],
    explained: Explained,
) -> tuple[list[Candidate], list[Finding]]:
    """Identity terms put to the test: an observation needs the adjusted test and the margin.

    Never more than an observation: what the swap of the same texts confirms is of the same exploratory family,
    and findings that hold with the whole audit's error are those of the section on swapped identities.
    """
    margin, alpha = view.criteria.margin, view.criteria.alpha
    known = {measure.key: measure for measure in measures}
    contrast_of = {contrast.term: known[contrast.key] for contrast in swapped}
    candidates, findings = [], []
    for term in terms:
        mean = known[key_of("mean_shap", TERM, term.name)]
        if mean.value is None:
            continue
        own = strength(term, explained)
        rank = 1 + sum(strength(word, explained) > own for word in words if word.name != term.name)
        shown = mean.p_adjusted is not None and mean.p_adjusted < alpha
        inside = mean.low is not None and mean.high is not None and -margin < mean.low and mean.high < margin
        if shown and abs(mean.value) >= margin:
            verdict, reason = Verdict.EXCEEDS, ""
        elif inside:
            verdict, reason = Verdict.WITHIN, ""
        elif shown:
            verdict, reason = (
                Verdict.INCONCLUSIVE,
                f"it may be smaller than the margin of {margin_points(margin)}",
            )
        else:
            verdict, reason = Verdict.INCONCLUSIVE, mean.note or "its values vary too much between texts"
        statement = (
            f"In the {count(mean.n or 0)} texts of the sample that hold “{term.name}” it adds {points(mean.value)} "
            f"points to the score on average, and is number {rank} of {count(len(words))} words by mean |SHAP|; "
            f"{_confirmed(mean, contrast_of.get(term.name), margin, alpha)}."
        )
        candidate, finding = observed(
            mean,
            criterion=f"Identity term that drives scores: {term.name}",
            statement=statement,
            margin=margin,
            verdict=verdict,
            reason=reason,
            points=True,
        )
        candidates.append(candidate)
        findings += [finding] if finding is not None else []
    return candidates, findings


def _confirmed(mean: Measure, contrast: Measure | None, margin: float, alpha: float) -> str:
    """What exchanging the word in the same texts says of whether the word itself moves the score."""
    if contrast is None or contrast.value is None:
        return "no swap shows whether the word itself does so: it has no counterpart there"
    moved = (
        f"exchanged for its counterpart in {count(contrast.n or 0)} of these texts it moves the score by "
        f"{points(contrast.value)} ({interval_points(contrast)})"
    )
    if contrast.status is Status.TOO_FEW:
        return f"{moved}, too few texts to say whether the word itself does so"
    p = contrast.p_adjusted
    against = contrast.value * (mean.value or 0.0) < 0
    if p is not None and p < alpha and abs(contrast.value) >= margin and against:
        return f"{moved}: the swap of the same texts confirms that the word itself does so"
    return (
        f"{moved}: this does not confirm that the word itself does so, rather than what stands around it or its "
        "counterpart as well"
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_LETTERS else text[: _SHOWN_LETTERS - 1] + "…"


def _limits(facts: Mapping[str, Any]) -> Sequence[str]:
    said = [
        f"“{facts['stand_in']}” stands for masked words, once for several in a row; a token is masked with the "
        "punctuation behind it. Masked texts are no sentences: the system may never have seen their like.",
        f"shap spends at most {count(facts['evaluations'])} evaluations on a text: in long texts neighbouring words "
        "share a value in equal parts.",
        "Texts are treated as independent; equal texts with equal labels are one. That values and base add up to the "
        "score checks the computation only.",
    ]
    if facts["failed"]:
        failed = sum(facts["failed"].values())
        said.append(
            f"{count(failed)} of {count(facts['sampled'])} texts ({percent(failed / facts['sampled'])}) could not be "
            "explained and are in no mean."
        )
    if facts["rare_terms"]:
        said.append(
            f"{count(facts['rare_terms'])} identity terms occur in fewer than {count(facts['min_texts'])} texts of the "
            "sample: nothing is said of them."
        )
    if facts["gap"] > _COMPLETE:
        said.append(f"Values and base miss the score by up to {facts['gap']:.1e}.")
    return said
