"""What is assessed on what, chosen by hand and written into the case file."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import ipywidgets as widgets

from fairnb.case import check_case
from fairnb.corpus import CorpusSpec, FilePreview, preview
from fairnb.embedding import EmbeddingSpec, Relation
from fairnb.errors import FairnbError
from fairnb.notebook._keep import edit_case_file, set_value
from fairnb.notebook._tables import as_table, what_is_assessed
from fairnb.notebook._widgets import LABEL, STYLE, WIDE, Panel, button, help_line
from fairnb.registry import Kind, all_known
from fairnb.sections import Role
from fairnb.system import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairnb.notebook._keep import CaseText
    from fairnb.notebook._notebook import NotebookCase

_NONE = "(none)"
_CORPORA = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
_VECTORS = (".txt", ".vec", ".bin", ".kv", ".npy", ".keras")
_ROLES = ("", "text", "label", "id", "language", "cluster")
_MOST = 8
"""Labels and languages that are named."""


class CasePanel:
    """Choices of system, target, corpora and embeddings.

    Parameters
    ----------
    notebook : NotebookCase
    """

    def __init__(self, notebook: NotebookCase) -> None:
        self._notebook = notebook
        file = notebook.case.file
        folder = notebook.case.folder
        self._kind = _dropdown(
            "System", [(_KIND_WORDS.get(kind, kind), kind) for kind in KINDS], file.system.kind
        )
        self._value = widgets.Combobox(
            description="Named", value=file.system.value, options=_known("system"), style=LABEL, layout=WIDE
        )
        target = file.targets[0]
        self._target = target.name
        self._classes = _text("Classes", ", ".join(target.classes))
        self._positive = _text("Positive labels", ", ".join(map(str, target.positive)))
        self._threshold = widgets.BoundedFloatText(
            value=target.threshold,
            min=0.0,
            max=1.0,
            step=0.01,
            description="Threshold",
            style=LABEL,
            layout=WIDE,
        )
        self.corpora = {
            role: CorpusChoice(role, file.corpus.get(role), folder, target.positive)
            for role in get_args(Role)
        }
        self._vectors = _dropdown(
            "Embeddings",
            [_NONE, "system", *_known("embeddings"), *_files(folder, _VECTORS)],
            _named(file.embeddings),
        )
        self._relation = _dropdown(
            "Relation",
            list(get_args(Relation)),
            file.embeddings.relation if file.embeddings else "context only",
        )
        self._said = widgets.HTML()
        write = button(
            "Write", "save", "Write these choices into assessment.toml", lambda: self.write(), primary=True
        )
        row = widgets.HBox([write, self._said])
        row.add_class("fairnb-bar")
        self.panel = Panel(
            [
                widgets.HTML(STYLE),
                _heading("System"),
                self._kind,
                self._value,
                _heading(f"Target {self._target}"),
                self._classes,
                help_line("Classes of the system that mean yes, separated by commas; empty: its only one"),
                self._positive,
                help_line("Labels of the corpora that mean yes, separated by commas"),
                self._threshold,
                _heading("Corpora"),
                *(choice.box for choice in self.corpora.values()),
                _heading("Embeddings"),
                self._vectors,
                self._relation,
                row,
            ],
            name="panel",
            told=lambda: what_is_assessed(self._notebook.case),
            retired=lambda: None,
        )

    def show(self) -> None:
        """Display it."""
        from IPython.display import display

        display(self.panel)  # type: ignore[no-untyped-call]

    def write(self) -> None:
        """Write the choices into the case file, or say in one sentence why not."""
        self._notebook.worker.ask("panel", self._write)

    def _write(self) -> None:
        live = self._notebook.case.sources.live_object

        def check(folder: Path, data: bytes) -> Sequence[FairnbError]:
            return check_case(folder, live_object=live, results=False, data=data)

        try:
            with self._notebook.turn() as case:
                edit_case_file(case.folder, self._change, check)
        except FairnbError as error:
            self._say("failed", f"Not written: {error}")
            return
        self._say("fresh", "Written into assessment.toml")
        self._notebook.refresh()

    def _say(self, state: str, words: str) -> None:
        self._said.value = (
            f"<div class='fairnb-state fairnb-{state}' role='status'><span class='fairnb-dot' aria-hidden='true'>"
            f"</span>{escape(words)}</div>"
        )

    def _change(self, document: CaseText) -> None:
        """Edit the parsed case file; only what was chosen otherwise is touched."""
        file = self._notebook.case.file
        if (self._kind.value, self._value.value) != (file.system.kind, file.system.value):
            table = document.table("system")
            for kind in KINDS:
                table.pop(kind, None)
            set_value(table, self._kind.value, self._value.value.strip())
        self._change_target(document)
        for role, choice in self.corpora.items():
            choice.change(document, file.corpus.get(role))
        self._change_embeddings(document, file.embeddings)

    def _change_target(self, document: CaseText) -> None:
        target = self._notebook.case.file.targets[0]
        wanted = {
            "classes": _list(self._classes.value),
            "positive": _labels(self._positive.value),
            "threshold": round(self._threshold.value, 6),
        }
        now = {
            "classes": list(target.classes),
            "positive": list(target.positive),
            "threshold": target.threshold,
        }
        changed = {key: value for key, value in wanted.items() if value != now[key]}
        if changed:
            table = document.table("targets", self._target)
            for key, value in changed.items():
                set_value(table, key, value)

    def _change_embeddings(self, document: CaseText, now: EmbeddingSpec | None) -> None:
        chosen = self._vectors.value
        if chosen == _NONE:
            document.drop("embeddings")
            return
        relation = self._relation.value
        if now is not None and (chosen, relation) == (_named(now), now.relation):
            return
        table = document.table("embeddings")
        if now is None or chosen != _named(now):
            for key in ("use", "path", "vocabulary"):
                table.pop(key, None)
            set_value(table, "path" if Path(chosen).suffix in _VECTORS else "use", chosen)
        set_value(table, "relation", relation)


class CorpusChoice:
    """One corpus: a known one, or a file whose columns are given their roles.

    Parameters
    ----------
    role : {"train", "test", "synthetic"}
    spec : CorpusSpec or None
        What the case file says.
    folder : Path
        The case folder.
    asked : sequence
        The target's positive labels.
    """

    def __init__(self, role: Role, spec: CorpusSpec | None, folder: Path, asked: Sequence[int | str]) -> None:
        self.role = role
        self._asked = asked
        self._folder = folder
        self._named = _named(spec)
        options = list(dict.fromkeys([_NONE, *_known("corpus"), *_files(folder, _CORPORA), self._named]))
        self.choice = _dropdown(f"{role.capitalize()} corpus", options, self._named)
        self.columns: dict[str, Any] = {}
        """Role of each column of the file, by the column's name."""
        self.positive = _text("Its positive labels", "")
        self._labels: list[int | str] = []
        self._look = widgets.VBox()
        self.box = widgets.VBox([self.choice, self._look])
        self.choice.observe(lambda change: self._shown(None), "value")
        self._shown(spec)

    def _shown(self, spec: CorpusSpec | None) -> None:
        """Show the columns of the chosen file; with a spec, the roles that the case file gives them."""
        self.columns = {}
        self.positive.value = ", ".join(map(str, spec.positive or ())) if spec is not None else ""
        name = self.choice.value
        if Path(name).suffix.lower() not in _CORPORA:
            known = {item.name: item for item in all_known("corpus")}
            self._look.children = [help_line(known[name].title)] if name in known else []
            return
        try:
            seen = preview(self._folder / name)
        except FairnbError as error:
            self._look.children = [help_line(str(error))]
            return
        roles = {one.name: one.role if one.role in _ROLES else "" for one in seen.columns}
        if spec is not None and spec.path == name:
            said = {
                role: getattr(spec, role) or (role if role in ("text", "label") else None)
                for role in _ROLES[1:]
            }
            roles = {one: next((r for r, column in said.items() if column == one), "") for one in roles}
        parts = []
        for one in seen.columns:
            menu = _dropdown(
                one.name or "(no name)", [(role or "not used", role) for role in _ROLES], roles[one.name]
            )
            self.columns[one.name] = menu
            guessed = f"; guessed as {one.role}: {one.reason}" if one.role else ""
            parts += [
                menu,
                help_line(f"{one.kind}; {one.values:,} different; {one.missing:.1%} missing{guessed}"),
            ]
        self._labels = [label for label, _ in seen.guess.labels]
        if spec is None and not set(self._labels) & set(self._asked):
            self.positive.value = ", ".join(map(str, seen.guess.positive))
        own = help_line("Labels of this file that mean yes, where they are others than the target's")
        self._look.children = [widgets.HTML(_rows(seen)), *parts, self.positive, own, help_line(_facts(seen))]

    def keys(self) -> dict[str, str]:
        """The keys of the corpus's table that the choices amount to.

        Raises
        ------
        FairnbError
            ``role-twice`` if two columns are given one role.
        """
        name = self.choice.value
        if not self.columns:
            return {"path" if Path(name).suffix.lower() in _CORPORA else "use": name}
        found = {"path": name}
        for column, menu in self.columns.items():
            if menu.value in found:
                raise FairnbError(
                    "role-twice",
                    f"two columns of {name} are the {menu.value} ({found[menu.value]} and {column})",
                    "choose one of them",
                    where=f"[corpus.{self.role}]",
                )
            if menu.value:
                found[menu.value] = column
        return found

    def change(self, document: CaseText, now: CorpusSpec | None) -> None:
        """Bring the case file's table in line with the choices."""
        if self.choice.value == _NONE:
            document.drop("corpus", self.role)
            return
        wanted = self.keys()
        yes = _labels(self.positive.value) if self.columns else list((now and now.positive) or ())
        if now is not None and wanted == _keys_of(now) and yes == list(now.positive or ()):
            return
        table = document.table("corpus", self.role)
        if now is None or self.choice.value != self._named:
            for key in list(table):
                del table[key]
        for key in ("use", "path", *_ROLES[1:]):
            if key in wanted:
                set_value(table, key, wanted[key])
            else:
                table.pop(key, None)
        if yes and (now is None or yes != list(now.positive or ())):
            set_value(table, "positive", yes)
            # Both sides are named, so that a label nobody thought of is an error and not a silent no.
            set_value(table, "negative", [label for label in self._labels if label not in yes])
        elif not yes:
            for key in ("positive", "negative"):
                table.pop(key, None)


_KIND_WORDS = {
    "use": "known system",
    "python": "Python function (module:function)",
    "sklearn": "scikit-learn pipeline (file)",
    "keras": "Keras model (file)",
    "scores": "recorded scores (column)",
}


def _keys_of(spec: CorpusSpec) -> dict[str, str]:
    if spec.use is not None:
        return {"use": spec.use}
    found = {"path": str(spec.path), "text": spec.text or "text", "label": spec.label or "label"}
    return found | {key: value for key in ("id", "language", "cluster") if (value := getattr(spec, key))}


def _rows(seen: FilePreview) -> str:
    head = [column.name or "(no name)" for column in seen.columns]
    return as_table(f"The first rows of {seen.guess.rows:,}, masked", [head, *seen.rows])


def _facts(seen: FilePreview) -> str:
    labels = ", ".join(f"{label}: {rows:,}" for label, rows in seen.guess.labels[:_MOST]) or "none found"
    said = [f"Labels {labels}", f"{seen.duplicates:,} texts that stood before"]
    if seen.languages:
        said.append(
            "languages " + ", ".join(f"{one or 'none'}: {rows:,}" for one, rows in seen.languages[:_MOST])
        )
    if seen.identities:
        said.append(
            f"maybe annotated mentions, to be named in the case file: {', '.join(seen.identities[:_MOST])}"
        )
    if seen.guess.encoding:
        said.append(f"read as {seen.guess.encoding}")
    return "; ".join(said)


def _named(spec: Any) -> str:
    return _NONE if spec is None else str(spec.use or spec.path)


def _known(kind: Kind) -> list[str]:
    return [item.name for item in all_known(kind)]


def _files(folder: Path, suffixes: Sequence[str]) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if path.is_file() and path.suffix.lower() in suffixes
    )


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _labels(text: str) -> list[int | str]:
    """Labels as the readers of corpora take them: whole numbers as numbers."""
    return [int(one) if one.removeprefix("-").isdecimal() else one for one in _list(text)]


def _heading(text: str) -> Any:
    return widgets.HTML(f"<div class='fairnb-heading'>{escape(text)}</div>")


def _text(label: str, value: str) -> Any:
    return widgets.Text(value=value, description=label, style=LABEL, layout=WIDE, continuous_update=False)


def _dropdown(label: str, options: Sequence[Any], value: Any) -> Any:
    listed = list(options)
    values = [one[1] if isinstance(one, tuple) else one for one in listed]
    if value not in values:
        listed.append(value)
    return widgets.Dropdown(options=listed, value=value, description=label, style=LABEL, layout=WIDE)
