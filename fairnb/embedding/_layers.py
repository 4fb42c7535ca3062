"""The embedding layer of a system's own network, read from its files; no network is built or run."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from fairnb import registry
from fairnb.embedding._arrays import of_matrix
from fairnb.embedding._damage import damaged
from fairnb.embedding._text import Block
from fairnb.errors import FairnbError
from fairnb.files import sha256

_KERAS = "save the whole model again, with its TextVectorization layer"
PACKAGED = {
    "toxic-comment-classifier": ("toxic_classifier/model/model.weights.h5", "layers/embedding/vars/0")
}
"""Known systems whose layer can be read: file of weights and the layer in it."""
_TOKENIZER = "toxic_classifier/model/tokenizer.pickle"


def read_packaged_layer(name: str) -> Iterator[Block]:
    """Read the embedding layer of a known packaged system.

    Raises
    ------
    FairnbError
        Those of `fairnb.registry.check_package`; ``no-own-layer`` for other systems.
    """
    if name not in PACKAGED:
        raise no_layer(f"the system {name}")
    files = registry.check_package(registry.known(name))
    weights, layer = PACKAGED[name]
    data = files[_TOKENIZER].read_bytes()
    # What is checked is what is loaded.
    if sha256(data) != next(f.sha256 for f in registry.known(name).files if f.path == _TOKENIZER):
        raise damaged(
            _TOKENIZER, "the file has just been changed", "do not use it; install the package again"
        )
    with _h5(files[weights]) as stored:
        matrix = np.asarray(stored[layer], np.float32)
    index: dict[str, int] = _Tokenizer(io.BytesIO(data)).load().word_index
    # Row 0 is the filling; words beyond the layer are dropped by the system itself.
    kept = sorted((row, word) for word, row in index.items() if 0 < row < len(matrix))
    words = [word for _, word in kept]
    return of_matrix(words, matrix[[row for row, _ in kept]], name)


class _Tokenizer(pickle.Unpickler):
    """Opens the pinned tokenizer without Keras: only its attributes are wanted."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "Tokenizer" and "preprocessing.text" in module:
            return type("Tokenizer", (), {})
        if module == "collections" and name in ("OrderedDict", "defaultdict"):
            return super().find_class(module, name)
        if (module, name) == ("builtins", "int"):
            return int
        raise damaged(
            _TOKENIZER, f"the file names {module}.{name}", "do not use it; install the package again"
        )


def read_keras_layer(path: Path, shown: str) -> Iterator[Block]:
    """Read the embedding layer of a .keras file and the words its TextVectorization layer knows.

    Raises
    ------
    FairnbError
        ``damaged-embeddings``; ``no-own-layer`` if there is none, or no list of words.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            lists = [n for n in names if _holds_words(PurePosixPath(n))]
            if "model.weights.h5" not in names:
                raise damaged(shown, "this is no Keras model", _KERAS)
            if not lists:
                raise no_layer(shown, "holds no TextVectorization layer with its words")
            words = archive.read(lists[0]).decode("utf-8").split("\n")
            weights = io.BytesIO(archive.read("model.weights.h5"))
    except (zipfile.BadZipFile, UnicodeDecodeError, OSError, RuntimeError) as error:
        # RuntimeError: zipfile's word for members that are encrypted or packed in a way it cannot read.
        raise damaged(shown, "this is no whole Keras file", _KERAS) from error
    layers: list[Any] = []
    with _h5(weights, shown) as stored:
        stored.visititems(lambda name, held: layers.append(held) if _is_layer(name, held) else None)
        fitting = [layer for layer in layers if layer.shape[0] >= len(words)]
        if not fitting:
            raise no_layer(shown, f"holds no embedding layer for its {len(words)} words")
        if len(fitting) > 1:
            raise no_layer(
                shown, f"holds {len(fitting)} embedding layers, and which one reads the words is open"
            )
        matrix = np.asarray(fitting[0], np.float32)
    # The first two stand for filling and for unknown words.
    return of_matrix(words[2:], matrix[2 : len(words)], shown)


def _holds_words(name: PurePosixPath) -> bool:
    return name.name == "vocabulary.txt" and name.parent.name.startswith(
        ("text_vectorization", "string_lookup")
    )


def _is_layer(name: str, held: Any) -> bool:
    parts = name.split("/")
    return (
        len(parts) >= 3
        and parts[-2:] == ["vars", "0"]
        and parts[-3].startswith("embedding")
        and len(getattr(held, "shape", ())) == 2
    )


def _h5(source: Any, shown: str = "") -> Any:
    try:
        import h5py  # type: ignore[import-untyped]
    except ImportError as error:
        raise FairnbError(
            "package-missing",
            "the system's weights are an HDF5 file, and h5py is not installed",
            "install it with: pip install 'fairnb[keras]'",
        ) from error
    try:
        return h5py.File(source, "r")
    except OSError as error:
        raise damaged(shown or Path(source).name, "the weights are not a whole HDF5 file", _KERAS) from error


def no_layer(what: str, why: str = "has no embedding layer that fairnb can read") -> FairnbError:
    """``no-own-layer``: the system's vectors cannot be had."""
    return FairnbError(
        "no-own-layer",
        f"{what} {why}",
        "have its vectors saved as word2vec text or .npy and name that file with path",
        where="[embeddings] use",
    )
