"""A user's own lexicon file, every mistake named with file and key; the package describes the format."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import inside
from fairnb.lexicon._lexicon import IdentityTerm, SwapPair
from fairnb.lexicon._matcher import StopPhrase
from fairnb.text import matchable


def _visible_term(value: str) -> str:
    if not matchable(value).text.strip():
        raise ValueError("a term must not be empty")
    return value


Term = Annotated[str, AfterValidator(_visible_term)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _IdentityTermTable(_Table):
    term: Term
    attribute: str = Field(min_length=1)
    subgroup: str = Field(min_length=1)


class _PairTable(_Table):
    attribute: str
    first_subgroup: str
    first: Term
    second_subgroup: str
    second: Term
    swap: Literal["both", "forward", "backward", "none"] = "both"
    note: str = ""


class _StopTable(_Table):
    phrase: Term
    reason: str = Field(min_length=1)
    terms: tuple[Term, ...] = ()


class _File(_Table):
    language: str = Field(min_length=2)
    extends: bool = False
    source: str = ""
    attributes: dict[str, dict[str, tuple[Term, ...]]] = {}
    identity_terms: tuple[_IdentityTermTable, ...] = ()
    pairs: tuple[_PairTable, ...] = ()
    stop_phrases: tuple[_StopTable, ...] = ()


@dataclass(frozen=True)
class OwnFile:
    """A checked lexicon file."""

    language: str
    extends: bool
    source: str
    attributes: Mapping[str, Mapping[str, tuple[str, ...]]]
    identity_terms: tuple[IdentityTerm, ...]
    pairs: tuple[SwapPair, ...]
    stop_phrases: tuple[StopPhrase, ...]


def read_own(folder: Path, path: str) -> OwnFile:
    """Read and check one lexicon file of a case.

    Raises
    ------
    FairnbError
        ``path-outside``, ``missing-file``, ``bad-lexicon``; the last names each key that is wrong.
    """
    full = inside(folder, path)
    try:
        table = tomllib.loads(full.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FairnbError(
            "missing-file", "there is no such lexicon file", "put it into the case folder", where=path
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FairnbError(
            "bad-lexicon",
            f"the file cannot be read as TOML ({error})",
            "write it in UTF-8 as the documentation of lexicon files shows",
            where=path,
        ) from error
    try:
        read = _File.model_validate(table)
    except ValidationError as error:
        raise FairnbErrors([_told(path, problem) for problem in error.errors()]) from error
    if not read.attributes and not read.identity_terms and not read.extends:
        raise FairnbError("bad-lexicon", "the file has no terms", "add a table [attributes.NAME]", where=path)
    return OwnFile(
        language=read.language,
        extends=read.extends,
        source=read.source or f"the assessor's own file {path}",
        attributes=read.attributes,
        identity_terms=tuple(IdentityTerm(**entry.model_dump()) for entry in read.identity_terms),
        pairs=tuple(SwapPair(**entry.model_dump(), source=path) for entry in read.pairs),
        stop_phrases=tuple(StopPhrase(**entry.model_dump()) for entry in read.stop_phrases),
    )


def _told(path: str, problem: ErrorDetails) -> FairnbError:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        found, remedy = "this key is unknown", "remove it or correct its spelling"
    elif problem["type"] == "missing":
        found, remedy = "this key is missing", "add it"
    else:
        found, remedy = problem["msg"].removeprefix("Value error, "), "correct it"
    return FairnbError("bad-lexicon", found[0].lower() + found[1:], remedy, where=f"{path}: {key}")
