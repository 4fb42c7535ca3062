"""The reference pages and the code name the same verbs, options, keys and columns."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

from fairnb.case import CaseFile
from fairnb.cli import app
from fairnb.errors import ExitCode
from fairnb.report import SignatureStatus, VerificationStatus
from fairnb.sections import Measure, Section, Status, section, section_ids

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = DOCS / "reference"
KEYS_IN_FINDINGS = {"alpha", "min_support", "shares"}


def parts(page, level="## "):
    """Heading -> what stands below it, up to the next heading of the same level."""
    text = (REFERENCE / page).read_text(encoding="utf-8")
    found = {}
    for part in re.split(rf"^{level}", text, flags=re.MULTILINE)[1:]:
        heading, _, below = part.partition("\n")
        found[heading.strip()] = re.split(r"^#", below, flags=re.MULTILINE)[0]
    return found


def first_cells(text):
    """Everything in backticks in the first cell of a table's rows."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def verbs(command, words=()):
    for name in command:
        if not name.startswith("-"):
            below = command[name]
            nested = [one for one in below if not one.startswith("-")]
            yield from verbs(below, (*words, name)) if nested else [(" ".join((*words, name)), below)]


VERBS = dict(verbs(app))
COMMANDS = parts("commands.md")


def test_the_reference_has_a_part_for_each_verb_and_for_no_other():
    assert {name for name in COMMANDS if name.startswith("fairnb ")} == {f"fairnb {verb}" for verb in VERBS}


@pytest.mark.parametrize("verb", VERBS)
def test_the_part_of_a_verb_lists_its_options_and_no_other(verb):
    options = {
        name
        for argument in VERBS[verb].assemble_argument_collection(parse_docstring=True)
        for name in argument.names
        if name.startswith("--") and not name.startswith("--no-")
    }
    listed = {name for name in first_cells(COMMANDS[f"fairnb {verb}"]) if name.startswith("--")}
    assert listed == options


def test_every_exit_code_is_listed_and_no_other():
    listed = re.findall(r"^\| (\d+) \|", COMMANDS["Exit codes"], re.MULTILINE)
    assert {int(code) for code in listed} == {int(code) for code in ExitCode}


def test_every_field_of_a_verification_is_explained():
    listed = {name for name in first_cells(COMMANDS["fairnb verify"]) if not name.startswith("--")}
    assert listed == {*VerificationStatus.__dataclass_fields__, "exit_code"}
    for name in SignatureStatus.__dataclass_fields__:
        assert f"`{name}`" in COMMANDS["fairnb verify"], name


def keys_of(annotation):
    """Keys of the model that an annotation holds."""
    for part in (annotation, *getattr(annotation, "__args__", ())):
        if hasattr(part, "model_fields"):
            return set(part.model_fields)
    return set()


def case_tables():
    """Table of the case file -> the keys that the code reads."""
    tables = {name: keys_of(field.annotation) for name, field in CaseFile.model_fields.items()}
    del tables["sections"]
    tables["findings"] = KEYS_IN_FINDINGS
    tables["criteria"] -= KEYS_IN_FINDINGS
    tables["targets"] -= {"name"}
    return tables


def test_every_table_of_the_case_file_lists_its_keys_and_no_other():
    listed = {}
    for heading, below in parts("case-file.md").items():
        name = re.search(r"`\[(\w+)", heading)[1]
        if name != "sections":
            listed[name] = set(first_cells(below))
    assert listed == case_tables()


def declared(name):
    """A section by its module, registered or not."""
    module = importlib.import_module(f"fairnb.sections.{name}")
    kinds = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, Section)]
    return next(kind for kind in kinds if getattr(kind, "id", "") == name)


SECTIONS = {
    re.search(r"sections\.(\w+)", heading)[1]: set(first_cells(below))
    for heading, below in parts("case-file.md", "### ").items()
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_s_table_lists_its_parameters_and_no_other(name):
    assert SECTIONS[name] == set(declared(name).Params.model_fields)


def test_every_section_with_parameters_has_its_table():
    assert {name for name in section_ids() if section(name).Params.model_fields} <= set(SECTIONS)


MEASURES = parts("measures.md")


def test_every_column_of_measures_is_explained_and_no_other():
    assert set(first_cells(MEASURES["Columns"])) == {"id", "section", "target", *Measure.model_fields}


def test_every_status_of_a_measure_is_explained_and_no_other():
    assert set(first_cells(MEASURES["Status"])) == set(Status)


def test_every_section_has_its_measures_told():
    assert set(section_ids()) <= set(re.findall(r"`(\w+)`", " ".join(MEASURES))) | {"conclusion"}


@pytest.mark.parametrize("heading", [heading for heading in MEASURES if heading.startswith("`")])
def test_measures_that_are_told_exist(heading):
    source = "".join(
        path.read_text(encoding="utf-8") for path in (DOCS.parent / "fairnb" / "sections").glob("*.py")
    )
    for name in first_cells(MEASURES[heading]):
        made = [f'"{name}"', *(f'f"{name[: len(start)]}{{' for start in ("bias_auc_", "aeg_", "cb_"))]
        made.append(f'{{kind}}_{name.rpartition("_")[2]}"')
        assert any(one in source for one in made), name


def test_links_between_the_pages_lead_somewhere():
    broken = [
        f"{page.name}: {link}"
        for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - {"README.md"}
    assert {page for page in pages if f"({page})" not in index} == set()
