"""What a case's inputs are and which digest each has now; each is loaded once and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fairnb.case._file import CaseFile
from fairnb.errors import FairnbError
from fairnb.files import digest_of
from fairnb.sections import Need, Role, SystemFacts, Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fairnb.corpus import Corpus, CorpusSpec
    from fairnb.embedding import Embedding, OwnLayer, Relation
    from fairnb.lexicon import Lexicon
    from fairnb.masked_lm import ModelFolder
    from fairnb.mining import Mentions, Source
    from fairnb.statistics import Counting
    from fairnb.system import Scores, System, SystemSpec, Tokens

_Loaded = TypeVar("_Loaded")
Progress = Callable[[int, int, str], None]
_CORPUS_NEEDS: dict[Need, Role] = {
    Need.TRAIN_CORPUS: "train",
    Need.TEST_CORPUS: "test",
    Need.SYNTHETIC_CORPUS: "synthetic",
}


def read_with_scores(spec: CorpusSpec, folder: Path, role: Role, score: str) -> Corpus:
    """Read a corpus and its recorded scores; only the test corpus must have them."""
    from fairnb.corpus import read_corpus

    columns = (score,) if score else ()
    try:
        return read_corpus(spec, folder, role, columns=columns)
    except FairnbError as error:
        if error.code != "missing-column" or role == "test" or not score:
            raise
        return read_corpus(spec, folder, role)


def own_layer(system: SystemSpec) -> OwnLayer:
    """Where a system keeps its own embedding layer, as far as the case file tells."""
    from fairnb.embedding import OwnLayer

    return OwnLayer(use=system.use, keras=system.keras)


class Sources:
    """Corpora, system, scores, lexicon and mentions of one case.

    Parameters
    ----------
    file : CaseFile
    folder : Path
    live_object : object, optional
        What the notebook passed as the system.
    kept : dict, optional
        What an earlier reading of the same case has loaded: used again where its digest still fits.
    """

    def __init__(
        self, file: CaseFile, folder: Path, live_object: Any = None, kept: dict[Any, Any] | None = None
    ) -> None:
        self.file = file
        self.folder = folder
        self.live_object = live_object
        self.kept: dict[Any, tuple[Any, Any]] = {} if kept is None else kept

    # ---- loading

    def corpus(self, role: Role) -> Corpus:
        """The corpus with a role, with the column of recorded scores if it has one."""
        spec, score = self._spec(role), self.file.system.scores
        return self._once(
            ("corpus", role),
            (self.corpus_digest(role), score),
            lambda: read_with_scores(spec, self.folder, role, score),
        )

    def corpus_digest(self, role: Role) -> str:
        """Digest of a corpus without parsing it; a file is hashed again only when it was touched."""
        from fairnb.corpus import corpus_digest

        spec = self._spec(role)
        touched: Any = None
        if spec.path is not None:
            try:
                stat = (self.folder / spec.path).stat()
                touched = (stat.st_mtime_ns, stat.st_size)
            except OSError:
                touched = "missing"
        return self._once(("corpus digest", role), (spec, touched), lambda: corpus_digest(spec, self.folder))

    def system(self) -> System:
        """The system, opened."""
        from fairnb.system import open_system

        spec = self.file.system
        return self._once(
            ("system",),
            (spec, id(self.live_object)),
            lambda: open_system(spec, self.folder, live_object=self.live_object),
        )

    def system_facts(self) -> SystemFacts:
        """What is known of the system without scoring."""
        system = self.system()
        return SystemFacts(
            name=system.name,
            classes=system.classes,
            fingerprint=system.fingerprint,
            live=system.live,
            description=dict(system.facts),
        )

    def scores(self, role: Role, progress: Progress | None, cancelled: Callable[[], bool] | None) -> Scores:
        """Scores per class of a corpus's texts: recorded ones by row, others from the system or the cache."""
        return self._once(
            ("scores", role), self.scores_digest(role), lambda: self._scored(role, progress, cancelled)
        )

    def _scored(self, role: Role, progress: Progress | None, cancelled: Callable[[], bool] | None) -> Scores:
        from fairnb.system import recorded_scores

        corpus = self.corpus(role)
        column = self.file.system.scores
        if column and column not in corpus.recorded:
            raise FairnbError(
                "missing-column",
                f"the {role} corpus has no column {column!r} of recorded scores",
                "add the column, or choose another corpus",
                where=corpus.name,
            )
        if column:
            return recorded_scores(corpus.recorded[column], column=column, place=corpus.where)
        return self.score(corpus.texts, progress, cancelled)

    def score(
        self,
        texts: Any,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
        *,
        keep: bool = True,
    ) -> Scores:
        """Scores per class of any texts; what the cache holds is not asked again.

        Without `keep`, a system that is quick to ask is asked past the cache.
        """
        from fairnb.system import ScoreCache, score_texts

        system = self.system()
        if not keep and system.quick:
            return score_texts(system, list(texts), progress=progress, cancelled=cancelled)
        with ScoreCache() as cache:
            return score_texts(system, list(texts), cache=cache, progress=progress, cancelled=cancelled)

    def score_masked(
        self, tokens: Tokens, masks: npt.NDArray[np.bool_], cancelled: Callable[[], bool] | None = None
    ) -> Scores:
        """Scores per class of one text's masked forms, past the cache where the system is quick to ask."""
        from fairnb.system import ScoreCache, score_masked

        system = self.system()
        if system.quick:
            return score_masked(system, tokens, masks, cancelled=cancelled)
        with ScoreCache() as cache:
            return score_masked(system, tokens, masks, cache=cache, cancelled=cancelled)

    def lexicon(self) -> Lexicon:
        """The case's word groups."""
        from fairnb.lexicon import load_lexicon

        spec = self.file.lexicon
        return self._once(("lexicon",), spec, lambda: load_lexicon(spec, self.folder))

    def embeddings(self) -> tuple[tuple[Embedding, Relation], ...]:
        """Word vectors with their relation to the system: the default first; none where the case names none."""
        from fairnb.embedding import load_embeddings

        spec = self.file.embeddings
        if spec is None:
            return ()
        return self._once(
            ("embeddings",),
            self.embeddings_digest(),
            lambda: load_embeddings(spec, self.folder, own=own_layer(self.file.system)),
        )

    def model(self, name: str, *, fetch: bool) -> ModelFolder:
        """A masked language model's folder inside the case folder, or one fetched by its name."""
        from fairnb.masked_lm import find_model

        return find_model(name, self.folder, fetch=fetch)

    def model_digest(self, name: str) -> str:
        """Digest of a model's files; empty where it is not on this machine."""
        try:
            found = self.model(name, fetch=False)
        except FairnbError as error:
            if error.code not in ("missing-model", "package-missing"):
                raise
            return ""
        return self._once(("model digest", name), found.touched, lambda: found.digest)

    def embeddings_digest(self) -> str:
        """Digest over the embeddings' files; files are hashed again only when one was touched."""
        from fairnb.embedding import embeddings_digest, embeddings_touched

        spec, own = self.file.embeddings, own_layer(self.file.system)
        if spec is None:
            return ""
        return self._once(
            ("embeddings digest",),
            (spec, own, embeddings_touched(spec, self.folder, own=own)),
            lambda: embeddings_digest(spec, self.folder, own=own),
        )

    def mentions(
        self,
        role: Role,
        source: str = "lookup",
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Mentions:
        """Who is mentioned in a corpus's texts, by look-up, recognition or both."""
        from fairnb.mining import mentions

        key = self.mentions_digest(role, source)
        return self._once(
            ("mentions", role, source),
            key,
            lambda: mentions(
                self.corpus(role).texts,
                self.lexicon(),
                cast("Source", source),
                progress=progress,
                cancelled=cancelled,
            ),
        )

    def labels(self, role: Role, target: Target) -> npt.NDArray[np.int8]:
        """The corpus's answers to a target; a corpus's own positive and negative labels come first."""
        from fairnb.corpus import answers

        spec = self._spec(role)
        asked = target if spec.positive is None else spec
        yes, no = asked.positive or (), asked.negative
        return self._once(
            ("labels", role, target.name),
            (self.corpus_digest(role), yes, no),
            lambda: answers(self.corpus(role), yes, no),
        )

    def counting(
        self, role: Role, by: str, target: str, rests: Mapping[str, str], count: Callable[[], Counting]
    ) -> Counting:
        """A corpus's rows as they were counted for a target, while what the count rests on is the same."""
        return self._once(("counting", role, by, target), dict(rests), count)

    # ---- what there is

    def has(self, need: Need) -> bool:
        """Whether the case can give what a section needs."""
        if need in _CORPUS_NEEDS:
            return _CORPUS_NEEDS[need] in self.file.corpus
        if need is Need.MENTIONS:
            lexicon = self.lexicon()
            return bool(self.file.corpus) and bool(lexicon.identity_terms or lexicon.subgroups)
        if need is Need.LIVE_SYSTEM:
            return self.system().live
        if need is Need.EMBEDDINGS:
            return self.file.embeddings is not None
        if need is Need.SHAP:
            from fairnb.explanation import shap_is_installed

            return shap_is_installed()
        # A case file is refused without a system; other models are not read yet.
        return need is Need.SCORES

    # ---- digests

    def scores_digest(self, role: Role) -> str:
        """Digest over what the scores of a corpus depend on."""
        return digest_of({"system": self.identity_digest(), "corpus": self.corpus_digest(role)})

    def mentions_digest(self, role: Role, source: str = "lookup") -> str:
        """Digest over what the mentions in a corpus depend on."""
        from fairnb.mining import recognition_digest

        about = {"lexicon": self.lexicon().digest, "corpus": self.corpus_digest(role)}
        if source != "lookup":
            about |= {"source": source, "recognition": recognition_digest()}
        return digest_of(about)

    def identity_digest(self) -> str:
        """The system's fingerprint; without one, a digest of what the case file says of it."""
        return self.system().fingerprint or digest_of(self.file.system)

    @property
    def computed(self) -> set[str]:
        """Digests of the contents that this session computed."""
        contents: set[str] = self.kept.setdefault(("computed",), (None, set()))[1]
        return contents

    @property
    def vouched(self) -> bool:
        """Whether anything vouches that the system is still the one that was scored."""
        try:
            return bool(self.system().fingerprint)
        except FairnbError as error:
            if error.code != "no-live-object":
                raise
            return False

    def _spec(self, role: Role) -> CorpusSpec:
        spec = self.file.corpus.get(role)
        if spec is None:
            raise FairnbError(
                "no-such-corpus",
                f"the case has no {role} corpus",
                f"add a table [corpus.{role}] to the case file",
            )
        return spec

    def _once(self, place: tuple[str, ...], key: Any, load: Callable[[], _Loaded]) -> _Loaded:
        found = self.kept.get(place)
        if found is not None and found[0] == key:
            kept: _Loaded = found[1]
            return kept
        loaded = load()
        self.kept[place] = (key, loaded)
        return loaded
