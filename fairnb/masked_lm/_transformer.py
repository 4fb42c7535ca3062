"""A masked language model of the transformers library: rows in batches of one length, masked rows through the head."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fairnb.masked_lm._token_model import Asked, Masked, Progress

if TYPE_CHECKING:
    import torch

_TOKENS = 1 << 13
"""Most tokens in one batch."""
_LOGITS = 1 << 23
"""Most logits of one batch: 32 MiB, so that they stay near the processor."""


class MaskedModel:
    """A `TokenModel` that runs; made by `load_masked_model`.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With a masked-language head.
    tokenizer : transformers.PreTrainedTokenizerBase
    facts : mapping
        What it is: name, digest, versions.
    """

    def __init__(self, model: Any, tokenizer: Any, facts: Mapping[str, Any]) -> None:
        self._model = model.eval()
        self._tokenizer = tokenizer
        self.mask_token: str = tokenizer.mask_token
        self.mask_id: int = tokenizer.mask_token_id
        self.unknown_id: int | None = tokenizer.unk_token_id
        self.uncased = _lower_cases(tokenizer)
        self.longest = _longest(model, tokenizer)
        # Byte-level vocabularies never fall back on the token for what they lack.
        self._vocabulary = int(model.config.vocab_size)
        self._short_cut = self._is_alike()
        self.facts: dict[str, Any] = {**facts, "uncased": self.uncased, "longest": self.longest}

    def encode(self, text: str) -> tuple[int, ...]:
        """Ids of a text's tokens with the tokenizer's own marks, never cut off."""
        return tuple(self._tokenizer(text, truncation=False, verbose=False)["input_ids"])

    def written(self, token: int) -> str:
        """What a token is written as, its leading space included."""
        text: str = self._tokenizer.decode([token])
        return text

    def log_probabilities(
        self, asked: Sequence[Asked], progress: Progress | None = None
    ) -> npt.NDArray[np.float64]:
        """Natural logarithm of each token's probability over the full vocabulary; shape (len(asked),)."""
        import torch

        # Rows that are asked about several tokens, and sentences that occur in several pairs, run once.
        by_row: dict[Masked, list[int]] = {}
        for index, (row, _) in enumerate(asked):
            by_row.setdefault(row, []).append(index)
        found = np.empty(len(asked), dtype=np.float64)
        for rows, logits in self._batches(list(by_row), progress):
            whole = torch.logsumexp(logits, dim=-1)
            lines = [line for line, row in enumerate(rows) for _ in by_row[row]]
            indices = [index for row in rows for index in by_row[row]]
            targets = torch.tensor([asked[index].target for index in indices])
            values = logits[torch.tensor(lines), targets] - whole[torch.tensor(lines)]
            found[indices] = values.numpy()
        return found

    def likeliest(
        self, rows: Sequence[Masked], k: int, progress: Progress | None = None
    ) -> list[list[tuple[int, float]]]:
        """The k likeliest tokens of each row with their probabilities, the likeliest first."""
        found: dict[Masked, list[tuple[int, float]]] = {}
        for batch, logits in self._batches(list(dict.fromkeys(rows)), progress):
            values, tokens = logits.softmax(dim=-1).topk(min(k, self._vocabulary))
            for row, likely, of in zip(batch, tokens.tolist(), values.tolist(), strict=True):
                found[row] = list(zip(likely, of, strict=True))
        return [found[row] for row in rows]

    def _batches(
        self, rows: Sequence[Masked], progress: Progress | None
    ) -> Iterator[tuple[Sequence[Masked], torch.Tensor]]:
        """Rows of equal length and their logits at the masked position; shape (rows, vocabulary).

        Without padding a row's numbers do not depend on which rows it runs with, but for rounding.
        """
        import torch

        ordered = sorted(rows, key=lambda row: len(row.ids))
        start = 0
        with torch.inference_mode():
            while start < len(ordered):
                length = len(ordered[start].ids)
                most = max(1, min(_TOKENS // length, _LOGITS // self._vocabulary))
                batch = [row for row in ordered[start : start + most] if len(row.ids) == length]
                if progress is not None:
                    progress(start, len(ordered))
                yield batch, self._logits(batch, self._short_cut)
                start += len(batch)
        if progress is not None:
            progress(len(ordered), len(ordered))

    def _logits(self, rows: Sequence[Masked], short_cut: bool) -> torch.Tensor:
        import torch

        ids = torch.tensor([row.ids for row in rows])
        positions = torch.tensor([row.position for row in rows])
        lines = torch.arange(len(rows))
        if not short_cut:
            logits: torch.Tensor = self._model(input_ids=ids).logits
            return logits[lines, positions]
        hook = self._model.base_model.register_forward_hook(_only(lines, positions))
        try:
            logits = self._model(input_ids=ids).logits
        finally:
            hook.remove()
        return logits[:, 0]

    def _is_alike(self) -> bool:
        """Whether the head gives the same for the masked row alone: tried once, on a short row.

        The head of a masked language model is nearly always one function of each row; where it is not, whole
        sentences go through it.
        """
        import torch

        if self._model.base_model is self._model:
            return False
        ids = self.encode(f"a {self.mask_token} b")
        if self.mask_id not in ids:
            return False
        row = [Masked(ids, ids.index(self.mask_id))]
        with torch.inference_mode():
            whole = self._logits(row, short_cut=False)
            try:
                alone = self._logits(row, short_cut=True)
            except (RuntimeError, TypeError, IndexError, AttributeError, KeyError, ValueError):
                return False
            return alone.shape == whole.shape and torch.allclose(alone, whole, atol=1e-5)


def _only(lines: torch.Tensor, positions: torch.Tensor) -> Callable[[Any, Any, Any], Any]:
    """A hook after the encoder that hands on the rows at the masked positions alone."""

    def hand_on(module: Any, given: Any, output: Any) -> Any:
        picked = output[0][lines, positions].unsqueeze(1)
        if isinstance(output, tuple):
            return (picked, *output[1:])
        output["last_hidden_state"] = picked
        return output

    return hand_on


def _lower_cases(tokenizer: Any) -> bool:
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is None:
        return bool(getattr(tokenizer, "do_lower_case", False))
    return fast.normalizer is not None and fast.normalizer.normalize_str("A").strip(" \u2581") == "a"


def _longest(model: Any, tokenizer: Any) -> int | None:
    """Most tokens that both take. RoBERTa's positions begin behind that of its padding."""
    limits = []
    if tokenizer.model_max_length < 1 << 30:
        limits.append(int(tokenizer.model_max_length))
    places = getattr(model.config, "max_position_embeddings", None)
    if isinstance(places, int) and places > 0:
        padding = getattr(getattr(model.base_model, "embeddings", None), "padding_idx", None)
        limits.append(places - (0 if padding is None else int(padding) + 1))
    return min(limits, default=None)
