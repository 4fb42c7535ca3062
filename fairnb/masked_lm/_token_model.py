"""What is asked of a masked language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Progress = Callable[[int, int], None]
"""Told what is done of how much; may raise to stop."""


class Masked(NamedTuple):
    """A sentence's tokens with the model's mask at one position that is asked about, maybe at others too."""

    ids: tuple[int, ...]
    position: int


class Asked(NamedTuple):
    """The probability of one token at a masked position."""

    row: Masked
    target: int


class TokenModel(Protocol):
    """A tokenizer and a distribution over its vocabulary at a masked position."""

    @property
    def mask_token(self) -> str: ...

    @property
    def mask_id(self) -> int: ...

    @property
    def unknown_id(self) -> int | None: ...

    @property
    def uncased(self) -> bool:
        """Whether its tokenizer lower-cases."""

    @property
    def longest(self) -> int | None:
        """Most tokens it takes, its own marks among them; None: no limit is known."""

    def encode(self, text: str) -> tuple[int, ...]:
        """Ids of a text's tokens with the tokenizer's own marks, never cut off."""

    def written(self, token: int) -> str:
        """What a token is written as, its leading space included."""

    def log_probabilities(
        self, asked: Sequence[Asked], progress: Progress | None = None
    ) -> npt.NDArray[np.floating[Any]]:
        """Natural logarithm of each token's probability over the full vocabulary; shape (len(asked),)."""

    def likeliest(
        self, rows: Sequence[Masked], k: int, progress: Progress | None = None
    ) -> list[list[tuple[int, float]]]:
        """The k likeliest tokens of each row with their probabilities, the likeliest first."""


def too_long(model: TokenModel, *sentences: Sequence[int]) -> str:
    """Why sentences cannot be read by a model; empty if they can."""
    most = model.longest
    if most is None or max(map(len, sentences)) <= most:
        return ""
    return f"longer than the {most} tokens the model takes"
