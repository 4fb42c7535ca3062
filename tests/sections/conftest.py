"""A case small enough to read: labels, scores and texts given by the test."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.corpus import language_groups
from fairnb.explanation import shap_is_installed
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.mining import counted_groups, look_up
from fairnb.sections import Answers, Criteria, Need, Register, Result, SystemFacts, Target
from fairnb.sections.questionnaire import Questionnaire
from fairnb.statistics import tally
from fairnb.text import RedactMode, redact

_ROLE_OF = {Need.TRAIN_CORPUS: "train", Need.TEST_CORPUS: "test", Need.SYNTHETIC_CORPUS: "synthetic"}


@dataclass
class _Corpus:
    name: str
    texts: tuple[str, ...]
    digest: str = "d" * 64
    clusters: Sequence[str] | None = None
    templates: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass
class _Labelled(_Corpus):
    labels: Sequence[Any] = ()
    annotators: Sequence[Sequence[Any]] = ()


@dataclass
class SmallView:
    """A View over arrays, with the real tally, lexicon and miner behind it."""

    answers: Mapping[str, Sequence[int]]
    values: Mapping[str, Sequence[float]] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    done: Mapping[tuple[str, str], Result] = field(default_factory=dict)
    said: Mapping[str, Any] = field(default_factory=dict)
    criteria: Criteria = field(default_factory=Criteria)
    spec: LexiconSpec = field(default_factory=LexiconSpec)
    clusters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    templates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    languages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    annotators: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    """Labels of single annotators."""
    targets: tuple[Target, ...] = (Target(),)
    predictor: Callable[[str], float] | None = None
    """P(positive) of any text: makes the system a live one."""
    folder: Path = Path()
    part: float = 1.0
    """The section's part of alpha."""
    confidence: float = 0.95
    seed: int = 0
    mode: RedactMode = "mask"
    stopped: bool = False
    """Whether the person has asked to stop."""
    noted: Register = field(default_factory=Register)
    """What people say of findings."""
    told: list[tuple[int, int, str]] = field(default_factory=list)
    """Progress as it was reported."""

    def __post_init__(self) -> None:
        self.target = self.targets[0]
        self.system = SystemFacts(
            name="small", classes=("positive",), fingerprint="f" * 64, live=self.predictor is not None
        )
        self.facts = {
            "engagement": {},
            "sections": [],
            "draft": [],
            "case": {},
            "shares": {},
            "recognition": "",
            **self.said,
        }

    @property
    def lexicon(self) -> Any:
        return load_lexicon(self.spec, Path())

    def has(self, need: Need) -> bool:
        if need is Need.LIVE_SYSTEM:
            return self.predictor is not None
        if need is Need.SHAP:
            return shap_is_installed()
        role = _ROLE_OF.get(need)
        return role is None or role in self.answers

    def corpus(self, role: str) -> Any:
        rows = len(self.answers[role])
        texts = tuple(self.texts.get(role, ("",) * rows))
        return _Corpus(
            f"{role} corpus",
            texts,
            clusters=self.clusters.get(role),
            templates=self.templates.get(role),
            languages=self.languages.get(role),
        )

    def labels(self, role: str, target: str = "") -> Any:
        return np.asarray(self.answers[role], np.int8)

    def tally(self, role: str, by: str = "subgroup", thresholds: Sequence[float] = ()) -> Any:
        names, members, pairs = (), None, ()
        if by == "language":
            names, members = language_groups(self.languages[role])
        elif self.texts.get(role):
            names, members, pairs = counted_groups(self.mentions(role), by, self.lexicon.reference)
        return tally(
            self.labels(role),
            np.asarray(self.values[role]),
            members,
            names,
            pairs=pairs,
            clusters=self.clusters.get(role),
            thresholds=(self.target.threshold, *thresholds),
        )

    @property
    def alpha(self) -> float:
        return self.part * self.criteria.alpha

    def templated(self, role: str) -> bool:
        return role in self.templates or (role == "synthetic" and role in self.clusters)

    def file(self, path: str) -> Path:
        return self.folder / path

    def scores(self, role: str) -> Any:
        return np.asarray(self.values[role], float)

    def predict(self, texts: Sequence[str], *, keep: bool = True) -> Any:
        assert self.predictor is not None
        assert len(set(texts)) == len(texts)
        return np.asarray([self.predictor(text) for text in texts], float)

    def predict_masked(self, tokens: Any, masks: Any) -> Any:
        texts = tokens.texts(masks)
        scores = dict(zip(dict.fromkeys(texts), self.predict(list(dict.fromkeys(texts))), strict=True))
        return np.asarray([scores[text] for text in texts])

    def register(self) -> Register:
        return self.noted

    def cancelled(self) -> bool:
        return self.stopped

    def progress(self, done: int, total: int, what: str) -> None:
        self.told.append((done, total, what))

    def redact(self, text: str) -> str:
        return redact(text, self.mode, key=b"test")

    def mentions(self, role: str, source: str = "lookup") -> Any:
        return look_up(list(self.texts[role]), self.lexicon)

    def results(self, ids: Sequence[str] | None = None) -> Mapping[tuple[str, str], Result]:
        return {key: found for key, found in self.done.items() if ids is None or key[0] in ids}


@pytest.fixture
def small_view() -> Callable[..., SmallView]:
    """Make a small view."""
    return SmallView


class _Answered:
    """A small view with answers, and labels as the corpus has them."""

    def __init__(self, view: Any, said: str, labels: dict[str, list[Any]]) -> None:
        self._view = view
        self._said = Answers.model_validate(tomllib.loads(said))
        self._labels = labels

    def answers(self) -> Answers:
        return self._said

    def corpus(self, role: str) -> Any:
        texts = self._view.texts[role]
        return _Labelled(
            role,
            tuple(texts),
            clusters=self._view.clusters.get(role),
            labels=self._labels.get(role, self._view.answers[role]),
            annotators=self._view.annotators.get(role, ()),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)


@dataclass
class Ask:
    """Runs the section on the seven requirements with answers in TOML."""

    make: Callable[..., Any]

    def __call__(
        self,
        said: str = "",
        *,
        done: dict[tuple[str, str], Result] | None = None,
        texts: dict[str, list[str]] | None = None,
        labels: dict[str, list[Any]] | None = None,
        answers: dict[str, list[int]] | None = None,
        margin: float = 0.05,
        annotators: dict[str, list[list[Any]]] | None = None,
    ) -> Result:
        done, texts = done or {}, texts or {}
        view = self.make(
            answers or {role: [0] * len(held) for role, held in texts.items()},
            texts=texts,
            done=done,
            annotators=annotators or {},
            said={"sections": ["engagement", *(name for name, _ in done), "questionnaire", "conclusion"]},
            criteria=Criteria(margin=margin),
        )
        return Questionnaire().run(_Answered(view, said, labels or {}), Questionnaire.Params())  # type: ignore[arg-type]


@pytest.fixture
def ask(small_view: Callable[..., SmallView]) -> Ask:
    """Runs the section on the seven requirements."""
    return Ask(small_view)
