"""The official script's lines: its figures by scikit-learn and pandas, and its quirks one by one."""

from __future__ import annotations

import numpy as np
import pytest

from fairnb.ami import official_outcomes, score_submissions
from fairnb.ami._official import official
from fairnb.errors import FairnbError


def outcome(task, files, subtask):
    packed = [(f"{name}", data.encode()) for name, data in files.items()]
    return official(subtask, packed, task.raw, task.synthetic, task.terms)


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_scikit_learn_and_of_our_hard_scores(task, arithmetic, seed):
    files = {**task.files(task.guessed(seed)), **task.files(task.guessed(seed + 50), run=2)}
    (of_a, of_b) = official_outcomes([task.zipped(files)], task.raw, task.synthetic, task.terms)
    ours = score_submissions([task.zipped(files)], **task.golds(), resamples=10)
    terms = task.terms.read_text("utf-8").splitlines()
    for run, scored in zip((1, 2), ours.runs, strict=True):
        a = arithmetic.score_a(task.raw, files[f"coro.A.r.c.run{run}"])
        b = arithmetic.score_b(
            task.raw,
            task.synthetic,
            terms,
            files[f"coro.B.r.c.run{run}.tsv"],
            files[f"coro.B.s.c.run{run}.tsv"],
        )
        assert of_a.scores[f"run{run}"] == pytest.approx(a["score_a"], abs=1e-14)
        assert of_b.scores[f"run{run}"] == pytest.approx(b["score_b"], abs=1e-14)
        assert scored.a.score.value == pytest.approx(a["score_a"], abs=1e-14)
        assert scored.a.misogynous.value == pytest.approx(a["misogynous"], abs=1e-14)
        assert scored.a.aggressiveness.value == pytest.approx(a["aggressiveness"], abs=1e-14)
        assert scored.b.score.value == pytest.approx(b["score_b"], abs=1e-14)
        assert scored.b.auc_raw.value == pytest.approx(b["auc_raw"], abs=1e-14)
        for term, wanted in zip(scored.b.terms, b["terms"], strict=True):
            assert {kind: area.value for kind, area in term.areas.items()} == pytest.approx(wanted, abs=1e-14)
    assert (of_a.refused, of_b.refused) == ("", "")


def test_lines_are_the_scripts(task):
    files = task.files(task.guessed(1))
    found = outcome(task, files, "A")
    score = found.scores["run1"]
    assert found.lines[0] == "Starting evaluation Subtask A"
    assert found.lines[1] == "******************** run1"
    assert found.lines[2].startswith("taskA_fscore_misogynous: 0.")
    assert found.lines[4].startswith("taskA_fscore_aggressiveness: 0.")
    assert found.lines[-2:] == ("run_subtaskA\tscore", f"run1\t{score}")
    found = outcome(task, files, "B")
    assert found.lines[2] == f"taskB_biasmetric: {found.scores['run1']}"


def test_a_lone_quote_makes_the_script_refuse_what_is_right(task):
    texts = [f"il coro canta il brano {row}" for row in range(120)]
    texts[10], texts[14] = '"bravi dicono tutti', 'ancora"'
    task.write(texts)
    files = task.files(task.guessed(1))
    found = outcome(task, files, "A")
    assert found.refused == "Prediction and gold raw data have different number of lines."
    ours = score_submissions([task.zipped(files)], **task.golds(), resamples=10)
    assert ours.runs[0].a.rows == 120


def test_a_blank_term_at_the_end_leaves_the_script_without_a_score(task, arithmetic):
    task.terms.write_text("donne\nzie\n\n", "utf-8")
    files = task.files(task.guessed(1))
    found = outcome(task, files, "B")
    assert np.isnan(found.scores["run1"])
    assert "taskB_biasmetric: nan" in found.lines
    script = arithmetic.score_b(
        task.raw,
        task.synthetic,
        ["donne", "zie", ""],
        files["coro.B.r.c.run1.tsv"],
        files["coro.B.s.c.run1.tsv"],
    )
    assert np.isnan(script["score_b"])
    assert script["terms"][2]["subgroup"] == pytest.approx(
        arithmetic.score_b(
            task.raw, task.synthetic, ["coro"], files["coro.B.r.c.run1.tsv"], files["coro.B.s.c.run1.tsv"]
        )["terms"][0]["subgroup"]
    )
    with pytest.raises(FairnbError) as caught:
        score_submissions([task.zipped(files)], **task.golds())
    assert (caught.value.code, caught.value.where) == ("blank-term", "terms.txt, line 3")


def test_a_term_of_one_class_is_nan_in_the_script_and_undefined_here(task):
    task.terms.write_text("donne\nnessuna\n", "utf-8")
    files = task.files(task.guessed(1))
    assert np.isnan(outcome(task, files, "B").scores["run1"])
    found = score_submissions([task.zipped(files)], **task.golds(), resamples=10).to_json()
    assert found["score_b"] is None
    assert "'nessuna'" in found["score_b_undefined"]
    assert (found["terms_defined"], found["terms_listed"]) == (1, 2)
    assert 0 < found["score_b_defined"] < 1


def test_a_term_is_a_pattern_to_the_script_and_a_word_here(task, arithmetic):
    task.terms.write_text("d.nne\nzie\n", "utf-8")
    files = task.files(task.guessed(1))
    parts = files["coro.B.r.c.run1.tsv"], files["coro.B.s.c.run1.tsv"]
    live = arithmetic.score_b(task.raw, task.synthetic, ["d.nne", "zie"], *parts)
    assert outcome(task, files, "B").scores["run1"] == pytest.approx(live["score_b"], abs=1e-14)
    found = score_submissions([task.zipped(files)], **task.golds(), resamples=10)
    assert found.runs[0].b.undefined == ("d.nne",)
    assert any("reads as a pattern" in warning for warning in found.warnings)
    task.terms.write_text("(donne\n", "utf-8")
    assert outcome(task, files, "B").refused.startswith("re.error:")


def test_an_id_given_twice_slips_through_where_the_counts_balance(task, arithmetic):
    files = task.files(task.guessed(1))
    lines = files["coro.A.r.c.run1"].split("\n")
    lines[5] = lines[4]
    files["coro.A.r.c.run1"] = "\n".join(lines)
    found = outcome(task, files, "A")
    assert found.refused == ""
    script = arithmetic.score_a(task.raw, files["coro.A.r.c.run1"])
    assert found.scores["run1"] == pytest.approx(script["score_a"], abs=1e-14)
    with pytest.raises(FairnbError, match="'104' stands in line 5 already"):
        score_submissions([task.zipped(files)], **task.golds())


def test_aggressiveness_is_not_looked_at_and_a_third_value_counts_as_a_class(task, arithmetic):
    files = task.files(task.guessed(1))
    lines = files["coro.A.r.c.run1"].split("\n")
    lines[0] = lines[0][:-1] + "2"
    files["coro.A.r.c.run1"] = "\n".join(lines)
    found = outcome(task, files, "A")
    script = arithmetic.score_a(task.raw, files["coro.A.r.c.run1"])
    assert found.refused == ""
    assert found.scores["run1"] == pytest.approx(script["score_a"], abs=1e-14)
    with pytest.raises(FairnbError, match="aggressiveness is '2'"):
        score_submissions([task.zipped(files)], **task.golds())


def test_the_two_sets_are_called_by_each_others_name_after_merging(task):
    whole = task.files(task.guessed(1))

    def with_unknown_id(part: str) -> str:
        files = dict(whole)
        name = next(name for name in files if part in name)
        files[name] = "unknown" + files[name][files[name].index("\t") :]
        return outcome(task, files, "B").refused

    ending = "data have different number of lines or different IDs."
    assert with_unknown_id(".B.s") == f"Prediction and gold raw {ending}"
    assert with_unknown_id(".B.r") == f"Prediction and gold synt {ending}"


def test_before_merging_they_are_called_by_their_own(task):
    for part, word in ((".B.s", "synt"), (".B.r", "raw")):
        files = task.files(task.guessed(1))
        name = next(name for name in files if part in name)
        files[name] = files[name].partition("\n")[2]
        assert (
            outcome(task, files, "B").refused
            == f"Prediction and gold {word} data have different number of lines."
        )


def test_a_missing_synthetic_file_is_called_a_format_error(task):
    files = {name: data for name, data in task.files(task.guessed(1)).items() if ".B.s" not in name}
    assert outcome(task, files, "B").refused == "Exception: error in synt prediction file format."
    with pytest.raises(FairnbError, match=r"its synthetic file coro\.B\.s\.c\.run1 is missing"):
        score_submissions([task.zipped(files)], **task.golds())


def test_scores_are_a_format_error(task):
    files = task.files(task.guessed(1))
    files["coro.A.r.c.run1"] = files["coro.A.r.c.run1"].replace("\t1\n", "\t0.87\n", 1)
    found = outcome(task, files, "A")
    assert found.refused == "Exception: error in raw prediction file format."
    assert found.lines == (found.refused,)


def test_two_raw_files_of_one_run_are_too_many_and_two_synthetic_ones_are_not(task):
    files = task.files(task.guessed(1))
    twice = files | {"coro.A.r.u.run1": files["coro.A.r.c.run1"]}
    assert (
        outcome(task, twice, "A").refused
        == "Exception: too many raw prediction files for run1 (check file names)."
    )
    twice = files | {"coro.B.s.u.run1": files["coro.B.s.c.run1.tsv"]}
    assert outcome(task, twice, "B").refused == ""


def test_a_raw_file_that_is_missing_is_told(task):
    files = {name: data for name, data in task.files(task.guessed(1)).items() if ".B.r" not in name}
    assert (
        outcome(task, files, "B").refused == "Exception: no raw prediction files for run1 (check file names)."
    )


def test_a_label_that_gold_never_has_is_a_wrong_value(task):
    task.misogynous[:] = 0
    task.aggressiveness[:] = 0
    task.write()
    found = outcome(task, task.files(task.guessed(1)), "A")
    assert found.refused == "Wrong value in misogynous prediction column of raw data."


def test_single_files_are_one_submission_and_none_is_an_error(task):
    paths = []
    for name, data in task.files(task.guessed(1)).items():
        (task.folder / name).write_text(data, "utf-8")
        paths.append(task.folder / name)
    found = official_outcomes(paths, task.raw, task.synthetic, task.terms)
    assert [one.subtask for one in found] == ["A", "B"]
    assert [one.subtask for one in official_outcomes(paths, task.raw)] == ["A"]
    with pytest.raises(FairnbError) as caught:
        official_outcomes([task.raw], task.raw)
    assert caught.value.code == "empty-submission"


def test_files_are_read_run_by_run_so_that_the_first_bad_one_is_told(task):
    files = {**task.files(task.guessed(1)), **task.files(task.guessed(2), run=2)}
    files["coro.B.s.c.run1.tsv"] = files["coro.B.r.c.run2.tsv"] = "x\ty\n"
    assert outcome(task, files, "B").refused == "Exception: error in synt prediction file format."


@pytest.mark.parametrize(
    ("part", "change", "told"),
    [
        # A third cell too many makes the ids the table's index: pandas then merges words with numbers.
        ("coro.A.r.c.run1", lambda text: text.replace("\n", "\t7\n"), "ValueError: "),
        ("coro.A.r.c.run1", lambda text: text.replace("\t0\n", f"\t{'9' * 25}\n", 1), "ValueError: "),
    ],
)
def test_where_the_script_ends_in_a_traceback_its_last_words_are_told(task, part, change, told):
    files = task.files(task.guessed(1))
    assert outcome(task, {**files, part: change(files[part])}, "A").refused.startswith(told)


def test_subtask_b_does_not_ask_for_aggressiveness(task):
    files = task.files(task.guessed(1))
    whole = outcome(task, files, "B")
    rows = task.raw.read_text("utf-8").splitlines()
    task.raw.write_text("".join(line.rpartition("\t")[0] + "\n" for line in rows), "utf-8")
    assert outcome(task, files, "B") == whole
    assert outcome(task, files, "A").lines[-1] == "KeyError: 'aggressiveness_pred'"


def test_an_empty_text_is_no_end(task):
    files = task.files(task.guessed(1))
    rows = task.synthetic.read_text("utf-8")
    task.synthetic.write_text(rows.replace(task.sentences[3][0], "", 1), "utf-8")
    assert outcome(task, files, "B").refused == ""


def test_no_terms_at_all_are_a_key_error(task):
    task.terms.write_text("", "utf-8")
    assert outcome(task, task.files(task.guessed(1)), "B").refused.startswith("KeyError: 'misogynous_pred_")


def test_a_gold_label_beyond_one_ends_the_script(task):
    rows = task.raw.read_text("utf-8").splitlines()
    rows[5] = "\t".join([*rows[5].split("\t")[:2], "2", "0"])
    task.raw.write_text("\n".join(rows) + "\n", "utf-8")
    assert outcome(task, task.files(task.guessed(1)), "B").refused.startswith("ValueError: ")


def test_a_gold_file_that_pandas_does_not_read_is_told_in_its_words(task):
    task.raw.write_bytes(b"id\ttext\tmisogynous\taggressiveness\n1\t\xe8\t0\t0\n")
    assert outcome(task, task.files(task.guessed(1)), "A").refused.startswith("UnicodeDecodeError: ")
