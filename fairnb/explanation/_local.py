"""LIME's surrogate: a weighted ridge on which words were kept, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.intp]
    Masks = npt.NDArray[np.bool_]

KERNEL_WIDTH = 25.0
_PENALTY = 1.0
_SELECTION_PENALTY = 0.01
_STEPWISE_UP_TO = 6
"""Up to so many features are chosen one by one, more by their weights: lime's `auto`."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """The linear model that stands for the system near one text."""

    chosen: Indices
    """Features it uses, largest weight first."""
    weights: Floats
    """Their coefficients: how much of P(positive) keeping the feature adds."""
    intercept: float
    r2: float | None
    """Weighted share of the variance it explains; None if nothing varies."""

    @property
    def predicted(self) -> float:
        """What it gives for the whole text."""
        return self.intercept + float(self.weights.sum())


def closeness(masks: Masks) -> Floats:
    """LIME's weight of a masked text: exponential kernel on 100 times the cosine distance.

    Parameters
    ----------
    masks : array of bool, shape (m, d)

    Returns
    -------
    array of float, shape (m,)
    """
    width = masks.shape[1]
    # The cosine of a vector of k ones with one of d ones is sqrt(k / d).
    distance = 100.0 * (1.0 - np.sqrt(masks.sum(axis=1) / width))
    weights: Floats = np.sqrt(np.exp(-(distance**2) / KERNEL_WIDTH**2))
    return weights


def fit_surrogate(
    masks: Masks,
    values: npt.NDArray[Any],
    multiplicity: npt.NDArray[Any] | None = None,
    *,
    features: int = 10,
) -> Surrogate:
    """Fit LIME's linear model.

    Parameters
    ----------
    masks : array of bool, shape (m, d)
        Which features each masked text keeps.
    values : array of float, shape (m,)
        P(positive) of each.
    multiplicity : array, shape (m,), optional
        How often each was drawn; default once.
    features : int
        Largest number of features; chosen as lime's ``auto`` does.

    Returns
    -------
    Surrogate

    Notes
    -----
    Ribeiro et al. (2016); lime 0.2.0.1, ``lime_base.LimeBase.explain_instance_with_data``: ridge with
    penalty 1 on the chosen features.
    """
    weights = closeness(masks)
    if multiplicity is not None:
        weights = weights * multiplicity
    moments = _moments(masks.astype(np.float64), np.asarray(values, np.float64), weights)
    chosen = _choose(moments, features, 1.0)
    coefficients = _solve(moments, chosen, _PENALTY)
    order = np.argsort(-np.abs(coefficients), kind="stable")
    chosen, coefficients = chosen[order], coefficients[order]
    intercept = moments.mean - float(moments.means[chosen] @ coefficients)
    if moments.total <= _NOTHING * max(1.0, moments.mean**2) * float(weights.sum()):
        return Surrogate(chosen, coefficients, intercept, None)
    gram = moments.gram[np.ix_(chosen, chosen)]
    left = (
        moments.total - 2 * coefficients @ moments.cross[chosen] + coefficients @ gram @ coefficients
    ) / moments.total
    return Surrogate(chosen, coefficients, intercept, float(1 - left))


def fit_part(
    masks: Masks,
    values: npt.NDArray[Any],
    multiplicity: npt.NDArray[Any],
    chosen: Indices,
    *,
    features: int,
    share: float,
) -> tuple[Floats, Indices]:
    """What a part of the sample gives: weights of given features, and its own features, largest first.

    The penalties shrink with its share of the sample, so that it is pulled towards zero as the whole is.
    """
    moments = _moments(
        masks.astype(np.float64), np.asarray(values, np.float64), closeness(masks) * multiplicity
    )
    own = _choose(moments, features, share)
    order = np.argsort(-np.abs(_solve(moments, own, _PENALTY * share)), kind="stable")
    return _solve(moments, chosen, _PENALTY * share), own[order]


_NOTHING = 1e-20
"""Variance below this share is rounding."""


@dataclass(frozen=True, eq=False)
class _Moments:
    gram: Floats
    cross: Floats
    means: Floats
    mean: float
    total: float


def _moments(features: Floats, values: Floats, weights: Floats) -> _Moments:
    """Weighted, centred second moments: all that ridges on any choice of features need."""
    means = np.average(features, axis=0, weights=weights)
    mean = float(np.average(values, weights=weights))
    centred, left = features - means, values - mean
    weighed = centred * weights[:, None]
    return _Moments(weighed.T @ centred, weighed.T @ left, means, mean, float((weights * left) @ left))


def _solve(moments: _Moments, chosen: Indices, penalty: float) -> Floats:
    gram = moments.gram[np.ix_(chosen, chosen)] + penalty * np.eye(len(chosen))
    return np.asarray(np.linalg.solve(gram, moments.cross[chosen]), np.float64)


def _choose(moments: _Moments, features: int, share: float) -> Indices:
    width = len(moments.cross)
    if features <= _STEPWISE_UP_TO:
        return _stepwise(moments, min(features, width))
    every = np.arange(width, dtype=np.intp)
    weights = _solve(moments, every, _SELECTION_PENALTY * share)
    return np.argsort(-np.abs(weights), kind="stable")[:features].astype(np.intp)


def _stepwise(moments: _Moments, features: int) -> Indices:
    """One feature after another: each time the one that explains most together with those before."""
    used: list[int] = []
    for _ in range(features):
        best, most = -1, -np.inf
        for feature in range(len(moments.cross)):
            if feature in used:
                continue
            tried = [*used, feature]
            gram, cross = moments.gram[np.ix_(tried, tried)], moments.cross[tried]
            explained = float(cross @ (np.linalg.pinv(gram, hermitian=True) @ cross))
            if explained > most:
                best, most = feature, explained
        used.append(best)
    return np.asarray(used, np.intp)
