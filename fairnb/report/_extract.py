"""What an audit document carries inside: evidence, notebook, tallies, case file."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote_to_bytes

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, inside, write_all

if TYPE_CHECKING:
    import pikepdf

EVIDENCE = "evidence.json"
"""Name of the evidence among the attachments."""
EVIDENCE_ID = "fairnb-evidence"
"""Id of the HTML link that carries the evidence."""
BUNDLE = "application/vnd.fairnb.result+json"
"""MIME type under which a notebook's outputs hold payloads."""
LARGEST = 128 * 2**20
"""Bytes above which a document, or one file inside it, is not read."""

Kind = Literal["pdf", "html", "notebook", "evidence"]

_DATA_URL = re.compile(r"data:[^,;]*(?:;charset=[\w-]+)?(?P<base64>;base64)?,", re.ASCII | re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{12,64}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


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
        raise _damaged(path, "nothing-inside", "the document carries no files")
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
                    "choose an empty folder, or ask for it to be overwritten",
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
    raise _damaged(path, "no-evidence", "the document carries no evidence.json")


def read_document(path: Path) -> bytes:
    """Bytes of a document, read once so that what is checked is what is read.

    Raises
    ------
    FairnbError
        ``no-such-file``, ``cannot-read``, ``too-large``.
    """
    try:
        if not path.is_file():
            raise FairnbError(
                "no-such-file", "there is no such file", "check the name and the folder", where=str(path)
            )
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise FairnbError(
            "cannot-read",
            f"the file cannot be read ({getattr(error, 'strerror', None) or error})",
            "check the name and your rights",
            where=str(path).encode("unicode_escape").decode(),
        ) from error
    if len(data) > LARGEST:
        raise _damaged(path, "too-large", f"the file is larger than {LARGEST // 2**20} MB")
    return data


def kind_of(data: bytes) -> Kind:
    """What a document is, by its first bytes: names can be wrong."""
    if data.startswith(b"%PDF-"):
        return "pdf"
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "notebook" if b'"nbformat"' in data else "evidence"
    return "html"


def unpack(data: bytes, path: Path) -> dict[str, bytes]:
    """Files inside a document by name, every name safe to write below a folder.

    Raises
    ------
    FairnbError
        ``unsafe-name``, ``damaged-document``, ``encrypted-document``, ``not-a-document``.
    """
    return dict(_inside(data, kind_of(data), path))


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


def open_pdf(data: bytes, where: str) -> pikepdf.Pdf:
    """A PDF as pikepdf reads it, without repairing what is broken.

    Raises
    ------
    FairnbError
        ``damaged-document``, ``encrypted-document``.
    """
    import io

    import pikepdf

    try:
        return pikepdf.open(io.BytesIO(data), attempt_recovery=False, suppress_warnings=True)
    except pikepdf.PasswordError as error:
        raise FairnbError(
            "encrypted-document",
            "the PDF is encrypted",
            "ask for a copy that is not: audit documents are never encrypted",
            where=where,
            exit_code=ExitCode.NOT_INTACT,
        ) from error
    except (pikepdf.PdfError, ValueError, TypeError, RuntimeError) as error:
        raise _damaged(where, "damaged-document", "the PDF is damaged and cannot be read") from error


def _inside(data: bytes, kind: Kind, path: Path) -> list[tuple[str, bytes]]:
    if kind == "pdf":
        found = _attachments(data, str(path))
    elif kind == "html":
        found = _linked(data, str(path))
    else:
        raise FairnbError(
            "not-a-document",
            "the file is not an HTML or PDF document",
            "name an audit document",
            where=str(path),
        )
    _check_names((name for name, _ in found), str(path))
    return found


def _attachments(data: bytes, where: str) -> list[tuple[str, bytes]]:
    import pikepdf

    pdf = open_pdf(data, where)
    try:
        found = []
        for name, specification in pdf.attachments.items():
            stream = specification.obj.EF.F
            found.append((name, _unpacked(stream, where)))
        return found
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError) as error:
        raise _damaged(where, "damaged-document", "the files inside the PDF cannot be read") from error


def _unpacked(stream: pikepdf.Object, where: str) -> bytes:
    import pikepdf

    # zlib with a limit: a few kilobytes can unpack to more than the machine holds.
    raw = stream.read_raw_bytes()
    filters = stream.get("/Filter")
    if filters is None:
        return raw
    names = [str(item) for item in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if names != ["/FlateDecode"] or stream.get("/DecodeParms") is not None:
        raise _damaged(where, "damaged-document", "a file inside is packed in an unusual way")
    try:
        content = zlib.decompressobj().decompress(raw, LARGEST + 1)
    except zlib.error as error:
        raise _damaged(where, "damaged-document", "a file inside cannot be unpacked") from error
    if len(content) > LARGEST:
        raise _damaged(where, "too-large", f"a file inside is larger than {LARGEST // 2**20} MB")
    return content


class _Links(HTMLParser):
    """Collects download links with a data: address."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links worth reading."""
        values = {name: value or "" for name, value in reversed(attrs)}
        if tag == "a" and values.get("download") and values.get("href", "").startswith("data:"):
            self.links.append((values["download"], values["href"], values.get("id", "")))


def _linked(data: bytes, where: str) -> list[tuple[str, bytes]]:
    found = []
    parser = _Links()
    try:
        parser.feed(data.decode("utf-8"))
        parser.close()
    except (ValueError, AssertionError, RecursionError) as error:
        raise _damaged(where, "damaged-document", "the file is neither PDF, HTML nor JSON") from error
    links = parser.links
    if sum(marked == EVIDENCE_ID for _, _, marked in links) > 1:
        raise _damaged(where, "damaged-document", "the HTML carries more than one evidence.json")
    for name, address, marked in links:
        if (marked == EVIDENCE_ID) != (name == EVIDENCE):
            raise _damaged(where, "damaged-document", "the link to evidence.json has another id or name")
        head = _DATA_URL.match(address)
        if head is None:
            raise _damaged(where, "damaged-document", f"the link to {name[:80]!r} cannot be read")
        body = address[head.end() :]
        try:
            content = base64.b64decode(body, validate=True) if head["base64"] else unquote_to_bytes(body)
        except (binascii.Error, ValueError) as error:
            raise _damaged(where, "damaged-document", f"the link to {name[:80]!r} cannot be read") from error
        found.append((name, content))
    return found


def _check_names(names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        parts = PurePosixPath(name).parts
        safe = (
            0 < len(name) <= 200
            and "/".join(parts) == name
            and name.isprintable()
            and not any(c in r'\:*?"<>|' for c in name)
            and all(part not in ("..", "/") and not part.endswith((".", " ")) for part in parts)
            and not any(_RESERVED.fullmatch(part) for part in parts)
        )
        if not safe or name.casefold() in seen:
            shown = name[:80].encode("unicode_escape").decode()
            raise FairnbError(
                "unsafe-name",
                f"the document carries a file named '{shown}', which is twice there or leads out of a folder",
                "do not use this document: fairnb never writes such names",
                where=where,
                exit_code=ExitCode.NOT_INTACT,
            )
        seen.add(name.casefold())


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


def _damaged(where: str | Path, code: str, found: str) -> FairnbError:
    return FairnbError(
        code,
        found,
        "take the document again from whoever sent it",
        where=str(where),
        exit_code=ExitCode.NOT_INTACT,
    )
