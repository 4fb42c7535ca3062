"""How far annotators agree who labelled the same texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.errors import FairnbError
from fairnb.statistics._estimate import Estimate, undefined
from fairnb.statistics._paired import cluster_mean

if TYPE_CHECKING:
    import numpy.typing as npt

_DRAWS = 2000
_AT_ONCE = 200
"""Draws held at a time: a row of each has one number for every text."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of the labels that several annotators gave to the same texts."""

    texts: int
    """With two labels or more: the others say nothing."""
    labels: int
    """Given to those texts."""
    annotators: int
    """Most labels of one text."""
    share: Estimate
    """Mean over texts of the share of pairs of labels that agree."""
    alpha: Estimate
    """Krippendorff's alpha for nominal labels: 1 agreement, 0 what chance would give."""


def agreement(
    labels: Sequence[Sequence[Hashable | None]],
    clusters: Sequence[object] | None = None,
    level: float = 0.95,
    *,
    seed: int = 0,
) -> Agreement:
    """Measure agreement beyond pairs of equal labels by chance.

    Parameters
    ----------
    labels : sequence of sequences, shape (annotators, n)
        None where an annotator gave no label.
    clusters : sequence, length n, optional
        Texts of one cluster are drawn together; by default each text alone.
    level : float
    seed : int
        Of the bootstrap behind the interval of alpha.

    Returns
    -------
    Agreement

    Raises
    ------
    FairnbError
        ``bad-counts`` if annotators have different numbers of texts.

    Notes
    -----
    Krippendorff (2019), Content Analysis, 4th edition, chapter 12. On complete labels 1 - alpha is
    (1 - Fleiss' kappa) (N - 1) / N for N labels in all. The interval of the share is Student's over clusters, that
    of alpha the percentiles of a bootstrap of clusters.
    """
    counts = _counts(labels)
    given = counts.sum(axis=1)
    kept = given >= 2
    named = np.arange(len(kept)) if clusters is None else np.asarray(list(clusters), dtype=object)
    counts, given, of = counts[kept], given[kept], named[kept].tolist()
    if not len(given):
        note = "no text has two labels"
        return Agreement(
            0, 0, 0, undefined(level, "cluster-t", note), undefined(level, "cluster-bootstrap", note)
        )
    pairs = given * (given - 1)
    agreeing = (counts * (counts - 1)).sum(axis=1)
    share = cluster_mean(agreeing / pairs, of, level, bounds=(0.0, 1.0)).estimate
    # Of each text: disagreeing pairs over its labels less one, and its labels by kind.
    sums = np.column_stack([(pairs - agreeing) / (given - 1), counts])
    return Agreement(
        len(given), int(given.sum()), int(given.max()), share, _alpha_estimate(sums, of, level, seed)
    )


def _counts(labels: Sequence[Sequence[Hashable | None]]) -> npt.NDArray[np.float64]:
    """How often each text was given each label; shape (n, kinds)."""
    lengths = {len(own) for own in labels}
    if len(lengths) > 1:
        raise FairnbError(
            "bad-counts", "annotators have different numbers of texts", "give None where there is no label"
        )
    kinds = {kind: at for at, kind in enumerate(dict.fromkeys(one for own in labels for one in own))}
    kinds.pop(None, None)
    place = {kind: at for at, kind in enumerate(kinds)}
    counts = np.zeros((lengths.pop() if lengths else 0, len(place)))
    for own in labels:
        for row, label in enumerate(own):
            if label is not None:
                counts[row, place[label]] += 1
    return counts


def _alpha(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Alpha of each row of sums; NaN where all labels are of one kind."""
    disagreeing, kinds = sums[:, 0], sums[:, 1:]
    n = kinds.sum(axis=1)
    by_chance = n**2 - (kinds**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(by_chance > 0, 1 - (n - 1) * disagreeing / by_chance, np.nan))


def _alpha_estimate(sums: npt.NDArray[np.float64], clusters: list[Any], level: float, seed: int) -> Estimate:
    method = "cluster-bootstrap"
    value = float(_alpha(sums.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return undefined(level, method, "all labels are the same: chance would agree as well")
    order = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    own = np.zeros((len(order), sums.shape[1]))
    np.add.at(own, [order[name] for name in clusters], sums)
    if len(order) < 2:
        return Estimate(value, None, None, level, method, "one cluster has no interval")
    random = np.random.default_rng(seed)
    even = np.full(len(order), 1 / len(order))
    drawn = np.concatenate(
        [_alpha(random.multinomial(len(order), even, _AT_ONCE) @ own) for _ in range(_DRAWS // _AT_ONCE)]
    )
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high), level, method)
