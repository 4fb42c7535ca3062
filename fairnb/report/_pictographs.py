"""Pictographs for which the document carries no letter: on paper they are named."""

from __future__ import annotations

import re

from fairnb.report._fonts import carried
from fairnb.text import name_pictographs

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
    return _BETWEEN_TAGS.sub(lambda found: name_pictographs(found.group(), carried), html)
