"""Nothing of a document leaves its column on the screen, or its margins on paper: the demonstration's, whole.

The case is that of `fairnb demo` with a packaged system that answers at once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairnb.files import templates

FAST = "alt-profanity-check"
CHROMIUM = os.environ.get("FAIRNB_TEST_CHROMIUM") or shutil.which("chromium")
WIDTHS = (1000, 1280, 1400)
MILLIMETRE = 72 / 25.4
SLACK = 1.0
"""CSS pixels or points that rounding may give; a letter is wider."""
ASCENT = 3.0
"""Points by which a word's box, as high as its font's tallest letters, may stand out of its line."""

OVER = """() => {
  document.querySelectorAll('details').forEach(one => (one.open = true));
  const found = [];
  for (const element of [document.body, ...document.querySelectorAll('body *')]) {
    const place = element.getBoundingClientRect();
    const edge = element === document.body
      ? document.documentElement.clientWidth
      : element.parentElement.getBoundingClientRect().right;
    if (place.width && place.height && place.right > edge + %f) {
      const words = element.textContent.trim().slice(0, 60);
      found.push(`${element.tagName}.${element.className} by ${Math.round(place.right - edge)}: ${words}`);
    }
  }
  return found;
}"""
"""Elements, folded ones opened, that reach beyond the right edge of what they stand in."""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("profanity_check", reason="the extra profanity is not installed")
    from fairnb.case import load_case, new_case

    folder = tmp_path_factory.mktemp("margins") / "case"
    text = (templates("notebooks") / "demo.toml").read_text("utf-8")
    said = tomllib.loads(text)
    (name, target), known = next(iter(said["targets"].items())), said["system"]["use"]
    for asked, answer in ((f'"{known}"', f'"{FAST}"'), (f'["{target["classes"][0]}"]', '["profanity"]')):
        assert text.count(asked) == 1, (name, asked)
        text = text.replace(asked, answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("home")))
        new_case(folder, system=FAST, train="demo-train", test="demo-test")
        (folder / "assessment.toml").write_text(text, "utf-8")
        case = load_case(folder)
        for section in case.sections:
            case.run_all(section)
        made: dict[str, Any] = case.evidence()
    return made


def page(evidence: dict[str, Any], medium: Any) -> str:
    from fairnb.report import build_document
    from fairnb.report._page import render_document

    return render_document(build_document(evidence), medium=medium)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_no_element_runs_over_the_right_edge_of_what_it_stands_in(
    evidence: dict[str, Any], tmp_path: Path
) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    shown = tmp_path / "audit.html"
    shown.write_text(page(evidence, "screen"), "utf-8")
    over = {}
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page()
        opened.goto(shown.as_uri())
        tables = opened.locator("table").count()
        for width in WIDTHS:
            opened.set_viewport_size({"width": width, "height": 900})
            over[width] = opened.evaluate(OVER % SLACK)
        browser.close()
    assert tables > 40
    assert over == {width: [] for width in WIDTHS}


@dataclass(frozen=True)
class Word:
    """A printed word and its place on its page, in points from the left upper corner."""

    page: int
    size: tuple[float, float]
    left: float
    top: float
    right: float
    bottom: float
    text: str


def printed(path: Path) -> Iterator[Word]:
    told = subprocess.run(
        ["pdftotext", "-bbox", str(path), "-"], capture_output=True, check=True
    ).stdout.decode()
    number, size = 0, (0.0, 0.0)
    for found in re.finditer(
        r'<page width="([\d.]+)" height="([\d.]+)">'
        r'|<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>',
        told,
    ):
        width, height, *place, text = found.groups()
        if width:
            number, size = number + 1, (float(width), float(height))
        else:
            left, top, right, bottom = map(float, place)
            yield Word(number, size, left, top, right, bottom, text)


def margins(word: Word) -> tuple[float, float, float]:
    """Margin at either side, above and below, in points; the cover has none above, where its bar begins."""
    if word.size[0] > word.size[1]:
        told = (18, 24, 20)
    elif word.page == 1:
        told = (22, 0, 10)
    else:
        told = (22, 25, 22)
    side, above, below = (part * MILLIMETRE for part in told)
    return side, above, below


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_no_word_is_printed_outside_of_the_margins(evidence: dict[str, Any], tmp_path: Path) -> None:
    weasyprint = pytest.importorskip("weasyprint", reason="the extra pdf is not installed")
    path = tmp_path / "audit.pdf"
    weasyprint.HTML(string=page(evidence, "paper")).write_pdf(path)
    words = list(printed(path))
    assert len({word.page for word in words}) > 30
    aside = []
    running: dict[tuple[int, str], set[float]] = {}
    for word in words:
        side, above, below = margins(word)
        if word.left < side - SLACK or word.right > word.size[0] - side + SLACK:
            aside.append(word)
        # Running titles and page numbers stand in the margins: one line above, one below.
        elif word.bottom < above:
            running.setdefault((word.page, "above"), set()).add(round(word.top))
        elif word.top > word.size[1] - below:
            running.setdefault((word.page, "below"), set()).add(round(word.top))
        elif word.top < above - ASCENT or word.bottom > word.size[1] - below + ASCENT:
            aside.append(word)
    assert aside == []
    assert {where: lines for where, lines in running.items() if len(lines) > 1} == {}
