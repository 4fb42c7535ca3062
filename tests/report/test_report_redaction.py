"""What an export may show: outputs of the assessor's own code, and texts of results."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from fairnb.report._redaction import redacted_notebook, redacted_payloads

SAID = "write to ada@example.org or @ada_l, or see https://example.org/ada"
HIDDEN = ("ada@example.org", "@ada_l", "https://")


@pytest.fixture
def notebook() -> dict[str, Any]:
    """A remark and a cell of the assessor's own that puts out one text in every way there is."""
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": [f"{SAID}\n", "bread"]},
        {"output_type": "error", "ename": "ValueError", "evalue": SAID, "traceback": ["line 1", SAID]},
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/plain": SAID, "text/html": f"<p>{SAID}</p>", "image/png": "iVBO"},
        },
    ]
    return {
        "cells": [
            {"cell_type": "markdown", "source": "A remark."},
            {"cell_type": "code", "source": "print(text)", "outputs": outputs},
        ]
    }


def test_outputs_of_own_code_are_masked_in_every_place_and_their_markup_is_dropped(
    notebook: dict[str, Any],
) -> None:
    remark, code = redacted_notebook(notebook, "mask")["cells"]
    assert remark == notebook["cells"][0]
    assert code["source"] == "print(text)"
    stream, error, shown = code["outputs"]
    masked = "write to [e-mail] or [handle], or see [link]"
    assert stream["text"] == f"{masked}\nbread"
    assert (error["ename"], error["evalue"], error["traceback"]) == (
        "ValueError",
        masked,
        ["line 1", masked],
    )
    assert shown["data"] == {"text/plain": masked, "image/png": "iVBO"}
    assert not any(part in json.dumps(code) for part in HIDDEN)


def test_where_texts_are_withheld_one_sentence_stands_for_all_outputs(notebook: dict[str, Any]) -> None:
    _, code = redacted_notebook(notebook, "withhold")["cells"]
    (output,) = code["outputs"]
    assert output["output_type"] == "stream"
    assert "withheld" in output["text"]
    assert redacted_notebook(notebook, "none") == notebook


def test_both_texts_of_an_example_are_masked_under_a_digest_of_what_is_left() -> None:
    content = {
        "section": "of another package",
        "result": {"examples": [{"text": SAID, "beside": SAID, "n": 1}]},
    }
    ((changed),) = redacted_payloads([{"content": content, "content_sha256": "0" * 64}], "mask", b"key")
    (example,) = changed["content"]["result"]["examples"]
    masked = "write to [e-mail] or [handle], or see [link]"
    assert example == {"text": masked, "beside": masked, "n": 1}
    plain = json.dumps(changed["content"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert changed["content_sha256"] == hashlib.sha256(plain.encode()).hexdigest()
