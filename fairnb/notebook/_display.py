"""One section's results as one bundle that every front end can show."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Sequence
from copy import copy
from html import escape
from typing import TYPE_CHECKING, Any

from fairnb.case import BUNDLE, CONTROLS, Payload
from fairnb.errors import ExitCode, FairnbError
from fairnb.sections import section
from fairnb.text import printable

if TYPE_CHECKING:
    from fairnb.report import SectionPage

LARGEST = 500_000
"""Bytes of one bundle in a notebook."""
PROGRESS = "application/vnd.fairnb.progress+json"
"""MIME type of progress messages; `fairnb run` takes them out before they reach the notebook."""


def bundle_of(payloads: Sequence[Payload], *, changed: Sequence[str] = ()) -> dict[str, Any]:
    """MIME bundle of one section's results: HTML, first figure, text, and the payloads themselves.

    Over `LARGEST` bytes the figure goes first (the HTML holds it too), then the HTML's annex, as many of its
    figures as need be, the last first, and at last the HTML gives way to the text. The payloads always stay
    whole.

    Parameters
    ----------
    payloads : sequence of Payload
        The section's, one per target.
    changed : sequence of str
        Parameters that are not the case file's, in words, to be told beside the result.

    Raises
    ------
    FairnbError
        ``result-too-large`` if the payloads alone are over the limit.
    """
    return Shape(payloads, changed=changed).bundle()


class Shape:
    """One section's results on their way to the screen, for where the numbers are shown before the figures.

    Parameters
    ----------
    payloads, changed
        As `bundle_of` takes them.
    before : Shape, optional
        What stands there: its figures stay, faded, until those of the results are drawn by `drawn`.
    """

    def __init__(
        self, payloads: Sequence[Payload], *, changed: Sequence[str] = (), before: Shape | None = None
    ) -> None:
        from fairnb.report import SectionPage

        self._plain = [payload.to_json() for payload in payloads]
        self._told = f"Changed in the notebook: {'; '.join(changed)}" if changed else ""
        beside = None if before is None else before._page
        self._page: SectionPage = SectionPage(self._plain, [payload.result for payload in payloads], beside)
        text = self._page.text()
        self._text = f"{text}\n\n{self._told}" if self._told else text
        self._size = size_of({"text/plain": self._text, BUNDLE: self._plain})
        if self._size > LARGEST:
            raise FairnbError(
                "result-too-large",
                f"the results of the section {payloads[0].section} take {self._size:,} bytes",
                f"choose parameters that give less to show: a notebook keeps at most {LARGEST:,} bytes a section",
                exit_code=ExitCode.FAILED,
            )

    @property
    def fades(self) -> bool:
        """Whether figures of an earlier result stand in it."""
        return self._page.fades

    def drawn(self, wanted: Callable[[], bool]) -> Shape | None:
        """The same with its own figures; None if it is, while they are drawn, no longer wanted."""
        page = self._page.drawn(wanted)
        if page is None:
            return None
        shape = copy(self)
        shape._page = page
        return shape

    def bundle(self) -> dict[str, Any]:
        """As `bundle_of`."""
        page, told = self._page, self._told
        bundle: dict[str, Any] = {"text/plain": self._text, BUNDLE: self._plain}
        room = LARGEST - self._size
        after = f"<p>{escape(told)}</p>" if told else ""
        fewer = reversed(range(page.figures))
        for annex, figures in ((True, None), (False, None), *((False, number) for number in fewer)):
            if page.at_least(annex=annex, figures=figures) > room:
                continue
            html = page.html(annex=annex, figures=figures) + after
            if not annex:
                left_out = "tables of the annex"
                if figures is not None:
                    left_out += f" and {'the' if figures == 0 else 'some of the'} figures"
                html += (
                    f"<p>The {left_out} are too large for the notebook; the audit document prints them.</p>"
                )
            if _taken("text/html", html) <= room:
                break
        else:
            html = (
                f"<p>The tables and figures of this section are too large for the notebook; the audit document "
                f"prints them.</p><pre>{escape(self._text)}</pre>"
            )
        for mime, content in (("text/html", html), ("image/svg+xml", page.first_figure())):
            taken = _taken(mime, content) if content else 0
            if content and taken <= room:
                bundle[mime] = content
                room -= taken
        return bundle


def _taken(mime: str, content: str) -> int:
    """Bytes that one more form of a result adds to its bundle."""
    return size_of({mime: content})


def size_of(bundle: dict[str, Any]) -> int:
    """Bytes a bundle takes in a saved notebook, about."""
    return len(json.dumps(bundle, ensure_ascii=False).encode("utf-8"))


class Shown:
    """An output that can be replaced, also after its page was loaded anew.

    Front ends forget which output a display id belongs to when the page is reloaded; the output's saved
    metadata tells the JupyterLab extension.

    Parameters
    ----------
    bundle : dict
        Displayed at once.
    identity : str
        Display id.
    """

    def __init__(self, bundle: dict[str, Any], identity: str) -> None:
        from IPython.display import display

        self._options: dict[str, Any] = {
            "raw": True,
            "display_id": identity,
            "metadata": {"fairnb": {"display": identity}},
        }
        display(bundle, **self._options)  # type: ignore[no-untyped-call]

    def update(self, bundle: dict[str, Any]) -> None:
        """Put another bundle into its place."""
        from IPython.display import update_display

        update_display(bundle, **self._options)  # type: ignore[no-untyped-call]


def show(bundle: dict[str, Any], name: str) -> None:
    """Display a bundle; outside of IPython its text is printed."""
    from IPython.core.getipython import get_ipython

    if get_ipython() is None:
        sys.stdout.write(bundle["text/plain"] + "\n")
        return
    from IPython.display import display

    display(bundle, raw=True, display_id=_identity(name))  # type: ignore[no-untyped-call]


def show_live(bundle: dict[str, Any], name: str) -> Shown:
    """Display a bundle that controls will replace."""
    return Shown(bundle, _identity(name))


def _identity(name: str) -> str:
    """A display id of this showing alone: two cells may show one section of two cases."""
    return f"fairnb-{name}-{secrets.token_hex(4)}"


def told(name: str, state: str, message: str) -> dict[str, Any]:
    """What stands in place of a result that is not there yet: state and message, for people and programs.

    Parameters
    ----------
    name : str
        Id of the section.
    state : str
        ``stopped`` or ``failed``.
    message : str
        How far it came, or why it failed.
    """
    # A message with half a character is one that the kernel cannot send: nothing would be shown.
    message = printable(message)
    text = f"{section(name).title}: {state}. {message}"
    return {
        CONTROLS: {"section": name, "state": state, "message": message},
        "text/html": f"<div class='fairnb'><p class='fairnb-{state}'>{escape(text)}</p></div>",
        "text/plain": text,
    }


def show_note(note: str) -> None:
    """Display one sentence of fairnb's own, which is neither a result nor the assessor's output."""
    from IPython.display import display

    html = f"<p class='fairnb-note'>{escape(note)}</p>"
    display({CONTROLS: {"note": note}, "text/html": html, "text/plain": note}, raw=True)  # type: ignore[no-untyped-call]


def show_own(html: str, text: str, name: str) -> None:
    """Display a table about the case, which is neither a result nor the assessor's output."""
    from IPython.core.getipython import get_ipython

    if get_ipython() is None:
        sys.stdout.write(text + "\n")
        return
    from IPython.display import display

    display({CONTROLS: {"panel": name}, "text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def publish_progress(done: int, total: int, what: str) -> None:
    """Tell `fairnb run`, which listens to this kernel, how far the section is."""
    from IPython.display import display

    display({PROGRESS: {"done": done, "total": total, "what": what}}, raw=True)  # type: ignore[no-untyped-call]
