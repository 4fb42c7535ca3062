"""A masked language model of the transformers library: rows in batches of one length, masked rows through the head."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.masked_lm._token_model import Asked, Masked, Progress

if TYPE_CHECKING:
    import torch

_Read = TypeVar("_Read")
_TOKENS = 1 << 13
"""Most tokens in one batch."""
_LOGITS = 1 << 21
"""Most logits of one batch: 8 MiB, so that they stay near the processor."""


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
        self._vocabulary = int(model.config.vocab_size)
        self._wanted = threading.local()
        if model.base_model is not model:
            model.base_model.register_forward_hook(self._hand_on)
        self._short_cut = self._is_alike()
        ends = {self.encode("a")[at] for at in (0, -1)}
        self.facts: dict[str, Any] = {
            **facts,
            "uncased": self.uncased,
            "longest": self.longest,
            "marked_ends": ends <= set(tokenizer.all_special_ids),
        }

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

        def read(rows: Sequence[Masked], logits: torch.Tensor) -> tuple[list[int], Any]:
            lines = torch.tensor([line for line, row in enumerate(rows) for _ in by_row[row]])
            indices = [index for row in rows for index in by_row[row]]
            targets = torch.tensor([asked[index].target for index in indices])
            whole = torch.logsumexp(logits, dim=-1)
            return indices, (logits[lines, targets] - whole[lines]).numpy()

        found = np.empty(len(asked), dtype=np.float64)
        for indices, values in self._read(list(by_row), read, progress):
            found[indices] = values
        return found

    def likeliest(
        self, rows: Sequence[Masked], k: int, progress: Progress | None = None
    ) -> list[list[tuple[int, float]]]:
        """The k likeliest tokens of each row with their probabilities, the likeliest first."""

        def read(batch: Sequence[Masked], logits: torch.Tensor) -> list[tuple[Masked, Any]]:
            values, tokens = logits.softmax(dim=-1).topk(min(k, self._vocabulary))
            likely = (
                list(zip(*one, strict=True)) for one in zip(tokens.tolist(), values.tolist(), strict=True)
            )
            return list(zip(batch, likely, strict=True))

        read_rows = self._read(list(dict.fromkeys(rows)), read, progress)
        found = dict(pair for pairs in read_rows for pair in pairs)
        return [found[row] for row in rows]

    def _read(
        self,
        rows: Sequence[Masked],
        read: Callable[[Sequence[Masked], torch.Tensor], _Read],
        progress: Progress | None,
    ) -> Iterator[_Read]:
        """Give what `read` makes of rows of equal length and their logits at the masked position.

        Without padding a row's numbers do not depend on which rows it runs with, but for rounding. Each batch is
        one thread's from beginning to end: threads that share one batch wait for each other at every step.
        """
        import torch

        batches = list(self._batches(rows))
        threads = torch.get_num_threads()

        def run(batch: Sequence[Masked]) -> _Read:
            with torch.inference_mode():
                logits = self._logits(batch, self._short_cut)
                # Compared with anything they are false: each pair would be a miss.
                if not torch.isfinite(torch.logsumexp(logits, dim=-1)).all():
                    raise FairnbError(
                        "broken-model",
                        "its answers are no numbers",
                        "fetch or save the model again, whole",
                        where=self.facts["name"],
                    )
                return read(batch, logits)

        done = 0
        pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
        try:
            for batch, made in zip(batches, pool.map(run, batches), strict=True):
                before, done = done, done + len(batch)
                if progress is not None and 100 * done // len(rows) > 100 * before // len(rows):
                    progress(done, len(rows))
                yield made
        finally:
            pool.shutdown(cancel_futures=True)
            # Part of the setting is one for all threads.
            torch.set_num_threads(threads)

    def _batches(self, rows: Sequence[Masked]) -> Iterator[Sequence[Masked]]:
        ordered = sorted(rows, key=lambda row: len(row.ids))
        start = 0
        while start < len(ordered):
            length = len(ordered[start].ids)
            most = max(1, min(_TOKENS // length, _LOGITS // self._vocabulary))
            batch = [row for row in ordered[start : start + most] if len(row.ids) == length]
            yield batch
            start += len(batch)

    def _logits(self, rows: Sequence[Masked], short_cut: bool) -> torch.Tensor:
        """Logits at the masked positions; shape (rows, vocabulary)."""
        import torch

        ids = torch.tensor([row.ids for row in rows])
        lines, positions = torch.arange(len(rows)), torch.tensor([row.position for row in rows])
        if not short_cut:
            logits: torch.Tensor = self._model(input_ids=ids).logits
            return logits[lines, positions]
        self._wanted.places = (lines, positions)
        try:
            logits = self._model(input_ids=ids).logits
        finally:
            del self._wanted.places
        return logits[:, 0]

    def _hand_on(self, module: Any, given: Any, output: Any) -> Any:
        """After the encoder: hand on the rows at the masked positions alone."""
        places = getattr(self._wanted, "places", None)
        if places is None:
            return output
        picked = output[0][places].unsqueeze(1)
        if isinstance(output, tuple):
            return (picked, *output[1:])
        output["last_hidden_state"] = picked
        return output

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
            return bool(alone.shape == whole.shape and torch.allclose(alone, whole, atol=1e-5))


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
