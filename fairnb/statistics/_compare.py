"""Two groups of one tally compared: their shared rows are found in the tally."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from fairnb.errors import FairnbError
from fairnb.statistics._arrays import dot
from fairnb.statistics._confusion import Confusion
from fairnb.statistics._differences import mover_difference, overlap_correlation, welch_difference
from fairnb.statistics._estimate import Estimate
from fairnb.statistics._intervals import wilson
from fairnb.statistics._means import Mean, mean_of
from fairnb.statistics._memo import of_entries
from fairnb.statistics._names import COMPLEMENT

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

Rate = Literal["tpr", "fpr", "fnr", "accuracy", "precision", "flagged", "base_rate", "error_mix"]


class Share(NamedTuple):
    """Successes among the rows of a denominator."""

    successes: int
    n: int


_RATES: dict[str, Callable[[Confusion], Share]] = {
    "tpr": lambda c: Share(c.tp, c.positive),
    "fpr": lambda c: Share(c.fp, c.negative),
    "fnr": lambda c: Share(c.fn, c.positive),
    "accuracy": lambda c: Share(c.correct, c.n),
    "precision": lambda c: Share(c.tp, c.flagged),
    "flagged": lambda c: Share(c.flagged, c.n),
    "base_rate": lambda c: Share(c.positive, c.n),
    "error_mix": lambda c: Share(c.fn, c.errors),
}


def share_of(confusion: Confusion, rate: Rate) -> Share:
    """Numerator and denominator of a rate.

    Parameters
    ----------
    confusion : Confusion
    rate : {"tpr", "fpr", "fnr", "accuracy", "precision", "flagged", "base_rate", "error_mix"}
        Source: Fawcett, Pattern Recognition Letters 27 (2006), 861-874; "flagged" is the share of all rows
        called positive (statistical parity), "base_rate" the share whose label is positive, "error_mix" the
        share of errors that are misses.
    """
    return _RATES[rate](confusion)


def rate_difference(
    tally: Tally, rate: Rate, threshold: float, first: str, second: str, level: float = 0.95
) -> Estimate:
    """Difference of a rate between two groups, first minus second.

    MOVER from Wilson's intervals with the correlation of the rows that belong to both groups. Against
    everyone (``""``), in which the group is nested: the group against its complement, times the complement's
    share of the denominator.

    Parameters
    ----------
    tally : Tally
        Counted with the pair, unless one group is the complement of the other, or everyone.
    rate : {"tpr", "fpr", "fnr", "accuracy", "precision", "flagged", "base_rate", "error_mix"}
    threshold : float
    first, second : str
        Stored groups or complements ``"~GROUP"``.
    level : float

    Raises
    ------
    FairnbError
        ``unknown-group``; ``pair-not-counted`` if the rows of both groups are not known.
    """
    one = share_of(tally.confusion(threshold, first), rate)
    if second == "" and first != "":
        rest = share_of(tally.confusion(threshold, _complement(first)), rate)
        total = one.n + rest.n
        if one.n and not rest.n:
            return Estimate(0.0, 0.0, 0.0, level, "mover-wilson", "the group is everyone")
        scale = rest.n / total if total else 1.0
        return mover_difference(wilson(*one, level), wilson(*rest, level), scale=scale)
    other = share_of(tally.confusion(threshold, second), rate)
    shared = shared_rows(tally, first, second)
    both = Share(0, 0) if shared is None else share_of(tally.confusion(threshold, shared), rate)
    correlation = overlap_correlation(*one, *other, *both)
    return mover_difference(wilson(*one, level), wilson(*other, level), correlation)


@of_entries
def mean_score_difference(tally: Tally, first: str, second: str, label: int, level: float = 0.95) -> Estimate:
    """Difference of mean scores among rows of one label, first minus second, by Welch.

    Shared rows enter as the covariance of the two means. Groups and errors as in `rate_difference`; everyone
    is not compared against.
    """
    one, other = (_mean(tally, group, label) for group in (first, second))
    shared = shared_rows(tally, first, second)
    covariance = 0.0
    if shared is not None and one.value is not None and other.value is not None:
        scores, counts = tally.scores(shared, label)
        products = (scores - one.value) * (scores - other.value)
        covariance = dot(products, counts) / (one.n * other.n)
    return welch_difference(one, other, covariance, level)


def shared_rows(tally: Tally, first: str, second: str) -> str | None:
    """Name of the rows that belong to two groups; None where there are none.

    Raises
    ------
    FairnbError
        ``pair-not-counted`` if the tally cannot tell.
    """
    if first == second:
        return first
    if _complement(first) == second:
        return None
    overlap = tally.overlap(first, second)
    if overlap is None:
        for group, rest in ((first, second), (second, first)):
            # A group whose rows all lie in another has none outside it.
            inside = (
                tally.overlap(group, rest.removeprefix(COMPLEMENT)) if rest.startswith(COMPLEMENT) else None
            )
            if inside is not None and _same_rows(tally, inside, group):
                return None
        if min(tally.n(first), tally.n(second)) == 0:
            return None
        raise FairnbError(
            "pair-not-counted",
            f"the tally does not know which rows belong to both {first!r} and {second!r}",
            "count it with this pair",
        )
    return overlap


def _same_rows(tally: Tally, inside: str, group: str) -> bool:
    return all(tally.support(inside, label) == tally.support(group, label) for label in (0, 1))


def _complement(group: str) -> str:
    return group.removeprefix(COMPLEMENT) if group.startswith(COMPLEMENT) else COMPLEMENT + group


@of_entries
def _mean(tally: Tally, group: str, label: int) -> Mean:
    return mean_of(*tally.scores(group, label))
