"""Known corpora: counts of the paper, a split that no library moves, and what a report must say."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest

from fairnb.corpus import CorpusSpec, answers, corpus_digest, read_corpus
from fairnb.corpus._madlibs import skeleton
from fairnb.corpus._paper import rows_for_test
from fairnb.errors import FairnbError
from fairnb.files import data_folder
from fairnb.registry import fetch, known


def read(name, role="train", **keys):
    return read_corpus(CorpusSpec(use=name), Path(), role, **keys)


@pytest.fixture
def fetched_paper(real_data):
    fetch("paper", source=real_data)
    return real_data


def test_davidson_is_read_row_by_row_though_texts_hold_line_breaks(fetched_paper):
    corpus = read("davidson")
    # Counted with other tools: 24,783 rows on 26,954 lines; 917 tweets hold line breaks.
    assert len(corpus) == 24783
    assert corpus.facts["labels"] == {"1": 19190, "2": 4163, "0": 1430}
    assert corpus.facts["rows_over_several_lines"] == 917
    assert sum("\n" in text for text in corpus.texts) == 917
    assert sum("@" in text for text in corpus.texts) >= 14226
    assert corpus.where(24782).startswith("labeled_data.csv, line ")
    assert corpus.lines[-1] <= 26954


def test_davidsons_texts_are_those_that_pythons_own_reader_gives(fetched_paper):
    with (fetched_paper / "davidson" / "labeled_data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    corpus = read("davidson")
    assert list(corpus.texts) == [row["tweet"] for row in rows]
    assert list(corpus.ids) == [row[""] for row in rows]


def test_olid_has_as_many_rows_as_lines_though_quotes_stand_alone(fetched_paper):
    corpus = read("olid")
    lines = (fetched_paper / "olid" / "olid-training-v1.0.tsv").read_bytes().count(b"\n")
    assert len(corpus) == lines - 1 == 13240
    assert corpus.facts["labels"] == {"NOT": 8840, "OFF": 4400}


def test_the_paper_is_davidson_then_olid_with_one_question(fetched_paper):
    paper, davidson, olid = read("paper"), read("davidson"), read("olid")
    assert paper.texts == davidson.texts + olid.texts
    yes = [*(answers(davidson, [0, 1], [2])), *(answers(olid, ["OFF"], ["NOT"]))]
    assert list(paper.labels) == yes
    assert paper.facts["labels"] == {"1": 25020, "0": 13003}
    assert paper.ids[0] == f"davidson:{davidson.ids[0]}"
    assert paper.ids[-1] == f"olid:{olid.ids[-1]}"
    assert len(set(paper.ids)) == len(paper) == 38023


def test_the_split_has_the_papers_class_counts_and_loses_no_row(fetched_paper):
    train, test, paper = read("paper-train"), read("paper-test", "test"), read("paper")
    assert train.facts["labels"] == {"1": 22518, "0": 11702}
    assert test.facts["labels"] == {"1": 2502, "0": 1301}
    assert set(train.ids) | set(test.ids) == set(paper.ids)
    assert not set(train.ids) & set(test.ids)
    by_id = dict(zip(paper.ids, zip(paper.texts, paper.labels, strict=True), strict=True))
    for part in (train, test):
        assert all(
            by_id[one] == (text, label)
            for one, text, label in zip(part.ids, part.texts, part.labels, strict=True)
        )


def test_the_split_is_by_digest_of_seed_source_and_row_within_each_class():
    labels = [1] * 3000 + [0] * 2000
    sources = [("davidson", 3500), ("olid", 1500)]
    keys = [f"0\tdavidson\t{row}" for row in range(3500)] + [f"0\tolid\t{row}" for row in range(1500)]
    order = [hashlib.sha256(key.encode("utf-8")).hexdigest() for key in keys]
    expected = set(sorted(range(3000), key=order.__getitem__)[:2502])
    expected |= set(sorted(range(3000, 5000), key=order.__getitem__)[:1301])
    assert rows_for_test(sources, labels) == expected
    assert rows_for_test(sources, labels, seed=1) != expected


def test_the_same_rows_are_in_the_test_part_for_ever(fetched_paper):
    # A change of this digest moves the split under everybody's stored results.
    ids = "\n".join(read("paper-test", "test").ids)
    assert hashlib.sha256(ids.encode()).hexdigest() == SPLIT


SPLIT = "bd0910582eecb691d7aa43c7e400875aa745895dbedb13e87932be92fbc1e1f5"


def test_madlibs_are_clustered_by_what_stays_when_the_term_changes(real_data):
    fetch("jigsaw-madlibs", source=real_data)
    corpus = read("jigsaw-madlibs", "synthetic")
    assert corpus.facts["labels"] == {"BAD": 38282, "NOT_BAD": 38282}
    assert corpus.clusters is not None
    # 8 verbs, "i am" and "i hate", 32 adjectives after "being" and 32 after "you are" (shared with the
    # occupations), and 45 names with 32 adjectives.
    assert len(set(corpus.clusters)) == 8 + 2 + 32 + 32 + 45 * 32
    by_cluster: dict[str, set[int | str | None]] = {}
    for cluster, label in zip(corpus.clusters, corpus.labels, strict=True):
        by_cluster.setdefault(cluster, set()).add(label)
    assert all(len(labels) == 1 for labels in by_cluster.values())


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("i am left-handed", "i am _"),
        ("Being tall is fun.", "Being _ is fun."),
        ("You are a kind coal miner", "You are a kind _"),
        ("Kim is a kind web designer", "Kim is a kind _"),
        ("admire gardeners", "admire _"),
        ("honk", "honk"),
    ],
)
def test_a_skeleton_keeps_all_but_the_term(sentence, kept):
    assert skeleton(sentence) == kept


@pytest.mark.parametrize("name", ["davidson", "olid", "paper-test", "jigsaw-madlibs", "demo-train"])
def test_facts_say_licence_source_and_what_positive_means(name, real_data):
    if not known(name).generated:
        fetch(name, source=real_data)
    facts = read(name).facts
    thing = known(name)
    assert facts["licence"] == thing.licence
    assert facts["positive_means"] == thing.positive_means
    assert facts["positive_labels"] == list(thing.positive)
    for label, rows in thing.classes:
        assert facts["labels"][label] == rows


@pytest.mark.parametrize("name", ["paper-test", "demo-test"])
def test_the_digest_is_known_without_reading(name, real_data):
    if not known(name).generated:
        fetch(name, source=real_data)
    assert corpus_digest(CorpusSpec(use=name), Path()) == read(name).digest
    assert read(name).languages == ("en",) * len(read(name))


def test_train_and_test_part_have_digests_of_their_own():
    digests = {corpus_digest(CorpusSpec(use=name), Path()) for name in ("demo", "demo-train", "demo-test")}
    assert len(digests) == 3


def test_what_is_not_fetched_is_named_with_the_line_to_type():
    for call in (lambda: read("paper-train"), lambda: corpus_digest(CorpusSpec(use="paper-train"), Path())):
        with pytest.raises(FairnbError, match="fairnb data fetch paper-train --from") as caught:
            call()
        assert caught.value.code == "not-fetched"


def test_a_changed_copy_is_never_read(fetched_paper):
    path = data_folder() / "olid" / "olid-training-v1.0.tsv"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"OFF", b"NOT", 1))
    with pytest.raises(FairnbError) as caught:
        read("olid")
    assert caught.value.code == "not-fetched"


@pytest.mark.parametrize("name", ["crows-pairs", "toxic-comment-classifier", "glove-6b-50d"])
def test_what_holds_no_labelled_texts_is_no_corpus(name):
    with pytest.raises(FairnbError) as caught:
        read(name)
    assert caught.value.code == "not-a-corpus"


def test_a_misspelt_known_corpus_is_answered_with_the_nearest():
    with pytest.raises(FairnbError, match="did you mean 'demo-train'"):
        read("demo-tran")


def test_columns_of_a_known_file_can_be_kept_and_derived_ones_have_none(fetched_paper):
    counts = read("davidson", columns=["count"]).recorded["count"]
    assert all(isinstance(count, float) and count >= 3 for count in counts)
    for name in ("paper", "demo"):
        with pytest.raises(FairnbError) as caught:
            read(name, columns=["score"])
        assert caught.value.code == "missing-column"
