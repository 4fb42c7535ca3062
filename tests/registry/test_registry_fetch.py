"""Fetching by digest: what is copied, what is refused, what is said."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import data_folder
from fairnb.registry import Known, KnownFile, _fetch, fetch, fetched, parts, status

CONTENT = b"id,text,label\n1,You are a silly goose,1\n"


def made(name="geese", path="geese.csv", content=CONTENT):
    return Known(
        name=name,
        kind="corpus",
        title="Geese",
        licence="CC0",
        address="https://github.com/example/geese",
        description="",
        notes="",
        files=(KnownFile(path, hashlib.sha256(content).hexdigest(), len(content)),),
    )


@pytest.fixture
def geese(monkeypatch):
    thing = made()
    monkeypatch.setattr(_fetch, "known", {"geese": thing}.__getitem__)
    return thing


def test_a_file_is_found_by_digest_under_another_name_deep_in_the_tree(geese, tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "renamed.bin").write_bytes(CONTENT)
    (tmp_path / "geese.csv").write_bytes(CONTENT.replace(b"silly", b"funny"))
    assert status("geese") == "not fetched"
    folder = fetch("geese", source=tmp_path)
    assert folder == data_folder() / "geese"
    assert (folder / "geese.csv").read_bytes() == CONTENT
    assert status("geese") == "ready"
    assert fetched("geese") == folder


def test_what_is_fetched_needs_no_source_again(geese, tmp_path):
    (tmp_path / "x").write_bytes(CONTENT)
    fetch("geese", source=tmp_path)
    assert fetch("geese") == data_folder() / "geese"


def test_a_changed_copy_is_seen_and_fetched_again(geese, tmp_path):
    (tmp_path / "x").write_bytes(CONTENT)
    copy = fetch("geese", source=tmp_path) / "geese.csv"
    copy.write_bytes(CONTENT.replace(b"silly", b"funny"))
    assert status("geese") == "changed"
    with pytest.raises(FairnbError, match="fairnb data fetch geese --from"):
        fetched("geese")
    fetch("geese", source=tmp_path)
    assert copy.read_bytes() == CONTENT


def test_an_edited_file_is_refused_and_nothing_is_left(geese, tmp_path):
    (tmp_path / "geese.csv").write_bytes(CONTENT.replace(b"silly", b"funny"))
    with pytest.raises(FairnbError, match="SHA-256") as caught:
        fetch("geese", source=tmp_path)
    assert caught.value.code == "not-found"
    assert not (data_folder() / "geese").exists()


def test_without_a_source_the_address_and_licence_are_named(geese):
    with pytest.raises(FairnbErrors, match=r"https://github.com/example/geese.*CC0.*--from FOLDER"):
        fetch("geese")


def test_a_missing_folder_is_named(geese, tmp_path):
    with pytest.raises(FairnbError) as caught:
        fetch("geese", source=tmp_path / "nowhere")
    assert caught.value.code == "folder-missing"


@pytest.mark.parametrize("path", ["../outside.csv", "/tmp/outside.csv", "a/../../outside.csv"])
def test_a_path_that_leaves_the_data_folder_is_refused(path, monkeypatch, tmp_path):
    monkeypatch.setattr(_fetch, "known", {"geese": made(path=path)}.__getitem__)
    (tmp_path / "x").write_bytes(CONTENT)
    with pytest.raises(FairnbError) as caught:
        fetch("geese", source=tmp_path)
    assert caught.value.code == "path-outside"


@pytest.mark.skipif(os.name != "posix", reason="folder modes")
def test_a_link_planted_in_the_data_folder_is_not_followed_out(geese, tmp_path):
    source, elsewhere = tmp_path / "source", tmp_path / "elsewhere"
    source.mkdir()
    elsewhere.mkdir()
    (source / "x").write_bytes(CONTENT)
    (data_folder() / "geese").mkdir()
    (data_folder() / "geese" / "geese.csv").symlink_to(elsewhere / "victim")
    with pytest.raises(FairnbError) as caught:
        fetch("geese", source=source)
    assert caught.value.code == "path-outside"
    assert not (elsewhere / "victim").exists()


def test_generated_things_need_no_fetch():
    assert status("demo-train") == "ready"
    assert parts("demo-train") == ()
    assert fetch("demo-train") == data_folder()


def test_a_derived_thing_rests_on_the_files_of_its_parts():
    assert [part.name for part in parts("paper-train")] == ["davidson", "olid"]


def test_a_derived_thing_that_is_not_there_names_every_part():
    with pytest.raises(FairnbErrors) as caught:
        fetch("paper-train")
    assert [error.code for error in caught.value.errors] == ["no-source", "no-source"]
    with pytest.raises(FairnbError, match=r"paper-train is built from it.*data fetch paper-train --from"):
        fetched("paper-train")


def test_a_derived_thing_fetches_what_it_derives_from(real_data: Path):
    fetch("paper-train", source=real_data)
    assert (data_folder() / "davidson" / "labeled_data.csv").is_file()
    assert (data_folder() / "olid" / "olid-training-v1.0.tsv").is_file()
    assert status("paper-test") == "ready"
    assert fetched("olid") == data_folder() / "olid"


@pytest.mark.parametrize("name", ["davidson", "olid", "jigsaw-madlibs", "crows-pairs"])
def test_the_public_files_have_the_known_digests(name, real_data: Path):
    fetch(name, source=real_data)
    assert status(name) == "ready"


def test_a_data_folder_that_cannot_be_written_is_named(geese, tmp_path):
    (tmp_path / "x").write_bytes(CONTENT)
    (data_folder() / "geese").write_text("a file where the folder should be")
    with pytest.raises(FairnbError, match="FAIRNB_HOME") as caught:
        fetch("geese", source=tmp_path)
    assert caught.value.code == "cannot-write"
