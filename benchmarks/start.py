"""How long fairnb takes to start: medians over whole processes, as a person at a terminal waits for them."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# What a user is promised, in seconds; printed beside what is seen.
COMMANDS = (
    ("python -c pass", (sys.executable, "-c", "pass"), None),
    ("import fairnb", (sys.executable, "-c", "import fairnb"), 0.5),
    ("fairnb --help", (str(Path(sys.executable).with_name("fairnb")), "--help"), 0.7),
)


def seconds(command: Sequence[str]) -> float:
    """Wall time of one process from start to end."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=11, help="processes per command (default 11)")
    times = parser.parse_args().times
    for name, command, promised in COMMANDS:
        seconds(command)  # the first one reads the files from disk
        seen = [seconds(command) for _ in range(times)]
        promise = f"   promised {promised:.1f}" if promised else ""
        print(f"{name:16} {statistics.median(seen):6.3f} s   ({min(seen):.3f} to {max(seen):.3f}){promise}")


if __name__ == "__main__":
    main()
