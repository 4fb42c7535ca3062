"""Pictographs for which a reader's fonts have no letter are named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

_MODIFIER = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
_FIRST_LETTER = 0x1F1E6
_FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
_PICTURE = rf"[\u2190-\u2bff\u3030-\u32ff\U0001f000-\U0001f1e5\U0001f200-\U0001faff]{_MODIFIER}*"
_CLUSTER = re.compile(rf"[{_FLAG_LETTERS}]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*|[{_FLAG_LETTERS}]")


def name_pictographs(text: str, carried: Callable[[Sequence[str]], bool]) -> str:
    """A text in which pictographs without a letter are put in words.

    Parameters
    ----------
    text : str
    carried : callable
        Whether there is a letter for each of these characters.

    Returns
    -------
    str

    Examples
    --------
    >>> name_pictographs("well done \U0001f923", lambda signs: False)
    'well done [emoji: rolling on the floor laughing]'
    """

    def named(found: re.Match[str]) -> str:
        cluster = found.group()
        signs = [sign for sign in cluster if sign not in "\ufe0e\ufe0f\u200d"]
        if carried(signs):
            return cluster
        if all(_FIRST_LETTER <= ord(sign) < _FIRST_LETTER + 26 for sign in signs):
            letters = "".join(chr(ord("A") + ord(sign) - _FIRST_LETTER) for sign in signs)
            return f"[emoji: flag {letters}]"
        names = [unicodedata.name(sign, f"U+{ord(sign):04X}") for sign in signs]
        return f"[emoji: {', '.join(name.lower() for name in names)}]"

    return _CLUSTER.sub(named, text)
