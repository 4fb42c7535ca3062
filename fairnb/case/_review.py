"""A person reads a sample of mentions: the sheet that is filled in, and what it says."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fairnb.case._case import Case, load_case
from fairnb.case._file import REVIEW
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import write_text
from fairnb.sections import Role

if TYPE_CHECKING:
    from fairnb.statistics import Estimate

SHEET = "review.csv"
REVIEW_NOTE = (
    "The sheet holds texts as they are, for a person must read them: it is not redacted, and no export takes it "
    "along. Answer yes or no in the last two columns of every row, and change nothing else."
)
_PLAN = "review-sheet.json"
_COLUMNS = ("nr", "id", "text", "label", "subgroup", "mention right?", "label right?")
_ANSWERS = {
    "yes": True,
    "y": True,
    "true": True,
    "1": True,
    "no": False,
    "n": False,
    "false": False,
    "0": False,
}
_RUNS_AS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_DRAW_AGAIN = "move the file away and draw a sheet again"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Asked(_Table):
    nr: int
    id: str
    attribute: str
    subgroup: str


class _Plan(_Table):
    """What was drawn; it holds no text."""

    schema_: Literal["fairnb.review-sheet/1"] = Field("fairnb.review-sheet/1", alias="schema")
    role: str
    seed: int
    per_subgroup: int
    corpus: str
    lexicon: str
    rows: list[_Asked]


class ReviewAnswer(_Table):
    """One mention, read by a person."""

    id: str
    attribute: str
    subgroup: str
    label: str
    """Of the corpus."""
    mention_right: bool
    label_right: bool


class Review(_Table):
    """All answers of a sheet, as `review.json` holds them."""

    schema_: Literal["fairnb.review/1"] = Field("fairnb.review/1", alias="schema")
    role: str
    seed: int
    per_subgroup: int
    corpus: str
    """Digest of the corpus the sheet was drawn from."""
    lexicon: str
    """Digest of the lexicon the mentions were found with."""
    answers: list[ReviewAnswer]


@dataclass(frozen=True)
class ReviewShare:
    """How much of some rows of a sheet was right."""

    attribute: str
    subgroup: str
    """Empty: all subgroups together."""
    label: str
    """Of the corpus; empty: all labels together."""
    rows: int
    mentions_right: int
    labels_right: int
    precision: Estimate
    """Share of mentions that were right, with Wilson's interval."""
    agreement: Estimate
    """Share of labels that were right, with Wilson's interval."""


@dataclass(frozen=True)
class ReviewScore:
    """What a person found: in all, per subgroup, and per subgroup and label."""

    path: Path
    """The file beside the case that holds the answers."""
    shares: tuple[ReviewShare, ...]


def review_sheet(folder: str | Path, *, per_subgroup: int = 50, role: Role = "test", seed: int = 0) -> Path:
    """Draw mentions found by look-up at random, for a person to say whether they are right.

    The sheet is blind: rows of all subgroups are shuffled, and neither the system's score nor the word that
    was found is on it. Cells that a spreadsheet would run as a formula start with an apostrophe. Texts are
    **not** redacted: see `REVIEW_NOTE`.

    Parameters
    ----------
    folder : path
        The case folder.
    per_subgroup : int
        Texts per subgroup; all of them if fewer mention it. Texts without a label are not drawn.
    role : {"test", "train", "synthetic"}
    seed : int
        The same seed draws the same rows.

    Returns
    -------
    Path
        The sheet, `review.csv`.

    Raises
    ------
    FairnbError
        ``sheet-exists``, ``no-such-corpus``, ``no-mentions``, ``bad-value``.
    """
    import numpy as np

    if per_subgroup < 1:
        raise FairnbError("bad-value", f"{per_subgroup} texts per subgroup", "ask for at least one")
    case = load_case(folder)
    path = case.folder / SHEET
    if path.exists():
        raise FairnbError("sheet-exists", "there is a sheet already", _DRAW_AGAIN, where=SHEET)
    corpus, mentions = case.sources.corpus(role), case.sources.mentions(role)
    draw = np.random.default_rng(seed)
    by_column = mentions.by_subgroup.tocsc()
    drawn: list[tuple[int, str, str]] = []
    for column, (attribute, subgroup) in enumerate(mentions.subgroups):
        rows = by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]].tolist()
        labelled = [row for row in rows if corpus.labels[row] is not None]
        drawn += [(row, attribute, subgroup) for row in draw.permutation(labelled).tolist()[:per_subgroup]]
    if not drawn:
        raise FairnbError(
            "no-mentions", "no labelled text mentions a subgroup of the lexicon", "there is nothing to review"
        )
    asked = [drawn[at] for at in draw.permutation(len(drawn)).tolist()]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    plan: list[_Asked] = []
    for nr, (row, attribute, subgroup) in enumerate(asked, 1):
        entry = _Asked(nr=nr, id=corpus.ids[row], attribute=attribute, subgroup=subgroup)
        plan.append(entry)
        writer.writerow([*_cells(entry, corpus.texts[row], str(corpus.labels[row])), "", ""])
    store = case.folder / ".fairnb"
    store.mkdir(exist_ok=True)
    made = _Plan(
        role=role,
        seed=seed,
        per_subgroup=per_subgroup,
        corpus=corpus.digest,
        lexicon=case.sources.lexicon().digest,
        rows=plan,
    )
    write_text(store / _PLAN, _json(made))
    # The mark at the start tells spreadsheets that this is UTF-8.
    write_text(path, "\ufeff" + stream.getvalue().encode("utf-8", "replace").decode("utf-8"))
    return path


def review_score(folder: str | Path) -> ReviewScore:
    """Read a filled-in sheet, keep its answers as `review.json`, and count what was right.

    Parameters
    ----------
    folder : path
        The case folder.

    Returns
    -------
    ReviewScore

    Raises
    ------
    FairnbError
        ``no-sheet``; ``corpus-changed`` if the corpus is not the one the sheet was drawn from;
        ``edited-sheet`` for rows that were changed, added or taken out.
    FairnbErrors
        ``no-answer``, ``bad-answer``: every line at once.
    """
    case = load_case(folder)
    plan = _plan_of(case)
    role = next((known for known in case.file.corpus if known == plan.role), None)
    if role is None or case.sources.corpus_digest(role) != plan.corpus:
        raise FairnbError(
            "corpus-changed",
            f"the {plan.role} corpus is not the one the sheet was drawn from",
            _DRAW_AGAIN,
            where=SHEET,
        )
    answers = tuple(_answered(case, role, plan, _rows(case.folder / SHEET)))
    review = Review(
        role=plan.role,
        seed=plan.seed,
        per_subgroup=plan.per_subgroup,
        corpus=plan.corpus,
        lexicon=plan.lexicon,
        answers=list(answers),
    )
    write_text(case.folder / REVIEW, _json(review))
    return ReviewScore(case.folder / REVIEW, tuple(_shares(answers, case.file.run.confidence)))


def read_review(folder: Path) -> dict[str, Any]:
    """Content of a case's `review.json` as plain values; empty if there is none.

    Raises
    ------
    FairnbError
        ``bad-review`` for a file that `review_score` did not write.
    """
    path = folder / REVIEW
    if not path.is_file():
        return {}
    try:
        return Review.model_validate_json(path.read_bytes()).model_dump(by_alias=True)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        raise FairnbError(
            "bad-review",
            f"{key}: {first['msg']}",
            "let `fairnb review score` write it anew from the sheet",
            where=REVIEW,
        ) from error


def _plan_of(case: Case) -> _Plan:
    if not (case.folder / SHEET).is_file():
        raise FairnbError(
            "no-sheet", "there is no sheet", "draw one with `fairnb review sheet`", where=str(SHEET)
        )
    try:
        return _Plan.model_validate_json((case.folder / ".fairnb" / _PLAN).read_bytes())
    except (OSError, ValidationError) as error:
        raise FairnbError(
            "no-sheet",
            f"what was drawn is not known ({_PLAN} is missing or damaged)",
            _DRAW_AGAIN,
            where=SHEET,
        ) from error


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Lines of the sheet with their numbers, whatever separator a spreadsheet wrote."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FairnbError(
            "edited-sheet", "the sheet is not UTF-8", "save it as CSV in UTF-8", where=SHEET
        ) from error
    heading = text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[tuple[int, dict[str, str]]] = []
    try:
        names = [name.strip() for name in next(reader, [])]
        missing = [name for name in _COLUMNS if name not in names]
        if missing:
            raise FairnbError(
                "edited-sheet",
                f"the column {missing[0]!r} is missing",
                "keep the columns as drawn",
                where=SHEET,
            )
        for cells in reader:
            if any(cell.strip() for cell in cells):
                # A spreadsheet may leave out empty cells at the end of a row.
                padded = [*cells, *[""] * (len(names) - len(cells))]
                found.append((reader.line_num, dict(zip(names, padded, strict=False))))
    except csv.Error as error:
        raise FairnbError(
            "edited-sheet",
            f"the sheet cannot be read ({error})",
            _DRAW_AGAIN,
            where=f"{SHEET}, line {reader.line_num}",
        ) from error
    return found


def _answered(
    case: Case, role: Role, plan: _Plan, rows: Sequence[tuple[int, dict[str, str]]]
) -> Iterator[ReviewAnswer]:
    corpus = case.sources.corpus(role)
    place = {identity: row for row, identity in enumerate(corpus.ids)}
    asked = {str(entry.nr): entry for entry in plan.rows}
    errors: list[FairnbError] = []
    answers: dict[int, ReviewAnswer] = {}
    for line, cells in rows:
        entry = asked.pop(cells["nr"].strip(), None)
        where = f"{SHEET}, line {line}"
        if entry is None:
            raise FairnbError(
                "edited-sheet",
                f"the row {cells['nr']!r} was not drawn or stands twice",
                "take it out",
                where=where,
            )
        row = place[entry.id]
        drawn = _cells(entry, corpus.texts[row], str(corpus.labels[row]))
        for name, was in zip(_COLUMNS[1:5], drawn[1:], strict=True):
            if _plain(cells[name]) != _plain(was):
                raise FairnbError(
                    "edited-sheet", f"the column {name!r} was changed", "put back what was drawn", where=where
                )
        given = {name: _ANSWERS.get(cells[name].strip().casefold()) for name in _COLUMNS[5:]}
        for name, answer in given.items():
            if answer is None and not cells[name].strip():
                errors.append(
                    FairnbError("no-answer", f"{name!r} has no answer", "write yes or no", where=where)
                )
            elif answer is None:
                errors.append(
                    FairnbError(
                        "bad-answer", f"{name!r} says {cells[name]!r}", "write yes or no", where=where
                    )
                )
        if None not in given.values():
            answers[entry.nr] = ReviewAnswer(
                id=entry.id,
                attribute=entry.attribute,
                subgroup=entry.subgroup,
                label=str(corpus.labels[row]),
                mention_right=bool(given["mention right?"]),
                label_right=bool(given["label right?"]),
            )
    if asked:
        raise FairnbError(
            "edited-sheet",
            f"{len(asked)} rows are missing, first nr {next(iter(asked))}",
            "put them back: what is left out would be missed in the shares",
            where=SHEET,
        )
    if errors:
        raise FairnbErrors(errors)
    yield from (answers[nr] for nr in sorted(answers))


def _shares(answers: Sequence[ReviewAnswer], level: float) -> Iterator[ReviewShare]:
    from fairnb.statistics import wilson

    groups: dict[tuple[str, str, str], list[ReviewAnswer]] = {("", "", ""): list(answers)}
    for answer in sorted(answers, key=lambda one: (one.attribute, one.subgroup, one.label)):
        groups.setdefault((answer.attribute, answer.subgroup, ""), []).append(answer)
        groups.setdefault((answer.attribute, answer.subgroup, answer.label), []).append(answer)
    for (attribute, subgroup, label), held in groups.items():
        right = sum(answer.mention_right for answer in held)
        agreed = sum(answer.label_right for answer in held)
        yield ReviewShare(
            attribute,
            subgroup,
            label,
            len(held),
            right,
            agreed,
            wilson(right, len(held), level),
            wilson(agreed, len(held), level),
        )


def _cells(entry: _Asked, text: str, label: str) -> list[str]:
    shown = (entry.id, text, label, f"{entry.subgroup} ({entry.attribute})")
    return [str(entry.nr), *(_harmless(cell) for cell in shown)]


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_RUNS_AS_FORMULA) else cell


def _plain(cell: str) -> str:
    """A cell without what a spreadsheet changes of itself: white space, the apostrophe, half surrogates."""
    encodable = cell.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")
    return "".join(encodable.removeprefix("'").split())


def _json(content: BaseModel) -> str:
    return json.dumps(content.model_dump(by_alias=True), ensure_ascii=True, indent=1) + "\n"
