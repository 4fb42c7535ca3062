from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairnb.case import check_case, load_case, new_case, read_register
from fairnb.case._answers import read_answers
from fairnb.errors import FairnbError
from fairnb.files import templates
from fairnb.sections import Answers, Register, questions

SCORED = (
    'text,label,score\n"You are a silly goose",1,0.9\n"It rained on Monday",0,0.1\n"Bread is baked",0,0.2\n'
)
BESIDE = ("questionnaire.toml", "findings.toml")


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    path = tmp_path / "scored.csv"
    path.write_text(SCORED, encoding="utf-8")
    return path


def test_with_a_system_and_a_file_it_runs_as_it_is(tmp_path: Path, scored: Path) -> None:
    folder = tmp_path / "made" / "case"
    written = new_case(folder, system="scores:score", test=str(scored))
    assert {path.name for path in written} == {"assessment.toml", "assessment.ipynb", "scored.csv", *BESIDE}
    assert check_case(folder) == []
    case = load_case(folder)
    assert case.run("technical_performance").result.measure("accuracy", label="all").n == 3
    assert case.draft


def test_guesses_are_marked_for_confirmation(tmp_path: Path) -> None:
    path = tmp_path / "tweets.csv"
    path.write_text(
        "tweet_id,tweet,class,lang\n1,You are a silly goose,hateful,en\n2,It rained on Monday,neither,en\n",
        encoding="utf-8",
    )
    new_case(tmp_path / "case", system="toxic-comment-classifier", test=str(path))
    text = (tmp_path / "case" / "assessment.toml").read_text(encoding="utf-8")
    said = tomllib.loads(text)
    assert said["corpus"]["test"]["text"] == "tweet"
    assert said["corpus"]["test"]["label"] == "class"
    assert said["targets"]["toxic"]["positive"] == ["hateful"]
    for key in ('text = "tweet"', 'label = "class"', 'positive = ["hateful"]', 'classes = ["toxic"]'):
        (line,) = (line for line in text.splitlines() if line.startswith(key))
        assert "guessed from" in line
        assert line.endswith("confirm")
    assert check_case(tmp_path / "case") == []


def test_a_corpus_with_other_labels_than_the_target_names_its_own(tmp_path: Path) -> None:
    new_case(
        tmp_path / "case", system="toxic-comment-classifier", test="demo-test", synthetic="jigsaw-madlibs"
    )
    said = tomllib.loads((tmp_path / "case" / "assessment.toml").read_text(encoding="utf-8"))
    assert said["targets"]["toxic"]["positive"] == [1]
    assert said["targets"]["toxic"]["negative"] == [0]
    assert "positive" not in said["corpus"]["test"]
    assert said["corpus"]["synthetic"] == {
        "use": "jigsaw-madlibs",
        "positive": ["BAD"],
        "negative": ["NOT_BAD"],
    }


def test_known_corpora_bring_their_positive_labels(tmp_path: Path) -> None:
    new_case(tmp_path / "case", system="toxic-comment-classifier", train="demo-train", test="demo-test")
    said = tomllib.loads((tmp_path / "case" / "assessment.toml").read_text(encoding="utf-8"))
    assert said["corpus"] == {"train": {"use": "demo-train"}, "test": {"use": "demo-test"}}
    assert said["targets"]["toxic"]["positive"] == [1]
    assert check_case(tmp_path / "case") == []


def test_without_system_and_corpus_it_is_a_skeleton_that_check_refuses(tmp_path: Path) -> None:
    new_case(tmp_path / "case")
    assert [error.where for error in check_case(tmp_path / "case")] == [
        "assessment.toml, system",
        "assessment.toml, corpus",
    ]


def test_the_title_is_written_into_case_file_and_notebook(tmp_path: Path) -> None:
    title = 'On "Nettle" \\ and\nothers'
    new_case(tmp_path / "case", title=title)
    said = tomllib.loads((tmp_path / "case" / "assessment.toml").read_text(encoding="utf-8"))
    assert said["engagement"]["title"] == title
    notebook = json.loads((tmp_path / "case" / "assessment.ipynb").read_text(encoding="utf-8"))
    assert notebook["cells"][0]["source"][0] == '# On "Nettle" \\ and others\n'


def test_the_notebook_is_the_template(tmp_path: Path) -> None:
    new_case(tmp_path / "case")
    made = json.loads((tmp_path / "case" / "assessment.ipynb").read_text(encoding="utf-8"))
    template = json.loads((templates("notebooks") / "assessment.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(made)
    for cell in made["cells"]:
        cell["metadata"].pop("fairnb", None)
    assert made["cells"][1:] == template["cells"][1:]


@pytest.mark.parametrize("name", ["assessment.toml", "assessment.ipynb", ".fairnb"])
def test_a_case_that_is_there_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir() if name == ".fairnb" else (tmp_path / name).write_text("mine")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(FairnbError) as caught:
        new_case(tmp_path)
    assert caught.value.code == "case-exists"
    assert sorted(tmp_path.iterdir()) == before


def test_other_files_of_the_folder_are_left_alone_and_used(tmp_path: Path, scored: Path) -> None:
    written = new_case(tmp_path, system="scores:score", test=str(scored))
    assert {path.name for path in written} == {"assessment.toml", "assessment.ipynb", *BESIDE}
    assert scored.read_text(encoding="utf-8") == SCORED
    assert check_case(tmp_path) == []


def test_a_name_inside_the_folder_is_found_there(tmp_path: Path, scored: Path) -> None:
    new_case(tmp_path, system="scores:score", test="scored.csv")
    assert check_case(tmp_path) == []


def test_another_file_of_the_same_name_is_not_overwritten(tmp_path: Path, scored: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "scored.csv").write_text("other", encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        new_case(folder, system="scores:score", test=str(scored))
    assert caught.value.code == "file-exists"
    assert [path.name for path in folder.iterdir()] == ["scored.csv"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"system": "toxic-comment-clasifier"}, "unknown-system", "did you mean 'toxic-comment-classifier'"),
        ({"system": "pickle:model.pkl"}, "unknown-system", "python:..."),
        ({"system": "sklearn:none.skops"}, "missing-file", "none.skops"),
        ({"test": "papertest"}, "unknown-corpus", "did you mean 'paper-test'"),
        ({"test": "none.csv"}, "unknown-corpus", "neither a known corpus nor a file"),
    ],
)
def test_a_wrong_name_is_told_and_nothing_is_written(
    tmp_path: Path, arguments: Any, code: str, words: str
) -> None:
    with pytest.raises(FairnbError, match=words) as caught:
        new_case(tmp_path / "case", **arguments)
    assert caught.value.code == code
    assert not (tmp_path / "case").exists()


def test_a_file_without_labels_is_told(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("text\nYou are a silly goose\nIt rained on Monday\n", encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        new_case(tmp_path / "case", system="toxic-comment-classifier", test=str(path))
    assert caught.value.code == "no-label-column"


def test_a_function_of_a_file_here_is_taken_along(
    tmp_path: Path, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_scorer.py").write_text("def score(texts):\n    return [0.5 for _ in texts]\n")
    monkeypatch.chdir(tmp_path)
    new_case("case", system="python:my_scorer:score", test="scored.csv")
    assert (tmp_path / "case" / "my_scorer.py").is_file()
    assert check_case("case") == []


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    with pytest.raises(FairnbError) as caught:
        new_case(tmp_path / "file" / "case")
    assert caught.value.code == "cannot-write"


def test_a_pickle_is_refused_with_what_to_do_while_there_is_no_case_file(
    tmp_path: Path, scored: Path
) -> None:
    model = tmp_path / "model.joblib"
    model.write_bytes(b"not even read")
    with pytest.raises(FairnbError) as caught:
        new_case(tmp_path / "case", system=f"sklearn:{model}", test=str(scored))
    assert (caught.value.code, caught.value.where) == ("not-trusted", "--system")
    for said in ("trust = true", "start the case without --system", 'sklearn = "model.joblib"'):
        assert said in caught.value.remedy
    assert not (tmp_path / "case").exists()


def test_what_stands_beside_the_case_file_says_nothing_until_it_is_filled_in(tmp_path: Path) -> None:
    new_case(tmp_path, system="toxic-comment-classifier", test="demo-test")
    assert read_register(tmp_path) == Register()
    assert read_answers(tmp_path) == Answers()
    filled = [
        (name, "\n".join(uncommented((tmp_path / name).read_text(encoding="utf-8")))) for name in BESIDE
    ]
    answers = tomllib.loads(filled[0][1])
    answers["answers"].pop("ID")
    assert list(Answers.model_validate(answers).answers) == [asked.id for asked in questions()]
    register = tomllib.loads(filled[1][1])
    row = {"title": "t", "condition": "c", "source": "s", "by": "Ada"}
    Register.model_validate({**register, "added": [{**register["added"][0], **row}]})


def uncommented(text: str) -> list[str]:
    """Lines that are commented out and are TOML, as they would stand if they were filled in."""
    lines = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")]
    return [line for line in lines if re.match(r"\[|\w+ = ", line)]


def test_answers_and_findings_that_are_there_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "findings.toml").write_text("# mine\n", encoding="utf-8")
    written = new_case(tmp_path, system="toxic-comment-classifier", test="demo-test")
    assert "findings.toml" not in [path.name for path in written]
    assert (tmp_path / "findings.toml").read_text(encoding="utf-8") == "# mine\n"
