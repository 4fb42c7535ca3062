from __future__ import annotations

import json
from typing import Any

import pytest

from fairnb.case import BUNDLE, check_case, export_asks, load_case


def told(folder: Any) -> list[tuple[str, str]]:
    return [(error.code, str(error)) for error in check_case(folder)]


def test_a_sound_case_has_no_errors(make_case: Any) -> None:
    assert told(make_case()) == []


def test_shape_and_contents_are_told_together(make_case: Any) -> None:
    toml = make_case.toml.replace('path = "test.csv"', 'path = "test.csv"\nlabel = "klass"')
    folder = make_case(toml=toml, extra="[corpus.train]\npath = 'gone.csv'\n[run]\nsed = 1\n")
    (folder / "assessment.ipynb").unlink()
    codes = [code for code, _ in told(folder)]
    assert codes == ["unknown-key", "file-missing", "missing-column", "no-notebook"]


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ('path = "test.csv"', 'path = "tests.csv"', "file-missing", "line 10, corpus.test"),
        ('path = "test.csv"', 'path = "test.csv"\ntext = "tweet"', "missing-column", "line 10, corpus.test"),
        ('path = "test.csv"', 'path = "test.csv"\npositive = [7]', "label-not-found", "corpus.test.positive"),
        ('scores = "score"', 'scores = "p"', "missing-column", "p"),
        ('scores = "score"', 'sklearn = "gone.skops"', "missing-file", "line 8, system.sklearn"),
        ('scores = "score"', 'use = "toxic"', "unknown-name", "line 8, system.use"),
        ('scores = "score"', 'python = "gone:score"', "no-such-module", "system.python"),
        (
            "[corpus.test]",
            "[targets.t]\npositive = [2]\n[corpus.test]",
            "label-not-found",
            "targets.t.positive",
        ),
        (
            "[corpus.test]",
            '[targets.t]\nclasses = ["a"]\n[corpus.test]',
            "unknown-class",
            "targets.t.classes",
        ),
        ("[corpus.test]", '[lexicon]\nlanguages = ["xx"]\n[corpus.test]', "unknown-language", "lexicon"),
    ],
)
def test_what_the_case_file_names_is_looked_at(
    make_case: Any, old: str, new: str, code: str, words: str
) -> None:
    errors = told(make_case(toml=make_case.toml.replace(old, new)))
    assert [found for found, _ in errors] == [code]
    assert words in errors[0][1]


def test_classes_of_targets_are_those_of_the_system(make_case: Any) -> None:
    toml = make_case.toml.replace('scores = "score"', 'use = "toxic-comment-classifier"')
    (none,) = told(make_case(toml=toml))
    assert none[0] == "several-classes"
    (wrong,) = told(make_case(toml=toml, extra='[targets.t]\nclasses = ["toxid"]\n'))
    assert "did you mean 'toxic'?" in wrong[1]
    assert told(make_case(toml=toml, extra='[targets.t]\nclasses = ["toxic"]\n')) == []


@pytest.mark.parametrize("label", [0, 1])
def test_a_test_corpus_of_one_class_is_told(make_case: Any, label: int) -> None:
    rows = [("You are a silly goose", label, 0.5), ("It rained", label, 0.2)]
    (error,) = told(make_case(rows=rows, extra="[targets.t]\npositive = [1]\nnegative = [0]\n"))
    assert error[0] == "one-class-corpus"
    assert ("positive", "negative")[label] in error[1]


def test_an_empty_corpus_is_told(make_case: Any) -> None:
    ((code, _),) = told(make_case(rows=()))
    assert code == "empty-corpus"


def test_a_recorded_value_that_is_no_probability_is_told_with_its_line(make_case: Any) -> None:
    rows = [("You are a silly goose", 1, 1.5), ("It rained", 0, 0.2)]
    ((code, text),) = told(make_case(rows=rows))
    assert code == "not-a-score"
    assert "test.csv, line 2, column 'score'" in text


def test_a_function_that_only_the_notebook_has_is_no_error(make_case: Any) -> None:
    toml = make_case.toml.replace('scores = "score"', 'python = "live"\nversion = "1"')
    assert told(make_case(toml=toml)) == []


def test_a_folder_without_a_case_is_told(tmp_path: Any) -> None:
    assert [code for code, _ in told(tmp_path)] == ["no-case"]


def test_a_path_that_no_file_can_have_is_told(make_case: Any) -> None:
    found = told(make_case(extra='[corpus.train]\npath = "a\\u0000b"\n'))
    assert [code for code, _ in found] == ["bad-path"]


def test_a_case_that_lacks_nothing_asks_for_nothing_more(make_case: Any, tiny: list[str]) -> None:
    folder = make_case()
    case = load_case(folder)
    drafts = [f"draft: {reason}" for reason in case.draft]
    unrun, *rest = export_asks(case)
    assert unrun.startswith("cell 2, “Counting”, and 3 more: the section has not been run; ")
    assert rest == drafts
    sources = [f'case.section("{identity}")' for identity in case.sections]
    outputs = {
        index: [
            {
                "output_type": "display_data",
                "metadata": {},
                "data": {BUNDLE: [payload.to_json() for payload in case.run_all(identity)]},
            }
        ]
        for index, identity in enumerate(case.sections)
    }
    (folder / "assessment.ipynb").write_text(json.dumps(make_case.notebook(*sources, outputs=outputs)))
    assert export_asks(load_case(folder)) == drafts
