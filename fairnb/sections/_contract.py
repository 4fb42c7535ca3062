"""The one contract: what a section is, and what it may ask of a case."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, field_validator

from fairnb.sections._result import Result
from fairnb.sections._shown import Plot, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fairnb.corpus import Corpus
    from fairnb.embedding import Embedding, Relation
    from fairnb.lexicon import Lexicon
    from fairnb.masked_lm import ModelFolder
    from fairnb.mining import Mentions
    from fairnb.sections._questionnaire import Answers
    from fairnb.sections._register import Register
    from fairnb.statistics import Tally
    from fairnb.system import Scores, Tokens

Role = Literal["train", "test", "synthetic"]


class Altai(IntEnum):
    """The seven requirements of the Assessment List for Trustworthy AI (European Commission, 2020)."""

    HUMAN_AGENCY_AND_OVERSIGHT = 1
    TECHNICAL_ROBUSTNESS_AND_SAFETY = 2
    PRIVACY_AND_DATA_GOVERNANCE = 3
    TRANSPARENCY = 4
    DIVERSITY_NON_DISCRIMINATION_FAIRNESS = 5
    SOCIETAL_AND_ENVIRONMENTAL_WELL_BEING = 6
    ACCOUNTABILITY = 7

    @property
    def title(self) -> str:
        """The requirement's name as the Assessment List prints it."""
        return _ALTAI_TITLES[self]


_ALTAI_TITLES = {
    Altai.HUMAN_AGENCY_AND_OVERSIGHT: "Human agency and oversight",
    Altai.TECHNICAL_ROBUSTNESS_AND_SAFETY: "Technical robustness and safety",
    Altai.PRIVACY_AND_DATA_GOVERNANCE: "Privacy and data governance",
    Altai.TRANSPARENCY: "Transparency",
    Altai.DIVERSITY_NON_DISCRIMINATION_FAIRNESS: "Diversity, non-discrimination and fairness",
    Altai.SOCIETAL_AND_ENVIRONMENTAL_WELL_BEING: "Societal and environmental well-being",
    Altai.ACCOUNTABILITY: "Accountability",
}


class Need(StrEnum):
    """What a section cannot do without; the sentence tells a reader why it is not applicable."""

    TRAIN_CORPUS = "no training corpus"
    TEST_CORPUS = "no test corpus"
    SYNTHETIC_CORPUS = "no synthetic corpus"
    MENTIONS = "no lexicon for the languages of the case"
    LIVE_SYSTEM = "recorded scores cannot score new texts"
    SCORES = "the system gives no score"
    EMBEDDINGS = "no embeddings"
    MODEL = "no model is named"
    SHAP = "needs the extra explain (the package shap is not installed)"


class Target(BaseModel):
    """One yes/no question put to a system.

    P(positive) is the sum (or maximum) of the named classes' scores. A corpus answers it by its
    labels: those in `positive` mean yes, those in `negative` no; without `negative`, every other label.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field("positive", max_length=100)
    classes: tuple[str, ...] = ()
    """Classes of the system; empty: the system's only class, or its recorded column."""
    combine: Literal["sum", "max"] = "sum"
    positive: tuple[int | str, ...] = (1,)
    negative: tuple[int | str, ...] | None = None
    threshold: float = Field(0.5, ge=0.0, le=1.0)
    threshold_source: str = Field("", max_length=1000)

    @field_validator("positive")
    @classmethod
    def _some(cls, positive: tuple[int | str, ...]) -> tuple[int | str, ...]:
        if not positive:
            raise ValueError("positive names no label: list at least one that means yes")
        return positive


class Criteria(BaseModel):
    """What was agreed to count as a difference that matters, and by whom."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    margin: float = Field(0.05, gt=0.0, lt=1.0)
    alpha: float = Field(0.05, gt=0.0, lt=1.0)
    min_support: int = Field(20, ge=20)
    shares: dict[str, float] = {}
    """Section id -> its part of alpha. Sections not named share the rest by what they put to the test."""
    set_by: str = Field("", max_length=300)
    set_on: str = Field("", max_length=300)

    @field_validator("shares")
    @classmethod
    def _within_one(cls, shares: dict[str, float]) -> dict[str, float]:
        total = math.fsum(shares.values())
        # Put so that what is not a number is refused, too.
        if not (all(share >= 0 for share in shares.values()) and total <= 1 + 1e-9):
            raise ValueError(f"the shares of alpha are parts of one, and these add up to {total:g}")
        return shares


class SystemFacts(BaseModel):
    """What is known of the system without scoring anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    classes: tuple[str, ...]
    fingerprint: str
    live: bool
    """False for recorded scores: no new text can be scored."""
    description: dict[str, Any] = {}
    """Kind, version, licence, files with digests, trust given: shown as they stand."""


class Plan(Protocol):
    """What is declared before any text is scored: all that may decide how much is put to the test."""

    @property
    def lexicon(self) -> Lexicon: ...

    @property
    def criteria(self) -> Criteria: ...

    def has(self, need: Need) -> bool: ...

    def templated(self, role: Role) -> bool:
        """Whether the corpus is a fixed set of sentences made from templates: a census, without a test."""

    def file(self, path: str) -> Path: ...


class View(Protocol):
    """All that a section may ask for. Every input read here enters the result's digest."""

    @property
    def target(self) -> Target:
        """The target at hand; the first one where the section is not per target."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every target of the case."""

    @property
    def system(self) -> SystemFacts: ...

    @property
    def criteria(self) -> Criteria: ...

    @property
    def alpha(self) -> float:
        """The section's part of the audit's alpha, for the target at hand: its confirmatory candidates
        share it. By default the parts are in proportion to what each section declares (`confirmatory`).
        """

    @property
    def confidence(self) -> float: ...

    @property
    def seed(self) -> int: ...

    @property
    def lexicon(self) -> Lexicon: ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """Plain values: `engagement` (the case file's table), `sections` (ids in the notebook's order),
        `draft` (what keeps the document a draft), `case` (title, digest of the case file), `shares`
        (section id -> its part of alpha for one target), `recognition` (digest of what finds names; empty where
        it is not installed).
        """

    def has(self, need: Need) -> bool: ...

    def corpus(self, role: Role) -> Corpus: ...

    def labels(self, role: Role, target: str = "") -> npt.NDArray[np.int8]:
        """The corpus's answers to the target, or to another by name: 1 yes, 0 no, -1 none; shape (n,)."""

    def scores(self, role: Role) -> npt.NDArray[np.floating[Any]]:
        """P(positive) of the corpus's texts; NaN where unscored; shape (n,)."""

    def scores_by_class(self, role: Role) -> Scores: ...

    def predict(self, texts: Sequence[str], *, keep: bool = True) -> npt.NDArray[np.floating[Any]]:
        """P(positive) of new texts; shape (len(texts),).

        Without `keep`, the scores of a system that is quick to ask are not kept for later runs: for texts
        by the thousand that nobody will ask about again.
        """

    def predict_masked(self, tokens: Tokens, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.floating[Any]]:
        """P(positive) of a text's forms with tokens taken out; shape (len(masks),).

        Equal to `predict` of their texts; a system that can be given ids of tokens is asked sooner so.
        """

    def mentions(self, role: Role, source: str = "lookup") -> Mentions: ...

    def tally(self, role: Role, by: str = "subgroup", thresholds: Sequence[float] = ()) -> Tally:
        """Counts of the target's labels and scores by group.

        Groups are those of `fairnb.mining.counted_groups`, where ``by`` is subgroup, identity_term or
        intersection, or of `fairnb.corpus.language_groups`, where it is language. Beside the target's own
        threshold, those given have exact counts.
        """

    def embeddings(self) -> Sequence[tuple[Embedding, Relation]]:
        """Word vectors with their relation to the system: the case's default first, then `compare`."""

    def known(self, name: str) -> Path: ...

    def file(self, path: str) -> Path: ...

    def model(self, name_or_path: str) -> ModelFolder:
        """A masked language model: a folder inside the case folder, or one of the Hugging Face hub by name."""

    def reviews(self) -> Mapping[str, Any]:
        """What a person found who read a sample of mentions; empty if nobody did.

        Keys: ``role``, ``corpus`` and ``lexicon`` (digests), ``answers`` (each with ``id``, ``attribute``,
        ``subgroup``, ``label``, ``mention_right``, ``label_right``), ``seed``, ``per_subgroup``.
        """

    def answers(self) -> Answers:
        """What the case's `questionnaire.toml` says; without the file nothing is answered."""

    def register(self) -> Register:
        """What the case's `findings.toml` says; without the file nothing is said."""

    def results(self, ids: Sequence[str] | None = None) -> Mapping[tuple[str, str], Result]:
        """Results of other sections that have run, not-applicable ones included.

        Keys are (section id, target name); the name is empty for sections that are not per target.
        Which sections have no result yet is part of what is read.
        """

    def redact(self, text: str) -> str: ...

    def cancelled(self) -> bool: ...

    def progress(self, done: int, total: int, what: str) -> None: ...


class SectionParams(BaseModel):
    """Base of every section's parameters: at once case-file table, controls, and record."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    folded: ClassVar[tuple[str, ...]] = ()
    """Parameters that most people leave as they are: controls show them only when asked to."""


class Section(ABC):
    """One part of the assessment, in the order of the paper.

    A subclass declares what it is (`id`, `title`, `requirement`), what it cannot do without
    (`needs`), its parameters, and computes a `Result`. What people see is made from the result alone.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    requirement: ClassVar[Altai]
    needs: ClassVar[tuple[Need, ...]] = ()
    version: ClassVar[int] = 1
    """Raised when the computation changes: makes old results stale."""
    per_target: ClassVar[bool] = True
    """False: one result for the case, with an empty target."""
    source: ClassVar[str] = ""
    """Paper section, equation or library the numbers follow."""
    method: ClassVar[str] = ""
    """What is measured and how to read it: Markdown, printed under the title."""

    Params: ClassVar[type[SectionParams]] = SectionParams

    def confirmatory(self, plan: Plan, params: Any) -> int:
        """How many confirmatory candidates the section puts to the test for one target.

        Known before any score is seen: it decides the section's part of the audit's alpha. What cannot be
        tested, whatever the scores, is not counted.
        """
        return 0

    @abstractmethod
    def run(self, view: View, params: Any) -> Result:
        """Compute the numbers: no drawing, no printing, no files."""

    def withheld(self, result: Result) -> Result:
        """The result without words of texts, for an export that withholds what the case file only masks.

        Its examples are withheld by the export itself.
        """
        return result

    def statements(self, result: Result) -> Sequence[str]:
        """One plain sentence per result that counts."""
        return ()

    def tables(self, result: Result) -> Sequence[Table]:
        """Views of the result's measures and facts."""
        return ()

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Plots from the result alone, with `matplotlib.figure.Figure`, never pyplot."""
        return {}
