"""The annex that sets the paper's figures beside ours: what it holds, when it appears, how it compares."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairnb.registry import known
from fairnb.report._document import build_document
from fairnb.report._measures import number_measures
from fairnb.report._page import contents, render_document
from fairnb.report._paper import paper_view
from fairnb.report._paper_figures import Cell, PaperTable, paper_tables
from fairnb.sections import Measure, Result, Status, section

REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "measures.md"
LABELS = {"hateful": "Hateful", "not_hateful": "Not-hateful", "overall": "Overall"}


def figures(table: str) -> dict[tuple[str, str], str]:
    """(row, column) -> figure as printed."""
    (found,) = (one for one in paper_tables() if one.id == table)
    return {(cell.row, cell.column): cell.value for cell in found.cells}


def corpus(name: str, role: str, /, **changes: Any) -> dict[str, Any]:
    """A known part of the paper's corpus, as the section on the system records it."""
    counts = dict(known(name).classes)
    files = {f"{part}.csv": file.sha256 for part in ("davidson", "olid") for file in known(part).files}
    balance = {"positive": counts["1"], "negative": counts["0"], "without_label": 0}
    return {"role": role, "name": name, "rows": sum(counts.values()), "digest": "cd" * 32, "clustered": False,
            "balance": {"toxic": balance}, "facts": {"files": files}, **changes}  # fmt: skip


@pytest.fixture
def case(kit: Any) -> Any:
    """Payloads of a case on the paper's corpus; other corpora and further sections can be given."""

    def make(*more: dict[str, Any], corpora: Any = None, targets: Any = None) -> list[dict[str, Any]]:
        system = kit.system()
        facts = system["content"]["result"]["facts"]
        facts["corpora"] = corpora or [corpus("paper-train", "train"), corpus("paper-test", "test")]
        facts["targets"] = targets or facts["targets"]
        return [kit.engagement(), system, *more, kit.conclusion("Done.")]

    return make


@pytest.fixture
def of(kit: Any) -> Any:
    """A section's payload with measures and the corpus it read."""

    def make(name: str, role: str, *measures: Measure, target: str = "toxic", **facts: Any) -> dict[str, Any]:
        result = Result(measures=measures, facts=facts)
        inputs = {f"corpus:{role}": "ab" * 32} if role else {}
        made: dict[str, Any] = kit.payload(
            name, result, title=section(name).title, target=target, section_version=0, inputs=inputs
        )
        return made

    return make


def view(payloads: Any) -> Any:
    """The annex."""
    return paper_view(payloads, number_measures(payloads))


def table(payloads: Any, number: str, target: int = 0) -> Any:
    """One table of the annex."""
    place = [one.id for one in paper_tables()].index(number)
    return view(payloads).targets[target].tables[place]


def row(payloads: Any, number: str, *names: str) -> Any:
    """The row with these first two cells."""
    (found,) = (one for one in table(payloads, number).table.rows if one.cells[:2] == names)
    return found


def frequency(term: str, label: Any, value: float | None, **more: Any) -> Measure:
    """A share of texts with an identity term."""
    return Measure(measure="frequency", attribute="identity_term", subgroup=term, label=label, value=value,
                   **more)  # fmt: skip


def test_table_4_is_the_printed_one(vectors: Path) -> None:
    known_terms = json.loads((vectors / "identity_terms_table4.json").read_text("utf-8"))
    shares = {
        (term["term"], LABELS[name]): f"{value:.4f}"
        for term in known_terms["terms"]
        for name, value in term["paper_pct"].items()
    }
    assert figures("4") == shares
    # and the printed shares are those of whole numbers of comments
    n = known_terms["n_train"]
    for term in known_terms["terms"]:
        for name, printed in term["paper_pct"].items():
            total = n["total"] if name == "overall" else n[name]
            assert f"{100 * term['implied_train_counts'][name] / total:.4f}" == f"{printed:.4f}"


def test_the_other_figures_agree_with_the_arithmetic_on_the_paper(vectors: Path) -> None:
    checked = json.loads((vectors / "paper_consistency.json").read_text("utf-8"))
    one = figures("1")
    reported = checked["table1"]["reported_support"]
    assert one["Not-hateful", "Support"] == f"{reported['not_hateful']:,}"
    assert one["Hateful", "Support"] == f"{reported['hateful']:,}"
    assert one["Macro avg.", "Support"] == one["Weighted avg.", "Support"] == f"{reported['total']:,}"
    (wrong,) = (cell for table in paper_tables() for cell in table.cells if cell.corrected)
    assert wrong.corrected == f"{checked['table1']['corrected_not_hateful_support']:,}"
    # the printed rates are those of the matrix that fits them
    tn, fp, fn, tp = (checked["table1"]["example_matrix"][name] for name in ("tn", "fp", "fn", "tp"))
    rates = {
        ("Not-hateful", "Precision"): tn / (tn + fn), ("Not-hateful", "Recall"): tn / (tn + fp),
        ("Not-hateful", "F1-score"): 2 * tn / (2 * tn + fn + fp), ("Hateful", "Precision"): tp / (tp + fp),
        ("Hateful", "Recall"): tp / (tp + fn), ("Hateful", "F1-score"): 2 * tp / (2 * tp + fn + fp),
    }  # fmt: skip
    shares = {"Macro avg.": (0.5, 0.5), "Weighted avg.": (1301 / 3803, 2502 / 3803)}
    for average, (negative, positive) in shares.items():
        for name in ("Precision", "Recall", "F1-score"):
            rates[average, name] = negative * rates["Not-hateful", name] + positive * rates["Hateful", name]
    for names, value in rates.items():
        assert abs(float(one[names]) - value) <= 0.005 + 1e-9, names
    assert float(one["All", "Accuracy"]) == round(100 * (tp + tn) / 3803)
    two = figures("2")
    for name, (hateful, other) in checked["table2"]["implied_counts"].items():
        expected = 100 * hateful / 22518, 100 * other / 11702, 100 * (hateful + other) / 34220
        for column, value in zip(("Hateful", "Not-hateful", "Overall"), expected, strict=True):
            # counts that follow from rounded shares may be one off, which is 0.003 to 0.009 points
            assert abs(float(two[name.capitalize(), column]) - value) <= 0.009
    favour = list(figures("6.3").values())
    assert [float(value) for value in favour] == checked["favor_6_3"]["percent"]
    assert int(figures("3")["Male", "All, counted"]) + int(figures("3")["Female", "All, counted"]) == 943
    cb = list(figures("6.4").values())
    assert cb == [str(checked["cb"][name]["reported"]) for name in ("religion_ref_islam", "gender_ref_male")]


def test_figures_that_are_not_printed_are_differences_of_two_that_are() -> None:
    for table in paper_tables():
        for cell in (one for one in table.cells if one.derived):
            minuend, subtrahend = re.sub(", points$", "", cell.row).split(" − ")
            values = {one.row.lower(): one.printed for one in table.cells
                      if not one.derived and (table.id == "6" or one.column == cell.column)}  # fmt: skip
            assert cell.printed == values[minuend.lower()] - values[subtrahend.lower()]


def test_every_figure_names_a_measure_that_a_section_has_or_says_why_not() -> None:
    pages = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", REFERENCE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    parts = {name: below for heading, below in pages for name in re.findall(r"`(\w+)`", heading)}
    keys = []
    for table in paper_tables():
        assert table.notes
        for cell in table.cells:
            if cell.measure:
                assert section(cell.section).id == cell.section
                assert f"`{cell.measure}`" in parts[cell.section]
                assert Measure(**cell.key._asdict()).key == cell.key  # type: ignore[arg-type]
                keys.append((cell.section, cell.key, cell.field))
            else:
                assert cell.why
    assert len(keys) == len(set(keys))


def test_the_annex_stands_in_contents_and_page_of_a_case_on_the_papers_corpus(kit: Any, case: Any) -> None:
    document = build_document(kit.evidence(case()))
    entry = next(one for one in contents(document) if one.anchor == "annex-paper")
    assert entry.annex
    html = render_document(document, medium="paper")
    assert 'id="annex-paper"' in html
    assert html.count("The paper’s Table") == 7
    assert not kit.active(html)


@pytest.mark.parametrize(
    "corpora",
    [
        [corpus("paper-test", "test", name="comments")],
        [corpus("paper-test", "test", facts={"files": {"mine.csv": "12" * 32}})],
        [
            corpus(
                "paper-test",
                "test",
                balance={"toxic": {"positive": 1301, "negative": 2502, "without_label": 0}},
            )
        ],
    ],
    ids=["another corpus", "another file under a known name", "another question"],
)
def test_no_annex_where_nothing_is_comparable(kit: Any, case: Any, corpora: Any) -> None:
    document = build_document(kit.evidence(case(corpora=corpora)))
    assert document.beside_paper is None
    assert "annex-paper" not in {entry.anchor for entry in contents(document)}
    assert "annex-paper" not in render_document(document, medium="paper")


def test_no_annex_without_a_record_of_the_corpora(kit: Any) -> None:
    assert view([kit.engagement()]) is None


def test_ours_stands_beside_with_interval_difference_and_id(case: Any, of: Any) -> None:
    gay = frequency("gay", "positive", 0.0042634, low=0.0030512, high=0.005099, level=0.95, n=96)
    payloads = case(of("data_bias", "train", gay, rule="paper"))
    assert row(payloads, "4", "gay", "Hateful").cells[2:] == (
        "0.3864 %", "0.4263 %", "0.3051 to 0.5099", "+0.0399",
    )  # fmt: skip
    assert row(payloads, "4", "gay", "Hateful").refs == "M-0001"
    assert table(payloads, "4").table.columns[4] == ("95 % interval", "number")


@pytest.mark.parametrize(
    ("value", "apart"),
    [(0.00388, "+0.0016"), (0.00384, "−0.0024"), (0.0038637, "0.0000"), (0.00386449, "0.0000")],
)
def test_the_difference_is_ours_minus_the_papers_at_its_decimals(
    case: Any, of: Any, value: float, apart: str
) -> None:
    payloads = case(of("data_bias", "train", frequency("gay", "positive", value)))
    assert row(payloads, "4", "gay", "Hateful").cells[5] == apart


def test_a_difference_of_subgroups_keeps_its_sign(case: Any, of: Any) -> None:
    measure = Measure(measure="mean_score", attribute="gender", subgroup="female", reference="male",
                      label="negative", value=0.033, low=-0.005, high=0.071, level=0.95)  # fmt: skip
    payloads = case(of("group_bias", "test", measure))
    cells = row(payloads, "3", "Female − male, points", "Not-hateful").cells
    assert cells[2:] == ("−1.4", "+3.3", "−0.5 to 7.1", "+4.7")


@pytest.mark.parametrize(("value", "said"), [(4.87, "other sign"), (-0.2, "same sign")])
def test_of_a_sum_over_templates_only_the_sign_is_compared(
    case: Any, of: Any, value: float, said: str
) -> None:
    measure = Measure(measure="cb_sum", attribute="religion", reference="Islam", label="all", value=value,
                      status=Status.CENSUS)  # fmt: skip
    cells = row(case(of("counterfactual", "", measure)), "6.4", "Religion", "Islam *").cells
    assert cells[4:] == ("–", said)


def test_a_wrong_figure_is_printed_as_it_is_and_corrected_beside(case: Any, of: Any) -> None:
    measure = Measure(measure="recall", attribute="class", subgroup="negative", label="all", value=0.64,
                      low=0.62, high=0.67, level=0.95, n=1301)  # fmt: skip
    payloads = case(of("technical_performance", "test", measure))
    assert row(payloads, "1", "Not-hateful", "Support *").cells[2:] == ("1,031", "1,301", "–", "+270")
    (said,) = (text for text in table(payloads, "1").remarks if text.startswith("Not-hateful, Support *"))
    assert said.endswith("The right figure is 1,301; ours minus it: 0.")


def test_what_is_not_measured_says_so_and_why(case: Any, of: Any, kit: Any) -> None:
    few = frequency("gay", "negative", None, status=Status.TOO_FEW, note="3 texts")
    refused = kit.payload("swap", Result(status="not_applicable", reason="recorded scores cannot score new texts"),
                          target="toxic")  # fmt: skip
    payloads = case(of("data_bias", "train", few), refused)
    gone = row(payloads, "4", "gay", "Not-hateful")
    assert gone.quiet
    assert gone.cells[3:] == ("not measured here", "–", "–")
    told = table(payloads, "4").remarks
    assert "Not measured here (gay, Not-hateful): 3 texts." in told
    assert any("has no such measure with the parameters and terms used here" in text for text in told)
    assert (
        f"Not measured here: {section('swap').title}: recorded scores cannot score new texts."
        in table(payloads, "6.3").remarks
    )
    title = section("counterfactual").title
    assert (
        f"Not measured here: the section “{title}” is not in this document." in table(payloads, "8").remarks
    )


def test_a_section_that_looked_at_another_corpus_is_not_set_beside(case: Any, of: Any) -> None:
    measure = frequency("gay", "positive", 0.5)
    corpora = [corpus("paper-test", "test"), corpus("paper-train", "train", name="mine")]
    payloads = case(of("data_bias", "train", measure), corpora=corpora)
    assert row(payloads, "4", "gay", "Hateful").cells[3] == "not measured here"
    assert any("looked at mine, not at the paper’s corpus" in text for text in table(payloads, "4").remarks)


@pytest.mark.parametrize(
    ("rule", "corpora", "exact"),
    [
        ("paper", None, True),
        ("default", None, False),
        ("paper", [corpus("paper", "train")], False),
    ],
)
def test_table_4_is_exact_on_the_same_part_under_the_same_rule_only(
    case: Any, of: Any, rule: str, corpora: Any, exact: bool
) -> None:
    payloads = case(
        of("data_bias", "train", frequency("gay", "positive", 0.0038), rule=rule), corpora=corpora
    )
    assert ("Table 4. All else" in view(payloads).comparable) is exact
    note = table(payloads, "4").table.note
    assert ("Comparable exactly" in note) is exact
    assert ("in direction only" in note) is not exact


def test_the_headline_says_what_differs(case: Any) -> None:
    said = view(case()).headline
    for words in ("The system:", "Harbour", "The word vectors:", "The split:", "paper-train (34,220 tweets)",
                  "paper-test (3,803 tweets)", "not expected to be equal"):  # fmt: skip
        assert words in said


def test_targets_that_ask_the_papers_question_stand_apart(kit: Any, case: Any, of: Any) -> None:
    question = {"classes": [], "combine": "sum", "positive": [1], "negative": None, "threshold": 0.5,
                "threshold_source": ""}  # fmt: skip
    counts = dict(known("paper-test").classes)
    same = {"positive": counts["1"], "negative": counts["0"], "without_label": 0}
    balance = {"toxic": same, "insult": same, "calm": {**same, "positive": 1301, "negative": 2502}}
    payloads = case(
        of("swap", "test", Measure(measure="favour", attribute="gender", subgroup="female", label="all",
                                   value=0.61), target="insult"),
        corpora=[corpus("paper-test", "test", balance=balance)],
        targets=[{"name": name, **question} for name in balance],
    )  # fmt: skip
    assert [one.target for one in view(payloads).targets] == ["toxic", "insult"]
    assert table(payloads, "6.3", 0).table.rows[0].cells[3] == "not measured here"
    assert table(payloads, "6.3", 1).table.rows[0].cells[3] == "61.0 %"
    assert "<span>Target</span> insult" in render_document(
        build_document(kit.evidence(payloads)), medium="paper"
    )


def test_a_measure_printed_here_is_not_printed_again(
    kit: Any, case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(row="Geese", column="All", value="0.5", section="sample", measure="rate")
    one = PaperTable(id="1", title="The paper’s Table 1", heads=("Of", "Texts"), notes=("A.",), cells=(cell,))
    # the sample section prints in its own table what has an interval, and nothing else
    measures = (Measure(measure="rate", value=0.4), Measure(measure="other", value=0.3))
    payloads = case(kit.sample(kit.sample_result(measures=measures, candidates=(), findings=())))
    before = build_document(kit.evidence(payloads))
    monkeypatch.setattr("fairnb.report._paper.paper_tables", lambda: (one,))
    after = build_document(kit.evidence(payloads))
    names = [
        [line.cells[1] for group in document.measures for line in group.table.rows]
        for document in (before, after)
    ]
    assert names == [["rate", "other"], ["other"]]


def test_tables_are_numbered_in_the_order_of_the_page(kit: Any, case: Any) -> None:
    document = build_document(kit.evidence(case()))
    assert document.beside_paper is not None
    numbers = [item.table.number for one in document.beside_paper.targets for item in one.tables]
    first = document.parameters.number or max(
        view.number for part in document.sections for one in part.parts for view in one.tables
    )
    assert numbers == list(range(first + 1, first + 1 + len(paper_tables())))
    assert document.environment.number == numbers[-1] + 1
