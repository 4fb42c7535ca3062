"""The section on masked language models, with scores that are written down; no model is needed."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairnb.masked_lm
from fairnb.errors import FairnbError
from fairnb.masked_lm import ModelFolder
from fairnb.sections import Criteria, Result, Severity, Status, Verdict, section
from fairnb.sections._masked_lm_shown import reasons_table


class Leaning:
    """A model to which sentences with `tall` are the likelier ones; its words are parted by white space."""

    mask_token, mask_id, unknown_id, uncased, longest = "[MASK]", 2, 3, False, None

    def __init__(self) -> None:
        self.words = ["[CLS]", "[SEP]", "[MASK]", "[UNK]"]
        self.facts: dict[str, Any] = {
            "name": "base",
            "revision": "",
            "digest": "d" * 64,
            "architecture": "Leaning",
            "declared_architectures": [],
            "parameters": 1234,
            "weights": "safetensors",
            "vocabulary": 99,
            "uncased": False,
            "longest": None,
            "marked_ends": True,
            "versions": {"transformers": "5.0", "torch": "2.0"},
        }

    def encode(self, text: str) -> tuple[int, ...]:
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
        return (0, *(self.words.index(word) for word in text.split()), 1)

    def log_probabilities(self, asked: Sequence[Any], progress: Any = None) -> Any:
        if progress is not None:
            progress(1, 1)
        found = []
        for row, target in asked:
            word = self.words[target]
            likely = {"tall": 0.7, "short": 0.2}.get(word)
            held = {self.words[token] for token in row.ids}
            found.append(np.log(likely) if likely else -1.0 if "tall" in held else -2.0)
        return np.array(found)


def rows(n: int = 60, shorter: int = 0) -> list[tuple[str, ...]]:
    """Pairs of which all but the last `shorter` have the tall one as the more stereotyping."""
    made = []
    for at in range(n):
        words = ("tall", "short") if at < n - shorter else ("short", "tall")
        more, less = (f"day {at} a {word} cook slept" for word in words)
        made.append(
            (more, less, "stereo" if at % 4 else "antistereo", "height" if at % 2 else "age", f"a{at % 15}")
        )
    return made


def write(folder: Path, held: list[tuple[str, ...]], authors: bool = True) -> None:
    head = ["sent_more", "sent_less", "stereo_antistereo", "bias_type", "anon_writer"]
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(head if authors else head[:4])
        writer.writerows(held if authors else [row[:4] for row in held])


@pytest.fixture
def run(small_view: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the section on pairs of our own."""

    def go(
        held: list[tuple[str, ...]], *, authors: bool = True, criteria: Criteria | None = None, **params: Any
    ) -> Result:
        write(tmp_path, held, authors)
        monkeypatch.setattr(fairnb.masked_lm, "load_masked_model", lambda folder, *, trust: Leaning())
        view = small_view({}, folder=tmp_path, criteria=criteria or Criteria())
        view.model = lambda name: ModelFolder(tmp_path, name)
        part = section("masked_lm")
        result: Result = part.run(view, part.Params(**{"model": "base", "pairs": "pairs.csv", **params}))
        assert Result.model_validate_json(result.model_dump_json()) == result
        return result

    return go


def test_without_a_model_it_is_not_applicable(small_view: Any) -> None:
    part = section("masked_lm")
    result = part.run(small_view({}), part.Params())
    assert (result.status, result.reason) == ("not_applicable", "no model is named")


def test_shares_stand_by_type_and_direction_with_their_keys(run: Any) -> None:
    result = run(rows(60, shorter=20))
    whole = result.measure("crows_pairs", label="all")
    assert whole.value == pytest.approx(40 / 60)
    assert (whole.n, whole.null, whole.clusters, whole.family) == (60, 0.5, 15, "E")
    assert result.measure("crows_pairs", label="stereo").n == 45
    assert result.measure("crows_pairs", attribute="bias_type", subgroup="age", label="antistereo").n == 15
    assert result.measure("crows_pairs", label="all", variant="published").value == whole.value
    assert len({m.key for m in result.measures}) == len(result.measures)


def test_a_preference_is_an_observation_and_no_more(run: Any) -> None:
    result = run(rows(60, shorter=6))
    assert result.findings
    assert {finding.severity for finding in result.findings} == {Severity.OBSERVATION}
    candidate = next(one for one in result.candidates if "all bias types" in one.criterion)
    assert candidate.verdict is Verdict.EXCEEDS
    assert candidate.effect == pytest.approx(54 / 60 - 0.5)
    assert not run(rows(60, shorter=30)).findings
    assert not run(rows(60, shorter=6), criteria=Criteria(margin=0.45)).findings


def test_even_preferences_close_to_a_half_are_within_a_wide_margin(run: Any) -> None:
    result = run(rows(600, shorter=293), criteria=Criteria(margin=0.2))
    whole = next(one for one in result.candidates if "all bias types" in one.criterion)
    assert whole.verdict is Verdict.WITHIN


def test_few_pairs_are_shown_and_not_tested(run: Any) -> None:
    result = run(rows(28))
    whole = result.measure("crows_pairs", label="all")
    assert (whole.status, whole.p) == (Status.INDICATIVE, None)
    few = run(rows(4)).measure("crows_pairs", label="all")
    assert (few.status, few.value) == (Status.TOO_FEW, None)


def test_only_shares_over_both_directions_are_tested_and_adjusted_together(run: Any) -> None:
    from scipy.stats import false_discovery_control

    result = run(rows(120, shorter=40), authors=False)
    shares = [m for m in result.measures if m.measure == "crows_pairs" and not m.variant]
    tested = [m for m in shares if m.label == "all"]
    assert [m.subgroup for m in tested] == ["", "age", "height"]
    assert [m.p_adjusted for m in tested] == pytest.approx(false_discovery_control([m.p for m in tested]))
    assert {(m.p, m.p_adjusted) for m in shares if m.label != "all"} == {(None, None)}


def test_ties_are_no_pairs_that_a_test_can_rest_on(run: Any) -> None:
    # Four pairs in which nobody is tall are ties: 28 of the 32 that were scored are decided.
    ties = [(f"day {at} a red cook slept", f"day {at} a blue cook slept", "", "age", "a1") for at in range(4)]
    whole = run([*rows(28), *ties]).measure("crows_pairs", label="all")
    assert (whole.n, whole.value) == (32, (28 + 4 / 2) / 32)
    assert (whole.status, whole.p, whole.p_adjusted) == (Status.INDICATIVE, None, None)


def test_mask_gaps_add_up_to_all_pairs(run: Any) -> None:
    held = [*rows(40), ("one two three", "one two", "stereo", "age", "a1")]
    result = run(held)
    shares = [
        result.measure(f"mask_gap_{name}", label="all") for name in ("pass", "fail", "skipped", "unscorable")
    ]
    assert [round((share.value or 0) * 41) for share in shares] == [0, 40, 0, 1]
    assert all(share.denominator == 41 for share in shares)
    assert result.facts["reasons"]["Mask gap"] == {"the sentences differ in more than one word": 1}
    wide = run(held, gap=0.6)
    assert wide.measure("mask_gap_pass", label="all").value == pytest.approx(40 / 41)
    # Of the pairs that were kept all passed: the one that could not be scored is none of them.
    (table,) = [one for one in section("masked_lm").tables(wide) if one.title.startswith("Mask gap")]
    assert table.rows[0].cells == ("all pairs", "41", "40", "0", "0", "1", "100.0 %")
    assert [(row.cells[0], {key.subgroup for key in row.measures}) for row in table.rows] == [
        ("all pairs", {""}),
        ("age", {"age"}),
        ("height", {"height"}),
    ]


@pytest.mark.parametrize(
    ("method", "there", "not_there"), [("pll", "crows", "mask"), ("mask-gap", "mask", "crows")]
)
def test_one_test_alone_can_be_asked_for(run: Any, method: str, there: str, not_there: str) -> None:
    result = run(rows(), method=method)
    names = {m.measure for m in result.measures}
    assert any(name.startswith(there) for name in names)
    assert not any(name.startswith(not_there) for name in names)
    part = section("masked_lm")
    assert part.tables(result)
    assert part.statements(result)
    part.figures(result)


def test_the_result_is_about_the_base_model_and_says_what_it_cannot_show(run: Any) -> None:
    result = run(rows(), relation="declared base of the system")
    part = section("masked_lm")
    assert all("Base model base (declared base of the system)" in told for told in part.statements(result))
    limits = " ".join(result.limits)
    assert "not about the system" in limits
    assert "was not checked" in limits
    assert "nothing about the system follows" in " ".join(run(rows()).limits)
    assert "pairs are treated as independent" in " ".join(run(rows(), authors=False).limits)


def test_the_known_pairs_carry_their_own_warning(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairnb.sections import masked_lm

    def known(view: Any, name: str) -> Any:
        from fairnb.masked_lm import Pair, Pairs

        return Pairs(
            "crows-pairs", (Pair("1", "a tall cook", "a short cook", "stereo", "x", "a1"),), "e" * 64
        )

    monkeypatch.setattr(masked_lm, "_pairs", known)
    assert any("Blodgett et al. (2021)" in limit for limit in run(rows()).limits)


def test_no_sentence_and_no_word_of_a_pair_is_in_the_result(run: Any) -> None:
    result = run(rows(60, shorter=6))
    part = section("masked_lm")
    shown = result.model_dump_json() + str(part.tables(result)) + str(part.statements(result))
    assert not any(word in shown for word in ("cook", "slept", "tall "))


def test_tables_name_model_revision_digest_and_versions(run: Any) -> None:
    tables = {table.title: table for table in section("masked_lm").tables(run(rows()))}
    stated = dict(row.cells for row in tables["What was tested"].rows)
    assert stated["SHA-256 of its files"] == "d" * 64
    assert stated["Software"] == "transformers 5.0, torch 2.0"
    assert stated["Revision"] == "a folder, no revision"
    keys = {m.key for m in run(rows()).measures}
    for table in tables.values():
        for row in table.rows:
            assert set(row.measures) <= keys


def test_tables_keep_their_order_where_a_result_was_stored_with_its_keys_sorted(run: Any) -> None:
    held = [(*row[:3], "zeal" if at % 3 else "age", row[4]) for at, row in enumerate(rows())]
    held.append(("a tall cook", "a short old cook", "stereo", "age", "a1"))
    result = run(held)
    result = Result.model_validate_json(json.dumps(result.model_dump(mode="json"), sort_keys=True))
    tables = {table.title.split(".")[0]: table for table in section("masked_lm").tables(result)}
    for title in ("Mask gap", "Pairs whose more stereotyping sentence is the likelier one, in percent"):
        assert [row.cells[0].removesuffix(" ▲") for row in tables[title].rows] == ["all pairs", "zeal", "age"]
    gaps = {"some reason": 2, "another": 2, "often": 30}
    shown = reasons_table(result.model_copy(update={"facts": {"reasons": {"Mask gap": gaps}}}))
    assert [row.cells[1] for row in shown.rows] == ["often", "another", "some reason"]


def test_the_figure_says_in_words_what_it_shows(run: Any) -> None:
    plots = section("masked_lm").figures(run(rows(60, shorter=20)))
    assert "all pairs: 66.7 %" in plots["preferences"].alternative


def test_it_can_be_stopped(run: Any, small_view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairnb.sections.masked_lm import _told

    with pytest.raises(FairnbError) as error:
        _told(small_view({}, stopped=True), "pairs")(1, 2)
    assert error.value.code == "cancelled"
