import csv
import html
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.lexicon import IdentityTerm, Lexicon, LexiconSpec, Matcher, StopPhrase, load_lexicon
from fairnb.mining import look_up
from fairnb.text import matchable

ATTRIBUTES = ("gender", "religion", "ethnicity", "orientation")


def default_lexicon(**spec: Any) -> Lexicon:
    return load_lexicon(LexiconSpec.model_validate({"attributes": ATTRIBUTES, **spec}), Path())


SMALL = Lexicon(
    by_language={
        "en": {
            "gender": {"female": ("woman", "she"), "male": ("man", "he")},
            "role": {"nurse": ("nurse", "she nurse"), "empty": ("dodo",)},
        }
    },
    identity_terms=(IdentityTerm("woman", "gender", "female"), IdentityTerm("gay", "orientation", "gay")),
    stop_phrases=(StopPhrase("man made", "a thing", ("man",)),),
)
TEXTS = (
    "The woman and the man, he said",
    "",
    "a man made lake",
    "A gay nurse; man made, man",
    "Women are not listed, but nurses are",
)


def test_a_text_mentions_a_subgroup_if_one_of_its_terms_counts() -> None:
    found = look_up(TEXTS, SMALL)
    names, groups = found.groups("subgroup")
    assert names == ("gender/female", "gender/male", "role/nurse", "role/empty")
    assert groups.toarray().tolist() == [
        [True, True, False, False],
        [False, False, False, False],
        [False, False, False, False],
        [False, True, True, False],
        [False, False, True, False],
    ]
    assert groups.dtype == np.bool_
    assert groups.has_canonical_format
    assert len(found) == 5


def test_identity_terms_have_columns_of_their_own() -> None:
    names, groups = look_up(TEXTS, SMALL).groups("identity_term")
    assert names == ("woman", "gay")
    assert groups.toarray().T.tolist() == [
        [True, False, False, False, False],
        [False, False, False, True, False],
    ]


def test_suppressed_hits_are_kept_and_counted_by_reason() -> None:
    found = look_up(TEXTS, SMALL)
    assert dict(found.suppressed) == {"in “man made”: a thing": 2}
    hits = found.hits
    lost = ~hits.counting
    assert [found.vocabulary[t] for t in hits.term[lost]] == ["man", "man"]
    assert hits.row[lost].tolist() == [2, 3]
    for row, term, start, end in zip(hits.row, hits.term, hits.start, hits.end, strict=True):
        assert matchable(TEXTS[row][start:end]).text.startswith(found.vocabulary[term])


def test_rule_paper_suppresses_nothing() -> None:
    found = look_up(TEXTS, SMALL, rule="paper")
    assert dict(found.suppressed) == {}
    assert found.by_subgroup.toarray()[2].tolist() == [False, True, False, False]


def test_an_unknown_grouping_is_refused() -> None:
    with pytest.raises(FairnbError) as caught:
        look_up(TEXTS, SMALL).groups("author")  # type: ignore[arg-type]
    assert caught.value.code == "unknown-grouping"


@pytest.mark.parametrize("texts", [(), ("nothing here",)])
def test_nothing_found_is_an_answer(texts: tuple[str, ...]) -> None:
    found = look_up(texts, SMALL)
    assert found.by_subgroup.shape == (len(texts), 4)
    assert found.by_term.shape == (len(texts), 2)
    assert found.by_subgroup.nnz == 0


def test_an_empty_lexicon_has_no_groups() -> None:
    found = look_up(TEXTS, Lexicon({}))
    assert found.by_subgroup.shape == (5, 0)
    assert found.groups("identity_term")[0] == ()


def test_digest_follows_lexicon_texts_and_rule() -> None:
    base = look_up(TEXTS, SMALL).digest
    assert look_up(TEXTS, SMALL).digest == base
    assert look_up(TEXTS[:4], SMALL).digest != base
    assert look_up(TEXTS, SMALL, rule="paper").digest != base
    assert look_up(TEXTS, default_lexicon()).digest != base


def test_the_demonstration_corpus_mentions_whom_it_was_composed_to_mention() -> None:
    from fairnb.corpus import demo_frame

    frame = demo_frame(0)
    texts = frame["text"].tolist()
    planted = [set(filter(None, said.split(", "))) for said in frame["mentions"]]
    names, groups = look_up(texts, default_lexicon()).groups("subgroup")
    found = [{names[column] for column in row.nonzero()[0]} for row in groups.toarray()]
    for name in ("gender/female", "gender/male", "religion/Islam", "religion/Judaism", "ethnicity/Black"):
        assert [name in one for one in found] == [name in one for one in planted], name
    # Nothing is found that was not planted: queer has a subgroup of its own here, and none there.
    for one, meant in zip(found, planted, strict=True):
        assert one - meant <= {"orientation/queer"}


# ---- real input


@pytest.fixture(scope="module")
def tweets(real_data: Path) -> tuple[list[str], np.ndarray]:
    """The paper's corpus: raw texts as stored, and whether a tweet is hateful in the paper's sense."""
    texts: list[str] = []
    hateful: list[bool] = []
    with (real_data / "davidson" / "labeled_data.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            texts.append(row["tweet"])
            hateful.append(row["class"] in ("0", "1"))
    with (real_data / "olid" / "olid-training-v1.0.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            texts.append(row["tweet"])
            hateful.append(row["subtask_a"] == "OFF")
    assert len(texts) == 38_023
    assert sum(hateful) == 25_020
    return texts, np.array(hateful)


@pytest.fixture(scope="module")
def table_4() -> list[dict[str, Any]]:
    path = Path(__file__).parent.parent / "vectors" / "identity_terms_table4.json"
    return json.loads(path.read_text(encoding="utf-8"))["terms"]  # type: ignore[no-any-return]


def test_rule_paper_gives_every_count_of_the_full_corpus(
    tweets: tuple[list[str], np.ndarray], table_4: list[dict[str, Any]]
) -> None:
    texts, hateful = tweets
    names, groups = look_up(texts, default_lexicon(rule="paper")).groups("identity_term")
    dense = groups.toarray()
    counts = {
        term: {
            "hateful": int(dense[hateful, column].sum()),
            "not_hateful": int(dense[~hateful, column].sum()),
        }
        for column, term in enumerate(names)
    }
    assert counts == {entry["term"]: entry["full_38023_rule_paper"] for entry in table_4}


def test_default_rule_differs_from_plain_word_matching_only_as_documented(
    tweets: tuple[list[str], np.ndarray], table_4: list[dict[str, Any]]
) -> None:
    """Plain word matching: ``re.search(r"\\b" + term + r"\\b", text.lower())``.

    What the default rule finds beyond it are plurals and edges at ``_``; what it does not count of
    it stands in a stop phrase, a handle or a link.
    """
    texts, hateful = tweets
    lexicon = default_lexicon()
    found = look_up(texts, lexicon)
    lowered = [text.lower() for text in texts]
    for column, entry in enumerate(table_4):
        term = entry["term"]
        plain = {row for row, text in enumerate(lowered) if re.search(rf"\b{term}\b", text)}
        counted = {"hateful": sum(hateful[row] for row in plain), "not_hateful": sum(~hateful[list(plain)])}
        assert counted == entry["full_38023_rule_word"]

        index = found.vocabulary.index(term)
        counting = set(found.by_term.toarray()[:, column].nonzero()[0].tolist())
        of_term = found.hits.term == index
        hit = set(found.hits.row[of_term].tolist())
        assert plain <= hit
        for row in hit - plain:
            seen = html.unescape(lowered[row])
            assert re.search(rf"(?<![^\W_]){term}(?:s|(?=_)|(?<=_{term}))(?![^\W_])", seen)
        lost = plain - counting
        suppressed = {
            int(row): found.hits.reasons[why]
            for row, why in zip(found.hits.row[of_term], found.hits.suppressed[of_term], strict=True)
            if why
        }
        assert lost <= suppressed.keys()
    assert dict(found.suppressed)["in “white house”: a building and the government in it"] > 0


def test_hits_on_real_texts_lead_to_their_terms(tweets: tuple[list[str], np.ndarray]) -> None:
    texts, _ = tweets
    found = look_up(texts, default_lexicon(edition="as printed"))
    forms = [matchable(term).text for term in found.vocabulary]
    hits = found.hits
    for row, term, start, end in zip(
        hits.row.tolist(), hits.term.tolist(), hits.start.tolist(), hits.end.tolist(), strict=True
    ):
        assert matchable(texts[row][start:end]).text in (
            forms[term],
            forms[term] + "s",
            forms[term].rstrip("."),
        )


@pytest.mark.bench
def test_five_hundred_terms_in_all_tweets_take_about_a_second(tweets: tuple[list[str], np.ndarray]) -> None:
    texts, _ = tweets
    lexicon = default_lexicon(edition="as printed")
    terms = [*lexicon.vocabulary, *(f"word{n}" for n in range(500 - len(lexicon.vocabulary)))]
    matcher = Matcher(terms, "default", lexicon.stop_phrases)
    begun = time.process_time()
    matcher.find(texts)
    assert time.process_time() - begun < 2
