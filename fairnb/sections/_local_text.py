"""A text as it may be shown, and where in it the explained tokens stand.

Results hold no token but inside the text of an example, which every later redaction covers: weights name
tokens by their place, and words are cut from the shown text. Where that text was redacted further, its length
is another, and tokens are named by their place only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from fairnb.explanation import Span, spans_of

_WHOLE_UP_TO = 600
_AROUND = 30
_LONGEST = 60
_GAP = " … "
_COVERED = re.compile(r"\[(?:link|e-mail|handle|phone)\]")


@dataclass(frozen=True)
class ShownText:
    """A redacted text, cut to what is explained if it is long."""

    text: str
    spans: dict[int, list[Span]]
    """Unit -> where it stands in `text`; units that cannot be shown are missing."""


def shown_text(
    raw: str, members: Sequence[Sequence[Span]], wanted: Sequence[int], redact: Callable[[str], str]
) -> ShownText:
    """Redact a text and find the wanted units in what is left.

    Parameters
    ----------
    raw : str
    members : sequence
        Spans of each unit's tokens in the raw text.
    wanted : sequence of int
        Units whose place is asked for.
    redact : callable
        `View.redact`.
    """
    text = redact(raw)
    # A letter says nothing: where even that is changed, texts are withheld.
    found = {} if redact("a") != "a" else _aligned(raw, text, redact)
    spans = {
        unit: places
        for unit in wanted
        if (places := [found[span] for span in members[unit] if span in found])
    }
    if len(text) <= _WHOLE_UP_TO:
        return ShownText(text, spans)
    return _excerpt(text, spans)


def _aligned(raw: str, text: str, redact: Callable[[str], str]) -> dict[Span, Span]:
    """Token of the raw text -> its place in the redacted one."""
    ours = spans_of(raw)
    shown = _shown_spans(text)
    words = [redact(raw[start:end]) for start, end in ours]
    seen = [text[start:end] for start, end in shown]
    if words == seen:
        return dict(zip(ours, shown, strict=True))
    found: dict[Span, Span] = {}
    for kind, first, last, low, high in SequenceMatcher(None, words, seen).get_opcodes():
        if kind == "equal":
            found.update(zip(ours[first:last], shown[low:high], strict=True))
        elif kind == "replace":
            # Several tokens under one cover, such as a phone number.
            whole = (shown[low][0], shown[high - 1][1])
            found.update(dict.fromkeys(ours[first:last], whole))
    return found


def _shown_spans(text: str) -> list[Span]:
    covers = [found.span() for found in _COVERED.finditer(text)]
    inside = {place for start, end in covers for place in range(start, end)}
    return sorted([*covers, *(span for span in spans_of(text) if span[0] not in inside)])


def _excerpt(text: str, spans: Mapping[int, list[Span]]) -> ShownText:
    """Windows around what is explained; the beginning where nothing is."""
    places = sorted({(start, min(end, start + _LONGEST)) for many in spans.values() for start, end in many})
    windows: list[list[int]] = []
    for start, end in places or [(0, _WHOLE_UP_TO - _AROUND)]:
        low, high = max(0, start - _AROUND), min(len(text), end + _AROUND)
        if windows and low <= windows[-1][1]:
            windows[-1][1] = max(windows[-1][1], high)
        else:
            windows.append([low, high])
    pieces: list[str] = []
    moved: dict[int, Span] = {}
    at = 0
    for low, high in windows:
        before = _GAP.lstrip() if not pieces and low else _GAP if pieces else ""
        pieces += [before, text[low:high]]
        at += len(before)
        for start, end in places:
            if low <= start < high:
                moved[start] = (at + start - low, at + end - low)
        at += high - low
    if windows[-1][1] < len(text):
        pieces.append(_GAP.rstrip())
    return ShownText(
        "".join(pieces),
        {unit: [moved[start] for start, _ in many] for unit, many in spans.items()},
    )


def word_at(
    text: str, length: int, spans: Sequence[Sequence[int]], place: int, *, together: bool, longest: int = 28
) -> str:
    """An explained unit as it is printed: its word, or its place where the text was redacted since.

    Parameters
    ----------
    text : str
        The example's text as it is now.
    length : int
        Its length when the spans were found.
    spans : sequence of (start, end)
    place : int
    together : bool
        Whether the spans are neighbours taken together, to be shown from the first to the last.
    longest : int
    """
    if len(text) != length or not spans:
        return f"[token {place + 1}]"
    start, end = spans[0]
    word = " ".join(text[start : spans[-1][1] if together else end].split())
    return word if len(word) <= longest else word[: longest - 1] + "…"
