"""What is assessed on what, chosen by hand and written into the case file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import ipywidgets as widgets

from fairnb.case import CASE_FILE, Case, CaseFile, check_case
from fairnb.errors import FairnbError
from fairnb.lexicon import Lexicon, load_lexicon
from fairnb.notebook._forms import PANEL_STYLE, Fold
from fairnb.notebook._keep import edit_case_file
from fairnb.notebook._panel_corpus import CorpusForm
from fairnb.notebook._panel_embeddings import EmbeddingsForm
from fairnb.notebook._panel_system import SystemForm
from fairnb.notebook._panel_target import TargetForms
from fairnb.notebook._running import Worker
from fairnb.notebook._tables import state_of, what_is_assessed
from fairnb.notebook._widgets import STYLE, Panel, button, put
from fairnb.sections import Role, section
from fairnb.text import printable

if TYPE_CHECKING:
    from fairnb.notebook._keep import CaseText
    from fairnb.notebook._notebook import NotebookCase

_PLACE = re.compile(rf"^(?:{re.escape(CASE_FILE)}(?: line \d+)?, )?(?P<key>[^:]*)(?:: (?P<rest>.*))?$")


class CasePanel:
    """Choices of system, targets, corpora and embeddings.

    Only what was chosen otherwise than the case file had it when it was shown is written: what an editor
    changes meanwhile stays.

    Parameters
    ----------
    notebook : NotebookCase
    """

    def __init__(self, notebook: NotebookCase) -> None:
        self._notebook = notebook
        self.counter = Worker()
        """Counts large files while one chooses."""
        self._body = widgets.VBox()
        self._said = widgets.HTML()
        self._said.add_class("fairnb-said")
        self._build(notebook.case.file, notebook.case.folder)
        write = button(
            "Write", "save", "Write these choices into assessment.toml", lambda: self.write(), primary=True
        )
        again = button(
            "Look again",
            "refresh",
            "Look again at the case file and its files; choices that were not written are lost",
            lambda: self.look_again(),
        )
        bar = widgets.HBox([write, again, self._said])
        bar.add_class("fairnb-bar")
        bar.add_class("fairnb-write")
        whole = widgets.VBox([widgets.HTML(STYLE), widgets.HTML(PANEL_STYLE), self._body, bar])
        whole.add_class("fairnb-panel")
        self.panel = Panel(
            [whole],
            name="panel",
            folder=notebook.folder,
            told=lambda: what_is_assessed(self._notebook.case),
            retired=lambda: None,
        )

    def show(self) -> None:
        """Display it."""
        from IPython.display import display

        display(self.panel)  # type: ignore[no-untyped-call]

    def write(self) -> None:
        """Write the choices into the case file, or say in one sentence why not."""
        self._say("running", "Checking")
        self._notebook.worker.ask("panel", self._write)

    def look_again(self) -> None:
        """Show the case file and the folder's files as they are now."""
        self._notebook.worker.ask("panel", self._look_again)

    # ---- building

    def _build(self, file: CaseFile, folder: Path) -> None:
        lexicon = _lexicon(file, folder)
        opened = {key: fold.opened for key, fold in self._parts().items()} if self._body.children else {}

        def open_(key: tuple[str, ...], at_first: bool) -> bool:
            return opened.get(key, at_first)

        score = file.system.scores
        self.corpora = {
            role: CorpusForm(
                role,
                file.corpus.get(role),
                folder,
                file.targets[0].positive,
                lexicon,
                score,
                self.counter,
                opened=open_(("corpus", role), role in file.corpus),
            )
            for role in get_args(Role)
        }
        self.system = SystemForm(
            file.system, folder, self._columns_of_scores, opened=open_(("system",), True)
        )
        self.targets = TargetForms(file.targets, open_)
        embeddings = open_(("embeddings",), file.embeddings is not None)
        self.embeddings = EmbeddingsForm(file.embeddings, folder, opened=embeddings)
        parts = [
            self.system.fold.box,
            self.targets.box,
            *(form.fold.box for form in self.corpora.values()),
            self.embeddings.fold.box,
        ]
        put(self._body, parts)

    def _parts(self) -> dict[tuple[str, ...], Fold]:
        """The parts by their key in the case file."""
        return {
            ("system",): self.system.fold,
            **self.targets.folds(),
            **{("corpus", role): form.fold for role, form in self.corpora.items()},
            ("embeddings",): self.embeddings.fold,
        }

    def _columns_of_scores(self) -> list[str]:
        return list(
            dict.fromkeys(name for form in self.corpora.values() for name in form.columns_of_scores())
        )

    # ---- writing

    def _write(self) -> None:
        live = self._notebook.case.sources.live_object if self._readable() else None
        changed: dict[str, list[str]] = {}

        def check(folder: Path, data: bytes) -> Sequence[FairnbError]:
            return check_case(folder, live_object=live, results=False, data=data)

        def change(document: CaseText) -> None:
            changed.update(self._change(document))

        for fold in self._parts().values():
            fold.blame("")
        try:
            with self._notebook.turn() as case:
                before = _states(case)
                edit_case_file(case.folder, change, check)
            with self._notebook.turn() as case:
                stale = [name for name, state in _states(case).items() if state != before.get(name)]
                self._build(case.file, case.folder)
        except FairnbError as error:
            self._refused(error)
            return
        except Exception as error:  # noqa: BLE001 - told to the person, who would wait for ever
            self._say("failed", f"Not written. {type(error).__name__}: {error}")
            return
        if not changed:
            self._say("fresh", "Nothing was chosen otherwise: assessment.toml stays as it is")
            return
        what = "; ".join(f"{part} ({', '.join(keys)})" for part, keys in changed.items())
        self._say("fresh", f"Written into assessment.toml: {what}", _to_run(stale))
        self._notebook.refresh()

    def _change(self, document: CaseText) -> dict[str, list[str]]:
        """Edit the parsed case file; returns the keys that changed by part."""
        found = {"System": self.system.edit(document)}
        found |= {f"Target {name}": keys for name, keys in self.targets.edit(document).items()}
        found |= {form.fold.title: form.edit(document) for form in self.corpora.values()}
        found["Embeddings"] = self.embeddings.edit(document)
        return {part: keys for part, keys in found.items() if keys}

    def _look_again(self) -> None:
        try:
            with self._notebook.turn() as case:
                self._build(case.file, case.folder)
        except FairnbError as error:
            self._refused(error, "Not shown")
            return
        self._say("fresh", "As the case file has it")

    def _readable(self) -> bool:
        try:
            _ = self._notebook.case
        except FairnbError:
            # Said where the case is asked for in its turn.
            return False
        return True

    def _refused(self, error: FairnbError, begins: str = "Not written") -> None:
        """Say why not, naming the field at fault as it is called here, and show it there, too."""
        named, fold = self._field(error.where)
        said = f"{error.found}; {error.remedy}"
        if fold is not None:
            fold.blame(f"{named}: {said}")
            self._say("failed", f"{begins}. {fold.title}, {named}: {said}")
        else:
            self._say("failed", f"{begins}. {error}")

    def _field(self, where: str) -> tuple[str, Fold | None]:
        """What a place in the case file is called here, and the part in which it stands."""
        match = _PLACE.match(where)
        if match is None:
            return "", None
        key, rest = match["key"], match["rest"] or ""
        labels: Mapping[tuple[str, ...], str] = {
            **self.system.labels(),
            **self.targets.labels(),
            **{key: label for form in self.corpora.values() for key, label in form.labels().items()},
            **self.embeddings.labels(),
        }
        for parts, fold in sorted(self._parts().items(), key=lambda item: -len(".".join(item[0]))):
            head = ".".join(parts)
            if key == head or key.startswith(f"{head}."):
                field = key.removeprefix(head).lstrip(".").split(".")[0]
                named = labels.get((*parts, field), "") or "this part"
                return f"{named} ({rest})" if rest else named, fold
        return "", None

    def _say(self, state: str, words: str, more: str = "") -> None:
        tail = f" <span class='more'>{escape(printable(more))}</span>" if more else ""
        self._said.value = (
            f"<div class='fairnb-state fairnb-{state}' role='status'><span class='fairnb-dot' aria-hidden='true'>"
            f"</span>{escape(printable(words))}{tail}</div>"
        )


def _lexicon(file: CaseFile, folder: Path) -> Lexicon | None:
    try:
        return load_lexicon(file.lexicon, folder)
    except FairnbError:
        # The check of the case file says it; without words there is no guess.
        return None


def _states(case: Case) -> dict[str, str]:
    return {name: state_of(case, name) for name in case.sections}


def _to_run(sections: Sequence[str]) -> str:
    if not sections:
        return ""
    return f"To be run again: {', '.join(section(name).title for name in sections)}"
