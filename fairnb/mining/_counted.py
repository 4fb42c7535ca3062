"""Which groups of texts a tally counts: subgroups, those they are compared with, and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fairnb.errors import FairnbError

if TYPE_CHECKING:
    from scipy import sparse

    from fairnb.mining._mentions import Mentions

    Membership = sparse.csr_array[np.bool_, tuple[int, int]]

CountedBy = Literal["subgroup", "identity_term", "intersection"]
TERM = "identity_term"
"""Name of the group of texts that hold any identity term."""
JOINT = "+"
"""Between the attributes, and the subgroups, of an intersection."""


class Counted(NamedTuple):
    """Groups of texts, and the pairs of them that are compared: `tally` takes all three."""

    names: tuple[str, ...]
    membership: Membership
    """Shape (n, names)."""
    pairs: tuple[tuple[str, str], ...]


def counted_groups(mentions: Mentions, by: CountedBy, reference: Mapping[str, str] | None = None) -> Counted:
    """Groups of texts to count, each with the group that it is compared with.

    Parameters
    ----------
    mentions : Mentions
    by : {"subgroup", "identity_term", "intersection"}
        ``attribute/subgroup`` and, for each attribute, the texts that mention any subgroup of it, under the
        attribute's name; or the terms, and ``identity_term`` for any of them; or, for each pair of attributes
        and each pair of their subgroups that meet in a text, ``gender+religion/female+Islam``, and
        ``gender+religion`` for texts that mention either attribute. So ``~gender`` is everyone else.
    reference : mapping, optional
        Attribute -> the subgroup with which the others are compared. Names that nobody mentions are let be.

    Returns
    -------
    Counted
        `pairs` joins each group with its attribute's, and with the reference's.

    Raises
    ------
    FairnbError
        ``unknown-grouping``.
    """
    from scipy import sparse

    if by == "identity_term":
        names, parts = mentions.terms, [mentions.by_term]
        unions = {TERM: list(range(len(names)))} if names else {}
        pairs = [(name, TERM) for name in names]
    elif by == "subgroup":
        names, parts = tuple(f"{a}/{s}" for a, s in mentions.subgroups), [mentions.by_subgroup]
        unions = _of_attributes(mentions)
        pairs = [(f"{a}/{s}", a) for a, s in mentions.subgroups]
        declared = {f"{a}/{s}" for a, s in (reference or {}).items()}.intersection(names)
        for attribute, subgroup in mentions.subgroups:
            other = f"{attribute}/{(reference or {}).get(attribute, '')}"
            if other in declared and other != f"{attribute}/{subgroup}":
                pairs.append((f"{attribute}/{subgroup}", other))
    elif by == "intersection":
        return _intersections(mentions)
    else:
        raise FairnbError(
            "unknown-grouping",
            f"texts cannot be counted by {by!r}",
            "choose subgroup, identity_term or intersection",
        )
    parts += [_any(parts[0], columns) for columns in unions.values()]
    return Counted((*names, *unions), sparse.csr_array(sparse.hstack(parts, format="csr")), tuple(pairs))


def _of_attributes(mentions: Mentions) -> dict[str, list[int]]:
    """Attribute -> columns of its subgroups."""
    columns: dict[str, list[int]] = {}
    for index, (attribute, _) in enumerate(mentions.subgroups):
        columns.setdefault(attribute, []).append(index)
    return columns


def _any(membership: Membership, columns: list[int]) -> Membership:
    """Whether a text belongs to any of the groups; shape (n, 1)."""
    from scipy import sparse

    inside = np.asarray(membership[:, columns].sum(axis=1)).reshape(-1, 1) > 0
    return sparse.csr_array(inside)


def _intersections(mentions: Mentions) -> Counted:
    from scipy import sparse

    names: list[str] = []
    pairs: list[tuple[str, str]] = []
    parts: list[Membership] = []
    for (one, first), (other, second) in combinations(_of_attributes(mentions).items(), 2):
        union = f"{one}{JOINT}{other}"
        for a in first:
            for b in second:
                both = mentions.by_subgroup[:, [a]].multiply(mentions.by_subgroup[:, [b]])
                if both.nnz:
                    name = f"{union}/{mentions.subgroups[a][1]}{JOINT}{mentions.subgroups[b][1]}"
                    names.append(name)
                    pairs.append((name, union))
                    parts.append(sparse.csr_array(both))
        names.append(union)
        parts.append(_any(mentions.by_subgroup, first + second))
    if not parts:
        return Counted((), mentions.by_subgroup[:, []], ())
    return Counted(tuple(names), sparse.csr_array(sparse.hstack(parts, format="csr")), tuple(pairs))
