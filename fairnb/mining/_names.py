"""Names of persons in texts, by named-entity recognition: how many, never which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairnb.errors import ExitCode, FairnbError
from fairnb.mining._entities import readable
from fairnb.mining._pipeline import entities_named, find_pipeline, load

_LABEL = "PERSON"
_BATCH = 256
_NOT_NAMES = frozenset("@#/")
"""Characters of handles, hashtags and links: what holds one is no name, nor is what follows one."""


@dataclass(frozen=True, slots=True)
class Named:
    """How many names each text holds, and what found them."""

    counts: tuple[int, ...]
    """Names in each text."""
    pipeline: str
    """Name and version."""
    digest: str
    """SHA-256 over the files of the pipeline."""


def find_names(
    texts: Sequence[str],
    *,
    progress: Callable[[int, int, str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Named:
    """Count the names of persons in English texts.

    Entities of the kind PERSON count, unless they belong to a handle, a hashtag or a link. Equal texts are
    read once. Names themselves are not kept.

    Parameters
    ----------
    texts : sequence of str
        Raw texts.
    progress : callable, optional
        Called with different texts done, different texts in all, and what is done.
    cancelled : callable, optional
        Asked between batches.

    Returns
    -------
    Named

    Raises
    ------
    FairnbError
        ``package-missing`` without the extra ner; ``cancelled`` (exit code 130).
    """
    pipeline = find_pipeline()
    forms = [readable(text).text for text in texts]
    distinct = list(dict.fromkeys(forms))
    counts: dict[str, int] = {}
    nlp = load(pipeline.folder, pipeline.excluded)
    for start in range(0, len(distinct), _BATCH):
        if cancelled is not None and cancelled():
            raise FairnbError(
                "cancelled", "finding names was stopped", "run again", exit_code=ExitCode.INTERRUPTED
            )
        batch = distinct[start : start + _BATCH]
        for text, spans in zip(batch, entities_named(nlp, batch, _LABEL), strict=True):
            counts[text] = sum(_is_name(text, *span) for span in spans)
        if progress is not None:
            progress(len(counts), len(distinct), "finding names")
    return Named(tuple(counts[form] for form in forms), pipeline.title, pipeline.digest)


def _is_name(text: str, start: int, end: int) -> bool:
    return _NOT_NAMES.isdisjoint(text[max(0, start - 1) : end])
