"""What a verification found: frozen values, each of which says what it asserts and what it does not."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fairnb.errors import ExitCode
from fairnb.files import plain
from fairnb.text import printable

LEVELS = (
    "the file is as it was signed",
    "the printed figures equal the evidence, and the arithmetic holds from the tallies",
    "the figures were computed again from the texts and the recorded scores",
    "the system scored the texts again",
)
"""What each level of verification asserts; every level includes those before it."""


@dataclass(frozen=True)
class SignatureStatus:
    """One signature."""

    signer: str
    """Name in the signer's certificate. What the certificate says: believe it only where `trusted`."""
    organisation: str
    """Organisation in the certificate; may be empty. Believe it only where `trusted`."""
    time: dt.datetime | None
    """When it was signed by the signer's own clock (UTC). Nobody else vouches for it."""
    reason: str
    """Why it was signed, in the signer's words; ``draft`` marks a draft."""
    role: str
    """In what capacity, as the signer claims."""
    location: str
    """Where, as the signer claims."""
    intact: bool
    """The signed bytes are unchanged and the signature over them holds. Says nothing about who signed."""
    trusted: bool
    """The certificate leads to one of the given roots and was valid at `time`. Says nothing about
    revocation, nor that the signer's key was in the signer's hands alone."""
    covers_whole_file: bool
    """No byte of the file lies outside this signature. False for earlier ones of several."""
    fingerprint: str
    """SHA-256 of the signer's certificate, to compare over another channel."""


@dataclass(frozen=True)
class VerificationStatus:
    """What was found out about one file. Integrity and trust are two answers."""

    path: str
    """The file, as it was named."""
    kind: Literal["pdf", "html", "evidence"]
    """What the file is, by its content."""
    intact: bool
    """Every signature is intact, there is at least one, and the last covers the whole file. Does not
    say who signed, nor that anything in the file is true."""
    trusted: bool
    """`intact`, and every signer's certificate leads to one of the given roots. False also where no
    roots were given."""
    covers_whole_file: bool
    """The last signature covers every byte; earlier ones cover the file as it was when they were made,
    and nothing but signatures came after."""
    level: int | None
    """The highest level reached of 0 to 3, see `LEVELS`; None if not even level 0."""
    signatures: tuple[SignatureStatus, ...]
    """In the order in which they were made."""
    document_status: Literal["draft", "final", "unknown"]
    """``draft`` if any signer signed a draft or the evidence says that something is missing; ``unknown``
    without an intact signature."""
    evidence_intact: bool
    """The evidence inside is whole: its digest and those of every payload and tally in it were computed
    again and agree. Does not say that the printed figures equal it (level 1)."""
    problems: tuple[str, ...]
    """One sentence for each thing that is not as it should be."""
    notes: tuple[str, ...]
    """One sentence for each thing that is allowed and that a reader should know: a signer who is not the
    assessor named in the evidence. Names are what certificate and evidence say; believe them only where
    `trusted`."""
    what_is_not_shown: str
    """What a reader must not conclude from this status."""
    integrity_only: bool = False
    """Trust was not asked for: `exit_code` does not depend on it."""

    @property
    def exit_code(self) -> ExitCode:
        """What `fairnb verify` returns: 0, 1 (not intact, unsigned or damaged) or 4 (not trusted)."""
        if not (self.intact and self.evidence_intact):
            return ExitCode.NOT_INTACT
        if self.trusted or self.integrity_only:
            return ExitCode.DONE
        return ExitCode.NOT_TRUSTED

    @property
    def summary(self) -> str:
        """The answer in one sentence."""
        if not self.signatures:
            return "Not verified: " + (self.problems[0] if self.problems else "the document is not signed")
        if not self.intact:
            return "Changed or damaged: this is not the file that was signed"
        if not self.evidence_intact:
            return "As it was signed, but the evidence inside does not hold"
        if self.trusted:
            return "Intact, and signed by someone you trust"
        if self.integrity_only:
            return "Intact; who signed it was not checked"
        return "Intact, but nothing shows who signed it: the signer is not among those you trust"

    def to_dict(self) -> dict[str, Any]:
        """Every field and the exit code as plain values."""
        values: dict[str, Any] = plain({**asdict(self), "exit_code": int(self.exit_code)})
        return values

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def describe(self) -> str:
        """The status as lines for a person."""
        lines = [f"{self.path}: {self.summary}."]
        for number, signature in enumerate(self.signatures, 1):
            who = ", ".join(filter(None, (signature.signer, signature.organisation)))
            when = f"{signature.time:%d %B %Y %H:%M} UTC" if signature.time else "at a time not stated"
            role = f" as {signature.role}" if signature.role else ""
            lines.append(f"  Signature {number}: {who}{role}, {when} (signer's clock).")
            lines.append(f"    Certificate SHA-256 {signature.fingerprint}")
        # Without a signature the first problem is the summary already.
        rest = self.problems if self.signatures else self.problems[1:]
        lines += [f"  Problem: {problem}." for problem in rest]
        lines += [f"  Note: {note}." for note in self.notes]
        if self.level is not None:
            lines.append(f"  Document status: {self.document_status}.")
        lines.append(f"  {self.what_is_not_shown}")
        return "\n".join(printable(line) for line in lines)


def not_shown(level: int | None, expired: dt.datetime | None) -> str:
    """What does not follow from a level that was reached.

    Parameters
    ----------
    level : int or None
    expired : datetime or None
        When the signer's certificate ran out, if it has.
    """
    if level is None:
        return "Nothing is shown: do not rely on this file."
    beyond = "; ".join(f"level {number}, that {LEVELS[number]}" for number in range(level + 1, len(LEVELS)))
    text = (
        f"Reached level {level} of 3: {LEVELS[level]}. Not shown, as no command of this version checks it: {beyond}. "
        "A signature does not make a statement true, and its time is the signer's own clock."
    )
    if expired is not None:
        text += f" The signer's certificate ran out on {expired:%d %B %Y}; it was valid at the time stated."
    return text
