"""One estimated number with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from fairnb.errors import FairnbError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval; never NaN, never infinite."""

    value: float | None
    """None where undefined; `note` then says why."""
    low: float | None
    """Lower limit; None where there is no interval."""
    high: float | None
    """Upper limit; None where there is no interval."""
    level: float
    """Confidence level, such as 0.95."""
    method: str
    """Method of the interval, such as `wilson`."""
    note: str = ""
    """Why value or interval is missing; empty otherwise."""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


def undefined(level: float, method: str, note: str) -> Estimate:
    """Estimate without a value, and the reason."""
    return Estimate(None, None, None, level, method, note)


def normal_quantile(level: float) -> float:
    """Two-sided normal quantile z: 1.96 for a level of 0.95.

    Raises
    ------
    FairnbError
        ``bad-confidence-level`` if `level` is not between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise FairnbError(
            "bad-confidence-level", f"confidence level {level}", "give a share between 0 and 1, such as 0.95"
        )
    return _quantile(level)


@lru_cache(maxsize=512)
def _quantile(level: float) -> float:
    return NormalDist().inv_cdf((1.0 + level) / 2.0)
