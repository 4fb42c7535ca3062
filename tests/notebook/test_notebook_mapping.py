"""Uses of columns on one side, keys of the case file on the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairnb.corpus import CorpusSpec, preview
from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.notebook._mapping import Use, bounds_of, guessed_mention, guessed_uses, keys_of, uses_of

LEXICON = load_lexicon(LexiconSpec(), Path())


def test_what_a_table_says_becomes_uses_and_these_become_the_table_again() -> None:
    said = {
        "path": "a.csv",
        "text": "tweet",
        "label": "class",
        "id": "nr",
        "annotators": ["ann", "bob"],
        "score": ["p"],
        "subgroups": {"gender": {"female": "f", "male": "m", "at_least": 0.3}, "religion": {"Islam": "i"}},
    }
    spec = CorpusSpec.model_validate(said)
    assert keys_of("a.csv", uses_of(spec), bounds_of(spec)) == said


def test_columns_that_the_table_leaves_out_are_those_of_their_name() -> None:
    assert uses_of(CorpusSpec(path="a.csv")) == [("text", Use("text")), ("label", Use("label"))]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("female", ("gender", "female")),
        ("Female_share", ("gender", "female")),
        ("isMuslim", ("religion", "Islam")),
        ("mentions-black", ("ethnicity", "Black")),
        ("african_american", ("ethnicity", "Black")),
        ("score", None),
        ("__proto__", None),
        ("", None),
        ("fraction", None),
    ],
)
def test_a_column_named_like_a_subgroup_or_a_term_of_it_is_guessed(
    column: str, expected: tuple[str, str] | None
) -> None:
    found = guessed_mention(column, LEXICON)
    assert (found and (found.attribute, found.subgroup)) == expected


def test_without_a_lexicon_nothing_is_guessed() -> None:
    assert guessed_mention("female", None) is None


def test_only_columns_of_shares_or_yes_and_no_are_guessed_as_mentions(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "text,label,female,male,muslim,score\n"
        + "".join(f"some bread {i},{i % 2},{i / 10},word{i},{i % 2},0.{i}\n" for i in range(9))
    )
    uses = guessed_uses(preview(path), LEXICON)
    assert uses == {
        "text": Use("text"),
        "label": Use("label"),
        "female": Use("mention", "gender", "female"),
        "male": Use(),
        "muslim": Use("mention", "religion", "Islam"),
        # What a recorded score is for is not for a guess to say.
        "score": Use(),
    }


@pytest.mark.parametrize(
    ("more", "code", "key"),
    [
        ([("b", Use("label")), ("c", Use("label"))], "use-twice", "label"),
        ([], "use-missing", "label"),
        ([("b", Use("label")), ("c", Use("mention"))], "no-subgroup", "subgroups"),
        ([("b", Use("label")), ("c", Use("mention", "gender"))], "no-subgroup", "subgroups"),
        ([("b", Use("label")), ("c", Use("mention", "gender", "at_least"))], "no-subgroup", "subgroups"),
        (
            [
                ("b", Use("label")),
                ("c", Use("mention", "gender", "female")),
                ("d", Use("mention", "gender", "female")),
            ],
            "use-twice",
            "subgroups",
        ),
    ],
)
def test_uses_that_cannot_be_are_refused_at_their_key(
    more: list[tuple[str, Use]], code: str, key: str
) -> None:
    with pytest.raises(FairnbError) as refused:
        keys_of("a.csv", [("a", Use("text")), *more], {})
    assert (refused.value.code, refused.value.where) == (code, key)
