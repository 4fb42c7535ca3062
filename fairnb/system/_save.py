"""Saving a live object into the case folder, so that the next kernel and the auditor have it."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairnb.errors import FairnbError
from fairnb.files import write_bytes
from fairnb.system._archives import keras_digest, skops_digest
from fairnb.system._keras import is_keras, saved
from fairnb.system._sklearn import extra_installed, is_sklearn
from fairnb.system._spec import SystemSpec
from fairnb.system._system import first_line


def save_object(live_object: Any, folder: Path, *, name: str = "system") -> SystemSpec:
    """Save a live system into a folder and say how the case file names it.

    A scikit-learn estimator becomes `NAME.skops`, a Keras model `NAME.keras`. A file that already holds
    the same model is left as it is.

    Parameters
    ----------
    live_object : object
    folder : Path
        The case folder.
    name : str
        Of the file, without suffix.

    Returns
    -------
    SystemSpec
        With the types that skops does not know as `trust`: they come from the caller's own session.

    Raises
    ------
    FairnbError
        ``cannot-save-system`` with what to do instead, ``package-missing``, ``cannot-write``.
    """
    if is_sklearn(live_object):
        return _save_sklearn(live_object, folder, f"{name}.skops")
    if is_keras(live_object):
        return _save_keras(live_object, folder, f"{name}.keras")
    kind = type(live_object).__name__
    if callable(live_object):
        raise FairnbError(
            "cannot-save-system",
            f"a {kind} cannot be saved",
            'put it into a file of the case folder, such as scorer.py, and write python = "scorer:NAME"',
        )
    raise FairnbError(
        "cannot-save-system",
        f"a {kind} is no system that can be saved",
        "pass a scikit-learn pipeline, a Keras model or a function that takes a list of texts",
    )


def _save_sklearn(model: Any, folder: Path, file: str) -> SystemSpec:
    with extra_installed():
        from skops.io import dumps, get_untrusted_types

    try:
        data = dumps(model)
    except Exception as error:
        raise FairnbError(
            "cannot-save-system",
            f"skops cannot save this {type(model).__name__} ({type(error).__name__}{first_line(error)})",
            'put a function that uses it into a file of the case folder and write python = "module:function"',
        ) from error
    unknown = sorted(get_untrusted_types(data=data))
    local = [name for name in unknown if name.startswith("__main__.") or "<" in name]
    if local:
        raise FairnbError(
            "cannot-save-system",
            f"{', '.join(local)} is defined in this session only, so that no other one could load it",
            "give it a name in a module of the case folder and import it from there",
        )
    path = folder / file
    if not path.is_file() or _other(path, skops_digest(io.BytesIO(data), file), skops_digest):
        write_bytes(path, data)
    return SystemSpec(sklearn=file, trust=tuple(unknown) or False)


def _other(path: Path, digest: str, digest_of_file: Callable[[Path, str], str]) -> bool:
    try:
        return digest_of_file(path, path.name) != digest
    except FairnbError:
        return True


def _save_keras(model: Any, folder: Path, file: str) -> SystemSpec:
    path = folder / file
    with tempfile.TemporaryDirectory() as place:
        fresh = saved(model, Path(place) / file)
        if not path.is_file() or _other(path, keras_digest(fresh, file), keras_digest):
            write_bytes(path, fresh.read_bytes())
    return SystemSpec(keras=file)
