"""Targets of the panel: changed, added, renamed, removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairnb.case import read_case_file
from fairnb.errors import FairnbError
from fairnb.notebook._keep import CaseText, edit_case_file
from fairnb.notebook._panel_target import TargetForms
from fairnb.sections import Target

TWO = """
# the question of the complaint
[targets.silly] # first
classes = ["silly"]
threshold = 0.5   # of the developer

# the other one
[targets.rude]
classes = ["rude"]
positive = [2]
"""


@pytest.fixture
def write(small: Callable[..., Path]) -> Callable[..., tuple[TargetForms, Callable[[], str]]]:
    """The targets' forms of a case, and what writing them makes of its file."""

    def make(extra: str = TWO) -> tuple[TargetForms, Callable[[], str]]:
        folder = small(system='python = "module:score"\nclasses = ["silly", "rude"]', extra=extra)
        text = (folder / "assessment.toml").read_text()
        reading = read_case_file(folder)
        assert reading.errors == ()
        forms = TargetForms(reading.tables["targets"], lambda key, first: first)

        def written() -> str:
            document = CaseText(text)
            forms.edit(document)
            return document.text().replace(text[: -len(extra)] if extra else text, "", 1)

        return forms, written

    return make


def test_every_target_is_shown_with_all_that_it_has(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    forms, written = write()
    first, second = forms.forms
    assert (first.name.value, first.classes.value, first.threshold.value) == ("silly", "silly", 0.5)
    assert (second.name.value, second.positive.value) == ("rude", "2")
    assert written() == TWO


def test_a_changed_target_keeps_comments_and_the_other_one(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    forms, written = write()
    form = forms.forms[0]
    form.threshold.value, form.source.value, form.negative.value = 0.6, "the works council", "0"
    form.combine.value = "max"
    changed = TWO.replace("threshold = 0.5   #", "threshold = 0.6   #").replace(
        "of the developer\n",
        'of the developer\ncombine = "max"\nnegative = [0]\nthreshold_source = "the works council"\n',
    )
    assert written() == changed


def test_a_threshold_set_to_the_default_is_written_and_its_comment_stays(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    extra = "\n[targets.silly]\nclasses = ['silly']\nthreshold = 0.7 # agreed\n"
    forms, written = write(extra)
    forms.forms[0].threshold.value = 0.5
    assert written() == extra.replace("0.7", "0.5")


def test_names_can_be_exchanged_and_need_quotes(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    forms, written = write()
    first, second = forms.forms
    first.name.value, second.name.value = "rude", "silly"
    exchanged = (
        TWO.replace("silly]", "x]").replace("[targets.rude]", "[targets.silly]").replace("x]", "rude]")
    )
    assert written() == exchanged
    first.name.value, second.name.value = 'what "is". it', "silly"
    assert '[targets."what \\"is\\". it"] # first\n' in written()


def test_a_removed_target_takes_nothing_else_with_it(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    forms, written = write()
    forms.remove(forms.forms[0])
    assert written() == "\n# the question of the complaint\n\n# the other one\n" + TWO.partition("one\n")[2]
    forms.remove(forms.forms[0])
    assert len(forms.forms) == 1


def test_a_target_beside_the_one_that_needs_no_table_gives_that_one_a_table(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]],
) -> None:
    forms, written = write("")
    forms.add()
    forms.forms[1].classes.value = "rude"
    assert written() == (
        "\n[targets.positive]\npositive = [1]\nthreshold = 0.5\n"
        '\n[targets.target-2]\npositive = [1]\nthreshold = 0.5\nclasses = ["rude"]\n'
    )


@pytest.mark.parametrize(("name", "code"), [("  ", "no-name"), ("rude", "name-twice")])
def test_a_target_needs_a_name_of_its_own(
    write: Callable[..., tuple[TargetForms, Callable[[], str]]], name: str, code: str
) -> None:
    forms, written = write()
    forms.forms[0].name.value = name
    with pytest.raises(FairnbError) as refused:
        written()
    assert refused.value.code == code


def test_the_last_target_cannot_be_removed() -> None:
    forms = TargetForms([Target()], lambda key, first: first)
    assert forms.forms[0].remover.disabled
    forms.add()
    assert not forms.forms[0].remover.disabled
    assert forms.forms[1].name.value == "target-2"


@pytest.mark.parametrize(
    ("act", "edited", "says"),
    [
        (
            lambda forms: forms.add(),
            '{}\n[targets.target-3]\nclasses = ["rude"]\n',
            "has now a target 'target-3'",
        ),
        (
            lambda forms: _rename(forms, "mine"),
            '{}\n[targets.mine]\nclasses = ["rude"]\n',
            "has now a target 'mine'",
        ),
        (lambda forms: _rename(forms, "mine"), "targets.silly", "has no longer a target 'silly'"),
        (lambda forms: forms.remove(forms.forms[0]), "targets.silly", "has no longer a target 'silly'"),
    ],
)
def test_a_target_that_somebody_wrote_or_renamed_meanwhile_is_neither_taken_nor_missed(
    act: Callable[[TargetForms], None], edited: str, says: str
) -> None:
    forms = TargetForms([Target(name="silly"), Target(name="rude")], lambda key, first: first)
    act(forms)
    text = edited.format(TWO) if "{}" in edited else TWO.replace(edited, "targets.other")
    document = CaseText(text)
    with pytest.raises(FairnbError, match=says) as caught:
        forms.edit(document)
    assert caught.value.code == "file-changed"
    assert document.text() == text


def _rename(forms: TargetForms, name: str) -> None:
    forms.forms[0].name.value = name


def test_a_target_added_to_those_of_one_line_stands_there_and_nothing_else_changes(
    small: Callable[..., Path],
) -> None:
    line = 'targets = { silly = { classes = ["silly"], threshold = 0.4 } }  # the question of the complaint'
    folder = small(system='python = "module:score"\nclasses = ["silly", "rude"]')
    path = folder / "assessment.toml"
    before = f"# agreed\n{line}\n\n{path.read_text()}"
    path.write_text(before)
    reading = read_case_file(folder)
    assert reading.errors == ()
    forms = TargetForms(reading.tables["targets"], lambda key, first: first)
    forms.add()
    added = forms.forms[1]
    added.name.value, added.classes.value, added.source.value = "very rude", "rude", 'the "council"'
    edit_case_file(folder, forms.edit)
    edited = path.read_text()
    (changed,) = [row for row in edited.splitlines() if row.startswith("targets")]
    assert edited.replace(changed, line) == before
    assert changed.startswith(line.partition(" }  #")[0])
    assert changed.endswith("  # the question of the complaint")
    targets = read_case_file(folder).tables["targets"]
    assert [(one.name, one.classes, one.threshold, one.threshold_source) for one in targets] == [
        ("silly", ("silly",), 0.4, ""),
        ("very rude", ("rude",), 0.5, 'the "council"'),
    ]
