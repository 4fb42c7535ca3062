"""What an assessment is made of: the tables of `assessment.toml`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from fairnb.corpus import CorpusSpec
from fairnb.embedding import EmbeddingSpec
from fairnb.lexicon import LexiconSpec
from fairnb.sections import Criteria, Role, Target
from fairnb.system import SystemSpec

CASE_FILE = "assessment.toml"
NOTEBOOK = "assessment.ipynb"
REVIEW = "review.json"
"""Answers of a person who read a sample of mentions."""
QUESTIONNAIRE = "questionnaire.toml"
"""The assessor's answers on the seven requirements."""
FINDINGS = "findings.toml"
"""What people say of findings, and findings that they add."""
BESIDE = (QUESTIONNAIRE, FINDINGS)
"""Files that belong to the case where they stand beside its case file."""
ROLES: tuple[Role, ...] = ("train", "test", "synthetic")


_LONGEST_WORD = 200


def _with_breaks(text: str) -> str:
    longest = max(map(len, text.split()), default=0)
    if longest > _LONGEST_WORD:
        raise ValueError(
            f"a word of {longest:,} characters fits no line: break it up, {_LONGEST_WORD} are possible"
        )
    return text


Line = Annotated[str, Field(max_length=300), AfterValidator(_with_breaks)]
"""What stands in one line of the cover or of a page's head: longer, and no page can be laid out."""
Paragraph = Annotated[str, Field(max_length=3000), AfterValidator(_with_breaks)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Party(_Table):
    """A person or an organisation."""

    name: Line = ""
    organisation: Line = ""


class Engagement(_Table):
    """Who assesses, for whom, and from which distance. Source: paper, appendix A.

    Title, level, independence and assessor must be there; their text may be empty, which makes the
    document a draft.
    """

    title: Line
    level: Literal["first-party", "second-party", "third-party", ""]
    independence: Paragraph
    """How the assessor is independent of those who build, run or buy the system."""
    assessor: Party
    addressee: Line = ""
    """For whom the document is written."""
    developer: Party = Party()
    """Who built the system."""
    restriction: Paragraph = ""
    """To whom the document may be shown, and for what it may be used."""


class RunSpec(_Table):
    """What holds for every section."""

    seed: int = Field(0, ge=0, lt=2**32)
    confidence: float = Field(0.95, ge=0.5, lt=1.0)
    """Level of every interval."""


class Privacy(_Table):
    """How texts are shown."""

    redact: Literal["mask", "withhold", "none"] = "mask"


class CaseFile(_Table):
    """Everything that `assessment.toml` says, checked; what it leaves out has its default."""

    engagement: Engagement
    system: SystemSpec
    targets: tuple[Target, ...]
    corpus: dict[Role, CorpusSpec]
    embeddings: EmbeddingSpec | None = None
    lexicon: LexiconSpec = LexiconSpec()
    criteria: Criteria = Criteria()
    run: RunSpec = RunSpec()
    privacy: Privacy = Privacy()
    sections: dict[str, dict[str, Any]] = {}
    """Section id -> the parameters that the file gives, as it gives them."""


def flattened(value: Any, prefix: str = "") -> dict[str, Any]:
    """Settings by dotted key, such as ``criteria.margin``; empty tables are left out."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, item in value.items():
            found.update(flattened(item, f"{prefix}.{key}" if prefix else str(key)))
        return found
    return {prefix: value}
