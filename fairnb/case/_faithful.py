"""Whether a notebook is a faithful record of its case, cell by cell; decided by digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairnb.case._cells import cell_place, read_notebook, section_cells, source_of
from fairnb.case._log import latest_results
from fairnb.case._payload import BUNDLE, Payload, read_payload
from fairnb.errors import ExitCode, FairnbError
from fairnb.sections import section, section_ids

if TYPE_CHECKING:
    from fairnb.case._case import Case


@dataclass(frozen=True)
class Problem:
    """Why a notebook is refused as a record, and what to do."""

    code: str
    found: str
    remedy: str
    cell: int = 0
    """Number of the cell, from 1; 0 if it concerns the whole notebook."""
    section: str = ""
    where: str = "notebook"
    """The cell by its number and its name, see `cell_place`."""

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> FairnbError:
        """The problem as an error with exit code 3."""
        return FairnbError(
            self.code, self.found, self.remedy, where=self.where, exit_code=ExitCode.UNFAITHFUL
        )


@dataclass(frozen=True)
class _Shown:
    """One payload as a cell shows it."""

    cell: int
    payload: Payload


def faithful(notebook: Path | Mapping[str, Any], case: Case) -> list[Problem]:
    """Find every reason why a notebook cannot be exported as the record of its case.

    A record is faithful if no cell failed; each section of the notebook has exactly one list of
    results, one for each target; each is what its digest says, is the one that the log names last, and
    rests on the inputs and settings that the case has now. A parameter that a control or a cell changed
    is allowed: it is part of the result.

    Parameters
    ----------
    notebook : Path or mapping
        The file, or its parsed JSON.
    case : Case

    Returns
    -------
    list of Problem
        Empty if it is faithful.
    """
    data = read_notebook(notebook) if isinstance(notebook, Path) else notebook
    problems: list[Problem] = []
    shown: list[_Shown] = []
    for index, cell in enumerate(data["cells"]):
        if cell.get("cell_type") == "code":
            problems += _failures(index, cell)
            found, wrong = _payloads(index, cell)
            shown += found
            problems += wrong
    problems += _coverage(data, case, shown, {problem.cell for problem in problems})
    try:
        latest = latest_results(case.log)
    except FairnbError as error:
        problems.append(Problem(error.code, f"{error.where}: {error.found}", error.remedy))
        return _placed(problems, data)
    for item in shown:
        problems += _against_case(item, case, latest)
    return _placed(problems, data)


def _placed(problems: Sequence[Problem], data: Mapping[str, Any]) -> list[Problem]:
    """Problems in the order of their cells, each with the cell's name."""
    placed = []
    for problem in sorted(problems, key=lambda problem: problem.cell):
        where = cell_place(problem.cell, data["cells"][problem.cell - 1]) if problem.cell else problem.where
        placed.append(replace(problem, where=where))
    return placed


def payloads_in(notebook: Path | Mapping[str, Any]) -> list[Payload]:
    """All results that a notebook shows, in its order.

    Raises
    ------
    FairnbError
        As `read_payload`, naming the cell.
    """
    data = read_notebook(notebook) if isinstance(notebook, Path) else notebook
    return [
        read_payload(item, cell_place(index + 1, cell))
        for index, cell in enumerate(data["cells"])
        for bundle in _bundles(cell)
        for item in bundle
    ]


def _failures(index: int, cell: Mapping[str, Any]) -> Iterator[Problem]:
    for output in cell.get("outputs", ()):
        if output.get("output_type") == "error":
            names = ", ".join(section_of for section_of in _named(cell))
            said = str(output.get("evalue") or output.get("ename"))[:300]
            yield Problem(
                "cell-failed",
                f"the cell failed ({said})",
                "put it right and run the notebook again",
                index + 1,
                names,
            )


def _named(cell: Mapping[str, Any]) -> Sequence[str]:
    from fairnb.case._cells import sections_of

    return sections_of(source_of(cell))


def _bundles(cell: Mapping[str, Any]) -> list[Any]:
    outputs = cell.get("outputs", ()) if cell.get("cell_type") == "code" else ()
    return [output["data"][BUNDLE] for output in outputs if BUNDLE in output.get("data", {})]


def _payloads(index: int, cell: Mapping[str, Any]) -> tuple[list[_Shown], list[Problem]]:
    found: list[_Shown] = []
    problems: list[Problem] = []
    named = _named(cell)
    for bundle in _bundles(cell):
        for item in bundle if isinstance(bundle, list) else [bundle]:
            try:
                payload = read_payload(item)
            except FairnbError as error:
                problems.append(Problem(error.code, error.found, error.remedy, index + 1, ", ".join(named)))
                continue
            if named and payload.section not in named:
                problems.append(
                    Problem(
                        "pasted-result",
                        f"the cell asks for {', '.join(named)} and shows a result of {payload.section}",
                        "run the cell again",
                        index + 1,
                        payload.section,
                    )
                )
                continue
            found.append(_Shown(index + 1, payload))
    return found, problems


def _coverage(
    data: Mapping[str, Any], case: Case, shown: Sequence[_Shown], told: set[int]
) -> Iterator[Problem]:
    """Each section once, with one result for each target; cells of which something is told are left out."""
    asked = [(cell.index + 1, name) for cell in section_cells(data) for name in cell.sections]
    if not asked and not shown:
        yield Problem(
            "no-sections", "the notebook shows no section", 'add cells such as case.section("system")'
        )
    cells: dict[str, list[int]] = {}
    for number, name in [*asked, *((item.cell, item.payload.section) for item in shown)]:
        places = cells.setdefault(name, [])
        if number not in places:
            places.append(number)
    for name, places in cells.items():
        if len(places) > 1 or sum(place == (places[0], name) for place in asked) > 1:
            yield Problem(
                "section-twice",
                f"the section is in more than one place (cells {', '.join(map(str, places))})",
                "keep one of them",
                places[-1],
                name,
            )
            continue
        if name not in section_ids():
            if places[0] not in told:
                yield Problem(
                    "unknown-section",
                    f"there is no section {name!r} installed",
                    "install the package it comes from, or remove the cell",
                    places[0],
                    name,
                )
            continue
        got = sorted(item.payload.target for item in shown if item.payload.section == name)
        if got != sorted(case.target_names(name)) and places[0] not in told:
            missing = [target for target in case.target_names(name) if target not in got]
            found = (
                "the section has not been run"
                if not got
                else f"the section has no result for the target {', '.join(missing)}"
                if missing
                else "the section shows results for other targets than the case file has, or one twice"
            )
            yield Problem("no-result", found, _AGAIN, places[0], name)


_AGAIN = "run the cell again (in JupyterLab: Run Stale) and save the notebook, or run the whole notebook"


def _against_case(item: _Shown, case: Case, latest: Mapping[tuple[str, str], str]) -> Iterator[Problem]:
    if item.payload.section in section_ids() and (told := _difference(item.payload, case, latest)):
        code, found, remedy = told
        yield Problem(code, found, remedy, item.cell, item.payload.section)


def _difference(
    payload: Payload, case: Case, latest: Mapping[tuple[str, str], str]
) -> tuple[str, str, str] | None:
    """What sets a result apart from the case: code, what was found, what to do."""
    if not any(entry.get("content_sha256") == payload.content_sha256 for entry in case.log):
        found = "the run log of this case does not know the result: it was made in another case or altered"
        return "foreign-result", found, "run the cell again"
    if latest.get((payload.section, payload.target)) != payload.content_sha256:
        found = "the section was run again since, with another result"
        return "outdated-result", found, _AGAIN
    try:
        changed = case.changed_inputs(payload)
    except FairnbError as error:
        return error.code, f"an input cannot be read any more ({error.where or error.found})", error.remedy
    if changed:
        found = f"{', '.join(map(in_words, changed))} changed since the section was run"
        return "changed-input", found, _AGAIN
    request = case.request_of(payload)
    if request is None or request.digest != payload.content.request:
        found = (
            "the section's version, or its parameters or the seed in the case file, changed since it was run"
        )
        return "changed-settings", found, _AGAIN
    if not all(case.store.has_tally(digest) for digest in payload.result.tallies.values()):
        return (
            "missing-tally",
            "the counts behind the result are missing or damaged",
            _AGAIN,
        )
    return None


_WORDS = {
    "corpus": "the {} corpus",
    "scores": "the scores of the {} corpus",
    "target": "the target {}",
    "file": "the file {}",
    "known": "the known thing {}",
    "has": "what the case offers ({})",
    "system": "the system",
    "criteria": "the criteria",
    "engagement": "the engagement",
    "confidence": "the confidence level",
    "privacy": "the way texts are shown",
    "lexicon": "the lexicon",
    "reviews": "the review of mentions",
    "answers": "the answers on the seven requirements",
    "register": "the register of findings",
    "embeddings": "the embeddings",
    "targets": "the targets",
    "sections": "the notebook's sections",
    "draft": "what makes the document a draft",
    "case": "the case file",
    "predictions": "the system",
    "shares": "the parts of alpha",
    "recognition": "what finds names",
    "alpha": "the part of alpha of {}",
}


def in_words(name: str) -> str:
    """An input's name as a reader would say it."""
    kind, _, rest = name.partition(":")
    if kind == "mentions":
        return f"who is mentioned in the {rest.split(':')[0]} corpus"
    if kind == "result":
        identity, _, target = rest.partition(":")
        title = section(identity).title if identity in section_ids() else identity
        return f"the result of {title}" + (f" for the target {target}" if target else "")
    return _WORDS.get(kind, name).format(rest.replace("_", " ").removesuffix(":"))
