"""How readers say that a file is not what it should be."""

from __future__ import annotations

from fairnb.errors import FairnbError

_AGAIN = "get the file again, or convert it to word2vec text with the library that wrote it"


def damaged(place: str, found: str, remedy: str = _AGAIN) -> FairnbError:
    """``damaged-embeddings``: what is wrong with the file, and where in it."""
    return FairnbError("damaged-embeddings", found, remedy, where=place)
