"""The numbers measures carry, and the table of measures."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.report._measures import format_measures, measures_of, number_measures
from fairnb.sections import MeasureKey

# Design, section 9: the columns and their order are a promise to scripts.
COLUMNS = re.split(
    ", ",
    "id, section, target, measure, attribute, subgroup, reference, label, variant, value, low, high, level, "
    "interval, n, denominator, n_reference, n_overlap, clusters, threshold, null, p, p_adjusted, family, "
    "detectable, status, method, note",
)


@pytest.fixture
def evidence(
    make_evidence: Callable[..., dict[str, Any]], make_payload: Callable[..., dict[str, Any]]
) -> dict[str, Any]:
    return make_evidence(
        make_payload("technical_performance", "toxic", {"measure": "accuracy", "value": 0.875, "n": 8}),
        make_payload(
            "data_bias",
            "toxic",
            {"measure": "base_rate", "label": "all", "value": -0.25, "low": -0.5, "high": 0.125},
            {"measure": "frequency", "attribute": "identity_term", "subgroup": "=gay", "status": "undefined"},
        ),
        make_payload("data_bias", "insult", {"measure": "base_rate", "label": "all", "value": 0.5}),
    )


@pytest.fixture
def path(evidence: dict[str, Any], tmp_path: Path) -> Path:
    place = tmp_path / "evidence.json"
    place.write_text(json.dumps(evidence))
    return place


def test_measures_are_numbered_in_the_order_of_the_evidence(evidence: dict[str, Any]) -> None:
    ids = number_measures(evidence["payloads"])
    assert ids == {
        ("technical_performance", "toxic", MeasureKey("accuracy")): "M-0001",
        ("data_bias", "toxic", MeasureKey("base_rate", label="all")): "M-0002",
        ("data_bias", "toxic", MeasureKey("frequency", "identity_term", "=gay")): "M-0003",
        ("data_bias", "insult", MeasureKey("base_rate", label="all")): "M-0004",
    }


def test_rows_have_the_promised_columns_in_order(path: Path) -> None:
    rows = measures_of(path)
    assert [list(row) for row in rows] == [COLUMNS] * 4
    assert rows[1]["value"] == -0.25
    assert rows[2]["value"] is None
    assert [row["id"] for row in rows] == ["M-0001", "M-0002", "M-0003", "M-0004"]


def test_the_same_rows_come_from_html_and_pdf(
    evidence: dict[str, Any],
    path: Path,
    tmp_path: Path,
    make_html: Callable[..., bytes],
    make_pdf: Callable[..., bytes],
) -> None:
    (tmp_path / "a.html").write_bytes(make_html(evidence))
    (tmp_path / "a.pdf").write_bytes(make_pdf({"evidence.json": path.read_bytes()}))
    assert measures_of(tmp_path / "a.html") == measures_of(tmp_path / "a.pdf") == measures_of(path)


def test_one_section_keeps_the_numbers_of_the_whole(path: Path) -> None:
    assert [row["id"] for row in measures_of(path, section="data_bias")] == ["M-0002", "M-0003", "M-0004"]


def test_an_unknown_section_is_answered_with_the_known_ones(path: Path) -> None:
    with pytest.raises(FairnbError) as caught:
        measures_of(path, section="swap")
    assert caught.value.code == "unknown-section"
    assert "data_bias, technical_performance" in str(caught.value)


def test_csv_neutralises_formulas_and_leaves_numbers_alone(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(format_measures(measures_of(path), "csv"))))
    assert list(rows[0]) == COLUMNS
    assert rows[2]["subgroup"] == "'=gay"
    assert rows[1]["value"] == "-0.25"
    assert rows[2]["value"] == ""


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_every_start_of_a_formula_is_neutralised(
    text: str,
    tmp_path: Path,
    make_evidence: Callable[..., dict[str, Any]],
    make_payload: Callable[..., dict[str, Any]],
) -> None:
    place = tmp_path / "evidence.json"
    place.write_text(
        json.dumps(make_evidence(make_payload("x", "", {"measure": "m", "subgroup": text, "value": -1.5})))
    )
    (row,) = csv.DictReader(io.StringIO(format_measures(measures_of(place), "csv"), newline=""))
    assert row["subgroup"] == "'" + text
    assert row["value"] == "-1.5"


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1", "a\r\nb", "\u202e=1"])
def test_control_characters_cannot_begin_a_cell_or_a_line(
    text: str,
    tmp_path: Path,
    make_evidence: Callable[..., dict[str, Any]],
    make_payload: Callable[..., dict[str, Any]],
) -> None:
    place = tmp_path / "evidence.json"
    place.write_text(json.dumps(make_evidence(make_payload("x", "", {"measure": "m", "subgroup": text}))))
    shown = format_measures(measures_of(place), "csv")
    assert len(shown.splitlines()) == 2
    assert next(csv.DictReader(io.StringIO(shown)))["subgroup"] == text.encode("unicode_escape").decode()


def test_json_keeps_numbers_and_nulls(path: Path) -> None:
    rows = json.loads(format_measures(measures_of(path), "json"))
    assert rows[1]["value"] == -0.25
    assert rows[2]["value"] is None
    assert list(rows[0]) == COLUMNS


def test_the_table_shows_what_tells_measures_apart_and_nothing_hostile(
    tmp_path: Path,
    make_evidence: Callable[..., dict[str, Any]],
    make_payload: Callable[..., dict[str, Any]],
) -> None:
    place = tmp_path / "evidence.json"
    payload = make_payload("x", "t", {"measure": "m", "subgroup": "a\x1b[2J\u202e\n", "value": 0.5, "n": 12})
    place.write_text(json.dumps(make_evidence(payload)))
    shown = format_measures(measures_of(place), "table")
    heading, line = shown.split("\n")
    assert heading.split() == ["id", "section", "target", "measure", "subgroup", "value", "n", "status"]
    assert line.split() == ["M-0001", "x", "t", "m", "a\\x1b[2J\\u202e\\n", "0.5000", "12", "ok"]


def test_no_measures_are_an_empty_table(tmp_path: Path, make_evidence: Callable[..., dict[str, Any]]) -> None:
    place = tmp_path / "evidence.json"
    place.write_text(json.dumps(make_evidence()))
    assert format_measures(measures_of(place), "table") == "id"
    assert format_measures(measures_of(place), "json") == "[]"


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    with pytest.raises(FairnbError) as caught:
        format_measures([], "xlsx")
    assert "table, csv, json" in str(caught.value)


@pytest.mark.parametrize(
    "payloads",
    [
        [1],
        [{}],
        [{"content": {"section": "x", "target": "", "result": {}}}],
        [{"content": {"section": "x", "target": "", "result": {"measures": [{"value": 1}]}}}],
        [{"content": {"section": "x", "target": "", "result": {"measures": [{"measure": "m", "odd": 1}]}}}],
        [{"content": {"section": "x", "target": "", "result": {"measures": 7}}}],
    ],
)
def test_payloads_of_another_shape_are_refused(payloads: list[Any]) -> None:
    with pytest.raises(FairnbError) as caught:
        number_measures(payloads)
    assert caught.value.code == "not-evidence"
