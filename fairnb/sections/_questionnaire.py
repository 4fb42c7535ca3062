"""The questions of the seven requirements, where the law asks alike, and the answers that a file may give."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from fairnb.sections._contract import Altai

Line = Annotated[str, Field(max_length=300)]
Paragraph = Annotated[str, Field(max_length=3000)]
Relevance = Annotated[int, Field(ge=0, le=3)]

REFERENCE_KEYS = ("target", "attribute", "subgroup", "reference", "label", "variant")
"""What a reference may say beside section and measure."""
_REFERENCE = re.compile(r"[a-z][a-z0-9_]*(:[a-z][a-z0-9_]*(:[a-z]+=[^:]*)*)?")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of the packaged catalogue."""

    id: str
    requirement: Altai
    part: str
    """Sub-section of the requirement."""
    text: str
    evidence: tuple[str, ...]
    """Sections whose measures can speak to it."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Provisions that ask for what a requirement asks for."""

    requirement: Altai
    annex_iv: tuple[str, ...]
    articles: tuple[str, ...]
    dsa: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """Evidence inside the assessment: a section, or measures of it."""

    section: str
    measure: str
    """Empty: the section as a whole."""
    keys: Mapping[str, str]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Answer(_Table):
    """What the assessor answers to one question."""

    answer: Literal["covered", "partly", "not covered", "not applicable"]
    text: Paragraph = ""
    evidence: tuple[Line, ...] = ()
    """References such as ``group_bias:false_positive_rate:subgroup=female``, or sources in words."""
    by: Line = ""
    on: date | None = None

    @field_validator("evidence", mode="before")
    @classmethod
    def _one_or_more(cls, evidence: Any) -> Any:
        return [evidence] if isinstance(evidence, str) else evidence


class GroundTruth(_Table):
    """What is known of how the labels came to be."""

    labelled_by: Paragraph = ""
    labels_per_text: Line = ""
    instructions: Paragraph = ""
    agreement: Paragraph = ""
    """How far those who labelled agreed, with the measure used."""
    source: Paragraph = ""
    by: Line = ""
    on: date | None = None

    @field_validator("labels_per_text", mode="before")
    @classmethod
    def _in_words(cls, number: Any) -> Any:
        return str(number) if isinstance(number, int) and not isinstance(number, bool) else number


class Stakeholder(_Table):
    """Whom the system concerns, and how much each requirement matters to them."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    interest: Line = ""
    """What is at stake for them."""
    relevance: dict[Literal["1", "2", "3", "4", "5", "6", "7"], Relevance] = {}
    """Number of the requirement -> 0 (none) to 3 (high)."""


class Answers(_Table):
    """All that `questionnaire.toml` says; without the file nothing is answered."""

    answers: dict[str, Answer] = {}
    ground_truth: GroundTruth = GroundTruth()
    stakeholders: tuple[Stakeholder, ...] = Field((), max_length=30)

    @field_validator("stakeholders")
    @classmethod
    def _each_once(cls, stakeholders: tuple[Stakeholder, ...]) -> tuple[Stakeholder, ...]:
        names = [one.name for one in stakeholders]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the stakeholder {name!r} stands there twice")
        return stakeholders


@cache
def questions() -> tuple[Asked, ...]:
    """Every question, in the order of the requirements."""
    return tuple(
        Asked(row["id"], Altai(row["requirement"]), row["part"], row["text"], tuple(row["evidence"]))
        for row in _data("questionnaire.toml")["question"]
    )


@cache
def crosswalk() -> tuple[Aligned, ...]:
    """Provisions of the Artificial Intelligence Act and the Digital Services Act, by requirement."""
    return tuple(
        Aligned(Altai(row["requirement"]), tuple(row["annex_iv"]), tuple(row["articles"]), tuple(row["dsa"]))
        for row in _data("crosswalk.toml")["requirement"]
    )


@cache
def laws() -> tuple[str, ...]:
    """Names of the laws of the crosswalk."""
    return tuple(_data("crosswalk.toml")["law"].values())


def reference_of(evidence: str) -> Reference | None:
    """What a piece of evidence refers to inside the assessment; None for a source in words.

    >>> reference_of("group_bias:false_positive_rate:subgroup=female").keys
    {'subgroup': 'female'}
    >>> reference_of("Interview with the head of moderation") is None
    True
    """
    if not _REFERENCE.fullmatch(evidence):
        return None
    section, *rest = evidence.split(":")
    keys = dict(part.split("=", 1) for part in rest[1:])
    return Reference(section, rest[0] if rest else "", keys)


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(files("fairnb.sections").joinpath("data", name).read_text(encoding="utf-8"))
