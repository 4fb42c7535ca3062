"""The system's part of the panel."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairnb.errors import FairnbError
from fairnb.notebook._keep import CaseText
from fairnb.notebook._panel_system import SystemForm
from fairnb.system import SystemSpec

TEXT = """\
# what we were given
[system]
python = "slow:score" # theirs
version = "1"
classes = ["silly"]
files = ["weights.npy"]

[system.declared]
texts = 1200  # by letter
source = "a forum"
# the end
"""
SPEC = SystemSpec(
    python="slow:score",
    version="1",
    classes=("silly",),
    files=("weights.npy",),
    declared={"texts": 1200, "source": "a forum"},
)


def _form(spec: SystemSpec = SPEC, folder: Path = Path()) -> SystemForm:
    return SystemForm(spec, folder, lambda: ["score"], opened=True)


def _written(form: SystemForm, text: str = TEXT) -> str:
    document = CaseText(text)
    form.edit(document)
    return document.text()


def test_nothing_chosen_changes_nothing() -> None:
    assert _written(_form()) == TEXT


def test_options_are_written_where_they_stand() -> None:
    form = _form()
    form.version.value, form.batch.value = "2", "64"
    form.declared.value = "texts = 1300\nsource = a forum\nconsent = true"
    assert _written(form) == TEXT.replace('version = "1"', 'version = "2"').replace(
        '"weights.npy"]\n', '"weights.npy"]\nbatch_size = 64\n'
    ).replace("1200  # by letter", "1300  # by letter").replace(
        'source = "a forum"\n', 'source = "a forum"\nconsent = true\n'
    )


def test_another_kind_takes_out_what_is_not_for_it() -> None:
    form = _form()
    form.kind.value, form.value.value = "scores", "score"
    said = _written(form)
    assert 'scores = "score"\n' in said
    for gone in ("python", "classes", "files"):
        assert gone not in said
    assert "# what we were given" in said
    assert "texts = 1200  # by letter" in said


def test_columns_that_may_hold_scores_are_proposed() -> None:
    form = _form()
    form.kind.value = "scores"
    assert form.value.options == ("score",)
    assert form._rows["classes"].layout.display == "none"


def test_trust_is_offered_where_loading_may_run_a_program(tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(b"x")
    form = _form(folder=tmp_path)
    assert form._rows["trust"].layout.display == "none"
    form.kind.value = "sklearn"
    assert form.value.options == ("model.skops",)
    form.value.value, form.trust.value, form.types.value = "model.skops", "only these types", "a.B, c.D"
    assert 'trust = ["a.B", "c.D"]' in _written(form)
    form.trust.value = "yes, whatever it is"
    assert "trust = true" in _written(form)


def test_what_the_developer_declares_is_read_as_it_is_shown() -> None:
    values = {"a": "true", "b": True, "c": "12", "d": 1.5, "e": "two words", "f": 'say "so"', "g": "1 = 2"}
    form = _form(SystemSpec(use="x", declared=values))
    assert form._wanted()["declared"] == values


def test_a_declaration_without_a_value_is_refused_at_its_key() -> None:
    form = _form()
    form.declared.value = "nothing"
    with pytest.raises(FairnbError, match="no sign of equality") as refused:
        _written(form)
    assert refused.value.where == "system.declared"
