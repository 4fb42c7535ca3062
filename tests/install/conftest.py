"""The wheel as a user gets it, fresh environments to install it into, and the demo run from one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def _told(
    command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; where it fails, the test ends with what the command said."""
    ran = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = f"{ran.stdout[-2000:]}\n{ran.stderr[-6000:]}"
        pytest.fail(f"{' '.join(map(str, command[:3]))} ended with {ran.returncode}:\n{said}")
    return ran


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel in it, away from the checkout."""

    folder: Path
    home: Path

    def run(self, program: str, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run one of its programs, which is told nothing of the checkout."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
        }
        return _told([self.folder / "bin" / program, *arguments], cwd, kept | {"FAIRNB_HOME": str(self.home)})


@dataclass(frozen=True)
class Demonstrated:
    """What `fairnb demo` left in an empty folder."""

    environment: Installed
    folder: Path
    said: str

    def one(self, pattern: str) -> Path:
        """The only file of the demo with such a name."""
        (found,) = self.folder.rglob(pattern)
        return found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with what the lock installed."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    _told([*build, "--outdir", folder, CHECKOUT], folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Installed]:
    """Make a fresh environment of an interpreter: a lock, by hash, then the wheel and nothing else."""

    def make(python: str, lock: str) -> Installed:
        parent = tmp_path_factory.mktemp("environment")
        folder = parent / "venv"
        _told([python, "-m", "venv", folder], parent)
        pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        locked = CHECKOUT / "requirements" / lock
        _told([*pip, "--require-hashes", "--only-binary", ":all:", "-r", locked], parent)
        _told([*pip, "--no-deps", wheel], parent)
        return Installed(folder, parent / "home")

    return make


@pytest.fixture(scope="session")
def demonstrated(
    install: Callable[[str, str], Installed], tmp_path_factory: pytest.TempPathFactory
) -> Demonstrated:
    """The demo, run from the wheel in an empty folder."""
    environment = install(sys.executable, "demo.txt")
    folder = tmp_path_factory.mktemp("empty")
    ran = environment.run("fairnb", "demo", "case", cwd=folder)
    return Demonstrated(environment, folder, ran.stderr)
