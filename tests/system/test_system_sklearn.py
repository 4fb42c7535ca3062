"""scikit-learn pipelines, saved and live."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from skops.io import dump

from fairnb.errors import ExitCode, FairnbError
from fairnb.system import SystemSpec, open_system, save_object, score_texts

TEXTS = ["You silly goose", "a lovely day", "potato head", "bread and butter", "what a clown", "the sea"]
LABELS = [1, 0, 1, 0, 1, 0]


def fitted(classifier: Any = None, labels: Any = LABELS) -> Any:
    return make_pipeline(CountVectorizer(), classifier or LogisticRegression()).fit(TEXTS, labels)


def lower(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


def opened(folder: Path, file: str = "model.skops", **spec: Any) -> Any:
    return open_system(SystemSpec(sklearn=file, **spec), folder)


def test_scores_are_the_pipelines_own_probabilities_under_its_own_names(tmp_path: Path) -> None:
    model = fitted(labels=["rude", "fine", "hate", "fine", "rude", "fine"])
    dump(model, tmp_path / "model.skops")
    scores = score_texts(opened(tmp_path), TEXTS)
    assert scores.classes == ("fine", "hate", "rude")
    np.testing.assert_array_equal(scores.values, model.predict_proba(TEXTS))


def test_the_case_file_may_name_the_classes_in_the_models_order(tmp_path: Path) -> None:
    dump(fitted(), tmp_path / "model.skops")
    system = opened(tmp_path, classes=("fine", "rude"))
    assert system.classes == ("fine", "rude")
    assert system.facts["model_classes"] == ["0", "1"]


@pytest.mark.parametrize("classes", [("1", "0"), ("rude",), ("a", "b", "c")])
def test_names_that_do_not_fit_the_models_classes_are_refused(
    tmp_path: Path, classes: tuple[str, ...]
) -> None:
    dump(fitted(), tmp_path / "model.skops")
    with pytest.raises(FairnbError, match="0, 1") as caught:
        opened(tmp_path, classes=classes)
    assert caught.value.code == "unnamed-classes"


def test_labels_that_do_not_exclude_each_other(tmp_path: Path) -> None:
    labels = np.array([[1, 0], [0, 0], [1, 1], [0, 0], [0, 1], [0, 0]])
    model = fitted(OneVsRestClassifier(LogisticRegression()), labels)
    dump(model, tmp_path / "model.skops")
    scores = score_texts(opened(tmp_path, classes=("rude", "hate")), TEXTS)
    np.testing.assert_array_equal(scores.values, model.predict_proba(TEXTS))


def test_a_list_of_outputs_is_refused_with_the_remedy(tmp_path: Path) -> None:
    labels = np.array([[1, 0], [0, 0], [1, 1], [0, 0], [0, 1], [0, 0]])
    dump(fitted(DecisionTreeClassifier(), labels), tmp_path / "model.skops")
    with pytest.raises(FairnbError, match="list of arrays") as caught:
        score_texts(opened(tmp_path, classes=("rude", "hate"), trust=True), TEXTS)
    assert caught.value.exit_code is ExitCode.FAILED


def test_probabilities_a_rounding_step_past_one_are_one(tmp_path: Path) -> None:
    dump(fitted(MultinomialNB(alpha=1e-9)), tmp_path / "model.skops")
    assert score_texts(opened(tmp_path), [f"{TEXTS[0]} {TEXTS[2]} " * 40, *TEXTS]).values.max() <= 1


def test_a_model_without_probabilities_is_refused_with_the_remedy(tmp_path: Path) -> None:
    dump(fitted(LinearSVC()), tmp_path / "model.skops")
    with pytest.raises(FairnbError, match="CalibratedClassifierCV") as caught:
        opened(tmp_path)
    assert caught.value.code == "no-probabilities"


def test_a_classifier_without_its_vectoriser_fails_with_the_remedy(tmp_path: Path) -> None:
    dump(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), tmp_path / "model.skops")
    with pytest.raises(FairnbError, match="whole pipeline") as caught:
        score_texts(opened(tmp_path), TEXTS)
    assert caught.value.exit_code is ExitCode.FAILED


def with_unknown_type() -> Any:
    return make_pipeline(FunctionTransformer(lower), TfidfVectorizer(), LogisticRegression()).fit(
        TEXTS, LABELS
    )


def test_types_that_skops_does_not_know_are_listed_to_be_trusted(tmp_path: Path) -> None:
    dump(with_unknown_type(), tmp_path / "model.skops")
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path)
    assert caught.value.code == "not-trusted"
    assert f"{lower.__module__}.lower" in str(caught.value)
    with pytest.raises(FairnbError, match="lower"):
        opened(tmp_path, trust=("some.other.type",))


@pytest.mark.parametrize("listed", [True, False])
def test_trusted_types_are_loaded_and_recorded(tmp_path: Path, listed: bool) -> None:
    name = f"{lower.__module__}.lower"
    dump(with_unknown_type(), tmp_path / "model.skops")
    system = opened(tmp_path, trust=(name,) if listed else True)
    assert system.facts["trust"] == [name]
    assert score_texts(system, TEXTS).values.shape == (6, 2)


class Booby:
    """A pickle that leaves a trace when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("file", ["model.joblib", "model.pkl", "model.pickle"])
def test_a_pickle_is_not_touched_without_trust(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_bytes(pickle.dumps(Booby(tmp_path / "trace")))
    for trust in (False, ("sklearn.pipeline.Pipeline",)):
        with pytest.raises(FairnbError, match="pickle") as caught:
            opened(tmp_path, file, trust=trust)
        assert caught.value.code == "not-trusted"
    assert not (tmp_path / "trace").exists()


def test_a_pickle_renamed_to_skops_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(pickle.dumps(Booby(tmp_path / "trace")))
    with pytest.raises(FairnbError, match="not a whole skops file") as caught:
        opened(tmp_path, trust=True)
    assert caught.value.code == "damaged-file"
    assert not (tmp_path / "trace").exists()


def test_a_trusted_joblib_file_is_loaded_and_the_trust_recorded(tmp_path: Path) -> None:
    model = fitted()
    joblib.dump(model, tmp_path / "model.joblib")
    system = opened(tmp_path, "model.joblib", trust=True)
    assert system.facts["trust"] == ["pickle model.joblib"]
    np.testing.assert_array_equal(score_texts(system, TEXTS).values, model.predict_proba(TEXTS))


def test_a_damaged_trusted_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.joblib").write_bytes(b"nonsense")
    with pytest.raises(FairnbError, match="cannot be loaded") as caught:
        opened(tmp_path, "model.joblib", trust=True)
    assert caught.value.exit_code is ExitCode.FAILED
    assert "\n" not in str(caught.value)


def test_warnings_of_another_version_are_noted(tmp_path: Path) -> None:
    data = pickle.dumps(fitted())
    from sklearn import __version__

    current = __version__.encode()
    (tmp_path / "model.pkl").write_bytes(data.replace(current, b"1" + b".0.0.0"[: len(current) - 1]))
    notes = opened(tmp_path, "model.pkl", trust=True).facts["notes"]
    assert any("1.0.0" in note for note in notes)


@pytest.mark.parametrize(
    ("file", "code"), [("gone.skops", "missing-file"), ("../gone.skops", "path-outside")]
)
def test_the_file_must_lie_in_the_case_folder(tmp_path: Path, file: str, code: str) -> None:
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path, file)
    assert caught.value.code == code


def test_saving_the_same_model_again_gives_the_same_fingerprint(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom sklearn.feature_extraction.text import CountVectorizer as C\n"
        "from sklearn.linear_model import LogisticRegression as L\nfrom sklearn.pipeline import make_pipeline\n"
        "from skops.io import dump\nkept = [object() for _ in range(int(sys.argv[2]))]\n"
        "dump(make_pipeline(C(), L()).fit(['a bc', 'cd ef'], [0, 1]), sys.argv[1])\n"
    )
    fingerprints = []
    for number, ballast in enumerate((0, 77777)):
        folder = tmp_path / str(number)
        folder.mkdir()
        subprocess.run([sys.executable, "-c", program, folder / "model.skops", str(ballast)], check=True)
        fingerprints.append(opened(folder).fingerprint)
    assert (tmp_path / "0" / "model.skops").read_bytes() != (tmp_path / "1" / "model.skops").read_bytes()
    assert fingerprints[0] == fingerprints[1]


def test_another_model_has_another_fingerprint(tmp_path: Path) -> None:
    fingerprints = set()
    for model in (fitted(), fitted(LogisticRegression(C=2.0)), fitted(labels=[0, 1, 1, 0, 1, 0])):
        dump(model, tmp_path / "model.skops")
        fingerprints.add(opened(tmp_path).fingerprint)
    assert len(fingerprints) == 3


def test_a_live_pipeline_is_saved_and_opens_as_the_same_system(tmp_path: Path) -> None:
    model = fitted()
    live = open_system(SystemSpec(python="live"), tmp_path, live_object=model)
    spec = save_object(model, tmp_path)
    saved = open_system(spec, tmp_path)
    assert spec.sklearn == "system.skops"
    assert live.fingerprint == saved.fingerprint
    np.testing.assert_array_equal(score_texts(live, TEXTS).values, score_texts(saved, TEXTS).values)


def test_saving_the_same_pipeline_twice_leaves_the_file_alone(tmp_path: Path) -> None:
    save_object(fitted(), tmp_path)
    before = (tmp_path / "system.skops").stat().st_mtime_ns
    save_object(fitted(), tmp_path)
    assert (tmp_path / "system.skops").stat().st_mtime_ns == before
    save_object(fitted(MultinomialNB()), tmp_path)
    assert (tmp_path / "system.skops").stat().st_mtime_ns != before


def test_types_of_a_saved_pipeline_are_trusted_by_name(tmp_path: Path) -> None:
    spec = save_object(with_unknown_type(), tmp_path)
    assert spec.trust == (f"{lower.__module__}.lower",)
    assert open_system(spec, tmp_path).facts["trust"] == list(spec.trust)


def test_a_pipeline_with_a_lambda_cannot_be_saved(tmp_path: Path) -> None:
    model = make_pipeline(FunctionTransformer(lambda texts: texts), CountVectorizer(), LogisticRegression())
    with pytest.raises(FairnbError) as caught:
        save_object(model.fit(TEXTS, LABELS), tmp_path)
    assert caught.value.code == "cannot-save-system"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("thing", "told"), [(len, "scorer.py"), (object(), "pass a scikit-learn pipeline")])
def test_what_cannot_be_saved_is_told_with_what_to_do(tmp_path: Path, thing: Any, told: str) -> None:
    with pytest.raises(FairnbError, match=told) as caught:
        save_object(thing, tmp_path)
    assert caught.value.code == "cannot-save-system"


@pytest.mark.parametrize(("package", "file"), [("skops.io", "model.skops"), ("joblib", "model.joblib")])
def test_a_missing_package_is_told_with_what_installs_it(
    package: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted()
    joblib.dump(model, tmp_path / file)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(FairnbError) as caught:
        opened(tmp_path, file, trust=True)
    assert caught.value.code == "package-missing"
    assert package.split(".")[0] in caught.value.found
    assert "pip install 'fairnb[sklearn]'" in caught.value.remedy


def test_saving_without_skops_tells_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(FairnbError) as caught:
        save_object(fitted(), tmp_path)
    assert caught.value.code == "package-missing"
    assert list(tmp_path.iterdir()) == []
