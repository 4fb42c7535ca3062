"""The known pairs file, and what its own publishers warn of."""

from __future__ import annotations

from pathlib import Path

from fairnb.masked_lm._pairs import Pairs, read_pairs
from fairnb.registry import known

CROWS_PAIRS = "crows-pairs"
RELIABILITY = (
    "CrowS-Pairs is not reliable enough to say how biased a model is: its publishers themselves point to Blodgett "
    "et al. (2021), who found pairs that are ungrammatical, differ in more than the group, or do not state what "
    "harm is measured. No opinion on a system can rest on it alone."
)


def known_pairs(folder: Path) -> Pairs:
    """Read CrowS-Pairs from the folder that `fairnb.registry.fetched` names."""
    return read_pairs(folder / known(CROWS_PAIRS).files[0].path, CROWS_PAIRS)
