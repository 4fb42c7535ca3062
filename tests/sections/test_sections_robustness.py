"""The section on perturbations: hand-made systems whose reactions are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec
from fairnb.sections import Need, Result, Severity, Status, Verdict
from fairnb.sections._robustness_made import Made, Moved, Text, _allotted
from fairnb.sections._robustness_measures import Outcome
from fairnb.sections.robustness import Robustness
from fairnb.variants import find_perturbation

GENDER = LexiconSpec(attributes=("gender",))
CAPITALS = "perturbation=upper_case"


def _shouting(text: str) -> float:
    """Flags what is all in capitals, and what says goose."""
    return 0.9 if text.isupper() or "goose" in text else 0.1


def _texts() -> tuple[list[str], list[int]]:
    """80 texts: 20 flagged rightly, 10 flagged wrongly, 10 missed, 40 rightly not flagged."""
    texts = [f"you are a silly goose number {n}" for n in range(20)]
    texts += [f"the woman fed her goose on day {n}" for n in range(10)]
    texts += [f"the man is a fool number {n}" for n in range(10)]
    texts += [f"they baked bread on day {n}" for n in range(40)]
    return texts, [1] * 20 + [0] * 10 + [1] * 10 + [0] * 40


def _run(
    small_view: Callable[..., Any],
    score: Callable[[str], float] = _shouting,
    given: tuple[list[str], list[int]] | None = None,
    view: dict[str, Any] | None = None,
    **params: Any,
) -> Result:
    texts, labels = given or _texts()
    made = small_view(
        {"test": labels},
        {"test": [score(text) for text in texts]},
        {"test": texts},
        predictor=score,
        spec=GENDER,
        **(view or {}),
    )
    return Robustness().run(made, Robustness.Params(**params))


def test_a_system_that_hears_shouting_flags_every_text_in_capitals(small_view: Callable[..., Any]) -> None:
    found = _run(small_view, perturbations=("upper_case",))
    flips = {
        label: found.measure("flip_rate", label=label, variant=CAPITALS)
        for label in ("all", "positive", "negative")
    }
    assert {label: (m.value, m.n) for label, m in flips.items()} == {
        "all": (50 / 80, 80),
        "positive": (0.0, 30),
        "negative": (1.0, 50),
    }
    low, high = proportion_confint(50, 80, method="wilson")
    assert (flips["all"].low, flips["all"].high) == (pytest.approx(low), pytest.approx(high))
    (told,) = found.facts["perturbations"]
    assert (told["flags_lost"], told["flags_gained"], told["unchanged"]) == (0, 50, 0)


def test_accuracy_is_compared_on_the_same_texts(small_view: Callable[..., Any]) -> None:
    found = _run(small_view, perturbations=("upper_case",))
    after = found.measure("accuracy", label="all", variant=CAPITALS)
    moved = found.measure("accuracy", label="all", variant=CAPITALS, reference="unperturbed")
    # As they stand 60 of 80 are right; in capitals all are flagged and 30 are.
    assert (after.value, after.null) == (30 / 80, 60 / 80)
    assert moved.value == pytest.approx(-30 / 80)
    # 10 missed texts are gained, 40 quiet ones lost.
    exact = mcnemar([[20, 40], [10, 10]], exact=True).pvalue
    assert moved.p == pytest.approx(exact - stats.binom.pmf(10, 50, 0.5))
    assert moved.family == "E"


def test_adjusted_over_perturbations_and_groups_are_not_tested(small_view: Callable[..., Any]) -> None:
    found = _run(small_view)
    tested = [m for m in found.measures if m.reference and m.p is not None]
    # Everything is in small letters already: nine perturbations are left.
    assert len(tested) == 9
    assert not any(m.subgroup for m in tested)
    adjusted = multipletests([m.p for m in tested], method="fdr_bh")[1]
    assert [m.p_adjusted for m in tested] == pytest.approx(list(adjusted))
    assert all(m.variant for m in found.measures)


def test_a_loss_of_accuracy_is_an_observation_at_most(small_view: Callable[..., Any]) -> None:
    found = _run(small_view, perturbations=("upper_case",))
    assert {finding.severity for finding in found.findings} == {Severity.OBSERVATION}
    assert {finding.requirement for finding in found.findings} == {2}
    said = Robustness().statements(found)
    assert "62.5 % of 80 texts" in said[0]
    assert "0 lost their flag and 50 gained one" in said[0]
    assert "accuracy moved by −37.5 points" in said[1]
    assert "from 75.0 % to 37.5 %" in said[1]


def test_groups_are_those_that_the_text_mentions_as_it_stands(small_view: Callable[..., Any]) -> None:
    found = _run(small_view, perturbations=("upper_case",))
    female = found.measure("flip_rate", attribute="gender", subgroup="female", label="all", variant=CAPITALS)
    male = found.measure("flip_rate", attribute="gender", subgroup="male", label="all", variant=CAPITALS)
    assert (female.value, female.n) == (0.0, 10)
    assert (male.value, male.n) == (1.0, 10)
    own = found.measure(
        "accuracy",
        attribute="gender",
        subgroup="male",
        label="all",
        variant=CAPITALS,
        reference="unperturbed",
    )
    # Ten rows are too few for a share of right decisions.
    assert own.status is Status.TOO_FEW
    assert (own.family, own.p) == ("D", None)


def test_a_score_at_the_threshold_is_a_flag_before_and_after() -> None:
    made = Made(find_perturbation("upper_case"), (), 0, 0)
    # Label, score before, score after.
    scored = [(1, 0.5, 0.49), (0, 0.49, 0.5), (1, 0.2, 0.5), (0, 0.5, 0.5), (1, 0.5, 0.9)]
    moved = tuple(
        Moved(Text(row, f"t{row}", label, f"t{row}", "en", before), f"T{row}", after)
        for row, (label, before, after) in enumerate(scored)
    )
    outcome = Outcome(made, "", "", moved, 0.5)
    assert [outcome.before(row) for row in moved] == [True, False, False, True, True]
    assert [outcome.after(row) for row in moved] == [False, True, True, True, True]
    assert (outcome.flips(), outcome.flips((True,)), outcome.flips((False,))) == (3, 1, 2)
    assert outcome.gains == [-1, -1, 1, 0, 0]
    assert (outcome.right_before(), outcome.right_after()) == (3, 2)


def test_flags_lost_and_gained_stand_under_their_headings(small_view: Callable[..., Any]) -> None:
    tables = {
        table.title: table for table in Robustness().tables(_run(small_view, perturbations=("upper_case",)))
    }

    def cells(title: str, row: int) -> dict[str, str]:
        table = tables[title]
        return dict(zip((column.heading for column in table.columns), table.rows[row].cells, strict=True))

    everyone = cells("Decisions that a perturbation changes", 0)
    assert (everyone["Flags lost"], everyone["Flags gained"]) == ("0 of 30 (0.0 %)", "50 of 50 (100.0 %)")
    # The ten texts about women were all flagged, the ten about men were not.
    by_name = {row.cells[0].rpartition(", ")[2]: at for at, row in enumerate(
        tables["Decisions changed by group mentioned"].rows)}  # fmt: skip
    women = cells("Decisions changed by group mentioned", by_name["female"])
    men = cells("Decisions changed by group mentioned", by_name["male"])
    assert (women["Flagged"], women["Not flagged"], women["Flags gained, %"]) == ("10", "–", "–")
    assert (men["Flagged"], men["Not flagged"], men["Flags lost, %"]) == ("–", "10", "–")
    assert women["Flags lost, %"].startswith("0.0")
    assert men["Flags gained, %"].startswith("100.0")


def test_texts_that_cannot_be_changed_are_in_no_denominator(small_view: Callable[..., Any]) -> None:
    texts, labels = _texts()
    texts, labels = [*texts, "😀 12", "ALL LOUD"], [*labels, 0, 1]
    found = _run(small_view, given=(texts, labels), perturbations=("upper_case",))
    assert found.measure("flip_rate", label="all", variant=CAPITALS).denominator == 80
    assert found.facts["perturbations"][0]["unchanged"] == 2


def test_a_system_that_looks_at_length_alone_does_not_flip_under_capitals(
    small_view: Callable[..., Any],
) -> None:
    found = _run(small_view, lambda text: 0.9 if len(text) > 28 else 0.1, perturbations=("upper_case",))
    assert found.measure("flip_rate", label="all", variant=CAPITALS).value == 0.0
    assert "No decision changed" in Robustness().statements(found)[0]
    moved = found.measure("accuracy", label="all", variant=CAPITALS, reference="unperturbed")
    assert (moved.value, moved.p) == (0.0, 1.0)
    assert found.candidates[0].verdict is Verdict.WITHIN
    assert not found.findings


def test_the_sample_is_drawn_by_label_and_decision_and_not_by_order(small_view: Callable[..., Any]) -> None:
    texts, labels = _texts()
    one = _run(small_view, given=(texts, labels), perturbations=("upper_case",), sample=24)
    other = _run(small_view, given=(texts[::-1], labels[::-1]), perturbations=("upper_case",), sample=24)
    assert one.measures == other.measures
    assert one.facts["sampled"] == 24
    # 20, 10, 10 and 40 of 80 in 24 places: 6, 3, 3, 12.
    told = one.facts["perturbations"][0]
    assert (told["right_before"], told["right_after"], told["flags_gained"]) == (18, 9, 15)
    assert any("24 of 80 different texts" in limit for limit in one.limits)
    seeds = {
        tuple(e.text for e in _run(small_view, view={"seed": s}, sample=20, examples=3).examples)
        for s in range(3)
    }
    assert len(seeds) == 3


def test_places_that_are_left_over_go_to_the_largest_remainders() -> None:
    # Four of eleven: shares of 20/11, 12/11, 8/11 and 4/11, of which 1 + 1 are whole; 9/11 and 8/11 are left most.
    sizes = {(0, False): 5, (0, True): 3, (1, False): 2, (1, True): 1}
    assert _allotted(sizes, 4) == {(0, False): 2, (0, True): 1, (1, False): 1, (1, True): 0}


def test_authors_with_several_texts_widen_the_interval(small_view: Callable[..., Any]) -> None:
    texts, labels = _texts()
    authors = [f"author {n // 4}" for n in range(80)]
    found = _run(
        small_view,
        given=(texts, labels),
        view={"clusters": {"test": authors}},
        perturbations=("upper_case",),
    )
    flips = found.measure("flip_rate", label="all", variant=CAPITALS)
    assert flips.clusters == 20
    assert flips.interval == "cluster-t"
    # Each author's four texts flip together but for those of two authors, who have two of each.
    sums = [0.0] * 7 + [2.0] + [4.0] * 12
    spread = stats.tstd([total / 4 for total in sums]) / 20**0.5
    assert flips.high == pytest.approx(50 / 80 + stats.t.ppf(0.975, 19) * spread)
    moved = found.measure("accuracy", label="all", variant=CAPITALS, reference="unperturbed")
    assert "Student on clusters" in moved.method
    assert not any("independent" in limit for limit in found.limits)


def test_texts_without_label_or_score_and_repeated_ones_are_counted(small_view: Callable[..., Any]) -> None:
    texts, labels = _texts()
    texts, labels = [*texts, texts[0], "no label here", "no score here"], [*labels, 1, -1, 0]
    view = small_view(
        {"test": labels},
        {"test": [float("nan") if "no score" in text else _shouting(text) for text in texts]},
        {"test": texts},
        spec=GENDER,
        predictor=lambda text: float("nan") if "12" in text else _shouting(text),
    )
    found = Robustness().run(view, Robustness.Params(perturbations=("upper_case",)))
    assert (found.facts["repeated"], found.facts["unlabelled"], found.facts["unscored"]) == (1, 1, 1)
    # "number 12" and "day 12" get no score once perturbed.
    assert found.facts["perturbations"][0]["unscored"] == 2
    assert any("2 perturbed texts got no score" in limit for limit in found.limits)


def test_examples_are_redacted_and_stand_before_and_after(small_view: Callable[..., Any]) -> None:
    texts = [f"ask @mike{n} about the goose" for n in range(30)]
    found = _run(small_view, given=(texts, [0] * 30), perturbations=("upper_case",), examples=2)
    assert [example.text for example in found.examples] == [
        "ask [handle] about the goose",
        "ASK [handle] ABOUT THE GOOSE",
    ] * 2
    assert found.examples[1].values["score"] == 0.1
    assert not _run(small_view, given=(texts, [0] * 30), examples=0).examples


def test_sentences_tables_and_figures(small_view: Callable[..., Any]) -> None:
    section = Robustness()
    found = _run(small_view)
    assert len(found.facts["perturbations"]) == 10
    keys = {measure.key for measure in found.measures}
    assert len(keys) == len(found.measures)
    tables = section.tables(found)
    assert [table.annex for table in tables] == [False, False, True, True, False]
    for table in tables:
        for row in table.rows:
            assert set(row.measures) <= keys
    plots = section.figures(found)
    assert set(plots) == {"flips", "accuracy"}
    assert all(plot.alternative.endswith(".") for plot in plots.values())
    assert Result.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize("texts", [[], [""], ["😀 &amp; "], ["a" * 10_000], ["مرحبا"], ["@mike"]])
def test_texts_of_which_little_can_be_made(small_view: Callable[..., Any], texts: list[str]) -> None:
    found = _run(small_view, given=(texts, [0] * len(texts)))
    assert Robustness().statements(found)
    assert Robustness().tables(found)
    assert Robustness().figures(found) == {}
    assert not found.findings


def test_not_applicable_without_the_corpus_or_a_live_system(small_view: Callable[..., Any]) -> None:
    found = Robustness().run(small_view({}, predictor=_shouting), Robustness.Params())
    assert (found.status, found.reason) == ("not_applicable", "no test corpus")
    assert Need.LIVE_SYSTEM in Robustness.needs


def test_an_unknown_perturbation_is_one_error(small_view: Callable[..., Any]) -> None:
    with pytest.raises(FairnbError, match="did you mean 'upper_case'"):
        _run(small_view, perturbations=("uppercase",))
