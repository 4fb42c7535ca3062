"""What a section's parameters look like as controls: read from its pydantic model, nothing by hand."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from fairnb.sections import Section

Kind = Literal["choice", "flag", "whole", "number", "share", "text", "long text", "list", "table"]
_TARGETS = "threshold"
"""The parameter whose absence means the target's (see the contract of sections)."""


@dataclass(frozen=True)
class ParamField:
    """One parameter as a control shows it."""

    name: str
    label: str
    help: str
    kind: Kind
    """`share` is a number with both bounds."""
    optional: bool
    """Whether it may be left open (None)."""
    choices: tuple[Any, ...]
    low: float | None
    high: float | None
    default: Any
    folded: bool
    """Whether most people leave it as it is: shown only when asked for."""
    absent: str
    """What being left open means, in words."""

    def words(self, value: Any) -> str:
        """A value as text."""
        if value is None:
            return self.absent
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, Mapping):
            value = [f"{key}: {item}" for key, item in value.items()]
        if isinstance(value, (tuple, list)):
            return ", ".join(map(str, value)) if value else "–"
        if isinstance(value, float):
            return f"{value:.4g}" if self.kind != "share" else f"{value:.4f}".rstrip("0").rstrip(".")
        return str(value) if value != "" else "–"


def fields_of(chosen: Section) -> tuple[ParamField, ...]:
    """The parameters of a section, in the order in which it declares them."""
    model = chosen.Params
    return tuple(
        _field(name, info, name in model.folded and len(model.folded) < len(model.model_fields))
        for name, info in model.model_fields.items()
    )


def _field(name: str, info: FieldInfo, folded: bool) -> ParamField:
    kind, optional = _without_none(info.annotation)
    low, high = _bounds(info)
    choices: tuple[Any, ...] = ()
    shape: Kind = "text"
    if get_origin(kind) is Literal:
        shape, choices = "choice", get_args(kind)
    elif kind is bool:
        shape = "flag"
    elif kind is int:
        shape = "whole"
    elif kind is float:
        shape = "number" if low is None or high is None else "share"
    elif get_origin(kind) in (tuple, list):
        shape = "list"
    elif get_origin(kind) is dict:
        # The case file says it better than a form.
        shape = "table"
    elif isinstance(info.json_schema_extra, Mapping) and info.json_schema_extra.get("format") == "paragraph":
        shape = "long text"
    return ParamField(
        name=name,
        label=name.replace("_", " ").capitalize(),
        help=" ".join((info.description or "").split()),
        kind=shape,
        optional=optional,
        choices=choices,
        low=low,
        high=high,
        default=info.get_default(call_default_factory=True),
        folded=folded,
        absent="the target's" if name == _TARGETS else "not given",
    )


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        if len(kinds) < len(get_args(annotation)):
            return kinds[0], True
    return annotation, False


def _bounds(info: FieldInfo) -> tuple[float | None, float | None]:
    low = high = None
    for limit in info.metadata:
        for name in ("ge", "gt"):
            low = getattr(limit, name, low)
        for name in ("le", "lt"):
            high = getattr(limit, name, high)
    return low, high


def differing(
    values: Mapping[str, Any], declared: Mapping[str, Any], fields: tuple[ParamField, ...]
) -> Iterator[tuple[ParamField, Any, Any]]:
    """Each parameter whose value is not the case file's: field, value, the case file's value."""
    for field in fields:
        value, before = values[field.name], declared[field.name]
        if _plain(value) != _plain(before):
            yield field, value, before


def changed_values(
    values: Mapping[str, Any], declared: Mapping[str, Any], fields: tuple[ParamField, ...]
) -> dict[str, Any]:
    """The parameters that are not the case file's."""
    return {field.name: value for field, value, _ in differing(values, declared, fields)}


def changed_in_words(
    values: Mapping[str, Any], declared: Mapping[str, Any], fields: tuple[ParamField, ...]
) -> list[str]:
    """The same as a person reads them."""
    return [
        f"{field.label.lower()} {field.words(value)} (case file: {field.words(before)})"
        for field, value, before in differing(values, declared, fields)
    ]


def static_html(
    title: str,
    values: Mapping[str, Any],
    declared: Mapping[str, Any],
    fields: tuple[ParamField, ...],
    *,
    thresholds: str,
) -> str:
    """The controls as a table that needs no widget: what a saved or printed notebook shows.

    Parameters
    ----------
    title : str
    values, declared : mapping
        The values in use and those of the case file.
    fields : tuple of ParamField
    thresholds : str
        What the targets' thresholds are, in words.
    """
    changed = {field.name: before for field, _, before in differing(values, declared, fields)}
    rows = []
    for field in fields:
        value = field.words(values[field.name])
        if values[field.name] is None and field.name == _TARGETS:
            value = f"{value} ({thresholds})"
        if field.name in changed:
            value += f" (case file: {field.words(changed[field.name])})"
        rows.append(f"<tr><th scope='row' title='{_quoted(field.help)}'>{escape(field.label)}</th>"
                    f"<td>{escape(value)}</td></tr>")  # fmt: skip
    if not rows:
        return f"<p class='fairnb-parameters'>{escape(title)} has no parameters.</p>"
    summary = f"Parameters of {escape(title)} when the cell was run"
    table = f"<table>{''.join(rows)}</table>"
    return f"<details class='fairnb-parameters'><summary>{summary}</summary>{table}</details>"


def static_text(title: str, values: Mapping[str, Any], fields: tuple[ParamField, ...]) -> str:
    """The same as one line of text."""
    named = "; ".join(f"{field.name} = {field.words(values[field.name])}" for field in fields)
    return f"Parameters of {title} when the cell was run: {named}" if named else f"{title} has no parameters."


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _quoted(text: str) -> str:
    return escape(text, quote=True)
