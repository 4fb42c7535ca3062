"""The parts of an assessment: the contract they keep, and one module per section."""

from fairnb.sections._contract import (
    Altai,
    Criteria,
    Need,
    Plan,
    Role,
    Section,
    SectionParams,
    SystemFacts,
    Target,
    View,
)
from fairnb.sections._measure import Measure, MeasureKey, Status
from fairnb.sections._mitigation import options_for
from fairnb.sections._questionnaire import REFERENCE_KEYS, Answers, questions, reference_of
from fairnb.sections._questionnaire_judged import unanswered
from fairnb.sections._register import Register, finding_ids, findings_by_id
from fairnb.sections._registry import section, section_ids
from fairnb.sections._result import Candidate, Example, Finding, Result, Series, Severity, Verdict
from fairnb.sections._shown import Column, Plot, Row, Table

__all__ = [
    "REFERENCE_KEYS",
    "Altai",
    "Answers",
    "Candidate",
    "Column",
    "Criteria",
    "Example",
    "Finding",
    "Measure",
    "MeasureKey",
    "Need",
    "Plan",
    "Plot",
    "Register",
    "Result",
    "Role",
    "Row",
    "Section",
    "SectionParams",
    "Series",
    "Severity",
    "Status",
    "SystemFacts",
    "Table",
    "Target",
    "Verdict",
    "View",
    "finding_ids",
    "findings_by_id",
    "options_for",
    "questions",
    "reference_of",
    "section",
    "section_ids",
    "unanswered",
]
