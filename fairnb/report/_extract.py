"""Evidence, notebook, tallies and case file out of a document, and evidence out of whatever holds it."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, inside, write_all
from fairnb.report._inside import EVIDENCE, damaged, kind_of, read_document, unpack

BUNDLE = "application/vnd.fairnb.result+json"
"""MIME type under which a notebook's outputs hold payloads."""

_DIGEST = re.compile(r"[0-9a-f]{12,64}")


def extract(path: Path, folder: Path, *, force: bool = False) -> list[Path]:
    """Write the files inside an audit document to a folder.

    Parameters
    ----------
    path : Path
        HTML or PDF document.
    folder : Path
        Made if missing. Tallies go to ``tallies/DIGEST.tally``.
    force : bool
        Overwrite files that are there already.

    Returns
    -------
    list of Path
        What was written, in the order of the document.

    Raises
    ------
    FairnbError
        ``unsafe-name`` if a name would leave the folder or clash with another; ``file-exists``;
        ``nothing-inside``; ``damaged-document``. Nothing is written then.
    """
    contents = unpack(read_document(path), path)
    if not contents:
        raise damaged(path, "nothing-inside", "the document carries no files")
    if EVIDENCE in contents:
        tallies = read_tallies(parse_evidence(contents[EVIDENCE], str(path)), str(path))
        contents |= {f"tallies/{digest}.tally": content for digest, content in tallies.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        places = {inside(folder, name): data for name, data in contents.items()}
        for place in places:
            if place.exists() and not force:
                raise FairnbError(
                    "file-exists",
                    "there is a file of this name already",
                    "choose an empty folder, or give --force",
                    where=str(place),
                )
            place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FairnbError(
            "cannot-write",
            f"the folder cannot be made ({error.strerror or error})",
            "choose a folder that you may write to",
            where=str(folder),
        ) from error
    write_all(places)
    return list(places)


def read_evidence(path: Path) -> dict[str, Any]:
    """Evidence of a case folder, notebook, evidence file, HTML or PDF document, as it is stored there.

    Digests are not checked here; `verify` does that.

    Parameters
    ----------
    path : Path
        A notebook gives evidence with the payloads of its outputs and nothing else.

    Raises
    ------
    FairnbError
        ``no-such-file``; ``not-evidence`` and ``newer-evidence``; ``damaged-document``.
    """
    if path.is_dir():
        return _of_folder(path)
    data = read_document(path)
    kind = kind_of(data)
    if kind == "notebook":
        return _of_notebook(data, path)
    if kind == "evidence":
        return parse_evidence(data, str(path))
    files = unpack(data, path)
    if EVIDENCE in files:
        return parse_evidence(files[EVIDENCE], f"{path} ({EVIDENCE})")
    raise damaged(path, "no-evidence", "the document carries no evidence.json")


def parse_evidence(data: bytes, where: str) -> dict[str, Any]:
    """Evidence from its JSON; duplicate keys, NaN and lone surrogates are refused.

    Raises
    ------
    FairnbError
        ``not-evidence``; ``newer-evidence`` if a later version of fairnb wrote it.
    """
    evidence = parse_json(data, where)
    schema = str(evidence.get("schema", "")) if isinstance(evidence, dict) else ""
    name, _, major = schema.partition("/")
    if name != "fairnb.evidence" or not major.isdecimal() or not isinstance(evidence, dict):
        raise _not_evidence(where, "the file is not evidence written by fairnb")
    if int(major) > 1:
        raise FairnbError(
            "newer-evidence",
            f"the evidence is of version {major}, this fairnb reads version 1",
            "install a newer fairnb",
            where=where,
        )
    if not isinstance(evidence.get("payloads"), list):
        raise _not_evidence(where, "the evidence has no list of payloads")
    return evidence


def read_tallies(evidence: dict[str, Any], where: str) -> dict[str, bytes]:
    """Tallies of the evidence by digest.

    Raises
    ------
    FairnbError
        ``not-evidence`` if one has no digest for a name or is not base64.
    """
    tallies = evidence.get("tallies") or {}
    if not isinstance(tallies, dict):
        raise _not_evidence(where, "the tallies of the evidence are not a table")
    read = {}
    for digest, text in tallies.items():
        try:
            if not _DIGEST.fullmatch(digest):
                raise ValueError(digest)
            read[digest] = base64.b64decode(text, validate=True)
        except (ValueError, TypeError) as error:
            raise _not_evidence(where, f"the tally {str(digest)[:80]!r} cannot be read") from error
    return read


def parse_json(data: bytes, where: str) -> Any:
    """JSON as strictly as it is written: no duplicate keys, no NaN, no lone surrogates.

    Raises
    ------
    FairnbError
        ``not-json`` naming what is wrong.
    """
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_no_duplicates, parse_constant=_no_constant
        )
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise FairnbError(
            "not-json",
            f"the file is not valid JSON ({reason[:160]})",
            "take the file again from whoever sent it",
            where=where,
            exit_code=ExitCode.NOT_INTACT,
        ) from error
    return value


def _of_folder(folder: Path) -> dict[str, Any]:
    if (folder / "assessment.toml").is_file():
        from fairnb.case import load_case

        evidence: dict[str, Any] = load_case(folder).evidence()
        return evidence
    if (folder / EVIDENCE).is_file():
        return parse_evidence(read_document(folder / EVIDENCE), str(folder / EVIDENCE))
    raise FairnbError(
        "no-such-file",
        "the folder holds neither assessment.toml nor evidence.json",
        "name a case folder, a notebook, an evidence file or an audit document",
        where=str(folder),
    )


def _of_notebook(data: bytes, path: Path) -> dict[str, Any]:
    notebook = parse_json(data, str(path))
    payloads: list[Any] = []
    try:
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                payloads += output.get("data", {}).get(BUNDLE, ())
    except (KeyError, TypeError, AttributeError) as error:
        raise _not_evidence(str(path), "the file is not a notebook") from error
    content = {
        "schema": "fairnb.evidence/1",
        "case": {"title": "", "digest": "", "files": {}},
        "payloads": payloads,
        "tallies": {},
        "log": [],
        "redaction": "",
    }
    return {**content, "content_sha256": digest_of(content)}


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key stands there twice")
    return table


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _not_evidence(where: str, found: str) -> FairnbError:
    return FairnbError(
        "not-evidence",
        found,
        "name a case folder, a notebook, an evidence file or an audit document",
        where=where,
    )
