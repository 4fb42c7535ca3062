"""What every system can do, whatever it is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fairnb.errors import FairnbError
from fairnb.system._masked import Tokens
from fairnb.system._outputs import checked
from fairnb.system._scores import POSITIVE, Scores, system_failed
from fairnb.system._spec import LIVE, SystemSpec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class System(ABC):
    """A text classifier under assessment: all that is asked of it is a score per class for texts."""

    adapter: ClassVar[str]
    """What kind of system it is, in messages and in the document."""
    batch: ClassVar[int] = 256
    """Texts per call, unless the case file says otherwise."""
    live: bool = True
    """False for recorded scores: no new text can be scored."""
    quick: ClassVar[bool] = False
    """True where asking again takes no longer than looking up what was kept, and costs nothing."""
    remedy: ClassVar[str] = "put the system right and run again"
    """What to do when the system itself fails."""

    def __init__(self, spec: SystemSpec, live_object: Any = None) -> None:
        self.spec = spec
        self.live_object = live_object

    @property
    def name(self) -> str:
        """What messages and the document call the system."""
        return self.spec.name or self.origin

    @property
    def origin(self) -> str:
        """What the case file names, or the live object's own name."""
        if self.live_object is None:
            return self.spec.value
        return str(getattr(self.live_object, "__qualname__", type(self.live_object).__name__))

    @property
    def label(self) -> str:
        """Adapter and origin, for messages."""
        return f"{self.adapter} {self.origin}"

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the scores' columns."""
        return self.spec.classes or (POSITIVE,)

    @property
    def batch_size(self) -> int:
        """Most texts per call."""
        return self.spec.batch_size or self.batch

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """SHA-256 over weights and configuration; empty where nothing vouches for the system's identity."""

    @property
    def facts(self) -> dict[str, Any]:
        """What the document prints of the system, as plain values: kind, version, files with digests, trust."""
        return {
            "kind": self.adapter,
            "version": self.spec.version,
            "declared": dict(self.spec.declared),
            "notes": self.notes,
        }

    @property
    def notes(self) -> list[str]:
        """What a reader should know of how the system came to be scored, in sentences."""
        spec = self.spec
        if self.live_object is None or spec.python == LIVE:
            return []
        return [
            f"The notebook passed {self.origin} in place of {spec.kind} = {spec.value!r} of the case file"
        ]

    @abstractmethod
    def raw(self, texts: list[str]) -> Any:
        """Ask the system itself: whatever it returns or raises."""

    def encoded(self, tokens: Tokens, masks: npt.NDArray[np.bool_]) -> npt.NDArray[Any] | None:
        """What the system makes of masked texts before it scores them: a row for each, equal rows scored alike.

        None where it only takes texts.
        """
        return None

    def raw_encoded(self, rows: npt.NDArray[Any]) -> Any:
        """Ask the system itself about rows of `encoded`: to the bit what `raw` says of their texts.

        Raises
        ------
        TypeError
            If the system only takes texts, so that `encoded` gives no rows to ask about.
        """
        raise TypeError(
            f"{type(self).__name__} takes texts only, and was asked about {len(rows)} encoded rows"
        )

    def score(self, texts: Sequence[str], *, rows: Sequence[int] | None = None) -> Scores:
        """Score some texts in one call.

        Parameters
        ----------
        texts : sequence of str
            At most `batch_size` for good speed.
        rows : sequence of int, optional
            Where each text stands, counted from 0, for messages; by default its place in `texts`.

        Raises
        ------
        FairnbError
            ``system-failed`` with the type and message of what the system raised (exit code 5); the
            errors of wrong answers, see `fairnb.system.Scores`.
        """
        return self._checked(self.raw, list(texts), rows)

    def score_encoded(self, rows: npt.NDArray[Any]) -> Scores:
        """Score some rows of `encoded` in one call; errors as those of `score`."""
        return self._checked(self.raw_encoded, rows)

    def _checked(self, ask: Callable[[Any], Any], asked: Any, rows: Sequence[int] | None = None) -> Scores:
        # Counted first: the system may do to its list what it likes.
        number = len(asked)
        if not number:
            return checked([], 0, self.classes, self.label)
        try:
            answer = ask(asked)
        except (FairnbError, KeyboardInterrupt):
            raise
        except BaseException as error:
            # Whatever a system raises is its failure; only an interrupt is the person's.
            raise system_failed(
                "system-failed",
                self.label,
                f"the system raised {type(error).__name__}{first_line(error)} on {number} texts",
                self.remedy,
            ) from error
        return checked(answer, number, self.classes, self.label, rows)


def first_line(error: BaseException) -> str:
    """First line of an exception's message, short enough for one sentence."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f" ({line[:300]})" if line else ""
