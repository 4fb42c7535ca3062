"""The PDF: its standards, its pages, what is attached, and that nothing in it is cut."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.report import export
from fairnb.sections import Measure


def test_the_pdf_is_sound_tagged_and_claims_both_standards(case: Path) -> None:
    import pikepdf

    export(case, to=["pdf"])
    checked = subprocess.run(
        ["qpdf", "--check", str(case / "audit.pdf")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    with pikepdf.open(case / "audit.pdf") as pdf:
        assert pdf.Root.MarkInfo.Marked
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        told = pdf.open_metadata()
        assert (told["pdfaid:part"], told["pdfaid:conformance"], told["pdfuaid:part"]) == ("3", "A", "1")
        assert told["dc:title"] == "Assessment of recorded scores"
        listed = [item.objgen for item in pdf.Root.AF]
        assert len(listed) == len(set(listed)) == 3
        assert {str(item.AFRelationship) for item in pdf.Root.AF} == {"/Data", "/Source", "/Supplement"}
    # Neither a hybrid nor a stream of cross-references: strict readers take it.
    assert b"/XRefStm" not in (case / "audit.pdf").read_bytes()


def test_evidence_notebook_and_case_file_are_attached_as_they_are(case: Path, tmp_path: Path) -> None:
    export(case)
    subprocess.run(["pdfdetach", "-saveall", "-o", str(tmp_path), str(case / "audit.pdf")], check=True)
    assert (tmp_path / "evidence.json").read_bytes() == (case / "evidence.json").read_bytes()
    assert (tmp_path / "assessment.toml").read_bytes() == (case / "assessment.toml").read_bytes()
    assert json.loads((tmp_path / "assessment.ipynb").read_bytes())["cells"][-1]["source"] == "My remark."


def test_a_draft_says_so_on_every_page(kit: Any, tmp_path: Path) -> None:
    folder = kit.make_case(tmp_path / "draft", conclusion="")
    report = export(folder, to=["html", "pdf"])
    assert report.status == "draft"
    assert report.draft_reasons == ("sections.conclusion.text is empty",)
    pages = kit.pdf_text(folder / "audit.pdf").split("\f")[:-1]
    assert len(pages) > 5
    assert all("DRAFT" in page for page in pages)
    assert "the assessor’s conclusion" in pages[0]


def test_pages_are_numbered_and_the_contents_name_them(case: Path, kit: Any) -> None:
    export(case, to=["pdf"])
    pages = kit.pdf_text(case / "audit.pdf", "-layout").split("\f")[:-1]
    assert all(f"Page {number} of {len(pages)}" in page for number, page in enumerate(pages[1:], 2))
    contents = next(page for page in pages if page.lstrip().split("\n")[0].strip().endswith("Contents"))
    line = re.search(r"Sign-off +(\d+)", contents)
    assert line is not None
    assert "This document" in pages[int(line[1]) - 1] or "The assessor named" in pages[int(line[1]) - 1]


def test_a_hundred_and_twenty_rows_fourteen_columns_and_long_words_are_whole(
    kit: Any, tmp_path: Path
) -> None:
    long = "".join(chr(ord("a") + i % 26) for i in range(300))
    tables = [
        {"title": "Long", "heads": ["Id", "Text"],
         "rows": [[f"R-{i:03d}", "Első Юра 😁 ma’am αβγ"] for i in range(120)]},
        {"title": "Wide", "heads": [f"Column {i}" for i in range(14)],
         "rows": [[long if i == 3 else f"cell{j}x{i}" for i in range(14)] for j in range(3)]},
        {"title": "Annexed", "heads": ["A"], "rows": [["annexed-cell"]], "annex": True},
    ]  # fmt: skip
    result = kit.sample_result(facts={"statement": f"A word: {long}", "tables": tables})
    place = kit.write(tmp_path / "x.ipynb", kit.notebook([kit.engagement(), kit.sample(result)]))
    export(place, to=["pdf"])
    text = kit.pdf_text(tmp_path / "audit.pdf", "-layout")
    assert all(f"R-{i:03d}" in text for i in range(120))
    heads = [page for page in text.split("\f") if re.search(r"R-\d{3}", page)]
    assert len(heads) > 2
    assert all(re.search(r"^ *Id +Text", page, re.MULTILINE) for page in heads)
    assert all(f"cell{j}x{i}" in text for j in range(3) for i in range(14) if i != 3)
    letters = re.sub(r"\s+", "", kit.pdf_text(tmp_path / "audit.pdf", "-raw"))
    assert letters.count(long) == 5
    assert "Első Юра 😁 ma’am αβγ" in text
    assert "annexed-cell" in text
    fonts = subprocess.run(
        ["pdffonts", str(tmp_path / "audit.pdf")], capture_output=True, text=True, check=True
    )
    rows = fonts.stdout.splitlines()[2:]
    assert all(re.search(r"yes yes yes +\d+ +\d+$", row) for row in rows), fonts.stdout
    assert all(any(family in row for row in rows) for family in ("+IBM-Plex-Sans", "+Source-Serif-4"))


def test_a_heading_stands_on_the_page_of_its_wide_table(kit: Any, tmp_path: Path) -> None:
    measures = tuple(
        Measure(measure="gap", attribute="mentioned", subgroup=f"g{i}", reference="rest", label="negative",
                variant="v", value=0.1, n=50)
        for i in range(3)
    )  # fmt: skip
    heads = [f"Column {i}" for i in range(14)]
    tables = [{"title": "Far", "heads": heads, "rows": [["far-cell"] * 14], "annex": True}]
    result = kit.sample_result(
        measures=measures, candidates=(), findings=(), facts={"statement": "Said.", "tables": tables}
    )
    place = kit.write(tmp_path / "x.ipynb", kit.notebook([kit.engagement(), kit.sample(result)]))
    export(place, to=["pdf"])
    pages = kit.pdf_text(tmp_path / "audit.pdf", "-layout").split("\f")
    (annexed,) = [page for page in pages if re.search(r"^ *M-0001 ", page, re.MULTILINE)]
    assert re.search(r"^ *Who is wrongly flagged +toxic$", annexed, re.MULTILINE)
    (far,) = [page for page in pages if "far-cell" in page]
    assert re.search(r"^ *[A-Z] Further tables$", far, re.MULTILINE)


def test_words_in_figures_can_be_found_in_the_pdf(kit: Any, tmp_path: Path) -> None:
    place = kit.write(tmp_path / "x.ipynb", kit.notebook([kit.engagement(), kit.sample()]))
    export(place, to=["pdf"])
    assert "False positives: supports" in kit.pdf_text(tmp_path / "audit.pdf")


def test_without_pango_the_page_is_written_and_the_packages_are_named(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)

    class Broken:
        def find_spec(self, name: str, *rest: Any) -> None:
            if name == "weasyprint":
                raise OSError("cannot load library 'libpango-1.0-0'")

    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    report = export(case)
    assert [path.name for path in report.paths] == ["audit.html", "evidence.json"]
    assert "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core" in report.warnings[0]
    with pytest.raises(FairnbError, match="libpango"):
        export(case, to=["pdf"])
