"""Texts as a reader sees them, as the matcher reads them, and as a document may show them."""

from fairnb.text._matchable import Matchable, matchable
from fairnb.text._printable import printable
from fairnb.text._redact import RedactMode, keyed_digest, redact
from fairnb.text._visible import Visible, visible

__all__ = [
    "Matchable",
    "RedactMode",
    "Visible",
    "keyed_digest",
    "matchable",
    "printable",
    "redact",
    "visible",
]
