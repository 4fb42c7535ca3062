"""What in the corpora leads to a person: ALTAI requirement 3. Counted, never shown."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from pydantic import Field

from fairnb.errors import FairnbError
from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._drawing import ACCENT, INK, label_axes, new_figure
from fairnb.sections._format import count, interval_of, level_of, percent, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table
from fairnb.sections._support import supported
from fairnb.sections._variant import of_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.corpus import Corpus
    from fairnb.sections._contract import Role

_ROLES: tuple[tuple[Role, Need], ...] = (
    ("train", Need.TRAIN_CORPUS),
    ("test", Need.TEST_CORPUS),
    ("synthetic", Need.SYNTHETIC_CORPUS),
)
_KINDS = {
    "handle": "Handles",
    "email": "E-mail addresses",
    "phone": "Phone numbers",
    "link": "Links",
    "any": "Any of these",
    "name": "Names of persons",
}
_PLACEHOLDERS = frozenset(("@user", "@username", "@mention", "@handle", "@url"))
"""What corpora write in place of handles that were removed."""
NO_NAMES = "not asked for"
_NO_EXTRA = "no recogniser was installed"
_NO_ENGLISH = "names are recognised in English texts only"


class Privacy(Section):
    """Texts that hold handles, addresses, numbers, links or names. Source: ALTAI 3; Wilson (1927)."""

    id = "privacy"
    title = "Personal data in the corpora"
    version = 2
    requirement = Altai.PRIVACY_AND_DATA_GOVERNANCE
    per_target = False
    source = "Assessment List for Trustworthy AI (2020), requirement 3; paper, appendix I; Wilson (1927) for shares."
    method = (
        "For each corpus the texts are counted that hold a *handle*, an *e-mail address*, a *phone number* or a "
        "*link*, by the same patterns that mask them wherever a text is shown. Placeholders such as @USER, which "
        "corpora write where a handle was removed, count apart. *Names* are those that a pipeline for named "
        "entities takes for persons, in a random sample of texts. What was found is counted and never shown. A "
        "handle or link mostly leads to one person; a name may be anybody's, or a celebrity's. Texts without any "
        "of these can still be found by their wording."
    )

    class Params(SectionParams):
        """Whether names are looked for, and in how many texts."""

        names: bool = Field(
            True,
            description='Also look for names of persons (needs the extra ner: pip install "fairnb[ner]")',
        )
        names_sample: int = Field(
            1_000, ge=20, le=1_000_000, description="Most texts of a corpus in which names are looked for"
        )

    def run(self, view: View, params: Params) -> Result:
        """Count in every corpus of the case."""
        roles = [role for role, need in _ROLES if view.has(need)]
        if not roles:
            return Result(status="not_applicable", reason="no corpus")
        measures: list[Measure] = []
        facts: dict[str, Any] = {}
        for role in roles:
            corpus = view.corpus(role)
            found, placeholders, times = _held(corpus.texts)
            for kind, texts in found.items():
                measures.append(_share(role, kind, texts, len(corpus), view.confidence))
            told, named = _named(view, role, corpus, params)
            measures.append(told)
            facts[role] = {
                "corpus": corpus.name,
                "texts": len(corpus),
                "times": times,
                "placeholders": placeholders,
                "names": named,
            }
        return Result(
            measures=tuple(measures),
            facts={"corpora": facts, "level": view.confidence},
            limits=tuple(_limits(facts)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """What each corpus holds."""
        return [_told(result, role, corpus) for role, corpus in result.facts["corpora"].items()]

    def tables(self, result: Result) -> Sequence[Table]:
        """One table for all corpora."""
        return (_table(result),)

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Shares of texts by kind."""
        plot = _plot(result)
        return {} if plot is None else {"personal_data": plot}


def _held(texts: Sequence[str]) -> tuple[dict[str, int], int, dict[str, int]]:
    """Texts that hold each kind, texts with placeholders, and how often each kind occurs."""
    from fairnb.text import personal_data

    holding: Counter[str] = Counter()
    times: Counter[str] = Counter()
    placeholders = 0
    for text in texts:
        kinds: Counter[str] = Counter()
        masked = False
        for found in personal_data(text):
            if found.kind == "handle" and text[found.start : found.end].casefold() in _PLACEHOLDERS:
                masked = True
            else:
                kinds[found.kind] += 1
        placeholders += masked
        times.update(kinds)
        holding.update([*kinds, *(["any"] if kinds else [])])
    counted = [kind for kind in _KINDS if kind != "name"]
    return (
        {kind: holding[kind] for kind in counted},
        placeholders,
        {kind: times[kind] for kind in counted if kind != "any"},
    )


def _share(role: str, kind: str, texts: int, of: int, level: float, **more: Any) -> Measure:
    from fairnb.statistics import wilson

    return supported(
        wilson(texts, of, level),
        support=of,
        measure="personal_data",
        attribute="kind",
        subgroup=kind,
        label="all",
        variant=of_corpus(role, default=""),
        n=of,
        denominator=of,
        family="D",
        method="texts that hold it / texts",
        **more,
    )


def _named(view: View, role: Role, corpus: Corpus, params: Privacy.Params) -> tuple[Measure, dict[str, Any]]:
    """Texts of a sample that hold a name; without a recogniser why not."""
    from fairnb.mining import find_names

    if not params.names:
        return _without_names(role, NO_NAMES)
    # What finds the names is an input as the texts are: with another one the counts are stale.
    view.facts["recognition"]
    texts = _english(corpus, view.lexicon.languages)
    if not texts:
        return _without_names(role, _NO_ENGLISH if len(corpus) else "no text")
    drawn = sorted(range(len(texts)), key=lambda place: _draw(texts[place], place, view.seed))
    sample = [texts[place] for place in drawn[: params.names_sample]]
    try:
        found = find_names(sample, progress=view.progress, cancelled=view.cancelled)
    except FairnbError as error:
        if error.code != "package-missing":
            raise
        return _without_names(role, _NO_EXTRA)
    holding = sum(names > 0 for names in found.counts)
    return _share(role, "name", holding, len(sample), view.confidence), {
        "looked_at": len(sample),
        "of": len(texts),
        "times": sum(found.counts),
        "pipeline": found.pipeline,
        "digest": found.digest,
        "reason": "",
    }


def _without_names(role: str, reason: str) -> tuple[Measure, dict[str, Any]]:
    measure = Measure(
        measure="personal_data",
        attribute="kind",
        subgroup="name",
        label="all",
        variant=of_corpus(role, default=""),
        family="D",
        status=Status.NOT_MEASURED,
        note=reason,
    )
    return measure, {"looked_at": 0, "reason": reason}


def _english(corpus: Corpus, spoken: Sequence[str]) -> list[str]:
    if corpus.languages is None:
        return list(corpus.texts) if "en" in spoken else []
    pairs = zip(corpus.texts, corpus.languages, strict=True)
    return [text for text, language in pairs if language.split("-")[0] in ("", "en")]


def _draw(text: str, place: int, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{place}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _of(result: Result, role: str, kind: str) -> Measure:
    return result.measure(
        "personal_data", attribute="kind", subgroup=kind, label="all", variant=of_corpus(role, default="")
    )


def _told(result: Result, role: str, corpus: Mapping[str, Any]) -> str:
    every = _of(result, role, "any")
    if every.value is None:
        return f"The {role} corpus has too few texts to say what they hold."
    if not every.value:
        said = f"No text of the {role} corpus holds a handle, an e-mail address, a phone number or a link"
    else:
        held = [
            f"{_KINDS[kind].lower()} in {percent(_of(result, role, kind).value or 0.0)}"
            for kind in corpus["times"]
            if _of(result, role, kind).value
        ]
        said = (
            f"{percent(every.value)} of {count(corpus['texts'])} texts of the {role} corpus hold something that "
            f"leads to a person: {', '.join(held)}"
        )
    name, named = _of(result, role, "name"), corpus["names"]
    if name.value is not None:
        return f"{said}; a name was recognised in {percent(name.value)} of {count(named['looked_at'])} texts."
    return f"{said}. {_uncounted(name.note)}"


def _uncounted(reason: str) -> str:
    return f"Names of persons were not counted ({reason})."


def _table(result: Result) -> Table:
    rows = []
    for role, corpus in result.facts["corpora"].items():
        for kind, words in _KINDS.items():
            share = _of(result, role, kind)
            times = corpus["names"].get("times") if kind == "name" else corpus["times"].get(kind)
            cells = (
                role,
                words,
                value_of(share, 2, scale=100),
                interval_of(share, 2, scale=100),
                count(share.denominator) if share.denominator is not None else "–",
                "–" if times is None else count(times),
            )
            rows.append(Row(cells, (share.key,), quiet=share.status is not Status.OK, strong=kind == "any"))
        if corpus["placeholders"]:
            placeholders = ("–", "–", count(corpus["texts"]), f"in {count(corpus['placeholders'])} texts")
            rows.append(Row((role, "Placeholders (@USER)", *placeholders), quiet=True))
    columns = (
        Column("Corpus"),
        Column("Kind"),
        Column("Texts that hold it, %", "number"),
        Column(level_of(result.facts["level"]), "number"),
        Column("Texts looked at", "number"),
        Column("Found", "number"),
    )
    reasons = {c["names"]["reason"] for c in result.facts["corpora"].values() if c["names"]["reason"]}
    note = _uncounted("; ".join(sorted(reasons))) if reasons else ""
    return Table("Personal data by corpus", columns, tuple(rows), note=note)


def _plot(result: Result) -> Plot | None:
    bars = [
        (f"{role}: {words.lower()}", _of(result, role, kind))
        for role in result.facts["corpora"]
        for kind, words in _KINDS.items()
    ]
    shown = [(words, share) for words, share in reversed(bars) if share.value is not None]
    if not any(share.value for _, share in shown):
        return None
    figure, (axis,) = new_figure(150, 20 + 5.4 * len(shown))
    for place, (_, share) in enumerate(shown):
        ends = [100 * (end or 0.0) for end in (share.low, share.high)]
        axis.plot(ends, [place, place], color=ACCENT, linewidth=1.1)
        axis.plot([100 * (share.value or 0.0)], [place], "o", color=ACCENT, markersize=4)
    axis.set_xlim(left=-0.5)
    axis.set_yticks(range(len(shown)), [words for words, _ in shown])
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    label_axes(axis, "% of texts that hold it", "")
    said = "; ".join(f"{words} {percent(share.value or 0.0)}" for words, share in reversed(shown))
    return Plot(
        figure,
        f"Texts that hold personal data, by corpus and kind, with {level_of(result.facts['level'])}s.",
        f"{said}.",
    )


def _limits(facts: Mapping[str, Any]) -> Iterable[str]:
    yield (
        "Patterns miss what is written otherwise (an address spelt out) and take some numbers and words for phone "
        "numbers and links; nobody has checked what they found."
    )
    if any(corpus["names"]["looked_at"] for corpus in facts.values()):
        yield "Recognised names were not checked: in short and careless texts many are none, and many are missed."
    yield "Whether people agreed, and on what ground the texts are held, cannot be read from them."
