"""Letters of many scripts and pictographs on paper: each can be read out of the PDF, or is named there."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
from pathlib import Path

import pytest

from fairnb.report._fonts import font_faces
from fairnb.report._pdf import write_pdf
from fairnb.report._pictographs import named_pictographs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Első Юра 😁 ma’am", "Első Юра 😁 ma’am"),
        ("🚀", "[emoji: rocket]"),
        ("👩🏽\u200d🚀!", "[emoji: woman, emoji modifier fitzpatrick type-4, rocket]!"),
        ("🇮🇹", "[emoji: flag IT]"),
        ("▲ → ≤", "▲ → ≤"),
    ],
)
def test_what_has_no_letter_is_named(text: str, shown: str) -> None:
    page = f'<p title="{text}">{text}</p>'
    assert named_pictographs(page) == f'<p title="{text}">{shown}</p>'


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_letters_and_pictographs_are_found_in_the_pdf(tmp_path: Path) -> None:
    # Case C21: letters, an emoji that a font has, an apostrophe; and one that none has.
    text = "Első Юра 😁 ma’am 🚀"
    body = named_pictographs(f"<p>{text}</p>")
    page = (
        f'<html lang="en"><head><title>letters</title><style>{font_faces([body])} '
        'p {font-family: "IBM Plex Sans", "Noto Sans", "DejaVu Sans"}</style></head>'
        f"<body>{body}</body></html>"
    )
    moment = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    (tmp_path / "page.pdf").write_bytes(write_pdf(page, moment=moment, identifier="0" * 32))
    done = subprocess.run(["pdftotext", str(tmp_path / "page.pdf"), "-"], capture_output=True, check=True)
    found = " ".join(done.stdout.decode().split())
    assert "Első Юра 😁 ma’am [emoji: rocket]" in found
