from __future__ import annotations

import numpy as np

from fairnb.corpus import language_groups


def test_each_text_is_in_the_group_of_its_language() -> None:
    names, inside = language_groups(["it", "en", "", "it"])
    assert names == ("language/en", "language/it", "language/not declared")
    expected = [[False, True, False], [True, False, False], [False, False, True], [False, True, False]]
    assert np.array_equal(inside.toarray(), expected)


def test_codes_that_a_tally_would_take_for_something_else_stay_names() -> None:
    names, inside = language_groups(["~gender", "a&b", "not declared", ""])
    assert names == ("language/a&b", "language/not declared", "language/~gender")
    assert inside.sum(axis=0).tolist() == [1, 2, 1]


def test_where_nothing_says_the_language_there_is_no_group() -> None:
    names, inside = language_groups(None)
    assert (names, inside.shape) == ((), (0, 0))
