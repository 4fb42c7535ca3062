"""Minimum support: below it a value is shown without a statement, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairnb.sections._measure import Measure, Status

if TYPE_CHECKING:
    from fairnb.statistics import Estimate

NEVER_BELOW = 5
"""Under this support no value is printed, whatever the measure."""


def supported(
    estimate: Estimate, *, support: int, minimum: int = NEVER_BELOW, tested: int = 0, **columns: Any
) -> Measure:
    """Make a measure of an estimate, with the status its support allows.

    Parameters
    ----------
    estimate : Estimate
        Value and interval; a value of None is undefined, its note says why.
    support : int
        The rows that decide: the denominator, the smaller class, the mentions.
    minimum : int
        Below it the status is `too_few`, and below `NEVER_BELOW` the value is withheld too.
    tested : int
        Between `minimum` and this the status is `indicative`: shown, no verdict.
    **columns
        Further columns of `Measure`.

    Returns
    -------
    Measure
    """
    shown: dict[str, Any] = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "level": estimate.level if estimate.low is not None else None,
        "interval": estimate.method if estimate.low is not None else "",
        "status": Status.OK,
        "note": estimate.note,
    }
    if estimate.value is None:
        shown |= {"low": None, "high": None, "level": None, "interval": "", "status": Status.UNDEFINED}
    elif support < minimum:
        rows = "1 row" if support == 1 else f"{support} rows"
        shown |= {"status": Status.TOO_FEW, "note": f"{rows}: too few to say (minimum {minimum})"}
        if support < NEVER_BELOW:
            shown |= {"value": None, "low": None, "high": None, "level": None, "interval": ""}
    elif support < tested:
        shown |= {"status": Status.INDICATIVE, "note": f"{support} rows: indicative (tested from {tested})"}
    return Measure(**{**shown, **columns})
