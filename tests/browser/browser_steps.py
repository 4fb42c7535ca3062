"""What a person does on a page of JupyterLab, one step a function; and a small case to do it with."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

BUNDLE = "application/vnd.fairnb.result+json"
PASSPHRASE = "a small passphrase"
LONG = 480_000
"""Milliseconds that something may take which computes: the machine may be busy."""
CASE = """
[engagement]
title = "A bakery's comment filter"
level = "third-party"
addressee = "Readers of the test"
independence = "None of us built it."
assessor = { name = "A. Example" }

[system]
scores = "score"

[corpus.test]
path = "rows.csv"
text = "text"
label = "label"

[criteria]
set_by = "The makers of the test"
set_on = "2026-01-01"
margin = 0.05

[sections.conclusion]
text = "No conclusion is drawn."
"""


# ---- a case


def write_case(folder: Path, *cells: str, kernel: str = "python3") -> list[tuple[int, float]]:
    """A case with recorded scores, which needs no model, and a notebook that was not run.

    Parameters
    ----------
    folder : Path
    *cells : str
        Code of the cells after the one that opens the case.
    kernel : str
        Name of the kernel that the notebook asks for.

    Returns
    -------
    list of (label, score)
    """
    folder.mkdir(parents=True)
    chance = random.Random(7)
    rows = []
    for number in range(240):
        who = ("woman", "man")[number % 2]
        silly = number % 4 < 2
        score = min(0.98, max(0.02, chance.gauss(0.62 if silly else 0.35, 0.12) + 0.2 * (who == "woman")))
        says = "a silly goose" if silly else "at the bakery"
        rows.append((f"The {who} number {number} is {says}", int(silly), round(score, 4)))
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("text", "label", "score"), *rows])
    (folder / "assessment.toml").write_text(CASE, "utf-8")
    write_notebook(folder / "assessment.ipynb", *cells, kernel=kernel)
    return [(label, score) for _, label, score in rows]


def write_notebook(path: Path, *cells: str, kernel: str = "python3") -> None:
    """A notebook that opens the case and has some cells of code."""
    made: list[dict[str, Any]] = []
    for number, source in enumerate(('import fairnb\n\ncase = fairnb.open(".")', *cells)):
        cell = {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source}
        made.append(cell | {"outputs": [], "execution_count": None})
    spec = {"name": kernel, "display_name": kernel, "language": "python"}
    metadata = {"kernelspec": spec, "language_info": {"name": "python"}}
    notebook = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1), "utf-8")


def saved(path: Path) -> dict[str, dict[str, Any]]:
    """Results that a saved notebook holds: section -> its first payload's content."""
    return {
        payload["content"]["section"]: payload["content"]
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        for output in cell.get("outputs", ())
        for payload in output.get("data", {}).get(BUNDLE, ())
    }


# ---- the notebook


def command(page: Any, name: str, **args: Any) -> Any:
    """Run one of JupyterLab's commands by its id, once it is there, and wait until it is done."""
    page.wait_for_function("name => window.jupyterapp.commands.hasCommand(name)", arg=name)
    return page.evaluate(
        "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }", [name, args]
    )


def begin(page: Any, name: str) -> None:
    """Run a command without waiting for its end."""
    page.wait_for_function("name => window.jupyterapp.commands.hasCommand(name)", arg=name)
    page.evaluate("name => { window.jupyterapp.commands.execute(name); }", name)


def ready(page: Any) -> None:
    """Wait until the notebook's kernel is idle."""
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=LONG,
    )


def parameter(page: Any, section: str, name: str, value: Any) -> None:
    """Wait until the notebook's model holds a section's result with a parameter of some value."""
    page.wait_for_function(
        """([mime, section, name, value]) => {
            const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
            for (const cell of cells) {
                for (let at = 0; at < (cell.outputs?.length ?? 0); at++) {
                    for (const payload of cell.outputs.get(at).data[mime] ?? []) {
                        const { content } = payload;
                        if (content.section === section) {
                            return content.parameters[name] === value;
                        }
                    }
                }
            }
            return false;
        }""",
        arg=[BUNDLE, section, name, value],
        timeout=LONG,
    )


def cell_at(page: Any, index: int) -> Any:
    """Make a cell the active one, bring it into view, and return it."""
    page.evaluate(
        """async index => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = index;
            await notebook.scrollToCell(notebook.widgets[index], 'start');
        }""",
        index,
    )
    return page.locator(".jp-Notebook .jp-Cell.jp-mod-active")


def move_threshold(cell: Any, to: float) -> None:
    """Enter a threshold in a cell's controls; press Run where they ask for it, as they do on a slow machine."""
    field = cell.get_by_label("Threshold").and_(cell.locator("input[type=number]")).first
    field.fill(f"{to:.2f}")
    field.press("Enter")
    line = cell.locator(".fairnb-state").first
    line.filter(has_text=re.compile(rf"press Run|hreshold {to:g}0?\b")).wait_for(timeout=LONG)
    if "press Run" in line.inner_text():
        cell.locator(".fairnb-controls button", has_text="Run").first.click()


def said(cell: Any, words: str) -> None:
    """Wait until the state line of a cell's controls says some words."""
    cell.locator(f".fairnb-state:has-text('{words}')").first.wait_for(timeout=LONG)


def drawn(cell: Any) -> list[str]:
    """The figures of a cell's result, as addresses that hold them."""
    cell.locator(".fairnb img").first.wait_for(timeout=LONG)
    return [str(image.get_attribute("src")) for image in cell.locator(".fairnb img").all()]


def redrawn(page: Any, before: list[str]) -> list[str]:
    """Wait until the figures of the active cell are as many, and one is another than before; returns them."""
    found = page.wait_for_function(
        """before => {
            const cell = document.querySelector('.jp-Notebook .jp-Cell.jp-mod-active');
            const now = [...cell.querySelectorAll('.fairnb img')].map(image => image.getAttribute('src'));
            return now.length === before.length && now.some((one, at) => one !== before[at]) ? now : null;
        }""",
        arg=before,
        timeout=LONG,
    )
    return list(found.json_value())


def table(cell: Any, caption: str) -> list[list[str]]:
    """Cells of a printed table, row by row."""
    rows = cell.locator(f".fairnb table:has(caption:text-is('{caption}')) tbody tr")
    return [
        [text.replace("\xa0", " ") for text in row.locator("th, td").all_inner_texts()] for row in rows.all()
    ]


def counts(cell: Any, threshold: float) -> list[int]:
    """Wait for the counts at a threshold: texts flagged rightly, missed, flagged wrongly, left alone rightly."""
    caption = f"Counts at threshold {threshold:.2f}"
    cell.locator(f".fairnb table:has(caption:text-is('{caption}'))").first.wait_for(timeout=LONG)
    return [int(number.replace(",", "")) for row in table(cell, caption) for number in row[1:]]


def confusion(answers: list[tuple[int, float]], threshold: float) -> list[int]:
    """The same, counted one by one from labels and scores."""
    kinds = [(label, score >= threshold) for label, score in answers]
    return [kinds.count(kind) for kind in ((1, True), (1, False), (0, True), (0, False))]


# ---- the extension


def states(page: Any) -> dict[str, str]:
    """Sections in the panel "Assessment" and their states."""
    return {
        row.locator(".fairnb-Section-title").inner_text(): str(
            row.locator(".fairnb-Section-dot").get_attribute("data-state")
        )
        for row in page.locator(".fairnb-Section").all()
    }


def settled(page: Any) -> None:
    """Wait until every section in the panel is up to date, or does not apply."""
    page.wait_for_function(
        """() => {
            const dots = [...document.querySelectorAll('.fairnb-Section-dot')];
            return dots.length && dots.every(dot => ['fresh', 'not applicable'].includes(dot.dataset.state));
        }""",
        timeout=LONG,
    )


def export(page: Any, **fields: str) -> None:
    """Fill in the dialog of the toolbar's button and begin the export."""
    page.click(".fairnb-ExportButton:not(.lm-mod-hidden)")
    page.wait_for_selector(".fairnb-ExportForm")
    for name, value in fields.items():
        page.fill(f".fairnb-ExportForm [name={name}]", value)
    page.click(".jp-Dialog button:has-text('Export')")


def exported(page: Any) -> str:
    """Wait for the end of an export; what was said."""
    toast = page.wait_for_selector(
        ".Toastify__toast--success:has-text('Audit exported'), .Toastify__toast--error", timeout=LONG
    )
    words = str(toast.inner_text())
    assert "Audit exported" in words, words
    return words


def verify(page: Any, file: str) -> Any:
    """Verify a document from the file browser's menu; the dialog's content."""
    page.click(f".jp-DirListing-item:has-text('{file}')", button="right")
    page.click(".lm-Menu-item[data-command='fairnb:verify-audit']")
    return page.wait_for_selector(".fairnb-Verification", timeout=LONG)


# ---- the page


def quiet(page: Any) -> None:
    """Nothing went wrong in the page, and nothing left the server."""
    assert page.watch.errors == []
    # Chromium shows a PDF with a page of its own.
    assert [url for url in page.watch.outside if not url.startswith("chrome")] == []
    assert page.watch.dialogs == []


def serious(page: Any, selector: str) -> list[str]:
    """Serious faults that axe-core finds in a part of the page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, context=selector).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
