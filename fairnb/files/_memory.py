"""How much memory this process may hold: the machine's, or the part of it that a container grants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_TOTAL = re.compile(r"^MemTotal:\s+(\d+) kB$", re.MULTILINE)
_GROUPS = "sys/fs/cgroup"


def granted_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process and those beside it in its control group may hold together.

    What an operating system reports as its memory is the whole machine's; in a container, such as a session on
    Binder, the limit of a control group ends a process long before. The least of all of them holds.

    Parameters
    ----------
    root : path
        Where ``proc`` and ``sys`` are found.

    Returns
    -------
    int or None
        None where no limit can be read, as on systems other than Linux.

    Notes
    -----
    Source: Linux kernel, Control Group v2, ``memory.max``; Memory Resource Controller (v1),
    ``memory.limit_in_bytes``. A group is bound by those it lies in, too.
    """
    limits = [int(said[1]) * 1024] if (said := _TOTAL.search(_text(root / "proc" / "meminfo"))) else []
    for file in _limit_files(root):
        text = _text(file).strip()
        # Version 2 writes "max" for none; version 1 a number beyond any memory, which loses to the machine's.
        if text.isdecimal():
            limits.append(int(text))
    return min(limits, default=None)


def _limit_files(root: Path) -> Iterator[Path]:
    """Files that may hold a limit of this process's group, or of one around it."""
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, controllers, name = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            top, file = root / _GROUPS, "memory.max"
        elif "memory" in controllers.split(","):
            top, file = root / _GROUPS / "memory", "memory.limit_in_bytes"
        else:
            continue
        # A container may be told its name on the host, which is no folder inside: its own group is then the top.
        parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..")]
        for depth in range(len(parts) + 1):
            yield top.joinpath(*parts[:depth], file)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
