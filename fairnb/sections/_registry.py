"""Which sections there are, in the order of the assessment."""

from __future__ import annotations

import difflib
import importlib
from functools import cache
from importlib.metadata import entry_points

from fairnb.errors import FairnbError
from fairnb.sections._contract import Section

# Order of the paper. Each module is loaded when its section is first asked for.
_OWN = {
    "engagement": "fairnb.sections.engagement:EngagementSection",
    "system": "fairnb.sections.system:SystemSection",
    "technical_performance": "fairnb.sections.technical_performance:TechnicalPerformance",
    "data_bias": "fairnb.sections.data_bias:DataBias",
    "mining": "fairnb.sections.mining:Mining",
    "embedding_bias": "fairnb.sections.embedding_bias:EmbeddingBias",
    "group_bias": "fairnb.sections.group_bias:GroupBias",
    "swap": "fairnb.sections.swap:Swap",
    "counterfactual": "fairnb.sections.counterfactual:Counterfactual",
    "auc_bias": "fairnb.sections.auc_bias:AucBias",
    "masked_lm": "fairnb.sections.masked_lm:MaskedLm",
    "local_explanation": "fairnb.sections.local_explanation:LocalExplanation",
    "global_explanation": "fairnb.sections.global_explanation:GlobalExplanation",
    "robustness": "fairnb.sections.robustness:Robustness",
    "privacy": "fairnb.sections.privacy:Privacy",
    "footprint": "fairnb.sections.footprint:Footprint",
    "questionnaire": "fairnb.sections.questionnaire:Questionnaire",
    "conclusion": "fairnb.sections.conclusion:Conclusion",
}
_GROUP = "fairnb.sections"


@cache
def _others() -> dict[str, str]:
    """Sections of other packages, by the entry-point group `fairnb.sections`."""
    return {point.name: point.value for point in entry_points(group=_GROUP) if point.name not in _OWN}


def section_ids() -> tuple[str, ...]:
    """Ids of all installed sections, in the order in which a document prints them.

    Sections of other packages stand before the conclusion.
    """
    own = list(_OWN)
    return (*own[:-1], *sorted(_others()), own[-1])


def section(identity: str) -> Section:
    """The section with an id.

    Raises
    ------
    FairnbError
        ``unknown-section``, with the known ids.
    """
    home = _OWN.get(identity) or _others().get(identity)
    if home is None:
        close = difflib.get_close_matches(identity, section_ids(), 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise FairnbError(
            "unknown-section",
            f"there is no section {identity!r}",
            f"{hint}use one of {', '.join(section_ids())}",
        )
    return _loaded(home)


@cache
def _loaded(home: str) -> Section:
    module, _, name = home.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError) as error:
        raise FairnbError(
            "broken-section",
            f"the section behind {home} cannot be loaded ({error})",
            "install the package it comes from again, or remove it",
        ) from error
    if not isinstance(made, Section):
        raise FairnbError(
            "not-a-section", f"{home} is not a fairnb Section", "derive it from fairnb.sections.Section"
        )
    return made
