"""Keys keep the order of scores, every bit of float32, and 0.5 as an edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from fairnb.errors import FairnbError
from fairnb.statistics._keys import HALF, SHIFTS, TOP, keys_of, scores_of, threshold_key

unit32 = st.floats(0.0, 1.0, width=32)
# Saturated sigmoids: 1 minus a few steps of float32, where rounding to decimals loses what AUC needs.
near_one32 = st.integers(0, 2**20).map(lambda k: float(np.float32(1) - np.float32(k * 2.0**-24)))
unit64 = st.floats(0.0, 1.0) | st.integers(0, 2**20).map(lambda k: 1.0 - k * 2.0**-53)


@given(npst.arrays(np.float32, st.integers(0, 50), elements=unit32 | near_one32))
def test_float32_scores_come_back_bit_for_bit(scores):
    assert np.array_equal(scores_of(keys_of(scores)), scores.astype(np.float64))


@given(npst.arrays(np.float16, st.integers(0, 50), elements=st.floats(0.0, 1.0, width=16)))
def test_float16_scores_come_back_bit_for_bit(scores):
    assert np.array_equal(scores_of(keys_of(scores)), scores.astype(np.float64))


@given(unit32 | near_one32, unit32 | near_one32)
def test_keys_order_float32_scores_strictly(one, other):
    low, high = keys_of(np.array([one, other], np.float32)).tolist()
    assert (low < high) == (one < other)
    assert (low == high) == (one == other)


@given(unit64, unit64)
def test_keys_never_reverse_float64_scores(one, other):
    low, high = keys_of(np.array(sorted((one, other)))).tolist()
    assert low <= high


@given(unit64)
def test_float64_scores_are_held_to_a_relative_half_step_of_float32_on_either_side(score):
    held = float(scores_of(keys_of(np.array([score])))[0])
    distance = min(score, 1 - score)
    assert abs(held - score) <= distance * 2.0**-24 + 2.0**-53


@given(unit64 | st.sampled_from([0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1), 0.5 - 1e-12]))
@pytest.mark.parametrize("shift", SHIFTS)
def test_a_half_is_an_exact_edge_under_every_shift(shift, score):
    key = int(keys_of(np.array([score]))[0])
    assert (key >> shift >= HALF >> shift) == (score >= 0.5)


def test_saturated_scores_stay_apart():
    scores = 1 - np.arange(1000, dtype=np.float32) * np.float32(2.0**-24)
    assert len(np.unique(keys_of(scores))) == 1000
    assert len(np.unique(keys_of(1 - np.arange(1000) * 2.0**-53))) == 1000


def test_ends_and_signed_zero():
    assert keys_of(np.array([0.0, -0.0, 0.5, 1.0])).tolist() == [0, 0, HALF, TOP]
    assert keys_of(np.array([0, 1])).tolist() == [0, TOP]
    assert TOP < 2**31


@pytest.mark.parametrize("shift", SHIFTS)
def test_coarsened_scores_stay_in_range_and_order(shift):
    keys = keys_of(np.linspace(0, 1, 1001)) >> shift
    held = scores_of(keys, shift)
    assert held.min() >= 0
    assert held.max() <= 1
    assert np.all(np.diff(held) >= 0)


@pytest.mark.parametrize("score", [-0.1, 1.1, np.nan, np.inf, -np.inf])
def test_a_score_outside_the_unit_interval_is_named_with_its_row(score):
    with pytest.raises(FairnbError) as raised:
        keys_of(np.array([0.5, score]))
    assert raised.value.code == "score-out-of-range"
    assert raised.value.where == "row 1"


@given(unit32, st.floats(0.0, 1.0))
def test_a_threshold_is_cast_once_to_the_scores_type(score, threshold):
    flagged = np.float32(score) >= np.float32(threshold)
    assert (int(keys_of(np.array([score], np.float32))[0]) >= threshold_key(threshold, "float32")) == flagged
