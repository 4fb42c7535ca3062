"""Choosing what is assessed, and the sections at a glance."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances

from fairnb.case import load_case
from fairnb.corpus import preview
from fairnb.errors import FairnbError
from fairnb.notebook import NotebookCase
from fairnb.notebook._forms import NONE
from fairnb.notebook._mapping import Use
from fairnb.notebook._overview import Overview
from fairnb.notebook._panel import CasePanel
from fairnb.notebook._tables import sections_at_a_glance, what_is_assessed

OTHER = """who,what was said,verdict,share,tongue
ann,A woman baked bread,no,0.9,en
bob,"Write to ann@example.org, silly",yes,0.1,en
cem,A woman baked bread,no,,en
dan,Il pane della nonna,no,0.2,it
"""


@pytest.fixture
def panel(small: Callable[..., Path]) -> Iterator[CasePanel]:
    """The panel of a case whose folder holds a further file of texts."""
    folder = small(extra="# the margin was agreed\n[criteria]\nmargin = 0.1\n")
    (folder / "other.csv").write_text(OTHER)
    made = CasePanel(NotebookCase(load_case(folder)))
    yield made
    assert made._notebook.worker.wait(20)


def _written(panel: CasePanel) -> str:
    panel.write()
    assert panel._notebook.worker.wait(60)
    return (panel._notebook.case.folder / "assessment.toml").read_text(encoding="utf-8")


def test_a_file_is_looked_at_with_its_rows_masked(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text(OTHER)
    seen = preview(path)
    assert [(one.name, one.role, one.kind) for one in seen.columns] == [
        ("who", "", "words"),
        ("what was said", "text", "text"),
        ("verdict", "label", "yes or no"),
        ("share", "", "share from 0 to 1"),
        ("tongue", "", "words"),
    ]
    # By hand: one of four cells is empty; the third text is the first one again.
    assert seen.columns[3].missing == 0.25
    assert seen.duplicates == 1
    assert seen.identities == ("share",)
    assert "ann@example.org" not in str(seen.rows)
    assert len(seen.rows) == 4


def test_nothing_chosen_writes_nothing(panel: CasePanel) -> None:
    before = (panel._notebook.case.folder / "assessment.toml").read_bytes()
    assert _written(panel).encode() == before


def test_a_chosen_file_and_its_columns_are_written_and_comments_stay(panel: CasePanel) -> None:
    choice = panel.corpora["train"]
    choice.choice.value = "other.csv"
    table = choice.table
    assert table is not None
    table.use("tongue", Use("language"))
    # None of its labels is one of the target's, which are 0 and 1: it gets its own.
    assert choice.positive.value == "yes"
    text = _written(panel)
    assert "Written" in panel._said.value
    assert "# the margin was agreed\n[criteria]\nmargin = 0.1\n" in text
    spec = load_case(panel._notebook.case.folder).file.corpus["train"]
    assert (spec.path, spec.text, spec.label, spec.language) == (
        "other.csv",
        "what was said",
        "verdict",
        "tongue",
    )
    assert (spec.positive, spec.negative) == (("yes",), ("no",))
    assert "Written" in panel._said.value


def test_what_would_be_wrong_is_refused_in_one_sentence_and_nothing_is_written(panel: CasePanel) -> None:
    before = (panel._notebook.case.folder / "assessment.toml").read_bytes()
    panel.system.kind.value = "python"
    panel.system.value.value = "nowhere:score"
    assert _written(panel).encode() == before
    assert "Not written" in panel._said.value
    assert "nowhere" in panel._said.value


def test_a_refused_write_names_the_field_opens_its_part_and_changes_no_byte(panel: CasePanel) -> None:
    before = (panel._notebook.case.folder / "assessment.toml").read_bytes()
    form = panel.targets.forms[0]
    form.fold.open(False)
    form.classes.value = "silly"
    assert _written(panel).encode() == before
    assert (
        "Not written. Target positive, Classes: recorded scores are P(positive) itself" in panel._said.value
    )
    assert "Classes: recorded scores" in form.fold._fault.value
    assert form.fold.opened
    form.classes.value = ""
    form.positive.value = ""
    assert _written(panel).encode() == before
    assert "Target positive, Positive labels: positive names no label" in panel._said.value
    form.positive.value = "1"
    assert _written(panel).encode() == before
    assert "Nothing was chosen otherwise" in panel._said.value


def test_what_an_editor_changed_meanwhile_stays(panel: CasePanel) -> None:
    path = panel._notebook.case.folder / "assessment.toml"
    path.write_text(
        path.read_text() + "\n[run]\nseed = 7 # of the dice\n\n[targets.positive]\nthreshold = 0.4\n"
    )
    panel.targets.forms[0].source.value = "the works council"
    text = _written(panel)
    assert "seed = 7 # of the dice\n" in text
    assert 'threshold = 0.4\nthreshold_source = "the works council"\n' in text
    # What is shown is now what the file says.
    assert panel.targets.forms[0].threshold.value == 0.4


@pytest.mark.parametrize("content", [b"broken =", b"\xff\xfe", None], ids=["not TOML", "not text", "gone"])
def test_a_case_file_that_cannot_be_read_is_one_sentence(panel: CasePanel, content: bytes | None) -> None:
    path = panel._notebook.case.folder / "assessment.toml"
    panel.targets.forms[0].threshold.value = 0.7
    good = path.read_bytes()
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    panel.write()
    assert panel._notebook.worker.wait(60)
    assert "Not written" in panel._said.value
    assert (path.read_bytes() if path.exists() else None) == content
    panel.look_again()
    assert panel._notebook.worker.wait(60)
    assert "Not shown" in panel._said.value
    path.write_bytes(good)
    assert "threshold = 0.7" in _written(panel)


def test_sections_that_have_to_run_again_are_named_after_a_write(small: Callable[..., Path]) -> None:
    folder = small('case.section("technical_performance")', 'case.section("mining")')
    notebook = NotebookCase(load_case(folder))
    notebook.case.run_all("technical_performance")
    notebook.case.run_all("mining")
    made = CasePanel(notebook)
    made.targets.forms[0].threshold.value = 0.7
    _written(made)
    assert "To be run again: Technical performance" in made._said.value
    assert "Mentioned" not in made._said.value
    assert notebook.worker.wait(20)


def test_looking_again_finds_new_files_and_drops_choices(panel: CasePanel) -> None:
    panel.targets.forms[0].threshold.value = 0.7
    (panel._notebook.case.folder / "new.csv").write_text("text,label\nbread,1\ncake,0\n")
    panel.look_again()
    assert panel._notebook.worker.wait(20)
    assert panel.targets.forms[0].threshold.value == 0.5
    assert "new.csv" in [one[1] for one in panel.corpora["train"].choice.options]


def test_two_columns_of_one_role_are_refused(panel: CasePanel) -> None:
    choice = panel.corpora["train"]
    choice.choice.value = "other.csv"
    assert choice.table is not None
    choice.table.use("who", Use("text"))
    _written(panel)
    assert "two columns of other.csv are the text (who and what was said)" in panel._said.value


def test_a_corpus_can_be_taken_out(panel: CasePanel) -> None:
    panel.corpora["train"].choice.value = "demo-train"
    assert '[corpus.train]\nuse = "demo-train"' in _written(panel)
    panel.corpora["train"].choice.value = "(none)"
    assert "demo-train" not in _written(panel)


def test_hostile_names_and_cells_are_escaped(small: Callable[..., Path]) -> None:
    folder = small()
    (folder / "odd.csv").write_text(
        'text,label,"<img src=x onerror=alert(1)>"\n"<script>alert(1)</script> bread",0,1\nsilly goose,1,0\n'
    )
    made = CasePanel(NotebookCase(load_case(folder)))
    made.corpora["train"].choice.value = "odd.csv"

    def html(widget: Any) -> str:
        own = widget.value if type(widget).__name__ == "HTML" else ""
        return own + "".join(html(child) for child in getattr(widget, "children", ()))

    said = html(made.corpora["train"].fold.box)
    assert "<script" not in said
    assert "<img" not in said


def test_the_overview_tells_states_and_findings_and_follows_runs(small: Callable[..., Path]) -> None:
    folder = small('case.section("technical_performance")', 'case.section("swap")')
    notebook = NotebookCase(load_case(folder))
    overview = Overview(notebook)
    notebook._overview = overview
    assert "Not run" in overview._table.value
    notebook.case.run_all("technical_performance")
    notebook.case.run_all("swap")
    notebook.refresh()
    assert notebook.worker.wait(30)
    html, text = sections_at_a_glance(notebook.case)
    assert overview._table.value == html
    assert [line.split("  ")[0] for line in text.splitlines()] == [
        "Section",
        "Technical performance",
        "Swapped identities",
    ]
    assert "Fresh" in text
    assert "Not applicable" in text


def test_the_overview_says_why_a_first_run_failed_until_one_does_not(small: Callable[..., Path]) -> None:
    folder = small('case.section("technical_performance")', system='scores = "<b>nothing"')
    notebook = NotebookCase(load_case(folder))
    overview = notebook._overview = Overview(notebook)
    with pytest.raises(FairnbError) as failure:
        notebook.case.run_all("technical_performance")
    overview.refresh()
    text = sections_at_a_glance(notebook.case)[1]
    assert f"Failed: {failure.value}" in text
    assert "Not run" not in text
    assert "Failed: " in overview._table.value
    assert "&lt;b&gt;nothing" in overview._table.value
    path = folder / "assessment.toml"
    path.write_text(path.read_text().replace("<b>nothing", "score"))
    notebook.case.run_all("technical_performance")
    assert "Failed" not in sections_at_a_glance(notebook.case)[1]


def test_the_overview_calls_a_first_run_that_was_stopped_stopped(small: Callable[..., Path]) -> None:
    folder = small('case.section("technical_performance")', system='python = "slow:score"\nversion = "o"')
    (folder / "slow.py").write_text("def score(texts):\n    raise KeyboardInterrupt\n")
    case = load_case(folder)
    with pytest.raises(KeyboardInterrupt):
        case.run_all("technical_performance")
    assert sections_at_a_glance(case)[1].splitlines()[1].split("  ")[1:] == ["Stopped", "–"]


def test_without_controls_the_case_is_told_as_a_table(
    small: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = NotebookCase(load_case(small()))
    notebook.panel()
    said = capsys.readouterr().out
    assert said.strip() == what_is_assessed(notebook.case)[1]
    assert "scores = score" in said


def test_looking_at_one_file_after_the_other_leaves_no_widget_behind(panel: CasePanel) -> None:
    form = panel.corpora["train"]

    def look() -> int:
        for name in ("other.csv", "demo-test", NONE):
            form.choice.value = name
        gc.collect()
        return len(_instances)

    before = look()
    assert look() == before
    form.choice.value = "other.csv"
    assert all(field.comm is not None for field in (form.positive, form.negative, form.encoding))
    assert form.positive in form._look.children
