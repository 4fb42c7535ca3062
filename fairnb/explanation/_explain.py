"""Why one text got its score: LIME with its Monte-Carlo spread, or exactly where the text is short."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.explanation._local import Surrogate, fit_part, fit_surrogate
from fairnb.explanation._tokens import Units, units_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.system import Tokens

    Predict = Callable[[Sequence[str]], npt.NDArray[Any]]
    Masks = npt.NDArray[np.bool_]
    PredictMasked = Callable[[Tokens, Masks], npt.NDArray[Any]]

ENUMERATED_UP_TO = 12
"""Texts with so few units are explained from all their masked forms: at most 4,096."""
COMPARED = 5
"""The largest weights that runs are compared by."""
NO_TOKENS = "no tokens to explain"
_LEAST_SCORED = 0.5


@dataclass(frozen=True, eq=False)
class Explanation:
    """What in one text moves its score, and how far that can be leaned on."""

    units: Units
    reason: str = ""
    """Why there is no explanation; empty if there is one."""
    score: float | None = None
    """P(positive) of the whole text."""
    surrogate: Surrogate | None = None
    error: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Monte-Carlo standard error of each weight, shape (chosen,); zero where all masks were enumerated."""
    removed: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Score of the text minus that without the feature alone, shape (chosen,); NaN where there is no score."""
    kept: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Score with the feature alone kept minus that with nothing kept, shape (chosen,)."""
    stability: float | None = None
    """Mean share that the runs' largest weights have in common; None where there is one run only."""
    exact: bool = False
    """Whether all masked forms were scored, weighted as lime draws them."""
    seeds: int = 0
    samples: int = 0
    distinct: int = 0
    """Different masked texts scored."""
    unscored: int = 0
    """Those among them to which the system gave no score."""


def explain(
    text: str,
    predict: Predict,
    *,
    predict_masked: PredictMasked | None = None,
    samples: int = 5000,
    seeds: int = 10,
    seed: int = 0,
    features: int = 10,
    by_word: bool = False,
    stand_in: str = "UNKWORDZ",
) -> Explanation:
    """Explain the score of one text.

    The samples are dealt to runs, each with a generator of its own. The weights are those of lime on all
    samples together; their error follows from how the runs differ. A text of at most twelve units needs no
    draws: all its masked forms are scored and weighted by the law by which lime draws them (number of units
    removed uniform, then every choice of that many alike).

    Parameters
    ----------
    text : str
    predict : callable
        P(positive) of different texts; NaN where there is none.
    predict_masked : callable, optional
        P(positive) of a text's different masked forms, from its tokens and which of them each form keeps;
        by default `predict` is asked for their texts.
    samples : int
        Masked texts in all, the text itself included, as lime counts them.
    seeds : int
        Runs.
    seed : int
        From it follow the generators of the runs.
    features : int
        Largest number of weights.
    by_word : bool
        One weight for all occurrences of a word, instead of one for each.
    stand_in : str
        What stands where a token was; empty: nothing.

    Returns
    -------
    Explanation
    """
    units = units_of(text, by_word=by_word)
    width = len(units)
    if not width:
        return Explanation(units, NO_TOKENS)
    exact = width <= ENUMERATED_UP_TO
    if exact:
        masks, counts = _all_masks(width, samples)
    else:
        masks, counts = _drawn(width, samples, seeds, seed)
    scores = _Scores(units, units.tokens(stand_in), predict_masked or _from_texts(predict))
    values = scores.of(masks)
    if math.isnan(values[0]):
        return Explanation(units, "the system gave no score to the text")
    known = ~np.isnan(values)
    unscored = int((~known).sum())
    if unscored:
        total = counts.sum()
        masks, values, counts = masks[known], values[known], counts[:, known]
        if counts.sum() < _LEAST_SCORED * total:
            return Explanation(units, f"the system gave no score to {unscored} of {len(scores)} masked texts")
    surrogate = fit_surrogate(masks, values, counts.sum(axis=0), features=features)
    removed, kept = _alone(len(units), surrogate.chosen, scores)
    error = np.zeros(len(surrogate.chosen))
    stability = None
    if not exact:
        error, stability = _spread(masks, values, counts, surrogate, features)
    return Explanation(
        units,
        score=float(values[0]),
        surrogate=surrogate,
        error=error,
        removed=removed,
        kept=kept,
        stability=stability,
        exact=exact,
        seeds=0 if exact else seeds,
        samples=samples,
        distinct=len(scores),
        unscored=unscored,
    )


def _all_masks(width: int, samples: int) -> tuple[Masks, npt.NDArray[np.float64]]:
    """Every mask with the number of times that lime would draw it on average; the text itself first."""
    codes = np.arange(2**width)[::-1]
    masks = (codes[:, None] >> np.arange(width)) & 1 == 1
    removed = width - masks.sum(axis=1)
    alike = np.array([math.comb(width, k) for k in range(width + 1)], float)
    counts = (samples - 1) / (width * alike[removed])
    counts[0] = 1.0
    return masks, counts[None, :]


def _drawn(width: int, samples: int, seeds: int, seed: int) -> tuple[Masks, npt.NDArray[np.float64]]:
    """Different masks, the text itself first, and how often each run drew them; shapes (m, d), (seeds, m)."""
    draws = [(samples - 1) * (run + 1) // seeds - (samples - 1) * run // seeds for run in range(seeds)]
    drawn = np.empty((samples, width), dtype=bool)
    drawn[0] = True
    at = 1
    for run, number in enumerate(draws):
        random = np.random.default_rng([seed, run])
        removed = random.integers(1, width + 1, number)
        places = random.random((number, width)).argsort(axis=1).argsort(axis=1)
        drawn[at : at + number] = places >= removed[:, None]
        at += number
    packed = np.packbits(drawn, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    which = rank[inverse]
    run_of = np.repeat(np.arange(seeds), draws)
    counts = np.zeros((seeds, len(order)))
    np.add.at(counts, (run_of, which[1:]), 1.0)
    # lime puts the text itself before its draws, once; each run has its part of that.
    counts[:, 0] += 1.0 / seeds
    return drawn[first[order]], counts


def _from_texts(predict: Predict) -> PredictMasked:
    def predict_masked(tokens: Tokens, masks: Masks) -> npt.NDArray[Any]:
        texts = tokens.texts(masks)
        # A token that is the stand-in itself makes different masks one text.
        place = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        return np.asarray(predict(list(place)))[[place[text] for text in texts]]

    return predict_masked


class _Scores:
    """Scores of masked forms, each different one asked for once."""

    def __init__(self, units: Units, tokens: Tokens, predict_masked: PredictMasked) -> None:
        self._units = units
        self._tokens = tokens
        self._predict_masked = predict_masked
        self._known: dict[bytes, float] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, masks: Masks) -> npt.NDArray[np.float64]:
        keys = [row.tobytes() for row in np.packbits(masks, axis=1)]
        new = {key: at for at, key in enumerate(keys) if key not in self._known}
        if new:
            asked = self._units.masks_of_tokens(masks[list(new.values())])
            scored = np.asarray(self._predict_masked(self._tokens, asked), np.float64).tolist()
            self._known.update(zip(new, scored, strict=True))
        return np.array([self._known[key] for key in keys])


def _alone(
    width: int, chosen: npt.NDArray[np.intp], scores: _Scores
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What removing each feature from the text does, and what keeping it alone does.

    A word that does neither moves nothing, whatever weight the linear model gives it.
    """
    number = len(chosen)
    masks = np.zeros((2 * number + 2, width), dtype=bool)
    masks[: number + 1] = True
    masks[np.arange(number), chosen] = False
    masks[np.arange(number) + number + 1, chosen] = True
    values = scores.of(masks)
    return values[number] - values[:number], values[number + 1 : -1] - values[-1]


def _spread(
    masks: Masks,
    values: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    surrogate: Surrogate,
    features: int,
) -> tuple[npt.NDArray[np.float64], float]:
    """Standard error of the weights, and what the runs' largest weights have in common."""
    share = 1.0 / len(counts)
    weights = np.empty((len(counts), len(surrogate.chosen)))
    largest: list[set[int]] = []
    for run, own in enumerate(counts):
        there = own > 0
        weights[run], free = fit_part(
            masks[there], values[there], own[there], surrogate.chosen, features=features, share=share
        )
        largest.append(set(free[:COMPARED].tolist()))
    error = weights.std(axis=0, ddof=1) / math.sqrt(len(counts))
    of = min(COMPARED, len(surrogate.chosen))
    common = [len(one & other) / of for one, other in itertools.combinations(largest, 2)]
    return error, float(np.mean(common))
