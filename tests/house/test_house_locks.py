"""The locks agree with each other and with what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
LOCKS = ("bare", "demo", "test")
# What fairnb is asked to bring along when everything is installed.
EVERYTHING = (
    "jupyterlab",
    "ipywidgets",
    "nbconvert",
    "matplotlib",
    "seaborn",
    "pandas",
    "spacy",
    "gensim",
    "lime",
    "shap",
    "tensorflow",
)


def locked(name: str) -> dict[str, str]:
    text = (CHECKOUT / "requirements" / f"{name}.txt").read_text("utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", text, flags=re.MULTILINE))


def wanted(extra: str) -> dict[str, Requirement]:
    """Direct requirements of an extra, with those of the extras it names; "" is the bare install."""
    lines = PROJECT["dependencies"] if extra == "" else PROJECT["optional-dependencies"][extra]
    found: dict[str, Requirement] = {}
    for requirement in map(Requirement, lines):
        if requirement.name == "fairnb":
            for inner in requirement.extras:
                found |= wanted(inner)
        else:
            found[canonicalize_name(requirement.name)] = requirement
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_each_direct_requirement_is_locked_at_a_version_it_allows(lock: str) -> None:
    versions = locked(lock)
    requirements = wanted("") | (wanted(lock) if lock != "bare" else {})
    assert [str(r) for name, r in requirements.items() if not r.specifier.contains(versions[name])] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash(lock: str) -> None:
    text = (CHECKOUT / "requirements" / f"{lock}.txt").read_text("utf-8")
    entries = re.split(r"^(?=[a-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]
    assert [entry.split("==")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_pytorch_is_in_no_lock(lock: str) -> None:
    assert not {name for name in locked(lock) if name == "torch" or name.startswith("nvidia")}


def test_the_locks_name_the_same_versions() -> None:
    bare, demo, test = (locked(lock).items() for lock in LOCKS)
    assert bare <= demo <= test


def test_the_builder_is_locked_so_that_installing_the_checkout_needs_nothing_else() -> None:
    for lock in LOCKS:
        assert {"hatchling", "editables"} <= locked(lock).keys()


def test_all_brings_every_package_an_assessor_may_ask_for() -> None:
    assert set(EVERYTHING) <= (wanted("") | wanted("all")).keys()


def test_the_bare_install_carries_no_heavy_package() -> None:
    heavy = {"jupyterlab", "tensorflow", "spacy", "gensim", "shap", "lime", "weasyprint"}
    assert not heavy & locked("bare").keys()
