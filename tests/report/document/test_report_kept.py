"""Pages that are kept: the same case gives the same bytes, and is not laid out twice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from fairnb.report import _export, export


def test_the_same_case_gives_the_same_bytes(case: Path) -> None:
    names = ("audit.html", "audit.pdf", "evidence.json")
    export(case)
    first = {name: (case / name).read_bytes() for name in names}
    # Without those that were kept the pages are laid out once more.
    shutil.rmtree(case / ".fairnb" / "pages")
    export(case)
    assert {name: (case / name).read_bytes() for name in names} == first


def test_pages_that_would_be_the_same_are_not_laid_out_again(
    case: Path, kit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    write = _export.write_pdf
    monkeypatch.setattr(_export, "write_pdf", lambda *a, **k: made.append("pdf") or write(*a, **k))
    export(case)
    first = (case / "audit.pdf").read_bytes()
    (case / "audit.pdf").unlink()
    export(case)
    assert made == ["pdf"]
    assert (case / "audit.pdf").read_bytes() == first
    # A page of another user is laid out anew, however well it is made: it would be signed unread.
    with monkeypatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(case.parent / "another-home"))
        export(case)
    assert made.pop() == "pdf"
    assert made == ["pdf"]
    # A remark in the notebook changes the page; a damaged file is no page.
    for path in (case / ".fairnb" / "pages").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    export(case)
    assert made == ["pdf"] * 2
    assert (case / "audit.pdf").read_bytes() == first
    notebook = case / "assessment.ipynb"
    notebook.write_text(
        notebook.read_text(encoding="utf-8").replace("My remark.", "Another remark."), encoding="utf-8"
    )
    export(case)
    assert made == ["pdf"] * 3
    assert "Another remark." in kit.pdf_text(case / "audit.pdf")


def test_an_export_tells_its_stages_and_leaves_out_what_is_kept(case: Path) -> None:
    told: list[tuple[int, int, str]] = []

    def export_again() -> list[tuple[int, int, str]]:
        told.clear()
        export(case, to=["html", "pdf"], progress=lambda *stage: told.append(stage))
        return told

    assert export_again() == [
        (0, 5, "checking the notebook"),
        (1, 5, "drawing the figures"),
        (2, 5, "writing the HTML page"),
        (3, 5, "writing the PDF"),
        (4, 5, "saving the files"),
        (5, 5, "exported"),
    ]
    assert [done for done, _, _ in export_again()] == [0, 4, 5]
