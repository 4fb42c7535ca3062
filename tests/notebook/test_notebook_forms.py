"""Parts of forms: lists in a line, files of the case, parts that fold, keys that changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairnb.notebook._forms import Fold, bring, dropdown, files, joined, labels, listed
from fairnb.notebook._keep import CaseText


@pytest.mark.parametrize(
    "values", [["a"], ["a", "b c"], ["a, b", 'say "so"'], [], ["äö", "x'y"]], ids=lambda one: repr(one)
)
def test_a_list_in_one_line_is_read_as_it_was_written(values: list[str]) -> None:
    assert listed(joined(values)) == values


def test_labels_are_numbers_where_the_readers_of_corpora_take_them_for_numbers() -> None:
    assert labels("1, -2, yes, 1.5, 007x") == [1, -2, "yes", "1.5", "007x"]


def test_files_are_found_below_the_case_folder_but_not_hidden_or_linked_ones(tmp_path: Path) -> None:
    for name in ("b.csv", "a.txt", "data/a.csv", ".fairnb/results/x.csv", "a/b/c/d.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "linked.csv").symlink_to("/etc/hostname")
    assert files(tmp_path, (".csv",)) == ["b.csv", "data/a.csv"]


def test_a_value_that_is_not_offered_stays_the_value() -> None:
    chosen = dropdown("Relation", ["a", "b"], "c")
    assert chosen.value == "c"
    assert [one[1] for one in chosen.options] == ["a", "b", "c"]


def test_a_part_folds_and_unfolds_and_a_fault_opens_it() -> None:
    fold = Fold("System", [], opened=False, summary="known system x\u202e")
    assert fold.inside.layout.display == "none"
    assert "\u202e" not in fold._head.description
    fold.blame("Version: <b>too long</b>")
    assert fold.opened
    assert fold.inside.layout.display == ""
    assert "<b>" not in fold._fault.value
    fold.blame("")
    assert fold._fault.layout.display == "none"


def test_only_keys_that_differ_are_touched() -> None:
    text = 'a = 1 # one\nb = 2\n# between\nc = "x"\n[next]\n'
    document = CaseText(f"[t]\n{text}")
    assert bring(document.table("t"), {"a": 1, "b": 2}, {"a": 5, "d": ["y"]}) == ["a", "d", "b"]
    assert document.text() == '[t]\na = 5 # one\n# between\nc = "x"\nd = ["y"]\n[next]\n'
