"""What each token of a text adds to its score, by shap: Owen values over neighbouring tokens."""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.explanation._explain import NO_TOKENS
from fairnb.explanation._tokens import Span, spans_of
from fairnb.text import printable

if TYPE_CHECKING:
    import numpy.typing as npt

    Predict = Callable[[Sequence[str]], npt.NDArray[Any]]

MOST_TOKENS = 200
"""A longer text is not explained: its tree of neighbours would leave no evaluations for single tokens."""
_BATCH = 512


@dataclass(frozen=True, eq=False)
class Attribution:
    """How the score of a text is made up of its tokens."""

    spans: tuple[Span, ...]
    values: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Shape (tokens,): `base` and these add up to `score`."""
    base: float = math.nan
    """P(positive) of the text with every token masked."""
    score: float = math.nan
    reason: str = ""
    """Why there is none; empty if there is one."""


def shap_is_installed() -> bool:
    """Whether the extra `explain` is there."""
    return importlib.util.find_spec("shap") is not None


class _Unscored(Exception):
    pass


class Attributor:
    """Explains texts with shap's partition explainer.

    Parameters
    ----------
    predict : callable
        P(positive) of different texts; NaN where there is none.
    stand_in : str
        What stands for masked tokens; for several in a row it stands once, as in shap.
    evaluations : int
        Evaluations that shap may spend on one text (``max_evals``).

    Notes
    -----
    Lundberg and Lee (2017); shap's ``PartitionExplainer`` with its ``maskers.Text`` over the tokens of
    `spans_of`. A token is masked with the punctuation behind it; white space in a row is written as one
    space.
    """

    def __init__(self, predict: Predict, *, stand_in: str = "...", evaluations: int = 500) -> None:
        import shap  # type: ignore[import-untyped]

        self._predict = predict
        self._known: dict[str, float] = {}
        self._evaluations = evaluations
        self._masker = shap.maskers.Text(_tokenised, mask_token=stand_in, collapse_mask_token=True)
        self._explainer = shap.explainers.Partition(self._scores, self._masker)

    def attribute(self, texts: Sequence[str]) -> list[Attribution]:
        """Explain texts; never raises for what a text holds.

        What their trees will ask for is scored beforehand, all texts together: a system answers one large
        batch far sooner than hundreds of small ones.
        """
        spans = {text: spans_of(text) for text in dict.fromkeys(texts)}
        self._known = {}
        self._score(
            dict.fromkeys(form for text, own in spans.items() for form in self._forms(text, len(own)))
        )
        found = {text: self._attributed(text, own) for text, own in spans.items()}
        return [found[text] for text in texts]

    def _attributed(self, text: str, spans: tuple[Span, ...]) -> Attribution:
        if not spans:
            return Attribution(spans, reason=NO_TOKENS)
        if len(spans) > MOST_TOKENS:
            return Attribution(spans, reason=f"{len(spans):,} tokens, more than {MOST_TOKENS}")
        try:
            whole = np.ones(len(spans), dtype=bool)
            base, score = self._scores([self._masked(text, kept) for kept in (~whole, whole)]).tolist()
            if len(spans) == 1:
                # shap's tree needs two tokens; of one token the value is the whole difference.
                return Attribution(spans, np.array([score - base]), base, score)
            values = self._values(text)
        except _Unscored:
            return Attribution(spans, reason="the system gave no score to a masked form of the text")
        except (ValueError, IndexError, ZeroDivisionError) as error:
            # Of shap, for shapes of text it does not foresee: the others go on.
            return Attribution(spans, reason=f"shap could not explain it ({printable(str(error))[:80]})")
        return Attribution(spans, values, base, score)

    def _values(self, text: str) -> npt.NDArray[np.float64]:
        # shap breaks ties of its queue by numpy's one global generator, which is the assessor's.
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(0)  # noqa: NPY002
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self._explainer([text], max_evals=self._evaluations, batch_size=_BATCH, silent=True)
        finally:
            np.random.set_state(state)  # noqa: NPY002
        return np.asarray(found.values[0], np.float64)

    def _forms(self, text: str, tokens: int) -> Iterator[str]:
        """Masked forms that shap will ask for: all of a short text, the upper branches of a longer one."""
        if not 0 < tokens <= MOST_TOKENS:
            return
        nothing = np.zeros(tokens, dtype=bool)
        masks = [nothing, ~nothing]
        if tokens > 1:
            tree = self._masker.clustering(text)
            every = _branches(tree, tokens, self._evaluations)
            # Which branches of a large tree are looked into depends on the scores: only the top is sure.
            masks += every if len(every) < self._evaluations else every[: self._evaluations // 4]
        for mask in {mask.tobytes(): mask for mask in masks}.values():
            yield self._masked(text, mask)

    def _masked(self, text: str, kept: npt.NDArray[np.bool_]) -> str:
        return str(self._masker(kept, text)[0][0])

    def _score(self, texts: Iterable[str]) -> None:
        new = [text for text in texts if text not in self._known]
        if new:
            scored = np.asarray(self._predict(new), np.float64).tolist()
            self._known.update(zip(new, scored, strict=True))

    def _scores(self, texts: Any) -> npt.NDArray[np.float64]:
        asked = [str(text) for text in texts]
        self._score(dict.fromkeys(asked))
        values = np.array([self._known[text] for text in asked])
        if np.isnan(values).any():
            raise _Unscored
        return values


def _branches(tree: npt.NDArray[Any], tokens: int, most: int) -> list[npt.NDArray[np.bool_]]:
    """Masks that the recursion over a tree of neighbours visits, from the top, at most so many.

    At each branch both halves are put back, into what is there already; then each half is taken apart
    without and with the other.
    """
    members = list(np.eye(tokens, dtype=bool))
    for left, right in tree[:, :2].astype(int).tolist():
        members.append(members[left] | members[right])
    masks: list[npt.NDArray[np.bool_]] = []
    waiting = deque([(np.zeros(tokens, dtype=bool), len(members) - 1)])
    while waiting and len(masks) < most:
        there, node = waiting.popleft()
        if node < tokens:
            continue
        left, right = (int(half) for half in tree[node - tokens, :2])
        with_left, with_right = there | members[left], there | members[right]
        masks += [with_left, with_right]
        waiting += [(there, left), (with_right, left), (there, right), (with_left, right)]
    return masks


def _tokenised(text: str, return_offsets_mapping: bool = True) -> dict[str, list[Any]]:
    """The tokens of a text as shap asks for them."""
    if not text:
        return {"input_ids": [], "offset_mapping": []}
    spans = list(spans_of(text)) or [(0, len(text))]
    # What stands before the first token belongs to it: shap would leave it out of every masked text.
    spans[0] = (0, spans[0][1])
    return {"input_ids": [text[start:end] for start, end in spans], "offset_mapping": spans}
