"""The panel asks the case again what it could not be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browser_steps import LONG, command, ready, settled, write_case

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def test_a_case_that_was_not_asked_while_other_jobs_ran_is_asked_after_them(
    lab: Any, open_lab: Callable[..., Any]
) -> None:
    folder = lab.root / "asking"
    write_case(folder, 'case.section("technical_performance")')
    page = open_lab("asking/assessment.ipynb")
    ready(page)
    command(page, "notebook:run-all-cells")
    settled(page)
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.fulfill(status=429, json={"message": "As many jobs run as may."})
        else:
            route.continue_()

    page.route("**/fairnb/jobs/plan*", answer)
    page.evaluate(
        """async content => {
            const contents = window.jupyterapp.serviceManager.contents;
            await contents.save('asking/rows.csv', { type: 'file', format: 'text', content });
        }""",
        (folder / "rows.csv").read_text("utf-8") + "The choir is late,0,0.1\n",
    )
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", timeout=LONG)
    assert len(asked) == 3
    # The browser itself tells of the two refusals.
    assert all("429" in error for error in page.watch.errors)
