"""What differs from the case file, or was changed after the first score: for the annex and for the pages read first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

Payload = Mapping[str, Any]

_SHOWN = 120
"""Characters of a parameter that are printed; the evidence has all of them."""
_SPOKEN = 40
"""Characters of a parameter up to which a sentence holds it."""
_ON_COVER = 3
"""Sentences on the cover; with more it says where they stand."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """A parameter whose value is not the case file's, or a setting changed after the first score."""

    section: str
    name: str
    value: str
    instead_of: str
    when: str
    id: str = ""
    """Of the section; empty for a setting of the case file."""
    told: str = ""
    """The change of a parameter as the rest of a sentence about its section; empty for a setting."""

    @property
    def sentence(self) -> str:
        """The change of a parameter in one sentence."""
        return f"{self.section} was {self.told}."


def changes(payloads: Sequence[Payload], log: Iterable[Mapping[str, Any]]) -> tuple[Change, ...]:
    """What was changed by hand, and what was changed after the first score was seen.

    Parameters
    ----------
    payloads : sequence of mapping
    log : iterable of mapping
        Events of the run log: when a parameter was changed, and which settings.
    """
    events = list(log)
    found = [
        _changed(payload["content"], name, before, _moved(payload["content"], name, events), payloads)
        for payload in payloads
        for name, before in payload["content"].get("declared", {}).items()
        if payload["content"]["parameters"].get(name) != before
    ]
    scored = False
    for entry in events:
        scored = scored or entry.get("event") == "score"
        if scored and entry.get("event") == "case_file":
            for key, pair in entry.get("changes", {}).items():
                old, new = (pair[0], pair[1]) if len(pair) == 2 else (None, pair)
                when = minute(str(entry.get("time", "")))
                found.append(Change("Case file", key, in_words(new), in_words(old), when))
    return tuple(found)


def cover_sentences(found: Sequence[Change]) -> str:
    """What the cover says of parameters that were changed by hand; empty if none was."""
    said = [change.sentence for change in found if change.told]
    if len(said) <= _ON_COVER:
        return " ".join(said)
    return f"{len(said)} parameters of sections are not those of the case file: At a glance names each."


def _changed(
    content: Mapping[str, Any], name: str, before: Any, time: str, payloads: Sequence[Payload]
) -> Change:
    value = content["parameters"].get(name)
    if name == "threshold" and before is None:
        # Without one of its own a section takes the target's, which the case file sets as well.
        before = _threshold_of(str(content["target"] or ""), payloads)
    done = content["result"].get("status", "done") == "done"
    ran, ended = ("run", "") if done else ("asked for", ", and is not applicable")
    now, then = in_words(value), in_words(before)
    if name == "threshold":
        now, then = _decimals(value), _decimals(before)
    short = len(now) <= _SPOKEN and len(then) <= _SPOKEN
    what = (
        f"{name} {now} instead of the case file’s {then}"
        if short
        else f"a value of {name} that is not the case file’s"
    )
    when = f"on {date_words(date.fromisoformat(time[:10]))}" if time else "at a time not recorded"
    return Change(
        titled(content),
        name,
        in_words(value),
        in_words(before),
        minute(time),
        str(content["section"]),
        f"{ran} with {what}, changed by hand {when}{ended}",
    )


def _moved(content: Mapping[str, Any], name: str, events: Sequence[Mapping[str, Any]]) -> str:
    """When a parameter was last given the value that was used, by the log; empty if it does not say."""
    wanted = ("parameter", content["section"], content["target"] or "", name, content["parameters"].get(name))
    times = [
        str(entry.get("time", ""))
        for entry in events
        if tuple(entry.get(key) for key in ("event", "section", "target", "parameter", "after")) == wanted
    ]
    try:
        date.fromisoformat(times[-1][:10])
    except (IndexError, ValueError):
        return ""
    return times[-1]


def _threshold_of(target: str, payloads: Sequence[Payload]) -> Any:
    for payload in payloads:
        if payload["content"]["section"] == "system":
            for one in payload["content"]["result"].get("facts", {}).get("targets", ()):
                if one.get("name") == target:
                    return one.get("threshold")
    return None


def _decimals(value: Any) -> str:
    """A threshold with at least two decimals, as the sections print it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return in_words(value)
    text = f"{value:.2f}"
    return text if float(text) == value else repr(value)


def titled(content: Mapping[str, Any]) -> str:
    """A section's title, with the target it was run for."""
    title = str(content.get("title") or content["section"])
    return f"{title} ({content['target']})" if content.get("target") else title


def in_words(value: Any) -> str:
    """A parameter's value as it is printed."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(in_words(item) for item in value) or "none"
    if isinstance(value, Mapping):
        return "; ".join(f"{key} = {in_words(item)}" for key, item in value.items()) or "none"
    text = str(value) or "empty"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def minute(time: str) -> str:
    """A time of the log to the minute."""
    return f"{time[:10]} {time[11:16]} UTC" if len(time) >= 16 else time


def date_words(moment: date) -> str:
    """A date as it is written in a letter.

    >>> import datetime
    >>> date_words(datetime.datetime(2026, 3, 7))
    '7 March 2026'
    """
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
