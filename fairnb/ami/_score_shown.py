"""Tables of scores for a person: aligned, and with what the figures do not say."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from fairnb.ami._checks import Scores
from fairnb.ami._ranking import Ranking
from fairnb.ami._score import FEW, KINDS, ScoreA, ScoreB, TermScore
from fairnb.statistics import Estimate
from fairnb.text import printable

_DASH = "-"
_ROUNDING = 1e-9
_TABLES = 4
"""Runs up to which each has its table of terms."""
_DIFFERENCES = _TABLES * (_TABLES - 1) // 2
"""Pairs of so many runs, up to which each is shown."""
_SMALLEST_P = 0.0005
_KINDS = {"subgroup": "subgroup AUC", "bpsn": "BPSN AUC", "bnsp": "BNSP AUC"}
_NAMES = {"A": "Score A", "B": "Score B"}


def tables(
    scores: Scores,
    threshold: float,
    level: float,
    runs: Sequence[tuple[str, ScoreA | None, ScoreB | None]],
    rankings: Sequence[Ranking],
) -> list[str]:
    """All tables of a report, line by line."""
    lines = [_heading(scores, threshold, level), ""]
    lines += _alone(*runs[0]) if len(runs) == 1 else _overview(runs)
    of_terms = [(name, b) for name, _, b in runs if b is not None]
    if len(of_terms) > _TABLES:
        lines += ["", f"The areas of each term in each of {len(of_terms)} runs are in the result of --json."]
    else:
        for name, b in of_terms:
            lines += ["", *_of_terms(name, b)]
    for one in rankings:
        lines += ["", *_ranked(one)]
    found = limits(scores, [b for _, _, b in runs if b is not None])
    return [*lines, "", *(f"Note: {limit}." for limit in found)]


def limits(scores: Scores, of_b: Sequence[ScoreB]) -> list[str]:
    """What the figures rest on and do not say."""
    found = ["raw tweets are taken as independent of each other"]
    if not of_b:
        return found
    if scores == "hard":
        found.append(
            "areas are taken over labels, as the official script does: each is the balanced accuracy "
            "(TPR + TNR) / 2 and says nothing about the order of scores"
        )
        if all(_one_mean(one) for one in of_b):
            found.append(
                "the three means are one number: where every term has the same rows of each class, labels make "
                "all of them the balanced accuracy over the whole synthetic set, so that Score B does not see "
                "gaps between terms; the terms' own areas do"
            )
    else:
        found.append("areas are taken over scores: published figures of the task are over labels")
    found += list(dict.fromkeys(f"drawn anew in the synthetic set: {one.resampled}" for one in of_b))
    found.append(
        "the synthetic set is what its makers wrote: a gap between terms holds for these sentences, "
        "not for what people write"
    )
    return found


def _one_mean(b: ScoreB) -> bool:
    """Whether the three kinds of area have the same mean."""
    means = [value for value in b.means.values() if value is not None]
    return len(means) == len(KINDS) and max(means) - min(means) < _ROUNDING and len(b.terms) > 1


def _heading(scores: Scores, threshold: float, level: float) -> str:
    what = "labels (hard)" if scores == "hard" else f"scores (prob), Score A from {threshold:g} on"
    return f"AMI 2020, from {what}; intervals {level * 100:g} %"


def _alone(name: str, a: ScoreA | None, b: ScoreB | None) -> Iterator[str]:
    """All figures of one run, each with its interval."""
    rows: list[tuple[str, str]] = []
    if a is not None:
        rows += [
            ("Score A", _shown(a.score)),
            ("  macro-F1 misogynous", _shown(a.misogynous)),
            ("  macro-F1 aggressiveness", _shown(a.aggressiveness)),
        ]
    if b is not None:
        rows += [
            ("Score B", _shown(b.score)),
            ("  AUC raw", _shown(b.auc_raw)),
            *((f"  mean {_KINDS[kind]} over terms", _plain(b.means[kind])) for kind in KINDS),
        ]
    yield from _aligned((name, ""), rows)


def _overview(runs: Sequence[tuple[str, ScoreA | None, ScoreB | None]]) -> Iterator[str]:
    """A line for each run; intervals of the two scores only, which fits a terminal."""
    rows = []
    for name, a, b in runs:
        of_a = (
            (_DASH,) * 3
            if a is None
            else (_shown(a.score), _plain(a.misogynous.value), _plain(a.aggressiveness.value))
        )
        of_b = (_DASH,) * 2 if b is None else (_shown(b.score), _plain(b.auc_raw.value))
        rows.append((name, *of_a, *of_b))
    yield from _aligned(("run", "Score A", "F1 misog.", "F1 aggr.", "Score B", "AUC raw"), rows)


def _of_terms(name: str, b: ScoreB) -> Iterator[str]:
    yield f"{name}: identity terms in the synthetic set ({b.rows_synthetic:,} rows), lowest area first"
    yield "(1/0: misogynous and other rows with the term)"
    rows = sorted(b.terms, key=_lowest)
    yield from _aligned(
        ("term", "rows", "1/0", *_KINDS.values()),
        [
            (
                term.term,
                f"{term.rows:,}",
                f"{term.positives:,}/{term.negatives:,}",
                *(_shown(term.areas[kind]) + _few(term.support[kind]) for kind in KINDS),
            )
            for term in rows
        ]
        + [("mean", "", "", *(_plain(b.means[kind]) for kind in KINDS))],
        right=(1, 2),
    )
    if any(term.support[kind] < FEW for term in b.terms for kind in KINDS):
        yield f"* fewer than {FEW} rows in the smaller class"
    if b.score.value is None:
        yield f"Score B is {b.score.note}"
        kept = len(b.terms) - len(b.undefined)
        yield (
            f"Not the official score: over {kept} of {len(b.terms)} terms it would be {_shown(b.defined_terms)}"
        )
    elif b.score.note:
        yield f"Score B: {b.score.note}"


def _lowest(term: TermScore) -> tuple[bool, float]:
    """Undefined terms first, then by the lowest of the three."""
    values = [term.areas[kind].value for kind in KINDS]
    return term.defined, min((value for value in values if value is not None), default=0.0)


def _few(support: int) -> str:
    return "*" if support < FEW else ""


def _ranked(found: Ranking) -> Iterator[str]:
    how = "Holm" if found.correction == "holm" else "the largest difference"
    yield (
        f"Ranking by {_NAMES[found.subtask]}; in brackets the ranks that no difference speaks against "
        f"(all pairs at once, corrected by {how})"
    )
    yield from _aligned(
        ("rank", "run", _NAMES[found.subtask], ""),
        [
            (
                f"{place.rank} [{place.best}-{place.worst}]",
                place.run,
                f"{place.value:.4f}",
                f"best of {place.selected_of}, selected after scoring: leans upwards"
                if place.selected_of
                else "",
            )
            for place in found.places
        ],
    )
    if len(found.differences) <= _DIFFERENCES:
        yield ""
        yield from _aligned(
            ("difference", _NAMES[found.subtask], "p, corrected"),
            [
                (
                    f"{one.first} minus {one.second}",
                    f"{one.value:+.4f}",
                    _DASH if one.p is None else "< 0.001" if one.p < _SMALLEST_P else f"{one.p:.3f}",
                )
                for one in found.differences
            ],
        )
    if found.unranked:
        yield f"Not ranked, the score is undefined: {', '.join(found.unranked)}"


def _shown(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4f}"
    return f"{estimate.value:.4f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _plain(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _aligned(
    heading: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> Iterator[str]:
    table = [[printable(cell) for cell in row] for row in (heading, *rows)]
    widths = [max(_columns(row[at]) for row in table) for at in range(len(heading))]
    for row in table:
        gaps = [" " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            gap + cell if at in right else cell + gap
            for at, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _columns(cell: str) -> int:
    """Columns of a terminal that a cell takes: none for an accent of its own, two for a wide letter."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in cell
    )
