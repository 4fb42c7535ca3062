"""Reading the assessor's answers on the seven requirements, with every mistake at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairnb.case._file import QUESTIONNAIRE
from fairnb.case._lines import key_lines
from fairnb.case._read import explained, is_branch, nearest, parsed, place, shown
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.sections import REFERENCE_KEYS, Answers, questions, reference_of, section_ids

_NO_WORDS = "a source is told in words, such as `Interview with the head of moderation, 3 March`"
_OWN = "questionnaire"


def read_answers(folder: Path) -> Answers:
    """What a case's `questionnaire.toml` says; without the file nothing is answered.

    Raises
    ------
    FairnbError
        ``not-toml``.
    FairnbErrors
        ``unknown-key``, ``bad-value``, ``unknown-question``, ``unknown-section``, ``bad-reference``,
        ``no-reason``: every mistake, with file, line and key.
    """
    path = folder / QUESTIONNAIRE
    if not path.is_file():
        return Answers()
    text, raw = parsed(path.read_bytes(), QUESTIONNAIRE)
    lines = key_lines(text)
    errors = [
        FairnbError(error.code, error.found, error.remedy, where=place(lines, key, QUESTIONNAIRE))
        for key, error in _unknown(raw)
    ]
    try:
        answers = Answers.model_validate(raw)
    except ValidationError as error:
        for item in error.errors():
            key = tuple(str(part) for part in item["loc"] if not is_branch(part))
            errors.append(explained(item, Answers, place(lines, key, QUESTIONNAIRE)))
        raise FairnbErrors(errors) from error
    for key, mistake in _mistakes(answers):
        where = place(lines, key, QUESTIONNAIRE)
        errors.append(FairnbError(mistake.code, mistake.found, mistake.remedy, where=where))
    if errors:
        raise FairnbErrors(errors)
    return answers


def _unknown(raw: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], FairnbError]]:
    given = raw.get("answers", {})
    known = [asked.id for asked in questions()]
    for name in given if isinstance(given, Mapping) else ():
        if name not in known:
            yield (
                ("answers", name),
                FairnbError("unknown-question", f"there is no question {name!r}", nearest(name, known)),
            )


def _mistakes(answers: Answers) -> Iterator[tuple[tuple[str, ...], FairnbError]]:
    for name, answer in answers.answers.items():
        if answer.answer == "not applicable" and not answer.text.strip():
            yield (
                ("answers", name, "answer"),
                FairnbError("no-reason", "nothing says why it is not applicable", "give the reason in text"),
            )
        for evidence in answer.evidence:
            for error in _wrong(evidence):
                yield ("answers", name, "evidence"), error


def _wrong(evidence: str) -> Iterator[FairnbError]:
    reference = reference_of(evidence)
    start = evidence.partition(":")[0].strip()
    if reference is None:
        if start in section_ids():
            yield FairnbError(
                "bad-reference",
                f"{shown(evidence)} names a section and is no reference",
                "write section:measure, or section:measure:subgroup=female, without spaces around the colons",
            )
        elif not evidence.strip():
            yield FairnbError("bad-reference", "a piece of evidence is empty", f"leave it out; {_NO_WORDS}")
        return
    if reference.section not in section_ids():
        yield FairnbError(
            "unknown-section",
            f"there is no section {reference.section!r}",
            f"{nearest(reference.section, section_ids())}; {_NO_WORDS}",
        )
    if reference.section == _OWN and not reference.measure:
        yield FairnbError(
            "bad-reference",
            "the questionnaire is no evidence for its own answers",
            "name one of its measures, such as questionnaire:conflicting_texts",
        )
    for key in reference.keys:
        if key not in REFERENCE_KEYS:
            yield FairnbError(
                "bad-reference", f"a measure has no {key!r} to be named by", nearest(key, REFERENCE_KEYS)
            )
