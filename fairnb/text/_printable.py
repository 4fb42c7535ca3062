"""Texts on a terminal and in exported tables."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Show what would act unseen (control and direction characters, line ends) as escapes.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        One line without anything that a terminal obeys.

    Examples
    --------
    >>> printable("a title\x1b[2J")
    'a title\\x1b[2J'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
