"""Several runs set against each other on the same resampled texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

import numpy as np
import numpy.typing as npt

from fairnb.ami._files import Subtask
from fairnb.ami._score import macro_f1
from fairnb.statistics import holm

Correction = Literal["holm", "max"]
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Competitor:
    """One run's score and the same of every resample."""

    run: str
    team: str
    value: float
    law: npt.NDArray[np.float64]
    """Shape (resamples,); the resamples are those of every other run. NaN where undefined."""


@dataclass(frozen=True, slots=True)
class Place:
    """A run in the ranking."""

    run: str
    team: str
    value: float
    rank: int
    """By the value; equal values share a rank."""
    best: int
    worst: int
    """The ranks that no corrected difference speaks against."""
    selected_of: int
    """Runs of its team where this is the best of several: a value picked after the fact leans upwards. Else 0."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs compared."""

    first: str
    second: str
    value: float
    """First minus second."""
    p: float | None
    """Adjusted for all pairs; None where the difference has no spread."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Runs of one subtask by their score."""

    subtask: Subtask
    places: tuple[Place, ...]
    differences: tuple[Difference, ...]
    correction: Correction
    level: float
    unranked: tuple[str, ...]
    """Runs whose score is undefined."""


def ranking(
    subtask: Subtask,
    competitors: Sequence[Competitor],
    *,
    unranked: Sequence[str] = (),
    correction: Correction = "holm",
    level: float = 0.95,
) -> Ranking:
    """Rank runs, each with the ranks that simultaneous tests of all pairs leave open.

    A run is behind those that are better by a difference that stays significant after correction, and ahead
    of those that are worse by one. The standard error of a difference is that of its resamples, in which both
    runs saw the same texts. Source: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91 (2024)
    476-518, for rank intervals from simultaneous differences.

    Parameters
    ----------
    subtask : {"A", "B"}
    competitors : sequence of Competitor
    unranked : sequence of str
    correction : {"holm", "max"}
        Holm's on the normal p of each pair, or the law of the largest standardised difference over the
        resamples, which uses how the pairs depend on each other.
    level : float
    """
    pairs = list(combinations(range(len(competitors)), 2))
    differences = [competitors[i].value - competitors[j].value for i, j in pairs]
    laws = [competitors[i].law - competitors[j].law for i, j in pairs]
    errors = [_spread(law) for law in laws]
    adjusted = _holm(differences, errors) if correction == "holm" else _largest(differences, errors, laws)
    ahead = np.zeros((len(competitors), len(competitors)), bool)
    for (i, j), difference, p in zip(pairs, differences, adjusted, strict=True):
        if p is not None and p <= 1 - level:
            ahead[(i, j) if difference > 0 else (j, i)] = True
    best_of = _selected(competitors)
    places = [
        Place(
            one.run,
            one.team,
            one.value,
            1 + sum(other.value > one.value + _ROUNDING for other in competitors),
            1 + int(ahead[:, at].sum()),
            len(competitors) - int(ahead[at].sum()),
            best_of.get(at, 0),
        )
        for at, one in enumerate(competitors)
    ]
    compared = [
        Difference(competitors[i].run, competitors[j].run, difference, p)
        for (i, j), difference, p in zip(pairs, differences, adjusted, strict=True)
    ]
    places.sort(key=lambda place: (place.rank, place.run))
    return Ranking(subtask, tuple(places), tuple(compared), correction, level, tuple(unranked))


def resampled_score_a(
    cells: npt.NDArray[np.int64], *, resamples: int, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Score A of raw rows drawn anew with replacement; with one seed every run sees the same rows.

    Parameters
    ----------
    cells : ndarray of int, shape (n,)
        As `cells_of` gives them.
    resamples, seed : int
    """
    rng = np.random.default_rng(seed)
    n = len(cells)
    law = np.empty(resamples)
    for draw in range(resamples):
        joint = np.bincount(cells[rng.integers(0, n, n)], minlength=16).reshape(4, 4)
        values = [macro_f1(joint.sum(axis=axis)).value for axis in (1, 0)]
        law[draw] = fmean(float("nan") if value is None else value for value in values)
    return law


def _spread(law: npt.NDArray[np.float64]) -> float:
    whole = law[~np.isnan(law)]
    return float(whole.std(ddof=1)) if len(whole) > 1 else 0.0


def _holm(differences: Sequence[float], errors: Sequence[float]) -> Sequence[float | None]:
    return holm(
        [
            math.erfc(abs(difference) / error / math.sqrt(2)) if error > _ROUNDING else None
            for difference, error in zip(differences, errors, strict=True)
        ]
    )


def _largest(
    differences: Sequence[float], errors: Sequence[float], laws: Sequence[npt.NDArray[np.float64]]
) -> list[float | None]:
    """Share of resamples in which the largest standardised difference reaches each one seen."""
    usable = [at for at, error in enumerate(errors) if error > _ROUNDING]
    if not usable:
        return [None] * len(differences)
    standardised = [np.abs(laws[at] - differences[at]) / errors[at] for at in usable]
    # A resample in which a score is undefined counts with the differences that it has.
    largest = np.nanmax(np.vstack([*standardised, np.zeros_like(standardised[0])]), axis=0)
    adjusted: list[float | None] = [None] * len(differences)
    for at in usable:
        reached = int((largest >= abs(differences[at]) / errors[at]).sum())
        adjusted[at] = (1 + reached) / (1 + len(largest))
    return adjusted


def _selected(competitors: Sequence[Competitor]) -> Mapping[int, int]:
    """Position of each team's best run where it has several -> how many."""
    by_team: dict[str, list[int]] = {}
    for at, one in enumerate(competitors):
        by_team.setdefault(one.team, []).append(at)
    return {
        max(runs, key=lambda at: competitors[at].value): len(runs)
        for runs in by_team.values()
        if len(runs) > 1
    }
