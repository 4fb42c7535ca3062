"""The list of known things, read from one data file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from fairnb.errors import FairnbError

Kind = Literal["system", "corpus", "embeddings", "lexicon"]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """One file of a known thing and the digest it must have."""

    path: str
    """POSIX path: relative to site-packages for a package, to the thing's own folder otherwise."""
    sha256: str
    """Lower-case hexadecimal digest of the whole file."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Known:
    """A system, corpus or set of embeddings that can be named instead of described."""

    name: str
    kind: Kind
    title: str
    licence: str
    """As its source states it; says so where the source states none."""
    address: str
    """Public source repository; empty for what fairnb makes itself."""
    description: str
    notes: str
    """What an assessor should know before relying on it."""
    commit: str = ""
    """Commit of the source repository whose files have these digests."""
    package: str = ""
    """``name==version`` of the Python package that carries it; empty otherwise."""
    extra: str = ""
    """The extra of fairnb that installs the package."""
    files: tuple[KnownFile, ...] = ()
    derived_from: tuple[str, ...] = ()
    """Names of the known things it is built from, in their order."""
    generated: bool = False
    """True where fairnb composes it: there is nothing to fetch."""
    positive: tuple[int | str, ...] = ()
    """Labels of a corpus that answer yes."""
    negative: tuple[int | str, ...] = ()
    """Labels of a corpus that answer no."""
    positive_means: str = ""
    """What a positive label says, and what it does not, in words."""
    classes: tuple[tuple[str, int], ...] = ()
    """Rows of each label as the source stores them."""

    @property
    def size(self) -> int | None:
        """Bytes of its own files; None where it has none of its own."""
        return sum(file.size for file in self.files) if self.files else None


def known(name: str) -> Known:
    """Look up a known thing.

    Raises
    ------
    FairnbError
        ``unknown-name`` with the known names and the nearest one.
    """
    things = _things()
    if name in things:
        return things[name]
    near = difflib.get_close_matches(name, things, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise FairnbError(
        "unknown-name", f"nothing is known by the name {name!r}", f"{hint}known names: {', '.join(things)}"
    )


def all_known(kind: Kind | None = None) -> tuple[Known, ...]:
    """List every known thing, or those of one kind, in the order of the data file."""
    return tuple(thing for thing in _things().values() if kind in (None, thing.kind))


@cache
def _things() -> Mapping[str, Known]:
    text = Path(__file__).with_name("known.toml").read_text("utf-8")
    return MappingProxyType({name: _built(name, entry) for name, entry in tomllib.loads(text).items()})


def _built(name: str, entry: dict[str, Any]) -> Known:
    for key in ("derived_from", "positive", "negative"):
        entry[key] = tuple(entry.get(key, ()))
    entry["files"] = tuple(KnownFile(**file) for file in entry.get("files", ()))
    entry["classes"] = tuple(entry.get("classes", {}).items())
    return Known(name=name, **entry)
