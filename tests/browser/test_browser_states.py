"""What is at hand, what waits, what was stopped or failed: seen in the panel and the controls, also after a reload."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_steps import (
    begin,
    cell_at,
    command,
    parameter,
    quiet,
    ready,
    said,
    serious,
    write_notebook,
)

from fairnb.case import BUNDLE

pytestmark = pytest.mark.browser

TOML = """\
[engagement]
title = "A small assessment"
level = "third-party"
independence = "none of us built it"
assessor = { name = "Ada", organisation = "Office" }

[system]
python = "slow:score"
version = "VERSION"
classes = ["silly"]
batch_size = 20

[targets.silly]
classes = ["silly"]

[corpus.test]
path = "test.csv"
"""
SYSTEM = '''
import time
from pathlib import Path

def score(texts):
    """Slow, or broken, where a file says so."""
    if Path("broken").exists():
        raise ValueError("the system is <b>broken</b>")
    time.sleep(0.8 if Path("slowly").exists() else 0.0)
    return [[0.9 - (len(text) % 7) / 10 if "silly" in text else 0.1 + (len(text) % 5) / 10] for text in texts]
'''
LONG = 120_000
"""Milliseconds that something may take here: the machine may be busy."""
SUBJECTS = ("The woman next door", "A man", "My neighbour", "The choir")
PERFORMANCE, GROUPS, MENTIONS = (
    "Technical performance",
    "Bias by mentioned group",
    "Protected attributes mining",
)
SECTIONS = ('case.section("technical_performance")', 'case.section("group_bias")', 'case.section("mining")')


@pytest.fixture
def case(lab: Any) -> Path:
    """A case below the server's root: a function of Python and 160 texts."""
    folder: Path = lab.root / f"states-{len(list(lab.root.iterdir())) + 1}"
    folder.mkdir()
    # Another version for each test: what one of them scored is not in the cache for the next.
    (folder / "assessment.toml").write_text(TOML.replace("VERSION", folder.name))
    (folder / "slow.py").write_text(SYSTEM)
    rows = ["text,label"]
    for i in range(160):
        label = int(i % 3 == 0)
        words = "is a silly goose" if label or i % 10 == 1 else "baked bread"
        rows.append(f'"{SUBJECTS[i % 4]} {words} on day {i}",{label}')
    (folder / "test.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def opened(open_lab: Callable[..., Any], folder: Path, *cells: str, **options: Any) -> Any:
    """A page on the case's notebook, whose kernel is idle."""
    write_notebook(folder / "assessment.ipynb", *cells)
    page = open_lab(f"{folder.name}/assessment.ipynb", **options)
    ready(page)
    return page


def state(page: Any, title: str, wanted: str) -> None:
    """Wait until the panel says a section's state."""
    page.wait_for_function(
        """([title, wanted]) => [...document.querySelectorAll('.fairnb-Section')].some(row =>
            row.querySelector('.fairnb-Section-title').firstChild.textContent === title &&
            row.querySelector('.fairnb-Section-dot').dataset.state === wanted)""",
        arg=[title, wanted],
        timeout=LONG,
    )


def in_panel(page: Any, label: str) -> Any:
    """A button of the panel's toolbar."""
    return page.locator(".fairnb-Panel-toolbar").get_by_text(label, exact=True)


def shown(page: Any) -> list[list[str]]:
    """MIME types of every output of each code cell, as the notebook's model holds them."""
    found: list[list[str]] = page.evaluate(
        """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map(cell =>
            cell.outputs.toJSON().flatMap(one => one.data ? Object.keys(one.data) : [one.output_type]))"""
    )
    return found


def press(page: Any, label: str) -> None:
    """Press a button of the panel's toolbar by the keyboard alone."""
    button = page.locator(".fairnb-Panel-toolbar .jp-ToolbarButtonComponent", has_text=label)
    button.focus()
    page.keyboard.press("Enter")


def focused(page: Any, label: str) -> None:
    """Wait until the button of the panel's toolbar with this label has the focus."""
    page.wait_for_function(
        """label => document.activeElement.closest('.fairnb-Panel-toolbar') !== null
            && document.activeElement.textContent.trim() === label""",
        arg=label,
        timeout=LONG,
    )


def picture(page: Any, name: str) -> None:
    """Keep what a person sees where FAIRNB_TEST_PICTURES says so."""
    folder = os.environ.get("FAIRNB_TEST_PICTURES")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def test_a_run_of_all_cells_is_stopped_whole_and_goes_on_from_there(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS)
    (case / "slowly").touch()
    begin(page, "notebook:run-all-cells")
    page.get_by_text(re.compile(r"scoring.*of 160")).first.wait_for(timeout=LONG)
    state(page, PERFORMANCE, "running")
    state(page, GROUPS, "queued")
    state(page, MENTIONS, "queued")
    picture(page, "queued-light")
    in_panel(page, "Stop").click()
    state(page, PERFORMANCE, "stopped")
    state(page, GROUPS, "not run")
    state(page, MENTIONS, "not run")
    said(cell_at(page, 1), "scored; Run continues")
    ready(page)
    # Nothing stands in the cells but what says that they have no result: no traceback either.
    assert [kinds for kinds in shown(page) if "error" in kinds] == []
    assert shown(page)[2:] == [[], []]
    in_panel(page, "Run All").wait_for()
    picture(page, "stopped-light")

    command(page, "docmanager:save")
    page.reload(wait_until="domcontentloaded")
    state(page, PERFORMANCE, "stopped")
    assert "scored; Run continues" in page.locator(".fairnb-Section-reason").inner_text()

    ready(page)
    (case / "slowly").unlink()
    in_panel(page, "Run Stale").click()
    for title in (PERFORMANCE, GROUPS, MENTIONS):
        state(page, title, "fresh")
    quiet(page)


def test_what_waits_keeps_its_result_and_leaves_the_queue_alone_or_with_the_run(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS, dark=True)
    in_panel(page, "Run All").click()
    for title in (PERFORMANCE, GROUPS, MENTIONS):
        state(page, title, "fresh")
    path = case / "assessment.toml"
    path.write_text(path.read_text().replace(case.name, f"{case.name}-2"))
    (case / "slowly").touch()
    ready(page)
    press(page, "Run All")
    focused(page, "Stop")
    state(page, PERFORMANCE, "running")
    state(page, MENTIONS, "queued")
    assert BUNDLE in shown(page)[2]
    assert BUNDLE in shown(page)[3]
    page.get_by_label(f"Take {MENTIONS} out of the queue").click()
    page.wait_for_function(
        "title => ![...document.querySelectorAll('.fairnb-Section-drop')].some(one => one.title.includes(title))",
        arg=MENTIONS,
    )
    state(page, GROUPS, "queued")
    page.get_by_text(re.compile(r"scoring.*of 160")).first.wait_for(timeout=LONG)
    picture(page, "queued-dark")
    assert serious(page, ".fairnb-Panel") == []
    press(page, "Stop")
    state(page, PERFORMANCE, "stopped")
    focused(page, "Run All")
    ready(page)
    assert BUNDLE in shown(page)[2]
    assert BUNDLE in shown(page)[3]
    picture(page, "stopped-dark")
    quiet(page)


def test_a_first_run_that_fails_is_told_in_the_panel_and_after_a_reload(
    open_lab: Callable[..., Any], case: Path
) -> None:
    (case / "broken").touch()
    page = opened(open_lab, case, *SECTIONS[:1])
    in_panel(page, "Run All").click()
    state(page, PERFORMANCE, "failed")
    said(cell_at(page, 1), "Failed")
    reason = page.locator(".fairnb-Section-reason")
    assert "the system is <b>broken</b>" in reason.inner_text()
    assert BUNDLE not in shown(page)[1]
    picture(page, "failed-light")
    command(page, "docmanager:save")
    page.context.close()

    again = open_lab(f"{case.name}/assessment.ipynb", dark=True)
    state(again, PERFORMANCE, "failed")
    assert "the system is <b>broken</b>" in again.locator(".fairnb-Section-reason").inner_text()
    assert again.locator(".fairnb-Section-reason b").count() == 0
    picture(again, "failed-dark-reloaded")
    (case / "broken").unlink()
    ready(again)
    in_panel(again, "Run Stale").click()
    state(again, PERFORMANCE, "fresh")
    quiet(again)


def test_after_a_reload_and_in_a_second_tab_the_output_follows_the_controls(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS[:1])
    command(page, "notebook:run-all-cells")
    said(cell_at(page, 1), "Fresh")
    command(page, "docmanager:save")
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=LONG)
    ready(page)
    threshold(page).wait_for(timeout=LONG)
    before = cell_at(page, 1).locator(".fairnb img").first.get_attribute("src")
    enter(page, "0.62")
    taken(page, 0.62)
    cell = cell_at(page, 1)
    cell.get_by_text("Counts at threshold 0.62").wait_for(timeout=LONG)
    page.wait_for_function(
        "before => document.querySelector('.jp-Notebook .fairnb img').src !== before",
        arg=before,
        timeout=LONG,
    )
    # It is one output that was replaced, not another one beside it.
    assert [BUNDLE in kinds for kinds in shown(page)] == [False, True]
    assert shown(page)[1].count(BUNDLE) == 1
    command(page, "docmanager:save")

    second = open_lab(f"{case.name}/assessment.ipynb")
    ready(second)
    threshold(second).wait_for(timeout=LONG)
    enter(second, "0.7")
    taken(second, 0.7)
    parameter(page, "technical_performance", "threshold", 0.7)
    quiet(page)
    quiet(second)


def test_a_run_of_the_controls_is_told_in_the_panel_although_no_cell_runs(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS[:2])
    in_panel(page, "Run All").click()
    state(page, PERFORMANCE, "fresh")
    state(page, GROUPS, "fresh")
    path = case / "assessment.toml"
    path.write_text(path.read_text().replace(case.name, f"{case.name}-2"))
    (case / "slowly").touch()
    ready(page)
    cell_at(page, 1).locator(".fairnb-controls button", has_text="Run").first.click()
    state(page, PERFORMANCE, "running")
    said(cell_at(page, 1), "Running")
    in_panel(page, "Run All").wait_for()
    (case / "slowly").unlink()
    state(page, PERFORMANCE, "fresh")
    said(cell_at(page, 1), "Fresh")
    quiet(page)


def threshold(page: Any) -> Any:
    """The field for the threshold."""
    return page.locator(".fairnb-controls input[type=number]").first


def enter(page: Any, value: str) -> None:
    threshold(page).fill(value)
    threshold(page).press("Enter")


def taken(page: Any, value: float) -> None:
    """Wait until the result is that of a threshold; press Run where the controls ask for it (slow machines)."""
    line = page.locator(".fairnb-controls .fairnb-state").first
    line.filter(has_text=re.compile(rf"press Run|hreshold {value:g}0?\b")).wait_for(timeout=LONG)
    if "press Run" in line.inner_text():
        page.locator(".fairnb-controls button", has_text="Run").first.click()
    parameter(page, "technical_performance", "threshold", value)


@pytest.mark.parametrize("dark", [False, True])
def test_slider_and_field_are_linked_and_the_field_takes_what_lies_between(
    open_lab: Callable[..., Any], case: Path, dark: bool
) -> None:
    page = opened(open_lab, case, *SECTIONS[:1], dark=dark)
    command(page, "notebook:run-all-cells")
    said(cell_at(page, 1), "Fresh")
    handle = page.get_by_role("slider", name="Threshold")
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    taken(page, 0.53)
    assert threshold(page).input_value() == "0.53"
    enter(page, "0.505")
    taken(page, 0.505)
    assert threshold(page).input_value() == "0.505"
    box = page.locator(".fairnb-slider .noUi-base").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.505, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.62, box["y"] + box["height"] / 2, steps=12)
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2, steps=12)
    page.mouse.up()
    # The field has caught up with the handle.
    page.wait_for_function(
        """() => Math.abs(document.querySelector('.fairnb-controls input[type=number]').value -
            document.querySelector('.fairnb-slider .slider').noUiSlider.get()) < 1e-6""",
        timeout=LONG,
    )
    moved = float(threshold(page).input_value())
    assert 0.65 <= moved <= 0.75
    taken(page, moved)
    said(cell_at(page, 1), "Fresh")
    assert serious(page, ".fairnb-controls") == []
    picture(page, f"slider-{'dark' if dark else 'light'}")
    command(page, "application:toggle-left-area")
    command(page, "application:toggle-right-area")
    page.set_viewport_size({"width": 600, "height": 900})
    cell_at(page, 1)
    picture(page, f"slider-{'dark' if dark else 'light'}-narrow")
    quiet(page)


def test_the_palette_has_one_entry_for_the_draft_and_no_bare_names(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS[:1])
    command(page, "apputils:activate-command-palette")
    page.locator(".lm-CommandPalette-input").fill("audit")
    page.locator(".lm-CommandPalette-item:has-text('Audit (Unsigned Draft)')").first.wait_for()
    found = page.locator(".lm-CommandPalette-itemLabel").all_inner_texts()
    assert sum("Unsigned Draft" in label for label in found) == 1
    assert [label for label in found if "_" in label] == []
    picture(page, "palette")
    page.keyboard.press("Escape")
    page.locator(".lm-MenuBar-item:has-text('File')").click()
    page.locator(".lm-Menu-item:has-text('Save and Export Notebook As')").hover()
    page.locator(".lm-Menu-item:has-text('Audit (Unsigned Draft)')").wait_for()
    names = page.locator(".lm-Menu-item[data-command='notebook:export-to-format']").all_inner_texts()
    assert [name.strip() for name in names if "audit" in name.lower()] == ["Audit (Unsigned Draft)"]
    picture(page, "export-menu")
    quiet(page)


def test_a_run_of_the_panel_is_heard_by_others_and_one_that_cannot_go_on_is_told(
    open_lab: Callable[..., Any], case: Path
) -> None:
    page = opened(open_lab, case, *SECTIONS[:2])
    page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.insertCell(
            1, { cell_type: 'markdown', source: '# Figures', metadata: {} })"""
    )
    command(page, "toc:show-panel")
    page.locator(".jp-TableOfContents .jp-tocItem-content", has_text="Figures").wait_for(timeout=LONG)
    running = "wanted => document.querySelector('.jp-tocItem-content').dataset.running === wanted"
    (case / "slowly").touch()
    in_panel(page, "Run All").click()
    # The table of contents learns of a run from JupyterLab's own signals alone.
    page.wait_for_function(running, arg="1", timeout=LONG)
    (case / "slowly").unlink()
    state(page, GROUPS, "fresh")
    page.wait_for_function(running, arg="-1", timeout=LONG)
    ready(page)

    page.evaluate(
        """() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute =
            () => { throw new Error('The connection is gone.'); }; }"""
    )
    in_panel(page, "Run All").click()
    page.get_by_text(
        "Cell [1] could not be run (The connection is gone); no cell behind it was begun."
    ).wait_for(timeout=LONG)
    in_panel(page, "Run All").wait_for()
    state(page, GROUPS, "fresh")
