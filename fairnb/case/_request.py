"""What is asked of a section: parameters with their origins, target, seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fairnb.case._payload import SCHEMA, Origin
from fairnb.case._read import resolve
from fairnb.files import digest_of, plain
from fairnb.sections import Section, SectionParams

if TYPE_CHECKING:
    from fairnb.case._case import Case


@dataclass(frozen=True)
class Request:
    """One run of one section, as asked for."""

    section: str
    target: str
    params: SectionParams
    parameters: dict[str, Any]
    """Every parameter as a plain value."""
    origins: dict[str, Origin]
    expected: dict[str, Any]
    """Every parameter as the case file and the defaults have it."""
    digest: str

    @property
    def declared(self) -> dict[str, Any]:
        """The case file's value of each parameter that the notebook set otherwise."""
        return {
            key: self.expected[key]
            for key, origin in self.origins.items()
            if origin == "notebook" and self.expected[key] != self.parameters[key]
        }


def make_request(
    case: Case,
    chosen: Section,
    target: str,
    given: Mapping[str, Any],
    origin: Literal["case file", "notebook"],
) -> Request:
    """Resolve a section's parameters: those given, else the case file's, else the defaults.

    Raises
    ------
    FairnbError, FairnbErrors
        ``unknown-key``, ``bad-value`` naming the parameters.
    """
    declared = case.file.sections.get(chosen.id, {})
    expected = plain(resolve(chosen.id, declared, f"[sections.{chosen.id}] "))
    params = resolve(chosen.id, {**declared, **given}, f"section {chosen.id}, ")
    parameters: dict[str, Any] = plain(params)
    origins: dict[str, Origin] = {
        key: origin if key in given else "case file" if key in declared else "default" for key in parameters
    }
    request = Request(chosen.id, target, params, parameters, origins, expected, "")
    digest = digest_of(
        {
            "schema": SCHEMA,
            "section": chosen.id,
            "version": chosen.version,
            "parameters": parameters,
            "origins": origins,
            "declared": request.declared,
            "target": target,
            "seed": case.file.run.seed,
        }
    )
    return Request(chosen.id, target, params, parameters, origins, expected, digest)
