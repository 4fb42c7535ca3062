"""The findings of a case as a table in its notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairnb.case import Case
    from fairnb.report import RegisterView


@dataclass(frozen=True)
class Findings:
    """What `case.findings()` hands back: the register over the last results, to be looked at.

    `register` has it as plain values: rows with the computed finding and what a person says of it.
    """

    register: RegisterView

    def _repr_html_(self) -> str:
        from fairnb.report import render_register

        return render_register(self.register)

    def __repr__(self) -> str:
        from fairnb.report import register_text

        return register_text(self.register)


def findings_table(case: Case) -> Findings:
    """The last results' findings, beside what `findings.toml` says now.

    Raises
    ------
    FairnbError, FairnbErrors
        Every mistake in `findings.toml`.
    """
    from fairnb.case import read_register
    from fairnb.report import register_of

    payloads = [payload.to_json() for payload in case.results()]
    return Findings(register_of(payloads, read_register(case.folder)))
