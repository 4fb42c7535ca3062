"""What holds for every committed file."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
LONGEST_MODULE = 450
LARGEST_FILE = 1 << 20

# Groups keep this file from holding what it forbids.
MACHINE_PATH = re.compile(r"(?<![\w./-])/(?:work|root|home/\w+)/")
REGISTRY = re.compile(r"pypi\.(?:org)|python(?:hosted)|npmjs\.(?:org|com)|deb\.(?:debian)")
UNFINISHED = re.compile(r"\b(?:TO(?:DO)|FIX(?:ME))\b")


def committed() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [
        path for name in listing.stdout.decode().split("\0") if name and (path := CHECKOUT / name).is_file()
    ]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in committed():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a picture or a font
        found += [
            f"{path.relative_to(CHECKOUT)}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
    return found


def test_no_file_names_a_folder_of_one_machine() -> None:
    assert lines_with(MACHINE_PATH) == []


def test_no_file_names_a_package_registry_by_address() -> None:
    assert lines_with(REGISTRY) == []


def test_nothing_is_left_for_later() -> None:
    assert lines_with(UNFINISHED) == []


def test_no_file_is_larger_than_a_reader_would_open() -> None:
    assert [path.name for path in committed() if path.stat().st_size > LARGEST_FILE] == []


def test_modules_are_short_enough_to_read_at_once() -> None:
    lengths = {
        str(path.relative_to(CHECKOUT)): len(path.read_text("utf-8").splitlines())
        for path in (CHECKOUT / "fairnb").rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_every_room_lists_its_public_names() -> None:
    rooms = (CHECKOUT / "fairnb").rglob("__init__.py")
    assert [
        str(path.relative_to(CHECKOUT)) for path in rooms if "__all__" not in path.read_text("utf-8")
    ] == []


def test_the_readme_gives_the_two_commands() -> None:
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    assert "make demo" in readme
    assert "make test" in readme


def test_the_version_is_the_same_in_both_places() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    module = (CHECKOUT / "fairnb" / "__init__.py").read_text("utf-8")
    assert f'__version__ = "{project["version"]}"' in module


def test_relative_links_in_the_pages_lead_somewhere() -> None:
    links = [
        (page, target)
        for page in committed()
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if "://" not in target and not target.startswith("mailto:")
    ]
    broken = [f"{page.name}: {target}" for page, target in links if not (page.parent / target).exists()]
    assert broken == []
