"""Which texts are explained: drawn by label, by whom they name, and by whether they score high."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.explanation import Sample
    from fairnb.mining import Mentions
    from fairnb.sections._contract import Role, View

_NAMED = ("names no group", "names a group by other words", "holds an identity term")
_LABELS = {1: "positive", 0: "negative", -1: "no label"}


@dataclass(frozen=True, eq=False)
class Drawn:
    """The texts drawn, equal ones with equal labels once."""

    texts: list[str]
    weights: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int8]
    rows: npt.NDArray[np.intp]


def drawn_of(view: View, role: Role, size: int, mentions: Mentions | None) -> tuple[Drawn, Sample]:
    """A sample of the corpus by label, by what a text names, and by whether it scores high."""
    from fairnb.explanation import stratified

    texts = view.corpus(role).texts
    labels, scores = view.labels(role), view.scores(role)
    times: dict[tuple[str, int], int] = {}
    first: dict[tuple[str, int], int] = {}
    for row in np.flatnonzero(np.isfinite(scores)).tolist():
        one = (texts[row], int(labels[row]))
        times[one] = times.get(one, 0) + 1
        first.setdefault(one, row)
    rows = np.fromiter(first.values(), np.intp, len(first))
    named = np.zeros(len(texts), int)
    if mentions is not None:
        # Identity terms have a stratum of their own: they are few, and the ones that are tested.
        named[np.asarray(mentions.by_subgroup.sum(axis=1)).ravel() > 0] = 1
        named[np.asarray(mentions.by_term.sum(axis=1)).ravel() > 0] = 2
    # A system that fires on few words would else be explained by texts on which it does not.
    sides, cut = _sides(scores[rows], view.target.threshold)
    words = dict(enumerate((f"scores under {cut:.2g}", f"scores {cut:.2g} or more")))
    strata = [
        ", ".join((_LABELS[label], _NAMED[named[row]], *([] if sides is None else [words[int(sides[at])]])))
        for at, ((_, label), row) in enumerate(first.items())
    ]
    sample = stratified(strata, size, view.seed)
    repeated = np.fromiter(times.values(), float, len(times))
    chosen = rows[sample.rows]
    return (
        Drawn(
            [texts[row] for row in chosen.tolist()],
            sample.weights * repeated[sample.rows],
            np.asarray(labels)[chosen],
            chosen,
        ),
        sample,
    )


def _sides(
    scores: npt.NDArray[np.floating[Any]], threshold: float
) -> tuple[npt.NDArray[np.bool_] | None, float]:
    """Which texts score high, and from where on: the threshold, or the middle of scores on one side of it.

    None where all scores are equal.
    """
    if not len(scores) or scores.min() == scores.max():
        return None, threshold
    cut = threshold
    if not scores.min() < threshold <= scores.max():
        cut = (float(scores.min()) + float(scores.max())) / 2
    return scores >= cut, cut
