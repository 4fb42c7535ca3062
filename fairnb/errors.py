"""The one error fairnb raises for what a person can put right."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """What the `fairnb` command returns to the shell."""

    DONE = 0
    NOT_INTACT = 1
    BAD_INPUT = 2
    UNFAITHFUL = 3
    NOT_TRUSTED = 4
    FAILED = 5
    INTERRUPTED = 130


class FairnbError(Exception):
    """A mistake, a damaged file or a failed system, told in one sentence.

    Parameters
    ----------
    code : str
        Stable machine name in kebab-case, such as ``"unknown-label"``.
    found : str
        What was found, without a full stop.
    remedy : str
        What to do about it, without a full stop.
    where : str
        File, line, key or row; empty where there is no place to name.
    exit_code : ExitCode
        What the command line returns.
    """

    def __init__(
        self,
        code: str,
        found: str,
        remedy: str,
        *,
        where: str = "",
        exit_code: ExitCode = ExitCode.BAD_INPUT,
    ) -> None:
        self.code = code
        self.found = found
        self.remedy = remedy
        self.where = where
        self.exit_code = exit_code
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.found}; {self.remedy}"

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback: the sentence."""
        return [str(self)]


class FairnbErrors(FairnbError):
    """Several errors found in one pass, so that all can be put right at once.

    Parameters
    ----------
    errors : sequence of FairnbError
        At least one.
    """

    def __init__(self, errors: Sequence[FairnbError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(
            first.code if len(self.errors) == 1 else "several-errors",
            first.found,
            first.remedy,
            where=first.where,
            exit_code=max(error.exit_code for error in self.errors),
        )

    def __str__(self) -> str:
        # FairnbError.__init__ formats itself before `errors` of a subclass matter to it.
        return "\n".join(str(error) for error in self.errors)
