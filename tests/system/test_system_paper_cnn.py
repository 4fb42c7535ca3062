"""The paper's own network: its layers, its frozen vectors, its seed, and the file it leaves."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.system import PaperCnn, SystemSpec, open_system, score_texts, train_paper_cnn
from fairnb.system._tensorflow import tensorflow

RUDE = ["You silly goose", "what a clown you are", "silly, silly clown!", "goose"]
KIND = ["a lovely day", "bread and butter", "what lovely bread", "butter today"]
TEXTS = [f"{text} number {number}" for number in range(8) for text in (*RUDE, *KIND)]
LABELS = [1, 1, 1, 1, 0, 0, 0, 0] * 8
WORDS = [
    "silly",
    "Goose",
    "goose",
    "clown",
    "lovely",
    "bread",
    "butter",
    "don't",
    "silly",
    "caf\u00e9",
    "a\u2028b",
]
VECTORS = SimpleNamespace(
    words=WORDS, matrix=np.random.default_rng(3).normal(size=(len(WORDS), 6)).astype(np.float32)
)
KNOWN = ["silly", "goose", "clown", "lovely", "bread", "butter", "caf\u00e9"]


def trained(path: Path, **settings: Any) -> PaperCnn:
    return train_paper_cnn(TEXTS, LABELS, VECTORS, path=path, **{"epochs": 3, **settings})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> PaperCnn:
    return trained(tmp_path_factory.mktemp("cnn") / "model.keras")


@pytest.fixture(scope="module")
def model(made: PaperCnn) -> Any:
    _, keras = tensorflow()
    return keras.models.load_model(made.path)


def scores(path: Path, texts: list[str] = TEXTS) -> Any:
    return score_texts(open_system(SystemSpec(keras=path.name), path.parent), texts).values


def test_the_layers_are_the_papers(model: Any) -> None:
    layers = {type(layer).__name__: layer for layer in model.layers}
    convolution, pooling = layers["Conv1D"], layers["MaxPooling1D"]
    assert (convolution.filters, convolution.kernel_size, pooling.pool_size) == (32, (17,), (4,))
    assert [layer.units for layer in model.layers if type(layer).__name__ == "Dense"] == [25, 1]
    assert model.layers[-1].activation.__name__ == "sigmoid"
    order = [type(layer).__name__ for layer in model.layers if layer.weights]
    assert order == ["Embedding", "Conv1D", "Dense", "Dense"]
    assert convolution.kernel.shape == (17, 6, 32)
    # 50 words, pooled by 4 without the rest: 12 places of 32 filters.
    assert model.get_layer("dense").kernel.shape == (12 * 32, 25)


def test_the_vectors_are_in_the_model_as_they_were(model: Any) -> None:
    embedding = model.get_layer("embedding")
    assert not embedding.trainable
    assert model.get_layer("text_vectorization").get_vocabulary() == ["", "[UNK]", *KNOWN]
    (kept,) = embedding.get_weights()
    expected = [np.zeros(6), np.zeros(6), *(VECTORS.matrix[WORDS.index(word)] for word in KNOWN)]
    np.testing.assert_array_equal(kept, np.array(expected, np.float32))


def test_what_came_of_it_is_told(made: PaperCnn) -> None:
    words = " ".join(TEXTS).lower().replace(",", "").replace("!", "").split()
    assert made.coverage == pytest.approx(sum(word in KNOWN for word in words) / len(words))
    assert made.words == len(KNOWN)
    assert len(made.losses) == 3
    assert made.losses[-1] < made.losses[0]


def test_the_model_learns_what_sets_the_classes_apart(tmp_path: Path) -> None:
    path = trained(tmp_path / "model.keras", epochs=60).path
    assert ((scores(path)[:, 0] >= 0.5) == np.array(LABELS)).all()


def test_the_saved_model_scores_texts_as_they_are(made: PaperCnn, model: Any) -> None:
    tf, _ = tensorflow()
    texts = [*TEXTS, "", "SILLY goose!!", "Caf\u00e9 \ud800", "bread " * 200]
    own = model.predict_on_batch(tf.constant([text.encode("utf-8", "replace") for text in texts]))
    found = scores(made.path, texts)
    np.testing.assert_allclose(found, own, atol=1e-6)
    assert found.shape == (len(texts), 1)


def test_the_file_needs_no_trust_and_no_code_of_fairnb(made: PaperCnn) -> None:
    with zipfile.ZipFile(made.path) as archive:
        configuration = archive.read("config.json").decode("utf-8")
    assert "fairnb" not in configuration
    assert "Lambda" not in configuration
    assert json.loads(configuration)["config"]["name"] == "paper_cnn"


def test_the_same_seed_gives_the_same_model_whatever_the_session_drew_before(
    made: PaperCnn, tmp_path: Path
) -> None:
    _, keras = tensorflow()
    keras.utils.set_random_seed(99)
    again = trained(tmp_path / "again.keras")
    assert scores(again.path).tobytes() == scores(made.path).tobytes()
    assert again.losses == made.losses
    first, second = (keras.models.load_model(one.path).get_weights() for one in (made, again))
    assert [weight.tobytes() for weight in first] == [weight.tobytes() for weight in second]


def test_training_leaves_the_generators_of_the_session_alone(tmp_path: Path) -> None:
    tf, keras = tensorflow()

    def drawn(*, train: bool) -> tuple[float, float]:
        keras.utils.set_random_seed(7)
        if train:
            trained(tmp_path / "model.keras", epochs=1)
        return float(np.random.random()), float(tf.random.uniform(()))  # noqa: NPY002 - the session's own

    assert drawn(train=True) == drawn(train=False)


def test_another_seed_gives_another_model(made: PaperCnn, tmp_path: Path) -> None:
    assert scores(trained(tmp_path / "model.keras", seed=1).path).tobytes() != scores(made.path).tobytes()


def test_its_words_and_vectors_can_be_read_from_the_file(made: PaperCnn) -> None:
    from fairnb.embedding import open_embedding

    embedding = open_embedding(made.path.name, made.path.parent)
    assert list(embedding.words) == KNOWN
    np.testing.assert_array_equal(embedding.matrix[1], VECTORS.matrix[WORDS.index("goose")])


def test_progress_is_told_after_each_epoch(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    trained(tmp_path / "model.keras", epochs=2, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({"labels": [1] * 64}, "one-class", "only the label 1"),
        ({"texts": [], "labels": []}, "one-class", "no label"),
        ({"labels": [1, 0]}, "unequal-lengths", "64 texts and 2 labels"),
        ({"labels": [1, None, *LABELS[2:]]}, "unknown-label", "row 2: the label None"),
        ({"texts": ["nothing here"] * 64}, "no-covered-word", "none of the 128 words"),
        ({"epochs": 0}, "bad-epochs", "0 epochs"),
        ({"seed": -1}, "bad-seed", "-1 is below 0"),
        ({"path": "model.h5"}, "wrong-suffix", "'model.h5'.*ends in .keras"),
        ({"path": "gone/model.keras"}, "missing-folder", "gone: the folder"),
    ],
)
def test_mistakes_are_told_in_one_sentence_and_leave_no_file(
    tmp_path: Path, change: dict[str, Any], code: str, told: str
) -> None:
    given = {"texts": TEXTS, "labels": LABELS, "vectors": VECTORS, "path": "model.keras", **change}
    given["path"] = tmp_path / given["path"]
    with pytest.raises(FairnbError, match=told) as caught:
        train_paper_cnn(**given)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_training_that_is_stopped_leaves_the_older_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    path.write_bytes(b"an older model")

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(path, progress=stop)
    assert path.read_bytes() == b"an older model"
    assert list(tmp_path.iterdir()) == [path]
