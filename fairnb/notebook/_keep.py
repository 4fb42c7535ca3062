"""Writing parameters back into the case file, with its comments and its order kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairnb.case import CASE_FILE, read_case_file
from fairnb.errors import FairnbError
from fairnb.files import plain, write_bytes

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def _shape(folder: Path, data: bytes) -> Sequence[FairnbError]:
    return read_case_file(folder, data).errors


def edit_case_file(
    folder: Path,
    change: Callable[[TOMLDocument], None],
    check: Callable[[Path, bytes], Sequence[FairnbError]] = _shape,
) -> None:
    """Change a case file by its keys; whatever is not touched stays as it is, comments included.

    The new text is checked before it takes the place of the old, atomically; a wrong one changes nothing.

    Parameters
    ----------
    folder : Path
        The case folder.
    change : callable
        Edits the parsed document in place.
    check : callable
        Finds what would be wrong with the new bytes; by default the shape of the file.

    Raises
    ------
    FairnbError
        ``no-case``, ``not-toml``, ``cannot-write``, ``package-missing``; the first of what would be wrong.
    """
    try:
        import tomlkit
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
        document = tomlkit.parse(data[len(mark) :].decode("utf-8"))
        change(document)
        text = tomlkit.dumps(document)
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
    edited = mark + text.encode("utf-8")
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
    import tomlkit

    changed = {name: plain(value) for name, value in values.items() if plain(value) != plain(declared[name])}
    if not changed:
        return []

    def change(document: TOMLDocument) -> None:
        tables = document.setdefault("sections", tomlkit.table(is_super_table=True))
        table = tables.get(section)
        if table is None:
            table = tomlkit.table()
            tables[section] = table
        for name, value in changed.items():
            if value is None:
                table.pop(name, None)
            else:
                set_value(table, name, value)

    edit_case_file(folder, change)
    return list(changed)


def set_value(table: Any, name: str, value: Any) -> None:
    """Set a key; the comment behind an old value stays."""
    import tomlkit

    item = tomlkit.item(value)
    old = table.get(name)
    if old is not None and hasattr(old, "trivia"):
        item.trivia.comment_ws, item.trivia.comment = old.trivia.comment_ws, old.trivia.comment
        item.trivia.trail = old.trivia.trail
    table[name] = item
