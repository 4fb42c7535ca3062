"""What was seen of a file of texts, in words and as a table."""

from __future__ import annotations

from collections.abc import Mapping

from fairnb.corpus import FilePreview
from fairnb.errors import FairnbError
from fairnb.lexicon import Lexicon
from fairnb.notebook._mapping import WORDS, Use, guessed_mention
from fairnb.notebook._tables import as_table
from fairnb.registry import known as known_thing
from fairnb.text import printable

_MOST = 8
"""Labels, languages, and columns of the first rows that are shown."""


def notes_of(
    seen: FilePreview, uses: Mapping[str, Use], lexicon: Lexicon | None, score: str, *, fresh: bool
) -> dict[str, str]:
    """By column, why its use is a guess, or what it may be.

    Parameters
    ----------
    seen : FilePreview
    uses : mapping
    lexicon : Lexicon or None
    score : str
        The column of recorded scores that is the system; empty if it is another.
    fresh : bool
        Whether the uses are guesses, and not the case file's.
    """
    notes = {score: "the system's recorded scores"} if score else {}
    for one in seen.columns:
        use = uses.get(one.name, Use())
        mention = guessed_mention(one.name, lexicon) if one.name in seen.identities else None
        if use.of:
            if fresh:
                notes[one.name] = f"guessed: {one.reason if one.role == use.of else 'by its name'}"
        elif mention is not None:
            notes[one.name] = f"maybe mentions of {mention.attribute}, {mention.subgroup}"
        elif one.role and one.name != score:
            notes[one.name] = f"maybe {WORDS.get(one.role, one.role)}"
    return notes


def told_of(name: str) -> str:
    """What a known corpus is."""
    try:
        thing = known_thing(name)
    except FairnbError as error:
        return str(error)
    return f"{thing.title}. Licence: {thing.licence}"


def first_rows(seen: FilePreview, uses: Mapping[str, Use]) -> str:
    """The first rows as a table: of many columns, those that are used first."""
    order = sorted(range(len(seen.columns)), key=lambda at: not uses.get(seen.columns[at].name, Use()).of)
    kept = sorted(order[:_MOST])
    head = [printable(seen.columns[at].name) or "(no name)" for at in kept]
    rows = [[row[at] for at in kept] for row in seen.rows]
    less = "" if len(kept) == len(seen.columns) else f"; {len(kept)} of {len(seen.columns):,} columns"
    whole = f"{seen.guess.rows:,}" if seen.whole else f"at least {seen.guess.rows:,}"
    table = as_table(f"The first rows of {whole}, masked{less}", [head, *rows])
    return f"<div class='fairnb-rows' tabindex='0' role='region' aria-label='The first rows'>{table}</div>"


def facts_of(seen: FilePreview, more: str) -> str:
    """What was counted, in words."""
    counts = ", ".join(f"{label}: {rows:,}" for label, rows in seen.guess.labels[:_MOST]) or "none found"
    said = [f"{seen.guess.rows:,} rows", f"labels {counts}", f"{seen.duplicates:,} duplicate texts"]
    if seen.languages:
        spoken = [f"{one or 'none'}: {rows:,}" for one, rows in seen.languages[:_MOST]]
        said.append(f"languages {', '.join(spoken)}")
    if seen.guess.known:
        said.append(f"this is the known corpus {seen.guess.known}")
    if seen.guess.encoding:
        said.append(f"read as {seen.guess.encoding}")
    return "; ".join([*said, more] if more else said)
