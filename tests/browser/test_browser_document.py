"""The exported document in a browser: what is hostile in it stays text, and it reads without faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser_steps import serious

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

HOSTILE = (
    "<script>window.taken = 1; alert(1)</script>",
    "<img src=x onerror='window.taken = 2; alert(2)'>",
    "<a href='javascript:alert(3)'>link</a>",
    "<svg onload='alert(4)'></svg>",
    "\u202egnp.exe\u202c",
)
ALL = " ".join(HOSTILE)
CASE = f"""
[engagement]
title = {json.dumps(ALL)}
level = "third-party"
addressee = {json.dumps(ALL)}
independence = {json.dumps(ALL)}
assessor = {{ name = {json.dumps(ALL)}, organisation = {json.dumps(ALL)} }}

[system]
python = "filter:score"
version = {json.dumps(HOSTILE[0])}
classes = ["silly"]

[targets.silly]
classes = ["silly"]

[corpus.test]
path = "rows.csv"

[sections.conclusion]
text = {json.dumps(ALL)}
"""
SYSTEM = '''
def score(texts):
    """Words of the hostile texts weigh, so that explanations name them."""
    return [[min(0.95, 0.2 + 0.3 * ("silly" in text) + 0.3 * ("alert" in text))] for text in texts]
'''
SECTIONS = ("engagement", "system", "technical_performance", "swap", "local_explanation", "conclusion")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML of a case in which whatever a stranger may write is hostile."""
    from fairnb.notebook import execute
    from fairnb.report import export

    folder = tmp_path_factory.mktemp("document") / "case"
    folder.mkdir()
    (folder / "assessment.toml").write_text(CASE, "utf-8")
    (folder / "filter.py").write_text(SYSTEM, "utf-8")
    rows = ["text,label"]
    for number in range(80):
        who = ("woman", "man")[number % 2]
        said = HOSTILE[number % 5].replace('"', '""')
        rows.append(
            f'"The {who} is a {"silly" if number % 3 else "fine"} goose {number} {said}",{int(number % 3 > 0)}'
        )
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", "utf-8")
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "markdown",
            "id": "remark",
            "metadata": {},
            "source": f"{ALL}\n\n[link](javascript:alert(5))",
        }
    ]
    sources = ("import fairnb\ncase = fairnb.open('.')", *(f'case.section("{name}")' for name in SECTIONS))
    for number, source in enumerate(sources):
        cell = {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": source}
        cells.append(cell | {"outputs": [], "execution_count": None})
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "assessment.ipynb").write_text(json.dumps(notebook), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(folder.parent / "home"))
        report = execute(folder)
        assert report.exit_code == 0, report.lines()
        export(folder, to=("html",))
    return folder / "audit.html"


def test_hostile_texts_run_and_load_nothing_in_the_document(exported: Path, browser: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    dialogs: list[str] = []
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    try:
        page.goto(exported.as_uri())
        for details in page.locator("details > summary").all():
            details.click()
        assert page.evaluate("() => window.taken") is None
        assert dialogs == []
        assert errors == []
        assert [url for url in asked if not url.startswith(("data:", exported.as_uri()))] == []
        for forbidden in ("script", "iframe", "form", "[onload]", "[onerror]", "a[href^='javascript']"):
            assert page.locator(forbidden).count() == 0, forbidden
        # Shown all the same: as text, and a bidi character by its name or not at all.
        text = page.inner_text("body")
        assert "<script>window.taken = 1; alert(1)</script>" in text
        assert "\u202e" not in text
        assert serious(page, "body") == []
    finally:
        context.close()
