"""Which group a swap favours (paper, section 6.3), and counterfactual bias (equation 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairnb.errors import FairnbError

Favoured = Literal["new", "original", "no_change"]
DIGITS = 4
"""Decimals to which the paper rounds probabilities before it compares them."""


def favour(p_before: float, p_after: float, label: int) -> Favoured:
    """Which identity the system is more confident to be right about, the new one or the original.

    For a negative text a lower probability after the swap favours the new identity, for a positive one a
    higher. Both are rounded to four decimals first, correctly (as Python's `round`, not numpy's).

    Parameters
    ----------
    p_before, p_after : float
        P(positive) before and after the swap.
    label : {0, 1}

    Returns
    -------
    {"new", "original", "no_change"}

    Raises
    ------
    FairnbError
        ``bad-label`` for another label.
    """
    if label not in (0, 1):
        raise FairnbError("bad-label", f"the label {label!r} is neither 0 nor 1", "leave the text out")
    before, after = round(float(p_before), DIGITS), round(float(p_after), DIGITS)
    if before == after:
        return "no_change"
    return "new" if (after > before) == bool(label) else "original"


@dataclass(frozen=True, slots=True)
class CounterfactualBias:
    """Equation (1) and its parts; a mean over no example is None."""

    terms: tuple[float, ...]
    """(p of the reference text - mean p of its counterfactuals) * g; g is 1 for positive, -1 for negative."""
    total: float
    """Their sum, which is what the paper prints: it grows with the number of examples."""
    mean: float | None
    mean_positive: float | None
    mean_negative: float | None
    mean_shift: float | None
    """Mean of p of the reference text - mean p of its counterfactuals, without g: it cannot cancel."""


def counterfactual_bias(
    p_reference: Sequence[float], p_counterfactual: Sequence[Sequence[float]], labels: Sequence[int]
) -> CounterfactualBias:
    """Counterfactual bias of a reference subgroup.

    Parameters
    ----------
    p_reference : sequence of float, length n
        P(positive) of each text about the reference subgroup.
    p_counterfactual : sequence of sequences of float, length n
        P(positive) of each text's counterfactuals; the inner mean is over its own.
    labels : sequence of {0, 1}, length n

    Raises
    ------
    FairnbError
        ``bad-counts`` if lengths differ or a text has no counterfactual; ``bad-label``.
    """
    if not len(p_reference) == len(p_counterfactual) == len(labels) or not all(p_counterfactual):
        raise FairnbError(
            "bad-counts",
            "texts, counterfactuals and labels do not match",
            "give each text one label and others",
        )
    if any(label not in (0, 1) for label in labels):
        raise FairnbError("bad-label", "a label is neither 0 nor 1", "leave the text out")
    shifts = [
        reference - sum(others) / len(others)
        for reference, others in zip(p_reference, p_counterfactual, strict=True)
    ]
    terms = [shift if label else -shift for shift, label in zip(shifts, labels, strict=True)]
    return CounterfactualBias(
        tuple(terms),
        sum(terms),
        _mean(terms),
        _mean([term for term, label in zip(terms, labels, strict=True) if label]),
        _mean([term for term, label in zip(terms, labels, strict=True) if not label]),
        _mean(shifts),
    )


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
