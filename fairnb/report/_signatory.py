"""Who signs and who assessed: two persons, where a reviewer or somebody else signs."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


def assessor_of(evidence: Mapping[str, Any]) -> str:
    """Name of the assessor as the engagement records it; empty if evidence, whatever its shape, states none."""
    payloads = evidence.get("payloads")
    for payload in payloads if isinstance(payloads, list) else ():
        found: Any = payload
        for key in ("content", "result", "facts", "engagement", "assessor", "name"):
            found = found.get(key) if isinstance(found, Mapping) else None
        if isinstance(found, str) and payload["content"].get("section") == "engagement":
            return " ".join(found.split())
    return ""


def signed_by_another(signers: Sequence[tuple[str, str]], assessor: str) -> list[str]:
    """One sentence for each signer who is not the assessor that the case file names.

    Names are compared as written, but for capitals and spaces; nothing is said where no assessor is named.
    Where the assessor has signed as well, a signer in another role, such as a reviewer, is no surprise.

    Parameters
    ----------
    signers : sequence of (name, role)
    assessor : str

    Examples
    --------
    >>> signed_by_another([("B. Other", "assessor")], "A. Example")
    ['Signed by B. Other, who is not the assessor named in the case file, A. Example']
    >>> signed_by_another([("a.  example", "assessor"), ("B. Other", "reviewer")], "A. Example")
    []
    """
    if not assessor:
        return []
    own = _same(assessor)
    others = [(name, role) for name, role in signers if _same(name) != own]
    if len(others) < len(signers):
        others = [(name, role) for name, role in others if role == "assessor"]
    return [
        f"Signed by {name}{f' as {role}' if role not in ('', 'assessor') else ''}, who is not the assessor named in "
        f"the case file, {assessor}"
        for name, role in others
    ]


def _same(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
