"""Reading pairs, and what their sentences share."""

from __future__ import annotations

import difflib
import json
import random
from pathlib import Path

import pytest

from fairnb.errors import FairnbError
from fairnb.masked_lm import Pair, narrowed, one_word, read_pairs, shared_positions

HEAD = "sent_more,sent_less,stereo_antistereo,bias_type,anon_writer\n"


def write(folder: Path, text: str) -> Path:
    file = folder / "pairs.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_pairs_are_read_with_direction_type_and_author(tmp_path: Path) -> None:
    text = (
        f"{HEAD}Tall cats sleep.,Short cats sleep.,stereo,height,a1\nAn old hat.,A new hat.,antistereo,age,\n"
    )
    read = read_pairs(write(tmp_path, text))
    assert read.pairs[0] == Pair("0", "Tall cats sleep.", "Short cats sleep.", "stereo", "height", "a1")
    assert [pair.direction for pair in read.pairs] == ["stereo", "antistereo"]
    assert not read.authored
    assert read.name == "pairs.csv"
    assert len(read.digest) == 64


def test_the_form_with_masked_words_is_read_as_pairs(tmp_path: Path) -> None:
    text = 'id,bias_type,sentence,mask1,mask2\n7,height,"[MASK] cats sleep.",Tall,Short\n'
    (pair,) = read_pairs(write(tmp_path, text)).pairs
    assert pair == Pair("7", "Tall cats sleep.", "Short cats sleep.", "", "height")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a,b\n1,2\n", "missing-column", "pairs.csv"),
        ("", "missing-column", "pairs.csv"),
        (HEAD, "no-pairs", "pairs.csv"),
        (f"{HEAD}One cat.,A cat.,sideways,height,\n", "unknown-direction", "line 2"),
        (f"{HEAD}One cat.,A cat.,stereo,height,\n, ,stereo,height,\n", "empty-text", "line 3"),
        ("sentence,mask1,mask2\nno blank,a,b\n", "no-mask", "line 2"),
        (f'{HEAD}"open,b,stereo,x,y\n', "not-csv", "pairs.csv"),
        ("sent_more,sent_less\nThe tall cook, he said.,The short cook.\n", "not-csv", "line 2"),
        ("sent_more,sent_more,sent_less\nOne cat.,No cat.,A cat.\n", "duplicate-column", "pairs.csv"),
        ("id,sent_more,sent_less\n7,One.,A.\n8,One.,A.\n7,Two.,B.\n", "duplicate-id", "line 4"),
        ("sentence,mask1,mask2\nThe [MASK] cook.,,short\n", "empty-text", "line 2"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence_with_its_place(
    tmp_path: Path, text: str, code: str, place: str
) -> None:
    with pytest.raises(FairnbError) as error:
        read_pairs(write(tmp_path, text))
    assert error.value.code == code
    assert place in error.value.where


def test_a_missing_file_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(FairnbError) as error:
        read_pairs(tmp_path / "none.csv")
    assert error.value.code == "missing-file"
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FairnbError) as error:
        read_pairs(tmp_path / "bytes.csv")
    assert error.value.code == "not-utf8"


def test_shared_tokens_are_those_of_the_published_script(vectors: Path) -> None:
    held = json.loads((vectors / "crows_pairs.json").read_text("utf-8"))
    shared = shared_positions(held["sent1_ids"], held["sent2_ids"])
    assert list(shared.first) == held["shared1"]
    assert list(shared.second) == held["shared2"]
    assert list(shared.masked.first) == held["masked1"]
    assert list(shared.masked.second) == held["masked2"]


def with_junk_rule(first: list[int], second: list[int]) -> list[int]:
    """Positions as the script finds them: on strings, with difflib's defaults."""
    matcher = difflib.SequenceMatcher(None, list(map(str, first)), list(map(str, second)))
    return [
        at for kind, start, end, *_ in matcher.get_opcodes() if kind == "equal" for at in range(start, end)
    ]


def test_below_200_tokens_the_junk_rule_makes_no_difference() -> None:
    draw = random.Random(3)
    for _ in range(200):
        first = [draw.randrange(30) for _ in range(draw.randrange(2, 60))]
        second = [token if draw.random() < 0.8 else draw.randrange(30) for token in first]
        assert list(shared_positions(first, second).first) == with_junk_rule(first, second)


def test_from_200_tokens_on_frequent_tokens_are_still_shared() -> None:
    first = [101, *[7, 8] * 105, 500, 7, 8, 501, 102]
    second = [101, *[7, 8] * 105, 600, 7, 8, 601, 102]
    assert len(shared_positions(first, second).first) == len(first) - 2
    assert len(with_junk_rule(first, second)) == len(first) - 4


@pytest.mark.parametrize(
    ("more", "less", "cut"),
    [
        ("Tall cats  sleep.", "Short cats sleep.", ("", "Tall", "Short", " cats sleep.")),
        ("I met Ann.", "I met Bo.", ("I met ", "Ann.", "Bo.", "")),
    ],
)
def test_a_pair_is_cut_open_at_its_one_word(more: str, less: str, cut: tuple[str, ...]) -> None:
    assert one_word(Pair("1", more, less, "", "")) == cut


@pytest.mark.parametrize(
    ("more", "less"),
    [("A b c.", "A b."), ("A b c.", "X b d."), ("A b.", "A b.")],
)
def test_pairs_that_differ_otherwise_are_not_cut(more: str, less: str) -> None:
    assert one_word(Pair("1", more, less, "", "")) is None


@pytest.mark.parametrize(
    ("more", "less", "cores"),
    [
        ("Muslims,", "Christians,", ("Muslims", "Christians")),
        ("mother-in-law's", "father-in-law's", ("mother", "father")),
        ("(tall", "(short", ("tall", "short")),
        ("African-American", "Afro-American", ("African", "Afro")),
        ("anti-old", "anti-young", ("old", "young")),
        ("old,", "young.", ("old,", "young.")),
        ("a-b", "a-b-b", ("b", "b-b")),
    ],
)
def test_marks_that_both_words_carry_belong_to_the_sentence(
    more: str, less: str, cores: tuple[str, str]
) -> None:
    cut = one_word(Pair("1", f"so {more} it is", f"so {less} it is", "", ""))
    assert cut is not None
    inner = narrowed(cut)
    assert (inner.more, inner.less) == cores
    assert f"{inner.before}{inner.more}{inner.after}" == f"so {more} it is"
    assert f"{inner.before}{inner.less}{inner.after}" == f"so {less} it is"
