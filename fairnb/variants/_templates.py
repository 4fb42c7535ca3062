"""Sentences about one group after the other: templates read from files and filled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairnb.errors import FairnbError
from fairnb.variants._speech import article_for

PACKAGED = ("gender", "religion", "ethnicity", "orientation", "disability")
"""Attributes with packaged templates."""
_SLOT = re.compile(r"\{([^{}]*)\}")
_PRONOUNS = {"they": "they", "them": "them", "their": "their"}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Template(_Frozen):
    id: str = Field(min_length=1)
    label: Literal["positive", "negative"]
    text: str = Field(min_length=1)


class _Subgroup(_Frozen):
    terms: tuple[tuple[str, str], ...] = ()
    adjective: str = ""
    forms: dict[str, str] = {}


class _File(_Frozen):
    attribute: str = Field(min_length=1)
    language: str = "en"
    reference: str = ""
    include: tuple[str, ...] = ()
    nouns: tuple[tuple[str, str], ...] = ()
    subgroups: dict[str, _Subgroup] = Field(min_length=2)
    templates: tuple[_Template, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """One sentence: a template with one term of one subgroup."""

    text: str
    template: str
    """Id of its skeleton."""
    label: int
    """1 positive, 0 negative."""
    subgroup: str
    place: int
    """Terms of different subgroups in the same place are counterparts."""
    term: str


@dataclass(frozen=True)
class TemplateSet:
    """Templates of one attribute, filled for each subgroup."""

    attribute: str
    reference: str
    subgroups: tuple[str, ...]
    sentences: tuple[Filled, ...]
    skeletons: dict[str, str] = field(default_factory=dict)
    """Template id -> its text with slots."""
    language: str = "en"


def packaged_templates(attribute: str) -> TemplateSet:
    """The packaged templates of an attribute.

    Raises
    ------
    FairnbError
        ``unknown-attribute`` if there are none.
    """
    if attribute not in PACKAGED:
        raise FairnbError(
            "unknown-attribute",
            f"there are no packaged templates for {attribute!r}",
            f"choose among {', '.join(PACKAGED)} or give a file of your own",
        )
    return _read(_packaged_text(attribute), f"{attribute}.toml")


def read_templates(path: Path, name: str = "") -> TemplateSet:
    """Templates from a user's file.

    One TOML file per attribute. Slots are ``{one}`` and ``{many}`` (the term in singular and plural), with a
    capital ``{One}`` and ``{Many}``, with the article ``{a one}`` and ``{A one}``, and ``{they}``, ``{them}``,
    ``{their}``, which a subgroup may replace in ``forms``. Terms stand in the same order in each subgroup:
    those in the same place are counterparts. With ``adjective``, it is put before each of ``nouns`` too.
    ``include = ["people"]`` adds the packaged sentences that fit any people::

        attribute = "religion"
        reference = "Christianity"
        include = ["people"]
        nouns = [["student", "students"]]

        [subgroups.Islam]
        terms = [["Muslim", "Muslims"]]
        adjective = "Muslim"

        [subgroups.Christianity]
        terms = [["Christian", "Christians"]]
        adjective = "Christian"

        [[templates]]
        id = "festival"
        label = "negative"                  # or positive: what the system should flag
        text = "{A one} told us about the festival."

    Parameters
    ----------
    path : Path
    name : str
        What errors call the file.

    Raises
    ------
    FairnbError
        ``missing-file``; ``bad-templates`` with file and key.
    """
    shown = name or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FairnbError(
            "missing-file", "there is no such file", "put it into the case folder", where=shown
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FairnbError(
            "bad-templates", f"the file cannot be read ({error})", "save it as UTF-8 text", where=shown
        ) from None
    return _read(text, shown)


@lru_cache(maxsize=16)
def _read(text: str, name: str) -> TemplateSet:
    """Templates from a file's text; the same text is not filled again."""
    return _filled(_parsed(text, name), name)


def _packaged_text(name: str) -> str:
    return files("fairnb.variants").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")


def _parsed(text: str, name: str) -> _File:
    try:
        return _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FairnbError("bad-templates", f"not TOML ({error})", "correct the line", where=name) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise FairnbError(
            "bad-templates", first["msg"], "see the format of template files", where=f"{name}: {key}"
        ) from None


def _filled(file: _File, name: str) -> TemplateSet:
    templates = [*file.templates, *(one for include in file.include for one in _included(include, name))]
    if not templates:
        raise _bad(name, "templates", "there is no template")
    terms = {subgroup: _terms(given, file.nouns) for subgroup, given in file.subgroups.items()}
    sizes = {subgroup: len(own) for subgroup, own in terms.items()}
    if len(set(sizes.values())) > 1 or not min(sizes.values()):
        counted = ", ".join(f"{subgroup} {size}" for subgroup, size in sizes.items())
        raise _bad(
            name, "subgroups", f"each subgroup needs as many terms as the others, at least one ({counted})"
        )
    reference = file.reference or next(iter(terms))
    if reference not in terms:
        raise _bad(name, "reference", f"there is no subgroup {reference!r}")
    ids = [template.id for template in templates]
    for repeated in {one for one in ids if ids.count(one) > 1}:
        raise _bad(name, f"templates.{repeated}", "the id is given twice")
    sentences = tuple(
        Filled(
            _fill(template, one, many, {**_PRONOUNS, **file.subgroups[subgroup].forms}, name),
            template.id,
            int(template.label == "positive"),
            subgroup,
            place,
            one,
        )
        for template in templates
        for subgroup, own in terms.items()
        for place, (one, many) in enumerate(own)
    )
    skeletons = {template.id: template.text for template in templates}
    return TemplateSet(file.attribute, reference, tuple(terms), sentences, skeletons, file.language)


def _included(include: str, name: str) -> Sequence[_Template]:
    if include != "people":
        raise _bad(name, "include", f"there is nothing to include named {include!r}, only people")
    tables: list[dict[str, Any]] = tomllib.loads(_packaged_text("people"))["templates"]
    return [_Template.model_validate(table) for table in tables]


def _terms(given: _Subgroup, nouns: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    if not given.adjective:
        return given.terms
    made = ((f"{given.adjective} {one}", f"{given.adjective} {many}") for one, many in nouns)
    return (*given.terms, *made)


def _fill(template: _Template, one: str, many: str, forms: dict[str, str], name: str) -> str:
    known = {"one": one, "many": many, "a one": f"{article_for(one)} {one}", **forms}

    def word(found: re.Match[str]) -> str:
        slot = found[1]
        lower = slot[:1].lower() + slot[1:]
        if lower not in known:
            raise _bad(
                name, f"templates.{template.id}", f"unknown slot {{{slot}}}; known are {', '.join(known)}"
            )
        filled = known[lower]
        return filled if slot == lower else filled[:1].upper() + filled[1:]

    return _SLOT.sub(word, template.text)


def _bad(name: str, key: str, found: str) -> FairnbError:
    return FairnbError("bad-templates", found, "see the format of template files", where=f"{name}: {key}")
