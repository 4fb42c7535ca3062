"""A second process that tags texts: one JSON list of texts a line in, one JSON list of spans a line out.

Started as a program, not forked: the first process may hold threads of other libraries, and in a notebook
there is no main module that a new process could import.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairnb.mining._pipeline import Pipeline, Spans

_SECRETS = ("FAIRNB_PASSPHRASE",)


class Helper:
    """The process, as the first one sees it. Whatever fails, the answer is None.

    Parameters
    ----------
    pipeline : Pipeline
    """

    def __init__(self, pipeline: Pipeline) -> None:
        # -P: no module of the working folder takes a library's place.
        command = [sys.executable, "-P", "-m", __name__, str(pipeline.folder), *pipeline.excluded]
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name not in _SECRETS},
            )
        except OSError:
            return

    def tag(self, texts: Sequence[str]) -> list[Spans] | None:
        """Spans of each text, or None if the process cannot give them."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(json.dumps(list(texts)).encode("ascii") + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            spans = [[(int(start), int(end)) for start, end in found] for found in answer]
        except (OSError, ValueError, TypeError):
            return None
        return spans if len(spans) == len(texts) else None

    def stop(self) -> None:
        """End the process, busy or not."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def close(self) -> None:
        """End the process and let go of its pipes, once nobody is waiting for its answer."""
        self.stop()
        if self._process is not None:
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    # What a process that died was not given any more is still written on closing.
                    with suppress(OSError):
                        stream.close()


def main(arguments: Sequence[str]) -> None:
    """Tag what comes on standard input until it ends."""
    from fairnb.mining._pipeline import groups_named, load

    # Whatever a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nlp = load(Path(arguments[0]), arguments[1:])
    for line in sys.stdin.buffer:
        answers.write(json.dumps(groups_named(nlp, json.loads(line))).encode("ascii") + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
