"""Parameters are written back without touching the rest of the case file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from fairnb.case import load_case
from fairnb.errors import FairnbError
from fairnb.notebook._keep import CaseText, edit_case_file, keep_parameters, set_inside, set_value

DECLARED = {"threshold": None, "corpus": "test", "by": "subgroup", "intersections": False}
TABLE = """
# what was agreed
[sections.group_bias]  # by mail
threshold = 0.4   # the operator's
by = "subgroup"
"""


@pytest.fixture
def folder(small: Callable[..., Path]) -> Path:
    return small(extra=TABLE)


def _text(folder: Path) -> str:
    return (folder / "assessment.toml").read_text(encoding="utf-8")


def test_only_the_changed_key_changes_and_comments_stay(folder: Path) -> None:
    before = _text(folder)
    declared = {**DECLARED, "threshold": 0.4}
    kept = keep_parameters(folder, "group_bias", {**declared, "threshold": 0.6}, declared)
    assert kept == ["threshold"]
    assert _text(folder) == before.replace("threshold = 0.4   #", "threshold = 0.6   #")
    assert load_case(folder).file.sections["group_bias"]["threshold"] == 0.6


def test_a_parameter_left_open_takes_its_key_out(folder: Path) -> None:
    declared = {**DECLARED, "threshold": 0.4}
    keep_parameters(folder, "group_bias", DECLARED, declared)
    assert "threshold" not in load_case(folder).file.sections["group_bias"]
    assert "# what was agreed" in _text(folder)


def test_a_section_without_a_table_gets_one(small: Callable[..., Path]) -> None:
    folder = small()
    before = _text(folder)
    keep_parameters(
        folder, "technical_performance", {"threshold": None, "bins": 20}, {"threshold": None, "bins": 10}
    )
    assert _text(folder).startswith(before)
    assert load_case(folder).file.sections == {"technical_performance": {"bins": 20}}


def test_lists_and_texts_with_quotes_are_written_as_toml(small: Callable[..., Path]) -> None:
    folder = small()
    hostile = 'a "quoted" word\n[system] #'
    keep_parameters(folder, "swap", {"attributes": ("gender", hostile)}, {"attributes": ()})
    assert load_case(folder).file.sections["swap"]["attributes"] == ["gender", hostile]


def test_nothing_changed_writes_nothing(folder: Path) -> None:
    path = folder / "assessment.toml"
    before = path.stat().st_mtime_ns
    assert keep_parameters(folder, "group_bias", DECLARED, DECLARED) == []
    assert path.stat().st_mtime_ns == before


def test_what_would_make_the_file_wrong_is_refused_in_one_sentence(folder: Path) -> None:
    before = _text(folder)
    with pytest.raises(FairnbError) as refused:
        keep_parameters(folder, "group_bias", {**DECLARED, "threshold": 7.0}, DECLARED)
    assert "7.0" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert _text(folder) == before


def test_a_file_that_is_not_toml_is_left_alone(folder: Path) -> None:
    (folder / "assessment.toml").write_text("[engagement\n", encoding="utf-8")
    with pytest.raises(FairnbError, match="not valid TOML"):
        edit_case_file(folder, lambda document: None)
    assert _text(folder) == "[engagement\n"


def test_line_ends_and_byte_order_mark_stay(folder: Path) -> None:
    path = folder / "assessment.toml"
    data = b"\xef\xbb\xbf" + _text(folder).replace("\n", "\r\n").encode()
    path.write_bytes(data)
    declared = {**DECLARED, "threshold": 0.4}
    keep_parameters(folder, "group_bias", {**declared, "threshold": 0.6}, declared)
    assert path.read_bytes() == data.replace(b"threshold = 0.4", b"threshold = 0.6")


def test_a_table_taken_out_leaves_the_comment_of_the_next_one(small: Callable[..., Path]) -> None:
    folder = small(
        extra='\n[corpus.train]  # old\nuse = "demo-train"\n\n# the margin\n[criteria]\nmargin = 0.1\n'
    )
    before = _text(folder)
    edit_case_file(folder, lambda document: document.drop("corpus", "train"))
    assert _text(folder) == before.replace('[corpus.train]  # old\nuse = "demo-train"\n', "")


def test_a_new_key_stands_with_its_table_and_not_behind_the_comments_of_the_next() -> None:
    for end in ("\n", "\r\n"):
        text = "[t]\na = 1 # one\n\n# of the next\n[u]\nb = 2\n".replace("\n", end)
        document = CaseText(text)
        set_value(document.table("t"), "c", ["x"])
        set_inside(document.table("t"), ("s", "g"), {"f": "x"})
        set_inside(document.table("t"), ("s", "r"), {"i": "y"})
        inserted = '# one\nc = ["x"]\ns.g = {f = "x"}\ns.r = {i = "y"}\n'.replace("\n", end)
        assert document.text() == text.replace(f"# one{end}", inserted)


def test_a_table_is_renamed_where_it_stands() -> None:
    text = '# a\n[t . "old name"] # b\nx = 1\n# c\n[t.other]\ny = 2\n'
    document = CaseText(text)
    assert document.has("t", "old name")
    document.rename(("t", "old name"), "new.name")
    assert document.text() == text.replace('[t . "old name"]', '[t . "new.name"]')
    assert not document.has("t", "old name")
    inline = CaseText("[t]\na = { x = 1 }\n")
    inline.rename(("t", "a"), "b")
    assert tomllib.loads(inline.text()) == {"t": {"b": {"x": 1}}}


def test_a_new_table_of_any_name_can_be_read_again() -> None:
    document = CaseText("")
    for name in ("plain", "with space", 'say "so"', "\u202eabc", "__proto__", "a.b"):
        set_value(document.table("targets", name), "x", 1)
    assert set(tomllib.loads(document.text())["targets"]) == {
        "plain",
        "with space",
        'say "so"',
        "\u202eabc",
        "__proto__",
        "a.b",
    }


def test_a_table_whose_name_needs_quotes_is_taken_out_with_its_comments_kept() -> None:
    document = CaseText("[t.'a \"b\"']\nx = 1\n# stays\n[t.b]\ny = 1\n")
    document.drop("t", 'a "b"')
    assert document.text() == "# stays\n[t.b]\ny = 1\n"


PROSE = '''[t.a]
x = 1
[t.b]
x = 2
[sections.conclusion]
text = """
The file said
[t.a]
x = 1
and more.
"""
'''


@pytest.mark.parametrize("first", [True, False])
def test_what_looks_like_a_table_in_a_text_of_several_lines_stays(first: bool) -> None:
    tables, prose = PROSE[: PROSE.index("[s")], PROSE[PROSE.index("[s") :]
    text = f"{prose}{tables}" if first else f"{tables}{prose}"
    document = CaseText(text)
    document.rename(("t", "a"), "new")
    renamed = tables.replace("[t.a]", "[t.new]")
    assert document.text() == (f"{prose}{renamed}" if first else f"{renamed}{prose}")
    document = CaseText(text)
    document.drop("t", "a")
    left = "[t.b]\nx = 2\n"
    assert document.text() == (f"{prose}{left}" if first else f"{left}{prose}")


def test_half_a_character_is_refused_in_one_sentence(folder: Path) -> None:
    before = (folder / "assessment.toml").read_bytes()
    with pytest.raises(FairnbError, match=r"half of a character") as caught:
        edit_case_file(folder, lambda document: set_value(document.table("system"), "name", "\ud800"))
    assert caught.value.code == "bad-value"
    assert (folder / "assessment.toml").read_bytes() == before


@pytest.mark.parametrize(
    "before",
    [
        "corpus = {}\n",
        "corpus = { train = { path = 'a' } } # x\r\n",
        "[corpus]\ntrain = { path = 'a' }\n",
        "corpus.train.path = 'a'\n",
        "[system]\nx = { y = 1 }\n",
    ],
)
def test_a_new_table_can_be_read_however_its_neighbours_are_written(before: str) -> None:
    wanted = tomllib.loads(before)
    wanted.setdefault("corpus", {})["test"] = {"path": "x", "map": {"woman": 1}}
    document = CaseText(before)
    table = document.table("corpus", "test")
    table["path"] = "x"
    document.table("corpus", "test", "map")["woman"] = 1
    assert tomllib.loads(document.text()) == wanted
    # Asking for the text changes nothing.
    assert document.text() == document.text()
