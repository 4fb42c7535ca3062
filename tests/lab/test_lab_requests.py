"""What the browser may ask for, and the command made of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from fairnb.errors import FairnbError
from fairnb.lab._requests import (
    ExportRequest,
    NewRequest,
    PlanRequest,
    VerifyRequest,
    below,
    existing,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    (top / "case").mkdir(parents=True)
    for name in ("case/assessment.ipynb", "case/me.p12", "roots.pem", "rows.csv", "model.skops"):
        (top / name).write_bytes(b"")
    (tmp_path / "outside.pdf").write_bytes(b"")
    (top / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    (top / "out").symlink_to(tmp_path)
    (top / "case" / ".fairnb").mkdir()
    (top / "case" / ".fairnb" / "log.jsonl").write_bytes(b"")
    (top / "shown").symlink_to("case/.fairnb")
    (top / "circle.pdf").symlink_to("circle.pdf")
    return top


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside.pdf", "path-outside"),
        ("case/../../outside.pdf", "path-outside"),
        ("link.pdf", "path-outside"),
        ("out/outside.pdf", "path-outside"),
        ("case/.fairnb/log.jsonl", "hidden-path"),
        (".ssh/id", "hidden-path"),
        ("shown/log.jsonl", "hidden-path"),
        ("circle.pdf", "bad-path" if sys.version_info < (3, 13) else "missing-file"),
        ("", "no-path"),
        ("/", "no-path"),
        ("none.pdf", "missing-file"),
        ("case", "missing-file"),
    ],
)
def test_paths_stay_below_the_root(root: Path, path: str, code: str) -> None:
    for ask in (VerifyRequest(path=path), PlanRequest(path=path), ExportRequest(path=path, formats=("pdf",))):
        with pytest.raises(FairnbError) as refused:
            ask.command(root)
        assert refused.value.code == code


def test_an_absolute_path_is_one_below_the_root(root: Path) -> None:
    assert existing(root, "/rows.csv") == (root / "rows.csv").resolve()
    with pytest.raises(FairnbError):
        existing(root, "/etc/hostname")


def test_every_file_that_a_request_names_is_held_to_the_root(root: Path) -> None:
    outside = "../outside.pdf"
    notebook = "case/assessment.ipynb"
    asked = [
        ExportRequest(path=notebook, formats=("pdf",), identity=outside),
        VerifyRequest(path=notebook, trust=outside),
        NewRequest(folder="new", train=outside),
        NewRequest(folder="new", test=outside),
        NewRequest(folder="new", system=f"sklearn:{outside}"),
        NewRequest(folder="new", system=f"keras:{outside}"),
        NewRequest(folder="../new"),
    ]
    for ask in asked:
        with pytest.raises(FairnbError):
            ask.command(root)


def test_what_is_typed_is_never_an_option_of_the_command(root: Path) -> None:
    command = NewRequest(folder="-new", title="--help", system="scores:-x", level="third-party").command(root)
    verb, folder, *options = command.arguments
    assert (verb, folder) == ("new", str(root / "-new"))
    assert options == ["--title=--help", "--level=third-party", "--system=scores:-x"]


def test_known_corpora_go_by_name_and_files_by_path(root: Path) -> None:
    command = NewRequest(folder="new", train="demo-train", test="rows.csv").command(root)
    assert command.arguments[2:] == ("--train=demo-train", f"--test={root / 'rows.csv'}")


def test_the_passphrase_is_no_argument(root: Path) -> None:
    notebook = "case/assessment.ipynb"
    signed = ExportRequest(
        path=notebook, formats=("pdf", "html"), identity="case/me.p12", passphrase="correct horse"
    )
    command = signed.command(root)
    assert command.passphrase == "correct horse"
    assert not [argument for argument in command.arguments if "horse" in argument]
    assert "horse" not in repr(signed)
    assert command.folder == root / "case"
    unsigned = ExportRequest(path=notebook, formats=("pdf",), passphrase="correct horse").command(root)
    assert unsigned.passphrase == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "two\nlines"},
        {"title": "x" * 301},
        {"system": "\x00"},
        {"level": "fourth-party"},
        {"colour": "blue"},
    ],
)
def test_odd_values_are_refused_before_anything_runs(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        NewRequest(folder="new", **fields)  # type: ignore[arg-type]


def test_below_accepts_what_is_not_there_yet(root: Path) -> None:
    assert below(root, "a/b/new") == (root / "a/b/new").resolve()


def test_a_plan_is_asked_for_and_nothing_is_run(root: Path) -> None:
    command = PlanRequest(path="case/assessment.ipynb").command(root)
    folder = root.resolve() / "case"
    assert command.arguments == ("run", str(folder), "--plan", "--json")
    assert command.folder == folder
