"""What can be done about a kind of finding, what it costs, and what to measure again."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairnb.sections._result import Finding

_EVERY = "*"


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer findings of a kind."""

    id: str
    title: str
    what: str
    cost: str
    again: tuple[str, ...]
    """Ids of the sections to run again."""
    answers: Mapping[str, tuple[str, ...]]
    """Section id -> names of measures whose findings it answers; ``*`` is any."""

    def fits(self, section: str, finding: Finding) -> bool:
        """Whether the option answers findings of this kind."""
        named = self.answers.get(section, ())
        return _EVERY in named or any(key.measure in named for key in finding.measures[:1])


@cache
def options() -> tuple[Option, ...]:
    """Every option, in the order in which a document prints them."""
    return tuple(
        Option(
            row["id"],
            row["title"],
            row["what"],
            row["cost"],
            tuple(row["again"]),
            {section: tuple(measures) for section, measures in row["answers"].items()},
        )
        for row in _data()["option"]
    )


@cache
def sources() -> str:
    """Where the options come from."""
    return str(_data()["source"])


def options_for(section: str, finding: Finding) -> tuple[Option, ...]:
    """Options that answer one finding of a section."""
    return tuple(option for option in options() if option.fits(section, finding))


@cache
def _data() -> dict[str, Any]:
    path = files("fairnb.sections").joinpath("data", "mitigation.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
