"""What the assessor concludes, and what was and was not assessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from fairnb.sections._conclusion_gathered import assessed, coverage, limits, mitigation
from fairnb.sections._conclusion_shown import shown_tables
from fairnb.sections._contract import Altai, Section, SectionParams, View
from fairnb.sections._questionnaire import Line
from fairnb.sections._registry import section_ids
from fairnb.sections._result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairnb.sections._shown import Table


class Conclusion(Section):
    """The assessor's own conclusion, and what was and was not assessed. Source: paper, section 8."""

    id = "conclusion"
    title = "Conclusion"
    version = 3
    requirement = Altai.ACCOUNTABILITY
    per_target = False
    source = "Paper, section 8; requirements after the Assessment List for Trustworthy AI (2020)."
    method = (
        "The conclusion is the assessor's own text and is never generated. The tables are: what was run and why the "
        "rest was not, which of the seven requirements anything in the assessment speaks to, and which options there "
        "are for findings of the kinds that were made. A requirement to which nothing speaks was not assessed. The "
        "register of findings holds what people say of each; that never changes what was computed."
    )

    class Params(SectionParams):
        """The assessor's words."""

        text: str = Field("", json_schema_extra={"format": "paragraph"})
        """The conclusion, written by the assessor. Empty: the document is a draft."""
        reviewer: Line = Field("", description="Who reviews the assessment, for the sign-off")
        left_out: dict[str, Line] = Field({}, description="Section id and why it was left out")

        @field_validator("left_out")
        @classmethod
        def _known(cls, left_out: Mapping[str, str]) -> Mapping[str, str]:
            for name in left_out:
                if name not in section_ids():
                    raise ValueError(f"there is no section {name!r} to leave out")
            return left_out

    def run(self, view: View, params: Params) -> Result:
        """Collect what the other sections of the case came to, and what people say of the findings."""
        planned = [identity for identity in view.facts["sections"] if identity != self.id]
        results = view.results(planned)
        sections = assessed(planned, results, params.left_out)
        return Result(
            facts={
                "text": params.text,
                "reviewer": params.reviewer,
                "sections": sections,
                "coverage": coverage(sections, results),
                "limits": limits(results),
                "mitigation": mitigation(results),
                "register": view.register().model_dump(mode="json", exclude_defaults=True),
            },
            findings=tuple(finding for result in results.values() for finding in result.findings),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """The assessor's conclusion, or that there is none yet."""
        text = result.facts["text"].strip()
        return (
            [part.strip() for part in text.split("\n\n")] if text else ["No conclusion has been written yet."]
        )

    def tables(self, result: Result) -> Sequence[Table]:
        """What was and was not assessed, the seven requirements, and what can be done about the findings."""
        return tuple(shown_tables(result))
