"""From the case file's `[system]` table to a system that scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairnb.errors import FairnbError
from fairnb.system._keras import KerasSystem, is_keras
from fairnb.system._packaged import packaged
from fairnb.system._python import PythonSystem, no_live_object
from fairnb.system._recorded import RecordedSystem
from fairnb.system._sklearn import SklearnSystem, is_sklearn
from fairnb.system._spec import LIVE, SystemSpec
from fairnb.system._system import System


def open_system(spec: SystemSpec, folder: Path, *, live_object: Any = None) -> System:
    """Open the system under assessment.

    Nothing of TensorFlow is loaded before the first text is scored. Files are looked for in the case
    folder only. Loading a Python module, a pickle or a lambda layer runs a program: modules are the
    assessor's own choice, the others need ``trust``.

    Parameters
    ----------
    spec : SystemSpec
    folder : Path
        The case folder.
    live_object : object, optional
        Function, scikit-learn pipeline or Keras model that the notebook holds; it takes the place of
        what `spec` names, whose name, version and classes still apply.

    Raises
    ------
    FairnbError
        ``missing-file``, ``path-outside``, ``not-trusted``, ``unknown-name``, ``package-missing``,
        ``file-changed``, ``no-such-module``, ``no-live-object``, ``not-a-system``: each with the remedy.
    """
    if live_object is not None:
        return _live(spec, folder, live_object)
    if spec.use:
        return packaged(spec)
    if spec.scores:
        return RecordedSystem(spec)
    if spec.sklearn:
        return SklearnSystem(spec, folder)
    if spec.keras:
        return KerasSystem(spec, folder)
    if spec.python == LIVE:
        raise no_live_object()
    return PythonSystem(spec, folder)


def _live(spec: SystemSpec, folder: Path, live_object: Any) -> System:
    if is_sklearn(live_object):
        return SklearnSystem(spec, folder, live_object)
    if is_keras(live_object):
        return KerasSystem(spec, folder, live_object)
    if not callable(live_object):
        raise FairnbError(
            "not-a-system",
            f"a {type(live_object).__name__} cannot be asked for scores",
            "pass a function that takes a list of texts, a scikit-learn pipeline or a Keras model",
        )
    return PythonSystem(spec, folder, live_object)
