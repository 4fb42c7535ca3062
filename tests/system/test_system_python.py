"""Functions: of a module in the case folder, of an installed one, and passed by the notebook."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import ExitCode, FairnbError
from fairnb.system import SystemSpec, open_system, score_texts

HALF = "def score(texts):\n    return [0.5] * len(texts)\n"


def opened(folder: Path, python: str = "own_scorer:score", **spec: Any) -> Any:
    return open_system(SystemSpec(python=python, **spec), folder)


def test_the_module_is_looked_for_in_the_case_folder_first(tmp_path: Path) -> None:
    # `wave` is a module of the standard library too, which stays what it was for everybody else.
    import wave

    (tmp_path / "wave.py").write_text(HALF)
    assert score_texts(opened(tmp_path, "wave:score"), ["a"]).values.tolist() == [[0.5]]
    assert sys.modules["wave"] is wave
    assert str(tmp_path) not in sys.path


def test_a_package_in_the_case_folder_with_its_own_imports(tmp_path: Path) -> None:
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "weights.py").write_text("VALUE = 0.25\n")
    (package / "model.py").write_text(
        "from .weights import VALUE\nimport own_helper\n\n"
        "class Model:\n    def score(self, texts):\n        import own_late\n"
        "        return [VALUE + own_helper.MORE + own_late.MORE] * len(texts)\n\nmodel = Model()\n"
    )
    (tmp_path / "own_helper.py").write_text("MORE = 0.25\n")
    (tmp_path / "own_late.py").write_text("MORE = 0.125\n")
    system = opened(tmp_path, "own_package.model:model.score", version="1")
    assert score_texts(system, ["a"]).values.tolist() == [[0.625]]
    assert set(system.facts["files"]) == {
        f"own_package/{name}.py" for name in ("__init__", "model", "weights")
    }


def test_a_folder_without_init_is_a_package_as_in_python(tmp_path: Path) -> None:
    (tmp_path / "own_models").mkdir()
    (tmp_path / "own_models" / "scorer.py").write_text(HALF)
    system = opened(tmp_path, "own_models.scorer:score")
    assert score_texts(system, ["a"]).values.tolist() == [[0.5]]
    assert set(system.facts["files"]) == {"own_models/scorer.py"}


def test_an_installed_module_will_do(tmp_path: Path) -> None:
    system = opened(tmp_path, "statistics:mean")
    assert set(system.facts["files"]) == {"statistics.py"}


def test_an_edited_module_is_another_system_and_is_loaded_afresh(tmp_path: Path) -> None:
    path = tmp_path / "own_scorer.py"
    path.write_text(HALF)
    before = opened(tmp_path, version="1")
    score_texts(before, ["a"])
    path.write_text(HALF.replace("0.5", "0.25"))
    after = opened(tmp_path, version="1")
    assert score_texts(after, ["a"]).values.tolist() == [[0.25]]
    assert before.fingerprint != after.fingerprint


def test_a_module_edited_between_opening_and_scoring_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "own_scorer.py"
    path.write_text(HALF)
    system = opened(tmp_path, version="1")
    path.write_text("raise RuntimeError('ran')\n")
    with pytest.raises(FairnbError) as caught:
        score_texts(system, ["a"])
    assert caught.value.code == "file-changed"


def test_another_live_function_is_another_system_even_under_one_version(tmp_path: Path) -> None:
    functions = [
        lambda texts: [0.5] * len(texts),
        lambda texts: [0.25] * len(texts),
    ]
    spec = SystemSpec(python="live", version="1")
    fingerprints = {open_system(spec, tmp_path, live_object=each).fingerprint for each in functions}
    assert len(fingerprints) == 2


def test_opening_does_not_run_the_module(tmp_path: Path) -> None:
    (tmp_path / "own_scorer.py").write_text("raise SystemExit('ran')\n")
    assert opened(tmp_path, version="1").fingerprint


def test_without_version_or_files_there_is_no_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "own_scorer.py").write_text(HALF)
    assert opened(tmp_path).fingerprint == ""
    assert opened(tmp_path, version="1").fingerprint != opened(tmp_path, version="2").fingerprint


def test_declared_files_are_fingerprinted(tmp_path: Path) -> None:
    (tmp_path / "own_scorer.py").write_text(HALF)
    (tmp_path / "weights.bin").write_bytes(b"1")
    before = opened(tmp_path, files=("weights.bin",)).fingerprint
    (tmp_path / "weights.bin").write_bytes(b"2")
    assert before != opened(tmp_path, files=("weights.bin",)).fingerprint != ""


def test_the_names_of_the_classes_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "own_scorer.py").write_text(HALF)
    first = opened(tmp_path, version="1", classes=("a", "b")).fingerprint
    assert first != opened(tmp_path, version="1", classes=("b", "a")).fingerprint


@pytest.mark.parametrize(
    ("python", "code"),
    [
        ("own_scorer", "wrong-function-name"),
        ("own_scorer:", "wrong-function-name"),
        (":score", "wrong-function-name"),
        ("own scorer:score", "wrong-function-name"),
        ("../own_scorer:score", "wrong-function-name"),
        ("no_such_module_anywhere:score", "no-such-module"),
        ("live", "no-live-object"),
    ],
)
def test_a_name_that_leads_nowhere_is_found_on_opening(tmp_path: Path, python: str, code: str) -> None:
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path, python)
    assert caught.value.code == code
    assert caught.value.exit_code is ExitCode.BAD_INPUT


@pytest.mark.parametrize("files", [("gone.bin",), ("../outside.bin",)])
def test_declared_files_lie_in_the_case_folder(tmp_path: Path, files: tuple[str, ...]) -> None:
    (tmp_path / "own_scorer.py").write_text(HALF)
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path, files=files)
    assert caught.value.code in {"missing-file", "path-outside"}


@pytest.mark.parametrize("name", ["nothing", "VALUE", "score.deeper"])
def test_what_is_no_function_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "own_scorer.py").write_text(HALF + "VALUE = 3\n")
    with pytest.raises(FairnbError, match=name) as caught:
        score_texts(opened(tmp_path, f"own_scorer:{name}"), ["a"])
    assert caught.value.code == "no-such-function"


@pytest.mark.parametrize(
    "source", ["import no_such_thing_at_all", "1 / 0", "def score(:", "raise SystemExit(3)"]
)
def test_a_module_that_cannot_be_loaded_is_told_in_one_sentence(tmp_path: Path, source: str) -> None:
    (tmp_path / "own_scorer.py").write_text(source + "\n")
    with pytest.raises(FairnbError, match="own_scorer cannot be loaded") as caught:
        score_texts(opened(tmp_path), ["a"])
    assert caught.value.exit_code is ExitCode.FAILED
    assert "\n" not in str(caught.value)


def test_what_the_function_raises_is_told_by_type_and_message_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "own_scorer.py").write_text(
        "def score(texts):\n    raise KeyError('no token\\nsecond line')\n"
    )
    with pytest.raises(
        FairnbError, match=r"Python function own_scorer:score: .*KeyError.*no token"
    ) as caught:
        score_texts(opened(tmp_path), ["a", "b"])
    assert caught.value.code == "system-failed"
    assert caught.value.exit_code is ExitCode.FAILED
    assert "Traceback" not in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_interrupt_within_the_function_is_not_a_failure_of_it() -> None:
    def interrupted(texts: list[str]) -> Any:
        raise KeyboardInterrupt

    system = open_system(SystemSpec(python="live"), Path(), live_object=interrupted)
    with pytest.raises(KeyboardInterrupt):
        score_texts(system, ["a"])


def test_the_function_gets_a_list_of_its_own() -> None:
    def greedy(texts: list[str]) -> list[float]:
        count = len(texts)
        texts.clear()
        return [0.5] * count

    system = open_system(SystemSpec(python="live"), Path(), live_object=greedy)
    assert len(score_texts(system, ["a", "b"])) == 2


def test_a_live_object_that_stands_in_for_something_else_is_noted(tmp_path: Path) -> None:
    system = open_system(SystemSpec(use="toxic-comment-classifier"), tmp_path, live_object=len)
    assert "in place of use = 'toxic-comment-classifier'" in system.facts["notes"][0]
    assert system.name == "len"
    assert open_system(SystemSpec(python="live"), tmp_path, live_object=len).facts["notes"] == []


def test_what_cannot_be_asked_is_no_system(tmp_path: Path) -> None:
    with pytest.raises(FairnbError, match="a dict cannot be asked") as caught:
        open_system(SystemSpec(python="live"), tmp_path, live_object={"a": 1})
    assert caught.value.code == "not-a-system"


def test_recorded_scores_cannot_score_new_texts(tmp_path: Path) -> None:
    system = open_system(SystemSpec(scores="p_hate", name="vendor"), tmp_path)
    assert not system.live
    assert system.classes == ("positive",)
    assert system.facts["column"] == "p_hate"
    assert system.fingerprint != open_system(SystemSpec(scores="other"), tmp_path).fingerprint
    with pytest.raises(FairnbError) as caught:
        score_texts(system, [])
    assert caught.value.code == "not-live"


class _Alarm(BaseException):
    """What some libraries end a call with, so that no `except Exception` stands in its way."""


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, _Alarm])
def test_whatever_else_the_function_ends_with_is_a_failure_of_it(kind: type[BaseException]) -> None:
    def ends(texts: list[str]) -> Any:
        raise kind("enough")

    system = open_system(SystemSpec(python="live"), Path(), live_object=ends)
    with pytest.raises(FairnbError, match=f"{kind.__name__}.*enough") as caught:
        score_texts(system, ["a"])
    assert caught.value.code == "system-failed"
