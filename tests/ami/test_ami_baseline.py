"""The baseline: the same labels as a scikit-learn pipeline, valid submissions, and what debiasing does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.ami import (
    generate,
    neutral_sentences,
    open_baseline,
    raw_set,
    read_raw,
    read_synthetic,
    read_terms,
    save_baseline,
    score_submissions,
    train_baseline,
)
from fairnb.cli import main
from fairnb.errors import FairnbError

LABELS = ("misogynous", "aggressiveness")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return generate(tmp_path_factory.mktemp("ami"), "it", rows=3000)


@pytest.fixture
def small(tmp_path: Path) -> dict[str, Path]:
    return generate(tmp_path / "data", "it", rows=720)


def pipeline(texts: list[str], labels: Any) -> Any:
    """The baseline as the paper tells it, put together by scikit-learn alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    return make_pipeline(TfidfVectorizer(max_features=1000), LinearSVC(dual=False)).fit(texts, labels)


def rows_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def entered(data: dict[str, Path], folder: Path, *more: str) -> list[str]:
    return [
        "ami", "baseline", str(data["raw_train"]), str(data["raw_test"]), "--to", str(folder),
        "--synthetic-test", str(data["synthetic_test"]), *more,
    ]  # fmt: skip


def debiasing(data: dict[str, Path]) -> tuple[str, ...]:
    return ("--debias", "--terms", str(data["terms"]))


# ---- the same labels as a pipeline rebuilt here


def test_files_hold_the_labels_of_the_pipeline(small: dict[str, Path], tmp_path: Path) -> None:
    assert main(entered(small, tmp_path / "out")) == 0
    train, test = read_raw(small["raw_train"]), read_raw(small["raw_test"])
    sentences = read_synthetic(small["synthetic_test"])
    machines = {
        label: pipeline(list(train.texts), given)
        for label, given in zip(LABELS, (train.misogynous, train.aggressiveness), strict=True)
    }
    a = rows_of(tmp_path / "out" / "baseline.A.r.c.run1.tsv")
    assert [row[0] for row in a] == list(test.ids)
    for column, label in enumerate(LABELS, 1):
        assert [int(row[column]) for row in a] == machines[label].predict(test.texts).tolist()
    for name, part in (("r", test), ("s", sentences)):
        b = rows_of(tmp_path / "out" / f"baseline.B.{name}.c.run1.tsv")
        expected = machines["misogynous"].predict(part.texts)
        assert b == [[one, str(label)] for one, label in zip(part.ids, expected.tolist(), strict=True)]


def test_subtask_b_also_learns_from_synthetic_sentences(small: dict[str, Path], tmp_path: Path) -> None:
    more = ("--synthetic-train", str(small["synthetic_train"]))
    assert main(entered(small, tmp_path / "with", *more)) == 0
    assert main(entered(small, tmp_path / "without")) == 0
    train, extra = read_raw(small["raw_train"]), read_synthetic(small["synthetic_train"])
    texts = [*train.texts, *extra.texts]
    machine = pipeline(texts, np.concatenate([train.misogynous, extra.misogynous]))  # type: ignore[list-item]
    sentences = read_synthetic(small["synthetic_test"])
    b = rows_of(tmp_path / "with" / "baseline.B.s.c.run1.tsv")
    assert [int(row[1]) for row in b] == machine.predict(sentences.texts).tolist()
    for name, same in (("A.r", True), ("B.s", False)):
        file = f"baseline.{name}.c.run1.tsv"
        assert ((tmp_path / "with" / file).read_bytes() == (tmp_path / "without" / file).read_bytes()) is same


def test_scores_are_the_logistic_function_of_the_pipeline_s_margin(
    small: dict[str, Path], tmp_path: Path
) -> None:
    assert main(entered(small, tmp_path / "labels", "--scores", str(tmp_path / "scores"))) == 0
    train, test = read_raw(small["raw_train"]), read_raw(small["raw_test"])
    margins = pipeline(list(train.texts), train.misogynous).decision_function(test.texts)
    scores = [float(row[1]) for row in rows_of(tmp_path / "scores" / "baseline.B.r.c.run1.tsv")]
    np.testing.assert_allclose(scores, 1 / (1 + np.exp(-margins)), atol=1e-12)
    labels = [int(row[1]) for row in rows_of(tmp_path / "labels" / "baseline.B.r.c.run1.tsv")]
    assert [score > 0.5 for score in scores] == [label == 1 for label in labels]


def test_a_model_uses_the_thousand_most_frequent_words() -> None:
    texts = [f"w{i:04} w{i + 1:04} frequent" for i in range(1500)]
    labels = np.arange(1500) % 2
    model = train_baseline({"misogynous": (texts, labels)}).models["misogynous"]
    assert len(model.vocabulary) == 1000
    assert "frequent" in model.vocabulary


# ---- keeping the models


def test_a_model_that_was_kept_scores_as_before(small: dict[str, Path], tmp_path: Path) -> None:
    assert main(entered(small, tmp_path / "out", "--model", str(tmp_path / "models.json"))) == 0
    train, test = read_raw(small["raw_train"]), read_raw(small["raw_test"])
    opened = open_baseline(tmp_path / "models.json")
    assert opened.labels == LABELS
    trained = train_baseline(
        {"misogynous": (train.texts, train.misogynous), "aggressiveness": (train.texts, train.aggressiveness)}  # type: ignore[dict-item]
    )
    np.testing.assert_array_equal(opened.scores(test.texts), trained.scores(test.texts))
    assert opened.scores(test.texts).shape == (len(test.ids), 2)
    assert opened.scores([]).shape == (0, 2)
    save_baseline(opened, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "models.json").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(schema="other"),
        lambda data: data["models"]["misogynous"]["weights"].pop(),
        lambda data: data["models"]["misogynous"].update(bias="x"),
        lambda data: data["models"]["misogynous"].pop("idf"),
        lambda data: data["models"]["misogynous"].update(bias=float("nan")),
        lambda data: data.update(models=[]),
    ],
)
def test_a_damaged_model_is_told(
    small: dict[str, Path], tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    path = tmp_path / "models.json"
    assert main(entered(small, tmp_path / "out", "--model", str(path))) == 0
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(FairnbError) as caught:
        open_baseline(path)
    assert caught.value.code == "bad-baseline"
    assert caught.value.where == "models.json"


# ---- mistakes


def test_training_texts_of_one_class_are_refused(tmp_path: Path, capsys: Any, small: dict[str, Path]) -> None:
    lines = small["raw_train"].read_text("utf-8").splitlines()
    kept = [lines[0], *(line for line in lines[1:] if line.endswith("\t0\t0"))]
    small["raw_train"].write_text("\n".join(kept) + "\n", "utf-8")
    assert main(entered(small, tmp_path / "out")) == 2
    assert "[one-class]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--debias",), "missing-terms"),
        (("--neutral", "x.txt"), "not-used"),
        (("--terms", "x.txt"), "not-used"),
        (("--team", "a/b"), "bad-submission-name"),
        (("--run", "4"), "bad-submission-name"),
        (("--debias", "--terms", "missing.txt"), "file-missing"),
    ],
)
def test_wrong_use_is_one_sentence_and_writes_nothing(
    small: dict[str, Path], tmp_path: Path, capsys: Any, more: tuple[str, ...], code: str
) -> None:
    assert main(entered(small, tmp_path / "out", *more)) == 2
    told = capsys.readouterr().err
    assert f"[{code}]" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out").exists()


def test_labels_and_scores_do_not_go_to_one_folder(
    small: dict[str, Path], tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "out"
    assert main(entered(small, out, "--scores", str(tmp_path / "." / "out"))) == 2
    assert "[same-folder]" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("more", [("--scores", "taken"), ("--model", "taken/models.json")])
def test_where_one_file_cannot_be_written_none_is(
    small: dict[str, Path], tmp_path: Path, capsys: Any, more: tuple[str, str]
) -> None:
    (tmp_path / "taken").write_text("a file, no folder", "utf-8")
    assert main(entered(small, tmp_path / "out", more[0], str(tmp_path / more[1]))) == 2
    assert "[cannot-write]" in capsys.readouterr().err
    assert not list(tmp_path.glob("out/*"))


def test_synthetic_training_sentences_without_a_test_set_are_refused(
    small: dict[str, Path], tmp_path: Path, capsys: Any
) -> None:
    command = ["ami", "baseline", str(small["raw_train"]), str(small["raw_test"])]
    command += ["--to", str(tmp_path / "out"), "--synthetic-train", str(small["synthetic_train"])]
    assert main(command) == 2
    assert "[missing-synthetic]" in capsys.readouterr().err


def test_test_sets_need_no_labels(small: dict[str, Path], tmp_path: Path) -> None:
    for name in ("raw_test", "synthetic_test"):
        lines = small[name].read_text("utf-8").splitlines()
        small[name].write_text("".join("\t".join(line.split("\t")[:2]) + "\n" for line in lines), "utf-8")
    assert main(entered(small, tmp_path / "out")) == 0


def test_scikit_learn_is_loaded_only_to_train(tmp_path: Path) -> None:
    program = "import sys, fairnb.ami, fairnb.cli; print('sklearn' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


# ---- debiasing


def test_debiasing_is_an_unconstrained_run_and_learns_from_the_neutral_sentences(
    small: dict[str, Path], tmp_path: Path
) -> None:
    assert main(entered(small, tmp_path / "out", *debiasing(small))) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"baseline.{name}.u.run1.tsv" for name in ("A.r", "B.r", "B.s")
    }
    train, test = read_raw(small["raw_train"]), read_raw(small["raw_test"])
    added = neutral_sentences(train.texts, train.misogynous, read_terms(small["terms"]), "it").texts  # type: ignore[arg-type]
    texts = [*train.texts, *added]
    a = rows_of(tmp_path / "out" / "baseline.A.r.u.run1.tsv")
    for column, given in enumerate((train.misogynous, train.aggressiveness), 1):
        labels = [*given.tolist(), *[0] * len(added)]  # type: ignore[union-attr]
        assert [int(row[column]) for row in a] == pipeline(texts, labels).predict(test.texts).tolist()


@pytest.mark.parametrize(("mode", "least"), [("hard", 0.02), ("prob", 0.015)])
def test_debiasing_improves_score_b_where_a_term_bias_is_planted(
    made: dict[str, Path], tmp_path: Path, mode: Any, least: float
) -> None:
    """Measured with seed 0: +0.027 with labels, +0.023 with scores; seeds 0 to 11: from 0.011 and 0.007 on."""
    for team, more in (("plain", ()), ("debiased", debiasing(made))):
        scores = ("--scores", str(tmp_path / f"{team}-prob"), "--team", team)
        assert main(entered(made, tmp_path / f"{team}-hard", *scores, *more)) == 0
    report = score_submissions(
        [tmp_path / f"{team}-{mode}" for team in ("plain", "debiased")],
        gold_raw=made["raw_test"],
        gold_synthetic=made["synthetic_test"],
        terms=made["terms"],
        scores=mode,
        resamples=50,
    )
    by_team: dict[str, Any] = {one.run.team: one for one in report.runs}
    plain, debiased = by_team["plain"].b, by_team["debiased"].b
    assert debiased.score.value - plain.score.value > least
    for kind in ("subgroup", "bpsn", "bnsp"):
        assert debiased.means[kind] - plain.means[kind] > least
    # It costs next to nothing on the raw set.
    assert abs(debiased.auc_raw.value - plain.auc_raw.value) < 0.01
    assert abs(by_team["debiased"].a.score.value - by_team["plain"].a.score.value) < 0.01


def test_terms_of_misogynous_texts_are_those_that_the_plain_baseline_wrongs(
    made: dict[str, Path], tmp_path: Path
) -> None:
    assert main(entered(made, tmp_path / "labels", "--scores", str(tmp_path / "scores"))) == 0
    report = score_submissions(
        [tmp_path / "scores"],
        gold_raw=made["raw_test"],
        gold_synthetic=made["synthetic_test"],
        terms=made["terms"],
        scores="prob",
        resamples=50,
    )
    b: Any = report.runs[0].b
    bpsn = {term.term: term.areas["bpsn"].value for term in b.terms}
    posts = raw_set("it", "train", 3000)
    loaded = {post.term for post in posts if post.misogynous} & {"moglie", "donna", "ragazza", "casalinga"}
    assert loaded == {"moglie", "donna", "ragazza", "casalinga"}
    assert max(bpsn[term] for term in loaded) < min(bpsn[term] for term in ("nonna", "zia", "sorella"))


def test_the_same_command_writes_the_same_bytes(small: dict[str, Path], tmp_path: Path) -> None:
    for name in ("first", "second"):
        folder = tmp_path / name
        assert main(entered(small, folder, "--scores", str(tmp_path / f"{name}-s"), *debiasing(small))) == 0
    for folder in ("first", "first-s"):
        for path in (tmp_path / folder).iterdir():
            assert (
                path.read_bytes() == (tmp_path / folder.replace("first", "second") / path.name).read_bytes()
            )
