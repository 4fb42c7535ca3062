"""Pictographs for which the document carries no letter: on paper they are named."""

from __future__ import annotations

import re
import unicodedata

from fairnb.report._fonts import carried

_MODIFIER = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
_FIRST_LETTER = 0x1F1E6
_FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
_PICTURE = rf"[\u2190-\u2bff\u3030-\u32ff\U0001f000-\U0001f1e5\U0001f200-\U0001faff]{_MODIFIER}*"
_CLUSTER = re.compile(rf"[{_FLAG_LETTERS}]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*|[{_FLAG_LETTERS}]")
_BETWEEN_TAGS = re.compile(r"(?<=>)[^<>]*[^\x00-\x7f<>][^<>]*(?=<)")


def named_pictographs(html: str) -> str:
    """A page's text with pictographs that no font of the document has put in words.

    Attributes are left as they are: what is read out needs no letter.

    Parameters
    ----------
    html : str

    Returns
    -------
    str

    Examples
    --------
    >>> named_pictographs("<p>well done \U0001f923</p>")
    '<p>well done [emoji: rolling on the floor laughing]</p>'
    """
    return _BETWEEN_TAGS.sub(lambda found: _CLUSTER.sub(_named, found.group()), html)


def _named(found: re.Match[str]) -> str:
    cluster = found.group()
    signs = [sign for sign in cluster if sign not in "\ufe0e\ufe0f\u200d"]
    if carried(signs):
        return cluster
    if all(_FIRST_LETTER <= ord(sign) < _FIRST_LETTER + 26 for sign in signs):
        letters = "".join(chr(ord("A") + ord(sign) - _FIRST_LETTER) for sign in signs)
        return f"[emoji: flag {letters}]"
    names = [unicodedata.name(sign, f"U+{ord(sign):04X}") for sign in signs]
    return f"[emoji: {', '.join(name.lower() for name in names)}]"
