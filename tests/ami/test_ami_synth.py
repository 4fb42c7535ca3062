"""The synthetic set and the raw corpus: balance, agreement and what is planted, by counting."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fairnb.ami import (
    generate,
    raw_set,
    read_raw,
    read_synthetic,
    read_terms,
    synthetic_set,
    synthetic_terms,
    term_matches,
)
from fairnb.ami._agreement import Term, agreeing
from fairnb.ami._sentences import sentences_of
from fairnb.cli import main
from fairnb.errors import FairnbError

LANGUAGES = ("it", "en")
language = pytest.mark.parametrize("language", LANGUAGES)

# ---- the synthetic set


@language
def test_each_term_is_as_often_misogynous_as_not_in_each_part(language: str) -> None:
    for rows in synthetic_set(language).values():
        counts = Counter((row.term, row.misogynous) for row in rows)
        assert {term for term, _ in counts} == set(synthetic_terms(language))
        assert len(set(counts.values())) == 1
        labels = Counter(row.misogynous for row in rows)
        assert labels[0] == labels[1]


@language
def test_the_place_of_a_row_tells_nothing_of_its_label_or_template(language: str) -> None:
    for rows in synthetic_set(language).values():
        pairs = list(pairwise(rows))
        # Half of the neighbours have the other label by chance, and few the same template.
        assert 0.4 < sum(one.misogynous != other.misogynous for one, other in pairs) / len(pairs) < 0.6
        assert sum(one.skeleton == other.skeleton for one, other in pairs) / len(pairs) < 0.15


@language
def test_a_sentence_holds_its_own_term_and_no_other_as_the_task_looks_for_them(language: str) -> None:
    terms = synthetic_terms(language)
    for rows in synthetic_set(language).values():
        member = term_matches([row.text for row in rows], terms)
        assert member.sum(axis=1).tolist() == [1] * len(rows)
        assert [terms[place] for place in member.argmax(axis=1)] == [row.term for row in rows]


@language
def test_a_skeleton_has_one_label_and_every_term_once(language: str) -> None:
    for rows in synthetic_set(language).values():
        # n and m in its name: not misogynous, and misogynous.
        assert {row.skeleton.split("-")[1] == "nm"[row.misogynous] for row in rows} == {True}
        for skeleton in {row.skeleton for row in rows}:
            own = [row for row in rows if row.skeleton == skeleton]
            assert len({row.misogynous for row in own}) == 1
            assert sorted(row.term for row in own) == sorted(synthetic_terms(language))


@language
@pytest.mark.parametrize("seed", [0, 7])
def test_no_template_or_text_of_the_training_part_occurs_in_the_test_part(language: str, seed: int) -> None:
    parts = synthetic_set(language, seed)
    assert {row.skeleton for row in parts["train"]} & {row.skeleton for row in parts["test"]} == set()
    assert {row.text for row in parts["train"]} & {row.text for row in parts["test"]} == set()
    assert len(parts["train"]) == len(parts["test"])


@language
def test_the_same_seed_gives_the_same_set_and_another_seed_deals_anew(language: str) -> None:
    assert synthetic_set(language, 3) == synthetic_set(language, 3)
    first, second = ({row.skeleton for row in synthetic_set(language, seed)["test"]} for seed in (3, 4))
    assert first != second


# ---- agreement


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (Term("donna"), ["la donna", "una donna", "della donna", "alla donna"]),
        (Term("amica"), ["l'amica", "un'amica", "dell'amica", "all'amica"]),
        (Term("amiche", "f", plural=True), ["le amiche", "delle amiche", "delle amiche", "alle amiche"]),
        (Term("marito", "m"), ["il marito", "un marito", "del marito", "al marito"]),
        (Term("mariti", "m", plural=True), ["i mariti", "dei mariti", "dei mariti", "ai mariti"]),
        (Term("zio", "m"), ["lo zio", "uno zio", "dello zio", "allo zio"]),
        (
            Term("studenti", "m", plural=True),
            ["gli studenti", "degli studenti", "degli studenti", "agli studenti"],
        ),
        (Term("uomo", "m"), ["l'uomo", "un uomo", "dell'uomo", "all'uomo"]),
        (Term("psicologo", "m"), ["lo psicologo", "uno psicologo", "dello psicologo", "allo psicologo"]),
        (Term("padre", "m"), ["il padre", "un padre", "del padre", "al padre"]),
        (Term("quella lì", "f", bare=True), ["quella lì", "quella lì", "di quella lì", "a quella lì"]),
    ],
)
def test_italian_articles_and_prepositions(term: Term, said: list[str]) -> None:
    assert [agreeing(slot, term, "it") for slot in ("{the}", "{a}", "{of}", "{to}")] == said


def test_adjectives_and_verbs_follow_gender_and_number() -> None:
    sentence = "{The} [è|sono] [stanco|stanca|stanchi|stanche]."
    nouns = [Term("zio", "m"), Term("zia"), Term("zii", "m", plural=True), Term("zie", "f", plural=True)]
    assert [agreeing(sentence, noun, "it") for noun in nouns] == [
        "Lo zio è stanco.",
        "La zia è stanca.",
        "Gli zii sono stanchi.",
        "Le zie sono stanche.",
    ]


def test_english_articles_and_pronouns() -> None:
    sentence = "{A} [says|say] [he|she|they|they] saw {the}."
    assert agreeing(sentence, Term("aunt"), "en") == "An aunt says she saw the aunt."
    assert agreeing(sentence, Term("men", "m", plural=True), "en") == "Some men say they saw the men."


@pytest.mark.parametrize("sentence", ["{The} {unknown}", "[one|two|three]", "[one]"])
def test_a_sentence_that_cannot_be_filled_is_told(sentence: str) -> None:
    with pytest.raises(FairnbError) as caught:
        agreeing(sentence, Term("zia"), "it")
    assert caught.value.code == "bad-sentence"


# What must stand before a noun, written apart from the code: feminine nouns, by first letter and number.
BEFORE = {
    ("vowel", False): r"(?:\bl'|\bun'|\b(?:de|a)ll')",
    ("vowel", True): r"\b(?:le|delle|alle) ",
    ("consonant", False): r"\b(?:la|una|della|alla) ",
    ("consonant", True): r"\b(?:le|delle|alle) ",
}
SINGULAR = re.compile(r"\b(?:è|ha|sa|non capisce|parla|lavora|deve|dovrebbe|va|merita|legge|ripara|parte)\b")
PLURAL = re.compile(
    r"\b(?:sono|hanno|sanno|capiscono|parlano|lavorano|devono|dovrebbero|vanno|meritano|leggono)\b"
)


def plural(term: str) -> bool:
    return any(pair[1].text == term for pair in sentences_of("it").terms)


def test_every_italian_sentence_has_the_article_that_its_noun_takes() -> None:
    for rows in synthetic_set("it").values():
        for row in rows:
            kind = "vowel" if row.term[0] in "aeiou" else "consonant"
            pattern = BEFORE[kind, plural(row.term)] + rf"{row.term}\b"
            assert re.search(pattern, row.text, re.IGNORECASE), row.text


def test_verbs_and_adjectives_stand_in_the_number_of_the_noun() -> None:
    """Sentences that begin with the noun: the verb's number is the noun's."""
    checked = 0
    for rows in synthetic_set("it").values():
        for row in rows:
            subject = re.match(rf"(?:la |le |l'){row.term} (?:non )?(\w+)", row.text, re.IGNORECASE)
            if not subject:
                continue
            verb = subject[1]
            if SINGULAR.fullmatch(verb) or PLURAL.fullmatch(verb):
                assert bool(PLURAL.fullmatch(verb)) == plural(row.term), row.text
                checked += 1
            wrong = r"\b(?:stanco|contento|arrivato|zitto|emotivo|adatto|stato)\b"
            assert not re.search(wrong, row.text), row.text
    assert checked > 300


@language
def test_no_slot_or_bracket_is_left_in_any_sentence(language: str) -> None:
    texts = [row.text for rows in synthetic_set(language).values() for row in rows]
    texts += [post.text for post in raw_set(language, "test", 1000)]
    assert [text for text in texts if set(text) & set("{}[]|")] == []
    assert all(text == text.strip() and "\t" not in text and "\n" not in text for text in texts)


# ---- the raw corpus


@language
@pytest.mark.parametrize("part", ["train", "test"])
def test_the_planted_shares_hold_exactly(language: str, part: Any) -> None:
    posts = raw_set(language, part, 3000)
    sentences = sentences_of(language)
    assert len(posts) == 3000
    assert sum(post.misogynous for post in posts) == 1500
    assert sum(post.aggressiveness for post in posts) == 600
    assert all(post.misogynous for post in posts if post.aggressiveness)
    for (one, _), share in zip(sentences.terms, sentences.planted, strict=True):
        own = [post.misogynous for post in posts if post.term == one.text]
        assert len(own) == 140  # 3000 x 0.56 / 12
        assert sum(own) == round(140 * share)


@language
def test_a_raw_text_mentions_the_term_it_was_composed_for_and_no_other(language: str) -> None:
    terms = sentences_of(language).terms
    posts = raw_set(language, "train", 1200)
    member = term_matches([post.text for post in posts], [term.text for pair in terms for term in pair])
    found = [{terms[place // 2][0].text for place, held in enumerate(row) if held} for row in member.tolist()]
    assert found == [{post.term} if post.term else set() for post in posts]


@language
def test_half_of_the_terms_are_over_represented_in_misogynous_texts(language: str) -> None:
    posts = raw_set(language, "train", 3000)
    shares = Counter(post.term for post in posts if post.misogynous)
    often = [term for term in {post.term for post in posts} - {""} if shares[term] / 140 > 0.9]
    seldom = [term for term in {post.term for post in posts} - {""} if shares[term] / 140 < 0.25]
    assert (len(often), len(seldom)) == (6, 6)


@language
def test_the_same_seed_gives_the_same_texts_and_parts_differ(language: str) -> None:
    assert raw_set(language, "train", 600, 1) == raw_set(language, "train", 600, 1)
    first, second = ({post.text for post in raw_set(language, "train", 600, seed)} for seed in (1, 2))
    assert len(first & second) < 0.25 * 600
    assert len({post.id for part in ("train", "test") for post in raw_set(language, part, 600)}) == 1200  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [0, 239, 60_001])
def test_too_few_or_too_many_raw_texts_are_refused(rows: int) -> None:
    with pytest.raises(FairnbError) as caught:
        raw_set("it", "train", rows)
    assert caught.value.code == "bad-rows"


# ---- files


@language
def test_files_are_of_the_task_s_form(tmp_path: Path, language: str) -> None:
    paths = generate(tmp_path / "data", language, rows=720)
    assert {path.name for path in (tmp_path / "data").iterdir()} == {
        "terms.txt", "synthetic_train.tsv", "synthetic_test.tsv", "raw_train.tsv", "raw_test.tsv"
    }  # fmt: skip
    assert paths["raw_train"].read_text("utf-8").splitlines()[0] == "id\ttext\tmisogynous\taggressiveness"
    assert paths["synthetic_test"].read_text("utf-8").splitlines()[0].startswith("id\ttext\tmisogynous")
    assert len(read_raw(paths["raw_train"]).ids) == 720
    assert len(read_raw(paths["raw_test"]).ids) == 240
    synthetic = read_synthetic(paths["synthetic_test"])
    assert synthetic.skeletons == tuple(row.skeleton for row in synthetic_set(language)["test"])
    assert read_terms(paths["terms"]) == synthetic_terms(language)


def test_files_are_the_same_bytes_by_seed_and_differ_by_another(tmp_path: Path) -> None:
    first, again, other = (
        generate(tmp_path / name, "it", seed=seed) for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    for name in first:
        assert first[name].read_bytes() == again[name].read_bytes()
    assert first["synthetic_test"].read_bytes() != other["synthetic_test"].read_bytes()


def test_a_file_with_other_contents_is_not_overwritten(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "synthetic_test.tsv").write_text("mine", "utf-8")
    assert main(["ami", "synth", str(tmp_path)]) == 2
    assert "[file-exists]" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["synthetic_test.tsv"]
    assert (tmp_path / "synthetic_test.tsv").read_text("utf-8") == "mine"


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "terms.txt").mkdir()
    assert main(["ami", "synth", str(tmp_path)]) == 2
    assert "terms.txt: " in (told := capsys.readouterr().err)
    assert "[file-exists]" in told


def test_the_command_writes_the_set_and_again_the_same(tmp_path: Path, capsys: Any) -> None:
    command = ["ami", "synth", str(tmp_path), "--language", "en", "--rows", "720", "--json"]
    assert main(command) == 0
    assert '"raw_train"' in capsys.readouterr().out
    assert main(command) == 0
    assert main(["ami", "synth", str(tmp_path / "small"), "--rows", "10"]) == 2
    assert not (tmp_path / "small").exists()


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(FairnbError, match="it, en") as caught:
        synthetic_set("fr")
    assert caught.value.code == "unknown-language"
