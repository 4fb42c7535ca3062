import json
import textwrap
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import fairnb.lexicon
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.lexicon import LexiconSpec, Matcher, load_lexicon, word_groups

EVERYTHING = ("gender", "religion", "ethnicity", "orientation", "gender_identity", "ideology")


def lexicon(folder: Path = Path(), **spec: Any) -> Any:
    return load_lexicon(LexiconSpec(**spec), folder)


@pytest.fixture(scope="module")
def appendix_d() -> dict[str, Any]:
    path = Path(__file__).parent.parent / "vectors" / "appendix_d.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


# ---- Appendix D


def test_appendix_d_as_printed_is_letter_for_letter(appendix_d: dict[str, Any]) -> None:
    printed = {
        s.casefold(): list(w) for groups in word_groups("as printed").values() for s, w in groups.items()
    }
    expected = {name.casefold(): words for name, words in appendix_d["seed_literal"].items()}
    assert printed == expected
    assert {s: len(w) for s, w in printed.items()} == {
        name.casefold(): count for name, count in appendix_d["counts_seed"].items()
    }


def test_appendix_d_without_repetitions(appendix_d: dict[str, Any]) -> None:
    unique = {
        s.casefold(): len(set(w)) for groups in word_groups("as printed").values() for s, w in groups.items()
    }
    assert unique == {name.casefold(): count for name, count in appendix_d["counts_unique"].items()}


def test_appendix_d_corrected_has_each_word_once_spelt_right(appendix_d: dict[str, Any]) -> None:
    corrected = word_groups("corrected")
    for attribute, groups in appendix_d["embedding_lists"].items():
        if attribute == "note":
            continue
        ours = {name.casefold(): set(words) for name, words in corrected[attribute].items()}
        assert ours == {name.casefold(): set(words) for name, words in groups.items()}
        assert all(len(words) == len(set(words)) for words in corrected[attribute].values())


def test_pairs_stand_index_by_index_as_printed_with_their_corrections(appendix_d: dict[str, Any]) -> None:
    pairs = lexicon().pairs
    expected = appendix_d["gender_pairs"]
    assert [(p.first, p.second) for p in pairs[: len(expected)]] == [
        (e["male"], e["female"]) for e in expected
    ]
    for pair, entry in zip(pairs, expected, strict=False):
        assert pair.attribute == "gender"
        assert (pair.first_subgroup, pair.second_subgroup) == ("male", "female")
        assert bool(pair.correction) is bool(entry["corrections"])
        assert pair.source


def test_pairs_added_are_those_that_appendix_d_misses(appendix_d: dict[str, Any]) -> None:
    added = {(p.first, p.second) for p in lexicon().pairs[len(appendix_d["gender_pairs"]) :]}
    assert added == {
        ("policemen", "policewomen"),
        ("boyfriend", "girlfriend"),
        ("boyfriends", "girlfriends"),
        ("grandpa", "grandma"),
        ("grandpas", "grandmas"),
        ("dad", "mum"),
        ("dads", "mums"),
        ("his", "hers"),
    }


def test_each_word_has_one_counterpart_each_way_and_the_chosen_one(appendix_d: dict[str, Any]) -> None:
    defaults = appendix_d["swap_defaults"]
    forward: dict[str, list[str]] = {}
    backward: dict[str, list[str]] = {}
    for pair in lexicon().pairs:
        if pair.swap in ("both", "forward"):
            forward.setdefault(pair.first, []).append(pair.second)
        if pair.swap in ("both", "backward"):
            backward.setdefault(pair.second, []).append(pair.first)
    # Which of two counterparts `his` and `her` have depends on the part of speech.
    assert {word for word, found in forward.items() if len(found) > 1} == {"his"}
    assert {word for word, found in backward.items() if len(found) > 1} == {"her"}
    for word, chosen in defaults["male_to_female_choice"].items():
        assert forward[word] == [chosen]
    for word, chosen in defaults["female_to_male_choice"].items():
        if not chosen.startswith("BY_POS"):
            assert backward[word] == [chosen]
    for word in defaults["exclude_from_swapping"]:
        assert word not in forward
        assert word not in backward


# ---- Table 4


def test_identity_terms_are_those_of_table_4(vectors: Path) -> None:
    table = json.loads((vectors / "identity_terms_table4.json").read_text(encoding="utf-8"))
    for edition in ("corrected", "as printed"):
        entries = lexicon(edition=edition, attributes=EVERYTHING)
        assert [e.term for e in entries.identity_terms] == [t["term"] for t in table["terms"]]
        for entry in entries.identity_terms:
            held = entries.attributes[entry.attribute].get(entry.subgroup, ())
            if edition == "corrected" or entry.attribute not in ("gender", "religion", "ethnicity"):
                assert entry.term in held


# ---- the corrected lexicon


def test_what_the_corrected_lexicon_leaves_out_is_listed_with_its_reason(appendix_d: dict[str, Any]) -> None:
    whole = lexicon(attributes=EVERYTHING)
    printed = lexicon(attributes=("gender", "religion", "ethnicity"), edition="as printed")
    listed = {(e.attribute, e.subgroup, e.term) for e in whole.excluded}
    assert all(e.reason for e in whole.excluded)
    misspelt = set(appendix_d["problems"]["misspelt"])
    for attribute, groups in printed.attributes.items():
        for subgroup, terms in groups.items():
            for term in set(terms) - misspelt:
                looked_up = term in whole.attributes[attribute].get(subgroup, ())
                assert looked_up is ((attribute, subgroup, term) not in listed), term
    assert printed.excluded == ()


def test_ambiguous_words_count_as_printed_and_not_by_default() -> None:
    printed = lexicon(edition="as printed")
    corrected = lexicon()
    for term in ("god", "host", "master", "governor", "lord"):
        assert term in printed.attributes["gender"]["male"]
        assert term not in corrected.attributes["gender"]["male"]
    assert "miss" in printed.attributes["gender"]["female"]
    assert "miss" not in corrected.attributes["gender"]["female"]
    assert "jackson" in printed.attributes["ethnicity"]["White"]
    assert "jackson" not in corrected.vocabulary


def test_data_of_the_packaged_lexicon_is_consistent() -> None:
    raw = tomllib.loads(files("fairnb.lexicon").joinpath("data", "en.toml").read_text(encoding="utf-8"))
    whole = lexicon(attributes=EVERYTHING)
    printed = lexicon(edition="as printed")
    known = set(whole.vocabulary) | set(printed.vocabulary)
    assert len(whole.excluded) == sum(len(table["terms"]) for table in raw["exclude"])
    for stop in whole.stop_phrases:
        assert set(stop.terms) <= known, stop
        hits = Matcher(stop.terms).find([stop.phrase])
        assert len(hits), f"no term of {stop} is in its phrase"
    pairs = [(stop.phrase, term) for stop in whole.stop_phrases for term in stop.terms]
    assert len(pairs) == len(set(pairs))
    assert all(term == term.casefold().strip() for term in whole.vocabulary)


@pytest.mark.parametrize(
    "text",
    [
        "Black Friday at the White House",
        "BLACK MARKET, black-market and #black_market",
        "They read the white paper about black magic",
        "I miss you",
        "a humane turkey sandwich",
        "Oh my God, the host governs",
        "you guys are the best",
        "a film with Christian Dior and Jack Black",
        "hello @mike_white and @she_said",
        "see https://example.org/white/women",
    ],
)
def test_everyday_uses_are_no_mention(text: str) -> None:
    whole = lexicon(attributes=EVERYTHING)
    hits = Matcher(whole.vocabulary, "default", whole.stop_phrases).find([text])
    assert not hits.counting.any()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("the gay couple next door baked bread", "gay"),
        ("a white man at the White House", "white"),
        ("Muslims and Christians met", "muslim"),
        ("Mr Smith", "mr."),
        ("straight people", "straight people"),
    ],
)
def test_mentions_are_found(text: str, term: str) -> None:
    whole = lexicon(attributes=EVERYTHING)
    hits = Matcher(whole.vocabulary, "default", whole.stop_phrases).find([text])
    assert term in {whole.vocabulary[t] for t in hits.term[hits.counting]}


# ---- the case file's table


def test_default_attributes_and_references() -> None:
    whole = lexicon()
    assert list(whole.attributes) == ["gender", "religion", "ethnicity"]
    assert dict(whole.reference) == {"gender": "male", "religion": "Christianity"}
    assert whole.languages == ("en",)
    assert set(whole.attributes["gender"]) == {"female", "male"}
    assert {"Islam", "Christianity"} <= set(whole.attributes["religion"])
    assert lexicon(attributes=["orientation"]).reference == {}


def test_one_path_may_be_given_without_a_list() -> None:
    assert LexiconSpec.model_validate({"path": "own.toml"}).path == ("own.toml",)


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValidationError):
        LexiconSpec.model_validate({"language": "en"})
    with pytest.raises(ValidationError):
        LexiconSpec.model_validate({"rule": "regex"})


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ({"languages": ["xx"]}, "unknown-language", "xx"),
        ({"attributes": ["sex"]}, "unknown-attribute", "gender"),
        ({"reference": {"gender": "men"}}, "unknown-subgroup", "female"),
    ],
)
def test_wrong_choices_name_what_there_is(spec: dict[str, Any], code: str, said: str) -> None:
    with pytest.raises(FairnbError) as caught:
        lexicon(**spec)
    assert caught.value.code == code
    assert said in str(caught.value)


def test_digest_follows_what_can_change_a_hit() -> None:
    base = lexicon().digest
    assert lexicon().digest == base
    assert lexicon(rule="paper").digest != base
    assert lexicon(edition="as printed").digest != base
    assert lexicon(attributes=["gender"]).digest != base


# ---- own files

OWN = """
language = "en"
source = "our list"
[attributes.role]
nurse = ["nurse", "Krankenschwester"]
doctor = ["doctor"]
[[identity_terms]]
term = "nurse"
attribute = "role"
subgroup = "nurse"
[[pairs]]
attribute = "role"
first_subgroup = "nurse"
first = "nurse"
second_subgroup = "doctor"
second = "doctor"
[[stop_phrases]]
phrase = "nurse shark"
reason = "an animal"
"""


def own(folder: Path, text: str = OWN, **spec: Any) -> Any:
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return lexicon(folder, **{"path": "own.toml", "attributes": ["role"], **spec})


def test_an_own_file_takes_the_place_of_the_packaged_lexicon(tmp_path: Path) -> None:
    read = own(tmp_path)
    assert read.attributes == {"role": {"nurse": ("nurse", "Krankenschwester"), "doctor": ("doctor",)}}
    assert [e.term for e in read.identity_terms] == ["nurse"]
    assert [(p.first, p.second, p.swap) for p in read.pairs] == [("nurse", "doctor", "both")]
    assert [s.phrase for s in read.stop_phrases] == ["nurse shark"]
    assert read.source == "our list"


def test_an_own_file_may_extend_the_packaged_lexicon(tmp_path: Path) -> None:
    text = 'language = "en"\nextends = true\n[attributes.gender]\nfemale = ["dame"]\nagender = ["agender"]'
    read = own(tmp_path, text, attributes=["gender"])
    assert "dame" in read.attributes["gender"]["female"]
    assert "woman" in read.attributes["gender"]["female"]
    assert list(read.attributes["gender"]) == ["male", "female", "agender"]
    assert read.stop_phrases == lexicon().stop_phrases


def test_the_documented_file_is_a_lexicon(tmp_path: Path) -> None:
    example = (fairnb.lexicon.__doc__ or "").split("::\n", 1)[1]
    read = own(tmp_path, textwrap.dedent(example), attributes=["gender"])
    assert read.attributes == {"gender": {"female": ("woman", "women"), "male": ("man", "men")}}
    assert (len(read.identity_terms), len(read.pairs), len(read.stop_phrases)) == (1, 1, 1)


def test_several_files_of_several_languages(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(
        'language = "it"\n[attributes.role]\nnurse = ["infermiera"]', encoding="utf-8"
    )
    read = own(tmp_path, path=["own.toml", "it.toml"], languages=["en", "it"])
    assert read.languages == ("en", "it")
    assert read.attributes["role"]["nurse"] == ("nurse", "Krankenschwester", "infermiera")
    only = own(tmp_path, path=["own.toml", "it.toml"], languages=["it"])
    assert only.attributes == {"role": {"nurse": ("infermiera",)}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("language = ", "own.toml: the file cannot be read as TOML"),
        ("[attributes.a]\nb = ['c']", "own.toml: language: this key is missing"),
        ("language = 'en'\nterms = 1", "own.toml: terms: this key is unknown"),
        (
            "language = 'en'\n[attributes.role]\nnurse = ['ok', '']",
            "own.toml: attributes.role.nurse.1: a term must not",
        ),
        ("language = 'en'\n[attributes.role]\nnurse = 'nurse'", "own.toml: attributes.role.nurse"),
        ("language = 'en'", "own.toml: the file has no terms"),
        ("language = 'en'\n[[pairs]]\nfirst='a'", "own.toml: pairs.0.attribute: this key is missing"),
        ("language = 'en'\n[[stop_phrases]]\nphrase='a'\nreason=''", "own.toml: stop_phrases.0.reason"),
    ],
)
def test_a_mistake_in_an_own_file_names_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FairnbError) as caught:
        own(tmp_path, text)
    assert caught.value.code in ("bad-lexicon", "several-errors")
    assert said in str(caught.value)


def test_all_mistakes_of_an_own_file_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FairnbErrors) as caught:
        own(tmp_path, "terms = 1\nextends = 'perhaps'")
    assert len(caught.value.errors) == 3


def test_an_own_file_must_be_there_and_inside_the_case(tmp_path: Path) -> None:
    with pytest.raises(FairnbError) as caught:
        lexicon(tmp_path, path="none.toml")
    assert caught.value.code == "missing-file"
    with pytest.raises(FairnbError) as caught:
        lexicon(tmp_path, path="../none.toml")
    assert caught.value.code == "path-outside"
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FairnbError) as caught:
        lexicon(tmp_path, path="binary.toml")
    assert caught.value.code == "bad-lexicon"


def test_a_language_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FairnbError) as caught:
        own(tmp_path, languages=["it"])
    assert caught.value.code == "unknown-language"
