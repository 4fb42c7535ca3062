"""Who assesses, for whom, how independently, and by which criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Altai, Section, SectionParams, View
from fairnb.sections._format import number
from fairnb.sections._registry import section, section_ids
from fairnb.sections._result import Result
from fairnb.sections._shown import Table, one_table

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVELS = {
    "first-party": (
        "assessed by a team inside the organisation that owns the system, without a role in its development or an "
        "interest in the result"
    ),
    "second-party": "assessed by a party outside the organisation, under contract and on behalf of a customer",
    "third-party": (
        "assessed by a party independent of the organisation and its customers, for conformity to ethical criteria "
        "and standards"
    ),
}
"""What each level means, after the paper's appendix A."""
_NOT_STATED = "not stated"


class EngagementSection(Section):
    """Who assesses what for whom, and which criteria were agreed. Source: paper, appendix A."""

    id = "engagement"
    title = "Engagement"
    version = 2
    requirement = Altai.ACCOUNTABILITY
    per_target = False
    source = "Paper, appendix A (levels of independence)."
    method = (
        "What follows is stated by the assessor in the case file; nothing here was computed. The level tells "
        "how far the assessor stands from the organisation that owns the system and from its customers."
    )

    class Params(SectionParams):
        """No parameters."""

    def run(self, view: View, params: Params) -> Result:
        """Collect the engagement's declared facts."""
        criteria = view.criteria
        facts: dict[str, Any] = {
            "engagement": view.facts["engagement"],
            "criteria": criteria.model_dump(mode="json"),
            "confidence": view.confidence,
            "draft": list(view.facts["draft"]),
            "shares": view.facts["shares"],
        }
        limits = []
        if view.facts["engagement"].get("level") == "first-party":
            limits.append(
                "First-party assessment: the assessor belongs to the organisation that owns the system."
            )
        if not criteria.set_by:
            limits.append("The case file does not say who set the criteria.")
        return Result(facts=facts, limits=tuple(limits))

    def tables(self, result: Result) -> Sequence[Table]:
        """The declared facts, and the criteria."""
        said = result.facts["engagement"]
        criteria = result.facts["criteria"]
        level = said.get("level", "")
        rows = [
            ("Title", said.get("title", "")),
            ("Level", f"{level}: {LEVELS[level]}" if level in LEVELS else level),
            ("Assessor", _party(said.get("assessor", {}))),
            ("Addressee", said.get("addressee", "")),
            ("Developer of the system", _party(said.get("developer", {}))),
            ("Independence", said.get("independence", "")),
            ("Restriction of use", said.get("restriction", "")),
        ]
        agreed = [
            ("Set by", criteria["set_by"]),
            ("Set on", criteria["set_on"]),
            ("Margin: a difference below it does not matter", number(criteria["margin"], 2)),
            ("Error allowed over the whole assessment (alpha)", number(criteria["alpha"], 2)),
            ("Smallest support at which a difference of rates is tested", str(criteria["min_support"])),
            ("Confidence of intervals", f"{100 * result.facts['confidence']:g} %"),
            *(
                (f"Part of alpha: {section(identity).title}, per target", number(part, 4))
                for identity, part in result.facts.get("shares", {}).items()
                if identity in section_ids()
            ),
        ]
        return (
            one_table("Engagement", ("Item", "As stated"), [(a, b or _NOT_STATED) for a, b in rows]),
            one_table("Criteria", ("Item", "Agreed"), [(a, b or _NOT_STATED) for a, b in agreed]),
        )


def _party(said: dict[str, str]) -> str:
    return ", ".join(part for part in (said.get("name", ""), said.get("organisation", "")) if part)
