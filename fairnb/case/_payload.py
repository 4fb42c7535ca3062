"""The record of one section's run for one target, and the digest that names it."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairnb import __version__
from fairnb.errors import ExitCode, FairnbError
from fairnb.files import canonical_json, plain, sha256
from fairnb.sections import Result

SCHEMA = "fairnb.result/1"
BUNDLE = "application/vnd.fairnb.result+json"
"""MIME type under which a notebook's output holds a list of payloads."""
CONTROLS = "application/vnd.fairnb.controls+json"
"""MIME type that marks an output as fairnb's controls: no result, and no output of the assessor's own code."""

Origin = Literal["case file", "notebook", "default"]

# Packages whose version can move a figure; named in the context, never in the digest.
_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "scikit-learn", "tensorflow", "ahocorasick-rs")


class _Frozen(BaseModel):
    # Every field is always written: the schema says so.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, json_schema_serialization_defaults_required=True
    )


class Content(_Frozen):
    """What was computed from what. The same inputs give the same content, byte for byte."""

    section: str
    section_version: int
    title: str
    target: str
    """Name of the target; empty for sections that are not per target."""
    parameters: dict[str, Any]
    """Every parameter with the value that was used."""
    origins: dict[str, Origin]
    """Where each parameter's value comes from."""
    declared: dict[str, Any] = {}
    """Value of the case file (or default) of each parameter that the notebook changed."""
    seed: int
    confidence: float
    inputs: dict[str, str]
    """Digest of every input the section read, by name; empty for one that was absent."""
    request: str
    """Digest of section, version, parameters, target, seed and schema."""
    result: Result


class Context(_Frozen):
    """When, how long and with which versions: not part of the digest."""

    created: str
    """UTC, ISO 8601."""
    seconds: float
    machine: str
    versions: dict[str, str]


class Payload(_Frozen):
    """One section's result for one target, as it is stored, displayed and exported."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    schema_: Literal["fairnb.result/1"] = Field("fairnb.result/1", alias="schema")
    content: Content
    context: Context
    content_sha256: str
    """SHA-256 of the canonical JSON of `content`."""

    @property
    def section(self) -> str:
        """Id of the section."""
        return self.content.section

    @property
    def target(self) -> str:
        """Name of the target, or empty."""
        return self.content.target

    @property
    def result(self) -> Result:
        """What the section handed back."""
        return self.content.result

    @cached_property
    def canonical(self) -> bytes:
        """Canonical JSON of `content`: what is digested, stored and shown is written once."""
        return canonical_json(self.content.model_dump(mode="json"))

    def to_json(self) -> dict[str, Any]:
        """Plain values, as they are written to files and notebooks."""
        return {
            "schema": self.schema_,
            "content": json.loads(self.canonical),
            "context": plain(self.context.model_dump(mode="json")),
            "content_sha256": self.content_sha256,
        }

    def to_bytes(self) -> bytes:
        """Canonical JSON of `to_json()`, as it is stored."""
        around = canonical_json({"content_sha256": self.content_sha256, "context": self.context})
        schema = canonical_json({"schema": self.schema_})
        return b'{"content":' + self.canonical + b"," + around[1:-1] + b"," + schema[1:]


def seal(content: Content, context: Context) -> Payload:
    """A payload whose digest is its content's.

    The content goes through its canonical JSON, so that a computed result, a replayed one and one that a
    receiver reads are the same to whoever prints them: whole numbers and the order of keys included.
    """
    canonical = canonical_json(content.model_dump(mode="json"))
    payload = Payload(
        content=Content.model_validate(json.loads(canonical)),
        context=context,
        content_sha256=sha256(canonical),
    )
    vars(payload)["canonical"] = canonical
    return payload


def context_now(seconds: float) -> Context:
    """Time, machine kind and versions of this moment; no host name and no path."""
    return Context(
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        seconds=round(seconds, 3),
        machine=f"{sys.platform} {platform.machine()}",
        versions=dict(_versions()),
    )


@cache
def _versions() -> Mapping[str, str]:
    """What this process runs with; looked up once, as each look reads the packages' files."""
    versions = {"fairnb": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return dict(sorted(versions.items()))


def read_payload(data: Any, where: str = "") -> Payload:
    """A payload from its JSON form, refused if its content is not what its digest says.

    Parameters
    ----------
    data : mapping
        Parsed JSON.
    where : str
        File or cell, for the message.

    Raises
    ------
    FairnbError
        ``bad-payload`` for another shape, ``newer-payload`` if a later major version of the schema
        wrote it, ``altered-payload`` if content and digest disagree.
    """
    schema = str(data.get("schema", "")) if isinstance(data, Mapping) else ""
    name, _, major = schema.partition("/")
    if name != "fairnb.result" or not major.isdecimal():
        raise _refused(
            "bad-payload", "the record is not a result written by fairnb", "run the section again", where
        )
    if int(major) > 1:
        raise _refused(
            "newer-payload",
            f"the result is of version {major}, this fairnb reads version 1",
            "install a newer fairnb",
            where,
        )
    try:
        canonical = canonical_json(data["content"])
        altered = sha256(canonical) != data["content_sha256"]
        payload = None if altered else Payload.model_validate(data)
    except (KeyError, TypeError, ValueError, FairnbError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise _refused(
            "bad-payload", f"the record is damaged ({reason})", "run the section again", where
        ) from error
    if payload is None:
        raise _refused(
            "altered-payload",
            "the result was altered after it was computed: its digest does not fit",
            "run the section again",
            where,
        )
    vars(payload)["canonical"] = canonical
    return payload


def payload_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a payload, generated from the models."""
    schema = Payload.model_json_schema(by_alias=True, mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:fairnb:result:1",
        **schema,
        "title": "Result of one section of a fairnb assessment",
    }


def _refused(code: str, found: str, remedy: str, where: str) -> FairnbError:
    return FairnbError(code, found, remedy, where=where, exit_code=ExitCode.UNFAITHFUL)
