"""Groups compared over a fixed set of sentences: exact, template by template, without a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fairnb.sections._group_bench import Bench, Group
from fairnb.sections._group_questions import TESTED, question
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._verdicts import Judged, judge_census

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.mining import Counted

ACROSS = "over_templates"
_SHOWN = (Status.OK, Status.INDICATIVE)


@dataclass(frozen=True)
class Exact:
    """A difference within one template."""

    template: str
    difference: float
    n: int
    n_reference: int


Differences = Mapping[MeasureKey, tuple[Exact, ...]]


def templates_of(corpus: object, role: str) -> tuple[str, ...] | None:
    """Template of each text; a synthetic corpus's clusters are its templates where nothing else says."""
    templates: tuple[str, ...] | None = getattr(corpus, "templates", None)
    if templates is None and role == "synthetic":
        templates = getattr(corpus, "clusters", None)
    return templates


def by_template(
    bench: Bench,
    groups: Sequence[Group],
    counted: Counted,
    labels: npt.NDArray[np.int8],
    scores: npt.NDArray[np.floating],
    templates: Sequence[str],
) -> Differences:
    """The exact differences of both error rates within each template that has both groups."""
    names = list(dict.fromkeys(templates))
    place = {name: index for index, name in enumerate(names)}
    of = np.fromiter((place[name] for name in templates), np.int64, len(templates))
    known = ~np.isnan(scores) & (labels >= 0)
    flagged = known & (scores >= scores.dtype.type(bench.threshold))
    columns = counted.membership.tocsc()

    def rows(group: str) -> npt.NDArray[np.bool_]:
        inside = np.zeros(len(labels), bool)
        column = counted.names.index(group.removeprefix("~"))
        inside[columns.indices[columns.indptr[column] : columns.indptr[column + 1]]] = True
        return ~inside if group.startswith("~") else inside

    found: dict[MeasureKey, tuple[Exact, ...]] = {}
    for group in groups:
        for spec in TESTED:
            for reference, other in group.references:
                sides = []
                for name in (group.name, other):
                    kept = rows(name) & known & (labels == spec.condition)
                    sides.append(
                        (
                            np.bincount(of[kept], minlength=len(names)),
                            np.bincount(of[kept & flagged], minlength=len(names)),
                        )
                    )
                (n, x), (m, y) = sides
                key = MeasureKey(
                    spec.name, group.attribute, group.subgroup, reference, spec.label, bench.variants()
                )
                found[key] = tuple(
                    Exact(names[i], float(x[i] / n[i] - y[i] / m[i]), int(n[i]), int(m[i]))
                    for i in np.flatnonzero((n > 0) & (m > 0)).tolist()
                )
    return found


def census(bench: Bench, groups: Sequence[Group], exact: Differences, margin: float) -> list[Judged]:
    """Every difference of the two error rates, judged as a census."""
    judged = []
    for group in groups:
        for spec in TESTED:
            for reference, other in group.references:
                posed = question(bench, spec, group, reference, other)
                within = exact[posed.key]
                many = f"{len(within)} template{'' if len(within) == 1 else 's'}"
                said = posed.statement.replace("this set of sentences", f"this set of sentences from {many}")
                posed = replace(posed, family="census", p=None, statement=said)
                judged.append(
                    judge_census(
                        posed, [one.difference for one in within], margin=margin, confidence=bench.level
                    )
                )
    return judged


def as_census(measure: Measure) -> Measure:
    """A value over the whole set: exact, so that it has no interval and no test."""
    update: dict[str, object] = {"p": None, "p_adjusted": None, "low": None, "high": None, "level": None}
    update |= {
        "interval": "",
        "detectable": None,
        "family": "" if measure.family in ("C", "E") else measure.family,
    }
    if measure.status in _SHOWN:
        update["status"] = Status.CENSUS
        update["note"] = "" if measure.status is Status.INDICATIVE else measure.note
    return measure.model_copy(update=update)


def template_measures(bench: Bench, judged: Sequence[Judged], exact: Differences) -> Iterator[Measure]:
    """For each finding its difference in every template, and what that lets one expect of other templates."""
    from fairnb.statistics import cluster_mean

    for answer in judged:
        if answer.severity is None:
            continue
        key = answer.question.key
        within = exact[key]
        columns = {**key._asdict(), "threshold": bench.threshold, "null": 0.0}
        for one in within:
            yield Measure(
                **{**columns, "variant": bench.variants(f"template={one.template}")},
                value=one.difference,
                n=one.n,
                denominator=one.n,
                n_reference=one.n_reference,
                status=Status.CENSUS,
                method="difference within the template",
            )
        across = cluster_mean(
            [one.difference for one in within], [one.template for one in within], bench.level
        )
        found = across.estimate
        yield Measure(
            **{**columns, "variant": bench.variants(ACROSS)},
            value=found.value,
            low=found.low,
            high=found.high,
            level=found.level if found.low is not None else None,
            interval=found.method if found.low is not None else "",
            n=sum(one.n for one in within),
            clusters=len(within),
            family="D",
            status=Status.OK if len(within) >= 10 else Status.INDICATIVE,
            method="mean of the templates' differences, over templates",
            note=found.note or ("" if len(within) >= 10 else f"{len(within)} templates: indicative"),
        )
