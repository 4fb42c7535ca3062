"""Who is mentioned in the texts, what found it, and how often that was right: Table 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import count, interval_of, percent
from fairnb.sections._measure import Measure, Status
from fairnb.sections._mining_checks import REVIEWED, Review, checked
from fairnb.sections._mining_shown import (
    checks,
    mentions_plot,
    mentions_table,
    suppressed_table,
    texts_of,
    unmapped_table,
)
from fairnb.sections._result import Example, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.mining import Mentions, Source
    from fairnb.sections._shown import Plot, Table

LISTED_FROM = 2
"""A named group that stands for nothing known is printed from this many occurrences on: rarer ones are mostly
user names and words that only look like names."""
_LISTED = 60
_TOLD = 3
"""Reviewed subgroups that limits name: those with the most errors."""
_SHOWN = 280
"""Characters of an example."""
_NEEDS = {"train": Need.TRAIN_CORPUS, "test": Need.TEST_CORPUS, "synthetic": Need.SYNTHETIC_CORPUS}


class Mining(Section):
    """Mentions of subgroups by look-up and by recognition, and their precision. Source: paper, 6.1, Table 5."""

    id = "mining"
    title = "Protected attributes mining"
    version = 2
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    needs = (Need.MENTIONS,)
    source = "Paper, section 6.1, Table 5; Wilson (1927) for shares."
    method = (
        "A text mentions a subgroup if it holds one of its words. The *look-up* compares whole words of the "
        "lexicon in any case; hits in links, handles and fixed phrases such as “White House” are suppressed. "
        "*Recognition* reads each text with a pipeline for named entities and takes those that name a nationality, "
        "a religious or a political group. A text counts once however often it mentions a subgroup. "
        "*Precision* is the share of found mentions that were right, *recall* the share of true mentions that were "
        "found; both need somebody to have read the texts. Groups are those mentioned, not authors."
    )

    class Params(SectionParams):
        """Which corpus, with recognition or without, and how many examples."""

        corpus: Literal["test", "train", "synthetic"] = Field("test", description="Corpus to look at")
        ner: bool = Field(False, description="Also recognise named groups (needs the extra ner)")
        examples: int = Field(1, ge=0, le=3, description="Examples per subgroup")

    def run(self, view: View, params: Params) -> Result:
        """Count mentions by subgroup and source, and compare them with what people marked."""
        need = _NEEDS[params.corpus]
        if not view.has(need):
            return Result(status="not_applicable", reason=need.value)
        corpus = view.corpus(params.corpus)
        sources: tuple[Source, ...] = ("lookup", "ner", "both") if params.ner else ("lookup",)
        found = {source: view.mentions(params.corpus, source) for source in sources}
        labels = view.labels(params.corpus)
        review = Review.of(view, params.corpus)
        measures = [m for source in sources for m in _counted(found[source])]
        for source in sources:
            measures += checked(found[source], corpus, labels, review, view.confidence)
        widest = found[sources[-1]]
        known = {(m.attribute, m.subgroup) for m in measures}
        facts = {
            "corpus": params.corpus,
            "corpus_name": corpus.name,
            "rows": len(corpus),
            "level": view.confidence,
            "rule": view.lexicon.rule,
            "sources": list(sources),
            "pipeline": widest.pipeline,
            "any": {source: _rows_with_any(found[source]) for source in sources},
            "by_attribute": _agreement(found) if params.ner else {},
            "suppressed": _suppressed(widest),
            "unmapped": _unmapped(view, widest),
            "review": review.facts,
            "annotated": sorted(f"{a}: {s}" for a, s in corpus.annotated if (a, s) in known),
            "annotated_only": sorted(f"{a}: {s}" for a, s in corpus.annotated if (a, s) not in known),
        }
        return Result(
            measures=tuple(measures),
            facts=facts,
            examples=tuple(_examples(view, corpus.texts, labels, widest, params.examples)),
            limits=tuple(_limits(facts, measures)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """How many texts mention anybody, whom most, and what was checked."""
        facts = result.facts
        named = facts["any"]["lookup"]
        said = [
            f"{count(named)} of {count(facts['rows'])} texts of {facts['corpus_name']} "
            f"({percent(named / facts['rows']) if facts['rows'] else 'none'}) mention at least one subgroup by look-up."
        ]
        most = sorted((m for m in _of(result, "mentions") if m.value), key=lambda m: -(m.value or 0))[:3]
        if most:
            said.append(
                f"Most often: {', '.join(f'{m.subgroup} ({m.attribute}) in {count(texts_of(m))}' for m in most)}."
            )
        for attribute, (both, words, named_only) in sorted(facts["by_attribute"].items()):
            if attribute == "religion":
                said.append(
                    f"Of the texts that mention a religion, look-up and recognition found the same in {count(both)}; "
                    f"look-up alone found {count(words)}, recognition alone {count(named_only)}."
                )
            else:
                said.append(f"Recognition found {attribute} in {count(both + named_only)} texts.")
        return [*said, *_checks_said(result)]

    def tables(self, result: Result) -> Sequence[Table]:
        """Mentions, checks, and what was left out."""
        return [
            table
            for table in (
                mentions_table(result),
                checks(result, annex=False),
                checks(result, annex=True),
                suppressed_table(result),
                unmapped_table(result),
            )
            if table is not None
        ]

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Texts that mention each subgroup, by what found them."""
        plot = mentions_plot(result)
        return {} if plot is None else {"mentions": plot}


def _of(result: Result, name: str, variant: str = "") -> list[Measure]:
    return [m for m in result.measures if m.measure == name and m.variant == variant]


def _counted(found: Mentions) -> Iterable[Measure]:
    sums = found.by_subgroup.sum(axis=0).tolist()
    for (attribute, subgroup), texts in zip(found.subgroups, sums, strict=True):
        yield Measure(
            measure="mentions",
            attribute=attribute,
            subgroup=subgroup,
            label="all",
            variant="" if found.source == "lookup" else f"source={found.source}",
            value=float(texts),
            n=len(found),
            denominator=len(found),
            family="D",
            status=Status.EXACT,
            method="texts that mention it",
        )


def _rows_with_any(found: Mentions) -> int:
    import numpy as np

    return int(np.count_nonzero(np.diff(found.by_subgroup.indptr)))


def _agreement(found: Mapping[Source, Mentions]) -> dict[str, tuple[int, int, int]]:
    """Attribute -> texts in which both sources find the same subgroup, look-up alone one, recognition alone one."""
    sets: dict[str, dict[Source, set[tuple[int, str]]]] = {}
    for source in ("lookup", "ner"):
        mined = found[source]
        for row, column in zip(*(axis.tolist() for axis in mined.by_subgroup.nonzero()), strict=True):
            attribute, subgroup = mined.subgroups[column]
            sets.setdefault(attribute, {}).setdefault(source, set()).add((row, subgroup))
    compared = {}
    for attribute in dict.fromkeys(attribute for attribute, _ in found["ner"].subgroups):
        words, named = (sets.get(attribute, {}).get(source, set()) for source in ("lookup", "ner"))
        compared[attribute] = (
            len({row for row, _ in words & named}),
            len({row for row, _ in words - named}),
            len({row for row, _ in named - words}),
        )
    return compared


def _suppressed(found: Mentions) -> list[list[Any]]:
    """Term, reason, source and number of the hits that do not count, most frequent first."""
    from collections import Counter

    hits = found.hits
    lost = hits.suppressed > 0
    triples = zip(
        hits.term[lost].tolist(), hits.suppressed[lost].tolist(), found.found_by[lost].tolist(), strict=True
    )
    counted = Counter(
        (found.vocabulary[term], hits.reasons[reason], found.sources[by]) for term, reason, by in triples
    )
    return [[*key, number] for key, number in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]


def _unmapped(view: View, found: Mentions) -> dict[str, Any]:
    """Named groups that stand for no subgroup: those printed, and how many are not."""
    listed: dict[tuple[str, str], int] = {}
    for entry in found.unmapped:
        # What the packaged mapping names is no one's own words; the rest is shown as texts are.
        text = entry.text if entry.kind else view.redact(entry.text)
        listed[text, entry.kind] = listed.get((text, entry.kind), 0) + entry.count
    rows = sorted(listed.items(), key=lambda item: (-item[1], item[0]))
    printed: list[list[Any]] = [[*key, number] for key, number in rows if key[1] or number >= LISTED_FROM]
    shown = printed[:_LISTED]
    total = sum(entry.count for entry in found.unmapped)
    return {"rows": shown, "total": total, "rest": total - sum(row[2] for row in shown)}


def _examples(
    view: View, texts: Sequence[str], labels: Any, found: Mentions, per_subgroup: int
) -> Iterable[Example]:
    """Texts drawn at random, each with all that was found in it."""
    import numpy as np

    draw = np.random.default_rng(view.seed)
    by_column = found.by_subgroup.tocsc()
    chosen: dict[int, None] = {}
    for column in range(len(found.subgroups)):
        rows = by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]
        # Short texts can be read whole.
        short = [row for row in rows.tolist() if len(texts[row]) <= _SHOWN] or rows.tolist()
        chosen.update(dict.fromkeys(draw.permutation(short).tolist()[:per_subgroup]))
    for row in sorted(chosen):
        extracted: dict[str, list[str]] = {}
        for column in found.by_subgroup[[row]].nonzero()[1].tolist():
            attribute, subgroup = found.subgroups[column]
            extracted.setdefault(attribute, []).append(subgroup)
        shown = view.redact(texts[row])
        label = {1: "positive", 0: "negative"}.get(int(labels[row]))
        yield Example(
            text=shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN].rstrip()}…",
            values={**{a: ", ".join(names) for a, names in extracted.items()}, "label": label},
        )


def _checks_said(result: Result) -> Iterable[str]:
    review = result.facts["review"]
    read = _reviewed(result.measures)
    if read:
        right, asked = sum(map(_hits, read)), sum(m.denominator or 0 for m in read)
        groups = "one subgroup" if len(read) == 1 else f"{len(read)} subgroups"
        yield f"A person read {count(asked)} mentions of {groups} and found {count(right)} right."
    for name, means in (("precision", "right"), ("recall", "found")):
        marked = [
            m
            for m in _of(result, name)
            if m.label == "all" and m.value is not None and m.status is Status.OK and "annotated" in m.method
        ]
        if marked:
            worst = min(marked, key=lambda m: m.value or 0)
            of = "mentions found" if name == "precision" else "annotated mentions"
            yield (
                f"Of the {of} of {worst.subgroup} ({worst.attribute}), {percent(worst.value or 0)} were {means} "
                f"(n = {count(worst.denominator or 0)})"
                + (f", the lowest of {len(marked)} annotated subgroups." if len(marked) > 1 else ".")
            )
    if review and not review["usable"]:
        yield f"The review of mentions is not used: {review['reason']}."


def _reviewed(measures: Sequence[Measure]) -> list[Measure]:
    """Precision of the look-up in a review, all labels together, of each subgroup that was read."""
    return [
        m
        for m in measures
        if m.measure == "precision"
        and m.label == "all"
        and m.variant in ("", "checked=review")
        and REVIEWED in m.method
        and m.value is not None
    ]


def _hits(share: Measure) -> int:
    """The count behind a share."""
    return round((share.value or 0.0) * (share.denominator or 0))


def _limits(facts: Mapping[str, Any], measures: Sequence[Measure]) -> Iterable[str]:
    if facts["rule"] == "paper":
        yield "Words were looked up as the paper did: exact case, split at white space, no plurals."
    yield (
        "The look-up misses words outside its lists, spellings it does not know, and mentions without a word for "
        "the group."
    )
    if facts["pipeline"]:
        yield (
            f"Recognition by {facts['pipeline']} was learned from edited texts: in short and informal ones it misses "
            "groups, above all in lower case, and takes other words for groups."
        )
        yield "Adjectives count as mentions: “American cars” speaks of no American."
    unchecked = not any(m.measure in ("precision", "recall") and m.value is not None for m in measures)
    if unchecked:
        yield (
            "How many of these mentions are right was not checked; “fairnb review sheet” draws a sample for a person "
            "to read."
        )
    elif not any(m.measure == "recall" and m.value is not None for m in measures):
        yield "How many mentions were missed is not known: a review of what was found cannot say it."
    review = facts["review"]
    if review and review["usable"]:
        wrongest = sorted(_reviewed(measures), key=lambda m: m.value or 0.0)
        for m in [m for m in wrongest if (m.value or 0.0) < 1][:_TOLD]:
            interval = f", interval {interval_of(m, 2)}" if m.low is not None else ""
            yield (
                f"A person found {count(_hits(m))} of {count(m.denominator or 0)} mentions of {m.subgroup} "
                f"({m.attribute}) right{interval}."
            )
        wrong = review["rows"] - review["labels_right"]
        yield (
            f"The person who read {count(review['rows'])} mentions found {count(wrong)} of their labels wrong."
            if wrong
            else f"The person who read {count(review['rows'])} mentions found every label right."
        )
        if not review["same_lexicon"]:
            yield "The lexicon was changed after the sample was drawn: mentions by new words were not read."
    for name in ("precision", "recall"):
        yield from _differs_by_label(name, measures)
    if facts["annotated_only"]:
        yield f"Annotated, but not in the lexicon: {', '.join(facts['annotated_only'])}."


def _differs_by_label(name: str, measures: Sequence[Measure]) -> Iterable[str]:
    """Errors that depend on the label can hide a gap between groups or make one up."""
    by_label = {
        (m.attribute, m.subgroup, m.label): m for m in measures if m.measure == name and not m.variant
    }
    for (attribute, subgroup, label), positive in by_label.items():
        negative = by_label.get((attribute, subgroup, "negative"))
        if label != "positive" or negative is None:
            continue
        ends = (positive.low, positive.high, negative.low, negative.high)
        if None not in ends and (ends[0] > ends[3] or ends[2] > ends[1]):  # type: ignore[operator]
            yield (
                f"The {name} of mentions of {subgroup} ({attribute}) differs between positive texts "
                f"({percent(positive.value or 0)}) and negative ones ({percent(negative.value or 0)}): "
                "differences between groups can stem from that."
            )
