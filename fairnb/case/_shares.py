"""How the error that the whole assessment allows is divided among its sections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairnb.case._read import resolve
from fairnb.files import inside
from fairnb.sections import Criteria, Need, Role, Section, section

if TYPE_CHECKING:
    from pathlib import Path

    from fairnb.case._case import Case
    from fairnb.lexicon import Lexicon


def alphas(case: Case, including: Sequence[str] = ()) -> dict[str, float]:
    """Part of alpha of each section, for each one of its targets.

    The parts of all sections and targets add up to no more than the case's alpha. The case file names parts
    (`[findings] shares`); the sections that it does not name divide the rest in proportion to the
    confirmatory candidates that they declare, which follow from what the case declares, never from scores.

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
    return chosen.confirmatory(_Plan(case), params) * len(case.target_names(identity))


class _Plan:
    """What a case declares before any text is scored; see `fairnb.sections.Plan`."""

    def __init__(self, case: Case) -> None:
        self._case = case

    @property
    def lexicon(self) -> Lexicon:
        return self._case.sources.lexicon()

    @property
    def criteria(self) -> Criteria:
        return self._case.file.criteria

    def has(self, need: Need) -> bool:
        return self._case.sources.has(need)

    def templated(self, role: Role) -> bool:
        from fairnb.corpus import has_templates

        spec = self._case.file.corpus.get(role)
        # A synthetic corpus's clusters are its templates where nothing else says.
        return spec is not None and (has_templates(spec) or (role == "synthetic" and bool(spec.cluster)))

    def file(self, path: str) -> Path:
        return inside(self._case.folder, path)
