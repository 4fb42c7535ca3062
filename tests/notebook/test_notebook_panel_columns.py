"""The table of a file's columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairnb.corpus import ColumnPreview
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.notebook._mapping import Use
from fairnb.notebook._panel_columns import AT_ONCE, ColumnTable


def _column(name: str, *, repeated: bool = False) -> ColumnPreview:
    return ColumnPreview(name, "yes or no", 0.25, 2, ("0", "1"), repeated, "", "")


def _table(*columns: ColumnPreview, **more: Any) -> tuple[ColumnTable, list[int]]:
    changes: list[int] = []
    given: dict[str, Any] = {
        "uses": {},
        "further": {},
        "notes": {},
        "bounds": {},
        "lexicon": load_lexicon(LexiconSpec(), Path()),
        "changed": lambda: changes.append(1),
    }
    return ColumnTable(columns, **{**given, **more}), changes


def test_a_column_called_a_mention_gets_the_subgroup_that_its_name_speaks_for() -> None:
    table, changes = _table(_column("text"), _column("muslim"))
    table._rows[1].choice.value = "mention"
    assert table.uses["muslim"] == Use("mention", "religion", "Islam")
    attribute, subgroup = table._rows[1]._mention.children
    assert (attribute.value, subgroup.value) == ("religion", "Islam")
    assert changes == [1]
    subgroup.value = "Christianity"
    assert table.uses["muslim"] == Use("mention", "religion", "Christianity")
    attribute.value = "faith"
    assert table.uses["muslim"] == Use("mention", "faith", "Christianity")


def test_an_attribute_that_is_named_sends_nothing_to_the_field_in_which_somebody_types_the_subgroup() -> None:
    table, _ = _table(_column("votes"), uses={"votes": Use("mention")})
    attribute, subgroup = table._rows[0]._mention.children
    assert {"female", "Islam"} <= set(subgroup.options)
    sent: list[Any] = []
    subgroup.observe(sent.append)
    attribute.value = "gender"
    assert table.uses["votes"] == Use("mention", "gender", "")
    assert sent == []


def test_an_attribute_has_one_bound_however_many_columns_it_has() -> None:
    uses = {name: Use("mention", "gender", name) for name in ("female", "male")}
    table, _ = _table(_column("female"), _column("male"), uses=uses, bounds={"gender": 0.3})
    bound, note = table._limits.children
    assert (bound.description, bound.value) == ("Gender from", 0.3)
    assert "no one said" in note.value
    bound.value = 0.7
    assert table.bounds() == {"gender": 0.7}
    table.use("female", Use())
    assert len(table._limits.children) == 2
    table.use("male", Use())
    assert table._limits.children == ()


def test_columns_of_one_name_cannot_be_used_and_one_without_a_name_is_an_id_at_most() -> None:
    table, _ = _table(_column("x", repeated=True), _column("x", repeated=True), _column(""))
    assert table.uses == {"": Use()}
    assert table._rows[0].choice is None
    assert "cannot be used" in table._rows[0]._told.value
    assert [of for _, of in table._rows[2].choice.options] == ["", "id"]


def test_three_hundred_columns_are_made_in_parts_those_in_use_first_and_found_by_name() -> None:
    columns = [_column(f"c{at}") for at in range(300)]
    table, _ = _table(*columns, uses={"c250": Use("text")})
    assert len(table._rows) == AT_ONCE
    assert table._rows[0].name == "c250"
    assert table._more.description == f"More columns ({300 - AT_ONCE} left)"
    table._find.value = "C29"
    # By hand: c29 and c290 to c299.
    assert len(table._body.children) - 1 == 11
    assert table._more.layout.display == "none"
    table._find.value = ""
    table._more.click()
    assert len(table._body.children) - 1 == 2 * AT_ONCE


def test_counts_are_renewed_and_uses_stay() -> None:
    table, _ = _table(_column("label"), uses={"label": Use("label")})
    table.update([ColumnPreview("label", "words", 0.5, 12345, ("a",), False, "", "")])
    assert "12,345" in table._rows[0]._told.value
    assert "50.0%" in table._rows[0]._told.value
    assert table.uses["label"] == Use("label")


def test_every_choice_is_named_for_those_who_hear_it() -> None:
    table, _ = _table(_column("female"), uses={"female": Use("mention", "gender", "female")})
    row = table._rows[0]
    names = [field.description for field in (row.choice, *row._mention.children)]
    assert names == ["Use of female", "Attribute of female", "Subgroup of female"]
