"""Every section has a page that names its parameters with their defaults, and its measures."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

from fairnb.case import CaseFile
from fairnb.sections import Criteria, Section, Target, section_ids

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((DOCS / "sections").glob("*.md"))
    if path.stem != "README"
}
COLUMNS = ["measure", "attribute", "subgroup", "reference", "label", "variant", "value", "low", "high", "n"]
"""Columns of the tables that quote measures of the demonstration."""
EMBEDDINGS = '\n[embeddings]\nuse = "system"\nrelation = "used by the system"\n'


def declared(name):
    """A section by its module, registered or not."""
    module = importlib.import_module(f"fairnb.sections.{name}")
    kinds = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, Section)]
    return next(kind for kind in kinds if getattr(kind, "id", "") == name)


def blocks(page):
    """The TOML blocks of a page, each with what it holds."""
    return [(text, tomllib.loads(text)) for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]


def sections_in(page):
    """Section -> parameters that a page's TOML blocks give."""
    found = {}
    for _, held in blocks(page):
        found.update(held.get("sections", {}))
    return found


def measures_told():
    """Section -> names of measures, as the reference page lists them."""
    text = (DOCS / "reference" / "measures.md").read_text(encoding="utf-8")
    told = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, below = part.partition("\n")
        rows = [line.split("|")[1] for line in below.splitlines() if line.startswith("| `")]
        names = [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]
        told.update(dict.fromkeys(re.findall(r"`(\w+)`", heading), names))
    return told


def quoted(page):
    """Rows of the tables that quote measures: column -> cell."""
    rows, inside = [], False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells == COLUMNS:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set("".join(cells)) <= {"-"}:
            rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def test_every_section_has_a_page_and_the_list_of_pages_has_each_in_order():
    assert set(section_ids()) <= set(PAGES)
    listed = re.findall(r"\]\((\w+)\.md\)", (DOCS / "sections" / "README.md").read_text(encoding="utf-8"))
    assert set(listed) == set(PAGES)
    assert [name for name in listed if name in section_ids()] == list(section_ids())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_headed_by_the_title_and_id_of_its_section(name):
    assert PAGES[name].startswith(f"# {declared(name).title} (`{name}`)\n")


@pytest.mark.parametrize("name", PAGES)
def test_the_toml_of_a_page_gives_each_parameter_its_default(name):
    model = declared(name).Params
    given = sections_in(PAGES[name])
    assert set(given) == ({name} if model.model_fields else set())
    if not given:
        return
    plain = model()
    assert model.model_validate(given[name]) == plain
    # TOML has no word for None: such parameters stand in a comment.
    without = {key for key in model.model_fields if getattr(plain, key) is None}
    assert set(given[name]) == set(model.model_fields) - without
    text = next(text for text, held in blocks(PAGES[name]) if "sections" in held)
    for key in without:
        line = re.search(rf"^# {key} = (\S+)", text, re.MULTILINE)
        model.model_validate({key: tomllib.loads(f"{key} = {line[1]}")[key]})


@pytest.mark.parametrize("name", PAGES)
def test_other_tables_of_the_case_file_on_a_page_hold_what_the_code_reads(name):
    for _, held in blocks(PAGES[name]):
        if "engagement" in held:
            CaseFile.model_fields["engagement"].annotation.model_validate(held["engagement"])
        if "run" in held:
            CaseFile.model_fields["run"].annotation.model_validate(held["run"])
        agreed = {**held.get("criteria", {}), **held.get("findings", {})}
        if agreed:
            plain = Criteria()
            assert {key: getattr(plain, key) for key in agreed} == agreed
        for target, table in held.get("targets", {}).items():
            Target.model_validate({"name": target, **table})


def test_the_template_file_on_the_page_is_one_that_is_read(tmp_path):
    from fairnb.variants import read_templates

    text = next(text for text, held in blocks(PAGES["counterfactual"]) if "templates" in held)
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    assert read_templates(file).attribute == "religion"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_every_measure_of_its_section(name):
    told = measures_told()[name]
    assert [measure for measure in told if f"`{measure}`" not in PAGES[name]] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_quoted_measure_is_one_of_the_section(name):
    assert {row["measure"] for row in quoted(PAGES[name])} <= set(measures_told()[name])


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """Section -> its result in the demonstration, computed without the notebook."""
    pytest.importorskip("tensorflow")
    from fairnb.case import load_case
    from fairnb.files import templates

    text = (templates("notebooks") / "demo.toml").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("home")))
        folder = tmp_path_factory.mktemp("demonstration")
        (folder / "assessment.toml").write_text(text + EMBEDDINGS, encoding="utf-8")
        case = load_case(folder)
        yield {name: case.run(name).content.result for name, page in PAGES.items() if quoted(page)}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if quoted(page)])
def test_quoted_measures_are_those_of_the_demonstration(demonstration, name):
    for row in quoted(PAGES[name]):
        found = demonstration[name].measure(**{column: row[column] for column in COLUMNS[:6]})
        assert str(found.n) == row["n"], row
        for column in ("value", "low", "high"):
            number = getattr(found, column)
            if found.status == "exact":
                assert row[column] == ("" if number is None else f"{number:.0f}"), row
            else:
                assert row[column] == ("" if number is None else f"{number:.4f}"), row
