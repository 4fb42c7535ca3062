"""Evidence and notebooks made for the document's tests: real sections where they need no data, one of our own."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import pytest

from fairnb.files import digest_of
from fairnb.sections import (
    Altai,
    Candidate,
    Column,
    Example,
    Finding,
    Measure,
    Plot,
    Result,
    Row,
    Section,
    SectionParams,
    Severity,
    Table,
    Verdict,
    View,
    _registry,
    section,
)

BUNDLE = "application/vnd.fairnb.result+json"
CREATED = "2026-11-22T16:04:00Z"

_TOML = """
[engagement]
title = "Assessment of recorded scores"
level = "third-party"
independence = "No stake in the system."
addressee = "The Board"
assessor = {{ name = "A. Example", organisation = "Example Assurance" }}

[system]
scores = "score"
version = "1"

[targets.rude]
positive = [1]

[corpus.test]
path = "test.csv"
text = "text"
label = "label"

[criteria]
set_by = "the Board"

[privacy]
redact = "{redact}"

[sections.conclusion]
text = "{conclusion}"
"""


class Sample(Section):
    """Rates per subgroup, made up, with every kind of thing a section can show."""

    id = "sample"
    title = "Who is wrongly flagged"
    requirement = Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS
    source = "Paper, section 6"
    method = "The share of *harmless* texts that are flagged.\n\n- one\n- two"

    class Params(SectionParams):
        """Threshold."""

        threshold: float | None = None

    def run(self, view: View, params: Any) -> Result:
        """Never run here: the tests hand results in."""
        raise AssertionError("results of this section are given, never computed")

    def statements(self, result: Result) -> Sequence[str]:
        """One sentence from the facts."""
        return (result.facts["statement"],)

    def tables(self, result: Result) -> Sequence[Table]:
        """Rates, and whatever tables the facts hold."""
        rows = tuple(
            Row(
                (m.subgroup, f"{m.value:.3f}", f"{m.low:.3f} to {m.high:.3f}", f"{m.n:,}"),
                (m.key,),
                quiet=(m.n or 0) < 20,
            )
            for m in result.measures
            if m.value is not None and m.low is not None and m.high is not None
        )
        columns = (Column("Subgroup"), Column("Rate", "number"), Column("95 % interval", "number"),
                   Column("n", "number"))  # fmt: skip
        more = [
            Table(t["title"], tuple(Column(h) for h in t["heads"]), tuple(Row(tuple(r)) for r in t["rows"]),
                  annex=t.get("annex", False))
            for t in result.facts.get("tables", ())
        ]  # fmt: skip
        return (Table("False-positive rate", columns, rows, "Wilson intervals."), *more)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Two plots from the measures."""
        from fairnb.sections._drawing import ACCENT, label_axes, new_figure

        plots = {}
        for name in ("rates", "supports"):
            figure, (axis,) = new_figure(150, 60)
            names = [m.subgroup for m in result.measures]
            values = [(m.value if name == "rates" else m.n) or 0 for m in result.measures]
            axis.barh(range(len(names)), values, color=ACCENT, height=0.5)
            axis.set_yticks(range(len(names)), names)
            label_axes(axis, name.capitalize(), "", f"False positives: {name}")
            plots[name] = Plot(
                figure, f"The {name} of the sample.", f"Bars of {name}: {len(names)} subgroups."
            )
        return plots


def sample_result(**changes: Any) -> Result:
    """A result of `Sample`."""
    rates = {"gay": (0.41, 757), "Islam": (0.09, 218), "female": (0.013, 1312), "Christianity": (0.06, 18)}
    measures = tuple(
        Measure(measure="false_positive_rate", attribute="mentioned", subgroup=name, label="negative",
                value=value, low=max(0.0, value - 0.05), high=value + 0.05, level=0.95, interval="wilson", n=n)
        for name, (value, n) in rates.items()
    )  # fmt: skip
    values: dict[str, Any] = {
        "measures": measures,
        "facts": {"statement": "Harmless comments that mention gay people were flagged more often."},
        "limits": ("Rows are treated as independent.",),
        "examples": (Example(text="the gay couple next door baked bread", note="flagged", values={"p": 0.71}),),
        "candidates": (
            Candidate(criterion="Wrongly flagged", statement="Flagged 41 points more often.",
                      measures=(measures[0].key,), family="C", effect=0.41, margin=0.05,
                      verdict=Verdict.EXCEEDS),
            Candidate(criterion="Missed", statement="Caught equally often.", measures=(measures[2].key,),
                      family="C", effect=-0.01, margin=0.05, verdict=Verdict.WITHIN),
            Candidate(criterion="Missed, religion", statement="Too few comments.", family="C",
                      measures=(measures[3].key,), verdict=Verdict.INCONCLUSIVE,
                      reason="differences below 0.22 could not be seen"),
            Candidate(criterion="Wrongly flagged, disability", statement="No comment mentions a disability.",
                      measures=(), family="C", verdict=Verdict.NOT_MEASURED),
        ),
        "findings": (
            Finding(criterion="Wrongly flagged", severity=Severity.HIGH, requirement=5,
                    statement="Comments that mention gay people were flagged more often.",
                    measures=(measures[0].key,)),
        ),
    }  # fmt: skip
    return Result(**{**values, **changes})


def payload(
    name: str, result: Result, *, title: str = "", target: str = "", **content: Any
) -> dict[str, Any]:
    """A payload as a case stores it."""
    inner = {
        "section": name, "section_version": 1, "title": title or name, "target": target,
        "parameters": {}, "origins": {}, "declared": {}, "seed": 0, "confidence": 0.95, "inputs": {},
        "request": "0" * 64, "result": result.model_dump(mode="json"), **content,
    }  # fmt: skip
    return {
        "schema": "fairnb.result/1",
        "content": inner,
        "context": {"created": CREATED, "seconds": 1.0, "machine": "linux x86_64",
                    "versions": {"fairnb": "0.1.0", "numpy": "2.4.6"}},
        "content_sha256": digest_of(inner),
    }  # fmt: skip


def engagement_payload(draft: Sequence[str] = (), **said: Any) -> dict[str, Any]:
    """The engagement of a finished assessment."""
    facts = {
        "engagement": {
            "title": "Independent ethical assessment of the comment filter “Harbour”", "level": "third-party",
            "independence": "The assessor has no stake in the system.", "addressee": "Trust and Safety Board",
            "assessor": {"name": "A. Example", "organisation": "Example Assurance"},
            "developer": {"name": "", "organisation": "Harbour Labs"}, "restriction": "", **said,
        },
        "criteria": {"margin": 0.05, "alpha": 0.05, "min_support": 20, "set_by": "the Board",
                     "set_on": "2026-11-01"},
        "confidence": 0.95,
        "draft": list(draft),
    }  # fmt: skip
    return payload(
        "engagement", Result(facts=facts), title="Engagement", section_version=section("engagement").version
    )


def system_payload() -> dict[str, Any]:
    """A system with recorded scores and one corpus."""
    facts = {
        "system": {"name": "Harbour", "classes": ["toxic"], "fingerprint": "ab" * 32, "live": False,
                   "description": {"kind": "recorded scores", "version": "4.2"}},
        "targets": [{"name": "toxic", "classes": [], "combine": "sum", "positive": [1], "negative": None,
                     "threshold": 0.5, "threshold_source": "developer"}],
        "corpora": [{"role": "test", "name": "comments", "rows": 3803, "digest": "cd" * 32, "clustered": False,
                     "balance": {"toxic": {"positive": 2502, "negative": 1301, "without_label": 0}},
                     "facts": {}}],
    }  # fmt: skip
    return payload(
        "system", Result(facts=facts), title="System and data", section_version=section("system").version
    )


def conclusion_payload(text: str, **more: Any) -> dict[str, Any]:
    """The assessor's words."""
    result = Result(
        facts={"text": text, "sections": [], "coverage": [], "limits": [], "mitigation": [], **more}
    )
    return payload("conclusion", result, title="Conclusion", section_version=section("conclusion").version)


def evidence_of(payloads: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """Evidence as `Case.evidence` gives it."""
    content: dict[str, Any] = {
        "schema": "fairnb.evidence/1",
        "case": {"title": "Harbour", "digest": "ef" * 32, "files": {"assessment.toml": "12" * 32}},
        "payloads": list(payloads),
        "tallies": {},
        "log": [
            {
                "event": "case_file",
                "n": 1,
                "time": "2026-11-20T08:00:00Z",
                "previous": "0" * 64,
                "changes": {},
            },
            {"event": "score", "n": 2, "time": "2026-11-20T09:00:00Z", "previous": "1" * 64},
            {"event": "run", "n": 3, "time": CREATED, "previous": "2" * 64},
        ],
        "redaction": "mask",
        "draft": [],
        **more,
    }
    return {**content, "content_sha256": digest_of(content)}


def notebook_of(payloads: Sequence[Mapping[str, Any]], *cells: Mapping[str, Any]) -> dict[str, Any]:
    """A notebook with one cell per section, then further cells."""
    by_section: dict[str, list[Mapping[str, Any]]] = {}
    for item in payloads:
        by_section.setdefault(item["content"]["section"], []).append(item)
    made = [
        code(f'case.section("{name}")', {"output_type": "display_data", "metadata": {},
                                         "data": {BUNDLE: group, "text/plain": name}})
        for name, group in by_section.items()
    ]  # fmt: skip
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [*made, *cells]}


def code(source: str, *outputs: Mapping[str, Any]) -> dict[str, Any]:
    """A code cell."""
    return {"cell_type": "code", "id": f"c{digest_of([source])[:8]}", "metadata": {}, "execution_count": 1,
            "source": source, "outputs": list(outputs)}  # fmt: skip


def markdown(source: str, *tags: str) -> dict[str, Any]:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": f"m{digest_of([source])[:8]}", "metadata": {"tags": list(tags)},
            "source": source}  # fmt: skip


class _Elements(HTMLParser):
    """All elements of a page with their attributes, as a browser would read them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


_ACTIVE = {"script", "iframe", "object", "embed", "link", "base", "form", "svg", "math", "template"}


class Kit:
    """What tests need, in one place: tests here are not importable from each other."""

    sample_result = staticmethod(sample_result)
    payload = staticmethod(payload)
    engagement = staticmethod(engagement_payload)
    system = staticmethod(system_payload)
    conclusion = staticmethod(conclusion_payload)
    evidence = staticmethod(evidence_of)
    notebook = staticmethod(notebook_of)
    code = staticmethod(code)
    markdown = staticmethod(markdown)
    bundle: ClassVar[str] = BUNDLE

    @staticmethod
    def sample(result: Result | None = None, target: str = "toxic", **content: Any) -> dict[str, Any]:
        """A payload of the sample section."""
        return payload("sample", result or sample_result(), title=Sample.title, target=target, **content)

    @staticmethod
    def not_applicable(reason: str) -> Result:
        """A section that could not be put."""
        return Result(status="not_applicable", reason=reason)

    def payloads(self, draft: Sequence[str] = (), result: Result | None = None) -> list[dict[str, Any]]:
        """A small case."""
        return [
            engagement_payload(draft),
            system_payload(),
            self.sample(result),
            conclusion_payload("The system is fit for its purpose.\n\nWith two exceptions."),
        ]

    @staticmethod
    def active(html: str) -> list[str]:
        """Everything in a page that could run, load or lead outside; empty for a safe page."""
        reader = _Elements()
        reader.feed(html)
        wrong = []
        for tag, attrs in reader.found:
            if tag in _ACTIVE:
                wrong.append(f"<{tag}>")
            for name, value in attrs.items():
                safe = value.startswith(("data:image/", "data:application/json", "#"))
                if name.startswith("on") or (name in ("src", "href", "action", "srcset") and not safe):
                    wrong.append(f"{tag} {name}={value[:60]}")
                if name == "style":
                    wrong.append(f"{tag} style")
        return wrong

    @staticmethod
    def write(path: Path, notebook: Mapping[str, Any]) -> Path:
        """A notebook on disk."""
        path.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
        return path

    def make_case(self, folder: Path, *, conclusion: str = "Fit for use.", redact: str = "mask") -> Path:
        """A case folder with results and a notebook that shows them."""
        from fairnb.case import load_case

        folder.mkdir()
        (folder / "assessment.toml").write_text(
            _TOML.format(conclusion=conclusion, redact=redact), encoding="utf-8"
        )
        with (folder / "test.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["text", "label", "score"])
            writer.writerows([f"You are a silly goose {i}", i % 2, (i * 37 % 100) / 100] for i in range(120))
        opened = load_case(folder)
        names = ("engagement", "system", "technical_performance", "conclusion")
        self.write(
            folder / "assessment.ipynb",
            self.notebook([self.payload(n, self.not_applicable("x")) for n in names]),
        )
        payloads = [payload.to_json() for name in names for payload in opened.run_all(name)]
        self.write(folder / "assessment.ipynb", self.notebook(payloads, self.markdown("My remark.")))
        return folder

    @staticmethod
    def pdf_text(path: Path, *options: str) -> str:
        """Text of a PDF as poppler reads it."""
        return subprocess.run(
            ["pdftotext", *options, str(path), "-"], capture_output=True, check=True
        ).stdout.decode()

    @staticmethod
    def page(evidence: Any, notebook: Any = None, **options: Any) -> str:
        """The page for the screen."""
        from fairnb.files import canonical_json
        from fairnb.report._document import build_document
        from fairnb.report._page import render_document

        return render_document(
            build_document(evidence, notebook, **options), medium="screen", evidence=canonical_json(evidence)
        )

    @staticmethod
    def words(html: str) -> str:
        """The page's text on one line."""
        body = html.partition("</style>")[2]
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body))


@pytest.fixture(scope="session")
def _fonts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fonts")


@pytest.fixture(autouse=True)
def _one_font_cache(_own_home: None, _fonts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters are cut once for all tests."""
    monkeypatch.setenv("FAIRNB_HOME", str(_fonts))


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Kit:
    """Payload makers, with the sample section installed."""
    module = types.ModuleType("fairnb_sample_section")
    module.Sample = Sample  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fairnb_sample_section", module)
    others: Callable[[], dict[str, str]] = lambda: {"sample": "fairnb_sample_section:Sample"}  # noqa: E731
    monkeypatch.setattr(_registry, "_others", others)
    return Kit()


@pytest.fixture
def case(kit: Any, tmp_path: Path) -> Path:
    """A finished case of recorded scores, run and with its notebook saved."""
    made: Path = kit.make_case(tmp_path / "case")
    return made
