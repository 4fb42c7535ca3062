"""Found mentions compared with what people marked: annotated columns and reviewed samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fairnb.sections._measure import Measure
from fairnb.sections._support import supported
from fairnb.sections._variant import joined

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fairnb.corpus import Corpus
    from fairnb.mining import Mentions
    from fairnb.sections._contract import View

    Rows = npt.NDArray[np.bool_]

_LABELS: tuple[tuple[Literal["all", "positive", "negative"], int | None], ...] = (
    ("all", None),
    ("positive", 1),
    ("negative", 0),
)
ANNOTATED = "annotated"
REVIEWED = "read by a person"


@dataclass(frozen=True)
class Review:
    """Answers of a person who read a sample of mentions."""

    answers: Mapping[tuple[str, str], Mapping[str, bool]] = field(default_factory=dict)
    """(attribute, subgroup) -> id of the text -> whether it mentions the subgroup."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Empty where there is no review of this corpus."""

    @classmethod
    def of(cls, view: View, role: str) -> Review:
        """Read the case's review, if it is one of this corpus as it is now."""
        stored = view.reviews()
        if not stored or stored["role"] != role:
            return cls()
        rows: list[Mapping[str, Any]] = stored["answers"]
        right = [row["label_right"] for row in rows]
        same = stored["lexicon"] == view.lexicon.digest
        facts = {
            "rows": len(rows),
            "labels_right": sum(right),
            "usable": True,
            "reason": "",
            "same_lexicon": same,
        }
        if stored["corpus"] != view.corpus(role).digest:  # type: ignore[arg-type]
            return cls({}, {**facts, "usable": False, "reason": "it was made on another state of the corpus"})
        answers: dict[tuple[str, str], dict[str, bool]] = {}
        for row in rows:
            answers.setdefault((row["attribute"], row["subgroup"]), {})[row["id"]] = row["mention_right"]
        return cls(answers, facts)


def checked(
    found: Mentions, corpus: Corpus, labels: npt.NDArray[np.int8], review: Review, level: float
) -> Iterable[Measure]:
    """Precision and recall by label, where somebody marked or read mentions.

    Where a subgroup was both annotated and reviewed, the annotated columns give the default row.
    """
    import numpy as np

    source = "" if found.source == "lookup" else f"source={found.source}"
    by_column = found.by_subgroup.tocsc()
    place = {identity: row for row, identity in enumerate(corpus.ids)} if review.answers else {}
    for column, (attribute, subgroup) in enumerate(found.subgroups):
        mined = np.zeros(len(found), dtype=np.bool_)
        mined[by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]] = True
        named = {"attribute": attribute, "subgroup": subgroup}
        marks = corpus.annotated.get((attribute, subgroup))
        if marks is not None:
            for measure in ("precision", "recall"):
                yield from _shares(
                    measure, marks, mined, labels, level, {**named, "variant": source}, ANNOTATED
                )
        answers = review.answers.get((attribute, subgroup))
        if answers:
            read = np.full(len(found), -1, dtype=np.int8)
            for identity, right in answers.items():
                if identity in place:
                    read[place[identity]] = right
            variant = "checked=review" if marks is not None else ""
            variants = joined(source, variant)
            yield from _shares(
                "precision", read, mined, labels, level, {**named, "variant": variants}, REVIEWED
            )


def _shares(
    name: str,
    marks: npt.NDArray[np.int8],
    mined: Rows,
    labels: npt.NDArray[np.int8],
    level: float,
    named: Mapping[str, Any],
    by: str,
) -> Iterable[Measure]:
    from fairnb.statistics import wilson

    precision = name == "precision"
    for label, value in _LABELS:
        rows = (marks >= 0) & (mined if precision else marks == 1)
        if value is not None:
            rows = rows & (labels == value)
        both = int((rows & (marks == 1) & mined).sum())
        of = int(rows.sum())
        whose = {ANNOTATED: "annotated mentions", REVIEWED: "mentions a person found right"}[by]
        yield supported(
            wilson(both, of, level),
            support=of,
            measure=name,
            label=label,
            n=of,
            denominator=of,
            family="D",
            method=f"{whose} / mentions found and {by}" if precision else f"mentions found / {whose}",
            **named,
        )
