"""Groups that a tally counts: subgroups, those they are compared with, and what they share."""

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.lexicon import IdentityTerm, Lexicon
from fairnb.mining import counted_groups, look_up
from fairnb.statistics import rate_difference, tally

LEXICON = Lexicon(
    by_language={
        "en": {
            "gender": {"female": ("woman",), "male": ("man",)},
            "religion": {"Islam": ("muslim",), "Judaism": ("jewish",)},
        }
    },
    identity_terms=(IdentityTerm("woman", "gender", "female"), IdentityTerm("muslim", "religion", "Islam")),
)
TEXTS = ("a woman and a man", "a muslim woman", "a man", "nobody", "a jewish man")


def counted(by, reference=None):
    return counted_groups(look_up(TEXTS, LEXICON), by, reference)


def members(found, name):
    return np.flatnonzero(found.membership.toarray()[:, found.names.index(name)]).tolist()


def test_an_attribute_is_the_texts_that_mention_any_of_its_subgroups():
    found = counted("subgroup")
    assert found.names[:4] == ("gender/female", "gender/male", "religion/Islam", "religion/Judaism")
    assert members(found, "gender") == [0, 1, 2, 4]
    assert members(found, "religion") == [1, 4]


def test_pairs_join_a_subgroup_with_its_attribute_and_its_reference():
    found = counted("subgroup", {"gender": "male", "religion": "Nobody"})
    assert found.pairs == (
        ("gender/female", "gender"),
        ("gender/male", "gender"),
        ("religion/Islam", "religion"),
        ("religion/Judaism", "religion"),
        ("gender/female", "gender/male"),
    )


def test_the_tally_compares_them_all():
    found = counted("subgroup", {"gender": "male"})
    held = tally([0] * 5, [0.9, 0.9, 0.1, 0.1, 0.1], found.membership, found.names, pairs=found.pairs)
    assert rate_difference(held, "fpr", 0.5, "gender/female", "~gender").value == 1.0
    assert rate_difference(held, "fpr", 0.5, "gender/female", "gender/male").value == pytest.approx(1 - 1 / 3)


def test_terms_are_compared_with_texts_without_any_term():
    found = counted("identity_term")
    assert found.names == ("woman", "muslim", "identity_term")
    assert members(found, "identity_term") == [0, 1]
    assert found.pairs == (("woman", "identity_term"), ("muslim", "identity_term"))


def test_intersections_are_those_that_occur():
    found = counted("intersection")
    assert found.names == (
        "gender+religion/female+Islam",
        "gender+religion/male+Judaism",
        "gender+religion",
    )
    assert members(found, "gender+religion/male+Judaism") == [4]
    assert members(found, "gender+religion") == [0, 1, 2, 4]


def test_a_lexicon_without_words_counts_nobody():
    nobody = look_up(TEXTS, Lexicon(by_language={}))
    for by in ("subgroup", "identity_term", "intersection"):
        found = counted_groups(nobody, by)
        assert found.names == ()
        assert found.membership.shape == (5, 0)


def test_an_unknown_grouping_is_named():
    with pytest.raises(FairnbError, match="subgroup, identity_term or intersection"):
        counted("author")
