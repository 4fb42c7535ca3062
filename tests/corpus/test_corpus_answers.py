"""Labels answering a target: 1, 0, -1, or an error that names the label."""

from __future__ import annotations

import numpy as np
import pytest

from fairnb.corpus import Corpus, answers
from fairnb.errors import FairnbError


def corpus(*labels):
    return Corpus(
        name="geese",
        role="test",
        texts=tuple(f"text {row}" for row in range(len(labels))),
        labels=labels,
        ids=tuple(map(str, range(len(labels)))),
        facts={"source": "geese.csv"},
        lines=tuple(range(2, 2 + len(labels))),
    )


def refused(*args):
    with pytest.raises(FairnbError) as caught:
        answers(*args)
    return caught.value


def test_positive_labels_mean_yes_every_other_no_missing_ones_neither():
    found = answers(corpus(0, 1, 2, None, 1), [0, 1])
    assert found.tolist() == [1, 1, 0, -1, 1]
    assert found.dtype == np.int8


def test_a_number_may_be_written_as_text():
    assert answers(corpus(1, 0), ["1"], ["0"]).tolist() == [1, 0]


def test_a_label_in_neither_list_is_named_with_first_row_and_count():
    error = refused(corpus(1, 0, 7, 0, 7), [1], [0])
    assert error.code == "unknown-label"
    assert error.where == "geese.csv, line 4"
    assert "7" in error.found
    assert "2 rows have it" in error.found


def test_a_positive_label_that_never_occurs_is_named_with_those_that_do():
    error = refused(corpus("OFF", "NOT", "NOT"), ["off"])
    assert error.code == "label-not-found"
    assert "NOT (2), OFF (1)" in error.found
    assert "did you mean 'OFF'" in error.remedy


def test_every_positive_label_must_occur_where_the_negative_ones_are_not_named():
    assert refused(corpus("hate", "neither"), ["hate", "offensve"]).code == "label-not-found"


@pytest.mark.parametrize(("label", "answer"), [(0, 0), (1, 1)])
def test_one_class_is_allowed_where_both_lists_are_given(label, answer):
    assert answers(corpus(label, label), [1], [0]).tolist() == [answer, answer]


def test_one_positive_class_needs_no_negative_list():
    assert answers(corpus(1, 1), [1]).tolist() == [1, 1]


def test_a_label_cannot_mean_both():
    assert refused(corpus(1, 0), [1, 0], ["0"]).code == "label-twice"


def test_a_corpus_without_any_label_is_refused():
    assert refused(corpus(None, None), [1]).code == "no-labels"


def test_many_labels_are_listed_in_part():
    assert "and 8 more" in refused(corpus(*range(20)), [99]).found
