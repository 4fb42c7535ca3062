"""Sections small enough that every number can be worked out by hand; they count their own runs."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from fairnb.errors import FairnbError
from fairnb.sections import Altai, Finding, Measure, Need, Result, Section, SectionParams, Severity, View

RUNS: list[str] = []
"""Id of the section, for each time one computed."""


class Counting(Section):
    id = "counting"
    title = "Counting"
    requirement = Altai.TRANSPARENCY
    needs = (Need.TEST_CORPUS, Need.SCORES)

    class Params(SectionParams):
        threshold: float | None = Field(None, ge=0.0, le=1.0)
        note: str = ""

    def run(self, view: View, params: Params) -> Result:
        RUNS.append(f"{self.id}:{view.target.name}")
        threshold = view.target.threshold if params.threshold is None else params.threshold
        flagged = int((view.scores("test") >= threshold).sum())
        positives = int((view.labels("test") == 1).sum())
        return Result(
            measures=(
                Measure(measure="flagged", label="all", value=float(flagged), n=flagged),
                Measure(measure="positives", label="positive", value=float(positives), n=positives),
            ),
            findings=(
                Finding(
                    criterion="flagged", severity=Severity.LOW, statement="some", measures=(), requirement=4
                ),
            ),
        )


class Tallying(Section):
    id = "tallying"
    title = "Tallying"
    requirement = Altai.TRANSPARENCY
    needs = (Need.TEST_CORPUS,)

    def run(self, view: View, params: SectionParams) -> Result:
        RUNS.append(self.id)
        tally = view.tally("test")
        return Result(facts={"rows": tally.n()}, tallies={"test": tally.digest})


class Training(Section):
    id = "training"
    title = "Training"
    requirement = Altai.TRANSPARENCY
    needs = (Need.TRAIN_CORPUS,)

    def run(self, view: View, params: SectionParams) -> Result:
        RUNS.append(self.id)
        return Result(facts={"rows": len(view.corpus("train"))})


class Failing(Section):
    id = "failing"
    title = "Failing"
    requirement = Altai.TRANSPARENCY
    error: ClassVar[Exception | None] = None

    def run(self, view: View, params: SectionParams) -> Result:
        RUNS.append(self.id)
        raise self.error or FairnbError("broken", "the thing is broken", "mend it")


class Closing(Section):
    id = "closing"
    title = "Closing"
    requirement = Altai.ACCOUNTABILITY
    per_target = False

    def run(self, view: View, params: SectionParams) -> Result:
        RUNS.append(self.id)
        seen = {f"{name}/{target}": len(found.measures) for (name, target), found in view.results().items()}
        return Result(facts={"seen": seen, "title": view.facts["engagement"]["title"]})
