from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import fairnb
from fairnb.case import load_case
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.notebook import _notebook
from fairnb.notebook._live import name_system


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Sections' names and bundles, instead of a screen."""
    bundles: list[Any] = []
    monkeypatch.setattr(_notebook, "bundle_of", lambda payloads: list(payloads))
    monkeypatch.setattr(_notebook, "show", lambda bundle, name: bundles.append((name, bundle)))
    return bundles


def test_a_section_is_run_shown_once_and_replayed(small: Any, shown: list[Any]) -> None:
    folder = small()
    fairnb.open(folder).section("technical_performance")
    fairnb.open(folder).section("technical_performance")
    (first, payloads), again = shown
    assert first == "technical_performance"
    assert [payload.target for payload in payloads] == ["positive"]
    assert again == (first, payloads)
    runs = [entry for entry in load_case(folder).log if entry["event"] == "run"]
    assert len(runs) == 1


def test_a_parameter_of_the_call_has_the_origin_notebook(small: Any, shown: list[Any]) -> None:
    fairnb.open(small()).section("technical_performance", threshold=0.7)
    content = shown[0][1][0].content
    assert (content.parameters["threshold"], content.origins["threshold"]) == (0.7, "notebook")
    assert content.origins["bins"] == "default"


def test_a_changed_case_file_is_read_again(small: Any, shown: list[Any]) -> None:
    folder = small()
    case = fairnb.open(folder)
    case.section("technical_performance")
    small(extra="[sections.technical_performance]\nbins = 5\n")
    case.section("technical_performance")
    assert [payloads[0].content.parameters["bins"] for _, payloads in shown] == [10, 5]


def test_results_can_be_computed_with(small: Any, shown: list[Any]) -> None:
    case = fairnb.open(small())
    with pytest.raises(FairnbError, match="no result yet"):
        case.result("technical_performance")
    case.section("technical_performance")
    # Of 60 texts every twelfth is scored wrongly.
    assert case.result("technical_performance").measure("accuracy", label="all").value == 55 / 60
    assert case.measures()[0]["id"] == "M-0001"


def test_only_named_sections_run(small: Any, shown: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    case = fairnb.open(small())
    monkeypatch.setenv("FAIRNB_ONLY", "system")
    case.section("engagement")
    case.section("system")
    assert shown[0][1]["text/plain"] == "Engagement: not run"
    assert shown[1][1][0].section == "system"
    monkeypatch.setenv("FAIRNB_ONLY", "engagement")
    case.section("system")
    assert shown[2] == shown[1]


def test_it_shows_states_of_its_sections(small: Any, shown: list[Any]) -> None:
    case = fairnb.open(small())
    case.section("system")
    lines = [line.split() for line in repr(case).splitlines()]
    assert lines[0] == ["A", "small", "assessment"]
    assert ["system", "fresh"] in lines
    assert ["engagement", "not", "run"] in lines
    assert "<td>fresh</td>" in case._repr_html_()


def test_a_hostile_title_is_escaped(small: Any) -> None:
    folder = small()
    path = folder / "assessment.toml"
    path.write_text(path.read_text().replace("A small assessment", "<img src=x onerror=run()>"))
    assert "<img" not in fairnb.open(folder)._repr_html_()


@pytest.mark.parametrize("name", ["technical_performence", "sytem"])
def test_a_wrong_section_is_told(small: Any, name: str) -> None:
    with pytest.raises(FairnbError, match="did you mean"):
        fairnb.open(small()).section(name)


def test_all_errors_of_the_case_file_are_told(small: Any) -> None:
    with pytest.raises(FairnbErrors) as caught:
        fairnb.open(small(extra="[run]\nsed = 1\n[privcy]\n"))
    assert len(caught.value.errors) == 2


def system_of(folder: Path) -> Any:
    return tomllib.loads((folder / "assessment.toml").read_text(encoding="utf-8"))["system"]


def without_system(folder: Path) -> None:
    path = folder / "assessment.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('[system]\nscores = "score"\n', "# mine\n"))


def test_a_live_pipeline_is_saved_into_the_case_and_named(small: Any, shown: list[Any]) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    folder = small()
    without_system(folder)
    texts = ["You are a silly goose", "It rained", "silly man", "bread is baked"]
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, [1, 0, 1, 0])
    # Which class means positive is the assessor's to say.
    case_file = folder / "assessment.toml"
    case_file.write_text(case_file.read_text() + '\n[targets.silly]\nclasses = ["1"]\npositive = [1]\n')
    fairnb.open(folder, system=pipeline).section("technical_performance")
    assert system_of(folder)["sklearn"] == "system.skops"
    assert (folder / "system.skops").is_file()
    assert "# mine" in case_file.read_text()
    before = case_file.read_bytes()
    fairnb.open(folder, system=pipeline).section("technical_performance")
    assert case_file.read_bytes() == before
    assert load_case(folder).state("technical_performance") == "fresh"


def pipeline_of_two_words() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(CountVectorizer(), LogisticRegression()).fit(["silly goose", "bread"], [1, 0])


def test_a_case_without_a_target_gets_the_one_that_classes_and_labels_suggest(
    small: Any, shown: list[Any]
) -> None:
    folder = small()
    without_system(folder)
    corpus = folder / "test.csv"
    corpus.write_text(corpus.read_text().replace(",1,", ",hateful,").replace(",0,", ",neither,"))
    case = fairnb.open(folder, system=pipeline_of_two_words())
    text = (folder / "assessment.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["targets"] == {
        "1": {
            "classes": ["1"],
            "positive": ["hateful"],
            "negative": ["neither"],
            "threshold": 0.5,
            "threshold_source": "",
        }
    }
    (line,) = (line for line in text.splitlines() if line.startswith("classes ="))
    assert line.endswith("# guessed from the names of the system's classes (0, 1): confirm")
    case.section("technical_performance")
    assert case.result("technical_performance", target="1").measure("accuracy", label="all").n == 60
    before = (folder / "assessment.toml").read_bytes()
    fairnb.open(folder, system=pipeline_of_two_words())
    assert (folder / "assessment.toml").read_bytes() == before


def test_labels_of_a_column_that_would_not_be_guessed_are_left_to_the_assessor(small: Any) -> None:
    folder = small()
    without_system(folder)
    path = folder / "assessment.toml"
    path.write_text(path.read_text() + 'label = "score"\n')
    fairnb.open(folder, system=pipeline_of_two_words())
    target = tomllib.loads(path.read_text(encoding="utf-8"))["targets"]["1"]
    assert (target["classes"], target["positive"]) == (["1"], [1])
    assert "negative" not in target


def test_what_the_case_file_says_of_the_saved_system_is_kept(small: Any) -> None:
    folder = small(
        system='name = "Goose"\nsklearn = "system.skops"\ndeclared = { maker = "Ada", year = 2020 }'
    )
    path = folder / "assessment.toml"
    path.write_text(path.read_text() + '\n[targets.silly]\nclasses = ["1"]\npositive = [1]\n')
    fairnb.open(folder, system=pipeline_of_two_words())
    said = system_of(folder)
    assert (said["name"], said["declared"]) == ("Goose", {"maker": "Ada", "year": 2020})
    assert (folder / "system.skops").is_file()


def test_a_table_that_cannot_be_edited_is_left_alone(small: Any) -> None:
    folder = small()
    without_system(folder)
    path = folder / "assessment.toml"
    path.write_text(path.read_text() + '[system.declared]\nmaker = "Ada"\n')
    before = path.read_bytes()
    with pytest.raises(FairnbError):
        fairnb.open(folder, system=pipeline_of_two_words())
    assert path.read_bytes() == before


def test_a_live_function_is_named_and_passed_on(small: Any, shown: list[Any]) -> None:
    folder = small()
    without_system(folder)

    def score(texts: list[str]) -> list[float]:
        return [0.9 if "silly" in text else 0.1 for text in texts]

    case = fairnb.open(folder, system=score)
    case.section("technical_performance")
    assert system_of(folder) == {"python": "live"}
    assert case.result("technical_performance").measure("accuracy", label="all").value == 1.0
    with pytest.raises(FairnbError) as caught:
        fairnb.open(folder).section("technical_performance")
    assert caught.value.code == "no-live-object"


@pytest.mark.parametrize("text", ["[ system ]\n", 'note = """\n[system]\n"""\n'])
def test_a_case_file_whose_system_cannot_be_told_by_its_lines_stays_as_it_is(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "assessment.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        name_system(tmp_path, lambda texts: [0.5 for _ in texts])
    assert caught.value.code == "cannot-edit"
    assert (tmp_path / "assessment.toml").read_text(encoding="utf-8") == text


def test_a_live_object_does_not_take_the_place_of_another_system(small: Any) -> None:
    folder = small()
    before = (folder / "assessment.toml").read_bytes()
    with pytest.raises(FairnbError) as caught:
        fairnb.open(folder, system=len)
    assert caught.value.code == "other-system"
    with pytest.raises(FairnbError) as caught:
        fairnb.open(folder, system=pipeline_of_two_words())
    assert caught.value.code == "other-system"
    assert not (folder / "system.skops").exists()
    assert (folder / "assessment.toml").read_bytes() == before


def test_a_folder_without_a_case_is_told(tmp_path: Path) -> None:
    for system in (None, len):
        with pytest.raises(FairnbError) as caught:
            fairnb.open(tmp_path, system=system)
        assert caught.value.code == "no-case"
