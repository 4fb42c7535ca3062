"""A sample of texts, perturbed and scored once each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairnb.sections._contract import Role, View
    from fairnb.variants import Perturbation


@dataclass(frozen=True, slots=True)
class Text:
    """One labelled and scored text of the corpus."""

    row: int
    text: str
    label: int
    cluster: str
    language: str
    score: float


@dataclass(frozen=True, slots=True)
class Moved:
    """A text that a perturbation changed, with its score after."""

    of: Text
    new: str
    after: float


@dataclass(frozen=True)
class Made:
    """What one perturbation made of the sample."""

    perturbation: Perturbation
    rows: tuple[Moved, ...]
    unchanged: int
    """Texts that it could not change."""
    unscored: int
    """Changed texts to which the system gave no score."""


def texts_of(view: View, role: Role) -> tuple[list[Text], dict[str, Any]]:
    """Texts that can be sampled, each once; and what was left out."""
    corpus, labels, scores = view.corpus(role), view.labels(role), view.scores(role)
    spoken = view.lexicon.languages
    unless_told = spoken[0] if len(spoken) == 1 else ""
    texts: dict[str, Text] = {}
    unlabelled = unscored = repeated = 0
    for row, text in enumerate(corpus.texts):
        if labels[row] not in (0, 1):
            unlabelled += 1
        elif scores[row] != scores[row]:
            unscored += 1
        elif text in texts:
            repeated += 1
        else:
            texts[text] = Text(
                row,
                text,
                int(labels[row]),
                text if corpus.clusters is None else corpus.clusters[row],
                unless_told if corpus.languages is None else corpus.languages[row],
                float(scores[row]),
            )
    return list(texts.values()), {
        "corpus": corpus.name,
        "texts": len(texts),
        "unlabelled": unlabelled,
        "unscored": unscored,
        "repeated": repeated,
        "clustered": corpus.clusters is not None,
    }


def sampled(texts: Sequence[Text], size: int, threshold: float, seed: int) -> list[Text]:
    """Texts drawn at random within label and decision, as many of each as their share.

    Which are drawn follows from the seed and the texts themselves, not from their order.
    """
    strata: dict[tuple[int, bool], list[Text]] = {}
    for one in sorted(texts, key=lambda one: _draw(one.text, seed)):
        strata.setdefault((one.label, one.score >= threshold), []).append(one)
    if len(texts) <= size:
        wanted = {name: len(held) for name, held in strata.items()}
    else:
        wanted = _allotted({name: len(held) for name, held in strata.items()}, size)
    drawn = [one for name, held in strata.items() for one in held[: wanted[name]]]
    return sorted(drawn, key=lambda one: _draw(one.text, seed))


def _draw(text: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _allotted(sizes: Mapping[tuple[int, bool], int], size: int) -> dict[tuple[int, bool], int]:
    """Places in proportion to sizes, rounded so that they add up (largest remainders)."""
    total = sum(sizes.values())
    whole = {name: size * held // total for name, held in sizes.items()}
    order = sorted(sizes, key=lambda name: (-(size * sizes[name] % total), name))
    for name in order[: size - sum(whole.values())]:
        whole[name] += 1
    return whole


def perturb(
    texts: Sequence[Text],
    perturbations: Sequence[Perturbation],
    predict: Callable[[Sequence[str]], Any],
    seed: int,
) -> list[Made]:
    """Perturb all texts in every way, and score what is new in one go."""
    changed = [
        [(text, one.apply(text.text, seed=seed, language=text.language).text) for text in texts]
        for one in perturbations
    ]
    # What a perturbation makes may stand in the corpus, too: its own score is asked for all the same.
    wanted = list(dict.fromkeys(new for pairs in changed for text, new in pairs if new != text.text))
    scores = dict(zip(wanted, map(float, predict(wanted)), strict=True)) if wanted else {}
    made = []
    for one, pairs in zip(perturbations, changed, strict=True):
        moved = [Moved(text, new, scores[new]) for text, new in pairs if new != text.text]
        rows = tuple(row for row in moved if row.after == row.after)  # NaN where the system gave no score
        made.append(Made(one, rows, len(pairs) - len(moved), len(moved) - len(rows)))
    return made
