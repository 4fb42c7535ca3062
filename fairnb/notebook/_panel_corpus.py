"""The part of the panel that says which texts a system is assessed on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from fairnb.corpus import CorpusSpec, FilePreview, preview
from fairnb.errors import FairnbError
from fairnb.files import inside
from fairnb.lexicon import Lexicon
from fairnb.notebook._forms import (
    NONE,
    Fold,
    bring,
    combo,
    dropdown,
    explained,
    files,
    joined,
    known,
    labels,
    text,
)
from fairnb.notebook._keep import CaseText, set_inside
from fairnb.notebook._mapping import Use, bounds_of, guessed_uses, keys_of, uses_of
from fairnb.notebook._panel_columns import ColumnTable
from fairnb.notebook._panel_seen import facts_of, first_rows, notes_of, told_of
from fairnb.notebook._running import Worker
from fairnb.notebook._widgets import help_line, put
from fairnb.sections import Role
from fairnb.text import printable

_CORPORA = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
_AT_ONCE = 2**18
"""Bytes that are looked at while one waits; the rest is counted meanwhile."""
_MOST_COUNTED = 2**28
"""Bytes of the largest file that is counted as a whole."""
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")


class CorpusForm:
    """One table `[corpus.ROLE]`: a known corpus, or a file whose columns are given their uses.

    Parameters
    ----------
    role : {"train", "test", "synthetic"}
    spec : CorpusSpec or None
        What the case file says.
    folder : Path
        The case folder.
    asked : sequence
        The first target's positive labels.
    lexicon : Lexicon or None
        Proposes subgroups.
    score : str
        The column of recorded scores that is the system; empty if it is another.
    counter : Worker
        Counts large files meanwhile.
    opened : bool
    """

    def __init__(
        self,
        role: Role,
        spec: CorpusSpec | None,
        folder: Path,
        asked: Sequence[int | str],
        lexicon: Lexicon | None,
        score: str,
        counter: Worker,
        *,
        opened: bool,
    ) -> None:
        self.role, self._spec, self._folder = role, spec, folder
        self._asked, self._lexicon, self._score, self._counter = asked, lexicon, score, counter
        self.table: ColumnTable | None = None
        self.seen: FilePreview | None = None
        self._touched: tuple[int, int] | None = None
        self._unread: FairnbError | None = None
        """Why the chosen file cannot be read."""
        named = NONE if spec is None else str(spec.use or spec.path)
        self._paths = set(files(folder, _CORPORA)) | (
            {spec.path} if spec is not None and spec.path else set()
        )
        self.choice = dropdown("Texts", [NONE, *known("corpus"), *sorted(self._paths)], named)
        self.encoding = combo("Text encoding", "", _ENCODINGS, "utf-8")
        self.positive = text("Positive labels", "", "the target's")
        self.negative = text("Negative labels", "", "the target's")
        self._others = ""
        self._facts, self._rows = widgets.HTML(), widgets.HTML()
        self._look = widgets.VBox()
        self.fold = Fold(f"{role.capitalize()} corpus", [self.choice, self._look], opened=opened)
        for field, react in ((self.choice, lambda: self.look(None)), (self.positive, self._answered)):
            field.observe(lambda _, react=react: react(), "value")
        self.encoding.observe(lambda _: self._encoded(), "value")
        self._looking = False
        self.look(spec)
        self._first = self._state()

    # ---- what is shown

    def look(self, spec: CorpusSpec | None) -> None:
        """Look at what is chosen; with a spec, as the case file has it."""
        self._looking = True
        try:
            self.table = self.seen = self._touched = None
            self._counter.drop(self.role)
            name = self.choice.value
            self.encoding.value = (spec.encoding if spec is not None else "") or ""
            self.positive.value = joined(spec.positive or ()) if spec is not None else ""
            self.negative.value = joined(spec.negative or ()) if spec is not None else ""
            self._others = ""
            self.fold.say("none" if name == NONE else name)
            self._put(self._parts(spec))
        finally:
            self._looking = False

    def _put(self, parts: Sequence[Any]) -> None:
        """Show what was chosen; fields that another choice needs again are kept."""
        fields = (self.positive, self.negative, self.encoding, self._facts, self._rows)
        put(self._look, parts, keep=fields)

    def _parts(self, spec: CorpusSpec | None) -> list[Any]:
        name = self.choice.value
        if name == NONE:
            return []
        answers = [
            self.positive,
            explained(
                self.negative, "Labels of this corpus that mean yes, and no, where they are not the target's"
            ),
        ]
        if name not in self._paths:
            return [help_line(told_of(name)), *answers]
        try:
            self._unread = None
            self._touched = self._file()
            self.seen = preview(inside(self._folder, name), encoding=self._encoding(), most=_AT_ONCE)
        except FairnbError as error:
            self._unread = error
            return [help_line(printable(str(error))), self.encoding]
        if spec is None and self.seen.guess.encoding:
            self.encoding.value = self.seen.guess.encoding
        self.table = self._made_table(self.seen, spec)
        if spec is None:
            self._answer_guessed(self.seen)
        self._tell(self.seen)
        self._count()
        return [self.table.box, self._facts, *answers, self.encoding, self._rows]

    def _made_table(self, seen: FilePreview, spec: CorpusSpec | None) -> ColumnTable:
        pairs = uses_of(spec) if spec is not None else list(guessed_uses(seen, self._lexicon).items())
        uses: dict[str, Use] = {}
        further: dict[str, list[Use]] = {}
        for column, use in pairs:
            if column in uses:
                further.setdefault(column, []).append(use)
            else:
                uses[column] = use
        notes = notes_of(seen, uses, self._lexicon, self._score, fresh=spec is None)
        self._further = further
        return ColumnTable(
            seen.columns,
            uses,
            further=further,
            notes=notes,
            bounds=bounds_of(spec) if spec is not None else {},
            lexicon=self._lexicon,
            changed=lambda: None,
        )

    def _answer_guessed(self, seen: FilePreview) -> None:
        """Give a file that is new its own labels where none of them is one of the target's."""
        if not {label for label, _ in seen.guess.labels} & set(self._asked):
            self.positive.value = joined(seen.guess.positive)
            self._answered()

    def _answered(self) -> None:
        """Name both sides, so that a label nobody thought of is an error and not a silent no."""
        if self.seen is None or self.negative.value != self._others:
            return
        yes = labels(self.positive.value)
        no = [label for label, _ in self.seen.guess.labels if label not in yes] if yes else []
        self._others = joined(no)
        self.negative.value = self._others

    def _tell(self, seen: FilePreview, more: str = "") -> None:
        self._facts.value = f"<div class='fairnb-facts'>{escape(printable(facts_of(seen, more)))}</div>"
        self._rows.value = first_rows(seen, self.table.uses if self.table else {})

    def _encoding(self) -> str | None:
        written = self.encoding.value.strip()
        try:
            "".encode(written or "utf-8")
        except (LookupError, ValueError):
            # The check of the case file says it; here the file is read as if none was declared.
            return None
        return written or None

    def _encoded(self) -> None:
        if not self._looking:
            self._renew()

    # ---- counting all of a large file

    def _count(self) -> None:
        seen, touched = self.seen, self._touched
        if seen is None or seen.whole or touched is None:
            return
        if touched[1] > _MOST_COUNTED:
            self._tell(seen, f"counted over its first {seen.guess.rows:,} rows only: the file is large")
            return
        self._tell(seen, f"counted over its first {seen.guess.rows:,} rows so far")
        table, name, encoding = self.table, self.choice.value, self._encoding()

        def count() -> None:
            try:
                whole, more = preview(inside(self._folder, name), encoding=encoding), ""
            except FairnbError as error:
                whole, more = seen, f"the file cannot be read as a whole: {error}"
            if self.table is table and table is not None:
                self.seen = whole
                table.update(whole.columns)
                self._tell(whole, more)

        self._counter.ask(self.role, count)

    def _file(self) -> tuple[int, int]:
        """When the file was last changed, and its size in bytes."""
        try:
            found = inside(self._folder, self.choice.value).stat()
        except OSError as error:
            raise FairnbError(
                "file-missing",
                f"the file cannot be read ({error.strerror or error})",
                "put it back, or choose another",
                where=self.choice.value,
            ) from error
        return found.st_mtime_ns, found.st_size

    # ---- what is written

    def columns_of_scores(self) -> list[str]:
        """Columns that may hold recorded scores."""
        if self.seen is None:
            return []
        return [
            one.name for one in self.seen.columns if one.kind == "share from 0 to 1" or one.role == "score"
        ]

    def labels(self) -> dict[tuple[str, ...], str]:
        """What each key of the case file is called here."""
        named = {"use": "Texts", "path": "Texts", "encoding": "Text encoding", "positive": "Positive labels"}
        named |= {
            "negative": "Negative labels",
            "annotators": "Annotators' labels",
            "score": "Recorded score",
        }
        named |= {key: f"Column of {key}" for key in ("text", "label", "id", "language", "cluster")}
        named["subgroups"] = "Annotated mentions"
        return {("corpus", self.role, key): label for key, label in named.items()}

    def edit(self, document: CaseText) -> list[str]:
        """Write what was chosen otherwise; returns the keys that changed.

        Raises
        ------
        FairnbError
            ``file-changed`` if the file is not the one that was shown; those of `keys_of`.
        """
        if self._state() == self._first:
            return []
        now = {} if self._spec is None else _keys(self._spec)
        if self.choice.value == NONE:
            document.drop("corpus", self.role)
            return ["removed"]
        wanted = self._wanted()
        before, after = now.pop("subgroups", {}), wanted.pop("subgroups", {})
        changed = ["subgroups"] if before != after else []
        for attribute in before:
            if attribute not in after:
                document.drop("corpus", self.role, "subgroups", attribute)
        if before and not after:
            document.drop("corpus", self.role, "subgroups")
        table = document.table("corpus", self.role)
        found = bring(table, now, wanted)
        for attribute, chosen in after.items():
            if attribute in before:
                bring(table["subgroups"][attribute], before[attribute], chosen)
            else:
                set_inside(table, ("subgroups", attribute), chosen)
        return found + changed

    def _wanted(self) -> dict[str, Any]:
        name = self.choice.value
        found: dict[str, Any]
        if name not in self._paths:
            found = {"use": name}
            if self._spec is not None and self._spec.use == name and self._spec.scores:
                found["score"] = list(self._spec.scores)
        else:
            found = self._file_keys(name)
        for key, field in (("positive", self.positive), ("negative", self.negative)):
            if written := labels(field.value):
                found[key] = written
        return found

    def _file_keys(self, name: str) -> dict[str, Any]:
        where = f"corpus.{self.role}"
        try:
            changed = self._file() != self._touched
        except FairnbError as error:
            raise FairnbError(error.code, error.found, error.remedy, where=f"{where}.path") from error
        if changed:
            self._renew()
            raise FairnbError(
                "file-changed",
                f"{name} was changed after it was shown",
                "look at it as it is now, and write again",
                where=f"{where}.path",
            )
        if self.table is None:
            why = self._unread or FairnbError("no-table", f"{name} was not read", "choose it again")
            place = f"{where}.path: {why.where}"
            raise FairnbError(why.code, why.found, why.remedy, where=place) from why
        pairs = [(column, use) for column, use in self.table.uses.items() if use.of]
        pairs += [(column, use) for column, uses in self._further.items() for use in uses]
        try:
            found = keys_of(name, pairs, self.table.bounds())
        except FairnbError as error:
            place = f"{where}.{error.where}"
            raise FairnbError(error.code, error.found, error.remedy, where=place) from error
        if encoding := self.encoding.value.strip():
            found["encoding"] = encoding
        return found

    def _renew(self) -> None:
        """Show the file as it is now; what was chosen stays where it still fits."""
        kept = dict(self.table.uses) if self.table is not None else {}
        fields = self.encoding, self.positive, self.negative
        written = [field.value for field in fields]
        spec = self._spec if self._spec is not None and self._spec.path == self.choice.value else None
        self._looking = True
        try:
            self.table = self.seen = None
            self._put(self._parts(spec))
            for field, value in zip(fields, written, strict=True):
                field.value = value
        finally:
            self._looking = False
        if self.table is not None:
            for column in kept.keys() & self.table.uses.keys():
                self.table.use(column, kept[column])

    def _state(self) -> Any:
        table = self.table
        return (
            self.choice.value,
            None if table is None else (dict(table.uses), table.bounds()),
            self.encoding.value.strip(),
            labels(self.positive.value),
            labels(self.negative.value),
        )


def _keys(spec: CorpusSpec) -> dict[str, Any]:
    """The table as the case file has it, with the defaults of a file's columns."""
    if spec.path is not None:
        found = keys_of(spec.path, uses_of(spec), bounds_of(spec))
    else:
        found = {"use": spec.use} | ({"score": list(spec.scores)} if spec.scores else {})
    given = {"encoding": spec.encoding, "positive": spec.positive, "negative": spec.negative}
    return found | {key: list(v) if isinstance(v, tuple) else v for key, v in given.items() if v is not None}
