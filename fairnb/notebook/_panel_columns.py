"""The columns of a file as a table in which each is given its use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import chain
from typing import Any

import ipywidgets as widgets

from fairnb.corpus import ColumnPreview
from fairnb.lexicon import Lexicon
from fairnb.notebook._forms import number, shown
from fairnb.notebook._mapping import MENTION, WORDS, Use, guessed_mention
from fairnb.notebook._widgets import button, help_line, put
from fairnb.text import printable

AT_ONCE = 25
"""Rows that are made at once: a row is several widgets."""
_MOST_NAME = 80


class ColumnTable:
    """One row for each column: name, kind, different and missing cells, samples, and what it is used for.

    Parameters
    ----------
    columns : sequence of ColumnPreview
    uses : mapping
        Column to its use at first; others are not used.
    further : mapping
        Column to further uses that the case file gives it: they stay and are told.
    notes : mapping
        Column to what is to be said of it, such as why its use is a guess.
    bounds : mapping
        By attribute: from which value on a cell is a mention.
    lexicon : Lexicon or None
        Proposes attributes and subgroups.
    changed : callable
        Called when a use was changed.
    """

    def __init__(
        self,
        columns: Sequence[ColumnPreview],
        uses: Mapping[str, Use],
        *,
        further: Mapping[str, Sequence[Use]],
        notes: Mapping[str, str],
        bounds: Mapping[str, float],
        lexicon: Lexicon | None,
        changed: Callable[[], None],
    ) -> None:
        self.uses = {one.name: uses.get(one.name, Use()) for one in columns if not one.repeated}
        self._further, self._notes, self._changed = further, notes, changed
        self._bounds = dict(bounds)
        self._words = {} if lexicon is None else lexicon.attributes
        self._lexicon = lexicon
        # Of many columns, those that mean something come first.
        self._columns = list(columns)
        if len(columns) > AT_ONCE:
            self._columns.sort(key=lambda one: not self.uses.get(one.name, Use()).of)
        self._rows: dict[int, _Row] = {}
        self._shown = AT_ONCE
        self._head = widgets.HTML(_HEAD)
        self._body = widgets.VBox()
        self._body.add_class("fairnb-columns")
        self._find = widgets.Text(description="Find column", placeholder="part of its name")
        self._find.observe(lambda _: self._arrange(), "value")
        self._more = button("More columns", "plus", "More columns of this file", self._show_more)
        self._limits = widgets.VBox()
        self._limited: list[str] = []
        shown(self._find, len(columns) > AT_ONCE)
        self.box = widgets.VBox([self._find, self._body, self._more, self._limits])
        self._arrange()
        self._arrange_limits()

    def use(self, column: str, use: Use) -> None:
        """Give a column another use."""
        if self.uses[column] == use:
            return
        self.uses[column] = use
        for row in self._rows.values():
            if row.name == column:
                row.show(use)
        self._arrange_limits()
        self._changed()

    def bounds(self) -> dict[str, float]:
        """By attribute: from which value on a cell is a mention, rounded as it was meant."""
        return {attribute: round(value, 6) for attribute, value in self._bounds.items()}

    def guess(self, column: str) -> Use:
        """The use as a mention that a column's name speaks for."""
        return guessed_mention(column, self._lexicon) or Use("mention")

    def update(self, columns: Sequence[ColumnPreview]) -> None:
        """Say what a count of all rows found; uses stay."""
        counted = {one.name: one for one in columns}
        self._columns = [counted.get(one.name, one) for one in self._columns]
        for at, row in self._rows.items():
            row.tell(self._columns[at], self._note(self._columns[at]))

    def _show_more(self) -> None:
        self._shown += AT_ONCE
        self._arrange()

    def _arrange(self) -> None:
        part = self._find.value.strip().casefold()
        fit = [at for at, one in enumerate(self._columns) if part in one.name.casefold()]
        for at in fit[: self._shown]:
            if at not in self._rows:
                one = self._columns[at]
                use = None if one.repeated else self.uses[one.name]
                self._rows[at] = _Row(one, use, self._note(one), self._words, self)
        self._body.children = [self._head, *(self._rows[at].box for at in fit[: self._shown])]
        left = len(fit) - self._shown
        self._more.description = f"More columns ({left:,} left)"
        shown(self._more, left > 0)

    def _note(self, column: ColumnPreview) -> str:
        if column.repeated:
            return "this name occurs more than once: it cannot be used"
        said = [self._notes[column.name]] if column.name in self._notes else []
        said += [
            f"also {WORDS[use.of]}{f' of {use.attribute}, {use.subgroup}' if use.subgroup else ''}"
            for use in self._further.get(column.name, ())
        ]
        return "; ".join(said)

    def _arrange_limits(self) -> None:
        """One field for each attribute that has annotated mentions."""
        every = [*self.uses.values(), *(use for uses in self._further.values() for use in uses)]
        used = list(dict.fromkeys(use.attribute for use in every if use.of == "mention" and use.attribute))
        if used == self._limited:
            return
        self._limited = used
        fields = []
        for attribute in used:
            field = number(
                f"{printable(attribute).capitalize()} from", self._bounds.get(attribute, MENTION), 1e-6, 1e6
            )
            field.observe(lambda change, of=attribute: self._bound(of, change["new"]), "value")
            fields.append(field)
        note = "From this value on a cell is a mention; an empty cell means that no one said."
        put(self._limits, [*fields, help_line(note)] if fields else [])

    def _bound(self, attribute: str, value: float) -> None:
        self._bounds[attribute] = value
        self._changed()


class _Row:
    """One column of the file."""

    def __init__(
        self,
        column: ColumnPreview,
        use: Use | None,
        note: str,
        words: Mapping[str, Mapping[str, Sequence[str]]],
        table: ColumnTable,
    ) -> None:
        self.name = column.name
        self._table, self._words = table, words
        self._called = _called(column.name)
        self._told = widgets.HTML()
        self.tell(column, note)
        self._mention = widgets.VBox()
        self._setting = False
        parts = [self._told]
        self.choice: Any = None
        if use is not None:
            options = [(word, of) for of, word in WORDS.items() if column.name or of in ("", "id")]
            self.choice = widgets.Dropdown(
                options=options,
                value=use.of,
                description=f"Use of {self._called}",
                style=_HIDDEN,
                layout=_FULL,
            )
            self.choice.observe(lambda _: self._chosen(), "value")
            parts.append(widgets.VBox([self.choice, self._mention]))
        self.box = widgets.Box(parts)
        self.box.add_class("fairnb-column")
        if use is not None:
            self.show(use)

    def tell(self, column: ColumnPreview, note: str) -> None:
        """Say what the column holds."""
        samples = " ".join(f"<q>{escape(cell)}</q>" for cell in column.samples)
        said = f"<span class='fairnb-help'>{escape(printable(note))}</span>" if note else ""
        self._told.value = (
            f"<b class='name'>{escape(self._called)}{said}</b><span class='kind'>{escape(column.kind)}</span>"
            f"<span class='count'>{column.values:,}<i> different</i></span>"
            f"<span class='count'>{column.missing:.1%}<i> missing</i></span><span class='samples'>{samples}</span>"
        )

    def show(self, use: Use) -> None:
        """Show a use."""
        self._setting = True
        self.choice.value = use.of
        if use.of == "mention":
            if not self._mention.children:
                # Other proposals for each attribute would come while somebody types, and take what is typed away.
                subgroups = list(dict.fromkeys(chain.from_iterable(self._words.values())))
                self._mention.children = [
                    _named(f"Attribute of {self._called}", "attribute", list(self._words)),
                    _named(f"Subgroup of {self._called}", "subgroup", subgroups),
                ]
                for field in self._mention.children:
                    field.observe(lambda _: self._named(), "value")
            attribute, subgroup = self._mention.children
            attribute.value, subgroup.value = use.attribute, use.subgroup
        shown(self._mention, use.of == "mention")
        self._setting = False

    def _chosen(self) -> None:
        if not self._setting:
            of = self.choice.value
            self._table.use(self.name, self._table.guess(self.name) if of == "mention" else Use(of))

    def _named(self) -> None:
        if not self._setting:
            attribute, subgroup = self._mention.children
            self._table.use(self.name, Use("mention", attribute.value.strip(), subgroup.value.strip()))


def _called(name: str) -> str:
    said = printable(name) or "(no name)"
    return said if len(said) <= _MOST_NAME else said[: _MOST_NAME - 1] + "…"


def _named(label: str, hint: str, options: list[str]) -> Any:
    return widgets.Combobox(
        description=label,
        placeholder=hint,
        options=options,
        style=_HIDDEN,
        layout=_FULL,
        continuous_update=False,
    )


_HIDDEN = {"description_width": "0"}
"""The label is for those who hear it; the style sheet takes it out of sight."""
_FULL = {"width": "100%"}
_HEAD = (
    "<div class='head' aria-hidden='true'><span>Column</span><span>Kind</span><span>Different</span>"
    "<span>Missing</span><span>Samples, masked</span><span>Used as</span></div>"
)
