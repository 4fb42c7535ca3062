"""What each token of a text adds to its score, by shap: Owen values over neighbouring tokens."""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Callable, Sequence
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
    """Explains texts one after the other with shap's partition explainer.

    Parameters
    ----------
    predict : callable
        P(positive) of different texts; NaN where there is none.
    stand_in : str
        What stands for masked tokens; for several in a row it stands once, as in shap.
    evaluations : int
        Most masked texts scored for one text.

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

    def attribute(self, text: str) -> Attribution:
        """Explain one text; never raises for what a text holds."""
        spans = spans_of(text)
        if not spans:
            return Attribution(spans, reason=NO_TOKENS)
        if len(spans) > MOST_TOKENS:
            return Attribution(spans, reason=f"{len(spans):,} tokens, more than {MOST_TOKENS}")
        self._known = {}
        try:
            if len(spans) == 1:
                # shap's tree needs two tokens; of one token the value is the whole difference.
                base, score = self._scores([self._masked(text, kept) for kept in (False, True)])
                return Attribution(spans, np.array([score - base]), float(base), float(score))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self._explainer([text], max_evals=self._evaluations, batch_size=_BATCH, silent=True)
            values = np.asarray(found.values[0], np.float64)
            base = float(np.asarray(found.base_values).ravel()[0])
            (score,) = self._scores([self._masked(text, True, len(spans))])
        except _Unscored:
            return Attribution(spans, reason="the system gave no score to a masked form of the text")
        except (ValueError, IndexError, ZeroDivisionError) as error:
            # Of shap, for shapes of text it does not foresee: the others go on.
            return Attribution(spans, reason=f"shap could not explain it ({printable(str(error))[:80]})")
        return Attribution(spans, values, base, float(score))

    def _masked(self, text: str, kept: bool, tokens: int = 1) -> str:
        return str(self._masker(np.full(tokens, kept), text)[0][0])

    def _scores(self, texts: Any) -> npt.NDArray[np.float64]:
        asked = [str(text) for text in texts]
        new = [text for text in dict.fromkeys(asked) if text not in self._known]
        if new:
            scored = np.asarray(self._predict(new), np.float64)
            if np.isnan(scored).any():
                raise _Unscored
            self._known.update(zip(new, scored.tolist(), strict=True))
        return np.array([self._known[text] for text in asked])


def _tokenised(text: str, return_offsets_mapping: bool = True) -> dict[str, list[Any]]:
    """The tokens of a text as shap asks for them."""
    if not text:
        return {"input_ids": [], "offset_mapping": []}
    spans = list(spans_of(text)) or [(0, len(text))]
    # What stands before the first token belongs to it: shap would leave it out of every masked text.
    spans[0] = (0, spans[0][1])
    return {"input_ids": [text[start:end] for start, end in spans], "offset_mapping": spans}
