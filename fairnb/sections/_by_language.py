"""How often the system errs, language by language, as the Digital Services Act asks of automated means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairnb.corpus import LANGUAGE, NOT_DECLARED
from fairnb.sections._format import count, interval_of, level_of, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Row, Table
from fairnb.sections._support import supported

if TYPE_CHECKING:
    from fairnb.sections._contract import View
    from fairnb.statistics import Confusion, Outcome, Tally

ALL_NOT_DECLARED = (
    "The test corpus does not declare the language of its texts: accuracy and error rate cannot be given by language "
    "(the key language in the table of the corpus names the column)."
)
_TESTED = 20
_FEWEST = 10
_MEASURES: tuple[tuple[str, str, str, str, Outcome, int | None], ...] = (
    ("accuracy", "Accuracy", "all", "(TP+TN)/n", "correct", None),
    ("error_rate", "Error rate", "all", "(FP+FN)/n", "wrong", None),
    ("false_positive_rate", "False-positive rate", "negative", "FP/(FP+TN)", "flagged", 0),
    ("false_negative_rate", "False-negative rate", "positive", "FN/(TP+FN)", "missed", 1),
)
"""Name, title, label as recorded, formula, outcome, and the label whose rows are the denominator."""
_TITLE = "Accuracy and error rate of the automated means, by language"


@dataclass(frozen=True)
class Spoken:
    """Texts of one language, as a tally counts them."""

    tally: Tally
    group: str

    def confusion(self, threshold: float) -> Confusion:
        """Counts of decisions."""
        return self.tally.confusion(threshold, self.group)


def languages(view: View, everyone: Tally, threshold: float) -> tuple[dict[str, Spoken], dict[str, str]]:
    """Texts of the test corpus by language, and the tally that counts them.

    Most texts come first, those whose language is not declared last; rows without label or score are in none.
    A corpus of one language, or of which nothing says the language, needs no further tally than `everyone`'s.
    """
    codes = set(view.corpus("test").languages or ("",))
    tallies = {}
    if len(codes) > 1:
        tally = view.tally("test", LANGUAGE, (threshold,))
        tallies[f"test:{LANGUAGE}"] = tally.digest
        found = {name.removeprefix(f"{LANGUAGE}/"): Spoken(tally, name) for name in tally.groups}
    else:
        found = {codes.pop() or NOT_DECLARED: Spoken(everyone, "")}
    rows = {code: own.tally.n(own.group) for code, own in found.items()}
    order = sorted(filter(rows.get, rows), key=lambda code: (code == NOT_DECLARED, -rows[code], code))
    return {code: found[code] for code in order}, tallies


def by_language(spoken: dict[str, Spoken], threshold: float, level: float) -> list[Measure]:
    """Accuracy, error rate and both kinds of error of each language, with intervals."""
    from fairnb.statistics import outcome_share

    measures = []
    for language, own in spoken.items():
        tally, group = own.tally, own.group
        for measure, _, label, formula, outcome, condition in _MEASURES:
            rows = tally.n(group) if condition is None else tally.support(group, condition)
            measures.append(
                supported(
                    outcome_share(tally, outcome, group, condition, threshold=threshold, level=level),
                    support=rows,
                    minimum=_FEWEST,
                    tested=_TESTED,
                    measure=measure,
                    attribute=LANGUAGE,
                    subgroup=language,
                    label=label,
                    n=rows,
                    denominator=rows,
                    clusters=tally.clusters_of(group, condition),
                    threshold=threshold,
                    family="D",
                    method=formula,
                )
            )
    return measures


def language_table(result: Result) -> Table:
    """One row for each language, with the interval of each share under it."""
    rows = []
    for language in result.facts["languages"]:
        found = [
            result.measure(measure, attribute=LANGUAGE, subgroup=language, label=label)
            for measure, _, label, *_ in _MEASURES
        ]
        cells = [_with_interval(one) for one in found]
        rows.append(Row((language, count(found[0].n or 0), *cells), tuple(one.key for one in found)))
    columns = (
        Column("Language"),
        Column("Texts", "number"),
        *(Column(words, "number") for _, words, *_ in _MEASURES),
    )
    note = (
        f"Shares with their {level_of(result.facts['level'])} ({_wilson(result)}); in brackets alone where fewer than "
        f"{_FEWEST} texts are behind a share. Aligned with what Regulation (EU) 2022/2065, Articles 15(1)(e) and "
        "42(2)(c), asks to be reported of automated means: measured on the texts of this corpus as annotators labelled "
        "them, which are not the decisions of a service in operation."
    )
    return Table(_TITLE, columns, tuple(rows), note=note)


def _wilson(result: Result) -> str:
    clustered = any(one.interval == "wilson-cluster" for one in result.measures)
    return "Wilson, allowing for texts of one cluster" if clustered else "Wilson"


def _with_interval(measure: Measure) -> str:
    if measure.value is None or measure.status is Status.TOO_FEW:
        return value_of(measure)
    return f"{value_of(measure)} ({interval_of(measure)})"
