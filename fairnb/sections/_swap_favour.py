"""Whom a swap favours, in the paper's sense of the word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fairnb.sections._format import count, percent
from fairnb.sections._measure import Measure
from fairnb.sections._shift import NON_TIES
from fairnb.sections._support import supported
from fairnb.sections._swap_made import PLACEBO, Pair, Row
from fairnb.sections._variant import joined
from fairnb.sections._verdicts import Question

if TYPE_CHECKING:
    from fairnb.statistics import Estimate


def favoured(pair: Pair, level: float, measures: list[Measure]) -> Iterable[Question]:
    """Shares of swapped texts in which either group was favoured; over both directions and by direction."""
    both = [(subgroup, to) for subgroup, to in pair.rows if to != PLACEBO]
    for chosen, named in (
        (both, pair.suffix),
        *(([way], joined(f"to={way[1]}", pair.suffix)) for way in both),
    ):
        for label, values in (("all", (0, 1)), ("positive", (1,)), ("negative", (0,))):
            counts, rows = _favour_counts(pair, chosen, values)
            yield from _favour_measures(pair, counts, rows, label, named, level, measures, ask=chosen is both)
    if pair.mixed or any(pair.rows[way] for way in both):
        from fairnb.statistics import wilson

        swapped = pair.mixed + sum(len(pair.rows[way]) for way in both)
        measures.append(
            supported(
                wilson(pair.mixed, swapped, level),
                support=swapped,
                measure="favour",
                attribute=pair.attribute,
                subgroup="mixed",
                label="all",
                variant=pair.suffix,
                n=swapped,
                denominator=swapped,
                family="D",
                method="texts that name both groups / swapped texts; they are in no other share of favour",
            )
        )


def unspoken(measure: Measure, estimate: Estimate, p: float, non_ties: int) -> Question:
    """A sign test that belongs to the section's exploratory family, but is neither told nor a candidate."""
    return Question("", "", measure.key, lambda _: estimate, p, non_ties, family="E", tested_from=NON_TIES)


def _favour_counts(
    pair: Pair, ways: Sequence[tuple[str, str]], labels: Sequence[int]
) -> tuple[Counter[str], list[Row]]:
    from fairnb.variants import favour

    counts: Counter[str] = Counter()
    rows = []
    for subgroup, to in ways:
        for row in pair.rows[subgroup, to]:
            if row.label in labels:
                answer = favour(row.before, row.after, row.label)
                counts[{"new": to, "original": subgroup, "no_change": "no_change"}[answer]] += 1
                rows.append(row)
    return counts, rows


def _favour_measures(
    pair: Pair,
    counts: Counter[str],
    rows: Sequence[Row],
    label: str,
    variant: str,
    level: float,
    measures: list[Measure],
    *,
    ask: bool,
) -> Iterable[Question]:
    from fairnb.statistics import paired_difference, sign_test, wilson

    n = len(rows)
    first, second = counts[pair.first], counts[pair.second]
    named: dict[str, Any] = {
        "measure": "favour",
        "attribute": pair.attribute,
        "label": label,
        "variant": variant,
    }
    measures += [
        supported(
            wilson(counts[group], n, level),
            support=n,
            subgroup=group,
            n=n,
            denominator=n,
            family="D",
            method="texts in which the group is favoured, four decimals / swapped texts that name one group",
            **named,
        )
        for group in (pair.first, pair.second, "no_change")
    ]
    independent = len({row.cluster for row in rows})
    tested = first + second >= NON_TIES and n > 0
    p = sign_test(first, second) if tested else None
    difference = supported(
        paired_difference(first, second, n, level),
        support=first + second,
        minimum=NON_TIES,
        subgroup=pair.first,
        reference=pair.second,
        n=n,
        denominator=n,
        clusters=independent,
        null=0.0,
        p=p,
        family="E",
        method="share in which it is favoured - share in which the other is; exact sign test on non-ties",
        **named,
    )
    measures.append(difference)
    if not n:
        return
    if not (ask and label == "all"):
        if p is not None:
            yield unspoken(difference, paired_difference(first, second, n, level), p, first + second)
        return

    def at(wanted: float) -> Estimate:
        return paired_difference(first, second, n, wanted)

    statement = (
        f"Of {count(n)} texts that name one of {pair.first} and {pair.second}, the system favoured {pair.first} in "
        f"{percent(first / n)} and {pair.second} in {percent(second / n)}; {percent(counts['no_change'] / n)} did "
        "not change at four decimals."
    )
    yield Question(
        f"Favour, {pair.attribute}: {pair.first} against {pair.second}",
        statement,
        difference.key,
        at,
        p,
        first + second,
        family="E",
        untested="" if tested else f"fewer than {NON_TIES} texts changed",
        tested_from=NON_TIES,
        points=True,
    )
