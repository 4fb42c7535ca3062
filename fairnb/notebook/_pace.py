"""Whether a change of a control is run at once, or waits for Run: told from what changes took before."""

from __future__ import annotations

from dataclasses import dataclass

QUICK = 5.0
"""Seconds that a run may take to keep pace with a control."""
_PATIENCE = 2
"""Slow runs in a row after which a change waits for Run: one alone may have been the machine's."""


@dataclass(frozen=True)
class Pace:
    """How long the runs of one section took.

    A cell's first run, and often the first change, pay for what later ones find done: libraries that are
    loaded, rows that are counted. So one slow run tells nothing of the next change, two in a row do, and one
    quick run takes it back. Only where a change has new texts scored does the first slow run tell already.
    """

    last: float = 0.0
    """Seconds of the last run."""
    began: bool = False
    """Whether there was a run."""
    slow: int = 0
    """Slow runs in a row up to the last, but for the first."""

    def after(self, seconds: float, *, scored: bool = False) -> Pace:
        """The pace after one more run.

        Parameters
        ----------
        seconds : float
            What it took.
        scored : bool
            Whether it had texts scored that the section makes itself, as the next change will.

        Returns
        -------
        Pace
        """
        if seconds <= QUICK:
            slow = 0
        elif scored:
            slow = _PATIENCE
        else:
            slow = self.slow + 1 if self.began else 0
        return Pace(last=seconds, began=True, slow=slow)

    @property
    def waits(self) -> bool:
        """Whether a change waits for Run."""
        return self.slow >= _PATIENCE
