"""The organisers' baseline: a linear support vector machine over unigrams, a model per label.

Source: Fersini, Nozza and Rosso, AMI @ EVALITA2020, section 4: texts as bags of 1,000 unigrams with TF-IDF
weights, support vector machines with a linear kernel, one for each label. Tokens and the constant C are not
stated there: they are scikit-learn's defaults here, in small letters, C = 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fairnb.errors import FairnbError
from fairnb.files import write_bytes

LABELS = ("misogynous", "aggressiveness")
TERMS = 1000
"""Unigrams of each model, the most frequent ones of its training texts."""
_SCHEMA = "fairnb.ami-baseline/1"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """One label's model, as numbers: margin = weights . tfidf(text) + bias."""

    vocabulary: tuple[str, ...]
    idf: Floats
    """Shape (terms,)."""
    weights: Floats
    """Shape (terms,)."""
    bias: float

    def margins(self, texts: Sequence[str]) -> Floats:
        """Signed distances from the decision, shape (n,); above 0 the label is 1."""
        if not len(texts):
            return np.empty(0)
        vectoriser = _sklearn().TfidfVectorizer(vocabulary=self.vocabulary)
        vectoriser.idf_ = self.idf
        return np.asarray(vectoriser.transform(texts) @ self.weights + self.bias, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """One linear model per label."""

    models: Mapping[str, LinearModel]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels, in the order of the columns of `scores`."""
        return tuple(self.models)

    def predict(self, texts: Sequence[str]) -> npt.NDArray[np.int8]:
        """Labels 0 and 1, shape (n, labels)."""
        margins = [model.margins(texts) for model in self.models.values()]
        return np.stack(margins, axis=1).__gt__(0.0).astype(np.int8)

    def scores(self, texts: Sequence[str]) -> Floats:
        """Scores from 0 to 1, shape (n, labels): the logistic function of the margin.

        They rank texts as the margins do and lie above 0.5 where the label is 1. They are no calibrated
        probabilities.
        """
        margins = [model.margins(texts) for model in self.models.values()]
        scores: Floats = 1.0 / (1.0 + np.exp(-np.stack(margins, axis=1)))
        return scores


def train_baseline(training: Mapping[str, tuple[Sequence[str], npt.NDArray[np.integer]]]) -> Baseline:
    """Train one model per label.

    Parameters
    ----------
    training : mapping
        Label -> its own training texts and their labels 0 and 1, shape (n,).

    Returns
    -------
    Baseline
        The same texts in the same order give the same model.

    Raises
    ------
    FairnbError
        ``one-class`` with the label; ``no-words`` if the texts hold none; ``missing-extra`` without scikit-learn.
    """
    return Baseline({label: _trained(label, *given) for label, given in training.items()})


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write the models as JSON: words, weights and biases, readable without scikit-learn.

    Raises
    ------
    FairnbError
        ``cannot-write``.
    """
    write_bytes(path, encoded_baseline(baseline))


def encoded_baseline(baseline: Baseline) -> bytes:
    """What `save_baseline` writes."""
    models = {
        label: {
            "vocabulary": list(model.vocabulary),
            "idf": model.idf.tolist(),
            "weights": model.weights.tolist(),
            "bias": model.bias,
        }
        for label, model in baseline.models.items()
    }
    text = json.dumps({"schema": _SCHEMA, "models": models}, ensure_ascii=False, indent=1) + "\n"
    return text.encode("utf-8")


def open_baseline(path: Path) -> Baseline:
    """Read what `save_baseline` wrote.

    Raises
    ------
    FairnbError
        ``file-missing``; ``bad-baseline`` if the file is none, or its numbers do not fit its words.
    """
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        if found["schema"] != _SCHEMA:
            raise ValueError(f"the schema is {found['schema']!r}")
        models = {str(label): _model(given) for label, given in found["models"].items()}
    except OSError as error:
        raise FairnbError(
            "file-missing",
            f"the file cannot be read ({error.strerror or error})",
            "check the path",
            where=path.name,
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FairnbError(
            "bad-baseline",
            f"the file holds no baseline ({type(error).__name__}: {error})",
            "have it written by `fairnb ami baseline --model FILE`",
            where=path.name,
        ) from error
    return Baseline(models)


def _model(given: Mapping[str, Any]) -> LinearModel:
    vocabulary = tuple(map(str, given["vocabulary"]))
    idf, weights = (np.array(given[name], dtype=np.float64) for name in ("idf", "weights"))
    bias = float(given["bias"])
    if not idf.shape == weights.shape == (len(vocabulary),) or not np.isfinite([*idf, *weights, bias]).all():
        raise ValueError("idf and weights are not one number per word")
    return LinearModel(vocabulary, idf, weights, bias)


def _trained(label: str, texts: Sequence[str], labels: npt.NDArray[np.integer]) -> LinearModel:
    positive = int(np.sum(labels))
    if positive in (0, len(texts)):
        raise FairnbError(
            "one-class",
            f"{positive} of {len(texts)} training texts have the label 1",
            "give texts with both labels",
            where=label,
        )
    sklearn = _sklearn()
    vectoriser = sklearn.TfidfVectorizer(max_features=TERMS)
    try:
        matrix = vectoriser.fit_transform(texts)
    except ValueError as error:
        raise FairnbError(
            "no-words",
            f"the {len(texts)} training texts hold no word of two letters or more",
            "give texts in words",
            where=label,
        ) from error
    # Fewer columns than rows: the primal problem, which has no randomness at all.
    machine = sklearn.LinearSVC(dual=False).fit(matrix, labels)
    return LinearModel(
        tuple(vectoriser.get_feature_names_out().tolist()),
        np.asarray(vectoriser.idf_, dtype=np.float64),
        np.asarray(machine.coef_[0], dtype=np.float64),
        float(machine.intercept_[0]),
    )


def _sklearn() -> Any:
    """What is needed of scikit-learn."""
    from types import SimpleNamespace

    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise FairnbError(
            "missing-extra",
            "scikit-learn is not installed",
            "install it with: pip install 'fairnb[sklearn]'",
        ) from error
    return SimpleNamespace(TfidfVectorizer=TfidfVectorizer, LinearSVC=LinearSVC)
