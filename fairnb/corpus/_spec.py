"""What a case file says about one corpus."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_OF_A_FILE = ("text", "label", "id", "language", "cluster", "annotators", "subgroups", "encoding")


class SubgroupColumns(BaseModel):
    """Columns that say which subgroups of one attribute a text mentions; further keys are subgroups."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    __pydantic_extra__: dict[str, str] = Field(init=False)

    at_least: float = Field(0.5, gt=0.0)
    """A cell of at least this counts as a mention; an empty cell means that no one said."""

    @property
    def columns(self) -> dict[str, str]:
        """Subgroup to column name."""
        return dict(self.__pydantic_extra__)

    @model_validator(mode="after")
    def _some_subgroup(self) -> Self:
        if not self.__pydantic_extra__:
            raise ValueError("name at least one subgroup and its column, such as female = 'female_share'")
        return self


class CorpusSpec(BaseModel):
    """One corpus of a case: a known one by name, or a file of the case folder and its columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str | None = None
    """Name of a known corpus, such as ``"paper-test"``; its columns are known too."""
    path: str | None = None
    """File inside the case folder: .csv, .tsv, .tab, .jsonl or .ndjson."""
    text: str | None = None
    """Column of texts; ``"text"`` unless said otherwise."""
    label: str | None = None
    """Column of labels; ``"label"`` unless said otherwise."""
    id: str | None = None
    """Column of unique ids; without it rows are numbered from 1."""
    language: str | None = None
    """Column of language codes, such as en or it."""
    cluster: str | None = None
    """Column that says which rows depend on each other: author, thread, template."""
    annotators: tuple[str, ...] = ()
    """Columns of the labels that single annotators gave, one column each; an empty cell is no label."""
    subgroups: dict[str, SubgroupColumns] = Field(default_factory=dict)
    """Annotated mentions by protected attribute."""
    score: str | tuple[str, ...] = ()
    """Columns of recorded scores that are kept with the texts; a system's own columns are read anyway."""
    encoding: str | None = None
    """Text encoding of the file; UTF-8 unless declared, such as ``"latin-1"``."""
    positive: tuple[int | str, ...] | None = None
    """Labels of this corpus that answer the target with yes, where they differ from the target's."""
    negative: tuple[int | str, ...] | None = None
    """Labels of this corpus that answer no; without them every other label does."""

    @field_validator("positive")
    @classmethod
    def _some(cls, positive: tuple[int | str, ...] | None) -> tuple[int | str, ...] | None:
        if positive is not None and not positive:
            raise ValueError(
                "positive names no label: list at least one that means yes, or leave the key out"
            )
        return positive

    @field_validator("annotators")
    @classmethod
    def _several(cls, annotators: tuple[str, ...]) -> tuple[str, ...]:
        if annotators and len(set(annotators)) < max(2, len(annotators)):
            raise ValueError(
                "annotators names fewer than two different columns: give one for each annotator, or leave the key out"
            )
        return annotators

    @field_validator("encoding")
    @classmethod
    def _text_encoding(cls, encoding: str | None) -> str | None:
        if encoding is not None:
            try:
                "".encode(encoding)
            except LookupError:
                raise ValueError(
                    f"there is no text encoding {encoding!r}; common ones are utf-8, latin-1, cp1252, utf-16"
                ) from None
        return encoding

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.use is None) == (self.path is None):
            raise ValueError("give either use = the name of a known corpus, or path = a file")
        if self.use is not None:
            given = [key for key in _OF_A_FILE if getattr(self, key)]
            if given:
                raise ValueError(
                    f"{', '.join(given)} cannot be set for the known corpus {self.use!r}, which has its own"
                )
        return self

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of recorded scores as a tuple."""
        return (self.score,) if isinstance(self.score, str) else self.score
