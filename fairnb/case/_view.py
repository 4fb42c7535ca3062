"""What a section sees of a case. Everything read here is put down with its digest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fairnb.case._sources import Progress, Sources
from fairnb.case._store import redaction_key
from fairnb.corpus import LANGUAGE, language_groups
from fairnb.errors import FairnbError
from fairnb.files import digest_of, inside
from fairnb.sections import Answers, Criteria, Need, Register, Result, Role, SystemFacts, Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fairnb.case._case import Case
    from fairnb.corpus import Corpus
    from fairnb.embedding import Embedding, Relation
    from fairnb.lexicon import Lexicon
    from fairnb.masked_lm import ModelFolder
    from fairnb.mining import CountedBy, Mentions
    from fairnb.statistics import Counting, Tally
    from fairnb.system import Scores, Tokens


class CaseView:
    """A case as one section sees it for one target; see `fairnb.sections.View`.

    Parameters
    ----------
    case : Case
    section : str
        Id of the section that looks: it does not see its own result.
    target : str
        Name of its target; empty for sections that are not per target.
    """

    def __init__(
        self,
        case: Case,
        section: str,
        target: str,
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self._case = case
        self._section = section
        self._target = case.target(target) if target else case.targets[0]
        self._progress = progress
        self._cancelled = cancelled
        self.inputs: dict[str, str] = {}
        """Digest of everything read so far, by name."""
        self.tallies: dict[str, Tally] = {}
        """Tallies handed out so far, by digest."""
        self.predicted = False

    @property
    def _sources(self) -> Sources:
        return self._case.sources

    def _read(self, name: str) -> None:
        if name not in self.inputs:
            self.inputs[name] = self._case.current(name) or ""

    # ---- declared values

    @property
    def target(self) -> Target:
        self._read(f"target:{self._target.name}")
        return self._target

    @property
    def targets(self) -> tuple[Target, ...]:
        self._read("targets")
        return self._case.targets

    @property
    def system(self) -> SystemFacts:
        self._read("system")
        return self._sources.system_facts()

    @property
    def criteria(self) -> Criteria:
        self._read("criteria")
        return self._case.file.criteria

    @property
    def alpha(self) -> float:
        from fairnb.case._shares import alpha_of

        self._read(f"alpha:{self._section}")
        return alpha_of(self._case, self._section)

    @property
    def confidence(self) -> float:
        self._read("confidence")
        return self._case.file.run.confidence

    @property
    def seed(self) -> int:
        # The seed is part of every request.
        return self._case.file.run.seed

    @property
    def lexicon(self) -> Lexicon:
        self._read("lexicon")
        return self._sources.lexicon()

    @property
    def facts(self) -> Mapping[str, Any]:
        return _ReadFacts(self._case.facts(), self._read)

    def has(self, need: Need) -> bool:
        self._read(f"has:{need.name.lower()}")
        return self._sources.has(need)

    # ---- texts, labels, scores

    def corpus(self, role: Role) -> Corpus:
        self._read(f"corpus:{role}")
        return self._sources.corpus(role)

    def labels(self, role: Role, target: str = "") -> npt.NDArray[np.int8]:
        chosen = self._case.target(target) if target else self._target
        self._read(f"target:{chosen.name}")
        self._read(f"corpus:{role}")
        return self._sources.labels(role, chosen)

    def scores(self, role: Role) -> npt.NDArray[np.floating[Any]]:
        from fairnb.system import positive

        target = self.target
        return positive(self.scores_by_class(role), target.classes, target.combine)

    def scores_by_class(self, role: Role) -> Scores:
        self._read(f"scores:{role}")
        self._case.note_score(f"scores:{role}", self.inputs[f"scores:{role}"])
        return self._sources.scores(role, self._progress, self._cancelled)

    def predict(self, texts: Sequence[str], *, keep: bool = True) -> npt.NDArray[np.floating[Any]]:
        self._asked()
        return self._positive(self._sources.score(texts, self._progress, self._cancelled, keep=keep))

    def predict_masked(self, tokens: Tokens, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.floating[Any]]:
        self._asked()
        return self._positive(self._sources.score_masked(tokens, masks, self._cancelled))

    def _asked(self) -> None:
        self._read("predictions")
        self._case.note_score("predictions", self.inputs["predictions"])

    def _positive(self, scores: Scores) -> npt.NDArray[np.floating[Any]]:
        """P(positive) of texts that are not of a corpus."""
        from fairnb.system import positive

        target = self.target
        return positive(scores, target.classes, target.combine)

    # ---- word vectors

    def embeddings(self) -> Sequence[tuple[Embedding, Relation]]:
        self._read("embeddings")
        return self._sources.embeddings()

    # ---- mentions and counts

    def mentions(self, role: Role, source: str = "lookup") -> Mentions:
        self._read(f"mentions:{role}:{source}")
        return self._sources.mentions(role, source, self._progress, self._cancelled)

    def tally(self, role: Role, by: str = "subgroup", thresholds: Sequence[float] = ()) -> Tally:
        # Put down whether rows are counted now or were before: the tally rests on them either way.
        for name in (f"target:{self._target.name}", f"corpus:{role}", f"scores:{role}"):
            self._read(name)
        if by != LANGUAGE and self.has(Need.MENTIONS):
            self._read(f"mentions:{role}:lookup")
            self._read("lexicon")
        self._case.note_score(f"scores:{role}", self.inputs[f"scores:{role}"])
        rests = {name: self.inputs[name] for name in self._counted_from(role) if name in self.inputs}
        # Where the target draws its line is no part of a count: rows are counted once for all thresholds.
        rests["asked"] = digest_of(self._target.model_copy(update={"threshold": 0.5, "threshold_source": ""}))
        counting = self._sources.counting(
            role, by, self._target.name, rests, lambda: self._counting(role, by)
        )
        counted = counting.tally((self._target.threshold, *thresholds))
        # What is stored is what the measures rest on: a receiver can count again from it.
        self.tallies[counted.digest] = counted
        return counted

    def _counted_from(self, role: Role) -> tuple[str, ...]:
        """Names of the inputs that a count of rows may rest on, beside what the target asks."""
        return ("has:mentions", "lexicon", f"corpus:{role}", f"scores:{role}", f"mentions:{role}:lookup")

    def _counting(self, role: Role, by: str) -> Counting:
        """Count the rows of a corpus: once, whatever the thresholds that are asked about later."""
        from fairnb.mining import counted_groups
        from fairnb.statistics import Counting

        corpus, labels, scores = self.corpus(role), self.labels(role), self.scores(role)
        names: tuple[str, ...] = ()
        pairs: tuple[tuple[str, str], ...] = ()
        groups: Any = None
        if by == LANGUAGE:
            names, groups = language_groups(corpus.languages)
        elif self.has(Need.MENTIONS):
            names, groups, pairs = counted_groups(
                self.mentions(role), cast("CountedBy", by), self.lexicon.reference
            )
        return Counting(
            labels,
            scores,
            groups,
            names,
            clusters=corpus.clusters,
            pairs=pairs,
        )

    # ---- files and other sections

    def known(self, name: str) -> Path:
        from fairnb.registry import fetched

        self._read(f"known:{name}")
        return fetched(name)

    def file(self, path: str) -> Path:
        full = inside(self._case.folder, path)
        if not full.is_file():
            raise FairnbError(
                "missing-file", "there is no such file", "put it into the case folder", where=path
            )
        self._read(f"file:{path}")
        return full

    def model(self, name_or_path: str) -> ModelFolder:
        # What is not here yet is fetched first: a digest is of files.
        found = self._sources.model(name_or_path, fetch=True)
        self._read(f"model:{name_or_path}")
        return found

    def reviews(self) -> Mapping[str, Any]:
        from fairnb.case._review import read_review

        self._read("reviews")
        return read_review(self._case.folder)

    def answers(self) -> Answers:
        from fairnb.case._answers import read_answers

        self._read("answers")
        return read_answers(self._case.folder)

    def register(self) -> Register:
        from fairnb.case._register import read_register

        self._read("register")
        return read_register(self._case.folder)

    def results(self, ids: Sequence[str] | None = None) -> Mapping[tuple[str, str], Result]:
        from fairnb.sections import section_ids

        found: dict[tuple[str, str], Result] = {}
        for identity in section_ids() if ids is None else ids:
            if identity == self._section:
                continue
            for target in self._case.target_names(identity):
                self._read(f"result:{identity}:{target}" if target else f"result:{identity}")
                payload = self._case.fresh(identity, target)
                if payload is not None:
                    found[identity, target] = payload.result
        return found

    # ---- how it goes

    def redact(self, text: str) -> str:
        from fairnb.text import redact

        self._read("privacy")
        mode = self._case.file.privacy.redact
        key = redaction_key(self._case.store.folder) if mode == "withhold" else b"unused"
        return redact(text, mode, key=key)

    def cancelled(self) -> bool:
        return self._cancelled is not None and self._cancelled()

    def progress(self, done: int, total: int, what: str) -> None:
        if self._progress is not None:
            self._progress(done, total, what)


class _ReadFacts(Mapping[str, Any]):
    """Facts of the case; each that is looked at is put down."""

    def __init__(self, facts: Mapping[str, Callable[[], Any]], read: Callable[[str], None]) -> None:
        self._facts = facts
        self._read = read

    def __getitem__(self, key: str) -> Any:
        value = self._facts[key]()
        self._read(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)
