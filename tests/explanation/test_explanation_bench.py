"""How long explanations take beside the libraries they are held against, on a network of the paper's size."""

from __future__ import annotations

import time
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from fairnb.explanation import Attributor, explain
from fairnb.system import SystemSpec, open_system, score_masked, score_texts

pytestmark = pytest.mark.bench

WORDS = [f"word{number}" for number in range(20_000)]


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    # Not importorskip: TensorFlow is to be set up as systems set it up.
    if not find_spec("tensorflow"):
        pytest.skip("TensorFlow is not installed")
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

    def masked(tokens, masks):
        return score_masked(system, tokens, masks).values[:, 0]

    def theirs(asked):
        return model.predict(tf.constant([[str(text)] for text in asked]), verbose=0)[:, 0]

    random = np.random.default_rng(0)
    sample = [" ".join(random.choice(WORDS, size)) for size in (14, 16, 18, 20)]
    many = [" ".join(random.choice(WORDS, size)) for size in random.integers(4, 32, 200)]
    ours(sample)
    explain(sample[0], ours, predict_masked=masked, samples=500)
    return SimpleNamespace(ours=ours, masked=masked, theirs=theirs, texts=sample, many=many)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def busy(call):
    """Seconds of all cores together: a bound for the time on an idle machine, whatever else runs."""
    start = time.process_time()
    call()
    return time.process_time() - start


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
            explain(text, kit.ours, predict_masked=kit.masked, samples=5000)

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


def test_twenty_texts_of_five_thousand_samples_take_four_seconds_of_two_cores_at_most(kit):
    def ours():
        for text in kit.many[:20]:
            explain(text, kit.ours, predict_masked=kit.masked, samples=5000)

    assert min(busy(ours) for _ in range(3)) <= 8


def test_shap_over_two_hundred_texts_takes_twenty_seconds_at_most(kit):
    assert busy(lambda: Attributor(kit.ours).attribute(kit.many)) <= 20
