"""The part of the panel that says which system is assessed, and how it is loaded."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from fairnb.errors import FairnbError
from fairnb.notebook._forms import (
    Fold,
    bring,
    combo,
    dropdown,
    explained,
    files,
    joined,
    known,
    listed,
    shown,
    text,
)
from fairnb.notebook._keep import CaseText, set_value
from fairnb.notebook._widgets import LABEL, WIDE, help_html, help_line
from fairnb.system import KINDS, SystemSpec

_WORDS = {
    "use": "known system",
    "python": "Python function",
    "sklearn": "scikit-learn pipeline",
    "keras": "Keras model",
    "scores": "recorded scores",
}
_FILES = {"sklearn": (".skops", ".joblib", ".pkl", ".pickle"), "keras": (".keras", ".h5")}
_TRUSTING = ("sklearn", "keras")
_NO, _ALL, _THESE = "no", "yes, whatever it is", "only these types"


class SystemForm:
    """The table `[system]`.

    Parameters
    ----------
    spec : SystemSpec
        What the case file says.
    folder : Path
        The case folder.
    columns : callable
        Gives the columns of the chosen corpora that may hold recorded scores.
    opened : bool
    """

    def __init__(
        self, spec: SystemSpec, folder: Path, columns: Callable[[], Sequence[str]], *, opened: bool
    ) -> None:
        self._spec, self._folder, self._columns = spec, folder, columns
        self._now = _keys_of(spec)
        self.kind = dropdown("Kind", [(_WORDS[kind], kind) for kind in KINDS], spec.kind)
        self.value = combo("Which", spec.value, ())
        self._meaning = help_line("")
        self.name = text("Name", spec.name)
        self.version = text("Version", spec.version)
        self.classes = text("Its classes", joined(spec.classes))
        trust = _THESE if isinstance(spec.trust, tuple) else _ALL if spec.trust else _NO
        self.trust = dropdown("Trust", [(one, one) for one in (_NO, _ALL, _THESE)], trust)
        self.types = text("Trusted types", joined(spec.trust) if isinstance(spec.trust, tuple) else "")
        self.batch = text("Batch size", "" if spec.batch_size is None else str(spec.batch_size))
        self.files = text("Files", joined(spec.files))
        self.declared = widgets.Textarea(
            value="\n".join(f"{name} = {_written(value)}" for name, value in spec.declared.items()),
            description="Declared",
            rows=3,
            style=LABEL,
            layout=WIDE,
        )
        self._rows = {
            name: explained(getattr(self, name), _meaning(field))
            for name, field in (
                ("name", "name"),
                ("version", "version"),
                ("classes", "classes"),
                ("trust", "trust"),
                ("batch", "batch_size"),
                ("files", "files"),
                ("declared", "declared"),
            )
        }
        self._rows["types"] = explained(self.types, "Names of the types, separated by commas")
        more = Fold(
            "More about the system",
            [self._rows[one] for one in ("name", "version", "classes", "trust", "types", "batch", "files")]
            + [self._rows["declared"], help_line("One a line, such as: training data = forum posts of 2019")],
            opened=False,
            summary=", ".join(key.replace("_", " ") for key in self._now if key not in KINDS),
        )
        self.fold = Fold("System", [self.kind, self.value, self._meaning, more.box], opened=opened)
        self._more = more
        for field in (self.kind, self.value, self.trust):
            field.observe(lambda _: self._changed(), "value")
        self._changed()

    def labels(self) -> dict[tuple[str, ...], str]:
        """What each key of the case file is called here."""
        named: dict[str, str] = {str(kind): _WORDS[kind].capitalize() for kind in KINDS}
        fields = ("name", "version", "classes", "trust", "files", "declared")
        named |= {one: str(getattr(self, one).description) for one in fields}
        named["batch_size"] = "Batch size"
        return {("system", key): label for key, label in named.items()}

    def edit(self, document: CaseText) -> list[str]:
        """Write what was chosen otherwise; returns the keys that changed."""
        wanted = self._wanted()
        if wanted == self._now:
            return []
        now = dict(self._now)
        declared, before = wanted.pop("declared", {}), now.pop("declared", {})
        changed = []
        if declared != before:
            changed.append("declared")
            if before and declared:
                bring(document.table("system", "declared"), before, declared)
            elif before:
                document.drop("system", "declared")
        table = document.table("system")
        if declared and not before:
            set_value(table, "declared", declared)
        return changed + bring(table, now, wanted)

    def _wanted(self) -> dict[str, Any]:
        kind = self.kind.value
        found: dict[str, Any] = {kind: self.value.value.strip()}
        if self.name.value.strip():
            found["name"] = self.name.value.strip()
        if self.version.value.strip():
            found["version"] = self.version.value.strip()
        if kind != "scores" and (classes := listed(self.classes.value)):
            found["classes"] = classes
        if kind in _TRUSTING and self.trust.value == _ALL:
            found["trust"] = True
        if kind in _TRUSTING and self.trust.value == _THESE:
            found["trust"] = listed(self.types.value)
        if size := self.batch.value.strip():
            found["batch_size"] = int(size) if size.isdecimal() else size
        if kind == "python" and (named := listed(self.files.value)):
            found["files"] = named
        if declared := _declared(self.declared.value):
            found["declared"] = declared
        return found

    def _changed(self) -> None:
        kind = self.kind.value
        options = {"use": known("system"), "scores": list(self._columns())}.get(kind, [])
        if kind in _FILES:
            options = files(self._folder, _FILES[kind])
        self.value.options = options
        self._meaning.value = help_html(_meaning(kind))
        shown(self._rows["classes"], kind != "scores")
        shown(self._rows["trust"], kind in _TRUSTING)
        shown(self._rows["types"], kind == "sklearn" and self.trust.value == _THESE)
        shown(self._rows["files"], kind == "python")
        self.fold.say(f"{_WORDS[kind]} {self.value.value}")


def _keys_of(spec: SystemSpec) -> dict[str, Any]:
    found: dict[str, Any] = spec.model_dump(mode="json", exclude_defaults=True)
    return found


def _meaning(field: str) -> str:
    return str(SystemSpec.model_fields[field].description).replace("`", "")


def _written(value: Any) -> str:
    """A declared value as `_declared` reads it back."""
    if isinstance(value, str) and isinstance(_value(value), str) and _value(value) == value:
        return value
    import tomlkit

    return str(tomlkit.item(value).as_string())


def _declared(written: str) -> dict[str, Any]:
    found = {}
    for line in written.splitlines():
        name, sign, value = line.partition("=")
        if not line.strip():
            continue
        if not sign or not name.strip():
            raise FairnbError(
                "bad-value",
                f"the line {line.strip()[:60]!r} has no sign of equality",
                "write name = value, one a line",
                where="system.declared",
            )
        found[name.strip()] = _value(value.strip())
    return found


def _value(written: str) -> Any:
    """Numbers, true and false as such, anything else as text."""
    try:
        value = tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        return written
    return value if isinstance(value, (str, int, float, bool)) else written
