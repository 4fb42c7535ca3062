"""What the case file says of the system: its `[system]` table."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["use", "python", "sklearn", "keras", "scores"]
KINDS: tuple[Kind, ...] = ("use", "python", "sklearn", "keras", "scores")

LIVE = "live"
"""Value of `python` for a function that the notebook hands to `fairnb.open`."""


class SystemSpec(BaseModel):
    """The case file's `[system]` table: where the system is and what its scores mean.

    Exactly one of `use`, `python`, `sklearn`, `keras` and `scores` is given. Paths lie in the case folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    use: str = Field("", description="Name of a packaged system that fairnb knows")
    python: str = Field(
        "",
        description="`module:function` that takes a list of texts; the module is looked for in the case folder "
        "first, and loading it runs it. `live`: the notebook passes the function itself",
    )
    sklearn: str = Field(
        "", description="A scikit-learn pipeline saved with skops; joblib and pickle need `trust`"
    )
    keras: str = Field("", description="A .keras or .h5 model that takes texts")
    scores: str = Field("", description="Column of the corpora that holds recorded P(positive)")
    name: str = Field("", max_length=300, description="What the document calls the system")
    version: str = Field(
        "", max_length=300, description="Declared version; needed to cache the scores of a Python function"
    )
    classes: tuple[str, ...] = Field((), description="Names of the scores' columns, in the system's order")
    trust: bool | tuple[str, ...] = Field(
        False,
        description="Loading a pickle, a lambda layer or a type unknown to skops runs a program: true allows it, "
        "a list allows just those types",
    )
    batch_size: int | None = Field(
        None, ge=2, le=65536, description="Texts per call; empty: the adapter's own"
    )
    files: tuple[str, ...] = Field(
        (), description="Files a Python function reads, such as weights: fingerprinted"
    )
    declared: dict[str, str | int | float | bool] = Field(
        {}, description="What the developer says of the system, printed as such"
    )

    @model_validator(mode="after")
    def _one_system(self) -> Self:
        given = [kind for kind in KINDS if getattr(self, kind)]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"exactly one of {', '.join(KINDS)} says where the system is, found {found}")
        if self.scores and self.classes:
            raise ValueError("with scores the column is P(positive): leave classes out")
        if len(set(self.classes)) != len(self.classes) or not all(name.strip() for name in self.classes):
            raise ValueError("classes must be names, none empty and none twice")
        if self.trust and not (self.sklearn or self.keras):
            raise ValueError("trust is for sklearn and keras only: leave it out")
        if self.keras and isinstance(self.trust, tuple):
            raise ValueError("for keras, trust is true or false: it allows lambda layers")
        if self.files and not self.python:
            raise ValueError("files is for python only: leave it out")
        return self

    @property
    def kind(self) -> Kind:
        """Which of the five keys is given."""
        return next(kind for kind in KINDS if getattr(self, kind))

    @property
    def value(self) -> str:
        """What that key says."""
        return str(getattr(self, self.kind))
