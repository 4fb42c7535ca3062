"""What of a text a document may show."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from fairnb.errors import FairnbError
from fairnb.text._matchable import is_ignorable, matchable
from fairnb.text._visible import visible

RedactMode = Literal["mask", "withhold", "none"]
PersonalKind = Literal["link", "email", "handle", "phone"]

_DIGEST_SHOWN = 12

# Each alternative starts only where a word starts or is bounded in length, so that no text,
# however long, costs more than time in proportion to it.
_PRIVATE = re.compile(
    r"""
    (?P<link> (?<!\w) (?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+
      | (?<![\w.@-]) (?:[\w-]++\.)+ (?:(?:com|org|net|edu|gov|info|biz|io|ly|uk|de|fr|eu)(?![\w-]) (?:[/?:]\S*)?
        | [a-z]{2,20}/\S+) )
    | (?P<email> (?<![\w.+-]) [\w.+-]++ [@\uff20] [\w-]+ (?:\.[\w-]+)+ )
    | (?P<handle> [@\uff20] \w+ (?:[.-]\w+)* (?:@ \w+ (?:[.-]\w+)*)? )
    | (?P<phone> (?<![\w]) (?!\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)) (?!\d{4}\s?[-\u2013/]\s?\d{4}(?!\d))
        \+? \(? \d (?:[\s().\-/]{0,3}\d){6,} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHOWN_AS: dict[PersonalKind, str] = {
    "link": "[link]",
    "email": "[e-mail]",
    "handle": "[handle]",
    "phone": "[phone]",
}

_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PICTOGRAPH = frozenset(("So", "Sk", "Mn"))


@dataclass(frozen=True, slots=True)
class Personal:
    """One piece of a text that leads to a person."""

    kind: PersonalKind
    start: int
    end: int
    """Offsets into the raw text."""


def personal_data(raw: str) -> tuple[Personal, ...]:
    """Links, e-mail addresses, handles and phone numbers of a text, in its order.

    The same patterns decide what `redact` masks: marks that act unseen are looked through.

    Parameters
    ----------
    raw : str
        The text as its corpus holds it.

    Returns
    -------
    tuple of Personal

    Examples
    --------
    >>> [(found.kind, found.start, found.end) for found in personal_data("ask @mike at 555-0143")]
    [('handle', 4, 9), ('phone', 13, 21)]
    """
    seen = visible(raw)
    shown = _harmless(seen.text)
    return tuple(
        Personal(kind, *seen.span(first, last + 1)) for kind, first, last in _private(*_plain(shown))
    )


def keyed_digest(text: str, key: bytes) -> str:
    """HMAC-SHA-256 of a text, in hexadecimal.

    A plain digest of a short text can be found by trying likely texts; with a key that stays with
    the assessor it cannot.

    Raises
    ------
    FairnbError
        ``empty-key``.
    """
    if not key:
        raise FairnbError("empty-key", "the key for the digests of texts is empty", "give a secret key")
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def redact(
    text: str,
    mode: RedactMode,
    *,
    key: bytes,
    slurs: Collection[str] = (),
    escaped: bool = True,
) -> str:
    """Show of a text only what may be shown.

    Parameters
    ----------
    text : str
        The raw text.
    mode : {"mask", "withhold", "none"}
        ``mask`` replaces links, e-mail addresses, handles and phone numbers (any seven digits that
        could be one) by their kind, and all but the first letter of each listed slur by bullets.
        ``withhold`` shows length and keyed digest only. ``none`` shows the text.
    key : bytes
        Key of the digest; see `keyed_digest`.
    slurs : collection of str
        Words to mask, matched whole and regardless of case, also with a plural -s.
    escaped : bool
        Whether the text still holds HTML entities, as a corpus does. False for a text that was
        redacted before, so that nothing is unescaped twice.

    Returns
    -------
    str
        Always without control characters, marks of direction and lone surrogates: they are shown
        as signs that do nothing. It is text, not HTML: whoever prints it escapes it.

    Raises
    ------
    FairnbError
        ``unknown-redaction`` for another mode.
    """
    if mode not in ("mask", "withhold", "none"):
        raise FairnbError(
            "unknown-redaction", f"there is no redaction {mode!r}", "choose mask, withhold or none"
        )
    seen = visible(text).text if escaped else text
    if mode == "withhold":
        digest = keyed_digest(text, key)[:_DIGEST_SHOWN]
        return f"[text withheld, {len(seen)} characters, keyed digest {digest}…]"
    shown = _harmless(seen)
    if mode == "mask":
        _mask(shown, tuple(sorted(slurs)))
    return "".join(shown)


def _harmless(text: str) -> list[str]:
    """Make visible what would act unseen, and drop what has no width outside of pictographs.

    One piece for each character: empty for what is dropped, of several characters for the sign of one that
    acts unseen.
    """
    if text.isascii() and text.isprintable():
        return list(text)
    shown: list[str] = []
    last = ""
    for character in text:
        if character in "\n\t" or (character.isascii() and character.isprintable()):
            piece = character
        elif character in _DIRECTION:
            piece = f"⟨U+{ord(character):04X}⟩"
        elif is_ignorable(character):
            piece = character if _joins_pictographs(character, last) else ""
        else:
            piece = _sign(character)
        shown.append(piece)
        last = piece or last
    return shown


def _joins_pictographs(character: str, before: str) -> bool:
    if character not in "\u200d\ufe0f" or not before:
        return False
    return before == "\ufe0f" or unicodedata.category(before[-1]) in _PICTOGRAPH


def _sign(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"
    if category in ("Zl", "Zp"):
        return "\n"
    return "\ufffd" if category == "Cs" else character


def _plain(shown: list[str]) -> tuple[str, list[int]]:
    """What is shown as it is, and the place of each of its characters: signs are looked through."""
    places = [place for place, piece in enumerate(shown) if len(piece) == 1]
    return "".join(shown[place] for place in places), places


def _private(plain: str, places: list[int]) -> Iterator[tuple[PersonalKind, int, int]]:
    """Kind, first and last place of what leads to a person."""
    for found in _PRIVATE.finditer(plain):
        kind = next(name for name in _SHOWN_AS if found[name] is not None)
        yield kind, places[found.start()], places[found.end() - 1]


def _mask(shown: list[str], slurs: tuple[str, ...]) -> None:
    """Cover what leads to a person and what insults, in place."""
    plain, places = _plain(shown)
    for kind, first, last in _private(plain, places):
        shown[first : last + 1] = [_SHOWN_AS[kind]] + [""] * (last - first)
    if not slurs:
        return
    form = matchable(plain.replace("&", "\uff06"))
    for found in _slur_pattern(slurs).finditer(form.text):
        start, end = form.span(*found.span())
        for place in places[start + 1 : end]:
            if len(shown[place]) == 1 and not shown[place].isspace():
                shown[place] = "•"


@lru_cache(maxsize=16)
def _slur_pattern(slurs: tuple[str, ...]) -> re.Pattern[str]:
    forms = sorted({matchable(slur).text for slur in slurs} - {"", " "}, key=len, reverse=True)
    if not forms:
        return re.compile(r"(?!)")
    return re.compile(r"(?<![^\W_])(?:" + "|".join(map(re.escape, forms)) + r")s?(?![^\W_])")
