"""scikit-learn: pipelines saved with skops; joblib and pickle where the assessor trusts them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, inside, sha256
from fairnb.system._archives import skops_digest
from fairnb.system._scores import POSITIVE
from fairnb.system._spec import SystemSpec
from fairnb.system._system import System, first_line

_PICKLES = (".joblib", ".pkl", ".pickle")


class SklearnSystem(System):
    """A scikit-learn pipeline, vectoriser included, that gives probabilities for texts."""

    adapter = "scikit-learn"
    batch = 4096
    quick = True
    remedy = "save the whole pipeline, from texts to probabilities, with the versions installed here"

    def __init__(self, spec: SystemSpec, folder: Path, model: Any = None) -> None:
        super().__init__(spec, model)
        self._digest = ""
        self._notes: list[str] = []
        self._trusted: list[str] = []
        if model is None:
            self._model = self._loaded(read_file(folder, spec.sklearn, "sklearn"))
        else:
            self._model = model
            self._fingerprint_of(model)
        self._classes = named_classes(self._model, spec, self.label)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names from the case file, else the model's own classes."""
        return self._classes

    @property
    def fingerprint(self) -> str:
        """Digest over the fitted model and the names of its classes."""
        if not self._digest:
            return ""
        return digest_of({"sklearn": self._digest, "version": self.spec.version, "classes": self.classes})

    @property
    def facts(self) -> dict[str, Any]:
        """Model, digest, classes as the model has them, trust given, and warnings while loading."""
        return {
            **super().facts,
            "model": type(self._model).__name__,
            "files": {self.origin: self._digest},
            "model_classes": list(own_classes(self._model)),
            "trust": self._trusted,
        }

    @property
    def notes(self) -> list[str]:
        """Warnings while loading, beside what every system says."""
        return [*super().notes, *self._notes]

    def raw(self, texts: list[str]) -> Any:
        """Ask for the probabilities of each class."""
        return probabilities(self._model, texts, self.label)

    def _loaded(self, data: bytes) -> Any:
        shown = self.spec.sklearn
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if shown.endswith(_PICKLES):
                    model = self._unpickled(data, shown)
                else:
                    model = self._from_skops(data, shown)
            except FairnbError:
                raise
            except Exception as error:
                raise FairnbError(
                    "cannot-load",
                    f"the model cannot be loaded: {type(error).__name__}{first_line(error)}",
                    "save it again with the versions installed here, and install what it imports",
                    where=self.label,
                    exit_code=ExitCode.FAILED,
                ) from error
        self._notes = sorted({str(warning.message).splitlines()[0] for warning in caught})
        return model

    def _unpickled(self, data: bytes, shown: str) -> Any:
        if self.spec.trust is not True:
            raise FairnbError(
                "not-trusted",
                f"{shown} is a pickle, and loading a pickle runs whatever program it holds",
                "have the model saved with skops, or write trust = true if you trust where it comes from",
                where="[system] trust",
            )
        with extra_installed():
            import joblib

        self._digest = sha256(data)
        self._trusted = [f"pickle {shown}"]
        return joblib.load(io.BytesIO(data))

    def _from_skops(self, data: bytes, shown: str) -> Any:
        with extra_installed():
            from skops.io import get_untrusted_types, loads

        self._digest = skops_digest(io.BytesIO(data), shown)
        unknown = get_untrusted_types(data=data)
        trust = self.spec.trust
        allowed = unknown if trust is True else [] if trust is False else list(trust)
        missing = sorted(set(unknown) - set(allowed))
        if missing:
            listed = ", ".join(f'"{name}"' for name in missing)
            raise FairnbError(
                "not-trusted",
                f"{shown} holds types that skops does not know to be safe ({listed})",
                f"look at what they are, and write trust = [{listed}] if loading them may run their code",
                where="[system] trust",
            )
        self._trusted = sorted(unknown)
        return loads(data, trusted=unknown)

    def _fingerprint_of(self, model: Any) -> None:
        """Digest of a live model, through its skops form; a model skops cannot save has none."""
        with extra_installed():
            from skops.io import dumps

        try:
            self._digest = skops_digest(io.BytesIO(dumps(model)), self.label)
        except Exception as error:  # noqa: BLE001 - skops raises whatever the model's types raise
            self._notes = [f"no fingerprint: skops cannot save the model ({type(error).__name__})"]


@contextmanager
def extra_installed() -> Iterator[None]:
    """Say how to install what the imports of a block need.

    Raises
    ------
    FairnbError
        ``package-missing``.
    """
    try:
        yield
    except ImportError as error:
        raise FairnbError(
            "package-missing",
            f"a package for scikit-learn models cannot be imported ({error})",
            "install it with: pip install 'fairnb[sklearn]'",
        ) from error


def is_sklearn(candidate: Any) -> bool:
    """Tell whether an object is a scikit-learn estimator, without importing scikit-learn for the question."""
    return any(base.__module__.split(".")[0] == "sklearn" for base in type(candidate).__mro__)


def read_file(folder: Path, path: str, key: str) -> bytes:
    """Bytes of a file of the case folder.

    Raises
    ------
    FairnbError
        ``missing-file`` or ``path-outside``.
    """
    full = inside(folder, path)
    if not full.is_file():
        raise FairnbError(
            "missing-file",
            f"there is no file {path}",
            "put the model into the case folder and write its name there",
            where=f"[system] {key}",
        )
    return full.read_bytes()


def named_classes(model: Any, spec: SystemSpec, label: str) -> tuple[str, ...]:
    """Names of the columns of a model's probabilities: the model's own, or those of the case file in its order.

    Raises
    ------
    FairnbError
        ``no-probabilities``; ``unnamed-classes`` if the case file names another number of classes, or the
        model's own in another order.
    """
    if not callable(getattr(model, "predict_proba", None)):
        raise FairnbError(
            "no-probabilities",
            f"a {type(model).__name__} gives no probabilities",
            "wrap the classifier in sklearn.calibration.CalibratedClassifierCV and fit that",
            where=label,
        )
    own = own_classes(model)
    if not spec.classes:
        return own or (POSITIVE,)
    if own and (len(own) != len(spec.classes) or (set(own) == set(spec.classes) and own != spec.classes)):
        raise FairnbError(
            "unnamed-classes",
            f"the model's classes are {', '.join(own)} and the case file names {', '.join(spec.classes)}",
            "give one name per class, in the model's order, or leave classes out",
            where="[system] classes",
        )
    return spec.classes


def own_classes(model: Any) -> tuple[str, ...]:
    """Names a model has for its columns; none for a model of several outputs, which has a list of lists."""
    found = getattr(model, "classes_", ())
    return () if isinstance(found, list) else tuple(str(name) for name in found)


def probabilities(model: Any, texts: list[str], label: str) -> Any:
    """Ask a fitted model for the probabilities of texts, shape (n, k)."""
    answer = model.predict_proba(texts)
    if isinstance(answer, list):
        raise FairnbError(
            "wrong-shape",
            "the model gives a list of arrays, one per output",
            'wrap it in a function that returns one column per output, and name that as python = "module:function"',
            where=label,
            exit_code=ExitCode.FAILED,
        )
    return answer
