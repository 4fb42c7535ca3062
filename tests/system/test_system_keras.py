"""Keras models, saved and live; and TensorFlow kept quiet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairnb.errors import ExitCode, FairnbError
from fairnb.system import SystemSpec, open_system, save_object, score_texts
from fairnb.system._tensorflow import quiet, tensorflow

TEXTS = [
    "You silly goose",
    "a lovely day",
    "potato head",
    "bread and butter",
    "what a clown",
    "Café\ud800",
    "",
]


@pytest.fixture(scope="module")
def kit() -> SimpleNamespace:
    tf, keras = tensorflow()
    keras.utils.set_random_seed(5)
    vectorization = keras.layers.TextVectorization(max_tokens=40, output_sequence_length=6)
    vectorization.adapt(TEXTS[:5])

    def model(outputs: int = 1, activation: str = "sigmoid", shape: tuple[int, ...] = (1,)) -> Any:
        texts = keras.Input(shape, dtype="string")
        hidden = keras.layers.Flatten()(keras.layers.Embedding(40, 4)(vectorization(texts)))
        return keras.Model(texts, keras.layers.Dense(outputs, activation=activation)(hidden))

    return SimpleNamespace(tf=tf, keras=keras, model=model, three=model(3, "softmax"))


def opened(folder: Path, file: str = "model.keras", **spec: Any) -> Any:
    return open_system(SystemSpec(keras=file, **spec), folder)


def own_scores(kit: SimpleNamespace, model: Any) -> Any:
    batch = [[text.encode("utf-8", "replace")] for text in TEXTS]
    return model.predict_on_batch(kit.tf.constant(batch))


def test_scores_are_the_models_own(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.three.save(tmp_path / "model.keras")
    scores = score_texts(opened(tmp_path, classes=("fine", "rude", "hate")), TEXTS)
    assert scores.values.dtype == np.float32
    np.testing.assert_allclose(scores.values, own_scores(kit, kit.three), atol=1e-6)


def hashing(kit: SimpleNamespace) -> Any:
    """Make a model that the older file format can hold."""
    texts = kit.keras.Input((1,), dtype="string")
    hidden = kit.keras.layers.CategoryEncoding(16)(kit.keras.layers.Hashing(16)(texts))
    return kit.keras.Model(texts, kit.keras.layers.Dense(1, activation="sigmoid")(hidden))


def test_the_older_file_format(kit: SimpleNamespace, tmp_path: Path) -> None:
    model = hashing(kit)
    model.save(tmp_path / "model.h5")
    system = opened(tmp_path, "model.h5")
    np.testing.assert_allclose(score_texts(system, TEXTS).values, own_scores(kit, model), atol=1e-6)
    assert len(system.fingerprint) == 64


def test_a_score_does_not_depend_on_the_company_it_is_in(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.three.save(tmp_path / "model.keras")
    system = opened(tmp_path, classes=("a", "b", "c"), batch_size=5)
    together = score_texts(system, TEXTS).values
    alone = np.vstack([system.score([text]).values for text in TEXTS])
    assert together.tobytes() == alone.tobytes()


def test_columns_without_names_are_an_error(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.three.save(tmp_path / "model.keras")
    with pytest.raises(FairnbError, match="3 scores per text") as caught:
        score_texts(opened(tmp_path), TEXTS)
    assert caught.value.code == "unnamed-classes"


def test_logits_are_refused_with_the_remedy(kit: SimpleNamespace, tmp_path: Path) -> None:
    model = kit.model(1, "linear")
    model.layers[-1].set_weights([np.full((24, 1), 9.0), np.array([5.0])])
    model.save(tmp_path / "model.keras")
    with pytest.raises(FairnbError, match="logits") as caught:
        score_texts(opened(tmp_path), TEXTS)
    assert caught.value.code == "not-a-score"


def test_a_model_of_numbers_is_refused_with_the_remedy(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.keras.Sequential([kit.keras.Input((100,)), kit.keras.layers.Dense(1)]).save(tmp_path / "model.keras")
    with pytest.raises(
        FairnbError, match=r"float32 of shape \(None, 100\), not texts.*TextVectorization"
    ) as caught:
        score_texts(opened(tmp_path), TEXTS)
    assert caught.value.code == "takes-no-texts"


def test_several_outputs_are_refused(kit: SimpleNamespace, tmp_path: Path) -> None:
    one = kit.model()
    kit.keras.Model(one.input, [one.output, one.output]).save(tmp_path / "model.keras")
    with pytest.raises(FairnbError, match="2 outputs"):
        score_texts(opened(tmp_path), TEXTS)


def lambda_model(kit: SimpleNamespace) -> Any:
    one = hashing(kit)
    return kit.keras.Model(one.input, kit.keras.layers.Lambda(lambda score: score * 0.5)(one.output))


@pytest.mark.parametrize("file", ["model.keras", "model.h5"])
def test_a_lambda_layer_needs_trust(kit: SimpleNamespace, tmp_path: Path, file: str) -> None:
    lambda_model(kit).save(tmp_path / file)
    with pytest.raises(FairnbError, match="lambda layer") as caught:
        score_texts(opened(tmp_path, file), TEXTS)
    assert caught.value.code == "not-trusted"


def test_a_trusted_lambda_layer_is_loaded_and_the_trust_recorded(
    kit: SimpleNamespace, tmp_path: Path
) -> None:
    lambda_model(kit).save(tmp_path / "model.keras")
    system = opened(tmp_path, trust=True)
    assert score_texts(system, TEXTS).values.max() <= 0.5
    assert system.facts["trust"] == ["lambda layers of model.keras"]


def test_weights_alone_are_refused_with_the_remedy(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.three.save_weights(tmp_path / "model.weights.h5")
    with pytest.raises(FairnbError, match="whole model, not the weights alone") as caught:
        score_texts(opened(tmp_path, "model.weights.h5"), TEXTS)
    assert caught.value.exit_code is ExitCode.FAILED
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "code"),
    [("gone.keras", "missing-file"), ("../m.keras", "path-outside"), ("model.bin", "missing-file")],
)
def test_the_file_is_looked_for_on_opening(tmp_path: Path, file: str, code: str) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path, file)
    assert caught.value.code == code


def test_a_damaged_file_is_told_on_opening(tmp_path: Path) -> None:
    (tmp_path / "model.keras").write_bytes(b"nonsense")
    with pytest.raises(FairnbError, match="not a whole Keras file"):
        opened(tmp_path)


def test_a_file_exchanged_after_opening_is_not_scored(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.three.save(tmp_path / "model.keras")
    system = opened(tmp_path, classes=("a", "b", "c"))
    kit.model().save(tmp_path / "model.keras")
    with pytest.raises(FairnbError) as caught:
        score_texts(system, TEXTS)
    assert caught.value.code == "file-changed"


def test_a_live_model_is_saved_and_opens_as_the_same_system(kit: SimpleNamespace, tmp_path: Path) -> None:
    model = kit.model()
    live = open_system(SystemSpec(python="live"), tmp_path, live_object=model)
    spec = save_object(model, tmp_path)
    saved = open_system(spec, tmp_path)
    assert (spec.keras, live.fingerprint) == ("system.keras", saved.fingerprint)
    assert score_texts(live, TEXTS).values.tobytes() == score_texts(saved, TEXTS).values.tobytes()
    before = (tmp_path / "system.keras").stat().st_mtime_ns
    save_object(model, tmp_path)
    assert (tmp_path / "system.keras").stat().st_mtime_ns == before


def test_other_weights_are_another_system(kit: SimpleNamespace, tmp_path: Path) -> None:
    fingerprints = set()
    for _ in range(2):
        kit.model().save(tmp_path / "model.keras")
        fingerprints.add(opened(tmp_path).fingerprint)
    assert len(fingerprints) == 2


def test_native_noise_is_held_back_and_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet():
        os.write(2, b"I0000 00:00:1796011149.046552   11259 cudart_stub.cc:31] Could not find drivers\n")
        os.write(2, b"a line of somebody else\n")
        os.write(
            2, b"WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
        )
    assert capfd.readouterr().err == "a line of somebody else\n"


def test_a_fresh_process_scores_without_a_word(kit: SimpleNamespace, tmp_path: Path) -> None:
    kit.model().save(tmp_path / "model.keras")
    program = (
        "import pathlib, sys\nfrom fairnb.system import SystemSpec, open_system, score_texts\n"
        "system = open_system(SystemSpec(keras='model.keras'), pathlib.Path('.'))\n"
        "system.fingerprint, system.facts\n"
        "assert not {'tensorflow', 'keras', 'sklearn', 'pandas'} & set(sys.modules), 'loaded too early'\n"
        "score_texts(system, ['a', 'b'])\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "KERAS"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
