"""The register of findings: what people say of computed findings, and findings that people add."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date as Date  # noqa: N812
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from fairnb.sections._ground_truth import RATES
from fairnb.sections._questionnaire import Line, Paragraph
from fairnb.sections._result import Finding, Severity
from fairnb.sections._variant import parted

if TYPE_CHECKING:
    from fairnb.sections._result import Result

STATUSES = ("open", "accepted", "disputed", "resolved")
Followed = Literal["open", "accepted", "disputed", "resolved"]
OWN = "added"
"""Before the id of a finding that a person added; no section has this id."""
_PLAIN_REFERENCES = ("", "everyone_else", "overall")
"""What a subgroup is compared with where nothing else is said."""
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NO_PART = re.compile(r'[\x00-\x1f\x7f"\\/]')
"""What would end a part of an id, or the quotes around it in a TOML file."""


def _day(said: Any) -> Any:
    # Numbers would be read as seconds since 1970, and a moment of a day as that day.
    day = type(said) is Date or (isinstance(said, str) and _ISO_DAY.fullmatch(said))
    if not day:
        raise ValueError(f"{str(said)[:40]!r} is no day: write it as 2026-03-04")
    return said


Day = Annotated[Date, BeforeValidator(_day)]
Words = Annotated[str, Field(min_length=1, max_length=300)]


class _Followed(BaseModel):
    """What is said of any finding."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    recommendation: Paragraph = ""
    """What the assessor recommends."""
    management_response: Paragraph = ""
    """What those who answer for the system say to it, in their words."""
    owner: Line = ""
    """Who does something about it."""
    date: Day | None = None
    """By when."""
    status: Followed | None = None
    """None: nobody has said."""


class Entry(_Followed):
    """What is said of a finding that was computed. It never changes what was computed."""

    severity: Severity | None = None
    """The assessor's severity, printed beside the computed one; None: the computed one stands alone."""
    reason: Paragraph = ""
    """Why the assessor judges otherwise."""
    by: Line = ""
    """Who wrote the entry."""
    on: Day | None = None


class Added(_Followed):
    """A finding that no measure gave: from an interview, a document, an inspection."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,59}$")]
    title: Words
    requirement: Annotated[int, Field(ge=1, le=7)]
    """Number of the requirement it concerns."""
    criterion: Line = ""
    """What was expected."""
    condition: Annotated[str, Field(min_length=1, max_length=3000)]
    """What was found instead."""
    effect: Paragraph = ""
    """What follows for people."""
    severity: Severity
    source: Words
    """Interview, document or inspection that it rests on."""
    by: Words
    """Who establishes it."""
    on: Day | None = None


class Register(BaseModel):
    """All that `findings.toml` says; without the file nothing is said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    findings: dict[Annotated[str, Field(max_length=1000)], Entry] = Field({}, max_length=1000)
    """Id of a computed finding -> what is said of it."""
    added: tuple[Added, ...] = Field((), max_length=200)


def finding_ids(section: str, target: str, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Stable readable ids of the findings of one result, in their order.

    An id is made of what names the finding's first measure and of nothing that can change from run to
    run: section, target, measure, attribute, subgroup, then what else the key holds. A rate's own label,
    the comparison with everyone else, and empty parts are left out.

    Parameters
    ----------
    section, target : str
        The target is empty for sections that are not per target.
    findings : sequence of Finding

    Returns
    -------
    tuple of str
        No two alike: those with one and the same measure are numbered from the second on.
    """
    seen: dict[str, int] = {}
    ids = []
    for finding in findings:
        name = "/".join(_NO_PART.sub("-", part) for part in _parts(section, target, finding) if part)
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name}/{seen[name]}")
    return tuple(ids)


def _parts(section: str, target: str, finding: Finding) -> Iterator[str]:
    yield from (section, target)
    if not finding.measures:
        yield finding.criterion
        return
    key = finding.measures[0]
    yield from (key.measure, key.attribute, key.subgroup)
    if key.reference not in _PLAIN_REFERENCES:
        yield f"reference={key.reference}"
    if key.label not in ("", "all", RATES.get(key.measure)):
        yield f"label={key.label}"
    yield from parted(key.variant)


def findings_by_id(results: Mapping[tuple[str, str], Result]) -> dict[str, Finding]:
    """Every finding of these results by its id; keys of `results` are (section id, target name)."""
    found: dict[str, Finding] = {}
    for (section, target), result in results.items():
        found.update(zip(finding_ids(section, target, result.findings), result.findings, strict=True))
    return found
