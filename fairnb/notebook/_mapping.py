"""What the columns of a file are used for: uses on one side, keys of the case file on the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fairnb.corpus import CorpusSpec, FilePreview, SubgroupColumns
from fairnb.errors import FairnbError
from fairnb.lexicon import Lexicon

UseOf = Literal["", "text", "label", "id", "language", "cluster", "annotator", "score", "mention"]
WORDS: Mapping[str, str] = {
    "": "not used",
    "text": "text",
    "label": "label",
    "id": "id",
    "language": "language",
    "cluster": "cluster (author, thread)",
    "annotator": "one annotator's label",
    "score": "recorded score",
    "mention": "annotated mention",
}
MENTION = float(SubgroupColumns.model_fields["at_least"].default)
"""From which value on a cell is a mention, unless said otherwise."""
_ONE_EACH: tuple[UseOf, ...] = ("text", "label", "id", "language", "cluster")
_NEEDED = ("text", "label")
_AT_LEAST = "at_least"
_BESIDE = frozenset(
    ("share", "fraction", "score", "label", "mention", "mentions", "mentioned", "annotated", "is", "has")
)
"""Words in names of columns that name no subgroup."""
_IDENTITY = ("yes or no", "share from 0 to 1")


@dataclass(frozen=True)
class Use:
    """What one column is used for."""

    of: UseOf = ""
    attribute: str = ""
    """Of an annotated mention: its protected attribute."""
    subgroup: str = ""


def uses_of(spec: CorpusSpec) -> list[tuple[str, Use]]:
    """Column and use, as the case file's table has them; a column may have several uses."""
    found: list[tuple[str, Use]] = []
    for of in _ONE_EACH:
        column = getattr(spec, of)
        if column is None and of in _NEEDED:
            # The column of this name is taken where none is named.
            column = of
        if column is not None:
            found.append((column, Use(of)))
    found += [(column, Use("annotator")) for column in spec.annotators]
    found += [(column, Use("score")) for column in spec.scores]
    for attribute, chosen in spec.subgroups.items():
        found += [(column, Use("mention", attribute, name)) for name, column in chosen.columns.items()]
    return found


def bounds_of(spec: CorpusSpec) -> dict[str, float]:
    """By attribute: from which value on a cell is a mention."""
    return {attribute: chosen.at_least for attribute, chosen in spec.subgroups.items()}


def guessed_uses(seen: FilePreview, lexicon: Lexicon | None) -> dict[str, Use]:
    """What the columns of a file that is new to the case seem to be for."""
    found: dict[str, Use] = {}
    for one in seen.columns:
        if one.repeated:
            continue
        mention = guessed_mention(one.name, lexicon) if one.kind in _IDENTITY and not one.role else None
        of: Any = "" if one.role == "score" else one.role
        found[one.name] = mention or Use(of)
    return found


def guessed_mention(column: str, lexicon: Lexicon | None) -> Use | None:
    """The subgroup whose name or term a column's name is; None if there is none, or several.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fairnb.lexicon import LexiconSpec, load_lexicon
    >>> guessed_mention("female_share", load_lexicon(LexiconSpec(), Path()))
    Use(of='mention', attribute='gender', subgroup='female')
    """
    if lexicon is None:
        return None
    parts = re.sub(r"([a-z])([A-Z])", r"\1 \2", column).casefold()
    name = " ".join(word for word in re.split(r"[\W_]+", parts) if word and word not in _BESIDE)
    for ways in (_names, _terms):
        hits = [
            Use("mention", attribute, subgroup)
            for attribute, subgroups in lexicon.attributes.items()
            for subgroup, terms in subgroups.items()
            if name in ways(subgroup, terms)
        ]
        if hits:
            return hits[0] if len(hits) == 1 else None
    return None


def _names(subgroup: str, terms: Iterable[str]) -> set[str]:
    return {subgroup.casefold()}


def _terms(subgroup: str, terms: Iterable[str]) -> set[str]:
    return {term.casefold() for term in terms}


def keys_of(path: str, uses: Iterable[tuple[str, Use]], bounds: Mapping[str, float]) -> dict[str, Any]:
    """The keys of a corpus's table that the uses of a file's columns come to.

    Parameters
    ----------
    path : str
        The file.
    uses : iterable of (str, Use)
    bounds : mapping
        By attribute: from which value on a cell is a mention.

    Raises
    ------
    FairnbError
        ``use-twice``, ``use-missing``, ``no-subgroup``; `where` is the key at fault.
    """
    found: dict[str, Any] = {"path": path}
    lists: dict[str, list[str]] = {"annotators": [], "score": []}
    subgroups: dict[str, dict[str, Any]] = {}
    for column, use in uses:
        if use.of in _ONE_EACH:
            if use.of in found:
                raise FairnbError(
                    "use-twice",
                    f"two columns of {path} are the {use.of} ({found[use.of]} and {column})",
                    "choose one of them",
                    where=use.of,
                )
            found[use.of] = column
        elif use.of == "annotator":
            lists["annotators"].append(column)
        elif use.of == "score":
            lists["score"].append(column)
        elif use.of == "mention":
            _add_mention(subgroups, column, use, path)
    for of in _NEEDED:
        if of not in found:
            raise FairnbError(
                "use-missing", f"no column of {path} is the {of}", "choose the one that is", where=of
            )
    found.update({key: columns for key, columns in lists.items() if columns})
    for attribute, chosen in subgroups.items():
        bound = bounds.get(attribute, MENTION)
        found.setdefault("subgroups", {})[attribute] = chosen | (
            {_AT_LEAST: bound} if bound != MENTION else {}
        )
    return found


def _add_mention(subgroups: dict[str, dict[str, Any]], column: str, use: Use, path: str) -> None:
    attribute, subgroup = use.attribute.strip(), use.subgroup.strip()
    if not attribute or not subgroup or subgroup == _AT_LEAST:
        lacks = "protected attribute" if not attribute else "subgroup"
        raise FairnbError(
            "no-subgroup",
            f"the column {column!r} of {path} has no {lacks}",
            "say which subgroup's mentions it holds, such as gender, female",
            where="subgroups",
        )
    chosen = subgroups.setdefault(attribute, {})
    if subgroup in chosen:
        raise FairnbError(
            "use-twice",
            f"two columns of {path} are mentions of {attribute}, {subgroup} ({chosen[subgroup]} and {column})",
            "choose one of them",
            where="subgroups",
        )
    chosen[subgroup] = column
