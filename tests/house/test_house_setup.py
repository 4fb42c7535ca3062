"""The set-up scripts name what is missing, or install it where they may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PANGO = ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0")
PROGRAMS = ("chromium", "poppler-utils", "qpdf", "openssl")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scripts know Debian's packages")


class Machine:
    """A PATH with nothing on it but what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder
        for name in ("sh", "find", "grep", "uname"):
            found = shutil.which(name)
            assert found is not None
            (folder / name).symlink_to(found)

    def has(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (self.bin / name).chmod(0o755)

    def runs(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(CHECKOUT / "requirements" / script), *arguments],
            env={"PATH": str(self.bin), "HOME": str(self.bin)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.has("ldconfig", "echo")
    made.has("id", "echo 1000")
    return made


def test_a_user_is_told_the_packages_in_one_sentence(machine: Machine) -> None:
    ran = machine.runs("system.sh", "test")
    assert ran.returncode == 1
    assert len(ran.stderr.splitlines()) == 1
    for package in (*PANGO, *PROGRAMS):
        assert package in ran.stderr


def test_the_demo_asks_for_pango_only(machine: Machine) -> None:
    ran = machine.runs("system.sh", "demo")
    assert ran.returncode == 1
    assert all(package in ran.stderr for package in PANGO)
    assert not any(package in ran.stderr for package in PROGRAMS)


def test_root_with_apt_installs_exactly_what_is_missing_without_asking(machine: Machine) -> None:
    machine.has("id", "echo 0")
    machine.has("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {machine.bin}/calls')
    machine.has("qpdf", "exit 0")
    ran = machine.runs("system.sh", "test")
    assert ran.returncode == 0, ran.stderr
    update, install = (machine.bin / "calls").read_text("utf-8").splitlines()
    assert update.startswith("noninteractive update")
    assert install.startswith("noninteractive install -y")
    assert {*PANGO, "chromium", "poppler-utils", "openssl"} <= set(install.split())
    assert "qpdf" not in install.split()


def test_a_machine_that_has_everything_is_left_alone(machine: Machine) -> None:
    libraries = "libpango-1.0.so.0 libpangoft2-1.0.so.0 libharfbuzz-subset.so.0"
    machine.has("ldconfig", f"echo {libraries}")
    (machine.bin / ".fonts").mkdir()
    (machine.bin / ".fonts" / "DejaVuSans.ttf").touch()
    for name in ("chromium", "pdftotext", "qpdf", "openssl"):
        machine.has(name, "exit 0")
    ran = machine.runs("system.sh", "test")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def python(version: str, *, venv: bool = True, works: bool = True) -> str:
    """A stand-in for an interpreter: it answers the two questions the script asks."""
    if not works:
        return "exit 127"
    return f'case "$2" in *version_info*) echo {version} ;; *ensurepip*) exit {0 if venv else 1} ;; esac'


def test_the_tested_interpreter_comes_first(machine: Machine) -> None:
    machine.has("python3.11", python("3.11"))
    machine.has("python3.13", python("3.13"))
    ran = machine.runs("python.sh")
    assert ran.stdout.strip() == str(machine.bin / "python3.11")


def test_a_name_on_the_path_that_does_not_run_is_passed_over(machine: Machine) -> None:
    machine.has("python3.11", python("3.11", works=False))
    machine.has("python3.12", python("3.12"))
    assert machine.runs("python.sh").stdout.strip() == str(machine.bin / "python3.12")


def test_an_interpreter_without_venv_is_answered_with_the_package_to_install(machine: Machine) -> None:
    machine.has("python3", python("3.11", venv=False))
    ran = machine.runs("python.sh")
    assert ran.returncode == 1
    assert "python3-venv" in ran.stderr


def test_an_interpreter_that_is_too_old_is_named(machine: Machine) -> None:
    machine.has("python3", python("3.9"))
    ran = machine.runs("python.sh")
    assert ran.returncode == 1
    assert "3.11, 3.12 or 3.13" in ran.stderr
    assert "found 3.9" in ran.stderr


def test_every_target_that_help_lists_exists_and_each_has_its_line() -> None:
    # The suite may itself run under make, whose flags would reach down.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }

    def make(*arguments: str) -> str:
        command = ["make", "--no-print-directory", *arguments]
        return subprocess.run(
            command, cwd=CHECKOUT, capture_output=True, text=True, check=True, env=environment
        ).stdout

    listed = {line.split()[1] for line in make("help").splitlines()}
    assert listed == {
        "help",
        "demo",
        "test",
        "test-long",
        "lint",
        "format",
        "types",
        "lock",
        "clean",
        "labextension",
    }
    for target in listed:
        make("--dry-run", target)
