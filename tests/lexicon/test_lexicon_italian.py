from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec, Matcher, load_lexicon
from fairnb.variants import GENDERED, refuse_language, swap_pairs

NOT_A_WORD_OF_ONE_GENDER = ("ragazzi", "figli", "signore", "infermiere", "lei", "lui", "sua", "suo", "re")


def lexicon(**spec: Any) -> Any:
    return load_lexicon(LexiconSpec(**{"languages": ["it"], **spec}), Path())


def mentioned(text: str) -> set[str]:
    whole = lexicon()
    hits = Matcher(whole.vocabulary, "default", whole.stop_phrases).find([text])
    return {whole.vocabulary[term] for term in hits.term[hits.counting]}


def test_languages_alone_loads_the_italian_words_and_leaves_the_english_ones_out() -> None:
    whole = lexicon()
    assert whole.languages == ("it",)
    assert list(whole.attributes) == ["gender"]
    assert dict(whole.reference) == {"gender": "male"}
    assert {"donna", "mogli"} <= set(whole.attributes["gender"]["female"])
    assert {"uomo", "mariti"} <= set(whole.attributes["gender"]["male"])
    assert "woman" not in whole.vocabulary
    assert {entry.term for entry in whole.identity_terms} <= {
        term for terms in whole.attributes["gender"].values() for term in terms
    }
    assert whole.source


def test_both_languages_together_keep_their_own_words() -> None:
    both = lexicon(languages=["en", "it"])
    assert both.languages == ("en", "it")
    assert {"woman", "donna"} <= set(both.attributes["gender"]["female"])
    assert list(both.attributes) == ["gender", "religion", "ethnicity"]
    assert "donna" not in both.by_language["en"]["gender"]["female"]


def test_no_word_speaks_of_both_genders_and_none_is_listed_twice() -> None:
    female, male = (lexicon().attributes["gender"][name] for name in ("female", "male"))
    assert set(female) & set(male) == set()
    assert len(set(female)) == len(female)
    assert len(set(male)) == len(male)
    assert all(word == word.casefold().strip() for word in (*female, *male))


def test_what_is_left_out_has_its_reason_and_is_not_looked_up() -> None:
    whole = lexicon()
    assert all(entry.reason for entry in whole.excluded)
    assert set(NOT_A_WORD_OF_ONE_GENDER) <= {entry.term for entry in whole.excluded}
    for entry in whole.excluded:
        assert entry.term not in whole.attributes["gender"][entry.subgroup]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'amica e un'attrice aspettano il tram", {"amica", "attrice"}),
        ("LE MOGLI e i mariti", {"mogli", "mariti"}),
        ("All'uomo piace il caffè", {"uomo"}),
        ("Il papà legge, il papa pure", {"papà"}),
        ("#donne al lavoro", {"donne"}),
    ],
)
def test_words_are_found_behind_elided_articles_and_in_any_case(text: str, words: set[str]) -> None:
    assert mentioned(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "I ragazzi hanno figli e amici",
        "Buongiorno signore, e Lei?",
        "La sua macchina e il suo cane",
        "Ho cambiato la scheda madre",
        "Mamma mia, a passo d'uomo fino a casa",
        "I diritti dell’uomo",
        "Babbo Natale e la torta della nonna",
        "I generi e i principi",
    ],
)
def test_what_may_mean_anyone_or_a_thing_is_no_mention(text: str) -> None:
    assert mentioned(text) == set()


def test_each_stop_phrase_holds_its_words() -> None:
    whole = lexicon()
    for stop in whole.stop_phrases:
        assert set(stop.terms) <= set(whole.vocabulary), stop
        assert len(Matcher(stop.terms).find([stop.phrase])), stop


def test_italian_words_are_not_swapped_one_by_one() -> None:
    assert lexicon().pairs == ()
    assert [pair for pair in swap_pairs(lexicon(), "gender") if pair.first in lexicon().vocabulary] == []
    with pytest.raises(FairnbError, match=GENDERED):
        refuse_language("it")


def test_an_attribute_that_is_asked_for_and_missing_is_told() -> None:
    with pytest.raises(FairnbError) as caught:
        lexicon(attributes=["gender", "religion"])
    assert caught.value.code == "unknown-attribute"
    assert "gender" in caught.value.remedy


def test_the_printed_edition_has_no_italian_words() -> None:
    with pytest.raises(FairnbError) as caught:
        lexicon(edition="as printed")
    assert caught.value.code == "unknown-edition"


def test_an_own_file_extends_the_italian_lexicon(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'language = "it"\nextends = true\n[attributes.gender]\nfemale = ["comare"]', encoding="utf-8"
    )
    whole = load_lexicon(LexiconSpec(languages=("it",), attributes=("gender",), path=("own.toml",)), tmp_path)
    assert {"donna", "comare"} <= set(whole.attributes["gender"]["female"])
    assert "woman" not in whole.vocabulary
