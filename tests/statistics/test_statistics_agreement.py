"""Agreement of annotators: held to Krippendorff's own example and to statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from fairnb.errors import FairnbError
from fairnb.statistics import agreement


def test_the_published_example_gives_the_published_alpha() -> None:
    # Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, part C: four observers, twelve units, 0.743.
    none = None
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3],
        [none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none],
    ]
    found = agreement(observers)
    assert found.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert (found.texts, found.labels, found.annotators) == (11, 40, 4)


@pytest.mark.parametrize("kinds", [2, 4])
def test_complete_labels_give_fleiss_kappa_of_statsmodels(kinds: int) -> None:
    random = np.random.default_rng(kinds)
    truth = random.integers(0, kinds, 80)
    labels = np.where(random.random((3, 80)) < 0.7, truth, random.integers(0, kinds, (3, 80)))
    found = agreement(labels.tolist())
    table, _ = aggregate_raters(labels.T)
    kappa = fleiss_kappa(table)
    total = labels.size
    # Alpha corrects chance agreement for drawing without putting back: Krippendorff (2019), chapter 12.
    assert found.alpha.value == pytest.approx(1 - (1 - kappa) * (total - 1) / total, abs=1e-12)
    pairs = [(labels[a] == labels[b]).mean() for a, b in ((0, 1), (0, 2), (1, 2))]
    assert found.share.value == pytest.approx(np.mean(pairs), abs=1e-12)
    assert found.share.low < found.share.value < found.share.high
    assert found.alpha.low < found.alpha.value < found.alpha.high


def test_texts_of_a_cluster_are_drawn_together() -> None:
    random = np.random.default_rng(1)
    first = random.integers(0, 2, 40)
    second = np.where(random.random(40) < 0.8, first, 1 - first)
    once = agreement([first.tolist(), second.tolist()])
    # The same texts ten times tell no more.
    often = agreement([first.tolist() * 10, second.tolist() * 10], clusters=list(range(40)) * 10)
    assert often.share.low == pytest.approx(once.share.low, abs=1e-9)
    assert often.alpha.high - often.alpha.low == pytest.approx(once.alpha.high - once.alpha.low, rel=0.1)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    # Two annotators who copy a fair coin with 0.85 each: they agree with 0.745, alpha is 0.49.
    random = np.random.default_rng(7)
    held = np.zeros(2)
    for _ in range(200):
        truth = random.random(100) < 0.5
        one, two = (truth ^ (random.random(100) > 0.85) for _ in range(2))
        found = agreement([one.tolist(), two.tolist()], seed=3)
        held += [
            found.share.low <= 0.745 <= found.share.high,
            found.alpha.low <= 0.49 <= found.alpha.high,
        ]
    assert (held >= 0.9 * 200).all()


def test_what_cannot_be_compared_has_no_value() -> None:
    assert agreement([["a", None], [None, "b"]]).alpha.note == "no text has two labels"
    same = agreement([["a", "a"], ["a", "a"]])
    assert (same.share.value, same.alpha.value) == (1.0, None)
    assert "all labels are the same" in same.alpha.note
    with pytest.raises(FairnbError, match="different numbers"):
        agreement([["a"], ["a", "b"]])


def test_a_cluster_has_all_of_its_texts() -> None:
    # Twelve clusters alike, each of a text with labels that agree and one with labels that do not.
    first, second = [0, 0] * 12, [0, 1] * 12
    found = agreement([first, second], clusters=[text // 2 for text in range(24)]).alpha
    # 48 labels, 36 and 12 of a kind: 1 - (48 - 1) x 24 / (48² - 36² - 12²), the same in every draw.
    expected = 1 - 47 * 24 / (48**2 - 36**2 - 12**2)
    assert (found.value, found.low, found.high) == pytest.approx([expected] * 3, abs=1e-12)
