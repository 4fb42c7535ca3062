"""Where a model lies: inside a folder, by name, and its digest. No PyTorch is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.masked_lm import find_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a model's."""
    place = tmp_path / "case" / "base"
    place.mkdir(parents=True)
    (place / "config.json").write_text("{}")
    (place / "model.safetensors").write_bytes(b"weights")
    (place / "README.md").write_text("about")
    return place


def test_a_folder_is_named_without_the_path_of_the_machine(folder: Path) -> None:
    assert find_model(str(folder)).name == "base"
    assert find_model("base", folder.parent).name == "base"
    assert find_model("base", folder.parent).path == folder


def test_the_digest_is_of_what_loading_reads(folder: Path) -> None:
    found = find_model(str(folder))
    before = found.digest
    (folder / "README.md").write_text("other words")
    assert found.digest == before
    (folder / "model.safetensors").write_bytes(b"other weights")
    assert found.digest != before


def test_a_case_does_not_reach_outside_its_folder(folder: Path) -> None:
    for name in ("../elsewhere", str(folder.parent.parent)):
        with pytest.raises(FairnbError) as error:
            find_model(name, folder.parent)
        assert error.value.code == "path-outside"


def test_a_link_in_a_cases_model_does_not_reach_outside_either(folder: Path, tmp_path: Path) -> None:
    (folder / "model.safetensors").rename(tmp_path / "elsewhere.safetensors")
    (folder / "model.safetensors").symlink_to(tmp_path / "elsewhere.safetensors")
    with pytest.raises(FairnbError) as error:
        find_model("base", folder.parent)
    assert error.value.code == "path-outside"
    assert str(tmp_path) not in str(error.value)
    assert find_model(str(folder)).digest


@pytest.mark.parametrize(
    "name",
    [
        "./nothing",
        "/nothing/here",
        "a/b/c",
        "",
        "no such model",
        "~nobody-of-that-name/model",
        "a" * 300,
        "a\0b",
    ],
)
def test_what_is_neither_folder_nor_name_asks_no_network(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *given, **named: pytest.fail("asked"))
    if not name:
        return
    with pytest.raises(FairnbError) as error:
        find_model(name)
    assert error.value.code == "missing-model"


def test_a_file_is_no_name_of_a_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.chdir(folder.parent)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *given, **named: pytest.fail("asked"))
    with pytest.raises(FairnbError, match="is a file") as error:
        find_model("base/config.json")
    assert error.value.code == "missing-model"


def test_a_name_that_cannot_be_fetched_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[bool] = []

    def fail(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        asked.append(local_files_only)
        raise OSError("no route\nto anywhere")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(FairnbError, match="no route") as error:
        find_model("someone/some-model")
    assert error.value.code == "missing-model"
    assert "\n" not in str(error.value)
    assert asked == [True, False]
    with pytest.raises(FairnbError):
        find_model("someone/some-model", fetch=False)
    assert asked == [True, False, True]


def test_a_name_in_the_local_cache_is_taken_from_there_with_its_commit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    place = folder.rename(folder.parent / ("a1" * 20))

    def cached(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        assert local_files_only
        assert not any(pattern.endswith(("bin", "pt", "py")) for pattern in allow_patterns)
        return str(place)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", cached)
    found: Any = find_model("someone/some-model")
    assert (found.name, found.revision, found.path) == ("someone/some-model", "a1" * 20, place)
