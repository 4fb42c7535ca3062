"""How the error that the whole assessment allows is divided among its sections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairnb.case._read import resolve
from fairnb.sections import Section, section

if TYPE_CHECKING:
    from fairnb.case._case import Case


def alphas(case: Case, including: Sequence[str] = ()) -> dict[str, float]:
    """Part of alpha of each section, for each one of its targets.

    The parts of all sections and targets add up to no more than the case's alpha. The case file names parts
    (`[findings] shares`); the sections that it does not name divide the rest in proportion to the
    confirmatory candidates that they declare, which follow from lexicon and parameters, never from scores.

    Parameters
    ----------
    case : Case
    including : sequence of str
        Ids of sections beside those of the notebook.
    """
    named = case.file.criteria.shares
    planned = dict.fromkeys((*case.sections, *including))
    candidates = {identity: _candidates(case, identity) for identity in planned}
    others = sum(count for identity, count in candidates.items() if identity not in named)
    rest = max(0.0, 1 - math.fsum(named.values()))
    alpha = case.file.criteria.alpha
    parts = {}
    for identity, count in candidates.items():
        if count:
            share = named[identity] if identity in named else rest * count / others
            parts[identity] = alpha * share / len(case.target_names(identity))
    return parts


def alpha_of(case: Case, identity: str) -> float:
    """Part of alpha of one section for one of its targets; 0 if it puts nothing to the test."""
    return alphas(case, (identity,)).get(identity, 0.0)


def _candidates(case: Case, identity: str) -> int:
    """Confirmatory candidates of a section, over all targets; none where it is not applicable."""
    chosen = section(identity)
    if type(chosen).confirmatory is Section.confirmatory:
        return 0
    if not all(case.sources.has(need) for need in chosen.needs):
        return 0
    params = resolve(identity, case.file.sections.get(identity, {}), f"[sections.{identity}] ")
    return chosen.confirmatory(case.sources.lexicon(), params) * len(case.target_names(identity))
