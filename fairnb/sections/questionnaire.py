"""The seven requirements asked one by one, the labels behind the figures, and whom it all concerns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from fairnb.sections._contract import Altai, Need, Section, SectionParams, View
from fairnb.sections._format import between, count, interval_of, level_of, percent, value_of
from fairnb.sections._ground_truth import agreements, at_odds, changes, conflicts
from fairnb.sections._measure import Measure, Status
from fairnb.sections._questionnaire import Answers, questions
from fairnb.sections._questionnaire_judged import State, judged
from fairnb.sections._questionnaire_shown import crosswalk_table, heat_map, shown_tables
from fairnb.sections._result import Result
from fairnb.sections._variant import of_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from fairnb.sections._contract import Role
    from fairnb.sections._shown import Plot, Table

_ROLES: tuple[tuple[Role, Need], ...] = (
    ("train", Need.TRAIN_CORPUS),
    ("test", Need.TEST_CORPUS),
)
"""Corpora whose labels somebody gave; those of a synthetic one are made with its sentences."""
_LAST = "conclusion"
"""Reads this section's result, so this section does not read its."""


class Questionnaire(Section):
    """The seven requirements, question by question. Source: ALTAI (2020); Brown et al. (2021)."""

    id = "questionnaire"
    title = "The seven requirements"
    version = 3
    requirement = Altai.ACCOUNTABILITY
    per_target = False
    source = (
        "High-Level Expert Group on Artificial Intelligence, Assessment List for Trustworthy AI (2020): requirements "
        "and sub-sections; the questions are our own. Paper, section 2. Brown, Davidovic and Hasan, The algorithm "
        "audit: Scoring the algorithms that score us (2021): relevance for stakeholders."
    )
    method = (
        "Measures speak to a part of the seven requirements only; the rest is asked. Each answer is the assessor's. "
        "*Covered* and *partly covered* are printed only where somebody answers by name and points to evidence: a "
        "measure that this assessment holds, or a source, which is printed as stated. An answer that lacks one of "
        "both is *claimed without evidence*; a question nobody answered is *unanswered*. Evidence shows that a "
        "question was looked into, not that what was found is good. Then follows what is known of the labels, on "
        "which every rate rests."
    )

    class Params(SectionParams):
        """No parameters: the answers stand in `questionnaire.toml`."""

    def run(self, view: View, params: Params) -> Result:
        """Put answers beside evidence, count contradictory labels, and see what high findings owe to labels."""
        said = view.answers()
        results = dict(view.results(_earlier(view.facts["sections"], self.id)))
        measures: list[Measure] = []
        corpora: list[dict[str, Any]] = []
        for role, need in _ROLES:
            if view.has(need):
                corpus = view.corpus(role)
                measure, held = conflicts(role, corpus)
                held["targets"] = [
                    [target.name, at_odds(corpus.texts, view.labels(role, target.name).tolist())]
                    for target in view.targets
                ]
                measures.append(measure)
                agreed = list(agreements(role, corpus, _groups(view, role), view.confidence, view.seed))
                measures += agreed
                held["annotators"] = len(corpus.annotators)
                corpora.append(held)
        owed = []
        for told, change in changes(results, view.criteria.margin):
            owed.append(told)
            if change is not None:
                measures.append(change)
        # The counts above can be evidence too.
        results[self.id, ""] = Result(measures=tuple(measures))
        asked = [judged(one, said.answers.get(one.id), results) for one in questions()]
        return Result(
            measures=tuple(measures),
            facts={
                "questions": asked,
                "ground_truth": said.ground_truth.model_dump(mode="json"),
                "corpora": corpora,
                "changes": owed,
                "margin": view.criteria.margin,
                "stakeholders": [one.model_dump(mode="json") for one in said.stakeholders],
            },
            limits=tuple(_limits(asked, said, owed, corpora)),
        )

    def statements(self, result: Result) -> Sequence[str]:
        """How many questions are covered, and what the labels bear."""
        return [_counted(result), *_contradictions(result), *_agreed(result), *_owed(result)]

    def tables(self, result: Result) -> Sequence[Table]:
        """Answers by requirement, the labels, the stakeholders, and in the annex the law."""
        return (*shown_tables(result), crosswalk_table())

    def figures(self, result: Result) -> Mapping[str, Plot]:
        """Relevance of the requirements for the stakeholders."""
        plot = heat_map(result)
        return {} if plot is None else {"relevance": plot}


def _groups(view: View, role: Role) -> dict[tuple[str, str], npt.NDArray[np.bool_]]:
    """Which texts of a corpus mention each subgroup; asked for only where annotators can be compared."""
    if not view.corpus(role).annotators or not view.has(Need.MENTIONS):
        return {}
    names, membership = view.mentions(role).groups("subgroup")
    table = membership.tocsc()
    return {
        (attribute, subgroup): np.asarray(table[:, [at]].todense(), dtype=bool).ravel()
        for at, (attribute, _, subgroup) in enumerate(name.partition("/") for name in names)
    }


def _earlier(sections: Sequence[str], own: str) -> list[str]:
    """Sections that stand before this one; all of them but the last where it stands nowhere."""
    before = sections[: sections.index(own)] if own in sections else sections
    return [identity for identity in before if identity != _LAST]


def _counted(result: Result) -> str:
    asked = result.facts["questions"]
    states = Counter(one["state"] for one in asked)
    parts = [f"{count(states[state])} {state}" for state in State if states[state]]
    return f"{count(len(asked))} questions: {', '.join(parts)}."


def _contradictions(result: Result) -> Iterable[str]:
    for held in result.facts["corpora"]:
        role = held["role"]
        if not held["repeated"]:
            yield f"No text of the {role} corpus is labelled more than once: contradictions cannot be seen in it."
            continue
        conflicting = result.measure("conflicting_texts", label="all", variant=of_corpus(role, default=""))
        number = int(conflicting.value or 0)
        yield (
            f"Of {count(held['repeated'])} texts of the {role} corpus that are labelled more than once, "
            f"{count(number)} ({percent(number / held['repeated'])}) have labels that differ."
        )


def _agreed(result: Result) -> Iterable[str]:
    for held in result.facts["corpora"]:
        if not held["annotators"]:
            continue
        share, alpha = (
            result.measure(name, label="all", variant=of_corpus(held["role"], default=""))
            for name in ("percent_agreement", "krippendorff_alpha")
        )
        if share.value is None or share.status is Status.TOO_FEW:
            yield f"Too few texts of the {held['role']} corpus have two labels to say how far annotators agree."
            continue
        yield (
            f"Of the {held['role']} corpus {count(share.n or 0)} texts have labels of several annotators, of which "
            f"pairs agree in {percent(share.value)} ({level_of(share.level or 0.95)} "
            f"{between(share.low, share.high, 1, scale=100)} %); Krippendorff's alpha is {value_of(alpha)} "
            f"({interval_of(alpha)}), where 1 is agreement and 0 what chance would give."
        )


def _owed(result: Result) -> Iterable[str]:
    for told in result.facts["changes"]:
        if told.get("labels") is not None:
            number, (_, of) = told["labels"], told["flagged_of"]
            yield (
                f"{told['criterion']}: the difference would fall under the margin if at least {count(number)} of "
                f"{count(of)} labels ({percent(number / of)}) were otherwise."
            )


def _limits(
    asked: Sequence[Mapping[str, Any]],
    said: Answers,
    owed: Sequence[Mapping[str, Any]],
    corpora: Sequence[Mapping[str, Any]],
) -> Iterable[str]:
    unanswered = sum(one["state"] == State.UNANSWERED for one in asked)
    if unanswered:
        yield f"Unanswered: {count(unanswered)} of {count(len(asked))} questions on the seven requirements."
    claimed = sum(one["state"] == State.CLAIMED for one in asked)
    if claimed:
        yield (
            f"Claimed without evidence: {count(claimed)} of {count(len(asked))} questions. Nobody answers for the "
            "claim by name, or no evidence is there."
        )
    if any(named["kind"] == "source" for one in asked for named in one["evidence"]):
        yield "Sources that answers name were not read by the software; they are printed as stated."
    if not any(held["annotators"] for held in corpora):
        yield (
            "No corpus holds the labels of single annotators: how far they agreed cannot be said (the key "
            "annotators in the table of a corpus names their columns)."
        )
    if not said.ground_truth.labelled_by.strip():
        yield "Who labelled the texts is not stated: every rate rests on labels whose origin is not known here."
    if any(told.get("labels") is not None for told in owed):
        yield (
            "Labels that would have to change are counted where they weigh most, with the other group held as it is "
            "(texts that mention both included); wrong labels spread at random would have to be more. How many "
            "labels are wrong is not known."
        )
