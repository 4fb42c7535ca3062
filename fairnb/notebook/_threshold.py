"""What a threshold does to all texts, told from their counts alone."""

from __future__ import annotations

from fairnb.statistics import Tally


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
