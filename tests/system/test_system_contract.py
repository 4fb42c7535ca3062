"""What every system keeps to, whatever it is made of."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.errors import ExitCode, FairnbError
from fairnb.system import ScoreCache, System, SystemSpec, open_system, positive, score_texts

MILD = [
    "You are a silly goose",
    "the gay couple next door baked bread",
    "What a lovely morning",
    "This soup is terrible and so is the waiter",
    "My neighbour's goat ate the laundry again",
    "I would not hire that clown to hold a door",
    "The train to Bologna leaves at nine",
    "Nobody asked you, potato head",
    "a Muslim scholar wrote the textbook we use",
    "she is the best keeper in the league",
    "Stop being such a dork about the rules",
    "Café crème, s'il vous plaît!",
    "",
    "   ",
    "LOUD WORDS ARE STILL WORDS",
    "http://example.org/page is a link",
    "ok",
    "what what what what " * 60,
    "The referee must be blind, the lazy dog",
    "Two plus two is four &amp; so on",
]


def function(spec: dict[str, Any], folder: Path) -> System:
    (folder / "contract_scorer.py").write_text(
        "def score(texts):\n    return [min(len(text), 100) / 100 for text in texts]\n"
    )
    return open_system(SystemSpec(python="contract_scorer:score", version="1", **spec), folder)


def live_function(spec: dict[str, Any], folder: Path) -> System:
    return open_system(
        SystemSpec(python="live", version="1", **spec),
        folder,
        live_object=lambda texts: np.array([[len(text) % 7 / 7] for text in texts], dtype=np.float32),
    )


def skops_pipeline(spec: dict[str, Any], folder: Path) -> System:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from skops.io import dump

    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    dump(pipeline.fit(MILD, [1, 0, 0, 1] * 5), folder / "model.skops")
    return open_system(SystemSpec(sklearn="model.skops", **spec), folder)


def profanity(spec: dict[str, Any], folder: Path) -> System:
    return open_system(SystemSpec(use="alt-profanity-check", **spec), folder)


_TOXIC: list[System] = []


def toxic(spec: dict[str, Any], folder: Path) -> System:
    if spec:
        return open_system(SystemSpec(use="toxic-comment-classifier", **spec), folder)
    if not _TOXIC:
        _TOXIC.append(open_system(SystemSpec(use="toxic-comment-classifier"), folder))
    return _TOXIC[0]


_KERAS: list[bytes] = []


def keras_model(spec: dict[str, Any], folder: Path) -> System:
    from fairnb.system._tensorflow import tensorflow

    path = folder / "model.keras"
    if not _KERAS:
        _, keras = tensorflow()
        vectorization = keras.layers.TextVectorization(max_tokens=50, output_sequence_length=8)
        vectorization.adapt(MILD)
        texts = keras.Input((1,), dtype="string")
        hidden = keras.layers.Flatten()(keras.layers.Embedding(50, 4)(vectorization(texts)))
        keras.Model(texts, keras.layers.Dense(1, activation="sigmoid")(hidden)).save(path)
        _KERAS.append(path.read_bytes())
    path.write_bytes(_KERAS[0])
    return open_system(SystemSpec(keras="model.keras", **spec), folder)


ADAPTERS = [function, live_function, skops_pipeline, keras_model, toxic, profanity]


@pytest.fixture(params=ADAPTERS, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Callable[[dict[str, Any], Path], System]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def system(make: Callable[[dict[str, Any], Path], System], tmp_path: Path) -> System:
    return make({}, tmp_path)


def test_scores_are_probabilities_one_row_per_text_one_column_per_class(system: System) -> None:
    scores = score_texts(system, MILD)
    assert scores.values.shape == (len(MILD), len(system.classes))
    assert scores.classes == system.classes
    assert scores.values.dtype in (np.float32, np.float64)
    assert ((scores.values >= 0) & (scores.values <= 1)).all()
    assert not scores.unscored
    assert len(scores) == len(MILD)


def test_scoring_again_gives_the_same_to_the_last_bit(system: System) -> None:
    assert score_texts(system, MILD).values.tobytes() == score_texts(system, MILD).values.tobytes()


def test_equal_texts_get_equal_scores_in_any_order(system: System) -> None:
    straight = score_texts(system, MILD).values
    mixed = score_texts(system, [*MILD[::-1], *MILD]).values
    np.testing.assert_array_equal(mixed, np.vstack([straight[::-1], straight]))


def test_scores_from_the_cache_equal_those_of_the_system(system: System) -> None:
    with ScoreCache() as cache:
        first = score_texts(system, MILD, cache=cache)
    with ScoreCache() as cache:
        again = score_texts(system, MILD, cache=cache)
    assert first.values.dtype == again.values.dtype
    assert first.values.tobytes() == again.values.tobytes()


def test_no_text_gives_no_row(system: System) -> None:
    assert score_texts(system, []).values.shape == (0, len(system.classes))


def test_it_is_live_and_fingerprinted(system: System) -> None:
    assert system.live
    assert len(system.fingerprint) == 64
    assert system.name


def test_facts_are_plain_values(system: System) -> None:
    from fairnb.files import canonical_json

    score_texts(system, MILD[:2])
    assert canonical_json(system.facts)
    assert system.facts["kind"] == system.adapter


def test_the_fingerprint_needs_no_scoring_and_stays(
    make: Callable[[dict[str, Any], Path], System], tmp_path: Path
) -> None:
    before = make({}, tmp_path).fingerprint
    system = make({}, tmp_path)
    score_texts(system, MILD[:2])
    assert system.fingerprint == before


def test_never_more_texts_per_call_than_the_batch_size_and_never_one(
    make: Callable[[dict[str, Any], Path], System], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = make({"batch_size": 4}, tmp_path)
    calls: list[int] = []
    raw = system.raw
    monkeypatch.setattr(system, "raw", lambda texts: calls.append(len(texts)) or raw(texts))
    score_texts(system, [f"text number {number}" for number in range(9)])
    assert calls == [3, 3, 3]


def test_p_positive_is_in_the_scores_own_precision(system: System) -> None:
    scores = score_texts(system, MILD)
    assert positive(scores, scores.classes[:1]).dtype == scores.values.dtype


def test_progress_ends_with_every_different_text_done(system: System) -> None:
    told: list[tuple[int, int, str]] = []
    score_texts(system, [*MILD, *MILD], progress=lambda *step: told.append(step))
    assert told[0][:2] == (0, len(MILD))
    assert told[-1][:2] == (len(MILD), len(MILD))
    assert system.name in told[-1][2]


def test_cancelling_stops_before_the_next_batch(system: System) -> None:
    with pytest.raises(FairnbError) as caught:
        score_texts(system, MILD, cancelled=lambda: True)
    assert caught.value.code == "cancelled"
    assert caught.value.exit_code is ExitCode.INTERRUPTED


def test_nothing_is_written_to_the_screen(
    make: Callable[[dict[str, Any], Path], System], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    score_texts(make({}, tmp_path), MILD)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_tensorflow_rounds_reproducibly() -> None:
    # In a process of its own: whoever imports TensorFlow first decides, and here that may be another test.
    program = (
        "from fairnb.system._tensorflow import tensorflow; tensorflow(); import os; print(os.environ[KEY])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program.replace("KEY", "'TF_ENABLE_ONEDNN_OPTS'")],
        env={name: value for name, value in os.environ.items() if name != "TF_ENABLE_ONEDNN_OPTS"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["0"]
