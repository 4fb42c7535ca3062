"""What TypeScript and Python both say is the same in both."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from fairnb.case._case import State
from fairnb.case._payload import BUNDLE, CONTROLS, SCHEMA
from fairnb.errors import ExitCode
from fairnb.lab._requests import LEVELS, Redaction
from fairnb.notebook._stopping import TARGET
from fairnb.report._measures import COLUMNS
from fairnb.sections import Altai, Severity

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = CHECKOUT / "labextension" / "src"


def text(name: str) -> str:
    return (SOURCES / name).read_text("utf-8")


def constant(file: str, name: str) -> str:
    """The right side of `const NAME = ...;`, on one line or several."""
    found = re.search(rf"\bconst {name}\b[^=]*=\s*(.*?);\n", text(file), re.DOTALL)
    assert found, f"{file} has no {name}"
    return found[1]


def words(source: str) -> list[str]:
    return re.findall(r"'([^']*)'", source)


def test_mime_types_and_schema() -> None:
    assert words(constant("payload.ts", "RESULT_MIME")) == [BUNDLE]
    assert words(constant("payload.ts", "CONTROLS_MIME")) == [CONTROLS]
    assert f"fairnb.result/{constant('payload.ts', 'SCHEMA_MAJOR')}" == SCHEMA


def test_severities_in_their_order_and_requirements() -> None:
    assert words(constant("payload.ts", "SEVERITIES")) == [str(one) for one in Severity]
    numbers = re.search(r"requirements: \[([\d, ]+)\]", text("assessment.ts"))
    assert numbers
    assert [int(one) for one in numbers[1].split(",")] == [int(one) for one in Altai]


DOCUMENT = (CHECKOUT / "report_templates" / "audit" / "audit.css").read_text("utf-8")
PANEL = (CHECKOUT / "labextension" / "style" / "base.css").read_text("utf-8")
BACKGROUND = {"light": "#ffffff", "dark": "#212121"}
"""Of JupyterLab's panels, `--jp-layout-color1` of its own two themes."""


def variables(style: str, before: str) -> dict[str, str]:
    """Custom properties of the rule that begins like this."""
    found = re.search(rf"{re.escape(before)}\s*{{([^}}]*)}}", style)
    assert found, before
    return dict(re.findall(r"(--[\w-]+):\s*(#\w{6})\b", found[1]))


def hues_of_the_document(rule: str) -> dict[str, str]:
    """Colour of each severity's word in the document."""
    colours = variables(DOCUMENT, rule)
    named = {
        severity: colour
        for names, colour in re.findall(r"((?:\.severity\.\w+,?)+){color:var\((--\w+)\)}", DOCUMENT)
        for severity in re.findall(r"\.severity\.(\w+)", names)
    }
    return {severity: colours[colour] for severity, colour in named.items()}


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("theme", "document", "panel"),
    [
        ("light", ":root", "body"),
        (
            "dark",
            "@media screen and (prefers-color-scheme:dark){\n:root",
            "body[data-jp-theme-light='false']",
        ),
    ],
)
def test_severities_have_the_documents_hues_in_the_panel(theme: str, document: str, panel: str) -> None:
    hues = hues_of_the_document(document)
    assert list(hues) == [str(one) for one in Severity]
    assert variables(PANEL, panel) == {f"--fairnb-{severity}": hue for severity, hue in hues.items()}
    assert all(contrast(hue, BACKGROUND[theme]) >= 4.5 for hue in hues.values())


def test_no_hue_of_a_severity_is_declared_twice() -> None:
    for severity in Severity:
        assert PANEL.count(f"--fairnb-{severity}:") == 2  # light, dark
        assert (
            PANEL.count(f"[data-severity='{severity}'] {{\n  --fairnb-mark: var(--fairnb-{severity});") == 1
        )
    assert contrast("#000000", "#ffffff") == 21


def test_states_that_a_case_tells() -> None:
    declared = re.search(r"export type SectionState =(.*?);", text("assessment.ts"), re.DOTALL)
    assert declared
    assert set(get_args(State)) <= set(words(declared[1]))


def test_names_by_which_front_end_and_kernel_find_each_other() -> None:
    assert words(constant("runs.ts", "TARGET")) == [TARGET]
    widgets = (CHECKOUT / "fairnb" / "notebook" / "_widgets.py").read_text("utf-8")
    named = re.search(r'^SLIDER_CLASS = "(.+)"$', widgets, re.MULTILINE)
    assert named
    assert words(constant("sliders.ts", "SLIDER")) == [f".{named[1]}"]


def test_columns_of_the_table_that_is_copied() -> None:
    assert set(words(constant("csv.ts", "COLUMNS"))) <= set(COLUMNS)


def test_choices_of_the_dialogs() -> None:
    assert tuple(re.findall(r"'([\w-]+)':", constant("newDialog.ts", "LEVELS"))) == LEVELS
    offered = re.findall(r"value: '(\w*)'", constant("exportDialog.ts", "REDACTIONS"))
    # An export can only show less: what shows everything is not offered.
    assert offered == [one for one in get_args(Redaction) if one != "none"]


def test_exit_codes_that_are_answers() -> None:
    assert int(constant("exportPlugin.ts", "UNFAITHFUL")) == ExitCode.UNFAITHFUL
    answers = [ExitCode.DONE, ExitCode.NOT_INTACT, ExitCode.NOT_TRUSTED]
    assert json.loads(constant("verifyPlugin.ts", "ANSWERS")) == [int(one) for one in answers]


def test_the_one_exporter_that_is_named_in_menus() -> None:
    draft = constant("exportMenu.ts", "DRAFT")
    schema = json.loads((CHECKOUT / "labextension" / "schema" / "export-audit.json").read_text("utf-8"))
    (item,) = schema["jupyter.lab.menus"]["main"][0]["items"][0]["submenu"]["items"]
    assert words(draft) == [item["args"]["format"], item["args"]["label"]]
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert item["args"]["format"] in project["entry-points"]["nbconvert.exporters"]


def test_sentences_of_a_verification_that_the_dialog_reads() -> None:
    unsigned, mistrust = (constant("verification.ts", one)[1:-1] for one in ("UNSIGNED", "MISTRUST"))
    verify = (CHECKOUT / "fairnb" / "report" / "_verify.py").read_text("utf-8")
    said = re.findall(r'found\.problem\(f?"(the document is not signed[^"]*)"\)', verify)
    assert len(said) == 2
    assert all(re.search(unsigned, one) for one in said)
    findings = (CHECKOUT / "fairnb" / "report" / "_findings.py").read_text("utf-8")
    (sentence,) = re.findall(r'problems\.append\(f"(the signer .*)"\)', findings)
    assert re.search(mistrust, sentence)
    assert f'reason = "{words(constant("verification.ts", "UNASKED"))[0]}"' in findings
