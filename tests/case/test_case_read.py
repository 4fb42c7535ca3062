from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

import pytest

from fairnb.case import CASE_FILE, load_case, read_case_file
from fairnb.case._lines import key_lines, line_of
from fairnb.case._read import resolve
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import section, section_ids


def read(tmp_path: Path, text: str) -> Any:
    (tmp_path / CASE_FILE).write_text(text, encoding="utf-8")
    return read_case_file(tmp_path)


WRONG = """\
[engagement]
title = "T"
level = "fourth-party"
assessor = { nam = "Ada" }

[sistem]
scores = "score"

[targets.toxic]
threshold = 1.5
clases = ["toxic"]

[corpus.tests]
path = "test.csv"

[corpus.test]
use = "paper-test"
text = "tweet"

[criteria]
margin = "five"

[findings]
min_support = 5

[run]
seed = -1

[privacy]
redact = "maks"

[sections.technical_perfomance]
bins = 3

[sections.technical_performance]
bins = 1
treshold = 0.5
"""


def test_every_error_is_told_at_once_with_line_key_and_remedy(tmp_path: Path) -> None:
    reading = read(tmp_path, WRONG)
    assert reading.file is None
    told = {(error.code, error.where.removeprefix(CASE_FILE)): str(error) for error in reading.errors}
    expected = {
        ("unknown-key", " line 6, sistem"): "did you mean 'system'?",
        ("missing-key", " line 1, engagement.independence"): "add independence",
        ("bad-value", " line 3, engagement.level"): "'third-party'",
        ("unknown-key", " line 4, engagement.assessor.nam"): "did you mean 'name'?",
        ("missing-table", ", system"): "[system]",
        ("bad-value", " line 10, targets.toxic.threshold"): "less than or equal to 1",
        ("unknown-key", " line 11, targets.toxic.clases"): "did you mean 'classes'?",
        ("unknown-key", " line 13, corpus.tests"): "did you mean 'test'?",
        ("bad-value", " line 16, corpus.test"): "text cannot be set",
        ("bad-value", " line 21, criteria.margin"): "'five'",
        ("bad-value", " line 24, findings.min_support"): "20",
        ("bad-value", " line 27, run.seed"): "-1",
        ("bad-value", " line 30, privacy.redact"): "'mask'",
        (
            "unknown-section",
            " line 32, sections.technical_perfomance",
        ): "did you mean 'technical_performance'?",
        ("bad-value", " line 36, sections.technical_performance.bins"): "2",
        ("unknown-key", " line 37, sections.technical_performance.treshold"): "did you mean 'threshold'?",
    }
    assert set(told) == set(expected)
    for place, words in expected.items():
        assert words in told[place]


def test_loading_raises_them_all(tmp_path: Path) -> None:
    read(tmp_path, WRONG)
    with pytest.raises(FairnbErrors) as caught:
        load_case(tmp_path)
    assert len(caught.value.errors) == 16


def test_a_case_without_a_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(FairnbError, match="fairnb new") as caught:
        load_case(tmp_path)
    assert caught.value.code == "no-case"


@pytest.mark.parametrize(
    ("text", "where"),
    [("[engagement\n", "line 1"), ('a = "b"\nc = \n', "line 2"), ("x = 1\nx = 2\n", "line 2")],
)
def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path, text: str, where: str) -> None:
    with pytest.raises(FairnbError) as caught:
        read(tmp_path, text)
    assert caught.value.code == "not-toml"
    assert where in caught.value.where


def test_what_is_not_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / CASE_FILE).write_bytes(b'title = "\xe4"')
    with pytest.raises(FairnbError, match="UTF-8"):
        read_case_file(tmp_path)


def test_defaults_are_those_of_the_documentation(make_case: Any) -> None:
    file = load_case(make_case()).file
    assert [target.name for target in file.targets] == ["positive"]
    assert (file.targets[0].positive, file.targets[0].threshold) == ((1,), 0.5)
    assert (file.criteria.margin, file.criteria.alpha, file.criteria.min_support) == (0.05, 0.05, 20)
    assert (file.run.seed, file.run.confidence, file.privacy.redact) == (0, 0.95, "mask")
    assert file.embeddings is None


def test_targets_are_named_by_their_tables_in_order(make_case: Any) -> None:
    folder = make_case(extra="[targets.b]\npositive = [1]\n[targets.a]\npositive = [0]\n")
    assert [target.name for target in load_case(folder).targets] == ["b", "a"]


def test_a_target_cannot_name_itself(make_case: Any) -> None:
    folder = make_case(extra='[targets.b]\nname = "c"\n')
    with pytest.raises(FairnbErrors, match="named by its table"):
        load_case(folder)


def test_dates_are_kept_as_text(make_case: Any) -> None:
    folder = make_case(extra='[criteria]\nset_by = "Ada"\nset_on = 2026-01-31\n')
    assert load_case(folder).file.criteria.set_on == "2026-01-31"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "exactly one of use and path"),
        ('use = "glove-6b-50d"\npath = "v.txt"', "exactly one of use and path"),
        ('path = "vectors.zip"', "must end in"),
        ('use = "glove-6b-50d"\nrelation = "unknown"', "'context only'"),
    ],
)
def test_the_shape_of_embeddings_is_checked(make_case: Any, table: str, words: str) -> None:
    folder = make_case(extra=f"[embeddings]\n{table}\n")
    with pytest.raises(FairnbErrors, match=words):
        load_case(folder)


def test_embeddings_are_read(make_case: Any) -> None:
    folder = make_case(
        extra='[embeddings]\nuse = "system"\nrelation = "used by the system"\ncompare = ["a"]\n'
    )
    spec = load_case(folder).file.embeddings
    assert spec is not None
    assert (spec.use, spec.relation, spec.compare) == ("system", "used by the system", ("a",))


@pytest.mark.parametrize("table", ["engagement = 1", "targets = []", "sections = 3", "[[corpus]]\nx = 1"])
def test_what_is_not_a_table_is_told(tmp_path: Path, table: str) -> None:
    reading = read(tmp_path, table + "\n")
    assert "is not a table" in "\n".join(map(str, reading.errors))


LINES = '''\
# comment
top = 1
[a]
b = 1
c.d = 2
"quoted key" = 3
text = """
[not.a.table]
e = 4
"""
f = [
  1,
]
[a.g]
h = { i = 1 }
[[k]]
l = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("a",), 3),
        (("a", "b"), 4),
        (("a", "c"), 5),
        (("a", "c", "d"), 5),
        (("a", "quoted key"), 6),
        (("a", "text"), 7),
        (("a", "e"), 3),
        (("a", "f", "0"), 11),
        (("a", "g"), 14),
        (("a", "g", "h", "i"), 15),
        (("k", "0", "l"), 17),
        (("not", "there"), None),
    ],
)
def test_keys_are_found_on_their_lines(path: tuple[str, ...], line: int | None) -> None:
    assert line_of(key_lines(LINES), path) == line


def test_a_target_that_no_label_answers_is_refused_wherever_it_stands(make_case: Any) -> None:
    for text in (
        "[targets.odd]\npositive = []\n",
        "[targets.odd]\npositive = [1]\n[corpus.train]\npositive = []\n",
    ):
        extra = text + ('path = "test.csv"\n' if "corpus" in text else "")
        with pytest.raises(FairnbErrors) as caught:
            load_case(make_case(extra=extra))
        assert "at least one" in str(caught.value)


def test_a_target_is_chosen_by_its_name(make_case: Any) -> None:
    case = load_case(make_case())
    with pytest.raises(FairnbError) as caught:
        case.run("technical_performance", target=case.targets[0])  # type: ignore[arg-type]
    assert caught.value.code == "unknown-target"


def test_a_title_that_no_page_can_hold_is_refused(make_case: Any) -> None:
    with pytest.raises(FairnbErrors) as caught:
        load_case(make_case(toml=make_case.toml.replace("A small assessment", "Assessment " * 1000)))
    assert "at most 300 characters" in str(caught.value)
    with pytest.raises(FairnbErrors) as caught:
        load_case(make_case(toml=make_case.toml.replace("none of us built it", "I" * 2000)))
    assert "a word of 2,000 characters" in str(caught.value)


def _numbers(identity: str) -> list[str]:
    """Parameters of a section that take a number."""
    fields = section(identity).Params.model_fields.items()
    return [name for name, field in fields if float in (field.annotation, *get_args(field.annotation))]


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_no_section_takes_a_number_that_is_not_finite(number: float) -> None:
    asked = [(identity, name) for identity in section_ids() for name in _numbers(identity)]
    assert ("footprint", "watts") in asked
    for identity, name in asked:
        with pytest.raises(FairnbError) as refused:
            resolve(identity, {name: number}, f"[sections.{identity}] ")
        assert (refused.value.code, refused.value.where) == ("bad-value", f"[sections.{identity}] {name}")
        assert refused.value.found == f"{number!r} is not possible here"
        assert refused.value.remedy.startswith("it must be ")
    with pytest.raises(FairnbError, match="inf is not possible here; it must be a finite number"):
        resolve("footprint", {"watts": math.inf}, "")
