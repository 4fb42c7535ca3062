"""How often the system errs, language by language, as the Digital Services Act asks of automated means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairnb.corpus import LANGUAGE, NOT_DECLARED
from fairnb.sections._format import count, interval_of, level_of, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Row, Table
from fairnb.sections._support import supported

if TYPE_CHECKING:
    from fairnb.sections._contract import View
    from fairnb.statistics import Confusion

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
    view: View, everyone: Confusion, threshold: float
) -> tuple[dict[str, Confusion], dict[str, str]]:
    """Counts of decisions on the test corpus by language, and the tally that they are of.

    Most texts come first, those whose language is not declared last; rows without label or score are in none.
    A corpus of one language, or of which nothing says the language, needs no further tally than `everyone`'s.
    """
    codes = set(view.corpus("test").languages or ("",))
    tallies = {}
    if len(codes) > 1:
        tally = view.tally("test", LANGUAGE, (threshold,))
        tallies[f"test:{LANGUAGE}"] = tally.digest
        found = {name.removeprefix(f"{LANGUAGE}/"): tally.confusion(threshold, name) for name in tally.groups}
    else:
        found = {codes.pop() or NOT_DECLARED: everyone}
    found = {code: own for code, own in found.items() if own.n}
    order = sorted(found, key=lambda code: (code == NOT_DECLARED, -found[code].n, code))
    return {code: found[code] for code in order}, tallies


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
