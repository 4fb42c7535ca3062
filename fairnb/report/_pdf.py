"""HTML to PDF: tagged, written as PDF/A-3a with the claim of PDF/UA-1, files attached, always the same bytes."""

from __future__ import annotations

import datetime as dt
import gc
import io
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairnb.errors import ExitCode, FairnbError

if TYPE_CHECKING:
    import pikepdf

_PACKAGES = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core"
_UA = (
    '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">'
    "<pdfuaid:part>1</pdfuaid:part></rdf:Description>"
)
# PDF/A wants every property outside its own schemas described.
_UA_SCHEMA = (
    '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" '
    'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" '
    'xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag>'
    '<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>'
    "<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>"
    "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>"
    '<rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>'
    "<pdfaProperty:valueType>Integer</pdfaProperty:valueType>"
    "<pdfaProperty:category>internal</pdfaProperty:category>"
    "<pdfaProperty:description>Part of PDF/UA that the document claims</pdfaProperty:description>"
    "</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
)


@dataclass(frozen=True)
class Attached:
    """A file inside the PDF."""

    name: str
    data: bytes
    description: str
    relationship: str = "Supplement"
    """How it relates to the pages: Data, Source, Supplement (ISO 32000-2, 7.11.3)."""


def write_pdf(
    html: str, *, moment: dt.datetime, identifier: str, attachments: tuple[Attached, ...] = ()
) -> bytes:
    """A PDF of a page that carries everything it shows.

    Parameters
    ----------
    html : str
        Nothing outside of it is loaded.
    moment : datetime
        Date of the document and its attachments; the clock is never read.
    identifier : str
        Hexadecimal; the first 16 bytes become the file's identifier.
    attachments : tuple of Attached

    Raises
    ------
    FairnbError
        ``no-pango`` if WeasyPrint or the system libraries it needs are missing.
    """
    weasyprint = _weasyprint()
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    files = [
        weasyprint.Attachment(
            string=item.data,
            name=item.name,
            description=item.description,
            relationship=item.relationship,
            created=moment,
            modified=moment,
        )
        for item in attachments
    ]
    fetcher = weasyprint.urls.URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    page = weasyprint.HTML(string=html, url_fetcher=fetcher)
    with _rarely_collected():
        data = page.write_pdf(
            pdf_variant="pdf/a-3a",
            pdf_identifier=bytes.fromhex(identifier)[:16],
            attachments=files,
            full_fonts=False,
        )
    return _finished(data, attachments)


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Let memory be searched for garbage seldom: a layout makes millions of objects that stay until its end."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _weasyprint() -> Any:
    try:
        import weasyprint
        import weasyprint.urls
    except ImportError as error:
        raise FairnbError(
            "no-pango",
            "WeasyPrint is not installed, so no PDF can be written",
            "install it with: pip install 'fairnb[pdf]'",
            exit_code=ExitCode.BAD_INPUT,
        ) from error
    except OSError as error:
        raise FairnbError(
            "no-pango",
            "the system library Pango is missing, so no PDF can be written",
            f"install it, on Debian and Ubuntu with: apt install {_PACKAGES}",
        ) from error
    return weasyprint


def _finished(data: bytes, attachments: tuple[Attached, ...]) -> bytes:
    """What WeasyPrint leaves open: the claim of PDF/UA, each attachment listed once, file types."""
    import pikepdf

    with pikepdf.open(io.BytesIO(data)) as pdf:
        metadata = pdf.Root.Metadata.read_bytes().decode("utf-8")
        metadata = metadata.replace("</rdf:RDF>", f"{_UA}{_UA_SCHEMA}</rdf:RDF>", 1)
        pdf.Root.Metadata = pikepdf.Stream(pdf, metadata.encode("utf-8"), Type=pikepdf.Name.Metadata,
                                           Subtype=pikepdf.Name.XML)  # fmt: skip
        if "/AF" in pdf.Root:
            pdf.Root.AF = pikepdf.Array(_once(pdf.Root.AF))
        types = {item.name: _type(item.name) for item in attachments}
        for name, specification in pdf.attachments.items():
            stream = specification.obj.EF.F
            stream.Subtype = pikepdf.Name("/" + types.get(name, "application/octet-stream"))
        pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        out = io.BytesIO()
        pdf.save(out, static_id=False, deterministic_id=True, linearize=False,
                 object_stream_mode=pikepdf.ObjectStreamMode.disable)  # fmt: skip
    return out.getvalue()


def _once(listed: pikepdf.Object) -> list[pikepdf.Object]:
    seen: Mapping[Any, Any] = {}
    kept: dict[tuple[int, int], pikepdf.Object] = dict(seen)
    for item in listed:
        kept.setdefault(item.objgen, item)
    return list(kept.values())


def _type(name: str) -> str:
    return {"json": "application/json", "ipynb": "application/x-ipynb+json", "toml": "application/toml",
            "html": "text/html"}.get(name.rpartition(".")[2], "application/octet-stream")  # fmt: skip
