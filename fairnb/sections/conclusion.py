"""What the assessor concludes, and what was and was not assessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from fairnb.sections._contract import Altai, Section, SectionParams, View
from fairnb.sections._format import count
from fairnb.sections._registry import section
from fairnb.sections._result import Finding, Result
from fairnb.sections._shown import Table, one_table

if TYPE_CHECKING:
    from collections.abc import Sequence


class Conclusion(Section):
    """The assessor's own conclusion, and what was and was not assessed. Source: paper, section 8."""

    id = "conclusion"
    title = "Conclusion"
    requirement = Altai.ACCOUNTABILITY
    per_target = False
    source = "Paper, section 8; requirements after the Assessment List for Trustworthy AI (2020)."
    method = (
        "The conclusion is the assessor's own text and is never generated. The tables are: what was run, and "
        "which of the seven requirements any section speaks to. A requirement without a section was not "
        "assessed."
    )

    class Params(SectionParams):
        """The assessor's words."""

        text: str = Field("", json_schema_extra={"format": "paragraph"})
        """The conclusion, written by the assessor. Empty: the document is a draft."""

    def run(self, view: View, params: Params) -> Result:
        """Collect what the other sections of the case came to."""
        planned = [identity for identity in view.facts["sections"] if identity != self.id]
        results = view.results(planned)
        sections = []
        findings: list[Finding] = []
        limits: list[str] = []
        for identity in planned:
            known = section(identity)
            runs = {target: found for (name, target), found in results.items() if name == identity}
            if not runs:
                state = "not run"
            elif all(found.status == "not_applicable" for found in runs.values()):
                state = f"not applicable: {next(iter(runs.values())).reason}"
            else:
                state = "assessed"
            sections.append(
                {
                    "id": identity,
                    "title": known.title,
                    "requirement": int(known.requirement),
                    "state": state,
                    "measures": sum(len(found.measures) for found in runs.values()),
                }
            )
            for found in runs.values():
                findings.extend(found.findings)
                limits.extend(found.limits)
        return Result(
            facts={"text": params.text, "sections": sections, "limits": list(dict.fromkeys(limits))},
            findings=tuple(findings),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The assessor's conclusion, or that there is none yet."""
        text = result.facts["text"].strip()
        return (
            [part.strip() for part in text.split("\n\n")] if text else ["No conclusion has been written yet."]
        )

    def tables(self, result: Result) -> Sequence[Table]:
        """What was run, and the seven requirements."""
        ran = result.facts["sections"]
        rows = [
            (item["title"], item["state"], count(item["measures"]) if item["measures"] else "–")
            for item in ran
        ]
        coverage = []
        for requirement in Altai:
            by = [i["title"] for i in ran if i["requirement"] == requirement and i["state"] == "assessed"]
            coverage.append((f"{int(requirement)}. {requirement.title}", ", ".join(by) or "not assessed"))
        return (
            one_table("Sections of this assessment", ("Section", "State", "Measures"), rows),
            one_table(
                "Requirements of the Assessment List for Trustworthy AI",
                ("Requirement", "Sections that speak to it"),
                coverage,
                note="A section that speaks to a requirement covers a part of it, never the whole.",
            ),
        )
