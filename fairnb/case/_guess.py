"""What `fairnb new` guesses: a corpus's columns, the labels and classes that mean yes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairnb.case._read import nearest
from fairnb.errors import FairnbError
from fairnb.sections import Role

if TYPE_CHECKING:
    from fairnb.case._case import Case

_CONFIRM = "guessed from {}: confirm"
_YES = (
    *("hate", "hateful", "toxic", "offensive", "abusive", "insult", "misogynous"),
    *("spam", "positive", "yes", "true", "1"),
)
"""Names that mean flagged, likeliest first."""
_COMMENT_COLUMN = 26
_MOST_SHOWN = 8


@dataclass(frozen=True)
class CorpusDraft:
    """One corpus table to be written."""

    role: Role
    keys: tuple[tuple[str, str, str], ...]
    """Key, its value as TOML, comment."""
    positive: tuple[int | str, ...]
    """Labels that mean yes; empty if nothing says."""
    negative: tuple[int | str, ...]
    """Labels that mean no: the others there are."""
    reason: str
    """Why those."""
    copies: Mapping[str, bytes] = field(default_factory=dict)

    def toml(self) -> str:
        """The table as text."""
        return table(f"corpus.{self.role}", self.keys)


@dataclass(frozen=True)
class TargetDraft:
    """The target table to be written."""

    name: str
    keys: tuple[tuple[str, str, str], ...]

    def toml(self) -> str:
        """The table as text."""
        return table(f"targets.{self.name}", self.keys)


def table(name: str, keys: Sequence[tuple[str, str, str]]) -> str:
    """A TOML table with comments in one column."""
    lines = [f"[{name}]"]
    for key, value, comment in keys:
        line = f"{key} = {value}"
        lines.append(f"{line:<{_COMMENT_COLUMN - 1}} # {comment}" if comment else line)
    return "\n".join(lines) + "\n"


def corpus_draft(role: Role, said: str, place: Path, score: str) -> CorpusDraft:
    """A corpus from a known name or a file.

    Raises
    ------
    FairnbError
        ``unknown-corpus`` if it is neither; ``no-text-column``; those of `fairnb.corpus.read_corpus`.
    """
    from fairnb.registry import all_known

    known = {item.name: item for item in all_known("corpus")}
    if said in known:
        item = known[said]
        reason = f"the known corpus: {item.positive_means}" if item.positive_means else "the known corpus"
        keys = (("use", _value(said), ""),)
        return CorpusDraft(role, keys, item.positive, item.negative, reason)
    if not (Path(said).is_file() or (place / said).is_file()):
        raise FairnbError(
            "unknown-corpus",
            f"{said!r} is neither a known corpus nor a file",
            nearest(said, known),
            where=f"--{role}",
        )
    return _of_file(role, said, place, score)


def _of_file(role: Role, said: str, place: Path, score: str) -> CorpusDraft:
    from fairnb.case._new import copied
    from fairnb.corpus import guess_columns

    source = Path(said) if Path(said).is_file() else place / said
    name, copies = copied(said, place, f"--{role}")
    guess = guess_columns(source)
    columns = {
        "text": guess.text,
        "label": guess.label,
        "id": guess.id,
        "language": guess.language,
        "cluster": guess.cluster,
    }
    found = {key: one for key, one in columns.items() if one is not None and one.column not in ("", score)}
    for key in ("text", "label"):
        if key not in found:
            raise FairnbError(
                f"no-{key}-column",
                f"no column of {source.name} looks like the {key}s (its columns: {', '.join(guess.columns)})",
                f"name that column {key}, or write the case file by hand (`fairnb new DIR`)",
                where=f"--{role}",
            )
    keys = [("path", _value(name), "")]
    keys += [(key, _value(one.column), _CONFIRM.format(_why(one.reason))) for key, one in found.items()]
    if guess.encoding is not None:
        keys.append(("encoding", _value(guess.encoding), _CONFIRM.format("the file's bytes")))
    counts = ", ".join(f"{label}: {rows:,}" for label, rows in guess.labels[:_MOST_SHOWN])
    reason = _CONFIRM.format(f"the labels {counts} ({guess.positive_reason})")
    negative = tuple(label for label, _ in guess.labels if label not in guess.positive)
    return CorpusDraft(role, tuple(keys), guess.positive, negative, reason, copies)


def _why(reason: str) -> str:
    return {"by its name": "the column's name"}.get(reason, f"the cells ({reason})")


def target_draft(classes: Sequence[str], recorded: bool, corpora: Sequence[CorpusDraft]) -> TargetDraft:
    """The target that classes and labels suggest."""
    keys: list[tuple[str, str, str]] = []
    name = "positive"
    if not recorded:
        chosen, reason = _class(classes)
        name = re.sub(r"[^\w-]+", "_", chosen, flags=re.ASCII) or "positive"
        keys.append(("classes", _value([chosen]), reason))
    labelled = _labelled(corpora)
    positive = labelled.positive if labelled else (1,)
    reason = labelled.reason if labelled else "labels of a corpus that mean yes"
    keys.append(("positive", _value(list(positive)), reason))
    # Both sides are named, so that a label nobody thought of is an error and not a silent no.
    asked = [corpus for corpus in corpora if not _has_own_labels(corpus, positive)]
    others = [label for corpus in asked for label in corpus.negative if label not in positive]
    if labelled and others:
        keys.append(("negative", _value(list(dict.fromkeys(others))), "any other label is an error"))
    keys.append(("threshold", "0.5", "nobody has named an operating point yet: confirm"))
    keys.append(("threshold_source", '""', "who set it, such as the developer's documentation"))
    return TargetDraft(name, tuple(keys))


def missing_target(case: Case) -> str:
    """The table that a case file without a target needs for a system of several classes; else empty.

    Labels that mean yes are guessed as for a new case, unless the case file names another label column
    than would be guessed.

    Raises
    ------
    FairnbError
        Those of opening the system.
    """
    if any(key[0] == "targets" for key in case.reading.lines):
        return ""
    classes = case.sources.system().classes
    if len(classes) < 2:
        return ""
    drafts = []
    for role, spec in case.file.corpus.items():
        try:
            named = spec.use or str((case.folder / (spec.path or "")).resolve())
            draft = corpus_draft(role, named, case.folder, "")
        except FairnbError:
            # What is wrong with a corpus is told where it is read.
            continue
        guessed = {key: value for key, value, _ in draft.keys}.get("label")
        if spec.positive is None and guessed in (None, _value(spec.label or "label")):
            drafts.append(draft)
    return target_draft(classes, False, drafts).toml()


def with_own_labels(corpora: Sequence[CorpusDraft]) -> list[CorpusDraft]:
    """The corpora; those whose labels are others than the target's name their own."""
    labelled = _labelled(corpora)
    made = []
    for corpus in corpora:
        if labelled is not None and _has_own_labels(corpus, labelled.positive):
            own = [("positive", _value(list(corpus.positive)), corpus.reason)]
            if corpus.negative:
                own.append(("negative", _value(list(corpus.negative)), "any other label is an error"))
            corpus = replace(corpus, keys=(*corpus.keys, *own))
        made.append(corpus)
    return made


def _labelled(corpora: Sequence[CorpusDraft]) -> CorpusDraft | None:
    """The corpus whose labels the target is written for: the test corpus before others."""
    known = [corpus for corpus in corpora if corpus.positive]
    return next((corpus for corpus in known if corpus.role == "test"), known[0] if known else None)


def _has_own_labels(corpus: CorpusDraft, positive: Sequence[int | str]) -> bool:
    return not set(corpus.positive) <= set(positive)


def _class(classes: Sequence[str]) -> tuple[str, str]:
    if len(classes) == 1:
        return classes[0], "the system's only class"
    by_name = {name.casefold(): name for name in classes}
    chosen = next((by_name[word] for word in _YES if word in by_name), classes[-1])
    return chosen, _CONFIRM.format(f"the names of the system's classes ({', '.join(classes)})")


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
