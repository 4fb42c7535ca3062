"""Masked forms of a text are scored to the bit as their texts are, however they are handed over."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.explanation import units_of
from fairnb.system import SystemSpec, Tokens, open_system, score_masked, score_texts
from fairnb.system._tensorflow import tensorflow

TEXTS = (
    "one two three one two three one",
    "  @ann: he's not-a/good day, is it?!  ",
    "tab\there\nand there\u00a0then ",
    "Ünder the BRIDGE ΟΔΟΣ ΟΔΟΣ. 😁😁 d'accord",
    "x" * 30 + " " + "one " * 40,
    "one/two-three,four.one/two-three,four.one/two-three",
    "lone \ud83d surrogate",
    "don&#39;t &amp; won't",
)


def keras_or_skip() -> Any:
    # Not importorskip: TensorFlow is to be set up as systems set it up.
    if not find_spec("tensorflow"):
        pytest.skip("TensorFlow is not installed")
    return tensorflow()[1]


def masks_of(text: str, number: int = 60) -> tuple[Any, Any]:
    units = units_of(text)
    masks = np.random.default_rng(3).random((number, len(units))) < 0.5
    return units, np.vstack([masks, np.ones((1, len(units)), bool), np.zeros((1, len(units)), bool)])


def equal(system: Any, text: str, stand_in: str) -> None:
    units, masks = masks_of(text)
    tokens, kept = units.tokens(stand_in), units.masks_of_tokens(masks)
    ours = score_masked(system, tokens, kept).values
    assert np.array_equal(ours, score_texts(system, tokens.texts(kept)).values)


def test_texts_are_put_together_from_their_pieces() -> None:
    tokens = Tokens(("a", "b"), ("<", " ", ">"), "_")
    masks = np.array([[True, True], [False, True], [False, False]])
    assert tokens.texts(masks) == ["<a b>", "<_ b>", "<_ _>"]


def test_pieces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FairnbError, match="pieces lie between"):
        Tokens(("a",), ("",))


def test_a_system_that_takes_texts_is_asked_for_each_different_one_once() -> None:
    asked: list[str] = []

    def score(texts: list[str]) -> list[float]:
        asked.extend(texts)
        return [min(1.0, len(text) / 100) for text in texts]

    system = open_system(SystemSpec(python="live", version="1"), Path(), live_object=score)
    tokens = Tokens(("a", "b"), ("", " ", ""), "b")
    found = score_masked(system, tokens, np.array([[True, True], [True, False], [False, False]]))
    assert sorted(asked) == ["a b", "b b"]
    np.testing.assert_allclose(found.values[:, 0], [0.03, 0.03, 0.03])


@pytest.fixture(scope="module")
def keras_kit() -> Any:
    keras = keras_or_skip()
    keras.utils.set_random_seed(5)

    def model(shape: tuple[int, ...] = (1,), **settings: Any) -> Any:
        vectorization = keras.layers.TextVectorization(**{"output_sequence_length": 8, **settings})
        vectorization.adapt([*TEXTS[:4], "one two", "bridge accord"])
        texts = keras.Input(shape, dtype="string")
        hidden = keras.layers.Embedding(60, 16)(vectorization(texts))
        hidden = keras.layers.Conv1D(32, 3, activation="relu")(hidden)
        hidden = keras.layers.Dense(5, activation="relu")(keras.layers.Flatten()(hidden))
        return keras.Model(texts, keras.layers.Dense(1, activation="sigmoid")(hidden))

    return model


@pytest.mark.parametrize("stand_in", ["UNKWORDZ", "", "two words", "..."])
@pytest.mark.parametrize("text", TEXTS)
def test_a_keras_network_that_is_given_ids_says_what_it_says_of_the_texts(
    keras_kit: Any, text: str, stand_in: str
) -> None:
    for shape in ((1,), ()):
        system = open_system(SystemSpec(python="live"), Path(), live_object=keras_kit(shape))
        tokens = units_of(text).tokens(stand_in)
        assert system.encoded(tokens, np.ones((1, len(tokens.words)), bool)) is not None
        equal(system, text, stand_in)


@pytest.mark.parametrize(
    "settings",
    [
        {"ngrams": 2},
        {"split": "character"},
        {"output_sequence_length": None},
    ],
    ids=str,
)
def test_a_keras_network_that_does_not_read_word_by_word_is_given_texts(
    keras_kit: Any, settings: Any
) -> None:
    if settings == {"output_sequence_length": None}:
        keras = keras_or_skip()
        vectorization = keras.layers.TextVectorization(**settings)
        vectorization.adapt(["one two"])
        texts = keras.Input((1,), dtype="string")
        hidden = keras.layers.GlobalAveragePooling1D()(keras.layers.Embedding(60, 4)(vectorization(texts)))
        model = keras.Model(texts, keras.layers.Dense(1, activation="sigmoid")(hidden))
    else:
        model = keras_kit(**settings)
    system = open_system(SystemSpec(python="live"), Path(), live_object=model)
    assert system.encoded(Tokens(("a",), ("", "")), np.ones((1, 1), bool)) is None
    if settings != {"output_sequence_length": None}:
        equal(system, TEXTS[0], "UNKWORDZ")


@pytest.mark.parametrize("text", TEXTS)
def test_the_packaged_network_that_is_given_ids_says_what_it_says_of_the_texts(text: str) -> None:
    system = packaged()
    units, masks = masks_of(text)
    tokens, kept = units.tokens("UNKWORDZ"), units.masks_of_tokens(masks)
    ours = system.encoded(tokens, kept)
    assert ours is not None
    np.testing.assert_array_equal(ours, system.tokens(tokens.texts(kept)))


_PACKAGED: list[Any] = []


def packaged() -> Any:
    keras_or_skip()
    pytest.importorskip("toxic_classifier")
    if not _PACKAGED:
        _PACKAGED.append(open_system(SystemSpec(use="toxic-comment-classifier"), Path()))
    return _PACKAGED[0]
