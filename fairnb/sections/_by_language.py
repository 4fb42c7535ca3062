"""How often the system errs, language by language, as the Digital Services Act asks of automated means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.sections._format import count, interval_of, level_of, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Row, Table
from fairnb.sections._support import supported

if TYPE_CHECKING:
    import numpy.typing as npt

    from fairnb.statistics import Confusion

LANGUAGE = "language"
NOT_DECLARED = "not declared"
ALL_NOT_DECLARED = (
    "The test corpus does not declare the language of its texts: accuracy and error rate cannot be given by language "
    "(the key language in the table of the corpus names the column)."
)
_TESTED = 20
_FEWEST = 10
_MEASURES = (
    ("accuracy", "Accuracy", "all"),
    ("error_rate", "Error rate", "all"),
    ("false_positive_rate", "False-positive rate", "negative"),
    ("false_negative_rate", "False-negative rate", "positive"),
)
_TITLE = "Accuracy and error rate of the automated means, by language"


def confusions(
    languages: Sequence[str] | None,
    labels: npt.NDArray[Any],
    scores: npt.NDArray[Any],
    threshold: float,
) -> dict[str, Confusion]:
    """Counts of decisions by language, most texts first; rows without label or score are in none.

    Rows of a language that is not declared come last, and are all rows where no language is.
    """
    from fairnb.statistics import Confusion

    named = np.array([code or NOT_DECLARED for code in languages or ("",) * len(labels)], dtype=object)
    scores = np.asarray(scores)
    known = np.isin(labels, (0, 1)) & np.isfinite(scores)
    flagged, positive = scores >= scores.dtype.type(threshold), np.asarray(labels) == 1
    found = {}
    for language in dict.fromkeys(named[known].tolist()):
        own = known & (named == language)
        found[language] = Confusion(
            *(
                int((own & decided & labelled).sum())
                for decided, labelled in (
                    (flagged, positive),
                    (flagged, ~positive),
                    (~flagged, positive),
                    (~flagged, ~positive),
                )
            )
        )
    order = sorted(found, key=lambda language: (language == NOT_DECLARED, -found[language].n, language))
    return {language: found[language] for language in order}


def by_language(counts: dict[str, Confusion], threshold: float, level: float) -> list[Measure]:
    """Accuracy, error rate and both kinds of error of each language, with intervals."""
    from fairnb.statistics import wilson

    measures = []
    for language, own in counts.items():
        shares = {
            "accuracy": (own.correct, own.n, "(TP+TN)/n"),
            "error_rate": (own.fp + own.fn, own.n, "(FP+FN)/n"),
            "false_positive_rate": (own.fp, own.negative, "FP/(FP+TN)"),
            "false_negative_rate": (own.fn, own.positive, "FN/(TP+FN)"),
        }
        for measure, _, label in _MEASURES:
            hits, of, method = shares[measure]
            measures.append(
                supported(
                    wilson(hits, of, level),
                    support=of,
                    minimum=_FEWEST,
                    tested=_TESTED,
                    measure=measure,
                    attribute=LANGUAGE,
                    subgroup=language,
                    label=label,
                    n=own.n,
                    denominator=of,
                    threshold=threshold,
                    family="D",
                    method=method,
                )
            )
    return measures


def language_table(result: Result) -> Table:
    """One row for each language, with the interval of each share under it."""
    rows = []
    for language in result.facts["languages"]:
        found = [
            result.measure(measure, attribute=LANGUAGE, subgroup=language, label=label)
            for measure, _, label in _MEASURES
        ]
        cells = [_with_interval(one) for one in found]
        rows.append(Row((language, count(found[0].n or 0), *cells), tuple(one.key for one in found)))
    columns = (
        Column("Language"),
        Column("Texts", "number"),
        *(Column(words, "number") for _, words, _ in _MEASURES),
    )
    note = (
        f"Shares with their {level_of(result.facts['level'])} (Wilson); in brackets alone where fewer than {_FEWEST} "
        "texts are behind a share. Aligned with what Regulation (EU) 2022/2065, Articles 15(1)(e) and 42(2)(c), asks to "
        "be reported of automated means: measured on the texts of this corpus as annotators labelled them, which are "
        "not the decisions of a service in operation."
    )
    return Table(_TITLE, columns, tuple(rows), note=note)


def _with_interval(measure: Measure) -> str:
    if measure.value is None or measure.status is Status.TOO_FEW:
        return value_of(measure)
    return f"{value_of(measure)} ({interval_of(measure)})"
