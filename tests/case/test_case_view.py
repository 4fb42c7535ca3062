from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from fairnb.case import load_case
from fairnb.case._view import CaseView
from fairnb.errors import FairnbError
from fairnb.sections import Need, View

SCORER = "def score(texts):\n    return [0.9 if 'silly' in text else 0.1 for text in texts]\n"


@pytest.fixture
def view(make_case: Any) -> CaseView:
    return CaseView(load_case(make_case()), "some_section", "positive")


def live(make_case: Any, extra: str = "") -> CaseView:
    toml = make_case.toml.replace('scores = "score"', 'python = "scorer:score"\nversion = "1"')
    folder = make_case(toml=toml, extra=extra)
    (folder / "scorer.py").write_text(SCORER)
    return CaseView(load_case(folder), "some_section", "")


def test_it_keeps_the_contract(view: CaseView) -> None:
    contract: View = view
    assert contract.seed == 0


def test_labels_and_scores_are_those_of_the_rows(view: CaseView) -> None:
    assert view.labels("test").tolist() == [1, 0, 1, 0, 0, 1]
    assert view.scores("test").tolist() == [0.9, 0.2, 0.4, 0.6, 0.1, 0.8]
    assert set(view.inputs) == {"corpus:test", "scores:test", "target:positive"}


def test_nothing_read_means_no_inputs(view: CaseView) -> None:
    assert view.inputs == {}


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (lambda v: v.target, "target:positive"),
        (lambda v: v.targets, "targets"),
        (lambda v: v.system, "system"),
        (lambda v: v.criteria, "criteria"),
        (lambda v: v.confidence, "confidence"),
        (lambda v: v.lexicon, "lexicon"),
        (lambda v: v.facts["engagement"], "engagement"),
        (lambda v: v.facts["sections"], "sections"),
        (lambda v: v.has(Need.TRAIN_CORPUS), "has:train_corpus"),
        (lambda v: v.corpus("test"), "corpus:test"),
        (lambda v: v.mentions("test"), "mentions:test:lookup"),
        (lambda v: v.redact("You are a silly goose"), "privacy"),
        (lambda v: v.file("test.csv"), "file:test.csv"),
        (lambda v: v.results(["system"]), "result:system"),
        (lambda v: v.results(["data_bias"]), "result:data_bias:positive"),
    ],
)
def test_what_is_read_is_put_down_with_its_digest(view: CaseView, read: Any, name: str) -> None:
    read(view)
    assert set(view.inputs) == {name}
    assert name.startswith("result") or len(view.inputs[name]) == 64


def test_facts_not_looked_at_are_no_inputs(view: CaseView) -> None:
    assert set(view.facts) == {"engagement", "sections", "draft", "case", "shares", "recognition"}
    assert view.inputs == {}


def test_what_the_case_offers_is_known(view: CaseView, make_case: Any) -> None:
    offered = {need for need in Need if need is not Need.SHAP and view.has(need)}
    assert view.has(Need.SHAP) is (find_spec("shap") is not None)
    assert offered == {Need.TEST_CORPUS, Need.MENTIONS, Need.SCORES}
    assert live(make_case).has(Need.LIVE_SYSTEM)


def test_a_live_system_scores_new_texts(make_case: Any) -> None:
    view = live(make_case)
    assert view.predict(["You silly goose", "It rained"]).tolist() == [0.9, 0.1]
    assert set(view.inputs) == {"predictions", "target:positive"}


def test_recorded_scores_score_no_new_text(view: CaseView) -> None:
    with pytest.raises(FairnbError, match="recorded scores"):
        view.predict(["You silly goose"])


def test_only_the_test_corpus_must_have_recorded_scores(make_case: Any) -> None:
    folder = make_case(extra="[corpus.train]\npath = 'train.csv'\n")
    (folder / "train.csv").write_text("text,label\nYou are a silly goose,1\nIt rained,0\n")
    view = CaseView(load_case(folder), "some_section", "positive")
    assert len(view.corpus("train")) == 2
    with pytest.raises(FairnbError) as caught:
        view.scores("train")
    assert caught.value.code == "missing-column"


def test_a_corpus_may_answer_the_target_by_labels_of_its_own(make_case: Any) -> None:
    toml = make_case.toml.replace('path = "test.csv"', 'path = "test.csv"\npositive = [0]')
    view = CaseView(load_case(make_case(toml=toml)), "some_section", "positive")
    assert view.labels("test").tolist() == [0, 1, 0, 1, 1, 0]


def test_labels_of_another_target_can_be_asked_for(make_case: Any) -> None:
    folder = make_case(extra="[targets.a]\npositive = [1]\n[targets.b]\npositive = [0]\n")
    view = CaseView(load_case(folder), "some_section", "a")
    assert view.labels("test", "b").tolist() == [0, 1, 0, 1, 1, 0]
    assert set(view.inputs) == {"corpus:test", "target:b"}


def test_the_tally_counts_rows_groups_and_the_threshold(view: CaseView) -> None:
    tally = view.tally("test")
    assert (tally.n(), tally.support(label=1)) == (6, 3)
    # Labelled 1 and at least 0.5: two; labelled 0 and at least 0.5: one.
    found = tally.confusion(0.5)
    assert (found.tp, found.fp, found.fn, found.tn) == (2, 1, 1, 2)
    assert tally.n("gender/female") == 1
    assert view.tallies == {tally.digest: tally}


def test_equal_texts_keep_their_own_recorded_scores(make_case: Any) -> None:
    rows = [("You are a silly goose", 1, 0.9), ("You are a silly goose", 1, 0.1), ("It rained", 0, 0.2)]
    view = CaseView(load_case(make_case(rows=rows)), "some_section", "positive")
    assert view.scores("test").tolist() == [0.9, 0.1, 0.2]


def test_rows_without_a_score_are_carried_as_such(make_case: Any) -> None:
    rows = [("You are a silly goose", 1, 0.9), ("It snowed", 1, ""), ("It rained", 0, 0.2)]
    view = CaseView(load_case(make_case(rows=rows)), "some_section", "positive")
    assert np.isnan(view.scores("test")).tolist() == [False, True, False]
    tally = view.tally("test")
    assert (tally.n(), tally.unscored()) == (2, 1)


def test_files_are_of_the_case_folder_only(view: CaseView) -> None:
    with pytest.raises(FairnbError, match="leads out"):
        view.file("../secret.txt")
    with pytest.raises(FairnbError, match="no such file"):
        view.file("gone.txt")


def test_texts_are_redacted_as_the_case_says(make_case: Any) -> None:
    text = "Ask @jane_doe at jane@example.org"
    shown = CaseView(load_case(make_case()), "some_section", "positive").redact(text)
    assert "jane" not in shown
    folder = make_case("other", extra='[privacy]\nredact = "withhold"\n')
    first, second = (CaseView(load_case(folder), "some_section", "").redact(text) for _ in range(2))
    assert "Ask" not in first
    # The key of the digest is the case's own and stays.
    assert first == second
    key = folder / ".fairnb" / "redaction.key"
    assert (len(key.read_bytes()), key.stat().st_mode & 0o777) == (32, 0o600)


def test_other_sources_of_mentions_are_refused(view: CaseView) -> None:
    with pytest.raises(FairnbError, match="lookup"):
        view.mentions("test", "guess")


def test_mentions_by_another_source_are_inputs_of_their_own(view: CaseView) -> None:
    pytest.importorskip("spacy")
    assert view.mentions("test", "both").source == "both"
    assert view.mentions("test").source == "lookup"
    assert view.inputs["mentions:test:both"] != view.inputs["mentions:test:lookup"]


def test_a_review_is_an_input(view: CaseView) -> None:
    assert view.reviews() == {}
    assert view.inputs["reviews"] == ""


def test_progress_and_stop_are_passed_through(make_case: Any) -> None:
    told: list[Any] = []
    view = CaseView(
        load_case(make_case()), "s", "", progress=lambda *step: told.append(step), cancelled=lambda: True
    )
    view.progress(1, 2, "texts")
    assert (told, view.cancelled()) == ([(1, 2, "texts")], True)


def test_a_model_is_put_down_with_the_digest_of_its_files(make_case: Any) -> None:
    folder = make_case()
    (folder / "base").mkdir()
    (folder / "base" / "config.json").write_text("{}")
    (folder / "base" / "model.safetensors").write_bytes(b"weights")
    view = CaseView(load_case(folder), "some_section", "positive")
    assert view.model("base").path == (folder / "base").resolve()
    before = view.inputs["model:base"]
    assert len(before) == 64
    (folder / "base" / "model.safetensors").write_bytes(b"other weights")
    assert load_case(folder).current("model:base") not in ("", before)
    with pytest.raises(FairnbError) as error:
        view.model("../elsewhere")
    assert error.value.code == "path-outside"
