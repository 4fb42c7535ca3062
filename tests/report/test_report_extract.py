"""What comes out of a document, and evidence out of whatever holds it."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from fairnb.errors import FairnbError
from fairnb.report._extract import extract, read_evidence

NOTEBOOK = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'


@pytest.fixture
def document(kit: Any, tmp_path: Path, make_pdf: Callable[..., bytes]) -> Path:
    path = tmp_path / "audit.pdf"
    path.write_bytes(
        make_pdf(
            {
                "evidence.json": json.dumps(kit.evidence).encode(),
                "assessment.ipynb": NOTEBOOK,
                "assessment.toml": b"[engagement]\n",
                "prüfung.txt": b"notes",
            }
        )
    )
    return path


def test_all_files_of_a_pdf_come_out_as_they_went_in(kit: Any, document: Path, tmp_path: Path) -> None:
    written = extract(document, tmp_path / "out")
    (digest,) = kit.evidence["tallies"]
    assert {path.relative_to(tmp_path / "out").as_posix() for path in written} == {
        "evidence.json",
        "assessment.ipynb",
        "assessment.toml",
        "prüfung.txt",
        f"tallies/{digest}.tally",
    }
    assert json.loads((tmp_path / "out" / "evidence.json").read_bytes()) == kit.evidence
    assert (tmp_path / "out" / "assessment.ipynb").read_bytes() == NOTEBOOK
    tally = (tmp_path / "out" / "tallies" / f"{digest}.tally").read_bytes()
    assert tally == base64.b64decode(kit.evidence["tallies"][digest])


def test_the_evidence_of_an_html_comes_out_as_it_went_in(kit: Any, tmp_path: Path) -> None:
    (tmp_path / "audit.html").write_bytes(kit.html)
    assert (tmp_path / "out" / "evidence.json").resolve() in extract(
        tmp_path / "audit.html", tmp_path / "out"
    )
    assert json.loads((tmp_path / "out" / "evidence.json").read_bytes()) == kit.evidence


def test_other_data_links_of_an_html_come_out_too(
    kit: Any, tmp_path: Path, make_html: Callable[..., bytes]
) -> None:
    more = (
        '<a download="a.csv" href="data:text/csv;charset=utf-8,a%2Cb%0A">table</a>'
        '<a download="b.bin" href="data:application/octet-stream;base64,AAEC">bytes</a>'
        '<a href="https://example.org/">elsewhere</a>'
    )
    (tmp_path / "audit.html").write_bytes(make_html(kit.evidence, more=more))
    extract(tmp_path / "audit.html", tmp_path / "out")
    assert (tmp_path / "out" / "a.csv").read_bytes() == b"a,b\n"
    assert (tmp_path / "out" / "b.bin").read_bytes() == bytes([0, 1, 2])


def test_a_file_that_is_there_is_not_overwritten_unless_asked(document: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "assessment.toml").write_text("mine")
    with pytest.raises(FairnbError) as caught:
        extract(document, tmp_path / "out")
    assert caught.value.code == "file-exists"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["assessment.toml"]
    extract(document, tmp_path / "out", force=True)
    assert (tmp_path / "out" / "assessment.toml").read_text() == "[engagement]\n"


def test_a_document_without_files_says_so(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.save(tmp_path / "a.pdf")
    (tmp_path / "a.html").write_text("<html></html>")
    for name in ("a.pdf", "a.html"):
        with pytest.raises(FairnbError) as caught:
            extract(tmp_path / name, tmp_path / "out")
        assert caught.value.code == "nothing-inside"
        with pytest.raises(FairnbError) as caught:
            read_evidence(tmp_path / name)
        assert caught.value.code == "no-evidence"


def test_a_folder_that_cannot_be_made_is_named(document: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FairnbError) as caught:
        extract(document, tmp_path / "file" / "out")
    assert caught.value.code == "cannot-write"


def test_attachments_packed_otherwise_are_refused_not_guessed(kit: Any, tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        stream = pdf.attachments["evidence.json"].obj.EF.F
        data = stream.read_bytes()
        stream.write(data.hex().encode() + b">", filter=pikepdf.Name.ASCIIHexDecode)
        pdf.save(tmp_path / "a.pdf", compress_streams=False)
    with pytest.raises(FairnbError) as caught:
        extract(tmp_path / "a.pdf", tmp_path / "out")
    assert caught.value.code == "damaged-document"


def test_attachments_that_are_not_packed_come_out(kit: Any, tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.save(
            tmp_path / "a.pdf", compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.all
        )
    assert read_evidence(tmp_path / "a.pdf") == kit.evidence


def test_evidence_is_read_from_whatever_holds_it(kit: Any, document: Path, tmp_path: Path) -> None:
    (tmp_path / "audit.html").write_bytes(kit.html)
    (tmp_path / "evidence.json").write_text(json.dumps(kit.evidence))
    (tmp_path / "bom.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(kit.evidence).encode())
    for place in (
        document,
        tmp_path / "audit.html",
        tmp_path / "evidence.json",
        tmp_path / "bom.json",
        tmp_path,
    ):
        assert read_evidence(place) == kit.evidence


def test_the_kind_of_a_file_is_told_by_its_content_not_its_name(
    kit: Any, document: Path, tmp_path: Path
) -> None:
    renamed = document.rename(tmp_path / "audit.html")
    assert read_evidence(renamed) == kit.evidence


def test_a_notebooks_outputs_are_evidence(kit: Any, tmp_path: Path) -> None:
    bundle = {"text/plain": "x", "application/vnd.fairnb.result+json": kit.evidence["payloads"]}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "source": "# Title", "metadata": {}},
            {
                "cell_type": "code",
                "source": "case.section('data_bias')",
                "metadata": {},
                "execution_count": 1,
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": "x"},
                    {"output_type": "display_data", "data": bundle, "metadata": {}},
                ],
            },
        ],
    }
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    evidence = read_evidence(tmp_path / "a.ipynb")
    assert evidence["payloads"] == kit.evidence["payloads"]
    assert evidence["schema"] == "fairnb.evidence/1"


@pytest.mark.parametrize(
    "text", ['{"nbformat": 4}', '{"nbformat": 4, "cells": 7}', '{"nbformat": 4, "cells": [1]}']
)
def test_a_notebook_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    with pytest.raises(FairnbError) as caught:
        read_evidence(tmp_path / "a.ipynb")
    assert caught.value.code == "not-evidence"


def test_newer_evidence_is_refused_with_the_remedy(kit: Any, tmp_path: Path) -> None:
    (tmp_path / "evidence.json").write_text(json.dumps({**kit.evidence, "schema": "fairnb.evidence/2"}))
    with pytest.raises(FairnbError) as caught:
        read_evidence(tmp_path / "evidence.json")
    assert caught.value.code == "newer-evidence"
    assert "newer fairnb" in caught.value.remedy


def test_an_empty_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        with pytest.raises(FairnbError) as caught:
            read_evidence(place)
        assert caught.value.code == "no-such-file"
