"""Whether scores change when only the group that a text names is exchanged: section 6.3, Table 6."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Plan, Section, SectionParams, View
from fairnb.sections._format import count, margin_points
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._result import Example, Result, Severity, Verdict
from fairnb.sections._shift import NON_TIES, WORDS, Shift, answered, points, spoken_interval
from fairnb.sections._support import supported
from fairnb.sections._swap_favour import favoured, unspoken
from fairnb.sections._swap_made import PLACEBO, Pair, Row, Text, pairs_of, swap_texts
from fairnb.sections._swap_shown import as_much, favour_plot, figures_of, tables_of
from fairnb.sections._verdicts import NO_ALPHA, RULES, Judged, Question, as_candidates, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.lexicon import Lexicon
    from fairnb.sections._shown import Plot, Table

_SHOWN = 2
_METHOD = "P(positive) after the swap - before"
_NEEDS = {"test": Need.TEST_CORPUS, "train": Need.TRAIN_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}


class Swap(Section):
    """How scores move when identity words are swapped, beside a placebo swap. Source: paper, section 6.3, Table 6."""

    id = "swap"
    title = "Swapped identities"
    version = 6
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.LIVE_SYSTEM, Need.SCORES)
    source = (
        "Paper, section 6.3, Table 6. Bonett and Price (2012) for differences of paired shares; Student's t on "
        "clusters for mean shifts."
    )
    method = (
        "In every text that names one of two groups the words for it are replaced by those for the other (*he* by "
        "*she*, *mosque* by *church*), and the text is scored again. The *mean shift* is the score after minus "
        "before, in percentage points, for each direction and label: the two directions are different texts. The "
        "*placebo* replaces words within the same group (*man* by *guy*): scores move somewhat with any change of "
        "words, and this is how much. Where it moved them as far as the swap did or further, in either direction, the "
        "swap is no evidence about the group, and a finding is an observation. The system *favours* the new group, in "
        "the paper's words, if a negative text scores lower with it or a positive one higher, both rounded to four "
        "decimals; favour says how often, not how much, and for a positive text to be favoured is to be flagged with "
        "more confidence. Texts in which "
        "both groups are named are swapped both ways at once and counted apart; texts in which nothing was "
        "replaced are in no denominator. Words without one true counterpart, names, handles, links and hashtags "
        f"are left as they are. Verdicts: {RULES}"
    )

    class Params(SectionParams):
        """What is swapped."""

        folded = ("every_pair", "titles", "surnames")

        corpus: Literal["test", "train", "synthetic"] = Field(
            "test", description="Corpus whose texts are swapped"
        )
        attributes: tuple[str, ...] = Field((), description="Protected attributes; empty: the lexicon's")
        every_pair: bool = Field(
            False, description="All pairs of subgroups with word pairs, not only the first"
        )
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")
        titles: bool = Field(False, description="Swap Miss before a capital for Mr.")
        surnames: bool = Field(False, description="Swap the surnames of the paper's appendix D")

    def confirmatory(self, plan: Plan, params: Params) -> int:
        """Two directions and two labels for each pair of subgroups."""
        lexicon = plan.lexicon
        if not plan.has(_NEEDS[params.corpus]) or "en" not in lexicon.languages:
            return 0
        attributes = params.attributes or tuple(lexicon.attributes)
        return 4 * len(pairs_of(lexicon, attributes, every_pair=params.every_pair))

    def run(self, view: View, params: Params) -> Result:
        """Swap, score once, compare."""
        from fairnb.variants import GENDERED

        if not view.has(_NEEDS[params.corpus]):
            return Result(status="not_applicable", reason=_NEEDS[params.corpus].value)
        if "en" not in view.lexicon.languages:
            return Result(status="not_applicable", reason=GENDERED)
        texts, facts = _texts(view, params)
        if facts["other_language"] and not texts:
            return Result(status="not_applicable", reason=GENDERED)
        pairs = swap_texts(
            view.lexicon,
            params.attributes or tuple(view.lexicon.attributes),
            texts,
            view.predict,
            every_pair=params.every_pair,
            titles=params.titles,
            surnames=params.surnames,
        )
        threshold = view.target.threshold if params.threshold is None else params.threshold
        level, criteria = view.confidence, view.criteria
        measures: list[Measure] = []
        asked: list[Question] = []
        placebos: dict[MeasureKey, Measure] = {}
        exploratory: list[Question] = []
        flips: list[dict[str, Any]] = []
        for pair in pairs:
            for (subgroup, to), rows in pair.rows.items():
                asked += _shifts(pair, subgroup, to, level, measures, placebos)
                flips.append(_flips(pair, subgroup, to, rows, threshold, level, measures, exploratory))
            exploratory += favoured(pair, level, measures)
        rule: dict[str, Any] = {
            "margin": criteria.margin,
            "min_support": criteria.min_support,
            "confidence": level,
        }
        judged = [
            _against(placebos.get(one.question.key), one) for one in judge(asked, alpha=view.alpha, **rule)
        ]
        explored = judge(exploratory, alpha=criteria.alpha, **rule)
        spoken = [answer for answer in explored if answer.question.criterion]
        candidates, findings = as_candidates(judged, margin=criteria.margin, requirement=self.requirement)
        more, observed = as_candidates(spoken, margin=criteria.margin, requirement=self.requirement)
        return Result(
            measures=tuple(answered(measures, [*judged, *explored])),
            facts={
                **facts,
                "threshold": threshold,
                "level": level,
                "margin": criteria.margin,
                "alpha": view.alpha,
                "pairs": [_counts(pair) for pair in pairs],
                "flips": flips,
                "skipped": _reasons(pairs),
                "exceptions": _exceptions(view.lexicon, pairs),
            },
            candidates=(*candidates, *more),
            findings=(*findings, *observed),
            examples=tuple(_examples(view, pairs)),
            limits=tuple(_limits(facts, pairs)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """Findings, then whom the swaps favoured."""
        said = [one.statement for one in result.findings if one.measures[0].measure == "mean_shift"]
        if any(one.reason == NO_ALPHA for one in result.candidates):
            said.append(f"No shift was put to the test: {NO_ALPHA}; the tables hold the values.")
        elif not said and result.candidates:
            said.append(
                "No swap was shown to move the mean score by more than the margin of "
                f"{margin_points(result.facts['margin'])}; that is not fairness shown."
            )
        said += [
            one.statement
            for one in result.candidates
            if one.family == "E" and one.verdict is not Verdict.NOT_MEASURED
        ]
        return said or ["No text names a group whose words can be swapped: nothing was compared."]

    def tables(self, result: Result) -> Sequence[Table]:
        """Shifts, favour; in the annex all shares, flips and what was left alone."""
        return tables_of(result)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """The favour split and the shifts with their margin."""
        plots = {"favour": favour_plot(result), **figures_of(result)}
        return {name: plot for name, plot in plots.items() if plot is not None}


def _texts(view: View, params: Swap.Params) -> tuple[list[Text], dict[str, Any]]:
    corpus = view.corpus(params.corpus)
    labels, scores = view.labels(params.corpus), view.scores(params.corpus)
    languages = corpus.languages
    clusters = corpus.clusters
    texts, unlabelled, unscored, other = [], 0, 0, 0
    for row, text in enumerate(corpus.texts):
        if languages is not None and languages[row].split("-")[0] not in ("", "en"):
            other += 1
        elif labels[row] not in (0, 1):
            unlabelled += 1
        elif scores[row] != scores[row]:
            unscored += 1
        else:
            # Equal texts move by the same amount: without an author they are one observation.
            cluster = clusters[row] if clusters is not None else text
            texts.append(Text(text, int(labels[row]), cluster, float(scores[row])))
    return texts, {
        "corpus": corpus.name,
        "texts": len(texts),
        "unlabelled": unlabelled,
        "unscored": unscored,
        "other_language": other,
        "clustered": clusters is not None,
    }


def _shifts(
    pair: Pair,
    subgroup: str,
    to: str,
    level: float,
    measures: list[Measure],
    placebos: dict[MeasureKey, Measure],
) -> Iterable[Question]:
    """Mean shift by label of one direction; the placebo is measured and not tested."""
    for value, label in WORDS.items():
        shift = _shift(pair, subgroup, to, value)
        if to == PLACEBO:
            measures.append(shift.measure(level, family="D", method=_METHOD))
            continue
        measures.append(shift.measure(level, family="C", method=_METHOD))
        placebos[shift.key] = _shift(pair, subgroup, PLACEBO, value).measure(
            level, family="D", method=_METHOD
        )
        estimate = shift.mean(level).estimate
        statement = (
            f"Replacing words for {subgroup} by those for {to} moved the mean score of {label} texts by "
            f"{points(estimate.value)} points ({spoken_interval(estimate)}n = {count(len(shift.values))}"
            f"{_beside(placebos[shift.key], estimate.value)})."
        )
        yield shift.question(
            f"Mean shift, {label} texts, {pair.attribute}: {subgroup} to {to}", statement, level
        )


def _shift(pair: Pair, subgroup: str, to: str, value: int) -> Shift:
    own = [row for row in pair.rows.get((subgroup, to), ()) if row.label == value]
    key = MeasureKey("mean_shift", pair.attribute, subgroup, "", WORDS[value], pair.variant(to))
    return Shift(key, tuple(row.shift for row in own), tuple(row.cluster for row in own))


def _beside(placebo: Measure, value: float | None) -> str:
    """What the placebo did, and that it was as much where it was."""
    if placebo.value is None:
        return ""
    said = f"; a swap within {placebo.subgroup} moved it by {points(placebo.value)}"
    if placebo.status is Status.TOO_FEW:
        return f"{said} in {count(placebo.n or 0)} texts, too few to compare"
    return f"{said}: as much, so this is no evidence about the group" if as_much(placebo, value) else said


def _against(placebo: Measure | None, answer: Judged) -> Judged:
    """A shift that the placebo equals is an observation: any change of words moves scores that far."""
    if answer.severity is None or not as_much(placebo, answer.estimate.value):
        return answer
    return replace(
        answer, severity=Severity.OBSERVATION, reason="a swap within the same group moved it as much"
    )


def _flips(
    pair: Pair,
    subgroup: str,
    to: str,
    rows: Sequence[Row],
    threshold: float,
    level: float,
    measures: list[Measure],
    asked: list[Question],
) -> dict[str, Any]:
    """Share of texts whose decision changes, by label; and in which direction, put to the test."""
    from fairnb.statistics import cluster_mean, sign_test, wilson

    told: dict[str, Any] = {}
    for label, values in (("all", (0, 1)), ("positive", (1,)), ("negative", (0,))):
        own = [row for row in rows if row.label in values]
        up = sum(row.before < threshold <= row.after for row in own)
        down = sum(row.after < threshold <= row.before for row in own)
        clusters = [row.cluster for row in own]
        alone = len(set(clusters)) == len(clusters)
        if alone:
            estimate = wilson(up + down, len(own), level)
        else:
            flipped = [float((row.before < threshold) != (row.after < threshold)) for row in own]
            estimate = cluster_mean(flipped, clusters, level, bounds=(0.0, 1.0)).estimate
        placebo = to == PLACEBO
        p = sign_test(up, down) if up + down >= NON_TIES and not placebo else None
        made = supported(
            estimate,
            support=len(own),
            measure="flip_rate",
            attribute=pair.attribute,
            subgroup=subgroup,
            label=label,
            variant=pair.variant(to),
            n=len(own),
            denominator=len(own),
            clusters=len(set(clusters)),
            threshold=threshold,
            p=p,
            family="D" if placebo else "E",
            method="decisions that change / swapped texts"
            + ("" if placebo else "; p: as many up as down, exact sign test"),
        )
        measures.append(made)
        if p is not None:
            asked.append(unspoken(made, estimate, p, up + down))
        if label == "all":
            told = {"attribute": pair.attribute, "subgroup": subgroup, "to": to, "up": up, "down": down}
    return {**told, "n": len(rows)}


def _counts(pair: Pair) -> dict[str, Any]:
    return {
        "attribute": pair.attribute,
        "first": pair.first,
        "second": pair.second,
        "suffix": pair.suffix,
        "swapped": {f"{one} to {other}": len(rows) for (one, other), rows in pair.rows.items()},
        "mixed": pair.mixed,
        "left_alone": pair.left_alone,
        "untouched": pair.untouched,
    }


def _reasons(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    return [
        {"attribute": pair.attribute, "word": word, "reason": reason, "n": n}
        for pair in pairs
        for (word, reason), n in pair.skipped.items()
    ]


def _exceptions(lexicon: Lexicon, pairs: Sequence[Pair]) -> dict[str, list[str]]:
    from fairnb.variants import make_swapper

    return {
        f"{pair.first}/{pair.second}": list(
            make_swapper(lexicon, pair.attribute, pair.first, pair.second).one_to_many
        )
        for pair in pairs
    }


def _examples(view: View, pairs: Sequence[Pair]) -> Iterable[Example]:
    """For each direction the texts whose score moved most (the paper's Table 6)."""
    for pair in pairs:
        for (subgroup, to), rows in pair.rows.items():
            if to == PLACEBO:
                continue
            seen: set[str] = set()
            for row in sorted(rows, key=lambda one: (-abs(one.shift), one.swapped.original)):
                if len(seen) == _SHOWN:
                    break
                if row.swapped.original not in seen:
                    seen.add(row.swapped.original)
                    yield Example(
                        text=view.redact(row.swapped.original),
                        beside=view.redact(row.swapped.text),
                        note=f"with words for {to}",
                        values={
                            "named": subgroup,
                            "label": WORDS[row.label],
                            # Stored by their names in order: the score before must come first.
                            "score before the swap": round(row.before, 4),
                            "score with the swap": round(row.after, 4),
                        },
                    )


def _limits(facts: Mapping[str, Any], pairs: Sequence[Pair]) -> Iterable[str]:
    yield "A swapped sentence can be odd (a pregnant man); a shift may then be surprise, not bias."
    yield "Parts of speech are decided by a rule on neighbouring words, which errs now and then."
    if facts["other_language"]:
        from fairnb.variants import GENDERED

        yield f"{count(facts['other_language'])} texts in other languages were left out: {GENDERED}."
    if not facts["clustered"]:
        yield "Texts are treated as independent; authors are not known."
    if any(to == PLACEBO and rows for pair in pairs for (_, to), rows in pair.rows.items()):
        yield "The placebo swap changes nouns only: its texts are not all of those that were swapped."
    missing = [pair.attribute for pair in pairs if not any(pair.rows.values())]
    if missing:
        yield f"No text could be swapped for {', '.join(missing)}."
