"""The finished HTML of a document, for the screen and for paper."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from string import ascii_uppercase
from typing import TYPE_CHECKING, Literal

from fairnb.report._changes import date_words
from fairnb.report._fonts import font_faces
from fairnb.report._html import render
from fairnb.report._pictographs import named_pictographs
from fairnb.report._signatory import signed_by_another

if TYPE_CHECKING:
    from fairnb.report._document import Document

# No text can hold it: control characters are printed by their code.
_FONTS = "/*\x1f*/"
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Signer:
    """Who is about to sign the document, as the page tells it."""

    name: str
    organisation: str
    role: str
    fingerprint: str
    """SHA-256 of the certificate, hexadecimal."""


@dataclass(frozen=True)
class Entry:
    """A line of the table of contents."""

    label: str
    title: str
    anchor: str
    annex: bool = False


def render_document(
    document: Document,
    *,
    medium: Literal["screen", "paper"],
    evidence: bytes = b"",
    attached: Sequence[str] = (),
    signer: Signer | None = None,
) -> str:
    """The document as one HTML page with everything inside.

    Parameters
    ----------
    document : Document
    medium : {'screen', 'paper'}
        Paper has no links to save, its method texts are unfolded, its contents stand on a page.
    evidence : bytes
        Canonical JSON that the screen's page carries for saving.
    attached : sequence of str
        Names of the files that the PDF carries.
    signer : Signer, optional
        Whose electronic signature the file will carry.
    """
    entries = contents(document)
    others = signed_by_another([(signer.name, signer.role)], document.assessor) if signer else ()
    html = render(
        "index.html.j2",
        document=document,
        entries={entry.anchor: entry for entry in entries},
        paper=medium == "paper",
        date=date_words(document.moment),
        moment=document.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        evidence_address="data:application/json;base64," + base64.b64encode(evidence).decode("ascii"),
        attached=tuple(attached),
        signer=signer,
        others=others,
        fonts=_Marker(),
    )  # fmt: skip
    if medium == "paper":
        html = named_pictographs(html)
    # The letters are cut once it is known which are needed.
    return html.replace(_FONTS, font_faces(sorted(_printed(html))), 1)


def contents(document: Document) -> tuple[Entry, ...]:
    """Chapters in their order: numbers for the body, letters for the annexes."""
    body = [(view.title, view.anchor) for view in document.sections]
    body += [("Findings", "findings"), ("Limitations", "limits"), ("Sign-off", "signoff")]
    annexes = [
        ("Parameters, and what was changed", "annex-parameters"),
        ("Measures", "annex-measures"),
        ("Differences put to the test", "annex-questions") if document.questions else None,
        ("Further tables", "annex-tables") if document.further else None,
        ("Paper and this assessment", "annex-paper") if document.beside_paper else None,
        ("Software and run log", "annex-environment"),
        ("Not verified by fairnb", "annex-outputs") if document.outputs else None,
        ("Words used", "annex-glossary"),
    ]
    return (
        Entry("", "At a glance", "glance"),
        *(Entry(str(number), title, anchor) for number, (title, anchor) in enumerate(body, 1)),
        *(
            Entry(letter, entry[0], entry[1], annex=True)
            for letter, entry in zip(ascii_uppercase, filter(None, annexes), strict=False)
        ),
    )


class _Marker:
    """Stands for the fonts until the characters are known."""

    def __html__(self) -> str:
        return _FONTS


def _printed(html: str) -> set[str]:
    """Characters that the page can show: those outside of tags, and those that style rules bring in."""
    _, _, body = html.partition("</style>")
    return set(unescape(_TAG.sub("", body))) | set("0123456789Page of DRAFT·…sha256ABCDEFFNB-▲●◆○abcdef–•")
