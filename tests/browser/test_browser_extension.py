"""The extension as a person uses it: new assessment, panel, export, verification, results of others."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_steps import BUNDLE, CASE, PASSPHRASE, export, quiet, serious, verify

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

SECTIONS = ("engagement", "system", "technical_performance", "group_bias", "conclusion")


def cell(kind: str, source: str, identity: str) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": identity, "metadata": {}, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def write_case(folder: Path) -> None:
    """A case with recorded scores, which needs no model: women's texts score higher."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    rows = []
    for number in range(240):
        who = ("woman", "man")[number % 2]
        silly = number % 4 < 2
        score = min(0.98, max(0.02, chance.gauss(0.62 if silly else 0.35, 0.12) + 0.2 * (who == "woman")))
        says = "a silly goose" if silly else "at the bakery"
        rows.append((f"The {who} number {number} is {says}", int(silly), f"{score:.4f}"))
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("text", "label", "score"), *rows])
    (folder / "assessment.toml").write_text(CASE, "utf-8")
    cells = [cell("markdown", "# A bakery's comment filter", "title")]
    cells.append(cell("code", 'import fairnb\n\ncase = fairnb.open(".")', "open"))
    cells += [cell("code", f'case.section("{name}")', name) for name in SECTIONS]
    write_notebook(folder / "assessment.ipynb", cells)


def write_notebook(path: Path, cells: list[dict[str, Any]]) -> None:
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1), "utf-8")


@pytest.fixture(scope="module")
def executed(lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case whose notebook was executed, and an identity to sign with."""
    from fairnb.notebook import execute
    from fairnb.report import new_identity

    folder = tmp_path_factory.mktemp("executed") / "case"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(lab.home))
        write_case(folder)
        report = execute(folder)
    assert report.exit_code == 0, report.lines()
    new_identity(folder / "me.p12", name="A. Example", passphrase=PASSPHRASE)
    return folder


@pytest.fixture
def case(lab: Any, executed: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A copy of the executed case below the server's root; its name."""
    name = request.node.name.partition("[")[0][-40:]
    shutil.copytree(executed, lab.root / name)
    yield name
    shutil.rmtree(lab.root / name)


def states(page: Any) -> list[tuple[str, str]]:
    return [
        (
            row.locator(".fairnb-Section-title").inner_text(),
            row.locator(".fairnb-Section-dot").get_attribute("data-state"),
        )
        for row in page.locator(".fairnb-Section").all()
    ]


def test_the_launcher_starts_a_case_in_the_folder_that_is_open(
    lab: Any, open_lab: Callable[..., Any]
) -> None:
    (lab.root / "shelf").mkdir(exist_ok=True)
    page = open_lab()
    page.dblclick(".jp-DirListing-item:has-text('shelf')")
    page.wait_for_selector(".jp-BreadCrumbs-item:has-text('shelf')")
    page.click(".jp-LauncherCard:has-text('Ethical Assessment')")
    page.wait_for_selector(".fairnb-Form")
    assert page.input_value("[name=folder]") == "shelf/assessment"
    assert serious(page, ".jp-Dialog-content") == []
    page.fill("[name=title]", "Loaves & <b>rolls</b>")
    page.select_option("[name=level]", "third-party")
    page.click(".jp-Dialog button:has-text('Create')")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=240_000)
    page.wait_for_selector(".fairnb-Section-dot[data-state='not run']")
    assert {state for _, state in states(page)} == {"not run"}
    text = (lab.root / "shelf/assessment/assessment.toml").read_text("utf-8")
    assert 'level = "third-party"' in text
    assert 'title = "Loaves & <b>rolls</b>"' in text
    assert page.locator(".fairnb-Panel-title").inner_text() == "Loaves & <b>rolls</b>"
    quiet(page)


def test_a_folder_with_a_case_is_refused_in_a_sentence(open_lab: Callable[..., Any], case: str) -> None:
    page = open_lab()
    page.wait_for_selector(".jp-LauncherCard:has-text('Ethical Assessment')")
    page.evaluate("() => void window.jupyterapp.commands.execute('fairnb:new-assessment')")
    page.fill("[name=folder]", case)
    page.click(".jp-Dialog button:has-text('Create')")
    said = page.wait_for_selector(".Toastify__toast--error", timeout=240_000).inner_text()
    assert "holds a case already" in said
    assert "Cancel" not in said


def test_the_panel_shows_the_notebook_and_leads_to_its_cells(open_lab: Callable[..., Any], case: str) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    page.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=240_000)
    assert [state for _, state in states(page)] == ["fresh"] * len(SECTIONS)
    assert page.locator(".fairnb-Requirements li").count() == 7
    page.wait_for_selector(".fairnb-Panel-foot:has-text('in kernel')", timeout=240_000)
    assert serious(page, ".fairnb-Panel") == []
    # By keyboard alone.
    row = page.locator(".fairnb-Section").nth(3)
    row.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 5")
    quiet(page)


def test_the_panel_survives_reload_restart_and_a_second_tab(open_lab: Callable[..., Any], case: str) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    page.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=240_000)
    shown = states(page)
    # JupyterLab writes the metadata of the kernel anew; a notebook that is not saved asks before it goes.
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.reload(wait_until="domcontentloaded")
    page.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=240_000)
    assert states(page) == shown
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    page.wait_for_selector(".fairnb-Panel-foot:has-text('in kernel')", timeout=240_000)
    assert states(page) == shown
    # A tab that is no assessment empties it; the assessment's own fills it again.
    page.evaluate(
        "async () => { await window.jupyterapp.commands.execute('notebook:create-new', {kernelName: 'python3'}); }"
    )
    page.wait_for_selector(".fairnb-Panel-empty")
    page.click(".lm-DockPanel-tabBar .lm-TabBar-tab:has-text('assessment.ipynb')")
    page.wait_for_selector(".fairnb-Section")
    assert [title for title, _ in states(page)] == [title for title, _ in shown]
    quiet(page)


def test_a_changed_case_file_makes_results_stale_and_run_stale_renews_them(
    lab: Any, open_lab: Callable[..., Any], case: str
) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    page.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=240_000)
    page.evaluate(
        """async path => {
            const contents = window.jupyterapp.serviceManager.contents;
            const file = await contents.get(path);
            const content = file.content.replace('margin = 0.05', 'margin = 0.04');
            await contents.save(path, { type: 'file', format: 'text', content });
        }""",
        f"{case}/assessment.toml",
    )
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", timeout=240_000)
    assert serious(page, ".fairnb-Panel") == []
    page.click(".fairnb-Panel-toolbar :text('Run Stale')")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", state="detached", timeout=120_000)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.fairnb-Section-dot')].every(dot => dot.dataset.state === 'fresh')",
        timeout=120_000,
    )
    quiet(page)


def test_export_signs_and_verification_names_the_signer(
    lab: Any, open_lab: Callable[..., Any], case: str
) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    page.wait_for_selector(".fairnb-Section-dot[data-state='fresh']", timeout=240_000)
    page.click(".fairnb-ExportButton")
    page.wait_for_selector(".fairnb-ExportForm")
    assert serious(page, ".jp-Dialog-content") == []
    page.keyboard.press("Escape")
    export(page, identity=f"{case}/me.p12", passphrase=PASSPHRASE)
    # What takes longest is named meanwhile, and can be cancelled as before.
    running = page.wait_for_selector(".Toastify__toast:has-text(': writing the PDF…')", timeout=180_000)
    assert "Cancel" in running.inner_text()
    page.wait_for_selector(".Toastify__toast--success:has-text('signed')", timeout=180_000)
    for name in ("audit.pdf", "audit.html", "audit.html.p7s", "evidence.json"):
        assert (lab.root / case / name).stat().st_size > 0
    kept = page.evaluate(
        "() => JSON.stringify([localStorage, sessionStorage, document.documentElement.outerHTML])"
    )
    assert PASSPHRASE not in kept
    page.click(".Toastify__toast--success button:has-text('Open PDF')")
    page.wait_for_selector(".lm-TabBar-tab:has-text('audit.pdf')")

    page.wait_for_selector(".jp-DirListing-item:has-text('audit.pdf')")
    answers = ".fairnb-Verification-row"
    shown = verify(page, "audit.pdf")
    assert "A. Example" in shown.inner_text()
    assert [row.get_attribute("data-answer") for row in page.locator(answers).all()][:2] == ["yes", "unknown"]
    assert serious(page, ".jp-Dialog-content") == []
    page.click(".jp-Dialog button:has-text('Trust Certificates')")
    page.fill(".jp-Dialog input", f"{case}/me.pem")
    page.click(".jp-Dialog button:has-text('Verify')")
    page.wait_for_selector(f"{answers}[data-answer='yes'] >> text=Trust", timeout=120_000)
    page.click(".jp-Dialog button:has-text('Close')")

    document = lab.root / case / "audit.html"
    document.write_bytes(document.read_bytes().replace(b"bakery", b"bakehouse", 1))
    verify(page, "audit.html")
    assert page.locator(answers).first.get_attribute("data-answer") == "no"
    quiet(page)


def test_a_wrong_passphrase_is_said_and_nothing_is_written(
    lab: Any, open_lab: Callable[..., Any], case: str
) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    export(page, identity=f"{case}/me.p12", passphrase="not that one")
    said = page.wait_for_selector(".Toastify__toast--error", timeout=120_000).inner_text()
    assert "passphrase" in said
    assert "not that one" not in said
    assert str(lab.root) not in said
    assert not (lab.root / case / "audit.pdf").exists()


def test_a_refusal_names_the_cell_and_goes_there(lab: Any, open_lab: Callable[..., Any], case: str) -> None:
    path = lab.root / case / "assessment.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    payload = notebook["cells"][4]["outputs"][0]["data"][BUNDLE][0]
    payload["content"]["result"]["measures"][0]["value"] = 0.999
    path.write_text(json.dumps(notebook), "utf-8")
    page = open_lab(f"{case}/assessment.ipynb")
    export(page)
    page.wait_for_selector(".fairnb-Refusal", timeout=120_000)
    said = page.locator(".fairnb-Refusal").inner_text()
    assert "altered" in said
    assert "cell 5" not in said
    page.get_by_role("button", name="Technical performance [4]").click()
    page.wait_for_selector(".fairnb-Refusal", state="detached")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 4")
    assert not (lab.root / case / "audit.pdf").exists()


def test_an_export_can_be_cancelled(lab: Any, open_lab: Callable[..., Any], case: str) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    export(page)
    page.click(".Toastify__toast button:has-text('Cancel')", timeout=240_000)
    page.wait_for_selector(".Toastify__toast--error:has-text('cancelled')", timeout=240_000)
    assert not (lab.root / case / "audit.pdf").exists()


def test_the_export_menu_has_one_entry_of_ours(open_lab: Callable[..., Any], case: str) -> None:
    page = open_lab(f"{case}/assessment.ipynb")
    page.wait_for_selector(".fairnb-Section")
    # JupyterLab asks for the formats when the first notebook is opened.
    page.evaluate("() => window.jupyterapp.serviceManager.nbconvert.getExportFormats(false)")
    page.wait_for_timeout(500)
    page.click(".lm-MenuBar-item:has-text('File')")
    page.hover(".lm-Menu-item:has-text('Save and Export Notebook As')")
    page.wait_for_selector(".lm-Menu-item:has-text('Audit')")
    page.wait_for_selector(".lm-Menu-item:has-text('LaTeX')")
    entries = page.locator(".lm-Menu-itemLabel:has-text('Audit')").all_inner_texts()
    assert entries == ["Audit (Unsigned Draft)"]


HOSTILE = (
    "<script>window.taken = 1; alert(1)</script><img src=x onerror='window.taken = 2; alert(2)'>"
    "<a href='javascript:alert(3)'>link</a><svg onload=alert(4)></svg>\u202e gnp.exe"
)
# An address that is kept for documentation: nobody answers there.
OUTSIDE = "http://192.0.2.1"
LOADING = (
    f"<div class='fairnb'><p>{HOSTILE}</p><img src='{OUTSIDE}/seen.png'>"
    f"<p style=\"background:url('{OUTSIDE}/seen2.png')\">text</p>"
    f"<iframe src='{OUTSIDE}/'></iframe><form action='{OUTSIDE}/'><input></form>"
    "<img alt='a figure' src=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='20' "
    "height='20'%3E%3Crect width='20' height='20'/%3E%3C/svg%3E\"></div>"
)


def hostile_payload() -> dict[str, Any]:
    measure = dict.fromkeys(
        ("measure", "attribute", "subgroup", "reference", "label", "variant", "note"), HOSTILE
    )
    finding = {
        "criterion": HOSTILE,
        "severity": "high",
        "statement": HOSTILE,
        "requirement": 5,
        "measures": [],
    }
    result = {
        "status": "done",
        "measures": [
            measure | {"value": 0.5, "low": 0.4, "high": 0.6, "n": 10, "status": HOSTILE},
            {"measure": "=cmd", "value": 0.1, "n": 3},
        ],
        "findings": [finding, finding | {"severity": HOSTILE}],
    }
    content = {"section": "swap", "title": HOSTILE, "target": HOSTILE, "origins": {}, "result": result}
    context = {"versions": {"fairnb": HOSTILE}}
    return {"schema": "fairnb.result/1", "content": content, "context": context, "content_sha256": HOSTILE}


@pytest.mark.parametrize("trusted", [False, True])
def test_a_hostile_notebook_runs_and_loads_nothing(
    lab: Any, open_lab: Callable[..., Any], trusted: bool
) -> None:
    data = {BUNDLE: [hostile_payload()], "text/html": LOADING, "text/plain": HOSTILE}
    bare = {BUNDLE: [hostile_payload()], "text/plain": HOSTILE}
    cells = [cell("markdown", "# A notebook from a stranger", "title")]
    for number, bundle in enumerate((data, bare)):
        shown = cell("code", 'case.section("swap")', f"cell-{number}")
        shown["outputs"] = [{"output_type": "display_data", "data": bundle, "metadata": {}}]
        cells.append(shown)
    write_notebook(lab.root / "stranger.ipynb", cells)
    page = open_lab("stranger.ipynb")
    page.wait_for_selector(".fairnb-Section")
    if trusted:
        page.evaluate("() => void window.jupyterapp.commands.execute('notebook:trust')")
        page.click(".jp-Dialog button:has-text('Trust')")
    results = page.locator(".fairnb-Result")
    results.first.wait_for()
    assert results.count() == 2
    for summary in page.locator(".fairnb-Measures > summary").all():
        summary.click()
    page.locator(".fairnb-Measures td").first.wait_for()
    page.locator(".fairnb-Measures th button").first.click()
    page.wait_for_timeout(500)
    assert page.evaluate("() => window.taken") is None
    assert page.locator(".fairnb-Result img").count() == 1
    assert page.locator(".fairnb-Result img[alt='a figure']").evaluate("image => image.naturalWidth") == 20
    for forbidden in (
        "script",
        "iframe",
        "form",
        "[onload]",
        "[onerror]",
        "[style]",
        "a[href^='javascript']",
    ):
        assert page.locator(f".fairnb-Result {forbidden}, .fairnb-Panel {forbidden}").count() == 0, forbidden
    assert "<script>" in page.locator(".fairnb-Section-title").first.inner_text()
    # JupyterLab's table of contents looks for headings in HTML outputs and loads their pictures on the way,
    # with or without this extension. Everything else that the page could load stays unloaded.
    page.watch.outside = [url for url in page.watch.outside if url != f"{OUTSIDE}/seen.png"]
    page.watch.errors = [said for said in page.watch.errors if f"{OUTSIDE}/seen.png" not in said]
    quiet(page)


def test_measures_are_sorted_and_copied_without_formulas(
    lab: Any, browser: Any, open_lab: Callable[..., Any]
) -> None:
    shown = cell("code", 'case.section("swap")', "one")
    shown["outputs"] = [
        {"output_type": "display_data", "data": {BUNDLE: [hostile_payload()]}, "metadata": {}}
    ]
    write_notebook(lab.root / "copied.ipynb", [shown])
    page = open_lab("copied.ipynb")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".fairnb-Measures > summary")
    values = page.locator(".fairnb-Measures tbody tr td.fairnb-mod-number:nth-child(7)")
    values.first.wait_for()
    assert values.all_inner_texts() == ["0.500", "0.100"]
    header = page.locator(".fairnb-Measures th:has-text('Value')")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert values.all_inner_texts() == ["0.100", "0.500"]
    assert page.locator(".fairnb-Interval").count() == 1
    told = page.locator(".fairnb-Measures [role='status']")
    assert (told.count(), told.inner_text()) == (1, "")
    page.click(".fairnb-Measures button:has-text('Copy as CSV')")
    page.wait_for_selector(".fairnb-Measures [role='status']:text-is('Copied')")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    rows = list(csv.reader(copied.splitlines()))
    assert rows[0][:3] == ["measure", "attribute", "subgroup"]
    assert rows[2][0] == "'=cmd"
    assert serious(page, ".fairnb-Result") == []
    page.wait_for_function("() => document.querySelector('.fairnb-Copied').textContent === ''")
    quiet(page)
