"""What is gathered while one file is checked."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fairnb.report._status import SignatureStatus

if TYPE_CHECKING:
    from fairnb.report._trust import Judgement


@dataclass
class Findings:
    """Gathered by one check and thrown away after it; `VerificationStatus` is what is kept."""

    signatures: list[SignatureStatus] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    covers: bool = False
    sound: bool = True
    """False once anything was found that makes the file not intact."""
    expires: list[dt.datetime] = field(default_factory=list)

    def problem(self, sentence: str) -> None:
        """Note what makes the file not intact."""
        self.sound = False
        self.problems.append(sentence)

    def add(self, signature: SignatureStatus, judged: Judgement, *, roots_given: bool) -> None:
        """Note a signature, and why its signer is not trusted."""
        self.signatures.append(signature)
        self.expires.append(judged.not_after)
        if not signature.intact or signature.trusted:
            return
        if judged.mistrust:
            reason = judged.mistrust
        elif roots_given:
            reason = "the certificate does not lead to any of the certificates you trust"
        else:
            reason = "no certificate to trust was given"
        self.problems.append(f"the signer {judged.name!r} is not trusted: {reason}")


def signature_status(
    judged: Judgement,
    moment: dt.datetime | None,
    reason: str,
    role: str,
    location: str,
    *,
    intact: bool,
    trusted: bool,
    whole: bool,
) -> SignatureStatus:
    """A signature's status from what was found out about it; whoever is not intact is not trusted."""
    return SignatureStatus(
        signer=judged.name,
        organisation=judged.organisation,
        time=moment,
        reason=reason,
        role=role,
        location=location,
        intact=intact,
        trusted=intact and trusted and not judged.mistrust,
        covers_whole_file=whole,
        fingerprint=judged.fingerprint,
    )
