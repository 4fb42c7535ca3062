"""A person reads a sample of mentions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from statsmodels.stats.proportion import proportion_confint

from fairnb.case._review import read_review, review_score, review_sheet
from fairnb.errors import FairnbError, FairnbErrors

ROWS = (
    *((f"The woman next door baked bread number {n}", n % 2, 0.987) for n in range(30)),
    ("=HYPERLINK(1) said she", 1, 0.9),
    ("The gay couple next door @baker baked bread", 0, 0.6),
    ("It rained on Monday", 0, 0.1),
    ("", 1, 0.1),
)


@pytest.fixture
def folder(make_case) -> Path:
    return make_case(rows=ROWS)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def filled(path: Path, answer: Callable[[dict[str, str]], tuple[str, str]], delimiter: str = ",") -> None:
    rows = rows_of(path)
    for row in rows:
        row["mention right?"], row["label right?"] = answer(row)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def test_the_sheet_is_a_blind_random_sample(folder: Path) -> None:
    rows = rows_of(review_sheet(folder, per_subgroup=12))
    assert list(rows[0]) == ["nr", "id", "text", "label", "subgroup", "mention right?", "label right?"]
    assert [row["subgroup"] for row in rows].count("female (gender)") == 12
    assert {row["mention right?"] + row["label right?"] for row in rows} == {""}
    assert not any("0.987" in cell for row in rows for cell in row.values())
    assert [row["nr"] for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    # In the order of the corpus the numbers at the end of the texts would rise.
    numbers = [int(row["text"].split()[-1]) for row in rows if "number" in row["text"]]
    assert numbers != sorted(numbers)


def test_the_seed_decides_what_is_drawn(folder: Path) -> None:
    drawn, texts = [], []
    for seed in (0, 0, 1):
        path = review_sheet(folder, per_subgroup=12, seed=seed)
        drawn.append(path.read_bytes())
        texts.append({row["text"] for row in rows_of(path)})
        path.unlink()
    assert drawn[0] == drawn[1] != drawn[2]
    # Other texts, and not the same ones in another order.
    assert texts[0] != texts[2]


def test_no_cell_runs_as_a_formula(folder: Path) -> None:
    rows = rows_of(review_sheet(folder))
    texts = [row["text"] for row in rows]
    assert "'=HYPERLINK(1) said she" in texts
    assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(1)", "  =1+1", " @SUM(1)"])
def test_a_text_that_a_spreadsheet_would_run_stands_behind_an_apostrophe(make_case, start: str) -> None:
    text = f"{start} said the woman"
    path = review_sheet(make_case(rows=((text, 1, 0.9), ("The woman baked bread", 0, 0.2))))
    assert f"'{text}" in [row["text"] for row in rows_of(path)]


def test_a_sheet_is_not_drawn_over_another(folder: Path) -> None:
    review_sheet(folder)
    with pytest.raises(FairnbError) as caught:
        review_sheet(folder)
    assert caught.value.code == "sheet-exists"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_score_counts_what_a_person_found(folder: Path, delimiter: str) -> None:
    path = review_sheet(folder, per_subgroup=20)
    women = [row["nr"] for row in rows_of(path) if row["subgroup"] == "female (gender)"]
    wrong = set(women[:3])
    filled(path, lambda row: ("No" if row["nr"] in wrong else "YES", "y"), delimiter)
    score = review_score(folder)
    female = next(s for s in score.shares if (s.subgroup, s.label) == ("female", ""))
    assert (female.rows, female.mentions_right, female.labels_right) == (20, 17, 20)
    assert female.precision.value == 0.85
    assert (female.precision.low, female.precision.high) == pytest.approx(
        proportion_confint(17, 20, 0.05, "wilson")
    )
    by_label = [s for s in score.shares if s.subgroup == "female" and s.label]
    assert sum(s.rows for s in by_label) == 20
    assert {s.label for s in by_label} == {"0", "1"}
    everyone = score.shares[0]
    assert (everyone.subgroup, everyone.rows) == ("", len(rows_of_plan(folder)))
    stored = read_review(folder)
    assert stored["role"] == "test"
    assert len(stored["answers"]) == everyone.rows
    assert "bread" not in (folder / "review.json").read_text("utf-8")


def rows_of_plan(folder: Path) -> list[object]:
    return json.loads((folder / ".fairnb" / "review-sheet.json").read_text("utf-8"))["rows"]


def test_rows_may_be_sorted_and_saved_by_a_spreadsheet(folder: Path) -> None:
    path = review_sheet(folder, per_subgroup=5)
    rows = sorted(rows_of(path), key=lambda row: row["text"])
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(rows[0])
        for row in rows:
            # Spreadsheets may drop the apostrophe and turn answers into capitals.
            cells = [*list(row.values())[:5], "TRUE", "FALSE"]
            writer.writerow([cell.removeprefix("'") for cell in cells])
        writer.writerow([])
    assert review_score(folder).shares[0].labels_right == 0


def test_every_missing_and_odd_answer_is_told_with_its_line(folder: Path) -> None:
    path = review_sheet(folder, per_subgroup=3)
    filled(path, lambda row: {"1": ("", "yes"), "2": ("perhaps", "")}.get(row["nr"], ("yes", "yes")))
    with pytest.raises(FairnbErrors) as caught:
        review_score(folder)
    assert [error.code for error in caught.value.errors] == ["no-answer", "bad-answer", "no-answer"]
    assert caught.value.errors[0].where == "review.csv, line 2"
    assert not (folder / "review.json").exists()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda rows: rows[1:], "edited-sheet"),
        (lambda rows: [*rows, rows[0]], "edited-sheet"),
        (lambda rows: [{**rows[0], "text": "another"}, *rows[1:]], "edited-sheet"),
        (lambda rows: [{**rows[0], "subgroup": "male (gender)"}, *rows[1:]], "edited-sheet"),
        (lambda rows: [{**rows[0], "label": "7"}, *rows[1:]], "edited-sheet"),
        (lambda rows: [{k: v for k, v in row.items() if k != "label"} for row in rows], "edited-sheet"),
    ],
    ids=["row gone", "row twice", "text", "subgroup", "label", "column gone"],
)
def test_an_edited_sheet_is_refused(
    folder: Path, change: Callable[..., list[dict[str, str]]], code: str
) -> None:
    path = review_sheet(folder, per_subgroup=3)
    filled(path, lambda _: ("yes", "yes"))
    rows = change(rows_of(path))
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(FairnbError) as caught:
        review_score(folder)
    assert caught.value.code == code


def test_a_sheet_in_another_encoding_is_told(folder: Path) -> None:
    path = review_sheet(folder)
    path.write_bytes("nr;id;é\n".encode("latin-1"))
    with pytest.raises(FairnbError, match="UTF-8"):
        review_score(folder)


def test_a_sheet_of_another_corpus_is_refused(folder: Path, make_case) -> None:
    path = review_sheet(folder)
    filled(path, lambda _: ("yes", "yes"))
    make_case(rows=ROWS[:-1])
    with pytest.raises(FairnbError) as caught:
        review_score(folder)
    assert caught.value.code == "corpus-changed"


@pytest.mark.parametrize("plan", [None, "{}", "not json"])
def test_without_what_was_drawn_nothing_is_scored(folder: Path, plan: str | None) -> None:
    with pytest.raises(FairnbError) as caught:
        review_score(folder)
    assert caught.value.code == "no-sheet"
    review_sheet(folder)
    stored = folder / ".fairnb" / "review-sheet.json"
    if plan is None:
        stored.unlink()
    else:
        stored.write_text(plan)
    with pytest.raises(FairnbError) as caught:
        review_score(folder)
    assert caught.value.code == "no-sheet"


def test_nothing_to_review_is_told(make_case) -> None:
    folder = make_case(rows=(("It rained on Monday", 0, 0.1), ("It rained again", 1, 0.2)))
    with pytest.raises(FairnbError) as caught:
        review_sheet(folder)
    assert caught.value.code == "no-mentions"
    with pytest.raises(FairnbError):
        review_sheet(folder, role="train")
    with pytest.raises(FairnbError):
        review_sheet(folder, per_subgroup=0)


def test_a_review_that_was_not_scored_here_is_refused(folder: Path) -> None:
    assert read_review(folder) == {}
    (folder / "review.json").write_text('{"answers": []}')
    with pytest.raises(FairnbError) as caught:
        read_review(folder)
    assert caught.value.code == "bad-review"
