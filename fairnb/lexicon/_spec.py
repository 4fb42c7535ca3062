"""The case file's table `[lexicon]`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from fairnb.lexicon._matcher import Rule

Edition = Literal["corrected", "as printed"]


def _as_list(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class LexiconSpec(BaseModel):
    """Which words stand for which subgroup, and how they are looked up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    languages: tuple[str, ...] = Field(("en",), min_length=1)
    """Languages whose words are looked up, as two-letter codes."""
    attributes: tuple[str, ...] = Field(("gender", "religion", "ethnicity"), min_length=1)
    """Protected attributes; the packaged lexicon also has orientation, gender_identity and ideology."""
    reference: dict[str, str] = {"gender": "male", "religion": "Christianity"}
    """The subgroup of an attribute with which the others are compared."""
    rule: Rule = "default"
    """``default``: whole words, any case, plurals, stop phrases; ``paper``: exact tokens, as the paper."""
    edition: Edition = "corrected"
    """Of the packaged lexicon: for real texts, or Appendix D as printed."""
    path: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()
    """Own lexicon files, relative to the case folder; they take the packaged lexicon's place."""
