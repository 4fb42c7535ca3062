"""Writing parameters back into the case file, with its comments and its order kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fairnb.case import CASE_FILE, read_case_file
from fairnb.errors import FairnbError
from fairnb.files import plain, write_bytes


def _shape(folder: Path, data: bytes) -> Sequence[FairnbError]:
    return read_case_file(folder, data).errors


class CaseText:
    """A parsed case file that keeps every comment where it stands.

    tomlkit takes the comments before a table's head for the end of the table before it: a table put or
    taken there would part them. New tables therefore go to the end of the file, but for those of a table that
    is written on one line, which end there; and of one that is taken out the comments behind its last key stay.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        import tomlkit

        self._parse = tomlkit.parse
        self._text = text
        self._document: Any = tomlkit.parse(text)
        self._new: dict[tuple[str, ...], Any] = {}

    def table(self, *names: str) -> Any:
        """The table with this dotted name; a new one if there is none."""
        import tomlkit

        at = self._document
        for name in names:
            at = at.get(name) if at is not None else None
        return at if at is not None else self._new.setdefault(names, tomlkit.table())

    def has(self, *names: str) -> bool:
        """Whether the file has a table with this dotted name, or gets one."""
        at = self._document
        for name in names:
            at = at.get(name) if hasattr(at, "get") else None
        return at is not None or bool(self._new.get(names))

    def rename(self, old: Sequence[str], new: str) -> None:
        """Give a table another last name; it stays where it is, with its comments.

        A table that is written inside another one's line moves to the end of that.
        """
        import tomlkit

        text = tomlkit.dumps(self._document)
        head = re.compile(rf"^(\[\s*{_dotted(old[:-1])}\s*\.\s*){_spelt(old[-1])}(\s*\])", re.MULTILINE)
        name = tomlkit.key(new).as_string()
        wanted = self._document.unwrap()
        inner = _inside(wanted, old[:-1])
        inner[new] = inner.pop(old[-1])
        if not self._replace(text, head, lambda match: f"{match[1]}{name}{match[2]}", wanted):
            at = _inside(self._document, old[:-1])
            at[new] = at.pop(old[-1])

    def drop(self, *names: str) -> None:
        """Take a table out, if it is there."""
        import tomlkit
        from tomlkit.items import Comment, Whitespace

        self._new.pop(names, None)
        at = self._document
        for name in names[:-1]:
            at = at.get(name, {})
        if names[-1] not in at:
            return
        table = at[names[-1]]
        behind = ""
        for _, item in reversed(getattr(getattr(table, "value", None), "body", ())):
            if not isinstance(item, (Comment, Whitespace)):
                break
            behind = item.as_string() + behind
        text = tomlkit.dumps(self._document)
        head = rf"^\[\s*{_dotted(names)}\s*\][^\n]*\n"
        whole = re.compile(head + re.escape(table.as_string()), re.MULTILINE)
        wanted = self._document.unwrap()
        _inside(wanted, names[:-1]).pop(names[-1])
        if not self._replace(text, whole, lambda _: behind, wanted):
            at.pop(names[-1])

    def _replace(
        self, text: str, what: re.Pattern[str], by: Callable[[re.Match[str]], str], wanted: dict[str, Any]
    ) -> bool:
        """Replace the one match that makes the file say what is wanted; what only looks like it is prose."""
        from tomlkit.exceptions import TOMLKitError

        for match in what.finditer(text):
            with suppress(TOMLKitError):
                document = self._parse(f"{text[: match.start()]}{by(match)}{text[match.end() :]}")
                if _filled(document.unwrap()) == _filled(wanted):
                    self._document = document
                    return True
        return False

    def text(self) -> str:
        """The whole file."""
        import tomlkit
        from tomlkit.items import InlineTable

        document = self._parse(tomlkit.dumps(self._document))
        ending: dict[tuple[str, ...], Any] = {}
        for names, table in self._new.items():
            at, rest = document, list(names)
            while rest and hasattr(at, "get") and rest[0] in at:
                at = at[rest.pop(0)]
            if len(table) and isinstance(at, InlineTable):
                value = table.unwrap()
                for name in reversed(rest[1:]):
                    value = {name: value}
                set_value(at, rest[0], value)
            elif len(table):
                ending[names] = table
        text = tomlkit.dumps(document)
        end = "\r\n" if "\r\n" in text else "\n"
        for names, table in ending.items():
            gap = "" if text.endswith(end) or not text else end
            body = table.as_string().replace("\r\n", "\n").replace("\n", end)
            head = ".".join(tomlkit.key(name).as_string() for name in names)
            text += f"{gap}{end}[{head}]{end}{body}"
        return text


def _inside(document: Any, names: Sequence[str]) -> Any:
    for name in names:
        document = document[name]
    return document


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """A table without the empty ones in it: one is left of `[corpus.test]` or not, as the file is written."""
    inner = {key: _filled(value) if isinstance(value, dict) else value for key, value in table.items()}
    return {key: value for key, value in inner.items() if value != {}}


def _dotted(names: Sequence[str]) -> str:
    """Pattern of a dotted name as a head may spell it."""
    return r"\s*\.\s*".join(map(_spelt, names))


def _spelt(name: str) -> str:
    import tomlkit

    ways = {name, f"'{name}'", tomlkit.key([name]).as_string(), f'"{name}"'}
    return f"(?:{'|'.join(re.escape(way) for way in sorted(ways))})"


def edit_case_file(
    folder: Path,
    change: Callable[[CaseText], None],
    check: Callable[[Path, bytes], Sequence[FairnbError]] = _shape,
) -> None:
    """Change a case file by its keys; whatever is not touched stays as it is, comments included.

    The new text is checked before it takes the place of the old, atomically; a wrong one changes nothing.

    Parameters
    ----------
    folder : Path
        The case folder.
    change : callable
        Edits it in place.
    check : callable
        Finds what would be wrong with the new bytes; by default the shape of the file.

    Raises
    ------
    FairnbError
        ``no-case``, ``not-toml``, ``bad-value``, ``cannot-write``, ``package-missing``; the first of what would be wrong.
    """
    try:
        from tomlkit.exceptions import TOMLKitError
    except ImportError as error:
        raise FairnbError(
            "package-missing",
            "the package tomlkit is not installed",
            "install it with: pip install 'fairnb[lab]'",
        ) from error
    path = folder / CASE_FILE
    try:
        data = path.read_bytes()
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        document = CaseText(data[len(mark) :].decode("utf-8"))
        change(document)
        text = document.text()
    except OSError as error:
        raise FairnbError(
            "no-case",
            f"the case file cannot be read ({error.strerror or error})",
            "put it back, or make a case with `fairnb new DIR`",
            where=CASE_FILE,
        ) from error
    except (UnicodeDecodeError, TOMLKitError) as error:
        raise FairnbError(
            "not-toml",
            f"the case file is not valid TOML ({error})",
            "put it right in an editor; `fairnb check` names the line",
            where=CASE_FILE,
        ) from error
    try:
        edited = mark + text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FairnbError(
            "bad-value",
            f"{error.object[error.start]!r} is half of a character, which no file can hold",
            "write it again, or leave it out",
            where=CASE_FILE,
        ) from error
    errors = check(folder, edited)
    if errors:
        raise errors[0]
    write_bytes(path, edited)


def keep_parameters(
    folder: Path, section: str, values: Mapping[str, Any], declared: Mapping[str, Any]
) -> list[str]:
    """Write a section's changed parameters into its table of the case file.

    Parameters
    ----------
    folder : Path
    section : str
    values : mapping
        Every parameter; None takes a key out, since TOML has no word for it.
    declared : mapping
        Every parameter as the case file and the defaults have it now.

    Returns
    -------
    list of str
        Names of the parameters that were written.

    Raises
    ------
    FairnbError
        As `edit_case_file`.
    """
    changed = {name: plain(value) for name, value in values.items() if plain(value) != plain(declared[name])}
    if not changed:
        return []

    def change(document: CaseText) -> None:
        table = document.table("sections", section)
        for name, value in changed.items():
            if value is None:
                table.pop(name, None)
            else:
                set_value(table, name, value)

    edit_case_file(folder, change)
    return list(changed)


def set_value(table: Any, name: str, value: Any) -> None:
    """Set a key; the comment behind an old value stays, and a new key stands behind the last one.

    Behind that there may be the comments of the next table, which tomlkit counts to this one.
    """
    import tomlkit

    item = tomlkit.item(value)
    if isinstance(value, Mapping):
        item = tomlkit.inline_table()
        item.update(value)
    old = table.get(name)
    if old is not None and hasattr(old, "trivia"):
        item.trivia.comment_ws, item.trivia.comment = old.trivia.comment_ws, old.trivia.comment
        item.trivia.trail = old.trivia.trail
    if old is not None:
        table[name] = item
    else:
        _append(table, name, item)


def set_inside(table: Any, names: tuple[str, str], value: Any) -> None:
    """Set ``first.second`` inside a table, on a line of its own if `first` is not there yet."""
    import tomlkit

    first, second = names
    inner = table.get(first)
    if inner is not None:
        set_value(inner, second, value)
        return
    item = tomlkit.inline_table()
    item.update(value)
    _append(table, tomlkit.key([first, second]), item)


def _append(table: Any, key: Any, item: Any) -> None:
    from tomlkit.items import Comment, Table, Whitespace

    behind: list[Any] = []
    if isinstance(table, Table):
        body = table.value.body
        # tomlkit ends every new line alike; a file of Windows keeps its own.
        item.trivia.trail = next((i.trivia.trail for k, i in body if k and i.trivia.trail), "\n")
        while body and isinstance(body[-1][1], (Comment, Whitespace)):
            behind.insert(0, body.pop())
        table.append(key, item)
        body.extend(behind)
    else:
        table[key] = item
