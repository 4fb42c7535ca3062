"""Keras models that take texts as they are: `.keras` and `.h5`."""

from __future__ import annotations

import sys
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, inside, sha256_file
from fairnb.system._archives import keras_digest
from fairnb.system._masked import Tokens, encoded
from fairnb.system._spec import SystemSpec
from fairnb.system._system import System, first_line
from fairnb.system._tensorflow import quiet, tensorflow

if TYPE_CHECKING:
    import numpy.typing as npt


class KerasSystem(System):
    """A Keras model with its own TextVectorization layer; loaded when the first text is scored.

    Each batch has one fixed size, filled up with empty texts, so that rounding does not depend on how
    many texts are scored at once. The size is a multiple of 16: the last numbers of any other would be
    computed one by one, and rounded otherwise than those that processors take eight or sixteen at a time.
    """

    adapter = "Keras"
    batch = 128
    quick = True
    remedy = "save the whole model, from texts to probabilities, with the Keras installed here"

    def __init__(self, spec: SystemSpec, folder: Path, model: Any = None) -> None:
        super().__init__(spec, model)
        if model is None:
            self._path = inside(folder, spec.keras)
            self._digest = self._file_digest()
        else:
            self._digest = live_digest(model)

    @property
    def fingerprint(self) -> str:
        """Digest over configuration, weights, class names and batch size, which decides rounding."""
        return digest_of(
            {
                "keras": self._digest,
                "version": self.spec.version,
                "classes": self.classes,
                "batch": self._size,
            }
        )

    @property
    def facts(self) -> dict[str, Any]:
        """Digest of the file and trust given."""
        return {
            **super().facts,
            "files": {self.origin: self._digest},
            "trust": [f"lambda layers of {self.spec.keras}"] if self.spec.trust else [],
        }

    def raw(self, texts: list[str]) -> Any:
        """Predict, one batch of fixed size after the other."""
        tf, _ = tensorflow()
        size = self._size
        parts = []
        for start in range(0, len(texts), size):
            part = _as_bytes(texts[start : start + size])
            filled = tf.constant(part + [b""] * (size - len(part)))
            parts.append(self._predict(filled).numpy()[: len(part)])
        return np.concatenate(parts)

    def encoded(self, tokens: Tokens, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64] | None:
        """Ids that the model's own TextVectorization gives, where it reads texts word by word."""
        if self._of_ids is None:
            return None
        tf, _ = tensorflow()
        _, vectorization, length = self._of_ids

        def ids_of(texts: list[str]) -> list[list[int]]:
            rows = vectorization(tf.constant(_as_bytes(texts), tf.string)).numpy()
            # The filling is 0, and no word is.
            return [row[: int(np.count_nonzero(row))].tolist() for row in rows]

        return encoded(tokens, masks, ids_of, length=length)

    def raw_encoded(self, rows: npt.NDArray[Any]) -> Any:
        """Predict from ids, in the same batches."""
        tf, _ = tensorflow()
        assert self._of_ids is not None
        predict, _, _ = self._of_ids
        size = self._size
        parts = []
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            filled = np.zeros((size, rows.shape[1]), rows.dtype)
            filled[: len(part)] = part
            parts.append(predict(tf.constant(filled)).numpy()[: len(part)])
        return np.concatenate(parts)

    @property
    def _size(self) -> int:
        return -(-self.batch_size // 16) * 16

    @cached_property
    def _predict(self) -> Any:
        tf, _ = tensorflow()
        model = self._model
        rank = _rank_of_texts(model, self.label)

        def predict(texts: Any) -> Any:
            return model(texts if rank == 1 else tf.reshape(texts, [-1, 1]), training=False)

        return tf.function(predict, input_signature=[tf.TensorSpec((self._size,), tf.string)])

    @cached_property
    def _of_ids(self) -> tuple[Any, Any, int] | None:
        """What predicts from ids, the layer that makes them, and how many; None where texts are needed."""
        tf, keras = tensorflow()
        found = _word_by_word(keras, self._model)
        if found is None:
            return None
        behind, vectorization, length = found
        signature = [tf.TensorSpec((self._size, length), tf.int64)]
        predict = tf.function(lambda ids: behind(ids, training=False), input_signature=signature)
        return predict, vectorization, length

    @cached_property
    def _model(self) -> Any:
        return self._load() if self.live_object is None else self.live_object

    def _load(self) -> Any:
        _, keras = tensorflow()
        if self._file_digest() != self._digest:
            raise FairnbError(
                "file-changed",
                "the file has changed since the case was opened",
                "open the case again",
                where=self.label,
            )
        try:
            with quiet():
                return keras.models.load_model(
                    self._path, compile=False, safe_mode=self.spec.trust is not True
                )
        except Exception as error:
            raise self._cannot_load(error) from error

    def _cannot_load(self, error: Exception) -> FairnbError:
        told = str(error)
        if "safe_mode" in told or "unsafe" in told.lower():
            return FairnbError(
                "not-trusted",
                "the model holds a lambda layer, and loading one runs whatever program it holds",
                "have it saved without lambda layers, or write trust = true if you trust where it comes from",
                where="[system] trust",
            )
        return FairnbError(
            "cannot-load",
            f"the model cannot be loaded: {type(error).__name__}{first_line(error)}",
            "save the whole model, not the weights alone, with the Keras installed here",
            where=self.label,
            exit_code=ExitCode.FAILED,
        )

    def _file_digest(self) -> str:
        if not self._path.is_file() or self._path.suffix not in (".keras", ".h5", ".hdf5"):
            found = "is neither .keras nor .h5" if self._path.is_file() else "is not there"
            raise FairnbError(
                "missing-file",
                f"the file {self.spec.keras} {found}",
                "put a .keras or .h5 file into the case folder and write its name there",
                where="[system] keras",
            )
        if self._path.suffix == ".keras":
            return keras_digest(self._path, self.spec.keras)
        return sha256_file(self._path)


def is_keras(candidate: Any) -> bool:
    """Tell whether an object is a Keras model, without importing Keras for the question."""
    keras = sys.modules.get("keras")
    return keras is not None and isinstance(candidate, keras.Model)


def live_digest(model: Any) -> str:
    """Digest of a live model: that of the file it is saved as."""
    with tempfile.TemporaryDirectory() as place:
        return keras_digest(saved(model, Path(place) / "model.keras"), "the live model")


def saved(model: Any, path: Path) -> Path:
    """Save a live model.

    Raises
    ------
    FairnbError
        ``cannot-save-system`` with what Keras says.
    """
    try:
        with quiet():
            model.save(path)
    except Exception as error:
        raise FairnbError(
            "cannot-save-system",
            f"Keras cannot save this model: {type(error).__name__}{first_line(error)}",
            'put a function that uses it into a file of the case folder and write python = "module:function"',
        ) from error
    return path


def _rank_of_texts(model: Any, label: str) -> int:
    inputs, outputs = _tensors(model, "inputs"), _tensors(model, "outputs")
    texts = 'save it with its TextVectorization layer, or wrap it in a function and name that as python = "module:'
    if len(inputs) != 1 or str(inputs[0].dtype) != "string":
        shown = (
            ", ".join(f"{tensor.dtype} of shape {tuple(tensor.shape)}" for tensor in inputs)
            or "unknown inputs"
        )
        raise FairnbError(
            "takes-no-texts",
            f"the model takes {shown}, not texts",
            f'{texts}function"',
            where=label,
            exit_code=ExitCode.FAILED,
        )
    if len(outputs) != 1:
        raise FairnbError(
            "wrong-shape",
            f"the model has {len(outputs)} outputs",
            "join them into one, with one column per class",
            where=label,
            exit_code=ExitCode.FAILED,
        )
    return len(inputs[0].shape)


def _as_bytes(texts: list[str]) -> list[bytes]:
    # A lone surrogate has no UTF-8 form; the model sees a question mark in its place.
    return [text.encode("utf-8", "replace") for text in texts]


def _word_by_word(keras: Any, model: Any) -> tuple[Any, Any, int] | None:
    """The model behind its TextVectorization, that layer, and the length of its rows.

    Only where the ids of a text follow from those of its words: letters are changed one by one, words are
    split at white space, and rows are of one length.
    """
    layers = [one for one in getattr(model, "layers", ()) if isinstance(one, keras.layers.TextVectorization)]
    if len(layers) != 1 or len(_tensors(model, "outputs")) != 1:
        return None
    config = layers[0].get_config()
    wanted: dict[str, tuple[Any, ...]] = {
        "standardize": ("lower_and_strip_punctuation", "lower", "strip_punctuation", None),
        "split": ("whitespace",),
        "ngrams": (None,),
        "output_mode": ("int",),
        "ragged": (False,),
        "sparse": (False,),
    }
    length = config.get("output_sequence_length")
    if length is None or any(config.get(name) not in allowed for name, allowed in wanted.items()):
        return None
    try:
        # Fails where the texts are used beside the layer, too.
        return keras.Model(layers[0].output, model.outputs[0]), layers[0], int(length)
    except (AttributeError, ValueError):
        return None


def _tensors(model: Any, kind: str) -> list[Any]:
    # A subclassed model that was never called has none.
    return list(getattr(model, kind, None) or [])
