"""What memory a process may hold, from files as Linux writes them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fairnb.files import granted_memory

MEMINFO = "MemTotal:       16384000 kB\nMemFree:         1000000 kB\nMemAvailable:    9000000 kB\n"
HOST = 16_384_000 * 1024
GB = 2**30
NO_LIMIT_V1 = 9223372036854771712


def machine(root: Path, groups: str, **files: object) -> Path:
    """A machine with these groups of the process; names of files have `__` for `/`."""
    written = {"proc/meminfo": MEMINFO, "proc/self/cgroup": groups}
    written |= {f"sys/fs/cgroup/{name.replace('__', '/')}": f"{value}\n" for name, value in files.items()}
    for name, text in written.items():
        # The kernel's names have dots, arguments do not.
        path = root / name.replace("memory_max", "memory.max").replace("memory_limit", "memory.limit")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_without_any_group_it_is_the_machines(tmp_path: Path) -> None:
    assert granted_memory(machine(tmp_path, "")) == HOST


def test_a_container_of_version_two_has_its_limit_at_the_top(tmp_path: Path) -> None:
    assert granted_memory(machine(tmp_path, "0::/\n", memory_max=2 * GB)) == 2 * GB


def test_no_limit_of_version_two_leaves_the_machines(tmp_path: Path) -> None:
    assert granted_memory(machine(tmp_path, "0::/\n", memory_max="max")) == HOST


def test_a_group_is_bound_by_those_it_lies_in(tmp_path: Path) -> None:
    root = machine(
        tmp_path, "0::/user/one:two\n", user__memory_max=3 * GB, **{"user__one:two__memory_max": 4 * GB}
    )
    assert granted_memory(root) == 3 * GB


def test_version_one_is_read_too(tmp_path: Path) -> None:
    groups = "5:cpu,cpuacct:/box\n4:memory:/box\n1:name=systemd:/box\n"
    root = machine(
        tmp_path,
        groups,
        memory__memory_limit_in_bytes=NO_LIMIT_V1,
        memory__box__memory_limit_in_bytes=GB,
        cpu__memory_limit_in_bytes=1,
    )
    assert granted_memory(root) == GB


def test_a_name_that_is_the_hosts_leads_to_the_top_of_the_container(tmp_path: Path) -> None:
    root = machine(tmp_path, "4:memory:/docker/0123abcd\n", memory__memory_limit_in_bytes=2 * GB)
    assert granted_memory(root) == 2 * GB


def test_no_limit_of_version_one_leaves_the_machines(tmp_path: Path) -> None:
    root = machine(tmp_path, "4:memory:/\n", memory__memory_limit_in_bytes=NO_LIMIT_V1)
    assert granted_memory(root) == HOST


def test_a_limit_beyond_the_machine_is_not_what_there_is(tmp_path: Path) -> None:
    assert granted_memory(machine(tmp_path, "0::/\n", memory_max=64 * GB)) == HOST


@pytest.mark.parametrize("groups", ["nonsense\n", "0:\n", "0::/../..\n", "\n\n"])
def test_lines_of_another_shape_are_passed_over(tmp_path: Path, groups: str) -> None:
    assert granted_memory(machine(tmp_path, groups)) == HOST


def test_where_nothing_can_be_read_nothing_is_said(tmp_path: Path) -> None:
    assert granted_memory(tmp_path) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these files")
def test_here_it_is_no_more_than_the_machine_has() -> None:
    granted = granted_memory()
    assert granted is not None
    # The kernel keeps some pages to itself in one count and not in the other.
    assert 0 < granted <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 1.01
