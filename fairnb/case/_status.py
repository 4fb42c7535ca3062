"""What a case still lacks before there is a document of it, and before that is more than a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.case._faithful import faithful
from fairnb.case._file import NOTEBOOK

if TYPE_CHECKING:
    from fairnb.case._case import Case


def draft_reasons(case: Case) -> list[str]:
    """Keys of the case file whose empty text makes the document a draft, in the order of the file."""
    engagement = case.file.engagement
    texts = {
        "engagement.title": engagement.title,
        "engagement.level": engagement.level,
        "engagement.addressee": engagement.addressee,
        "engagement.assessor.name": engagement.assessor.name,
        "engagement.independence": engagement.independence,
        "criteria.set_by": case.file.criteria.set_by,
        "sections.conclusion.text": str(case.file.sections.get("conclusion", {}).get("text", "")),
    }
    return [f"{key} is empty" for key, text in texts.items() if not text.strip()]


def export_asks(case: Case) -> list[str]:
    """What an export would still ask for, a line each: why it refuses the notebook, then what makes it a draft.

    What is the same of several cells is one line. No text is scored.
    """
    places: dict[str, dict[str, None]] = {}
    for problem in faithful(case.folder / NOTEBOOK, case):
        places.setdefault(f"{problem.found}; {problem.remedy}", {})[problem.where] = None
    refused = []
    for said, (first, *more) in places.items():
        where = f"{first}, and {len(more)} more" if more else first
        refused.append(f"{where}: {said}")
    return [*refused, *(f"draft: {reason}" for reason in case.draft)]
