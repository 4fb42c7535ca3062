"""Packaged systems that fairnb knows: loaded only if every file is the pinned one."""

from __future__ import annotations

import pickle
from abc import abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fairnb import registry
from fairnb.errors import FairnbError
from fairnb.files import digest_of, sha256
from fairnb.system._masked import Tokens, encoded
from fairnb.system._scores import FloatArray
from fairnb.system._spec import SystemSpec
from fairnb.system._system import System
from fairnb.system._tensorflow import quiet, tensorflow


class PackagedSystem(System):
    """A system whose weights come with a package; the package's own code is never run."""

    names: tuple[str, ...]
    """Classes in the order of the scores."""
    configuration: dict[str, Any]
    """What of the package's code decides the scores: part of the fingerprint."""
    adapter = "packaged system"
    quick = True

    def __init__(self, spec: SystemSpec) -> None:
        super().__init__(spec)
        self.known = registry.known(spec.use)
        registry.check_package(self.known)
        if spec.classes and spec.classes != self.names:
            raise FairnbError(
                "unnamed-classes",
                f"the classes of {spec.use} are {', '.join(self.names)}",
                "leave classes out, and name those of a target in the table [targets]",
                where="[system] classes",
            )

    @property
    def classes(self) -> tuple[str, ...]:
        """The package's own names."""
        return self.names

    @property
    def fingerprint(self) -> str:
        """Digest over every pinned file and the configuration."""
        return digest_of({"use": self.known.name, "files": self._pins, "configuration": self.configuration})

    @property
    def facts(self) -> dict[str, Any]:
        """What the registry knows of it."""
        return {
            **super().facts,
            "version": self.known.package,
            "title": self.known.title,
            "licence": self.known.licence,
            "address": self.known.address,
            "description": self.known.description,
            "files": self._pins,
        }

    @property
    def notes(self) -> list[str]:
        """What an assessor should know before relying on it."""
        return [self.known.notes] if self.known.notes else []

    @property
    def _pins(self) -> dict[str, str]:
        return {file.path: file.sha256 for file in self.known.files}

    def _file(self, path: str) -> Path:
        return registry.check_package(self.known)[path]

    def _bytes(self, path: str) -> bytes:
        """Read a file once and hold what was read to its pin: what is checked is what is loaded."""
        data = self._file(path).read_bytes()
        if sha256(data) != self._pins[path]:
            raise FairnbError(
                "file-changed",
                f"this file differs from that of {self.known.package}",
                "do not use it; install the package again",
                where=path,
            )
        return data

    @abstractmethod
    def raw(self, texts: list[str]) -> Any:
        """Score one batch."""


class ToxicCommentClassifier(PackagedSystem):
    """Bidirectional LSTM over word embeddings, six labels that do not exclude each other.

    Each batch has one fixed shape, filled up with rows of zeros: a text's scores then are the same to
    the last bit whatever else is in its batch.
    """

    names = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
    batch = 512
    length = 100
    words = 20_000
    configuration = {  # noqa: RUF012 - ClassVar by use
        "architecture": "embedding 20000x50, bidirectional LSTM 50, maximum over time, dense 50 relu, dense 6 sigmoid",
        "tokens": "last 100, zeros before",
    }

    @property
    def batch_size(self) -> int:
        """Most texts per call: the shape is fixed."""
        return min(self.spec.batch_size or self.batch, self.batch)

    def tokens(self, texts: list[str]) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Ids of each text's last 100 known words, zeros before them; shape (n, 100)."""
        rows = np.zeros((len(texts), self.length), dtype=np.int32)
        for row, sequence in enumerate(self._tokenizer.texts_to_sequences(texts)):
            kept = sequence[-self.length :]
            if kept:
                rows[row, -len(kept) :] = kept
        return rows

    def raw(self, texts: list[str]) -> FloatArray:
        """Score texts, float32 of shape (n, 6)."""
        return self.raw_encoded(self.tokens(texts))

    def encoded(self, tokens: Tokens, masks: np.ndarray[Any, np.dtype[np.bool_]]) -> Any:
        """Ids of masked texts, as `tokens` gives them."""
        rows = encoded(tokens, masks, self._tokenizer.texts_to_sequences, length=self.length, last=True)
        return rows.astype(np.int32)

    def raw_encoded(self, rows: np.ndarray[Any, np.dtype[Any]]) -> FloatArray:
        """Score rows of ids, float32 of shape (n, 6)."""
        tf, _ = tensorflow("toxic")
        scores = np.empty((len(rows), len(self.names)), dtype=np.float32)
        for start in range(0, len(rows), self.batch):
            part = rows[start : start + self.batch]
            filled = np.zeros((self.batch, self.length), dtype=np.int32)
            filled[: len(part)] = part
            scores[start : start + len(part)] = self._predict(tf.constant(filled)).numpy()[: len(part)]
        return scores

    @cached_property
    def _tokenizer(self) -> Any:
        # The pickle names a class of Keras, so Keras comes first. Its bytes are held to the pin.
        tensorflow("toxic")
        return pickle.loads(self._bytes("toxic_classifier/model/tokenizer.pickle"))  # noqa: S301

    @cached_property
    def _predict(self) -> Any:
        tf, keras = tensorflow("toxic")
        layers = keras.layers
        with quiet():
            tokens = keras.Input((self.length,), dtype="int32")
            hidden = layers.Embedding(self.words, 50)(tokens)
            hidden = layers.Bidirectional(layers.LSTM(50, return_sequences=True))(hidden)
            hidden = layers.GlobalMaxPooling1D()(hidden)
            hidden = layers.Dense(50, activation="relu")(hidden)
            model = keras.Model(tokens, layers.Dense(len(self.names), activation="sigmoid")(hidden))
            model.load_weights(self._file("toxic_classifier/model/model.weights.h5"))
            return tf.function(
                lambda batch: model(batch, training=False),
                input_signature=[tf.TensorSpec((self.batch, self.length), tf.int32)],
            )


class AltProfanityCheck(PackagedSystem):
    """Linear support vector machine on word counts with calibrated probabilities."""

    names = ("profanity",)
    batch = 4096
    configuration = {"column": 1}  # noqa: RUF012 - ClassVar by use

    def raw(self, texts: list[str]) -> FloatArray:
        """Score texts, float64 of shape (n,)."""
        vectorizer, model = self._parts
        return np.asarray(model.predict_proba(vectorizer.transform(texts))[:, 1])

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        import io

        import joblib

        names = ("vectorizer", "model")
        vectorizer, model = (
            joblib.load(io.BytesIO(self._bytes(f"profanity_check/data/{name}.joblib"))) for name in names
        )
        return vectorizer, model


_PACKAGED: dict[str, type[PackagedSystem]] = {
    "toxic-comment-classifier": ToxicCommentClassifier,
    "alt-profanity-check": AltProfanityCheck,
}


def packaged(spec: SystemSpec) -> PackagedSystem:
    """Open a packaged system by name.

    Raises
    ------
    FairnbError
        ``unknown-name``; ``not-a-system`` for a known corpus and the like; those of
        `fairnb.registry.check_package`.
    """
    known = registry.known(spec.use)
    adapter = _PACKAGED.get(spec.use)
    if adapter is None:
        raise FairnbError(
            "not-a-system",
            f"{spec.use} is a known {known.kind}, not a system",
            f"known systems: {', '.join(_PACKAGED)}",
            where="[system] use",
        )
    return adapter(spec)
