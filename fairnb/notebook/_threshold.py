"""What a threshold does to all texts, told below its control from their counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import ipywidgets as widgets

if TYPE_CHECKING:
    from fairnb.case import Case, Payload
    from fairnb.notebook._widgets import Control
    from fairnb.statistics import Tally


class ThresholdAnswer:
    """A line below the control of a threshold: what the one at hand does to everyone's texts.

    It needs neither texts nor scores, so it keeps pace at any size of corpus; the section's own measures come
    when it has run.

    Parameters
    ----------
    control : Control
        That of the threshold; the line is put below it.
    """

    def __init__(self, control: Control) -> None:
        self.line = widgets.HTML()
        self.line.add_class("fairnb-helpline")
        control.box.children = (*control.box.children, self.line)
        self._tally: Tally | None = None
        self._counted = ""

    def take(self, case: Case, payloads: Sequence[Payload]) -> None:
        """Keep the counts that the first result rests on."""
        digest = next(iter(payloads[0].result.tallies.values()), "")
        if digest and digest != self._counted:
            self._tally, self._counted = case.store.counted(digest), digest

    def say(self, threshold: float | None) -> None:
        """Say at once what a threshold does; nothing before there are counts, or where there is none."""
        said = "" if threshold is None or self._tally is None else at_threshold(self._tally, threshold)
        self.line.value = f"<span class='fairnb-help' role='status'>{said}</span>" if said else ""


def at_threshold(tally: Tally, threshold: float) -> str:
    """What a threshold does to all texts of a tally, in one sentence."""
    counts = tally.confusion(threshold)
    if not counts.n:
        return ""
    rounded = "" if tally.exact_at(threshold) else " (rounded scores)"
    return (
        f"At {threshold:.2f}{rounded}: {counts.flagged / counts.n:.1%} of {counts.n:,} texts flagged, "
        f"{counts.fn:,} of {counts.positive:,} positive ones missed, "
        f"{counts.fp:,} of {counts.negative:,} negative ones flagged."
    )
