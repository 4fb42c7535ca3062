"""Word vectors saved by gensim (`KeyedVectors.save`).

Such a file is a pickle, and loading a pickle runs whatever it names. Here only what vectors need may be
named: arrays of numbers and gensim's own classes, of which nothing but the attributes is used.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairnb.embedding._damage import damaged
from fairnb.embedding._text import Block
from fairnb.errors import FairnbError

_ROWS = 16384
_OF_NUMPY = {
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy.core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
    "numpy.core.numeric": ("_frombuffer",),
    "numpy": ("ndarray", "dtype"),
}
_BUILT_IN: Mapping[str, Mapping[str, Any]] = {
    "builtins": {"int": int, "float": float, "bool": bool, "bytearray": bytearray, "set": set},
    "collections": {"OrderedDict": dict},
}


class _State:
    """Stands for gensim's objects: takes what the pickle sets, does nothing."""

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state if isinstance(state, dict) else {})


class _Names(pickle.Unpickler):
    shown: ClassVar[str] = ""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] == "gensim" and "." not in name:
            return _State
        if name in _OF_NUMPY.get(module, ()):
            return super().find_class(module, name)
        if name in _BUILT_IN.get(module, {}):
            return _BUILT_IN[module][name]
        if (module, name) == ("_codecs", "encode"):
            return _latin
        raise FairnbError(
            "not-trusted",
            f"the file names {module}.{name}, which word vectors do not need and which loading would run",
            "have it saved again as word2vec text or binary (save_word2vec_format)",
        )


def _latin(text: str, encoding: str = "latin1") -> bytes:
    return text.encode("latin1")


def beside(path: Path) -> list[Path]:
    """Files of large arrays that gensim put beside a .kv file."""
    return sorted(path.parent.glob(f"{_escaped(path.name)}.*.npy"))


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def read_gensim(path: Path, shown: str) -> Iterator[Block]:
    """Read gensim's KeyedVectors, of version 3 or 4.

    Raises
    ------
    FairnbError
        ``damaged-embeddings``; ``not-trusted`` if the file names anything that vectors do not need.
    """
    with path.open("rb") as stream:
        try:
            held = _Names(stream).load()
        except FairnbError as error:
            raise FairnbError(error.code, error.found, error.remedy, where=shown) from error
        # A damaged or hostile pickle can raise anything; every case gets the same sentence.
        except Exception as error:
            raise damaged(shown, f"this is no whole gensim file ({type(error).__name__})") from error
    state: Mapping[str, Any] = vars(held) if isinstance(held, _State) else {}
    if isinstance(state.get("wv"), _State):
        state = vars(state["wv"])
    words = _words(state, shown)
    matrix = _matrix(path, state, shown)
    if len(words) != len(matrix):
        raise damaged(shown, f"{len(words)} words, but {len(matrix)} vectors")
    for start in range(0, len(words), _ROWS):
        block = np.asarray(matrix[start : start + _ROWS], np.float32)
        if not np.isfinite(block).all():
            raise damaged(shown, "a value is not a finite number")
        yield words[start : start + _ROWS], block


def _words(state: Mapping[str, Any], shown: str) -> list[str]:
    for name in ("index_to_key", "index2word", "index2entity"):
        words = state.get(name)
        if isinstance(words, list) and words:
            if not all(isinstance(word, str) for word in words):
                raise damaged(shown, "the keys of these vectors are not words")
            return words
    raise damaged(shown, "the file holds no gensim KeyedVectors")


def _matrix(path: Path, state: Mapping[str, Any], shown: str) -> Any:
    for name in ("vectors", "syn0"):
        matrix = state.get(name)
        if matrix is None:
            side = path.with_name(f"{path.name}.{name}.npy")
            if not side.is_file():
                continue
            try:
                matrix = np.load(side, mmap_mode="r", allow_pickle=False)
            except (ValueError, OSError, EOFError) as error:
                raise damaged(f"{shown}.{name}.npy", "this is no whole array of numbers") from error
        if isinstance(matrix, np.ndarray) and matrix.ndim == 2 and matrix.dtype.kind == "f":
            return matrix
        raise damaged(shown, "the vectors are not a matrix of numbers")
    raise damaged(
        shown, "the vectors are not in the file", f"put the file {path.name}.vectors.npy beside it, too"
    )
