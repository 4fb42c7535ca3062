"""Chance that is the same on every Python, for corpora that are composed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


class Dice:
    """Whole numbers from SHA-256 in counter mode: the same seed gives the same numbers on every Python.

    Parameters
    ----------
    seed : str
        What the numbers depend on, in words: purpose, part and number.

    Examples
    --------
    >>> Dice("an example").below(6) == Dice("an example").below(6)
    True
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def below(self, n: int) -> int:
        """Draw a number from 0 to n - 1; the bias of the remainder is below 1e-15 for n up to 10,000."""
        self._count += 1
        block = hashlib.sha256(f"{self._seed}:{self._count}".encode()).digest()
        return int.from_bytes(block[:8], "big") % n

    def one_in(self, n: int) -> bool:
        """Be true once in n draws."""
        return self.below(n) == 0

    def pick(self, options: Sequence[_Item]) -> _Item:
        """Draw one of the options."""
        return options[self.below(len(options))]

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """Permute by the algorithm of Fisher and Yates."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order
