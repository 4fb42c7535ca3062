"""The same notebook in Jupyter Notebook 7, and where only ipywidgets or nothing of ours is in the front end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_steps import (
    PASSPHRASE,
    begin,
    cell_at,
    command,
    confusion,
    counts,
    drawn,
    export,
    exported,
    move_threshold,
    quiet,
    ready,
    redrawn,
    said,
    saved,
    write_case,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

OURS = "fairnb-labextension"
WIDGETS = "@jupyter-widgets/jupyterlab-manager"
NOTEBOOKS_OWN = re.compile(r"^TypeError: .*reading 'schema'\)\n +at \S+/static/notebook/notebook_core")
UNTAKEN = {"Exception opening new comm"}
SECTION = 'case.section("technical_performance")'


def move(page: Any, answers: list[tuple[int, float]]) -> None:
    """Run all, move the threshold in the second cell, and see its table and its figure follow."""
    ready(page)
    begin(page, "notebook:run-all-cells")
    cell = cell_at(page, 1)
    said(cell, "Fresh")
    assert counts(cell, 0.5) == confusion(answers, 0.5)
    pictures = drawn(cell)
    move_threshold(cell, 0.7)
    assert counts(cell, 0.7) == confusion(answers, 0.7)
    assert confusion(answers, 0.7) != confusion(answers, 0.5)
    assert redrawn(page, pictures)[0].startswith("data:image/svg+xml")
    said(cell, "Fresh")


def test_notebook_7_shows_controls_panels_and_the_export_button(
    serve: Callable[..., Any], open_lab: Callable[..., Any]
) -> None:
    pytest.importorskip("notebook")
    from fairnb.report import new_identity

    # A server of its own: files that Lab and Notebook both have are found once only, by name, and a second
    # front end on the same server is refused them.
    seven = serve()
    folder: Path = seven.root / "seven"
    answers = write_case(folder, SECTION, "case.panel()", "case.overview()")
    new_identity(folder / "me.p12", name="A. Example", passphrase=PASSPHRASE)
    page = open_lab("seven/assessment.ipynb", at=seven, front="notebooks")
    assert page.evaluate("() => window.jupyterapp.name") == "Jupyter Notebook"
    move(page, answers)
    cell_at(page, 2).locator(".fairnb-controls :text('240')").first.wait_for()
    overview = cell_at(page, 3).locator(".fairnb-controls tr:has-text('Technical performance')").first
    overview.locator(":text('fresh')").first.wait_for()

    command(page, "docmanager:save")
    kept = saved(folder / "assessment.ipynb")["technical_performance"]
    assert kept["parameters"]["threshold"] == 0.7
    export(page, identity="seven/me.p12", passphrase=PASSPHRASE)
    assert "signed" in exported(page)
    evidence = json.loads((folder / "evidence.json").read_text("utf-8"))
    (payload,) = evidence["payloads"]
    assert payload["content"]["parameters"]["threshold"] == 0.7
    # Notebook 7 has this one with every notebook, also where our extension is switched off: its shortcuts are
    # asked for before they are loaded.
    page.watch.errors = [error for error in page.watch.errors if not NOTEBOOKS_OWN.search(error)]
    quiet(page)


def test_without_our_extension_the_controls_are_plain_widgets(
    serve: Callable[..., Any], open_lab: Callable[..., Any]
) -> None:
    bare = serve(disabled=(OURS,))
    folder: Path = bare.root / "bare"
    answers = write_case(folder, SECTION)
    page = open_lab("bare/assessment.ipynb", at=bare)
    move(page, answers)
    assert page.locator(".fairnb-Result, .fairnb-Panel, .fairnb-ExportButton").count() == 0
    command(page, "docmanager:save")
    assert saved(folder / "assessment.ipynb")["technical_performance"]["parameters"]["threshold"] == 0.7
    quiet(page)


def test_without_widgets_the_parameters_and_the_result_are_shown_as_they_are(
    serve: Callable[..., Any], open_lab: Callable[..., Any]
) -> None:
    still = serve(disabled=(OURS, WIDGETS))
    answers = write_case(still.root / "still", SECTION)
    page = open_lab("still/assessment.ipynb", at=still)
    ready(page)
    begin(page, "notebook:run-all-cells")
    cell = cell_at(page, 1)
    assert counts(cell, 0.5) == confusion(answers, 0.5)
    assert drawn(cell)[0].startswith("data:image/svg+xml")
    assert cell.locator("input").count() == 0
    cell.locator("summary:has-text('Parameters of Technical performance')").click()
    row = cell.locator("tr:has(th:text-is('Threshold'))").first
    assert "(0.5)" in row.inner_text()
    # JupyterLab says of each widget that nobody takes it; nothing else is wrong.
    assert {error.partition(" (")[0] for error in page.watch.errors} <= UNTAKEN
    assert page.watch.outside == []
