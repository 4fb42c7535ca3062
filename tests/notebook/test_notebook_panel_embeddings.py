"""The embeddings' part of the panel."""

from __future__ import annotations

from pathlib import Path

from fairnb.embedding import EmbeddingSpec
from fairnb.notebook._keep import CaseText
from fairnb.notebook._panel_embeddings import EmbeddingsForm

TEXT = """\
[embeddings]
path = "vectors.npy"
vocabulary = "words.vocab" # one a line
relation = "context only"
# next
[run]
seed = 1
"""
SPEC = EmbeddingSpec(path="vectors.npy", vocabulary="words.vocab")


def _written(form: EmbeddingsForm, text: str = TEXT) -> str:
    document = CaseText(text)
    form.edit(document)
    return document.text()


def test_nothing_chosen_changes_nothing(tmp_path: Path) -> None:
    assert _written(EmbeddingsForm(SPEC, tmp_path, opened=True)) == TEXT


def test_vectors_to_compare_and_their_relation_are_written(tmp_path: Path) -> None:
    form = EmbeddingsForm(SPEC, tmp_path, opened=True)
    form.compare.value, form.relation.value = "glove-6b-50d, system", "declared by the developer"
    assert _written(form) == TEXT.replace("context only", "declared by the developer").replace(
        'developer"\n', 'developer"\ncompare = ["glove-6b-50d", "system"]\n'
    )


def test_the_systems_own_layer_is_used_by_the_system(tmp_path: Path) -> None:
    form = EmbeddingsForm(SPEC, tmp_path, opened=True)
    form.choice.value = "system"
    said = _written(form)
    assert 'use = "system"' in said
    assert 'relation = "used by the system"' in said
    assert "vocabulary" not in said
    assert "# next\n[run]" in said


def test_embeddings_can_be_taken_out_and_put_in(tmp_path: Path) -> None:
    form = EmbeddingsForm(SPEC, tmp_path, opened=True)
    form.choice.value = "(none)"
    assert _written(form) == "# next\n[run]\nseed = 1\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "vectors.vec").write_text("a 1 2\n")
    form = EmbeddingsForm(None, tmp_path, opened=False)
    form.choice.value = "data/vectors.vec"
    assert _written(form, "[run]\n").endswith(
        '[embeddings]\npath = "data/vectors.vec"\nrelation = "context only"\n'
    )
