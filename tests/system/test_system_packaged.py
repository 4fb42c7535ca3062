"""The packaged systems: pinned, batched, and equal to what their packages say themselves."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb import registry
from fairnb.errors import FairnbError
from fairnb.system import System, SystemSpec, open_system, positive, score_texts

MILD = [
    "You are a silly goose",
    "the gay couple next door baked bread",
    "What a LOVELY morning!!!",
    "This soup is terrible, and so is the waiter",
    "My neighbour's goat ate the laundry again",
    "I would not hire that clown to hold a door",
    "The train to Bologna leaves at nine",
    "Nobody asked you, potato head",
    "a Muslim scholar wrote the textbook we use",
    "she is the best keeper in the league",
    "Stop being such a dork about the rules",
    "Café crème, s'il vous plaît",
    "",
    "zzxqv qqwrt",
    "http://example.org/page #morning @friend",
    "you stupid, stupid kettle",
    "what an idiot I was to trust the forecast " * 12,
    "Two plus two is four &amp; so on",
    "shut up and take my money",
    "The old women of the village know every path\nand every \t stone",
]


@pytest.fixture(scope="module")
def toxic() -> System:
    return open_system(SystemSpec(use="toxic-comment-classifier"), Path())


def test_it_gives_what_the_package_gives(toxic: System) -> None:
    ours = score_texts(toxic, MILD)
    from toxic_classifier.model import ToxicCommentClassifier

    package = ToxicCommentClassifier()
    for row, text in enumerate(MILD):
        theirs = package.classify(text)
        assert tuple(theirs) == ours.classes
        np.testing.assert_allclose(ours.values[row], list(theirs.values()), atol=2e-6, rtol=0)


def test_padding_is_that_of_keras(toxic: Any) -> None:
    from keras.utils import pad_sequences

    expected = pad_sequences(toxic._tokenizer.texts_to_sequences(MILD), maxlen=100)
    np.testing.assert_array_equal(toxic.tokens(MILD), expected)


def test_a_score_does_not_depend_on_the_company_it_is_in(toxic: System) -> None:
    together = toxic.score([*MILD, *(f"filler number {number}" for number in range(1000))]).values[
        : len(MILD)
    ]
    alone = np.vstack([toxic.score([text]).values for text in MILD])
    assert together.dtype == np.float32
    assert together.tobytes() == alone.tobytes()


def test_its_labels_do_not_exclude_each_other(toxic: System) -> None:
    scores = score_texts(toxic, MILD)
    highest = positive(scores, toxic.classes, "max")
    np.testing.assert_array_equal(highest, scores.values.max(axis=1))
    assert positive(scores, ["toxic"])[15] > 0.5 > positive(scores, ["toxic"])[6]


def test_alt_profanity_check_gives_what_the_package_gives() -> None:
    ours = score_texts(open_system(SystemSpec(use="alt-profanity-check"), Path()), MILD)
    from profanity_check import predict_prob

    assert ours.classes == ("profanity",)
    np.testing.assert_allclose(ours.values[:, 0], predict_prob(MILD), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", ["toxic-comment-classifier", "alt-profanity-check"])
def test_facts_name_package_licence_and_every_file(name: str) -> None:
    facts = open_system(SystemSpec(use=name), Path()).facts
    known = registry.known(name)
    assert (facts["version"], facts["licence"]) == (known.package, "MIT")
    assert facts["files"] == {file.path: file.sha256 for file in known.files}
    assert facts["notes"] == [known.notes]


@pytest.mark.parametrize("name", ["toxic-comment-classifier", "alt-profanity-check"])
@pytest.mark.parametrize("number", range(5))
def test_any_file_that_differs_from_its_pin_stops_it(
    monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    known = registry.known(name)
    files = list(known.files)
    files[number] = replace(files[number], sha256="0" * 64)
    monkeypatch.setattr(registry, "known", lambda asked: replace(known, files=tuple(files)))
    with pytest.raises(FairnbError) as caught:
        open_system(SystemSpec(use=name), Path())
    assert caught.value.code == "file-changed"
    assert files[number].path in str(caught.value)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("toxic-comment-classifier", "toxic_classifier/model/tokenizer.pickle"),
        ("alt-profanity-check", "profanity_check/data/model.joblib"),
    ],
)
def test_a_pickle_exchanged_after_opening_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, file: str
) -> None:
    system = open_system(SystemSpec(use=name), Path())
    trap = tmp_path / "trap"
    trap.write_bytes(pickle.dumps(Trap(tmp_path / "trace")))
    real = registry.check_package
    # The check itself is passed, and the file exchanged between check and reading.
    monkeypatch.setattr(registry, "check_package", lambda known: {**real(known), file: trap})
    with pytest.raises(FairnbError) as caught:
        system.score(["a"])
    assert caught.value.code == "file-changed"
    assert not (tmp_path / "trace").exists()


class Trap:
    """A pickle that leaves a trace when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_a_package_that_is_not_installed_is_told_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = replace(registry.known("toxic-comment-classifier"), package="no-such-package-here==1.0")
    monkeypatch.setattr(registry, "known", lambda asked: known)
    with pytest.raises(FairnbError, match="pip install") as caught:
        open_system(SystemSpec(use="toxic-comment-classifier"), Path())
    assert caught.value.code == "package-missing"


@pytest.mark.parametrize(("name", "code"), [("toxic-coment", "unknown-name"), ("davidson", "not-a-system")])
def test_a_name_that_is_no_system_lists_those_that_are(name: str, code: str) -> None:
    with pytest.raises(FairnbError, match="toxic-comment-classifier") as caught:
        open_system(SystemSpec(use=name), Path())
    assert caught.value.code == code


def test_its_classes_cannot_be_renamed() -> None:
    with pytest.raises(FairnbError, match="severe_toxic"):
        open_system(SystemSpec(use="toxic-comment-classifier", classes=("a", "b")), Path())


def test_a_fresh_process_opens_it_without_tensorflow_and_scores_without_a_word() -> None:
    program = (
        "import pathlib, sys\nfrom fairnb.system import SystemSpec, open_system, score_texts\n"
        "system = open_system(SystemSpec(use='toxic-comment-classifier'), pathlib.Path('.'))\n"
        "system.fingerprint, system.facts, system.classes\n"
        "assert not {'tensorflow', 'keras', 'sklearn', 'pandas'} & set(sys.modules), 'loaded too early'\n"
        "score_texts(system, ['a', 'b'])\n"
        "assert 'toxic_classifier' not in sys.modules, 'the package ran'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
