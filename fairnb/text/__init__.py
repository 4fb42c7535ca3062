"""Texts as a reader sees them, as the matcher reads them, and as a document may show them."""

from fairnb.text._matchable import Matchable, matchable
from fairnb.text._pictographs import name_pictographs
from fairnb.text._printable import printable
from fairnb.text._redact import Personal, PersonalKind, RedactMode, keyed_digest, personal_data, redact
from fairnb.text._visible import Visible, visible

__all__ = [
    "Matchable",
    "Personal",
    "PersonalKind",
    "RedactMode",
    "Visible",
    "keyed_digest",
    "matchable",
    "name_pictographs",
    "personal_data",
    "printable",
    "redact",
    "visible",
]
