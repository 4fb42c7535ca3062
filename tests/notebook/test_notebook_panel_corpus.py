"""A corpus's part of the panel: its file, the uses of its columns, its labels."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairnb.corpus import CorpusSpec
from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.notebook import _panel_corpus
from fairnb.notebook._keep import CaseText
from fairnb.notebook._mapping import Use
from fairnb.notebook._panel_corpus import CorpusForm
from fairnb.notebook._running import Worker

LEXICON = load_lexicon(LexiconSpec(), Path())
ROWS = "nr,said,class,female,p\n" + "".join(
    f"{i},some bread {i},{i % 2},{i % 4 / 4},0.{i}\n" for i in range(20)
)
TABLE = """\
[corpus.test]
path = "a.csv" # as we got it
text = "said"
label = "class"
# gender was asked of three people
subgroups.gender = { female = "female", at_least = 0.6 } # share of them

# what comes next
[run]
seed = 1
"""
SPEC = CorpusSpec.model_validate(
    {
        "path": "a.csv",
        "text": "said",
        "label": "class",
        "subgroups": {"gender": {"female": "female", "at_least": 0.6}},
    }
)


@pytest.fixture
def form(tmp_path: Path) -> Callable[..., CorpusForm]:
    """The form of a corpus of a case folder that holds ``a.csv``."""
    (tmp_path / "a.csv").write_text(ROWS)

    def make(spec: CorpusSpec | None = SPEC, *, counter: Worker | None = None, score: str = "") -> CorpusForm:
        return CorpusForm("test", spec, tmp_path, (1,), LEXICON, score, counter or Worker(), opened=True)

    return make


def _written(form: CorpusForm, text: str = TABLE) -> str:
    document = CaseText(text)
    form.edit(document)
    return document.text()


def _html(widget: Any) -> str:
    own = widget.value if type(widget).__name__ == "HTML" else ""
    return own + "".join(_html(child) for child in getattr(widget, "children", ()))


def test_uses_are_those_of_the_case_file_and_nothing_chosen_changes_nothing(
    form: Callable[..., CorpusForm],
) -> None:
    made = form()
    assert made.table is not None
    assert {name: use.of for name, use in made.table.uses.items() if use.of} == {
        "said": "text",
        "class": "label",
        "female": "mention",
    }
    assert made.table.uses["female"] == Use("mention", "gender", "female")
    assert _written(made) == TABLE
    said = _html(made.fold.box)
    # What the file suggests beyond the case file is said and not chosen.
    assert "maybe" not in said.partition("<b class='name'>female")[2].partition("</b>")[0]
    assert "From this value on a cell is a mention" in said


def test_a_mention_is_moved_bounded_and_taken_out_with_every_comment_kept(
    form: Callable[..., CorpusForm],
) -> None:
    made = form()
    table = made.table
    assert table is not None
    table.use("female", Use("mention", "gender", "male"))
    said = _written(made)
    assert tomllib.loads(said)["corpus"]["test"]["subgroups"] == {
        "gender": {"male": "female", "at_least": 0.6}
    }
    for comment in (
        "# as we got it",
        "# gender was asked of three people",
        "# share of them",
        "# what comes next",
    ):
        assert comment in said
    table.use("p", Use("mention", "religion", "Islam"))
    said = _written(made)
    assert 'subgroups.religion = {Islam = "p"}\n' in said
    table.use("p", Use())
    table.use("female", Use())
    assert _written(made) == TABLE.replace(
        'subgroups.gender = { female = "female", at_least = 0.6 } # share of them\n', ""
    )


def test_a_file_new_to_the_case_comes_with_guesses_that_say_so(form: Callable[..., CorpusForm]) -> None:
    made = form(None)
    made.choice.value = "a.csv"
    assert made.table is not None
    assert made.table.uses["female"] == Use("mention", "gender", "female")
    assert "guessed: by its name" in _html(made.fold.box)
    made.table.use("said", Use("text"))
    made.table.use("nr", Use("id"))
    said = _written(made, "[run]\nseed = 1\n")
    assert said.startswith('[run]\nseed = 1\n\n[corpus.test]\npath = "a.csv"\n')
    assert 'subgroups.gender = {female = "female"}' in said


def test_recorded_scores_of_the_system_are_said_and_others_can_be_kept(
    form: Callable[..., CorpusForm],
) -> None:
    made = form(score="p")
    assert "the system&#x27;s recorded scores" in _html(made.fold.box)
    assert made.table is not None
    made.table.use("p", Use("score"))
    assert 'score = ["p"]' in _written(made)
    assert "p" in made.columns_of_scores()


def test_a_column_with_two_uses_keeps_the_one_that_is_not_shown(form: Callable[..., CorpusForm]) -> None:
    spec = CorpusSpec(path="a.csv", text="said", label="class", cluster="class")
    made = form(spec)
    assert "also cluster" in _html(made.fold.box)
    assert made.table is not None
    made.table.use("nr", Use("id"))
    said = _written(
        made, '[corpus.test]\npath = "a.csv"\ntext = "said"\nlabel = "class"\ncluster = "class"\n'
    )
    assert 'cluster = "class"\nid = "nr"\n' in said


def test_another_file_takes_out_the_keys_of_the_one_before(
    form: Callable[..., CorpusForm], tmp_path: Path
) -> None:
    (tmp_path / "b.jsonl").write_text(
        "".join(f'{{"text": "bread {i}", "label": "{"yn"[i % 2]}"}}\n' for i in range(9))
    )
    made = form()
    made._paths.add("b.jsonl")
    made.choice.options = [*made.choice.options, "b.jsonl"]
    made.choice.value = "b.jsonl"
    # None of its labels is one of the target's: both sides are named.
    assert (made.positive.value, made.negative.value) == ("n", "y")
    said = _written(made)
    assert said.startswith('[corpus.test]\npath = "b.jsonl" # as we got it\ntext = "text"\nlabel = "label"\n')
    assert 'positive = ["n"]\nnegative = ["y"]\n' in said
    assert "subgroups" not in said
    assert said.endswith("# what comes next\n[run]\nseed = 1\n")


def test_the_other_labels_follow_until_they_are_named_by_hand(form: Callable[..., CorpusForm]) -> None:
    made = form()
    made.positive.value = "0"
    assert made.negative.value == "1"
    made.positive.value = ""
    assert made.negative.value == ""
    made.positive.value, made.negative.value = "0", "1, 2"
    made.positive.value = "1"
    assert made.negative.value == "1, 2"


def test_a_known_corpus_has_its_own_columns(form: Callable[..., CorpusForm]) -> None:
    made = form()
    made.choice.value = "demo-test"
    assert made.table is None
    assert "Licence" in _html(made.fold.box)
    assert tomllib.loads(_written(made))["corpus"]["test"] == {"use": "demo-test"}
    made.choice.value = "(none)"
    assert _written(made) == "\n# what comes next\n[run]\nseed = 1\n"


def test_a_file_that_changed_meanwhile_is_shown_again_and_not_written(
    form: Callable[..., CorpusForm], tmp_path: Path
) -> None:
    made = form()
    assert made.table is not None
    made.table.use("nr", Use("id"))
    (tmp_path / "a.csv").write_text(ROWS.replace("female", "woman", 1))
    with pytest.raises(FairnbError, match="was changed after it was shown") as refused:
        _written(made)
    assert refused.value.where == "corpus.test.path"
    assert made.table.uses["nr"] == Use("id")
    assert "woman" in made.table.uses
    (tmp_path / "a.csv").unlink()
    with pytest.raises(FairnbError, match="cannot be read") as missing:
        _written(made)
    assert missing.value.where == "corpus.test.path"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"text,label\n", "no row"),
        (b'text,label\n"bread,1\n', "never closed"),
        (b"text,label\nbread,1,2\n", "3 cells"),
        (b"text,label\nbre\0ad,1\n", "NUL"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    form: Callable[..., CorpusForm], tmp_path: Path, content: bytes, said: str
) -> None:
    made = form()
    (tmp_path / "a.csv").write_bytes(content)
    made.choice.value = "(none)"
    made.choice.value = "a.csv"
    assert said in _html(made.fold.box)
    with pytest.raises(FairnbError, match=said):
        _written(made)


def test_an_encoding_is_guessed_shown_and_written(form: Callable[..., CorpusForm], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("text,label\nschöner Käse,1\nBrot,0\n".encode("latin-1"))
    made = form(None)
    made.choice.value = "a.csv"
    assert made.encoding.value == "cp1252"
    made.encoding.value = "latin-1"
    assert "schöner Käse" in made._rows.value
    assert 'encoding = "latin-1"' in _written(made)
    (tmp_path / "a.csv").write_bytes("text,label\nBrot,1\nKäse,0\n".encode("utf-16"))
    made.encoding.value = "utf-16"
    assert "Käse" in made._rows.value


def test_a_large_file_is_shown_at_once_and_counted_meanwhile(
    form: Callable[..., CorpusForm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_panel_corpus, "_AT_ONCE", 200)
    counter = Worker()
    made = form(counter=counter)
    assert "so far" in made._facts.value or "20 rows" in made._facts.value
    assert counter.wait(30)
    # By hand: every second of 20 rows is positive.
    assert "20 rows; labels 0: 10, 1: 10" in made._facts.value
    assert "The first rows of 20, masked" in made._rows.value
    assert _written(made) == TABLE


def test_a_fault_far_down_in_a_large_file_is_told(
    form: Callable[..., CorpusForm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_panel_corpus, "_AT_ONCE", 200)
    (tmp_path / "a.csv").write_text(ROWS + "21,bread\n")
    counter = Worker()
    made = form(counter=counter)
    assert counter.wait(30)
    assert "line 22" in made._facts.value


@pytest.mark.parametrize(
    "name", ["__proto__", "\u202eelamef", "<b onclick=x>", "a, b", 'say "so"', "constructor"]
)
def test_a_column_of_any_name_is_escaped_and_written_as_it_is(
    form: Callable[..., CorpusForm], tmp_path: Path, name: str
) -> None:
    quoted = name.replace('"', '""')
    (tmp_path / "a.csv").write_text(
        f'text,label,"{quoted}"\n' + "".join(f"bread {i},{i % 2},{i}\n" for i in range(9)), encoding="utf-8"
    )
    made = form(None)
    made.choice.value = "a.csv"
    assert made.table is not None
    made.table.use(name, Use("id"))
    assert tomllib.loads(_written(made, ""))["corpus"]["test"]["id"] == name
    shown = _html(made.fold.box)
    assert "\u202e" not in shown
    assert "<b onclick" not in shown
