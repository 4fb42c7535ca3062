"""The paper's own classifier: a convolution over frozen word vectors, trained and saved to take texts.

Source: paper appendix B, "The classification model": a 1D convolution of 32 filters of width 17, max
pooling of 4, dense layers of 25 units and of 1 unit, over pretrained GloVe vectors.
"""

from __future__ import annotations

import string
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fairnb.errors import FairnbError
from fairnb.files import write_bytes
from fairnb.system._keras import saved
from fairnb.system._tensorflow import quiet, tensorflow

if TYPE_CHECKING:
    import numpy.typing as npt

_FILTERS, _WIDTH, _POOL, _DENSE = 32, 17, 4, 25
"""Paper appendix B."""

# What the paper leaves open. Chosen by accuracy on fifths held out of its training part, whose texts are
# at most 50 words long in 98 of 100 cases; the test part had no say.
_LENGTH = 50
_VECTOR_DROPOUT, _DROPOUT = 0.2, 0.3
_BATCH, _RATE, _AVERAGED = 64, 3e-3, 2

# TextVectorization takes these out or turns them into others: a word that holds one never comes up.
_GONE = str.maketrans("", "", string.punctuation + string.ascii_uppercase)


class WordVectors(Protocol):
    """Words and a vector for each, such as `fairnb.embedding.Embedding`."""

    @property
    def words(self) -> Sequence[str]:
        """Shape (n,); of a word that stands there twice the first counts."""

    @property
    def matrix(self) -> npt.NDArray[Any]:
        """Shape (n, dimension)."""


@dataclass(frozen=True)
class PaperCnn:
    """What came of a training."""

    path: Path
    """The saved model: texts in, P(positive) out."""
    words: int
    """Words that the model knows."""
    coverage: float
    """Share of the words in the training texts, repetitions included, that have a vector."""
    losses: tuple[float, ...]
    """Mean binary cross-entropy on the training texts in each epoch, under dropout."""


def train_paper_cnn(
    texts: Sequence[str],
    labels: Sequence[int | str | None],
    vectors: WordVectors,
    *,
    path: str | Path,
    seed: int = 0,
    epochs: int = 14,
    progress: Callable[[int, int], None] | None = None,
) -> PaperCnn:
    """Train the paper's convolutional network and save it with its text vectorisation.

    The saved file needs neither fairnb nor the vectors. Texts are set in lower case (ASCII letters),
    stripped of ASCII punctuation, split at white space and cut after 50 words. A word without a vector
    is a row of zeros. The vectors are frozen. The file appears whole or not at all.

    Parameters
    ----------
    texts : sequence of str, length n
    labels : sequence of int, length n
        1 positive, 0 negative.
    vectors : WordVectors
        All words that a text can hold are kept in the model, also those not met in training.
    path : str or Path
        Ends in ``.keras``; its folder exists.
    seed : int
        Of initial weights, order of texts and dropout. The session's own generators are left alone. The
        same seed gives the same weights, bit for bit, on the same machine with the same versions of
        TensorFlow and NumPy and the same number of threads; elsewhere sums are rounded otherwise, and the
        differences grow in training.
    epochs : int
        Passes over the texts; the learning rate falls to 0 along half a cosine.
    progress : callable, optional
        Called with epochs done and epochs in all.

    Returns
    -------
    PaperCnn

    Raises
    ------
    FairnbError
        ``wrong-suffix``, ``missing-folder``, ``unequal-lengths``, ``unknown-label``, ``one-class``,
        ``no-covered-word``, ``bad-epochs``, ``bad-seed`` before anything is trained;
        ``package-missing``, ``wrong-backend``, ``cannot-save-system``, ``cannot-write``.

    Notes
    -----
    The paper says nothing of these: padding of the convolution (as long as the text), rectified units,
    dropout (0.2 of the vectors' dimensions, 0.3 before each dense layer), Adam from 0.003 with 64 texts a
    step, and the saved weights as running averages over about the last two passes.
    """
    path = Path(path)
    _check_path(path)
    if epochs < 1:
        raise FairnbError("bad-epochs", f"{epochs} epochs train nothing", "train for 1 or more")
    if seed < 0:
        raise FairnbError("bad-seed", f"the seed {seed} is below 0", "take a whole number from 0 on")
    answers = _answers(texts, labels)
    words, rows = _vocabulary(vectors)
    tf, keras = tensorflow()
    with quiet():
        vectorization = keras.layers.TextVectorization(
            output_sequence_length=_LENGTH, name="text_vectorization"
        )
        # A vocabulary given to the constructor would be written into the model's configuration.
        vectorization.set_vocabulary(words)
        ids, coverage = _ids(tf, vectorization, texts)
        head, model = _network(keras, vectorization, np.asarray(vectors.matrix)[rows], seed)
        losses = _fit(keras, head, ids, answers, seed, epochs, progress)
        with tempfile.TemporaryDirectory() as place:
            write_bytes(path, saved(model, Path(place) / "model.keras").read_bytes())
    return PaperCnn(path, len(words), coverage, losses)


def _check_path(path: Path) -> None:
    if path.suffix != ".keras":
        raise FairnbError(
            "wrong-suffix", f"the model's file is called {path.name!r}", "give it a name that ends in .keras"
        )
    if not path.parent.is_dir():
        raise FairnbError(
            "missing-folder",
            "the folder for the model is not there",
            "make it, or name another one",
            where=str(path.parent),
        )


def _answers(texts: Sequence[str], labels: Sequence[int | str | None]) -> npt.NDArray[np.float32]:
    if len(texts) != len(labels):
        raise FairnbError(
            "unequal-lengths",
            f"there are {len(texts)} texts and {len(labels)} labels",
            "give one label for each text",
        )
    wrong = next((row for row, label in enumerate(labels) if label not in (0, 1)), None)
    if wrong is not None:
        raise FairnbError(
            "unknown-label",
            f"the label {labels[wrong]!r} is neither 1 nor 0",
            "give 1 for positive and 0 for negative texts, and leave out texts without a label",
            where=f"row {wrong + 1}",
        )
    answers = np.asarray(labels, np.float32)
    if len(set(answers.tolist())) < 2:
        what = f"only the label {answers[0]:.0f}" if len(answers) else "no label"
        raise FairnbError(
            "one-class", f"the training texts have {what}", "give texts with the label 1 and with the label 0"
        )
    return answers


def _vocabulary(vectors: WordVectors) -> tuple[list[str], list[int]]:
    """Words that can come out of a text, each once, and the rows of their vectors."""
    first: dict[str, int] = {}
    for row, word in enumerate(vectors.words):
        # Keras splits texts at white space, and its file of words at every end of a line Unicode knows.
        if word.translate(_GONE) == word and word.split() == [word] == word.splitlines():
            first.setdefault(word, row)
    return list(first), list(first.values())


def _ids(tf: Any, vectorization: Any, texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], float]:
    # A lone surrogate has no UTF-8 form; scoring puts a question mark in its place too.
    ids = vectorization(tf.constant([text.encode("utf-8", "replace") for text in texts])).numpy()
    # 0 is filling, 1 any word without a vector.
    known, all_words = int((ids > 1).sum()), int((ids > 0).sum())
    if not known:
        raise FairnbError(
            "no-covered-word",
            f"none of the {all_words} words in the training texts has a vector",
            "give vectors in the language of the texts, with words in lower case",
        )
    return ids.astype(np.int32), known / all_words


def _network(keras: Any, vectorization: Any, matrix: npt.NDArray[Any], seed: int) -> tuple[Any, Any]:
    """From ids to P(positive), which is trained; and from texts, which is saved: the same layers."""
    # Keras draws from 32-bit seeds. Names are fixed: by default they count what the session has made before.
    drawn = iter(np.random.SeedSequence(seed).generate_state(6).tolist())
    layers = keras.layers

    def dense(units: int, activation: str, name: str) -> Any:
        return layers.Dense(
            units,
            activation,
            kernel_initializer=keras.initializers.GlorotUniform(seed=next(drawn)),
            name=name,
        )

    embedding = layers.Embedding(len(matrix) + 2, matrix.shape[1], trainable=False, name="embedding")
    embedding.build()
    embedding.set_weights([np.vstack([np.zeros((2, matrix.shape[1])), matrix]).astype(np.float32)])
    after = [
        embedding,
        layers.SpatialDropout1D(_VECTOR_DROPOUT, seed=next(drawn), name="dropout_of_vectors"),
        layers.Conv1D(
            _FILTERS,
            _WIDTH,
            padding="same",
            activation="relu",
            kernel_initializer=keras.initializers.GlorotUniform(seed=next(drawn)),
            name="convolution",
        ),
        layers.MaxPooling1D(_POOL, name="pooling"),
        layers.Flatten(name="flatten"),
        layers.Dropout(_DROPOUT, seed=next(drawn), name="dropout_1"),
        dense(_DENSE, "relu", "dense"),
        layers.Dropout(_DROPOUT, seed=next(drawn), name="dropout_2"),
        dense(1, "sigmoid", "positive"),
    ]

    def through(start: Any, value: Any, name: str) -> Any:
        for layer in after:
            value = layer(value)
        return keras.Model(start, value, name=name)

    ids = keras.Input((_LENGTH,), dtype="int32", name="ids")
    texts = keras.Input((), dtype="string", name="texts")
    return through(ids, ids, "paper_cnn_of_ids"), through(texts, vectorization(texts), "paper_cnn")


def _fit(
    keras: Any,
    head: Any,
    ids: npt.NDArray[np.int32],
    answers: npt.NDArray[np.float32],
    seed: int,
    epochs: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[float, ...]:
    steps = -(-len(ids) // _BATCH)
    # Keras would shuffle by the session's generator.
    order = np.random.default_rng(seed)

    def batches() -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]]:
        while True:
            rows = order.permutation(len(ids))
            for start in range(0, len(rows), _BATCH):
                some = rows[start : start + _BATCH]
                yield ids[some], answers[some]

    def told(epoch: int, logs: Any) -> None:
        if progress is not None:
            progress(epoch + 1, epochs)

    rate = keras.optimizers.schedules.CosineDecay(_RATE, epochs * steps)
    head.compile(
        keras.optimizers.Adam(rate, use_ema=True, ema_momentum=1 - 1 / (_AVERAGED * steps)),
        "binary_crossentropy",
    )
    # The averages take the weights' places when fitting ends.
    history = head.fit(
        batches(),
        steps_per_epoch=steps,
        epochs=epochs,
        verbose=0,
        shuffle=False,
        callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=told)],
    )
    return tuple(float(loss) for loss in history.history["loss"])
