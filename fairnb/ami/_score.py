"""Score A and Score B of one run, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.ami._checks import blanked, known, term_matches
from fairnb.ami._files import Labels, RawSet, SyntheticSet
from fairnb.statistics import (
    Areas,
    BiasAucs,
    Confusion,
    Estimate,
    bias_aucs,
    bias_corrected,
    f1_interval,
    mean_f1_interval,
    normal_quantile,
    ranked_rows,
    resampled_areas,
    student_quantile,
    tally,
)

Floats = npt.NDArray[np.float64]
KINDS = ("subgroup", "bpsn", "bnsp")
FEW = 10
"""Rows per class below which an area says little."""
_SMALL = 20
"""Rows per class below which the resamples of a term's area are too much alike."""
FEWEST_SKELETONS = 10
"""Skeletons below which nothing can be said about sentences from other templates."""
RESAMPLES = 1000
_UNDEFINED_SHARE = 0.1
"""Resamples without a value from which there is no interval."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class ScoreA:
    """Score A of one run: the mean of two macro-F1 over every raw row."""

    score: Estimate
    misogynous: Estimate
    aggressiveness: Estimate
    rows: int


@dataclass(frozen=True, slots=True)
class TermScore:
    """The three areas of one identity term in the synthetic set."""

    term: str
    rows: int
    positives: int
    negatives: int
    """Rows with the term that are misogynous, and that are not."""
    areas: dict[str, Estimate]
    """``subgroup``, ``bpsn``, ``bnsp``."""
    support: dict[str, int]
    """Rows of the smaller class in each area."""

    @property
    def defined(self) -> bool:
        """Whether all three areas are."""
        return all(self.areas[kind].defined for kind in KINDS)


@dataclass(frozen=True, slots=True)
class ScoreB:
    """Score B of one run: half the raw area, half the mean of three areas over the identity terms."""

    score: Estimate
    """The official score; undefined as soon as one area of one term is."""
    defined_terms: Estimate
    """The same over the terms that have all three areas: another number, unless they are all."""
    auc_raw: Estimate
    terms: tuple[TermScore, ...]
    means: dict[str, float | None]
    """Mean of each kind of area over the terms that have all three."""
    rows_raw: int
    rows_synthetic: int
    resampled: str
    """What was drawn anew in the synthetic set."""
    law: Floats = field(repr=False, compare=False)
    """The official score of each resample; NaN where it is undefined."""

    @property
    def undefined(self) -> tuple[str, ...]:
        """Terms of which an area is undefined."""
        return tuple(term.term for term in self.terms if not term.defined)


def score_a(
    gold: RawSet, misogynous: Any, aggressiveness: Any, *, threshold: float = 0.5, level: float = 0.95
) -> ScoreA:
    """Mean of the macro-F1 of both labels, each over all rows, as the official script has it.

    Source: Fersini, Nozza and Rosso, AMI @ EVALITA2020, equation for Score A; evaluation_utils.py of the
    organisers.

    Parameters
    ----------
    gold : RawSet
    misogynous, aggressiveness : array_like, shape (n,)
        Labels or scores of the rows in gold's order.
    threshold : float
        A row is called positive from here on; labels 0 and 1 are not touched by it.
    level : float
    """
    joint = np.bincount(
        cells_of(gold, misogynous, aggressiveness, threshold=threshold), minlength=16
    ).reshape(4, 4)
    parts = [macro_f1(joint.sum(axis=axis), level) for axis in (1, 0)]
    score = mean_f1_interval(joint, level)
    if score.value is None and len(gold.ids):
        values = [part.value for part in parts if part.value is not None]
        score = Estimate(fmean(values), None, None, level, score.method, score.note)
    return ScoreA(score, parts[0], parts[1], len(gold.ids))


def cells_of(
    gold: RawSet, misogynous: Any, aggressiveness: Any, *, threshold: float
) -> npt.NDArray[np.int64]:
    """Where each row falls among the sixteen pairs of cells (tp, fp, fn, tn), first label x second label."""
    sides = []
    for labels, values in ((gold.misogynous, misogynous), (gold.aggressiveness, aggressiveness)):
        flagged = np.asarray(values) >= threshold
        positive = known(labels) == 1
        sides.append(np.where(flagged, np.where(positive, 0, 1), np.where(positive, 2, 3)))
    return (4 * sides[0] + sides[1]).astype(np.int64)


def macro_f1(counts: Sequence[int] | npt.NDArray[Any], level: float = 0.95) -> Estimate:
    """Macro-F1 over the classes that occur, as scikit-learn takes it.

    Where one class occurs neither as label nor as decision, the mean is over the other class alone, and
    there is no interval.
    """
    confusion = Confusion(*map(int, counts))
    found = f1_interval(confusion, "macro", level)
    if found.value is not None or not confusion.n:
        return found
    only = f1_interval(confusion, "negative" if confusion.tn else "positive", level)
    note = (
        "one class occurs neither as label nor as decision: F1 of the other alone, as scikit-learn takes it"
    )
    return Estimate(only.value, None, None, level, found.method, note)


def score_b(
    raw: RawSet,
    synthetic: SyntheticSet,
    terms: Sequence[str],
    raw_scores: Any,
    synthetic_scores: Any,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> ScoreB:
    """Half the area of the raw set, half the mean of the three areas over all identity terms.

    With labels in place of scores an area is the balanced accuracy (TPR + TNR) / 2: that is the official
    Score B. The interval is the bias-corrected bootstrap one; raw and synthetic rows are drawn anew
    separately, synthetic ones by skeleton where it is known or can be told from the terms. Source: Fersini,
    Nozza and Rosso, AMI @ EVALITA2020, with the factor 1/3 as evaluation_utils.py has it; areas after Borkan
    et al. 2019.

    Parameters
    ----------
    raw : RawSet
    synthetic : SyntheticSet
    terms : sequence of str
        A term listed twice counts twice, as in the official script.
    raw_scores, synthetic_scores : array_like, shapes (n,) and (m,)
        Labels or scores in [0, 1] of the rows in gold's order.
    level : float
    resamples, seed : int
        Runs scored with the same seed see the same resampled rows.
    """
    raw_labels, labels = known(raw.misogynous), known(synthetic.misogynous)
    p, q = np.asarray(raw_scores, np.float64), np.asarray(synthetic_scores, np.float64)
    member = term_matches(synthetic.texts, terms)
    # Names of one's own: terms may repeat, and a tally's groups may not.
    names = [f"term {column}" for column in range(len(terms))]
    areas = bias_aucs(tally(labels, q, member, names), names, level)
    auc_raw = bias_aucs(tally(raw_labels, p), (), level).overall
    clusters, of = _clusters(synthetic, terms)
    drawn = _Drawn(
        _areas_of(raw_labels, p, np.zeros((len(p), 0), bool), None, resamples, seed),
        None if of == _FIXED else _areas_of(labels, q, member, clusters, resamples, seed + 1),
        len(p) if of == _FIXED else min(len(p), len(q) if clusters is None else len(set(clusters))),
    )
    scored = tuple(
        _term(term, names[column], column, member[:, column], labels, areas, drawn, of, level)
        for column, term in enumerate(terms)
    )
    kept = [column for column, term in enumerate(scored) if term.defined]
    every = list(range(len(terms)))
    values = {column: [_value(scored[column].areas[kind]) for kind in KINDS] for column in kept}
    law = drawn.law(every, values) if len(kept) == len(every) else np.full(drawn.size, np.nan)
    official = _mean(auc_raw, values if len(kept) == len(every) else {})
    over = _mean(auc_raw, values)
    return ScoreB(
        _bootstrapped(official, law, drawn.units, level, _why(auc_raw, scored)),
        _bootstrapped(over, drawn.law(kept, values), drawn.units, level, _why(auc_raw, scored, some=True)),
        auc_raw,
        scored,
        {
            kind: fmean(values[column][at] for column in kept) if kept else None
            for at, kind in enumerate(KINDS)
        },
        len(p),
        len(q),
        of,
        law,
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Areas of the resampled rows."""

    raw: Areas
    synthetic: Areas | None
    """None where the synthetic set is taken as it is."""
    units: int
    """What was drawn anew at a time: skeletons, or rows; the fewer of both sets."""

    @property
    def size(self) -> int:
        """Resamples there are of both."""
        sizes = [len(self.raw["overall"])]
        if self.synthetic is not None:
            sizes.append(len(self.synthetic["overall"]))
        return min(sizes)

    def law(self, columns: Sequence[int], values: dict[int, list[float]]) -> Floats:
        """Score B over some terms in each resample; `values` are the terms' areas as they are."""
        size = self.size
        if not columns:
            return np.full(size, np.nan)
        if self.synthetic is None:
            biased: Any = fmean(area for column in columns for area in values[column])
        else:
            parts = [self.synthetic[kind][:size][:, list(columns)] for kind in KINDS]
            biased = np.concatenate(parts, axis=1).mean(axis=1)
        found: Floats = (self.raw["overall"][:size] + biased) / 2
        return found


_ROWS = "sentences, as if they were independent: which come from one template is not known"
_COLUMN = "skeletons, from the file's column"
_TOLD = "skeletons, told by blanking the terms"
_FIXED = f"nothing: fewer than {FEWEST_SKELETONS} skeletons, so that the set is taken as it is"


def _clusters(synthetic: SyntheticSet, terms: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
    """Which sentences depend on each other, and how that is known."""
    if synthetic.skeletons is not None:
        found, of = synthetic.skeletons, _COLUMN
    else:
        found, of = blanked(synthetic.texts, terms), _TOLD
    distinct = len(set(found))
    if distinct == len(found):
        return None, _ROWS
    return found, of if distinct >= FEWEST_SKELETONS else _FIXED


def _areas_of(
    labels: Labels,
    scores: Floats,
    member: npt.NDArray[np.bool_],
    clusters: Sequence[str] | None,
    resamples: int,
    seed: int,
) -> Areas:
    return resampled_areas(ranked_rows(labels, scores, member, clusters), resamples=resamples, seed=seed)


def _term(
    term: str,
    name: str,
    column: int,
    inside: npt.NDArray[np.bool_],
    labels: Labels,
    areas: BiasAucs,
    drawn: _Drawn,
    of: str,
    level: float,
) -> TermScore:
    found, support = {}, {}
    for kind in KINDS:
        group = getattr(areas, kind)[name]
        area: Estimate = group.area
        support[kind] = min(group.positives, group.negatives)
        if of == _FIXED and area.defined:
            area = Estimate(area.value, None, None, level, "census", "exact for this set")
        elif of != _ROWS and drawn.synthetic is not None and area.value is not None:
            law = drawn.synthetic[kind][:, column]
            # Without any spread the resamples know less than the rows' own interval.
            if _spread(law):
                of_rows, area = area, _bootstrapped(area.value, law, drawn.units, level, "")
                area = _wider(area, of_rows) if support[kind] < _SMALL else area
        found[kind] = area
    positives = int((inside & (labels == 1)).sum())
    rows = int(inside.sum())
    return TermScore(term, rows, positives, rows - positives, found, support)


def _mean(auc_raw: Estimate, values: dict[int, list[float]]) -> float | None:
    if auc_raw.value is None or not values:
        return None
    return float(np.mean([auc_raw.value, np.mean(list(values.values()))]))


def _wider(resampled: Estimate, of_rows: Estimate) -> Estimate:
    """The interval of the resamples, never narrower than that of the rows.

    For terms of few rows: in simulation with 10 rows per class the resamples alone cover 91 to 96 %, with 20
    rows 94 to 95 %.
    """
    if None in (resampled.low, resampled.high, of_rows.low, of_rows.high):
        return resampled
    ends = (resampled.low, of_rows.low), (resampled.high, of_rows.high)
    low, high = min(end or 0.0 for end in ends[0]), max(end or 0.0 for end in ends[1])
    method = f"{resampled.method}, at least {of_rows.method}"
    return Estimate(resampled.value, low, high, resampled.level, method, resampled.note)


def _bootstrapped(value: float | None, law: Floats, units: int, level: float, why: str) -> Estimate:
    """The value with its interval from resamples; none where they do not vary or too many have no value.

    Both ends are moved out as a mean of so few units would have them: Student's quantile in place of the
    normal one, and the variance over units - 1. A bootstrap of few clusters is too narrow by just that.
    """
    method = "bootstrap-bc"
    if value is None:
        return Estimate(None, None, None, level, method, why)
    whole = law[~np.isnan(law)]
    lost = len(law) - len(whole)
    if lost > _UNDEFINED_SHARE * len(law):
        note = f"no interval: {lost:,} of {len(law):,} resamples leave an area without a class"
        return Estimate(value, None, None, level, method, note)
    if not _spread(law):
        return Estimate(value, None, None, level, method, "no interval: all resamples agree")
    wide = student_quantile(level, units - 1) / normal_quantile(level) * math.sqrt(units / (units - 1))
    low, high = (value + wide * (end - value) for end in bias_corrected(value, whole.tolist(), level))
    low, high = max(low, 0.0), min(high, 1.0)
    note = f"{lost:,} of {len(law):,} resamples leave an area without a class" if lost else ""
    return Estimate(value, low, high, level, method, note)


def _spread(law: Floats) -> bool:
    """Whether resamples differ by more than rounding."""
    whole = law[~np.isnan(law)]
    return bool(len(whole) and np.ptp(whole) > _ROUNDING)


def _why(auc_raw: Estimate, terms: Sequence[TermScore], *, some: bool = False) -> str:
    """Why there is no Score B."""
    if auc_raw.value is None:
        return f"the raw set: {auc_raw.note}"
    if some:
        return "no term has all three areas"
    told = [f"{term.term!r} ({_missing(term)})" for term in terms if not term.defined]
    return f"undefined for {', '.join(told)}"


def _missing(term: TermScore) -> str:
    if not term.rows:
        return "no row has it"
    kinds = [kind for kind in KINDS if not term.areas[kind].defined]
    return f"{', '.join(kinds)}: of its rows {term.positives} are misogynous and {term.negatives} are not"


def _value(estimate: Estimate) -> float:
    return float("nan") if estimate.value is None else estimate.value
