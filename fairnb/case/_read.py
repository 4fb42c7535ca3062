"""Reading a case file, with every error at once: file, line, key, what was found, what would be right."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from fairnb.case._file import (
    CASE_FILE,
    ROLES,
    CaseFile,
    Engagement,
    Privacy,
    RunSpec,
)
from fairnb.case._lines import key_lines, line_of
from fairnb.corpus import CorpusSpec
from fairnb.embedding import EmbeddingSpec
from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec
from fairnb.sections import Criteria, SectionParams, Target, section, section_ids
from fairnb.system import SystemSpec

_TABLES = ("engagement", "system", "targets", "corpus", "embeddings", "lexicon", "criteria", "findings",
           "run", "privacy", "sections")  # fmt: skip
_Model = TypeVar("_Model", bound=BaseModel)
_CRITERIA = ("set_by", "set_on", "margin")
_FINDINGS = ("alpha", "min_support", "shares")
_POSITION = re.compile(r"\(at line (\d+), column \d+\)")


@dataclass(frozen=True)
class Reading:
    """A case file as far as it could be read.

    `file` is None if any error was found; the single tables that are right stand in `tables`.
    """

    path: Path
    file: CaseFile | None
    errors: tuple[FairnbError, ...]
    tables: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    data: bytes = b""

    def where(self, *path: str) -> str:
        """File, line and key, as an error names them."""
        return place(self.lines, path)


def read_case_file(folder: Path, data: bytes | None = None) -> Reading:
    """Read and check the shape of `assessment.toml`; nothing that it names is opened.

    Parameters
    ----------
    folder : Path
    data : bytes, optional
        Taken for the file's content, such as one that is about to be written.

    Raises
    ------
    FairnbError
        ``no-case`` if there is no such file, ``not-toml`` if it cannot be parsed at all.
    """
    path = folder / CASE_FILE
    if data is None:
        data = _bytes(path)
    text, raw = parsed(data, CASE_FILE)
    reader = _Reader(key_lines(text))
    tables = reader.read(_without_dates(raw))
    file = None if reader.errors else CaseFile(**tables)
    return Reading(path, file, tuple(reader.errors), tables, reader.lines, data)


def parsed(data: bytes, name: str) -> tuple[str, dict[str, Any]]:
    """Text and tables of a TOML file of the case.

    Raises
    ------
    FairnbError
        ``not-toml``.
    """
    try:
        text = data.decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise FairnbError(
            "not-toml",
            f"the byte {error.start + 1} is not UTF-8",
            "save the file as UTF-8",
            where=name,
        ) from error
    except tomllib.TOMLDecodeError as error:
        position = _POSITION.search(str(error))
        line = f" line {position[1]}" if position else ""
        raise FairnbError(
            "not-toml",
            f"the file is not valid TOML ({_POSITION.sub('', str(error)).strip()})",
            'write keys as `name = "text"`, lists as `["a", "b"]` and tables as `[name]`',
            where=f"{name}{line}",
        ) from error


class _Reader:
    """Collects errors table by table, so that one wrong table hides no other."""

    def __init__(self, lines: Mapping[tuple[str, ...], int]) -> None:
        self.lines = lines
        self.errors: list[FairnbError] = []

    def read(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        self._unknown((), raw, _TABLES)
        found: dict[str, Any] = {}
        found["engagement"] = self._required("engagement", raw, Engagement)
        found["system"] = self._required("system", raw, SystemSpec)
        found["lexicon"] = self._model(("lexicon",), raw.get("lexicon", {}), LexiconSpec)
        found["run"] = self._model(("run",), raw.get("run", {}), RunSpec)
        found["privacy"] = self._model(("privacy",), raw.get("privacy", {}), Privacy)
        if "embeddings" in raw:
            found["embeddings"] = self._model(("embeddings",), raw["embeddings"], EmbeddingSpec)
        found["targets"] = self._targets(raw.get("targets", {}))
        found["corpus"] = self._corpora(raw.get("corpus", {}))
        found["criteria"] = self._criteria(raw.get("criteria", {}), raw.get("findings", {}))
        found["sections"] = self._sections(raw.get("sections", {}))
        return {key: value for key, value in found.items() if value is not None}

    def _required(self, key: str, raw: Mapping[str, Any], model: type[_Model]) -> _Model | None:
        if key not in raw:
            example = {
                "engagement": 'add [engagement] with title, level, independence and assessor = { name = "" }',
                "system": 'add [system] with one of use = "NAME", python, sklearn, keras or scores = "COLUMN"',
            }[key]
            self._add("missing-table", (key,), f"there is no table [{key}]", example)
            return None
        return self._model((key,), raw[key], model)

    def _targets(self, raw: Any) -> tuple[Target, ...] | None:
        if not self._is_table(("targets",), raw):
            return None
        if not raw:
            return (Target(),)
        found = []
        for name, table in raw.items():
            if self._is_table(("targets", name), table):
                if "name" in table:
                    self._add(
                        "unknown-key",
                        ("targets", name, "name"),
                        "a target is named by its table",
                        f"leave name out: it is {name!r}",
                    )
                found.append(self._model(("targets", name), {**table, "name": name}, Target))
        return tuple(target for target in found if target is not None)

    def _corpora(self, raw: Any) -> dict[str, CorpusSpec] | None:
        if not self._is_table(("corpus",), raw):
            return None
        self._unknown(("corpus",), raw, ROLES)
        if not raw:
            self._add(
                "missing-table",
                ("corpus",),
                "no corpus is given",
                'add [corpus.test] with use = "NAME" or with path, text and label',
            )
        found = {role: self._model(("corpus", role), raw[role], CorpusSpec) for role in ROLES if role in raw}
        return {role: spec for role, spec in found.items() if spec is not None}

    def _criteria(self, criteria: Any, findings: Any) -> Criteria | None:
        """One model, two tables: what was agreed, and the rule by which findings are made."""
        merged: dict[str, Any] = {}
        for name, table, keys in (("criteria", criteria, _CRITERIA), ("findings", findings, _FINDINGS)):
            if self._is_table((name,), table):
                self._unknown((name,), table, keys)
                merged.update({key: value for key, value in table.items() if key in keys})
        if isinstance(merged.get("shares"), Mapping):
            self._unknown(("findings", "shares"), merged["shares"], section_ids(), what="section")
        try:
            return Criteria(**merged)
        except ValidationError as error:
            for item in error.errors():
                key = str(item["loc"][0])
                self._pydantic(("findings" if key in _FINDINGS else "criteria",), item, Criteria)
            return None

    def _sections(self, raw: Any) -> dict[str, dict[str, Any]] | None:
        if not self._is_table(("sections",), raw):
            return None
        self._unknown(("sections",), raw, section_ids(), what="section")
        given = {}
        for name, table in raw.items():
            if name in section_ids() and self._is_table(("sections", name), table):
                self._model(("sections", name), table, section(name).Params)
                given[name] = dict(table)
        return given

    def _model(self, path: tuple[str, ...], raw: Any, model: type[_Model]) -> _Model | None:
        if not self._is_table(path, raw):
            return None
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            for item in error.errors():
                self._pydantic(path, item, model)
        except FairnbError as error:
            where = place(self.lines, path)
            self.errors.append(FairnbError(error.code, error.found, error.remedy, where=where))
        return None

    def _pydantic(self, path: tuple[str, ...], item: Any, model: type[BaseModel]) -> None:
        key = (*path, *(str(part) for part in item["loc"] if not is_branch(part)))
        found = explained(item, model, place(self.lines, key))
        # Each branch of a union complains of the same value: once is enough.
        if not any(
            (error.code, error.where, error.found) == (found.code, found.where, found.found)
            for error in self.errors
        ):
            self.errors.append(found)

    def _is_table(self, path: tuple[str, ...], raw: Any) -> bool:
        if isinstance(raw, Mapping):
            return True
        self._add("bad-value", path, f"{shown(raw)} is not a table", f"write it as [{'.'.join(path)}]")
        return False

    def _unknown(
        self, path: tuple[str, ...], raw: Mapping[str, Any], known: Sequence[str], what: str = "key"
    ) -> None:
        for key in raw:
            if key not in known:
                self._add(f"unknown-{what}", (*path, key), f"there is no {what} {key!r}", nearest(key, known))

    def _add(self, code: str, path: Sequence[str], found: str, remedy: str) -> None:
        self.errors.append(FairnbError(code, found, remedy, where=place(self.lines, path)))


def resolve(identity: str, given: Mapping[str, Any], where: str) -> SectionParams:
    """A section's parameters from what is given, defaults for the rest.

    Raises
    ------
    FairnbError, FairnbErrors
        ``unknown-key``, ``bad-value``: every parameter that is wrong.
    """
    from fairnb.errors import FairnbErrors

    model = section(identity).Params
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        found = [
            explained(item, model, f"{where}{'.'.join(str(part) for part in item['loc'])}")
            for item in error.errors()
        ]
        raise found[0] if len(found) == 1 else FairnbErrors(found) from error


def explained(item: Any, model: type[BaseModel], where: str) -> FairnbError:
    """One error of pydantic as one sentence with its remedy."""
    loc = [part for part in item["loc"] if not is_branch(part)]
    key = str(loc[-1]) if loc else ""
    if item["type"] == "extra_forbidden":
        known = _fields_at(model, loc[:-1])
        return FairnbError("unknown-key", f"there is no key {key!r}", nearest(key, known), where=where)
    if item["type"] == "missing":
        return FairnbError("missing-key", f"the key {key!r} is missing", f"add {key} = ...", where=where)
    message = str(item["msg"])
    if item["type"] == "value_error":
        return FairnbError(
            "bad-value", message.removeprefix("Value error, "), "put the table right", where=where
        )
    wish = message.replace("Input should be", "it must be").replace("Input should", "it must")
    return FairnbError("bad-value", f"{shown(item['input'])} is not possible here", wish, where=where)


def nearest(key: str, known: Iterable[str]) -> str:
    """The remedy for a name that is not known: the closest one, and all of them."""
    names = list(known)
    close = difflib.get_close_matches(key, names, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}known are {', '.join(names) if names else 'none'}"


def shown(value: Any) -> str:
    """A value as it may stand in a message: short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _fields_at(model: type[BaseModel], loc: Sequence[Any]) -> list[str]:
    """Keys of the model that stands at a place inside another."""
    for part in loc:
        info = model.model_fields.get(str(part))
        if info is None:
            # A row, or a key that the file itself names.
            continue
        inner = _models(info.annotation)
        if not inner:
            return []
        model = inner[0]
    return list(model.model_fields)


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in get_args(annotation) for found in _models(argument)]


def is_branch(part: Any) -> bool:
    """Whether a part of pydantic's location names a branch of a union and not a key or a row."""
    return isinstance(part, str) and (
        part in ("str", "int", "float", "bool") or "[" in part or part.startswith(("function-", "lax-"))
    )


def place(lines: Mapping[tuple[str, ...], int], path: Sequence[str], name: str = CASE_FILE) -> str:
    """File, line and key, as an error names them."""
    line = line_of(lines, path)
    at = f" line {line}" if line else ""
    return f"{name}{at}, {'.'.join(path)}" if path else f"{name}{at}"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FairnbError(
            "no-case",
            f"the folder holds no {CASE_FILE}",
            "name the folder of a case, or make one with `fairnb new DIR`",
            where=str(path.parent),
        ) from None
    except OSError as error:
        raise FairnbError(
            "cannot-read",
            f"the case file cannot be read ({error.strerror or error})",
            "check the folder and your rights",
            where=str(path),
        ) from error


def _without_dates(value: Any) -> Any:
    """TOML dates as text, which is what the record holds."""
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dates(item) for item in value]
    return value
