"""The files that an HTML or PDF document carries, read without trusting any of it."""

from __future__ import annotations

import base64
import binascii
import io
import re
import zlib
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote_to_bytes

from fairnb.errors import ExitCode, FairnbError

if TYPE_CHECKING:
    import pikepdf

EVIDENCE = "evidence.json"
"""Name of the evidence among the files inside."""
EVIDENCE_ID = "fairnb-evidence"
"""Id of the HTML link that carries the evidence."""
LARGEST = 128 * 2**20
"""Bytes above which a document, or one file inside it, is not read."""

Kind = Literal["pdf", "html", "notebook", "evidence"]

_DATA_URL = re.compile(r"data:[^,;]*(?:;charset=[\w-]+)?(?P<base64>;base64)?,", re.ASCII | re.IGNORECASE)
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


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
        raise damaged(path, "too-large", f"the file is larger than {LARGEST // 2**20} MB")
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


def open_pdf(data: bytes, where: str) -> pikepdf.Pdf:
    """A PDF as pikepdf reads it, without repairing what is broken.

    Raises
    ------
    FairnbError
        ``damaged-document``, ``encrypted-document``.
    """
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
        raise damaged(where, "damaged-document", "the PDF is damaged and cannot be read") from error


def damaged(where: str | Path, code: str, found: str) -> FairnbError:
    """The error for a document that is not as fairnb writes it; its exit code is 1."""
    return FairnbError(
        code,
        found,
        "take the document again from whoever sent it",
        where=str(where),
        exit_code=ExitCode.NOT_INTACT,
    )


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
        for key, specification in pdf.attachments.items():
            entry = specification.obj
            name = str(entry.get("/UF", key))
            # A file that has one name for one reader and another name for the next is not one file.
            # (The older keys cannot hold letters beyond ASCII, so there only UF counts.)
            if name.isascii() and {key, str(entry.get("/F", name))} != {name}:
                raise damaged(where, "unsafe-name", "a file inside the PDF has two names")
            if any(entry.EF[other].objgen != entry.EF.F.objgen for other in entry.EF.keys()):  # noqa: SIM118
                raise damaged(where, "damaged-document", "a file inside the PDF has two contents")
            found.append((name, _unpacked(entry.EF.F, where)))
        return found
    except (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError) as error:
        raise damaged(where, "damaged-document", "the files inside the PDF cannot be read") from error


def _unpacked(stream: pikepdf.Object, where: str) -> bytes:
    import pikepdf

    # zlib with a limit: a few kilobytes can unpack to more than the machine holds.
    raw = stream.read_raw_bytes()
    filters = stream.get("/Filter")
    if filters is None:
        return raw
    names = [str(item) for item in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if names != ["/FlateDecode"] or stream.get("/DecodeParms") is not None:
        raise damaged(where, "damaged-document", "a file inside is packed in an unusual way")
    try:
        content = zlib.decompressobj().decompress(raw, LARGEST + 1)
    except zlib.error as error:
        raise damaged(where, "damaged-document", "a file inside cannot be unpacked") from error
    if len(content) > LARGEST:
        raise damaged(where, "too-large", f"a file inside is larger than {LARGEST // 2**20} MB")
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
        raise damaged(where, "damaged-document", "the file is neither PDF, HTML nor JSON") from error
    links = parser.links
    if sum(marked == EVIDENCE_ID for _, _, marked in links) > 1:
        raise damaged(where, "damaged-document", "the HTML carries more than one evidence.json")
    for name, address, marked in links:
        if (marked == EVIDENCE_ID) != (name == EVIDENCE):
            raise damaged(where, "damaged-document", "the link to evidence.json has another id or name")
        head = _DATA_URL.match(address)
        if head is None:
            raise damaged(where, "damaged-document", f"the link to {name[:80]!r} cannot be read")
        body = address[head.end() :]
        try:
            content = base64.b64decode(body, validate=True) if head["base64"] else unquote_to_bytes(body)
        except (binascii.Error, ValueError) as error:
            raise damaged(where, "damaged-document", f"the link to {name[:80]!r} cannot be read") from error
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
