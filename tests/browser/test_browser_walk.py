"""The whole way in one go: from the launcher to the verified document, on the demo corpora and a packaged system."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_steps import (
    LONG,
    PASSPHRASE,
    command,
    drawn,
    export,
    exported,
    move_threshold,
    parameter,
    quiet,
    ready,
    redrawn,
    said,
    saved,
    serious,
    settled,
    states,
    table,
    verify,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

TITLE = "Walk & <i>look</i>"
FOLDER = "walk/assessment"
STATED = {
    'addressee = ""': 'addressee = "Readers of the test"',
    'independence = ""': 'independence = "None of us built it."',
    'assessor = { name = ""': 'assessor = { name = "Ada Example"',
    'set_by = ""': 'set_by = "The makers of the test"',
    'text = ""': 'text = "No conclusion is drawn."',
}
"""What the case file leaves to be stated: until it is, the document is a draft."""


WIDGETS_OWN = re.compile(r"^TypeError: .*reading 'kernel'\)\n +at .*/@jupyter-widgets/jupyterlab-manager/")


def true_positive_rate(subgroup: str, threshold: float) -> tuple[int, int]:
    """Insults aimed at texts that mention a subgroup: how many the system flags, and of how many.

    By the system's own package, and by the mentions that the generator of the corpus knows of.
    """
    import profanity_check

    from fairnb.corpus import demo_frame

    frame = demo_frame(0)
    rows = frame[(frame["part"] == "test") & (frame["label"] == 1)]
    rows = rows[[subgroup in mentions.split(", ") for mentions in rows["mentions"]]]
    scores = profanity_check.predict_prob(list(rows["text"]))
    return int((scores >= threshold).sum()), len(rows)


def printed(cell: Any) -> dict[str, str]:
    """True positive rates by gender as the table prints them."""
    rows = [row for row in table(cell, "Errors by gender") if row[2] == "TPR"]
    return {row[0].strip(): row[3] for row in rows if row[1] == "everyone else"}


def group_bias(page: Any) -> Any:
    """Go to the section's cell by the panel; the cell."""
    page.click(".fairnb-Section:has-text('Bias by mentioned group')")
    cell = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    cell.locator(".fairnb table:has(caption:text-is('Errors by gender'))").wait_for(timeout=LONG)
    return cell


def test_from_the_launcher_to_a_verified_document(lab: Any, open_lab: Callable[..., Any]) -> None:
    pytest.importorskip("profanity_check")
    (lab.root / "walk").mkdir()
    page = open_lab()
    page.dblclick(".jp-DirListing-item:has-text('walk')")
    page.wait_for_selector(".jp-BreadCrumbs-item:has-text('walk')")
    page.click(".jp-LauncherCard:has-text('Ethical Assessment')")
    page.fill("[name=title]", TITLE)
    page.select_option("[name=level]", "third-party")
    page.fill("[name=system]", "alt-profanity-check")
    page.fill("[name=test]", "demo-test")
    page.fill("[name=train]", "demo-train")
    assert page.input_value("[name=folder]") == FOLDER
    page.click(".jp-Dialog button:has-text('Create')")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=LONG)
    folder: Path = lab.root / FOLDER
    state_the_rest(folder / "assessment.toml")
    ready(page)
    page.wait_for_selector(".fairnb-Section-dot[data-state='not run']", timeout=LONG)
    assert len(states(page)) == 18
    assert set(states(page).values()) == {"not run"}

    page.click(".fairnb-Panel-toolbar :text('Run All')")
    settled(page)
    done = states(page)
    assert {title for title, state in done.items() if state == "not applicable"} == {
        "Embedding bias",
        "Stereotypes in the base language model",
    }
    assert page.locator(".fairnb-Panel-title").inner_text() == TITLE
    assert serious(page, ".fairnb-Panel") == []

    # At the case file's threshold, and at another one.
    cell = group_bias(page)
    shown, pictures = printed(cell), drawn(cell)
    assert shown == {who: percent(f"gender/{who}", 0.5) for who in ("male", "female")}
    move_threshold(cell, 0.62)
    parameter(page, "group_bias", "threshold", 0.62)
    said(cell, "Fresh")
    pictures = redrawn(page, pictures)
    moved = printed(cell)
    assert moved == {who: percent(f"gender/{who}", 0.62) for who in ("male", "female")}
    assert moved != shown

    # What rests on the moved result is stale now, and is renewed without moving it back.
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", timeout=LONG)
    page.click(".fairnb-Panel-toolbar :text('Run Stale')")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", state="detached", timeout=LONG)
    settled(page)
    command(page, "docmanager:save")
    kept = saved(folder / "assessment.ipynb")
    assert len(kept) == 18
    assert kept["group_bias"]["parameters"]["threshold"] == 0.62
    assert kept["group_bias"]["origins"]["threshold"] == "notebook"
    # Nobody moved this one: it is the target's.
    assert kept["technical_performance"]["parameters"]["threshold"] is None
    quiet(page)
    page.context.close()
    lab.stop_kernels()

    # Opened again, with no kernel at all.
    again = open_lab(f"{FOLDER}/assessment.toml")
    again.wait_for_selector(".jp-FileEditor")
    no_kernel = {"shouldStart": False, "canStart": False, "autoStartDefault": False}
    command(
        again,
        "docmanager:open",
        path=f"{FOLDER}/assessment.ipynb",
        factory="Notebook",
        kernelPreference=no_kernel,
    )
    again.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=LONG)
    cell = group_bias(again)
    assert printed(cell) == moved
    assert drawn(cell) == pictures
    assert states(again) == done
    assert lab.request("api/sessions") == []
    assert lab.request("api/kernels") == []

    export_and_verify(again, folder)
    assert lab.request("api/kernels") == []
    # The widgets' manager takes it that every notebook has a session.
    again.watch.errors = [error for error in again.watch.errors if not WIDGETS_OWN.search(error)]
    quiet(again)
    document = again.context.new_page()
    again.watch.listen(document)
    document.goto((folder / "audit.html").as_uri())
    assert serious(document, "body") == []
    assert "0.62" in document.inner_text("body")
    assert document.locator("script").count() == 0
    assert again.watch.errors == []
    assert again.watch.dialogs == []
    # Chromium shows a PDF with pages of its own.
    assert {url.partition(":")[0] for url in again.watch.outside} <= {"file", "chrome", "chrome-extension"}
    shutil.rmtree(lab.root / "walk")


def state_the_rest(path: Path) -> None:
    """What a person enters in the case file before the first score."""
    text = path.read_text("utf-8")
    for before, after in STATED.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    path.write_text(text, "utf-8")


def percent(subgroup: str, threshold: float) -> str:
    flagged, n = true_positive_rate(subgroup, threshold)
    return f"{flagged / n:.1%}".replace("%", " %")


def export_and_verify(page: Any, folder: Path) -> None:
    """Sign by the dialog, open the PDF from what is said then, and verify it from the file browser."""
    from fairnb.report import new_identity

    new_identity(folder / "me.p12", name="Ada Example", passphrase=PASSPHRASE)
    export(page, identity=f"{FOLDER}/me.p12", passphrase=PASSPHRASE)
    assert exported(page).startswith("Audit exported: the final document, signed.")
    assert (folder / "audit.pdf").read_bytes().startswith(b"%PDF")
    for name in ("audit.html", "audit.html.p7s", "evidence.json"):
        assert (folder / name).stat().st_size > 0
    page.click(".Toastify__toast--success button:has-text('Open PDF')")
    page.wait_for_selector(".lm-TabBar-tab:has-text('audit.pdf')")
    page.wait_for_selector(".jp-DirListing-item:has-text('audit.pdf')")
    shown = verify(page, "audit.pdf")
    assert "Ada Example" in shown.inner_text()
    answers = page.locator(".fairnb-Verification-row")
    assert [row.get_attribute("data-answer") for row in answers.all()][:2] == ["yes", "unknown"]
    # No certificate was given to trust, and no arithmetic was asked for: integrity alone.
    assert answers.nth(2).locator(".fairnb-Verification-mark").inner_text() == "0"
    page.click(".jp-Dialog button:has-text('Close')")
