"""Bytes to text: declared encodings only, and nothing replaced."""

from __future__ import annotations

import codecs

from fairnb.errors import FairnbError

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NUL = "\0"
_LINE_END = b"\n"


def decode(data: bytes, name: str, encoding: str | None) -> tuple[str, dict[str, object]]:
    """Decode a file's bytes; a byte order mark is dropped and told.

    Returns
    -------
    tuple of str and dict
        The text with its line ends as they are, and the facts ``encoding`` and ``byte_order_mark``.

    Raises
    ------
    FairnbError
        ``wrong-encoding`` or ``nul-byte`` with the line.
    """
    used = encoding or "utf-8"
    try:
        text = data.decode(used)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise FairnbError(
            "wrong-encoding",
            f"the byte 0x{data[at]:02X} is not {used}",
            "save the file as UTF-8, or declare its encoding, such as encoding = 'latin-1'",
            where=f"{name}, line {1 + data.count(_LINE_END, 0, at)}",
        ) from error
    marked = data.startswith(_MARKS)
    text = text.removeprefix("\ufeff")
    if _NUL in text:
        raise FairnbError(
            "nul-byte",
            "there is a NUL character, which no text holds",
            "repair the file; if it is UTF-16, declare encoding = 'utf-16'",
            where=f"{name}, line {1 + text[: text.index(_NUL)].count(_LINE_END.decode())}",
        )
    return text, {"encoding": used.lower(), "byte_order_mark": marked}
