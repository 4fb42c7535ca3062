"""Score A and Score B: worked values, the official arithmetic, and what is undefined."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score

from fairnb.ami import (
    RawSet,
    SyntheticSet,
    read_raw,
    read_synthetic,
    score_a,
    score_b,
    score_submissions,
    term_matches,
)
from fairnb.ami._score import _bootstrapped
from fairnb.statistics import mean_f1_interval


def raw_set(misogynous, aggressiveness=None) -> RawSet:
    ids = tuple(map(str, range(len(misogynous))))
    second = None if aggressiveness is None else np.array(aggressiveness, np.int8)
    return RawSet(ids, ids, np.array(misogynous, np.int8), second, Path("raw.tsv"), "")


def synthetic_set(texts, labels, skeletons=None) -> SyntheticSet:
    ids = tuple(map(str, range(len(texts))))
    return SyntheticSet(ids, tuple(texts), np.array(labels, np.int8), skeletons, Path("synthetic.tsv"), "")


@pytest.fixture(scope="module")
def worked(vectors) -> dict:
    return json.loads((vectors / "ami.json").read_text("utf-8"))


def test_score_a_of_the_worked_example(worked):
    a = worked["subtask_a"]
    found = score_a(raw_set(a["mis_gold"], a["agg_gold"]), a["mis_pred"], a["agg_pred"])
    assert found.misogynous.value == pytest.approx(a["f1_macro_misogyny"], abs=1e-15)
    assert found.aggressiveness.value == pytest.approx(a["f1_macro_aggressiveness"], abs=1e-15)
    assert found.score.value == pytest.approx(a["score_a"], abs=1e-15)
    assert found.score.low < found.score.value < found.score.high


@pytest.mark.parametrize(("kind", "column"), [("continuous", "score"), ("hard_labels", "hard")])
def test_score_b_of_the_worked_example(worked, kind, column):
    b = worked["subtask_b"]
    expected = b["expected"][kind]
    gold = synthetic_set(*zip(*[(row["text"], row["misogynous"]) for row in b["synthetic"]], strict=True))
    found = score_b(
        raw_set(b["raw"]["gold"]),
        gold,
        b["identity_terms"],
        b["raw"][column],
        [row[column] for row in b["synthetic"]],
    )
    assert found.auc_raw.value == pytest.approx(expected["auc_raw"], abs=1e-15)
    assert found.score.value == pytest.approx(expected["score_b"], abs=1e-15)
    assert found.defined_terms.value == pytest.approx(expected["score_b"], abs=1e-15)
    assert found.means == pytest.approx(expected["means"], abs=1e-15)
    for term in found.terms:
        wanted = expected["per_term"][term.term]
        assert term.rows == wanted["n"]
        for name in ("subgroup", "bpsn", "bnsp"):
            assert term.areas[name].value == pytest.approx(wanted[name], abs=1e-15)


def test_areas_of_the_public_unit_test_of_jigsaw(vectors):
    data = json.loads((vectors / "jigsaw_borkan.json").read_text("utf-8"))["biased_dataset"]
    rows = [
        (text, label, score)
        for part, text, label in (
            ("background_neg", "uva", 0),
            ("subgroup_neg", "donne", 0),
            ("background_pos", "uva", 1),
            ("subgroup_pos", "donne", 1),
        )
        for score in data[part]
    ]
    texts, labels, scores = zip(*rows, strict=True)
    found = score_b(raw_set(labels), synthetic_set(texts, labels), ["donne"], scores, scores)
    expected = data["expected"]
    for kind in ("subgroup", "bpsn", "bnsp"):
        assert found.terms[0].areas[kind].value == pytest.approx(expected[f"{kind}_auc"], abs=1e-12)
    assert found.auc_raw.value == pytest.approx(expected["overall_auc"], abs=1e-12)
    # 1/2 x 17/18 + 1/2 x (8/9 + 8/9 + 1) / 3
    assert found.score.value == pytest.approx(17 / 36 + 25 / 54, abs=1e-12)


def test_a_perfect_run_scores_one_and_not_two(task):
    gold, synthetic = read_raw(task.raw), read_synthetic(task.synthetic)
    found = score_b(gold, synthetic, ["donne", "zie"], gold.misogynous, synthetic.misogynous)
    assert found.score.value == 1.0
    assert found.score.low is None
    assert "all resamples agree" in found.score.note


def test_a_term_of_one_class_leaves_no_official_score(worked):
    edge = worked["edge"]["one_class_term"]
    texts, labels, scores = zip(*edge["rows"], strict=True)
    found = score_b(raw_set([0, 1]), synthetic_set(texts, labels), ["donne", "ragazze"], [0.1, 0.9], scores)
    donne = found.terms[0]
    assert donne.areas["subgroup"].value is None
    assert donne.areas["bpsn"].value == edge["expected"]["bpsn"]
    assert donne.areas["bnsp"].value is None
    assert found.score.value is None
    # No row outside "ragazze" is positive: its BPSN area has no background.
    assert found.undefined == ("donne", "ragazze")
    assert "'donne' (subgroup, bnsp: of its rows 0 are misogynous and 1 are not)" in found.score.note


def test_the_score_over_defined_terms_has_another_name(task):
    gold, synthetic = read_raw(task.raw), read_synthetic(task.synthetic)
    guessed = task.guessed(3)
    arguments = (gold, synthetic), (guessed["b"], guessed["synthetic"])
    whole = score_b(*arguments[0], ["donne", "zie"], *arguments[1])
    absent = score_b(*arguments[0], ["donne", "sconosciute", "zie"], *arguments[1])
    assert absent.score.value is None
    assert absent.undefined == ("sconosciute",)
    assert absent.defined_terms.value == whole.score.value
    assert np.isnan(absent.law).all()


def test_a_raw_set_of_one_class_leaves_no_score(task):
    synthetic = read_synthetic(task.synthetic)
    found = score_b(raw_set([0, 0]), synthetic, ["donne"], [0, 1], synthetic.misogynous)
    assert found.score.value is None
    assert found.score.note.startswith("the raw set:")
    assert found.defined_terms.value is None


def test_f1_where_one_class_does_not_occur_is_that_of_the_other_as_scikit_learn_takes_it():
    from sklearn.metrics import f1_score

    gold = raw_set([0, 1, 0, 1], [0, 0, 0, 0])
    found = score_a(gold, [0, 1, 1, 1], [0, 0, 0, 0])
    first = f1_score([0, 1, 0, 1], [0, 1, 1, 1], average="macro")
    assert found.aggressiveness.value == f1_score([0] * 4, [0] * 4, average="macro") == 1.0
    assert found.score.value == pytest.approx((first + 1) / 2, abs=1e-15)
    assert found.score.low is None
    assert found.score.note


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60))
def test_the_area_over_labels_is_the_balanced_accuracy(rows):
    gold, called = (np.array(side, int) for side in zip(*rows, strict=True))
    if len(set(gold.tolist())) < 2:
        return
    synthetic = synthetic_set(["donne", "donne", "uva", "uva"], [0, 1, 0, 1])
    found = score_b(raw_set(gold), synthetic, ["donne"], called, [0, 1, 0, 1], resamples=2)
    assert found.auc_raw.value == pytest.approx(balanced_accuracy_score(gold, called), abs=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_scores_equal_the_official_arithmetic(seed, labels_only):
    from sklearn.metrics import f1_score, roc_auc_score

    rng = np.random.default_rng(seed)
    words = ["donne", "Zie", "uva", "DONNE e zie"]
    texts = [f"{words[pick]} {row}" for row, pick in enumerate(rng.integers(0, 4, 60))]
    labels, gold, second = (rng.integers(0, 2, size) for size in (60, 40, 40))
    p, q = rng.random(60).round(1), rng.random(40).round(1)
    if labels_only:
        p, q = (p > 0.5).astype(float), (q > 0.5).astype(float)
    member = term_matches(texts, ["donne", "zie"])
    expected = []
    for inside in member.T:
        for chosen in (
            inside,
            (inside & (labels == 0)) | (~inside & (labels == 1)),
            (inside & (labels == 1)) | (~inside & (labels == 0)),
        ):
            one_class = len(set(labels[chosen])) < 2
            expected.append(math.nan if one_class else roc_auc_score(labels[chosen], p[chosen]))
    if len(set(gold)) < 2:
        return
    wanted = np.mean([roc_auc_score(gold, q), np.mean(expected)])
    found = score_b(raw_set(gold), synthetic_set(texts, labels), ["donne", "zie"], q, p, resamples=2)
    if np.isnan(wanted):
        assert found.score.value is None
    else:
        assert found.score.value == pytest.approx(wanted, abs=1e-12)
    called = (rng.random((2, 40)) > 0.5).astype(int)
    of_a = score_a(raw_set(gold, second), *called)
    both = zip((gold, second), called, strict=True)
    macro = [f1_score(labels, decided, average="macro", zero_division=0) for labels, decided in both]
    assert of_a.score.value == pytest.approx(np.mean(macro), abs=1e-12)


def test_terms_are_words_in_any_case_and_not_patterns():
    found = term_matches(["Le DONNE cantano", "la donna canta", "casa", "c.sa"], ["donne", "c.sa"])
    assert found.tolist() == [[True, False], [False, False], [False, False], [False, True]]
    live = term_matches(["casa", "c.sa"], ["c.sa"], as_pattern=True)
    assert live.tolist() == [[True], [True]]


def test_skeletons_are_taken_from_the_column_or_told_from_the_terms(task):
    gold, synthetic = read_raw(task.raw), read_synthetic(task.synthetic)
    guessed = task.guessed(3)
    told = score_b(
        gold, synthetic, ["donne", "ragazze", "zie", "prime cugine"], guessed["b"], guessed["synthetic"]
    )
    assert told.resampled == "skeletons, told by blanking the terms"
    column = tuple(str(row // 4) for row in range(len(synthetic.ids)))
    named = synthetic_set(synthetic.texts, synthetic.misogynous, column)
    again = score_b(
        gold, named, ["donne", "ragazze", "zie", "prime cugine"], guessed["b"], guessed["synthetic"]
    )
    assert again.resampled == "skeletons, from the file's column"
    # The same 24 skeletons: names differ, and with them the order in which they are drawn.
    assert again.score.low == pytest.approx(told.score.low, abs=0.02)
    alone = synthetic_set([f"{text} {row}" for row, text in enumerate(synthetic.texts)], synthetic.misogynous)
    assert (
        "as if they were independent"
        in score_b(gold, alone, ["donne"], guessed["b"], guessed["synthetic"]).resampled
    )


def test_few_skeletons_say_nothing_about_other_sentences():
    texts = [f"le {term} {verb}" for verb in ("cantano", "stonano") for term in ("donne", "zie")] * 5
    labels = [0, 0, 1, 1] * 5
    found = score_b(
        raw_set([0, 1] * 20), synthetic_set(texts, labels), ["donne", "zie"], [0, 1] * 20, [0, 1, 1, 1] * 5
    )
    assert "fewer than 10 skeletons" in found.resampled
    assert {term.areas["bpsn"].low for term in found.terms} == {None}


def test_from_ten_skeletons_on_they_are_drawn_anew():
    for many, word in (
        (9, "nothing: fewer than 10 skeletons"),
        (10, "skeletons, told by blanking the terms"),
    ):
        rows = [(f"le {term} {number}", number % 2) for number in range(many) for term in ("donne", "zie")]
        texts, labels = zip(*rows, strict=True)
        gold = synthetic_set(texts, labels)
        found = score_b(raw_set([0, 1] * 9), gold, ["donne", "zie"], [0, 1] * 9, labels, resamples=5)
        assert found.resampled.startswith(word)


@pytest.mark.parametrize("units", [4, 10, 25])
def test_ends_of_few_units_are_moved_out_as_those_of_a_mean_of_so_many(units):
    from scipy.stats import norm, t

    law = 0.5 + 0.01 * np.random.default_rng(2).normal(size=2000)
    few, many = (_bootstrapped(0.5, law, number, 0.95, "") for number in (units, 10**9))
    out = t.ppf(0.975, units - 1) / norm.ppf(0.975) * math.sqrt(units / (units - 1))
    assert few.high - 0.5 == pytest.approx(out * (many.high - 0.5), rel=1e-6)
    assert 0.5 - few.low == pytest.approx(out * (0.5 - many.low), rel=1e-6)


def test_raw_and_synthetic_rows_are_drawn_apart():
    # The same rows in both sets, then in another order in one: the areas are what they were, and so is the spread
    # of their sum, unless one draw were used for both.
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, 200)
    scores = 1 / (1 + np.exp(-(labels + rng.normal(0, 1, 200))))
    order = rng.permutation(200)
    synthetic = synthetic_set([f"{'donne' if row % 2 else 'uve'} {row}" for row in range(200)], labels)
    spreads = [
        score_b(raw_set(raw), synthetic, ["donne"], given, scores).law.std()
        for raw, given in ((labels, scores), (labels[order], scores[order]))
    ]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.1)


def test_a_term_is_supported_by_the_smaller_class_of_each_area():
    # With the term three misogynous rows and two others, without it one and four.
    texts = [f"le donne {row}" for row in range(5)] + [f"le uve {row}" for row in range(5)]
    labels = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    scores = [0.9, 0.4, 0.3, 0.6, 0.1, 0.7, 0.2, 0.2, 0.2, 0.5]
    (term,) = score_b(raw_set([0, 1]), synthetic_set(texts, labels), ["donne"], [0, 1], scores).terms
    assert (term.rows, term.positives, term.negatives) == (5, 3, 2)
    # Subgroup 3 and 2; its 2 others with the 1 misogynous elsewhere; its 3 with the 4 others elsewhere.
    assert term.support == {"subgroup": 2, "bpsn": 1, "bnsp": 3}


def test_where_a_class_is_missing_from_many_resamples_there_is_no_interval():
    # One misogynous row of twenty with the term: (19/20)^20, 36 % of the resamples, are without it.
    texts = [f"le donne {row}" for row in range(10)] + [f"le uve {row}" for row in range(10)]
    labels = ([1] + [0] * 9) * 2
    scores = np.linspace(0.05, 0.95, 20)[np.random.default_rng(3).permutation(20)]
    found = score_b(raw_set([0, 1] * 20), synthetic_set(texts, labels), ["donne"], [0, 1] * 20, scores)
    assert found.score.value is not None
    assert (found.score.low, found.score.high) == (None, None)
    assert found.score.note.endswith("of 1,000 resamples leave an area without a class")


def test_a_score_at_the_threshold_is_called_positive():
    found = score_a(raw_set([1, 0], [1, 0]), [0.5, 0.49], [0.6, 0.59], threshold=0.5)
    assert found.misogynous.value == 1.0
    # Both rows called aggressive, one wrongly: F1 2/3 and 0.
    assert found.aggressiveness.value == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.slow
def test_the_interval_of_score_a_covers():
    # Two questions that share their errors; the population value by the same law at a million rows.
    law = np.random.default_rng(1).dirichlet(np.ones(16) * 2)
    sizes = (law * 4_000_000).astype(int).reshape(4, 4)
    truth = mean_f1_interval(sizes).value
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(2000):
        found = mean_f1_interval(rng.multinomial(400, law).reshape(4, 4))
        inside += found.low <= truth <= found.high
    assert 0.935 <= inside / 2000 <= 0.965


@pytest.mark.slow
def test_the_interval_of_score_b_covers():
    # Templates that differ in difficulty; the truth is that of 10,000 of them, by scikit-learn.
    terms = [f"zie{number}" for number in range(6)]
    tilt = np.linspace(-0.5, 0.8, 6)

    def drawn(rng, rows, templates):
        gold = rng.integers(0, 2, rows)
        called = (np.where(gold, 1.0, -1.0) + rng.logistic(size=rows) > 0).astype(float)
        labels, which = np.repeat(np.arange(templates) % 2, 6), np.tile(np.arange(6), templates)
        logit = np.where(labels, 1.2, -1.4) + tilt[which] + np.repeat(rng.normal(0, 1, templates), 6)
        return gold, called, labels, which, (logit + rng.logistic(size=len(logit)) > 0).astype(float)

    gold, called, labels, which, flagged = drawn(np.random.default_rng(1), 100_000, 10_000)
    sets = [
        chosen
        for inside in (which == term for term in range(6))
        for chosen in (inside, inside ^ (labels == 1), inside ^ (labels == 0))
    ]
    areas = [balanced_accuracy_score(labels[chosen], flagged[chosen]) for chosen in sets]
    truth = (balanced_accuracy_score(gold, called) + np.mean(areas)) / 2
    inside, audits = 0, 200
    for audit in range(audits):
        gold, called, labels, which, flagged = drawn(np.random.default_rng(100 + audit), 600, 24)
        skeletons = tuple(str(row // 6) for row in range(len(labels)))
        texts = [f"frase {row // 6} per le {terms[term]}" for row, term in enumerate(which)]
        found = score_b(
            raw_set(gold),
            synthetic_set(texts, labels, skeletons),
            terms,
            called,
            flagged,
            resamples=200,
            seed=audit,
        ).score
        inside += found.low <= truth <= found.high
    # 95 %, less what chance takes off 200 audits.
    assert inside / audits >= 0.95 - 2.33 * (0.95 * 0.05 / audits) ** 0.5


def test_the_interval_of_score_a_knows_what_the_questions_share():
    # One question asked twice is one F1, with its own interval.
    from fairnb.statistics import Confusion, f1_interval

    counts = (30, 10, 5, 55)
    twice = mean_f1_interval(np.diag(counts))
    once = f1_interval(Confusion(*counts), "macro")
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high), abs=1e-12)
    perfect = mean_f1_interval(np.diag((20, 0, 0, 30)))
    assert perfect.value == 1.0
    assert 0.8 < perfect.low < 1.0


def test_hard_and_prob_are_labelled_and_differ(task):
    rng = np.random.default_rng(4)
    guessed = task.guessed(4)
    noisy = {
        name: np.clip(0.5 * values + 0.5 * rng.random(len(values)), 0, 1) for name, values in guessed.items()
    }
    hard = score_submissions([task.zipped(task.files(guessed))], **task.golds(), resamples=50)
    prob = score_submissions([task.zipped(task.files(noisy))], **task.golds(), scores="prob", resamples=50)
    assert (hard.to_json()["scores"], prob.to_json()["scores"]) == ("hard", "prob")
    # The scores keep the labels' side of 0.5, so that Score A is the same and the areas are not.
    assert prob.runs[0].a == hard.runs[0].a
    assert prob.runs[0].b.auc_raw.value != hard.runs[0].b.auc_raw.value
    assert any("balanced accuracy" in limit for limit in hard.to_json()["limits"])
    assert any("published figures of the task are over labels" in limit for limit in prob.to_json()["limits"])


def test_labels_over_a_balanced_set_do_not_see_gaps_between_terms(task):
    # One term's sentences are all called misogynous, the others' are all right.
    guessed = task.guessed(1)
    guessed["synthetic"] = np.array([1 if "zie" in text else label for text, label in task.sentences])
    found = score_submissions([task.zipped(task.files(guessed))], **task.golds(), resamples=50)
    b = found.runs[0].b
    balanced = balanced_accuracy_score(task.labels, guessed["synthetic"])
    assert list(b.means.values()) == pytest.approx([balanced] * 3, abs=1e-12)
    assert any("does not see gaps between terms" in limit for limit in found.to_json()["limits"])
