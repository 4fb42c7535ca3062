"""Which texts are explained: the telling ones of a corpus, each for a reason that is printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairnb.sections._contract import Need
from fairnb.sections._format import signed
from fairnb.sections._swap_made import PLACEBO, Text, swap_texts

if TYPE_CHECKING:
    from fairnb.sections._contract import Role, View

GIVEN = "given"
_LABELS = {1: "positive", 0: "negative"}


@dataclass(frozen=True)
class Chosen:
    """A text to explain, and why it."""

    text: str
    why: str
    label: str = ""
    """positive, negative, or empty where there is none."""


def given(texts: Sequence[str]) -> list[Chosen]:
    """Texts of the assessor, each once."""
    return [Chosen(text, GIVEN) for text in dict.fromkeys(texts)]


def telling(view: View, role: Role, threshold: float, *, per_kind: int, most: int) -> list[Chosen]:
    """Texts of a corpus: the surest right and wrong ones, the nearest to the threshold, those whose scores a
    swap of the group named moves most, and the largest errors by subgroup.

    A text is taken for the first reason that holds; equal texts are one.
    """
    texts = view.corpus(role).texts
    labels = np.asarray(view.labels(role))
    scores = np.asarray(view.scores(role), np.float64)
    known = np.isfinite(scores)
    flagged = scores >= threshold
    yes, no = known & (labels == 1), known & (labels == 0)
    kinds = [
        ("rightly flagged, surest", yes & flagged, -scores),
        ("rightly not flagged, surest", no & ~flagged, scores),
        ("wrongly flagged, surest", no & flagged, -scores),
        ("missed, surest", yes & ~flagged, scores),
        ("nearest the threshold", known, np.abs(scores - threshold)),
    ]
    taken: dict[str, Chosen] = {}
    for why, among, order in kinds:
        _take(taken, texts, labels, why, among, order, per_kind)
    for why, shift in _swapped(view, role, labels, scores):
        if len(taken) >= most:
            break
        moved = np.nan_to_num(np.abs(shift))
        _take(taken, texts, labels, why, moved > 0, -moved, 1, of=shift)
    error = np.abs(scores - labels)
    for group, members in _groups(view, role):
        if len(taken) >= most:
            break
        _take(taken, texts, labels, f"names {group}, largest error", members & (yes | no), -error, 1)
    return list(taken.values())[:most]


def _swapped(
    view: View, role: Role, labels: np.ndarray, scores: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """For each direction of the swaps of `swap`, by how much it moves each text; NaN where it changes nothing.

    The texts are those of that section, and so are their scores, if it has run before.
    """
    if not view.has(Need.MENTIONS) or "en" not in view.lexicon.languages:
        return
    corpus = view.corpus(role)
    languages = corpus.languages
    rows = [
        row
        for row in np.flatnonzero(np.isin(labels, (0, 1)) & np.isfinite(scores)).tolist()
        if languages is None or languages[row].split("-")[0] in ("", "en")
    ]
    # The cluster brings a text's row back.
    texts = [Text(corpus.texts[row], int(labels[row]), str(row), float(scores[row])) for row in rows]
    pairs = swap_texts(
        view.lexicon,
        tuple(view.lexicon.attributes),
        texts,
        view.predict,
        every_pair=False,
        titles=False,
        surnames=False,
    )
    for pair in pairs:
        for (subgroup, to), done in pair.rows.items():
            if to == PLACEBO or not done:
                continue
            shift = np.full(len(labels), np.nan)
            for one in done:
                shift[int(one.cluster)] = one.shift
            why = f"names {pair.attribute}: {subgroup}, moved most by the swap to {to}"
            yield why, shift


def _take(
    taken: dict[str, Chosen],
    texts: Sequence[str],
    labels: np.ndarray,
    why: str,
    among: np.ndarray,
    order: np.ndarray,
    number: int,
    of: np.ndarray | None = None,
) -> None:
    """Put the first texts by an order among those taken; `of` are shifts that the reason tells of."""
    rows = np.flatnonzero(among)
    for row in rows[np.argsort(order[rows], kind="stable")].tolist():
        if number == 0:
            return
        if texts[row] not in taken:
            moved = "" if of is None else f" ({signed(100 * float(of[row]), 1)} points)"
            taken[texts[row]] = Chosen(texts[row], why + moved, _LABELS.get(int(labels[row]), ""))
            number -= 1


def _groups(view: View, role: Role) -> Iterator[tuple[str, np.ndarray]]:
    """Subgroups with the rows that mention them, most mentioned first."""
    if not view.has(Need.MENTIONS):
        return
    names, membership = view.mentions(role).groups("subgroup")
    table = membership.tocsc()
    sizes = np.diff(table.indptr)
    for at in np.argsort(-sizes, kind="stable").tolist():
        members = np.zeros(table.shape[0], dtype=bool)
        members[table.indices[table.indptr[at] : table.indptr[at + 1]]] = True
        yield names[at].replace("/", ": "), members
