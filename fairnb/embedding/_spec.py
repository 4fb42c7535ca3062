"""The case file's table `[embeddings]`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Relation = Literal["used by the system", "declared by the developer", "context only"]

SYSTEM = "system"
"""Value of `use` and of `compare` for the system's own embedding layer."""
SUFFIXES = (".txt", ".vec", ".bin", ".kv", ".npy", ".keras")


class EmbeddingSpec(BaseModel):
    """Word vectors to assess, and what they have to do with the system.

    Exactly one of `use` and `path` is given. Paths lie in the case folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str = Field(
        "", description="A known name such as glove-6b-50d, or `system` for the system's own layer"
    )
    path: str = Field(
        "",
        description="A file in the case folder: .txt or .vec (GloVe, word2vec text), .bin (word2vec), .kv (gensim), "
        ".npy, .keras (the model's embedding layer)",
    )
    vocabulary: str = Field(
        "",
        description="For .npy: a file with one word per line; empty: the same name ending in .vocab or .txt",
    )
    relation: Relation = Field("context only", description="What the vectors have to do with the system")
    compare: tuple[str, ...] = Field((), description="Known names, files, or `system`, to set beside them")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.use) == bool(self.path):
            raise ValueError("exactly one of use and path says where the embeddings are")
        if self.path and PurePosixPath(self.path).suffix.lower() not in SUFFIXES:
            raise ValueError(f"the file must end in {', '.join(SUFFIXES)}")
        if self.vocabulary and not self.path.lower().endswith(".npy"):
            raise ValueError("vocabulary is for .npy files only: leave it out")
        if self.use == SYSTEM and self.relation != "used by the system":
            raise ValueError(
                'the system\'s own layer is used by the system: write relation = "used by the system"'
            )
        names = (self.use or self.path, *self.compare)
        if len(set(names)) != len(names) or not all(name.strip() for name in names):
            raise ValueError("compare must name other embeddings, none empty and none twice")
        return self
