"""The reference pages name every verb, option and key that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairnb.case import CaseFile
from fairnb.cli import app

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference"


def verbs(command, words=()):
    for name in command:
        if not name.startswith("-"):
            below = command[name]
            nested = [one for one in below if not one.startswith("-")]
            yield from verbs(below, (*words, name)) if nested else [((*words, name), below)]


VERBS = {" ".join(words): (words, command) for words, command in verbs(app)}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_is_in_the_reference(verb):
    words, command = VERBS[verb]
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    (line,) = [row for row in page.splitlines() if row.startswith(f"| `fairnb {' '.join(words)}")]
    for argument in command.assemble_argument_collection(parse_docstring=True):
        for option in argument.names:
            if option.startswith("--") and not option.startswith("--no-"):
                assert option in line, option


def test_every_key_of_the_case_file_is_in_the_reference():
    page = (DOCS / "case-file.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z_]+", page))
    for table, field in CaseFile.model_fields.items():
        assert table in named, table
        model = field.annotation
        for part in getattr(model, "__args__", (model,)):
            for key in getattr(part, "model_fields", {}):
                assert key in named, f"{table}.{key}"
