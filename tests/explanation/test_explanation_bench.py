"""How long explanations take beside the libraries they are held against, on a network of the paper's size."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from fairnb.explanation import Attributor, explain
from fairnb.system import SystemSpec, open_system, score_texts

pytestmark = pytest.mark.bench

WORDS = [f"word{number}" for number in range(20_000)]


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    pytest.importorskip("tensorflow")
    from fairnb.system._tensorflow import tensorflow

    tf, keras = tensorflow()
    keras.utils.set_random_seed(1)
    layers = keras.layers
    texts = keras.Input((1,), dtype="string")
    hidden = layers.TextVectorization(output_sequence_length=50, vocabulary=WORDS)(texts)
    hidden = layers.Conv1D(32, 17, activation="relu")(layers.Embedding(len(WORDS) + 2, 50)(hidden))
    hidden = layers.Flatten()(layers.MaxPooling1D(4)(hidden))
    hidden = layers.Dense(25, activation="relu")(hidden)
    model = keras.Model(texts, layers.Dense(1, activation="sigmoid")(hidden))
    folder = tmp_path_factory.mktemp("network")
    model.save(folder / "network.keras")
    system = open_system(SystemSpec(keras="network.keras", classes=("positive",)), folder)

    def ours(asked):
        return score_texts(system, list(asked)).values[:, 0]

    def theirs(asked):
        return model.predict(tf.constant([[str(text)] for text in asked]), verbose=0)[:, 0]

    random = np.random.default_rng(0)
    sample = [" ".join(random.choice(WORDS, size)) for size in (14, 16, 18, 20)]
    ours(sample)
    return SimpleNamespace(ours=ours, theirs=theirs, texts=sample)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_single_texts_take_less_than_with_lime(kit):
    lime_text = pytest.importorskip("lime.lime_text")

    def both(asked):
        scores = kit.theirs(asked)
        return np.c_[1 - scores, scores]

    def theirs():
        for text in kit.texts:
            lime_text.LimeTextExplainer(random_state=1).explain_instance(text, both, num_samples=5000)

    def ours():
        for text in kit.texts:
            explain(text, kit.ours, samples=5000)

    ours()
    assert seconds(ours) < seconds(theirs)


def test_many_texts_take_less_than_with_shap(kit):
    shap = pytest.importorskip("shap")
    explainer = shap.Explainer(kit.theirs, shap.maskers.Text(r"\W+"), algorithm="partition")
    explainer(["a short text"], max_evals=500, silent=True)

    def ours():
        Attributor(kit.ours).attribute(kit.texts)

    ours()
    assert seconds(ours) < seconds(lambda: explainer(kit.texts, max_evals=500, silent=True)) / 2
