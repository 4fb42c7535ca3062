"""What a case still lacks before its document is more than a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
