"""The part of the panel that says which word vectors are assessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from fairnb.embedding import EmbeddingSpec, Relation
from fairnb.notebook._forms import (
    NONE,
    Fold,
    bring,
    dropdown,
    explained,
    files,
    joined,
    known,
    listed,
    shown,
    text,
)
from fairnb.notebook._keep import CaseText

_VECTORS = (".txt", ".vec", ".bin", ".kv", ".npy", ".keras")
_OWN = "system"


class EmbeddingsForm:
    """The table `[embeddings]`.

    Parameters
    ----------
    spec : EmbeddingSpec or None
        What the case file says.
    folder : Path
        The case folder.
    opened : bool
    """

    def __init__(self, spec: EmbeddingSpec | None, folder: Path, *, opened: bool) -> None:
        self._now = {} if spec is None else _keys_of(spec)
        self._paths = set(files(folder, _VECTORS))
        named = NONE if spec is None else spec.use or spec.path
        if spec is not None and spec.path:
            self._paths.add(spec.path)
        own = [("the system's own layer", _OWN)]
        self.choice = dropdown("Vectors", [NONE, *own, *known("embeddings"), *sorted(self._paths)], named)
        self.vocabulary = text("Vocabulary", spec.vocabulary if spec else "")
        self.relation = dropdown(
            "Relation", list(get_args(Relation)), spec.relation if spec else "context only"
        )
        self.compare = text("Compare with", joined(spec.compare) if spec else "")
        self._rows = {
            "vocabulary": explained(self.vocabulary, _meaning("vocabulary")),
            "relation": explained(self.relation, _meaning("relation")),
            "compare": explained(self.compare, _meaning("compare")),
        }
        self.fold = Fold("Embeddings", [self.choice, *self._rows.values()], opened=opened)
        self.choice.observe(lambda _: self._changed(), "value")
        self._changed()

    def labels(self) -> dict[tuple[str, ...], str]:
        """What each key of the case file is called here."""
        named = {"use": "Vectors", "path": "Vectors", "vocabulary": "Vocabulary"}
        return {
            ("embeddings", key): label
            for key, label in (named | {"relation": "Relation", "compare": "Compare with"}).items()
        }

    def edit(self, document: CaseText) -> list[str]:
        """Write what was chosen otherwise; returns the keys that changed."""
        wanted = self._wanted()
        if wanted == self._now:
            return []
        if not wanted:
            document.drop("embeddings")
            return ["removed"]
        return bring(document.table("embeddings"), self._now, wanted)

    def _wanted(self) -> dict[str, Any]:
        chosen = self.choice.value
        if chosen == NONE:
            return {}
        found: dict[str, Any] = {"path" if chosen in self._paths else "use": chosen}
        if chosen.lower().endswith(".npy") and self.vocabulary.value.strip():
            found["vocabulary"] = self.vocabulary.value.strip()
        found["relation"] = self.relation.value
        if compare := listed(self.compare.value):
            found["compare"] = compare
        return found

    def _changed(self) -> None:
        chosen = self.choice.value
        if chosen == _OWN:
            self.relation.value = "used by the system"
        shown(self._rows["vocabulary"], chosen.lower().endswith(".npy"))
        shown(self._rows["relation"], chosen != NONE)
        shown(self._rows["compare"], chosen != NONE)
        self.fold.say("none" if chosen == NONE else chosen)


def _keys_of(spec: EmbeddingSpec) -> dict[str, Any]:
    found: dict[str, Any] = spec.model_dump(mode="json", exclude_defaults=True)
    return found | {"relation": spec.relation}


def _meaning(field: str) -> str:
    return str(EmbeddingSpec.model_fields[field].description).replace("`", "")
