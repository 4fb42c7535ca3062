"""Starting a case: a case file with comments, and its notebook."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairnb.case._cells import section_cells
from fairnb.case._file import CASE_FILE, NOTEBOOK, ROLES
from fairnb.case._guess import CorpusDraft, TargetDraft, corpus_draft, target_draft, with_own_labels
from fairnb.case._placeholders import PANELS, add_placeholders
from fairnb.case._read import nearest, shown
from fairnb.case._skeletons import skeletons
from fairnb.case._template import marked
from fairnb.errors import FairnbError
from fairnb.files import make_folder, templates, write_all
from fairnb.system import SystemSpec

_KINDS = ("use", "python", "sklearn", "keras", "scores")
_FILES = ("sklearn", "keras")
_TAKEN = (CASE_FILE, NOTEBOOK, ".fairnb")


@dataclass(frozen=True)
class _Found:
    """A system as the user named it."""

    kind: str
    value: str
    copies: Mapping[str, bytes]

    def spec(self) -> SystemSpec:
        return SystemSpec.model_validate({self.kind: self.value})


def new_case(
    folder: str | Path,
    *,
    system: str = "",
    train: str = "",
    test: str = "",
    synthetic: str = "",
    title: str = "",
    level: str = "",
) -> list[Path]:
    """Write `assessment.toml`, its notebook, and beside them answers and findings to be filled in.

    With a system and a corpus the case runs as it is, as a draft; what was guessed is marked by a
    comment. Without them both are a commented skeleton, which `check_case` refuses. Files that are named
    are copied into the case folder, since a case must be whole.

    Parameters
    ----------
    folder : path
        Made if missing. What is in it already is left alone.
    system : str
        A known system, or KIND:VALUE such as ``python:module:function`` or ``scores:column``.
    train, test, synthetic : str
        A known corpus, or a file whose columns are then guessed.
    title : str
    level : str
        How independent the assessment is, such as ``third-party``; empty to be stated in the case file.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    FairnbError
        ``case-exists``, ``unknown-system``, ``unknown-corpus``, and those of reading what is named.
        Nothing is written then.
    """
    place = Path(folder)
    _refuse_existing(place)
    found = _system(system, place) if system else None
    named = {"train": train, "test": test, "synthetic": synthetic}
    score = found.value if found is not None and found.kind == "scores" else ""
    corpora = [corpus_draft(role, named[role], place, score) for role in ROLES if named[role]]
    copies: dict[str, bytes] = dict(found.copies) if found is not None else {}
    for corpus in corpora:
        copies.update(corpus.copies)
    target = _target(found, place, corpora) if found is not None else None
    corpora = with_own_labels(corpora)
    subject = "" if found is None else "recorded scores" if found.kind == "scores" else found.value
    heading = title or (f"Independent ethical assessment of {subject}" if subject else "")
    text = _case_file(heading, level, found, target, corpora)
    contents = {
        place / CASE_FILE: text.encode("utf-8"),
        place / NOTEBOOK: _notebook(heading or "Independent ethical assessment"),
        **skeletons(place),
        **{place / name: data for name, data in copies.items()},
    }
    made = _make(place)
    try:
        write_all(contents)
    except FairnbError:
        for parent in made:
            parent.rmdir()
        raise
    return list(contents)


def _refuse_existing(place: Path) -> None:
    taken = [name for name in _TAKEN if (place / name).exists()]
    if taken:
        raise FairnbError(
            "case-exists",
            f"the folder holds a case already ({', '.join(taken)})",
            "choose another folder, or work on in this one",
            where=str(place),
        )


def _make(place: Path) -> list[Path]:
    """Make the folder; return what was made, innermost first."""
    missing = [parent for parent in (place, *place.parents) if not parent.exists()]
    make_folder(place, "choose a folder that you may write to")
    return missing


def _system(said: str, place: Path) -> _Found:
    from fairnb.registry import all_known

    kind, colon, value = said.partition(":")
    systems = [item.name for item in all_known("system")]
    if not colon and kind in systems:
        return _Found("use", kind, {})
    if not colon or kind not in _KINDS or not value:
        close = nearest(said, systems)
        raise FairnbError(
            "unknown-system",
            f"{shown(said)} is neither a known system nor KIND:VALUE",
            f"{close}; or write one of " + ", ".join(f"{name}:..." for name in _KINDS[1:]),
            where="--system",
        )
    copies: dict[str, bytes] = {}
    if kind in _FILES:
        value, copies = copied(value, place, "--system")
    if kind == "python":
        module = value.partition(":")[0].split(".")[0]
        source = Path(f"{module}.py")
        if module.isidentifier() and source.is_file() and not (place / source).exists():
            _, copies = copied(str(source), place, "--system")
    return _Found(kind, value, copies)


def copied(said: str, place: Path, option: str) -> tuple[str, dict[str, bytes]]:
    """The name of a file inside the case folder, and the bytes to copy if it lies elsewhere.

    Raises
    ------
    FairnbError
        ``missing-file``; ``file-exists`` if another file of that name is in the folder.
    """
    path = Path(said)
    inner = path if path.is_absolute() else place / path
    if inner.is_file() and inner.resolve().is_relative_to(place.resolve()):
        return inner.resolve().relative_to(place.resolve()).as_posix(), {}
    if not path.is_file():
        raise FairnbError("missing-file", f"there is no file {said}", "check the path", where=option)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FairnbError(
            "cannot-read",
            f"the file cannot be read ({error.strerror or error})",
            "check your rights",
            where=said,
        ) from error
    target = path.name
    if (place / target).exists() and (place / target).read_bytes() != data:
        raise FairnbError(
            "file-exists",
            f"the case folder holds another file of the name {target}",
            "rename one of them",
            where=option,
        )
    return target, {target: data}


def _target(found: _Found, place: Path, corpora: list[CorpusDraft]) -> TargetDraft:
    """The question put to the system, whose classes are read where it lies or from a copy of it."""
    if not found.copies:
        # What is named lies in the case folder, or needs no file.
        return target_draft(_classes(found, place), found.kind == "scores", corpora)
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in found.copies.items():
            (Path(scratch) / name).write_bytes(data)
        classes = _classes(found, Path(scratch))
    return target_draft(classes, found.kind == "scores", corpora)


def _classes(found: _Found, folder: Path) -> Sequence[str]:
    from fairnb.system import open_system

    try:
        return open_system(found.spec(), folder).classes
    except FairnbError as error:
        if error.code != "not-trusted":
            raise
        # There is no case file yet in which that word could be written.
        raise FairnbError(
            error.code,
            error.found,
            f"{error.remedy}: no case file was written, so start the case without --system, put "
            f"{found.value} into its folder, and write there [system] with {found.kind} = "
            f"{quoted(found.value)} and that line",
            where="--system",
            exit_code=error.exit_code,
        ) from error


def _case_file(
    title: str, level: str, found: _Found | None, target: TargetDraft | None, corpora: list[CorpusDraft]
) -> str:
    parts = [_HEAD, _ENGAGEMENT.format(title=quoted(title), level=quoted(level).ljust(18))]
    if found is None:
        parts.append(_NO_SYSTEM)
    else:
        parts.append(f"[system]\n{found.kind} = {quoted(found.value)}\n{_VERSION[found.kind == 'python']}")
    parts.append(target.toml() if target is not None else _NO_TARGET)
    parts += [corpus.toml() for corpus in corpora]
    if not corpora:
        parts.append(_NO_CORPUS)
    parts.append(_REST)
    return "\n".join(parts)


def quoted(text: str) -> str:
    """A text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _notebook(title: str) -> bytes:
    """The template with the title in its first heading, and its texts marked as the template's."""
    data: dict[str, Any] = json.loads((templates("notebooks") / NOTEBOOK).read_bytes())
    first = data["cells"][0]
    source = "".join(first["source"])
    line = re.sub(r"\s+", " ", title).strip()
    first["source"] = re.sub(r"^# [^\n]*", lambda _: f"# {line}", source, count=1).splitlines(keepends=True)
    data["cells"] = [marked(cell) for cell in data["cells"]]
    names = [name for cell in section_cells(data) for name in cell.sections]
    add_placeholders(data, (*names, *PANELS))
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


_HEAD = """\
# Case file of an assessment. `fairnb check` tells all that is missing or wrong in it.
# Every key is explained in the documentation under "The case file".
# A comment "guessed from ...: confirm" marks what nobody has said yet.
"""

_ENGAGEMENT = """\
[engagement]
title = {title}
level = {level}# first-party | second-party | third-party
addressee = ""            # for whom the document is written
independence = ""         # how you are independent of those who build, run or buy the system
assessor = {{ name = "", organisation = "" }}
developer = {{ name = "", organisation = "" }}
restriction = ""          # to whom the document may be shown, and for what it may be used
"""

_VERSION = {
    False: '# version = "..."        # as the developer names it\n',
    True: '# version = "..."        # declare it: without one, scores are not kept between runs\n',
}

_NO_SYSTEM = """\
# [system]                # exactly one of these keys says what is assessed
# use = "toxic-comment-classifier"     # a packaged system: `fairnb data list`
# python = "module:function"           # a function that takes a list of texts; module.py in this folder
# sklearn = "model.skops"
# keras = "model.keras"
# scores = "score"                     # a column of the corpora: recorded P(positive), no model
"""

_NO_TARGET = """\
# [targets.toxic]         # the question: which classes of the system, and which labels, mean yes
# classes = ["toxic"]
# positive = [1]
# threshold = 0.5
# threshold_source = ""   # who set the operating point
"""

_NO_CORPUS = """\
# [corpus.test]           # also [corpus.train], [corpus.synthetic]
# use = "paper-test"      # a known corpus, or a file in this folder and its columns:
# path = "test.csv"
# text = "text"
# label = "label"
"""

_REST = """\
[lexicon]
languages = ["en"]
attributes = ["gender", "religion", "ethnicity"]
reference = { gender = "male", religion = "Christianity" }
rule = "default"          # or "paper"

[criteria]
set_by = ""               # who agreed to the margin; best before the first score is seen
set_on = ""
margin = 0.05             # differences below it do not matter

[findings]
alpha = 0.05
min_support = 20

[run]
seed = 0
confidence = 0.95

[privacy]
redact = "mask"           # mask | withhold | none

[sections.conclusion]
text = ""                 # your conclusion; it is never generated
"""
