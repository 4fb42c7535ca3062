"""The demonstration corpus: the same everywhere, with exactly what is planted."""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairnb.corpus import CorpusSpec, demo_comments, demo_frame, planted, read_corpus
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.mining import look_up


def digest(comments):
    rows = [[comment.id, comment.text, comment.label, comment.mentions] for comment in comments]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True).encode()).hexdigest()


PINNED = "5443a64980c8100cb277d83d2a5104dfc176943513ed383f7e8304709e147ac7"


def test_the_comments_are_the_same_for_ever():
    # Changes whenever templates or generator do: raise the generator's version with it.
    assert digest(demo_comments()) == PINNED


def test_another_process_with_other_hash_seeds_composes_the_same():
    code = "from fairnb.corpus import demo_comments; print(''.join(c.text for c in demo_comments())[:4000])"
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        env={"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert run.stdout.rstrip("\n") == "".join(comment.text for comment in demo_comments())[:4000].rstrip("\n")


def test_another_seed_gives_other_comments_with_the_same_plan():
    other = demo_comments(1)
    assert digest(other) != digest(demo_comments())
    assert sum(comment.label for comment in other) == sum(comment.label for comment in demo_comments())


@pytest.mark.parametrize(("name", "rows", "positive"), [("demo-train", 2000, 700), ("demo-test", 1000, 350)])
def test_parts_have_the_promised_size_and_base_rate(name, rows, positive):
    corpus = read_corpus(CorpusSpec(use=name), Path(), "train")
    assert len(corpus) == rows
    assert sum(label == 1 for label in corpus.labels) == positive
    assert len(set(corpus.ids)) == rows


def test_the_whole_is_both_parts():
    whole = read_corpus(CorpusSpec(use="demo"), Path(), "train")
    parts = [read_corpus(CorpusSpec(use=f"demo-{part}"), Path(), "train") for part in ("train", "test")]
    assert whole.texts == parts[0].texts + parts[1].texts


@pytest.mark.parametrize("part", ["train", "test"])
def test_planted_shares_hold_by_counting(part):
    for plan in planted():
        mention = (plan["attribute"], plan["name"])
        labels = [
            comment.label
            for comment in demo_comments()
            if comment.part == part and mention in comment.mentions
        ]
        assert len(labels) == plan[part]["rows"], mention
        # Whole rows: the share is met to the nearest one.
        assert abs(sum(labels) - plan[part]["positive"] * len(labels)) <= 0.5, mention


def test_training_part_associates_some_subgroups_and_test_part_none():
    shares = {plan["name"]: (plan["train"]["positive"], plan["test"]["positive"]) for plan in planted()}
    assert shares["gay"][0] == shares["Islam"][0] == 0.5
    assert shares["straight"][0] < shares["Christianity"][0] < 0.35
    assert abs(shares["female"][0] - shares["male"][0]) < 0.03
    assert {test for _, test in shares.values()} == {0.35}


def test_a_look_up_finds_exactly_what_was_planted(tmp_path):
    comments = demo_comments()
    spec = LexiconSpec(attributes=("gender", "religion", "ethnicity", "orientation"))
    mentions = look_up([comment.text for comment in comments], load_lexicon(spec, tmp_path))
    found = mentions.by_subgroup.toarray()
    for column, subgroup in enumerate(mentions.subgroups):
        planted_rows = [subgroup in comment.mentions for comment in comments]
        assert found[:, column].tolist() == planted_rows, subgroup


def test_some_hits_are_there_to_be_suppressed():
    texts = " ".join(comment.text for comment in demo_comments())
    assert "Black Friday" in texts
    assert "White House" in texts


def test_comments_vary_and_carry_what_comments_on_the_web_carry():
    texts = [comment.text for comment in demo_comments()]
    assert len(set(texts)) >= 0.99 * len(texts)
    for pattern in (r"@\w+", r"#\w+", "https?://", "&(amp|quot|#39);", "[\U0001f300-\U0001faff]"):
        share = sum(bool(re.search(pattern, text)) for text in texts) / len(texts)
        assert 0.01 < share < 0.35, pattern


def test_every_slot_is_filled_and_links_lead_nowhere_real():
    for comment in demo_comments():
        assert "{" not in comment.text
        for host in re.findall(r"https?://([^/\s]+)", html.unescape(comment.text)):
            assert host in {"example.org", "example.com", "example.net"}


def test_no_two_equal_texts_disagree():
    assert read_corpus(CorpusSpec(use="demo"), Path(), "train").facts["conflicting_texts"] == 0


def test_the_frame_has_one_row_per_comment():
    frame = demo_frame()
    assert list(frame.columns) == ["id", "text", "label", "part", "mentions"]
    assert len(frame) == 3000
    assert frame["part"].value_counts().to_dict() == {"train": 2000, "test": 1000}
    both = frame[frame["mentions"].str.contains(", ")]
    assert set(both["mentions"]) >= {"gender/female, religion/Islam"}


def test_facts_tell_what_is_planted():
    train = read_corpus(CorpusSpec(use="demo-train"), Path(), "train").facts["planted"]
    assert "gay 50%" in train
    assert (
        "training and the test part" in read_corpus(CorpusSpec(use="demo"), Path(), "train").facts["planted"]
    )
