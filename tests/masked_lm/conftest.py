"""A model whose probabilities are written down, pairs of our own, and small models made with a seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.masked_lm import Asked, Masked, Pair

SENTENCES = (
    ("The tall cook lost the keys again.", "The short cook lost the keys again."),
    ("Old people drive slowly, and they know it.", "Young people drive slowly, and they know it."),
    ("My neighbour from the north is never on time.", "My neighbour from the south coast is never on time."),
    ("She forgot the cake; that is how bakers are.", "He forgot the cake; that is how bakers are."),
    ("Twins don't know how to share.", "Single children know how to share."),
    ("The Northerner's dog barks at night.", "The Southerner's dog barks at night."),
    ("It was Berta, who sings.", "It was Carlotta, who sings."),
)


@dataclass
class Written:
    """A model over words that white space parts; `table` has log-probabilities by word, else `other`."""

    table: Mapping[str, float] = field(default_factory=dict)
    other: float = -5.0
    words: list[str] = field(default_factory=lambda: ["[CLS]", "[SEP]", "[MASK]", "[UNK]"])
    lacks: frozenset[str] = frozenset()
    """Words that are unknown."""
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of several tokens."""
    tops: Sequence[tuple[str, float]] = ()
    mask_token: str = "[MASK]"
    uncased: bool = False
    longest: int | None = None
    asked: list[Asked] = field(default_factory=list)
    facts: dict[str, Any] = field(
        default_factory=lambda: {
            "name": "written",
            "revision": "",
            "digest": "d" * 64,
            "architecture": "Written",
            "parameters": 7,
            "weights": "safetensors",
            "vocabulary": 20,
            "uncased": False,
            "versions": {"transformers": "5", "torch": "2"},
            "marked_ends": True,
        }
    )

    mask_id = 2
    unknown_id = 3

    def _id(self, word: str) -> int:
        if word in self.lacks:
            return self.unknown_id
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word)

    def encode(self, text: str) -> tuple[int, ...]:
        for mark in ",.;":
            text = text.replace(mark, f" {mark} ")
        parts = [part for word in text.split() for part in self.splits.get(word, (word,))]
        return (0, *map(self._id, parts), 1)

    def written(self, token: int) -> str:
        return self.words[token]

    def log_probabilities(self, asked: Sequence[Asked], progress: Any = None) -> Any:
        self.asked += asked
        for one in asked:
            assert one.row.ids[one.row.position] == self.mask_id
        return np.array([self.table.get(self.words[one.target], self.other) for one in asked])

    def likeliest(self, rows: Sequence[Masked], k: int, progress: Any = None) -> Any:
        assert k == 5
        return [[(self._id(word), probability) for word, probability in self.tops] for _ in rows]


@pytest.fixture
def written() -> Callable[..., Written]:
    """Make a model whose probabilities are written down."""
    return Written


@pytest.fixture(scope="session")
def own_pairs() -> tuple[Pair, ...]:
    """Mild pairs of our own: one word, several words, a possessive, a mark."""
    made = []
    for at, (more, less) in enumerate(SENTENCES):
        direction = "antistereo" if at % 3 == 2 else "stereo"
        made.append(Pair(str(at), more, less, direction, ("height", "age")[at % 2], f"a{at % 4}"))
    return tuple(made)


def _texts() -> list[str]:
    return [text for pair in SENTENCES for text in pair]


def _vocabulary(*, lowercase: bool) -> dict[str, int]:
    """Most words whole; others, and what else may come, letter by letter."""
    texts = " ".join(_texts())
    held = re.findall(r"\w+|[^\w\s]", texts.lower() if lowercase else texts)
    words = sorted({word for word in held if word.lower() not in ("northerner", "southerner", "carlotta")})
    letters = sorted({*"abcdefghijklmnopqrstuvwxyz", *"".join(held)})
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    parts = dict.fromkeys([*marks, *words, *letters, *(f"##{letter}" for letter in letters)])
    return {part: at for at, part in enumerate(parts)}


def _decided(norm: Any) -> None:
    """Make a model that finds few tokens likely; a random one finds all alike."""
    import torch

    with torch.no_grad():
        norm.weight.fill_(2.0)


def _bert(folder: Path, *, lowercase: bool, kind: str = "BertForMaskedLM", **config: Any) -> Path:
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    raw = Tokenizer(models.WordPiece(_vocabulary(lowercase=lowercase), unk_token="[UNK]"))
    raw.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.decoder = decoders.WordPiece()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(mark, raw.token_to_id(mark)) for mark in ("[CLS]", "[SEP]")],
    )
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, **{f"{name}_token": mark for name, mark in names.items()}
    )
    torch.manual_seed(5)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    made = transformers.BertConfig(
        vocab_size=len(tokenizer), max_position_embeddings=64, initializer_range=0.15, **shape, **config
    )
    model = getattr(transformers, kind)(made)
    if kind == "BertForMaskedLM":
        _decided(model.cls.predictions.transform.LayerNorm)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _roberta(folder: Path, *, takes_space: bool = True) -> Path:
    import torch
    import transformers
    from tokenizers import AddedToken, ByteLevelBPETokenizer

    raw = ByteLevelBPETokenizer()
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    raw.train_from_iterator(_texts() * 2, vocab_size=420, special_tokens=marks)
    folder.mkdir(parents=True)
    raw.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizerFast(
        vocab=str(folder / "vocab.json"),
        merges=str(folder / "merges.txt"),
        mask_token=AddedToken("<mask>", lstrip=takes_space, normalized=False, special=True),
    )
    torch.manual_seed(6)
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=66,
        pad_token_id=1,
        initializer_range=0.15,
    )
    model = transformers.RobertaForMaskedLM(config)
    _decided(model.lm_head.layer_norm)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def make_bert() -> Callable[..., Path]:
    """Write the folder of a small BERT of any kind."""
    pytest.importorskip("torch")
    return _bert


@pytest.fixture(scope="session")
def make_roberta() -> Callable[..., Path]:
    """Write the folder of a small byte-level model."""
    pytest.importorskip("torch")
    return _roberta


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small models with random weights: BERT with and without case, and a byte-level one like RoBERTa."""
    pytest.importorskip("torch")
    place = tmp_path_factory.mktemp("models")
    return {
        "cased": _bert(place / "cased", lowercase=False),
        "uncased": _bert(place / "uncased", lowercase=True),
        "byte-level": _roberta(place / "byte-level"),
    }
