"""Averaged precision and recall against scikit-learn, their intervals against the numeric delta method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from fairnb.statistics import Confusion, averaged_share

KINDS = [(share, average) for share in ("precision", "recall") for average in ("macro", "weighted")]
SCORES = {"precision": metrics.precision_score, "recall": metrics.recall_score}


def plain(counts, share, average):
    tp, fp, fn, tn = counts
    if share == "precision":
        positive, negative = tp / (tp + fp), tn / (tn + fn)
    else:
        positive, negative = tp / (tp + fn), tn / (tn + fp)
    weight = 0.5 if average == "macro" else (tp + fn) / sum(counts)
    return weight * positive + (1 - weight) * negative


@pytest.mark.parametrize(("share", "average"), KINDS)
@given(st.builds(Confusion, *[st.integers(1, 400)] * 4))
def test_value_equals_sklearn_and_interval_the_numeric_delta_method(share, average, confusion):
    got = averaged_share(confusion, share, average)
    labels, decided = np.repeat([1, 0, 1, 0], confusion), np.repeat([1, 1, 0, 0], confusion)
    assert got.value == pytest.approx(SCORES[share](labels, decided, average=average), abs=1e-12)
    base = np.array(confusion, float)
    steps = np.eye(4) * 1e-4 * base
    slopes = np.array(
        [
            (plain(base + step, share, average) - plain(base - step, share, average)) / (2 * step.sum())
            for step in steps
        ]
    )
    spread = np.sqrt(slopes @ (np.diag(base) - np.outer(base, base) / base.sum()) @ slopes)
    reach = 1.959963984540054 * spread / (got.value * (1 - got.value))
    logit = np.log(got.value / (1 - got.value))
    expected = 1 / (1 + np.exp([reach - logit, -reach - logit]))
    assert [got.low, got.high] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("share", "average"), KINDS)
def test_ends_and_undefined(share, average):
    perfect = averaged_share(Confusion(20, 0, 0, 30), share, average)
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert 0.8 < perfect.low < 1
    undefined = averaged_share(Confusion(0, 0, 0, 5), share, average)
    assert undefined.value is None
    assert "positive" in undefined.note
