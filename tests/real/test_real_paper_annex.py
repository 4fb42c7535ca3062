"""The paper's figures beside those of the real case: nothing missing, and ours what the corpus says."""

from __future__ import annotations

import pytest

from fairnb.report import build_document
from fairnb.report._paper_figures import paper_tables
from fairnb.sections import section

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def annex(case):
    return build_document(case[3]).beside_paper


def number(text):
    return float(text.removesuffix(" %").replace("−", "-").replace(",", ""))


def test_every_figure_with_a_measure_has_one_beside_it_or_its_section_was_not_run(case, annex):
    results = case[0]
    (only,) = annex.targets
    for table, shown in zip(paper_tables(), only.tables, strict=True):
        for cell, row in zip(table.cells, shown.table.rows, strict=True):
            there = bool(cell.measure) and cell.section in results
            assert (row.cells[3] != "not measured here") is there, (table.id, row.cells)
            assert bool(row.refs) is there
            if cell.measure and not there:
                assert any(section(cell.section).title in text for text in shown.remarks)


def test_supports_are_those_of_the_split_and_the_last_column_is_a_difference(split, annex):
    (only,) = annex.targets
    positive = sum(label for *_, label in split[1])
    first = {row.cells[:2]: row.cells for row in only.tables[0].table.rows}
    assert number(first["Hateful", "Support"][3]) == positive
    assert number(first["Not-hateful", "Support *"][3]) == len(split[1]) - positive
    compared = 0
    for shown in only.tables:
        for row in shown.table.rows:
            if row.refs and "sign" not in row.cells[5]:
                apart = number(row.cells[3]) - number(row.cells[2])
                assert number(row.cells[5]) == pytest.approx(apart, abs=1e-9)
                compared += 1
    assert compared > 70


def test_shares_of_table_2_and_4_are_frequencies_of_the_training_part(split, case, annex):
    labels = [label for *_, label in split[0]]
    (only,) = annex.targets
    place = {table.id: shown for table, shown in zip(paper_tables(), only.tables, strict=True)}
    for table in ("2", "4"):
        assert place[table].table.note.startswith("Ours: paper-train.")
        found = {}
        for row in place[table].table.rows:
            found.setdefault(row.cells[0], []).append(number(row.cells[3]))
        for hateful, other, overall in found.values():
            share = sum(labels) / len(labels)
            assert overall == pytest.approx(
                share * hateful + (1 - share) * other, abs=0.0101 if table == "2" else 1.01e-4
            )
