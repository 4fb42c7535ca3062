"""One section's page for a notebook, whose figures may come after its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from fairnb.report._render import (
    Payload,
    figure_views,
    html_of,
    installed,
    result_of,
    section_view,
    text_of,
)

if TYPE_CHECKING:
    from fairnb.report._views import FigureView, SectionView
    from fairnb.sections import Result


_CELL = len(r"<td class=\"\"></td>\n")
_ROW = len(r"<tr>\n</tr>\n")
"""What a cell and a row take beside their words, as JSON."""


class SectionPage:
    """One section laid out once, its figures drawn once, to be put into several forms.

    Parameters
    ----------
    payloads : sequence of mapping
        The section's payloads, one per target.
    results : sequence of Result, optional
        Their results, where they were read already.
    beside : SectionPage, optional
        An earlier page, whose figures stand faded instead of this one's own: none is drawn.
    """

    def __init__(
        self, payloads: Sequence[Payload], results: Sequence[Result] = (), beside: SectionPage | None = None
    ) -> None:
        self._payloads, self._results = payloads, results
        self._laid = section_view(payloads, None, drawn=False, results=results)
        self._beside = beside

    @cached_property
    def _view(self) -> SectionView:
        if self._beside is None:
            return self._with(list(_draw(self._payloads, self._results)))
        before = {part.target: part.figures for part in self._beside._view.parts}
        return self._with(
            (part.target, replace(figure, faded=True))
            for part in self._laid.parts
            for figure in before.get(part.target, ())
        )

    def _with(self, figures: Iterable[tuple[str, FigureView]]) -> SectionView:
        of_target: dict[str, list[FigureView]] = {}
        for target, figure in figures:
            of_target.setdefault(target, []).append(figure)
        parts = (replace(part, figures=tuple(of_target.get(part.target, ()))) for part in self._laid.parts)
        return replace(self._laid, parts=tuple(parts))

    @property
    def fades(self) -> bool:
        """Whether an earlier page's figures stand in it."""
        return self._beside is not None

    def drawn(self, wanted: Callable[[], bool]) -> SectionPage | None:
        """The same page with its own figures; None if, before one of them, they are no longer wanted."""
        figures: list[tuple[str, FigureView]] = []
        drawing = _draw(self._payloads, self._results)
        while wanted():
            figure = next(drawing, None)
            if figure is None:
                page = copy(self)
                page._beside = None
                vars(page)["_view"] = self._with(figures)
                return page
            figures.append(figure)
        return None

    @property
    def figures(self) -> int:
        """Figures of the target that has most."""
        return max(len(part.figures) for part in self._view.parts)

    def at_least(self, *, annex: bool, figures: int | None) -> int:
        """Bytes that the HTML surely takes: its pictures and its cells."""
        size = 0
        for part in self._view.parts:
            size += sum(len(figure.address(paper=False)) for figure in part.figures[:figures])
            tables = (*part.tables, *part.annex) if annex else part.tables
            for table in tables:
                size += sum(_ROW + sum(map(len, row.cells)) + _CELL * len(row.cells) for row in table.rows)
            size += sum(_ROW + 5 * _CELL + len(one.criterion) + len(one.reason) for one in part.verdicts)
        return size

    def html(self, *, annex: bool = True, figures: int | None = None) -> str:
        """As `render_section`, with at most so many figures of each target; None: all."""
        return html_of(self._view, annex=annex, figures=figures)

    def text(self) -> str:
        """As `render_text`."""
        return text_of(self._laid)

    def first_figure(self) -> str | None:
        """SVG of the first figure, with its letters; None if there is none."""
        return next((figure.lettered for part in self._view.parts for figure in part.figures), None)


def _draw(payloads: Sequence[Payload], results: Sequence[Result]) -> Iterator[tuple[str, FigureView]]:
    """Figures of one section's payloads with their target, one after the other, without numbers."""
    known = installed(payloads[0]["content"])
    for payload, result in zip(payloads, results or map(result_of, payloads), strict=True):
        content = payload["content"]
        for figure in figure_views(content, result, known, None):
            yield str(content["target"] or ""), figure
