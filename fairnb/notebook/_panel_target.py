"""The part of the panel that says which yes/no questions are put to the system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from fairnb.errors import FairnbError
from fairnb.notebook._forms import Fold, bring, dropdown, explained, joined, labels, listed, number, text
from fairnb.notebook._keep import CaseText
from fairnb.notebook._widgets import button, close, help_line
from fairnb.sections import Target


class TargetForm:
    """One table `[targets.NAME]`.

    Parameters
    ----------
    target : Target or None
        What the case file says; None for one that is new.
    remove : callable
        Called with the form when it is to be taken out.
    opened : bool
    name : str
        Of a new one.
    """

    def __init__(
        self, target: Target | None, remove: Callable[[TargetForm], None], *, opened: bool, name: str = ""
    ) -> None:
        start = target or Target(name=name)
        self.before = target
        self.now = _keys_of(start)
        self.name = text("Name", start.name)
        self.classes = text("Classes", joined(start.classes))
        self.combine = dropdown(
            "Several classes", [("sum of their scores", "sum"), ("highest score", "max")], start.combine
        )
        self.positive = text("Positive labels", joined(start.positive))
        self.negative = text("Negative labels", joined(start.negative or ()), "every other")
        self.threshold = number("Threshold", start.threshold)
        self.source = text("Set by", start.threshold_source)
        self.remover = button("Remove", "trash", "Remove this target", lambda: remove(self))
        self.remover.add_class("fairnb-small")
        self.fold = Fold(
            f"Target {start.name}",
            [
                self.name,
                explained(
                    self.classes, "Of the system, those that mean yes, with commas; empty: its only one"
                ),
                self.combine,
                explained(self.positive, "Labels of the corpora that mean yes, with commas"),
                explained(self.negative, "Those that mean no; with them, any further label is an error"),
                self.threshold,
                explained(self.source, "Who set the threshold, such as the developer's documentation"),
                self.remover,
            ],
            opened=opened,
        )
        for field in (self.name, self.positive, self.threshold):
            field.observe(lambda _: self._changed(), "value")
        self._changed()

    def wanted(self) -> dict[str, Any]:
        """The keys of the table as chosen; what is wrong with them is said where the file is checked."""
        found: dict[str, Any] = {
            "positive": labels(self.positive.value),
            # Steps of a hundredth add up to binary fractions; what was meant has fewer digits.
            "threshold": round(self.threshold.value, 6),
        }
        if classes := listed(self.classes.value):
            found["classes"] = classes
        if self.combine.value != Target().combine:
            found["combine"] = self.combine.value
        if negative := labels(self.negative.value):
            found["negative"] = negative
        if source := self.source.value.strip():
            found["threshold_source"] = source
        return found

    def _changed(self) -> None:
        self.fold.title = f"Target {self.name.value.strip() or '(no name)'}"
        self.fold.say(f"positive labels {self.positive.value or 'none'}, threshold {self.threshold.value:g}")


class TargetForms:
    """All targets; the last one cannot be removed.

    Parameters
    ----------
    targets : sequence of Target
    opened : callable
        Whether the part with a key was unfolded before.
    """

    def __init__(self, targets: Sequence[Target], opened: Callable[[tuple[str, ...], bool], bool]) -> None:
        self.forms = [
            TargetForm(one, self.remove, opened=opened(("targets", one.name), at == 0))
            for at, one in enumerate(targets)
        ]
        self._before = [one.name for one in targets]
        self._list = widgets.VBox()
        self._note = help_line(
            "Every section runs for each target. Recorded scores, and positive labels that a corpus has of its "
            "own, are the same for all targets."
        )
        add = button("Add target", "plus", "Add target: another yes/no question", self.add)
        add.add_class("fairnb-small")
        self.box = widgets.VBox([self._list, self._note, add])
        self._arrange()

    def add(self) -> None:
        """Add a target under a free name."""
        taken = {form.name.value.strip() for form in self.forms}
        name = next(f"target-{i}" for i in range(len(taken) + 1, 10**6) if f"target-{i}" not in taken)
        self.forms.append(TargetForm(None, self.remove, opened=True, name=name))
        self._arrange()

    def remove(self, form: TargetForm) -> None:
        """Take a target out."""
        if len(self.forms) > 1:
            self.forms.remove(form)
            self._arrange()
            close(form.fold.box)

    def folds(self) -> dict[tuple[str, ...], Fold]:
        """The parts by their key in the case file."""
        return {("targets", form.name.value.strip()): form.fold for form in self.forms}

    def labels(self) -> dict[tuple[str, ...], str]:
        """What each key of the case file is called here."""
        fields = {
            "classes": "Classes",
            "combine": "Several classes",
            "positive": "Positive labels",
            "negative": "Negative labels",
            "threshold": "Threshold",
            "threshold_source": "Set by",
            "name": "Name",
        }
        return {(*key, field): label for key in self.folds() for field, label in fields.items()}

    def edit(self, document: CaseText) -> dict[str, list[str]]:
        """Write what was chosen otherwise; returns the keys that changed by target.

        Raises
        ------
        FairnbError
            ``no-name``, ``name-twice``, ``file-changed`` if the file no longer has the targets that were shown.
        """
        names = [form.name.value.strip() for form in self.forms]
        _refuse_names(names)
        changed: dict[str, list[str]] = {}
        kept = {form.before.name for form in self.forms if form.before is not None}
        gone = [name for name in self._before if name not in kept]
        renamed = {
            form.before.name: name
            for form, name in zip(self.forms, names, strict=True)
            if form.before is not None and form.before.name != name
        }
        new = {name for form, name in zip(self.forms, names, strict=True) if form.before is None}
        self._refuse_others(document, [*gone, *renamed], new | set(renamed.values()))
        wanted = [form.wanted() for form in self.forms]
        for name in gone:
            document.drop("targets", name)
            changed[name] = ["removed"]
        written = {old for old in renamed if document.has("targets", old)}
        # Two targets may have exchanged their names.
        for step in (0, 1):
            for at, old in enumerate(sorted(written)):
                between = f"fairnb renames {at}"
                ends = (old, between) if step == 0 else (between, renamed[old])
                document.rename(("targets", ends[0]), ends[1])
        more = len(names) > 1 or bool(renamed)
        for form, name, keys in zip(self.forms, names, wanted, strict=True):
            now = form.now if form.before is not None else {}
            if not document.has("targets", name) and more:
                # The one target that needs no table needs one beside another.
                now = {}
            found = bring(document.table("targets", name), now, keys) if keys != now else []
            if form.before is None:
                found = ["added"]
            elif form.before.name != name:
                found = [f"renamed from {form.before.name}", *found]
            if found:
                changed[name] = found
        return changed

    def _refuse_others(self, document: CaseText, touched: Sequence[str], new: set[str]) -> None:
        """Refuse what would take, or miss, a target that somebody wrote, or renamed, in the file meanwhile."""
        missed = [name for name in touched if document.has("targets") and not document.has("targets", name)]
        taken = [name for name in sorted(new - set(self._before)) if document.has("targets", name)]
        for name, what in [*((one, "has no longer") for one in missed), *((one, "has now") for one in taken)]:
            raise FairnbError(
                "file-changed",
                f"the case file {what} a target {name!r}: it was edited after it was shown",
                "look again, and choose again",
                where=f"targets.{name}.name",
            )

    def _arrange(self) -> None:
        self._list.children = [form.fold.box for form in self.forms]
        for form in self.forms:
            form.remover.disabled = len(self.forms) == 1
        self._note.layout.display = "" if len(self.forms) > 1 else "none"


def _refuse_names(names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if not name:
            raise FairnbError(
                "no-name", "a target has no name", "give it one, such as toxic", where=f"targets.{name}.name"
            )
        if name in names[:at]:
            raise FairnbError(
                "name-twice",
                f"two targets are called {name!r}",
                "give each a name of its own",
                where=f"targets.{name}.name",
            )


def _keys_of(target: Target) -> dict[str, Any]:
    found: dict[str, Any] = target.model_dump(mode="json", exclude_defaults=True, exclude={"name"})
    return found | {"positive": list(target.positive), "threshold": target.threshold}
