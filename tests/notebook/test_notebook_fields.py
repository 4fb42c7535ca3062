"""Controls are read from a section's parameters, whatever they are."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest
from pydantic import Field

from fairnb.notebook._fields import differing, fields_of, static_html, static_text
from fairnb.notebook._frontend import CONTROLS, front_end
from fairnb.sections import Altai, Result, Section, SectionParams, View, section, section_ids


class Made(Section):
    """One parameter of each kind."""

    id = "made"
    title = "Made <b>up</b>"
    requirement = Altai.TRANSPARENCY

    class Params(SectionParams):
        """All kinds."""

        folded: ClassVar[tuple[str, ...]] = ("words", "draws")

        corpus: Literal["test", "train"] = Field("test", description="Which corpus")
        threshold: float | None = Field(None, ge=0.0, le=1.0, description="Flag from this score")
        watts: float | None = Field(None, gt=0.0)
        every: bool = False
        """Whether all are taken."""
        draws: int = Field(200, ge=20, le=5000)
        words: tuple[str, ...] = ()
        name: str = Field("x", description="A 'name' & <i>more</i>")
        text: str = Field("", json_schema_extra={"format": "paragraph"})
        left_out: dict[str, str] = Field({}, description="Why")

    def run(self, view: View, params: SectionParams) -> Result:
        return Result()


def test_types_bounds_and_words_come_from_the_model() -> None:
    fields = {field.name: field for field in fields_of(Made())}
    kinds = {name: field.kind for name, field in fields.items()}
    assert kinds == {
        "corpus": "choice",
        "threshold": "share",
        "watts": "number",
        "every": "flag",
        "draws": "whole",
        "words": "list",
        "name": "text",
        "text": "long text",
        "left_out": "table",
    }
    assert fields["corpus"].choices == ("test", "train")
    assert (fields["threshold"].low, fields["threshold"].high, fields["threshold"].optional) == (0, 1, True)
    assert (fields["draws"].low, fields["draws"].high) == (20, 5000)
    assert fields["corpus"].help == "Which corpus"
    assert fields["every"].help == "Whether all are taken."
    assert {name for name, field in fields.items() if field.folded} == {"draws", "words"}


@pytest.mark.parametrize("identity", section_ids())
def test_every_section_has_controls_whose_help_is_written(identity: str) -> None:
    chosen = section(identity)
    fields = fields_of(chosen)
    assert [field.name for field in fields] == list(chosen.Params.model_fields)
    assert set(chosen.Params.folded) <= set(chosen.Params.model_fields)
    assert all(field.help for field in fields)


def test_only_what_differs_is_told_as_changed() -> None:
    fields = fields_of(Made())
    declared = Made.Params().model_dump()
    values = {**declared, "threshold": 0.6, "words": []}
    assert [(f.name, new, old) for f, new, old in differing(values, declared, fields)] == [
        ("threshold", 0.6, None)
    ]


def test_the_static_form_names_values_escapes_texts_and_needs_no_widget() -> None:
    fields = fields_of(Made())
    declared = Made.Params().model_dump()
    values = {**declared, "name": "<script>alert(1)</script>", "threshold": 0.6, "every": True}
    html = static_html(Made.title, values, declared, fields, thresholds="0.5")
    assert "<script" not in html
    assert "<b>" not in html
    assert "0.6 (case file: the target&#x27;s)" in html
    assert "<th scope='row' title='Which corpus'>Corpus</th><td>test</td>" in html
    assert "title='A &#x27;name&#x27; &amp; &lt;i&gt;more&lt;/i&gt;'>Name</th>" in html
    assert ">Every</th><td>yes (case file: no)</td>" in html
    assert "threshold = 0.6" in static_text(Made.title, values, fields)


class _Kernel:
    def __init__(self, content: dict[str, object]) -> None:
        self.content = content

    def get_parent(self, channel: str) -> dict[str, object]:
        return {"content": self.content} if channel == "shell" else {}


@pytest.mark.parametrize(
    ("asks", "said", "shown"),
    [(True, "", True), (False, "", False), (False, "on", True), (True, "off", False)],
)
def test_controls_are_for_a_front_end_that_can_ask_its_user(
    monkeypatch: pytest.MonkeyPatch, asks: bool, said: str, shown: bool
) -> None:
    monkeypatch.setattr("fairnb.notebook._frontend._kernel", lambda: _Kernel({"allow_stdin": asks}))
    monkeypatch.setenv(CONTROLS, said)
    assert front_end().controls is shown


def test_without_a_kernel_there_are_no_controls() -> None:
    assert not front_end().controls


def test_packages_that_do_not_fit_each_other_give_one_note_instead_of_broken_controls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fairnb.notebook._frontend._kernel", lambda: _Kernel({"allow_stdin": True}))
    monkeypatch.delenv(CONTROLS, raising=False)
    versions = {"ipywidgets": "8.1.9", "jupyterlab_widgets": "1.1.1"}
    monkeypatch.setattr("fairnb.notebook._frontend.version", versions.__getitem__)
    front = front_end()
    assert not front.controls
    assert "ipywidgets 8.1.9 and jupyterlab_widgets 1.1.1 do not fit" in front.note
