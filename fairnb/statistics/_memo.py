"""What was worked out from a tally once, kept for who asks the same again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
Memo = dict[Hashable, Any]
"""Answers by function and arguments."""
_SHARED = "_memo_of_entries"
_OWN = "_memo_of_thresholds"


def of_entries(
    function: Callable[Concatenate[Tally, _Asked], _Answer],
) -> Callable[Concatenate[Tally, _Asked], _Answer]:
    """Keep what a function of a tally's entries gives; tallies that differ in thresholds share it.

    The function may look at `thresholds`, `flagged` and `clusters` neither itself nor through others. What
    it is asked with can be hashed, and what it gives is frozen.
    """
    return _kept(function, _SHARED)


def of_thresholds(
    function: Callable[Concatenate[Tally, _Asked], _Answer],
) -> Callable[Concatenate[Tally, _Asked], _Answer]:
    """Keep what a function of a tally gives as long as there is that tally, and no longer."""
    return _kept(function, _OWN)


def share(tally: Tally, memo: Memo) -> None:
    """Let a tally answer from what is known of its entries, and add to it."""
    vars(tally)[_SHARED] = memo


def _kept(
    function: Callable[Concatenate[Tally, _Asked], _Answer], where: str
) -> Callable[Concatenate[Tally, _Asked], _Answer]:
    # Defaults are filled in, so that one question has one key however it is put.
    form = signature(function)
    count = len(form.parameters) - 1

    @wraps(function)
    def asked(tally: Tally, /, *args: _Asked.args, **options: _Asked.kwargs) -> _Answer:
        memo: Memo = vars(tally).setdefault(where, {})
        # Most are asked again in the same words: filling in defaults takes longer than many an answer.
        words = (asked, args, tuple(options.items()))
        if words in memo:
            known: _Answer = memo[words]
            return known
        if options or len(args) != count:
            bound = form.bind(tally, *args, **options)
            bound.apply_defaults()
            key = (function, *tuple(bound.arguments.values())[1:])
        else:
            key = (function, *args)
        if key not in memo:
            memo[key] = function(tally, *args, **options)
        answer: _Answer = memo[key]
        memo[words] = answer
        return answer

    return asked
