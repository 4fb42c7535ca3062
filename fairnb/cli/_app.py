"""What every verb shares: the command itself, words for people on stderr, results on stdout."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, ClassVar

from cyclopts import App, Parameter

from fairnb import __version__

app = App(
    name="fairnb",
    version=__version__,
    help="Assess a text classifier you did not build, and hand over a signed audit document.",
    help_format="plaintext",
    # main() says what is kept and how to go on.
    suppress_keyboard_interrupt=False,
)

Json = Annotated[bool, Parameter(name="--json", negative=(), help="Put the result on stdout as JSON.")]


class Progress:
    """Progress on a terminal as one line that is overwritten; elsewhere a line per section or stage."""

    stands: ClassVar[bool] = False
    """Whether such a line stands at the end of the terminal."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()

    def __call__(self, done: int, total: int, what: str) -> None:
        if self._terminal:
            Progress.stands = done < total
            sys.stderr.write(f"\r\033[K[{done}/{total}] {_harmless(what)}" + ("" if done < total else "\n"))
            sys.stderr.flush()
        else:
            say(f"[{done}/{total}] {what}")


def say(words: str) -> None:
    """One line for a person, or several; file names and titles in it command no terminal."""
    if Progress.stands:
        Progress.stands = False
        sys.stderr.write("\r\033[K")
    for line in words.split("\n"):
        sys.stderr.write(f"{_harmless(line)}\n")


def _harmless(line: str) -> str:
    if line.isprintable():
        return line
    from fairnb.text import printable

    return printable(line)


def put(value: Any) -> None:
    """A result for a program."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
