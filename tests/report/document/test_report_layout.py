"""How tables, ids and examples are set so that nothing leaves the page and nothing is told twice."""

from __future__ import annotations

import pytest

from fairnb.report._render import _Refs, _told_once
from fairnb.report._views import RowView, TableView
from fairnb.sections import Example, MeasureKey


def _table(columns: int, rows: int, cell: str = "0.1") -> TableView:
    row = RowView((cell,) * columns, "M-0001", quiet=False, strong=False)
    return TableView("A title", (("Head", "number"),) * columns, (row,) * rows, "", 1, refs=True)


@pytest.mark.parametrize(("columns", "across"), [(6, False), (10, False), (11, True)])
def test_only_a_table_of_twelve_columns_takes_a_page_across(columns: int, across: bool) -> None:
    assert _table(columns, 3).wide is across


def test_a_table_is_kept_on_one_page_only_if_it_is_small() -> None:
    assert _table(4, 12).short
    assert not _table(4, 13).short
    assert not _table(4, 5, "many words " * 20).short
    assert not _table(10, 3).short


def test_ids_are_sorted_and_neighbours_become_a_span() -> None:
    keys = [MeasureKey("rate", subgroup=str(number)) for number in range(1, 8)]
    names = {("one", "", key): f"M-{number:04d}" for number, key in enumerate(keys, 1)}
    refs = _Refs(names, "one", "")
    assert refs.of([keys[3], keys[0], keys[1], keys[2]]) == "M-0001 to M-0004"
    assert refs.of([keys[6], keys[0], keys[1], keys[2]]) == "M-0001 to M-0003, M-0007"
    assert refs.of([keys[4], keys[0], keys[1]]) == "M-0001 M-0002 M-0005"


def test_a_text_that_serves_several_examples_stands_once() -> None:
    original = Example(text="A kind word.", note="as it stands", values={"score": 0.1})
    changed = Example(text="A KIND WORD.", note="in capitals", values={"score": 0.2})
    again = Example(text="A kind word.", note="as it stands", values={"score": 0.3})
    assert _told_once([original, changed, original, again]) == (original, changed, again)
