"""Python functions: those that the notebook passes, and those that a module holds.

Loading a module runs it: that is a program of the assessor's own choosing, as any cell of the notebook is.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import digest_of, inside, sha256, sha256_file
from fairnb.system._spec import LIVE, SystemSpec
from fairnb.system._system import System, first_line

Function = Callable[[list[str]], Any]


class PythonSystem(System):
    """A function that takes a list of texts and returns their scores.

    Parameters
    ----------
    spec : SystemSpec
    folder : Path
        The case folder.
    function : callable, optional
        The live function; without it `spec.python` is loaded when first asked.
    """

    adapter = "Python function"
    remedy = "put the function right and run again"

    def __init__(self, spec: SystemSpec, folder: Path, function: Function | None = None) -> None:
        super().__init__(spec, function)
        self._folder = folder
        self._files = {path: _digest(inside(folder, path), path) for path in spec.files}
        self._source = "" if function is None else _source(function)
        if function is None:
            self._files |= _module_files(_split(spec)[0], folder)

    @property
    def fingerprint(self) -> str:
        """Digest over version, the function's name and source, declared files and classes.

        Empty without a declared version or files: a function may read whatever it likes, so its source
        alone does not say which scores it gives.
        """
        if not (self.spec.version or self.spec.files):
            return ""
        return digest_of(
            {
                "python": self.origin,
                "version": self.spec.version,
                "source": self._source,
                "files": self._files,
                "classes": self.classes,
            }
        )

    @property
    def facts(self) -> dict[str, Any]:
        """Digests of module and files, beside what every system says."""
        return {**super().facts, "function": self.origin, "files": dict(self._files)}

    def raw(self, texts: list[str]) -> Any:
        """Call the function; modules of the case folder can be imported from within."""
        # A function that changes the working folder would make every relative path of the case a wrong one.
        with chdir(Path.cwd()), _importable(self._folder):
            return self._function(texts)

    @cached_property
    def _function(self) -> Function:
        if self.live_object is not None:
            return self.live_object  # type: ignore[no-any-return]
        module_name, attribute = _split(self.spec)
        now = _module_files(module_name, self._folder)
        if any(self._files.get(path) != digest for path, digest in now.items()):
            raise FairnbError(
                "file-changed",
                f"the module {module_name} has changed since the case was opened",
                "open the case again",
                where=self.label,
            )
        try:
            found: Any = _load(module_name, self._folder)
        except FairnbError:
            raise
        except (Exception, SystemExit) as error:
            raise FairnbError(
                "system-failed",
                f"the module {module_name} cannot be loaded: {type(error).__name__}{first_line(error)}",
                "put the module right, and install what it imports",
                where=self.label,
                exit_code=ExitCode.FAILED,
            ) from error
        for part in attribute.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            raise FairnbError(
                "no-such-function",
                f"the module {module_name} has no function {attribute}",
                'write python = "module:function" with the name of a function that takes a list of texts',
                where=self.label,
            )
        return found  # type: ignore[no-any-return]


def no_live_object() -> FairnbError:
    """Make the error for a case whose function only its notebook has."""
    return FairnbError(
        "no-live-object",
        f'the case file says python = "{LIVE}", and no function was passed',
        'pass it in the notebook: fairnb.open(".", system=function), or name module:function',
        where="[system]",
    )


def _split(spec: SystemSpec) -> tuple[str, str]:
    if spec.python == LIVE:
        raise no_live_object()
    module, colon, attribute = spec.python.partition(":")
    names = [*module.split("."), *attribute.split(".")]
    if not colon or not all(name.isidentifier() for name in names):
        raise FairnbError(
            "wrong-function-name",
            f"{spec.python!r} does not name a function",
            'write python = "module:function"; scorer.py in the case folder is the module scorer',
            where="[system] python",
        )
    return module, attribute


def _source(function: Function) -> str:
    """Digest of a live function's source, where it has one; what it refers to is not in it."""
    try:
        return sha256(inspect.getsource(function).encode("utf-8", "surrogatepass"))
    except (OSError, TypeError):
        return ""


def _digest(path: Path, shown: str) -> str:
    if not path.is_file():
        raise FairnbError(
            "missing-file", f"there is no file {shown}", "put it into the case folder", where="[system] files"
        )
    return sha256_file(path)


def _installed(top: str) -> ModuleSpec | None:
    if top in sys.modules:
        return sys.modules[top].__spec__
    return importlib.util.find_spec(top)


def _own(top: str, folder: Path) -> ModuleSpec | None:
    """Find a module or package that lies in the case folder itself."""
    found = PathFinder.find_spec(top, [str(folder.resolve())])
    if found is None or found.origin is not None:
        return found
    # A folder without __init__.py is a package only where nothing else has its name, as in Python itself.
    installed = _installed(top)
    return found if installed is None or installed.origin is None else None


def _module_files(module: str, folder: Path) -> dict[str, str]:
    """Digests of the module's source: the file, or every Python file of its package in the case folder."""
    top, *parts = module.split(".")
    own = _own(top, folder)
    found = own or _installed(top)
    if found is None:
        raise FairnbError(
            "no-such-module",
            f"there is no module {module} in the case folder, and none is installed",
            "put it into the case folder",
            where="[system] python",
        )
    places = [Path(place) for place in found.submodule_search_locations or ()]
    if own is not None and places:
        base = folder.resolve()
        return {
            path.relative_to(base).as_posix(): sha256_file(path) for path in sorted(places[0].rglob("*.py"))
        }
    files = [place.joinpath(*parts).with_suffix(".py") for place in places if parts]
    files += [place.joinpath(*parts, "__init__.py") for place in places]
    files += [Path(found.origin)] if found.origin and not places else []
    return {path.name: sha256_file(path) for path in files[:2] if path.is_file()}


def _load(module: str, folder: Path) -> ModuleType:
    """Import a module, that of the case folder first and then always afresh: what ran is what was digested."""
    top = module.split(".")[0]
    if _own(top, folder) is None:
        return importlib.import_module(module)
    before = {name: sys.modules.pop(name) for name in [*sys.modules] if name.split(".")[0] == top}
    try:
        with _importable(folder):
            importlib.invalidate_caches()
            return importlib.import_module(module)
    finally:
        # A module of the same name from elsewhere stays what the rest of the process knows.
        elsewhere = {
            name: old
            for name, old in before.items()
            if not Path(getattr(old, "__file__", None) or "").is_relative_to(folder.resolve())
        }
        sys.modules.update(elsewhere)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let modules of the case folder be imported while the block runs."""
    place = str(folder.resolve())
    sys.path.insert(0, place)
    try:
        yield
    finally:
        if place in sys.path:
            sys.path.remove(place)
